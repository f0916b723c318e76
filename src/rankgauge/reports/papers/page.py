"""The page of a reproduced experiment: its tables and figures, beside what the document reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import Table
from rankgauge.reports.papers.contents import Claim, Outcome, claims_table
from rankgauge.reports.papers.registry import Experiment

MOST_ROWS = 40  # of a table that the page shows
Record = Mapping[str, Any]  # the contents of a part, as numbers/PART.json holds them


def document(
    experiment: Experiment, records: Sequence[Record], made: Sequence[str], missing: Sequence[str]
) -> Document:
    """The page: what held, then each part, then what is missing and how the rest was made."""
    claims = [
        Claim(each["claim"], {name: Outcome(**outcome) for name, outcome in each["outcomes"].items()})
        for record in records
        for each in record["claims"]
    ]
    sections = [Section("Findings", (_summary(claims),), claims_table(claims))] if claims else []
    for record in records:
        sections += _part(record)
    if missing:
        sections.append(Section("What could not be made", tuple(missing)))
    sources = (experiment.help, f"The document: {experiment.cite}.")
    sections.append(Section("How this was made", (*sources, *made)))
    return Document(experiment.title, tuple(sections))


def _summary(claims: Sequence[Claim]) -> str:
    decided = [o.held for claim in claims for o in claim.outcomes.values() if o.held is not None]
    return (
        f"What the document finds, and whether it holds here: {sum(decided)} of {len(decided)} held. "
        "The collections are not those of the document, so none of its numbers has to come out again."
    )


def _part(record: Record) -> Iterator[Section]:
    """The tables and figures of a part, the first of them under its title, then what the document reports."""
    places = record["places"]
    short = record["title"].partition(":")[0]
    titles = iter([record["title"]])
    sentences = iter([tuple(record["sentences"])])
    for entry in record["tables"].values():
        words = [*next(sentences, ()), *filter(None, [entry["caption"]])]
        if len(entry["rows"]) > MOST_ROWS:
            words.append(
                f"The first {MOST_ROWS} of {len(entry['rows'])} rows; {entry['files'][-1]} has them all."
            )
        yield Section(next(titles, short), tuple(words), table_of(entry), places=places)
    for entry in record["figures"].values():
        picture = next(file for file in entry["files"] if file.endswith(".svg"))
        words = [*next(sentences, ()), entry["caption"]]
        yield Section(next(titles, short), tuple(words), picture=picture)
    for entry in record["reported"]:
        yield Section(
            f"{short}, as the document reports it", (entry["caption"],), table_of(entry), places=places
        )


def table_of(entry: Mapping[str, Any]) -> Table:
    """A table from the numbers of a part; of a long one, the first rows."""
    rows = [[float("nan") if cell is None else cell for cell in row] for row in entry["rows"][:MOST_ROWS]]
    return Table(entry["headers"], rows, {(row, column) for row, column in entry["best"] if row < MOST_ROWS})
