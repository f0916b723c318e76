"""The folder of a reproduced experiment: its files, and which parts of it are done.

    tables/NAME.tex, .csv      every table, for print and for programs
    figures/NAME.pdf, .svg     every figure, and NAME.json with its data
    numbers/PART.json          all numbers of a part, with the settings they were computed by
    index.html, index.md       everything on one page
    made-with.json             commands, settings, seeds, versions, and the files that were read

The numbers of a part are written last: with the same settings and files, they mean that it is done.
"""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rankgauge._version import VERSION
from rankgauge.extensions.studies.papers.claims import RULE, VERDICTS, Outcome, corrected
from rankgauge.extensions.studies.papers.registry import Contents, Experiment, Part
from rankgauge.formats.target import make_folder, write_text
from rankgauge.model.output.documents import Document, Section, document_lines
from rankgauge.model.output.tables import Shown, Table, render
from rankgauge.schema.json_text import json_value, to_json
from rankgauge.schema.text import format_number

DIRECTORIES = ("tables", "figures", "numbers")
PLACES = (*DIRECTORIES, "index.html", "index.md", "made-with.json")  # what a folder has, and is replaced
TABLE_FORMS = {"latex": ".tex", "csv": ".csv"}
FIGURE_FORMS = (".pdf", ".svg", ".json")
LIBRARIES = ("numpy", "scipy", "altair", "vl-convert-python")
MAX_ROWS = 40  # of a table that the page shows
Record = Mapping[str, Any]  # the contents of a part, as numbers/PART.json holds them


class Folder:
    """The folder of an experiment, with everything that its results depend on."""

    def __init__(
        self,
        path: Path,
        experiment: Experiment,
        settings: Mapping[str, Any],
        inputs: Mapping[str, Any],
        command: str,
    ) -> None:
        self.path, self._experiment, self._command = path, experiment, command
        versions = {"rankgauge": VERSION, "python": platform.python_version()}
        self._facts: dict[str, Any] = {
            "experiment": experiment.name,
            "settings": dict(settings),
            "collections": json_value(inputs, other=str),
            "versions": versions | {name: version(name) for name in LIBRARIES},
        }
        self._stamp = hashlib.sha256(to_json(self._facts, compact=True).encode()).hexdigest()

    def prepare(self) -> None:
        """Make the folder, once something is to be written."""
        for name in DIRECTORIES:
            make_folder(self.path / name)

    def finished(self, part: Part) -> Record | None:
        """The contents of a part made before, in the same way, if any."""
        try:
            record: Record = json.loads((self.path / f"numbers/{part.name}.json").read_text(encoding="utf-8"))
            entries = [*record["tables"].values(), *record["figures"].values()]
            same = record["stamp"] == self._stamp
            done = same and all((self.path / file).is_file() for entry in entries for file in entry["files"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # absent, cut or changed
            return None
        return record if done else None

    def write_part(self, part: Part, contents: Contents, start: float) -> Record:
        """Write the files of a part, its numbers last; `start` is when its making began."""
        tables = {name: self._table(name, table, contents.places) for name, table in contents.tables.items()}
        figures = {}
        for name, figure in contents.figures.items():
            files = [f"figures/{name}{form}" for form in FIGURE_FORMS]
            for file in files:
                figure.save(self.path / file)
            figures[name] = {"title": figure.title, "caption": figure.caption, "files": files}
        record = {
            "part": part.name,
            "title": part.title,
            "stamp": self._stamp,
            "seconds": round(time.monotonic() - start, 1),
            "sentences": list(contents.sentences),
            "commands": list(contents.commands),
            "places": contents.places,
            "claims": list(contents.claims),
            "tables": tables,
            "figures": figures,
            "reported": list(map(_cells, contents.reported)),
        }
        write_text(self.path / f"numbers/{part.name}.json", to_json(record, indent=1, infinity="text"))
        return record

    def _table(self, name: str, table: Table, places: int) -> dict[str, Any]:
        table = table._replace(rows=list(table.rows), label=f"tab:{name}")
        files = [f"tables/{name}{extension}" for extension in TABLE_FORMS.values()]
        for form, file in zip(TABLE_FORMS, files, strict=True):
            write_text(self.path / file, render(table, form, places))
        return _cells(table) | {"files": files}

    def write_page(self, records: Sequence[Record], missing: Sequence[str]) -> Document:
        """Write the page of all parts in the folder; returns it."""
        settings = ", ".join(
            f"{name} {format_number(value) if isinstance(value, int) else value}"
            for name, value in self._facts["settings"].items()
            if name != "labels"
        )
        made = (
            f"Made by rankgauge {VERSION} with {settings}.",
            "The file made-with.json lists the versions, the files that were read, and the commands.",
        )
        page = document(self._experiment, records, [*filter(None, [self._command]), *made], missing)
        for form, file in (("html", "index.html"), ("markdown", "index.md")):
            write_text(self.path / file, "".join(f"{line}\n" for line in document_lines(page, form)))
        parts = {each["part"]: {key: each[key] for key in ("commands", "seconds")} for each in records}
        facts = {"command": self._command, **self._facts, "parts": parts}
        write_text(self.path / "made-with.json", to_json(facts, indent=1))
        return page


def _cells(table: Table) -> dict[str, Any]:
    cells = [(i, j, cell) for i, row in enumerate(table.rows) for j, cell in enumerate(row)]
    return {
        "headers": list(table.headers),
        "rows": [json_value(row, infinity="text") for row in table.rows],
        "shown": [(i, j, cell.text) for i, j, cell in cells if isinstance(cell, Shown) and cell.text],
        "best": sorted(table.best),
        "caption": table.caption,
    }


def document(
    experiment: Experiment, records: Sequence[Record], made: Sequence[str], missing: Sequence[str]
) -> Document:
    """The page: what held, each part, what is missing, and how the rest was made."""
    claims = corrected([claim for record in records for claim in record["claims"]])
    sections = [Section("Findings", (_summary(claims),), claims_table(claims))] if claims else []
    for record in records:
        sections += _part(record)
    if missing:
        sections.append(Section("What could not be made", tuple(missing)))
    sources = (experiment.help, f"The document: {experiment.cite}.")
    sections.append(Section("How this was made", (*sources, *made)))
    return Document(experiment.title, tuple(sections))


def _summary(claims: Sequence[Record]) -> str:
    outcomes = [outcome["held"] for claim in claims for outcome in claim["outcomes"].values()]
    counts = ", ".join(f"{outcomes.count(held)} {verdict}" for held, verdict in VERDICTS.items())
    return f"{counts}. {RULE}"


def claims_table(claims: Sequence[Record]) -> Table:
    """A row for each finding of the document, a column for each collection."""
    names = list(dict.fromkeys(name for claim in claims for name in claim["outcomes"]))
    rows = [[claim["claim"], *(_verdict(claim["outcomes"].get(name)) for name in names)] for claim in claims]
    return Table(("The document finds", *names), rows)


def _verdict(outcome: Record | None) -> str:
    return "–" if outcome is None else str(Outcome(**outcome))


def _part(record: Record) -> Iterator[Section]:
    places = record["places"]
    short = record["title"].partition(":")[0]
    titles = iter([record["title"]])
    sentences = iter([tuple(record["sentences"])])
    for entry in record["tables"].values():
        words = [*next(sentences, ()), *filter(None, [entry["caption"]])]
        if len(entry["rows"]) > MAX_ROWS:
            words.append(
                f"The first {MAX_ROWS} of {len(entry['rows'])} rows; {entry['files'][-1]} has them all."
            )
        yield Section(next(titles, short), tuple(words), _shown(entry), places=places)
    for entry in record["figures"].values():
        picture = next(file for file in entry["files"] if file.endswith(".svg"))
        words = [*next(sentences, ()), entry["caption"]]
        yield Section(next(titles, short), tuple(words), picture=picture)
    for entry in record["reported"]:
        yield Section(
            f"{short}, as the document reports it", (entry["caption"],), _shown(entry), places=places
        )


def _shown(entry: Record) -> Table:
    rows = [[float("nan") if cell is None else cell for cell in row] for row in entry["rows"][:MAX_ROWS]]
    for row, column, text in entry["shown"]:
        if row < MAX_ROWS:
            rows[row][column] = Shown(rows[row][column], text)
    return Table(entry["headers"], rows, {(row, column) for row, column in entry["best"] if row < MAX_ROWS})
