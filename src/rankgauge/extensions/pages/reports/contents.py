"""The sections of a report in Markdown and on the screen, one function for each.

The web page shows the same campaign as the explorer does; here it is put into sentences and tables, short
enough for the comment of a pull request.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankgauge.comparison import Comparison, compare
from rankgauge.comparison.result import ESSENTIAL, MARGINAL
from rankgauge.extensions.pages.explorer.summary import summary_sentences
from rankgauge.extensions.pages.explorer.views.about import short_command
from rankgauge.extensions.pages.explorer.views.curves import default_measures
from rankgauge.model import notes
from rankgauge.model.curves import IDEAL
from rankgauge.model.output.documents import Section
from rankgauge.model.output.tables import Cell, Table, printable
from rankgauge.model.score_cells import lower_notes
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from rankgauge.campaigns.campaign import Campaign
    from rankgauge.campaigns.registry import Study
    from rankgauge.extensions.pages.explorer import Session
    from rankgauge.model.curves import Curves
    from rankgauge.model.scores import Scores

MAX_RUNS = 40  # rows of a table
HARDEST = 10  # topics listed as the hardest
RANKS = (1, 5, 10, 20, 50)  # of the table of curves, and the last rank
MAX_COLUMNS = 8  # runs as columns of a table, or that are compared by every measure
MAX_SOURCES = 20  # files of runs that are listed


@dataclass(frozen=True)
class Results:
    """The results that sections share, each computed once."""

    session: Session

    @cached_property
    def scores(self) -> Scores:
        """The scores by all measures, the best run first."""
        return self.session.campaign.scores(self.session.measures).sorted()

    @cached_property
    def summary(self) -> tuple[str, ...]:
        """The sentences that open the report."""
        return summary_sentences(self.session)

    @property
    def main(self) -> str:
        """The measure by which runs are ordered and compared."""
        return self.scores.measures[0]

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """{run: {measure: mean}}, the best run first."""
        return self.scores.mean()

    @cached_property
    def baseline(self) -> str:
        """The run that the others are compared with: the best, if nobody chose one."""
        chosen = self.session.baseline
        return self.scores.runs[0] if chosen is None else self.session.run_called(chosen)

    @property
    def shown(self) -> list[str]:
        """The runs of tables whose columns are runs: all, or the best ones and the baseline."""
        if len(self.means) <= MAX_COLUMNS:
            return list(self.means)
        return list(dict.fromkeys([*list(self.means)[:3], self.baseline]))

    @cached_property
    def curves(self) -> Curves:
        """The measures to show at every rank."""
        measures, depth = default_measures(self.session), self.session.depth
        return self.session.campaign.only(self.shown).curves(measures, depth=depth)

    @cached_property
    def comparison(self) -> Comparison:
        """The comparison of runs with the baseline: by every measure, or by the first if runs are many."""
        some = self.scores if len(self.means) <= MAX_COLUMNS else self.scores.only(measures=[self.main])
        return compare(some, baseline=self.baseline)


def summary(r: Results) -> Iterator[Section]:
    """Who is best, by how much and whether that is more than chance, and what to be careful about."""
    yield Section("Summary", r.summary)


def means(r: Results) -> Iterator[Section]:
    """The means of all measures, the best run first."""
    rows: list[Sequence[Cell]] = [[run, *mean.values()] for run, mean in r.means.items()]
    best = {(row, column + 1) for row, column in r.scores.best()}
    table = Table(("run", *r.scores.measures), rows, best)
    note = (
        f"Means over topics, ordered by {r.session.labels(r.main)}; the best value of each column is marked."
    )
    correction = [f"{r.scores.correction}."] if r.scores.correction else []
    lower = lower_notes({r.session.labels(text): r.scores.direction(text) for text in r.scores.measures})
    yield _of_best_runs(Section("Means", (note, *correction, *lower), table))


def _of_best_runs(section: Section) -> Section:
    """The section with the first rows of its table, and a sentence if there are more."""
    rows = list(section.table.rows) if section.table else []
    if section.table is None or len(rows) <= MAX_RUNS:
        return section
    best = {(row, column) for row, column in section.table.best if row < MAX_RUNS}
    note = f"The table has the {MAX_RUNS} best runs of {len(rows)}."
    table = section.table._replace(rows=rows[:MAX_RUNS], best=best)
    return replace(section, table=table, sentences=(*section.sentences, note))


def differences(r: Results) -> Iterator[Section]:
    """Comparison with the baseline by every measure, or by the first if there are many runs."""
    others = [run for run in r.means if run != r.baseline]
    if not others:
        return
    columns = (
        "w/t/l: topics won, tied and lost; practical: significant differences below "
        f"{MARGINAL:g} % are marginal, above {ESSENTIAL:g} % essential."
    )
    for place, compared in enumerate(r.comparison.compared):
        by_means = tuple(sorted(compared.pairs, key=lambda pair: others.index(pair.run)))
        section = r.comparison.section(replace(compared, pairs=by_means), most=len(by_means))
        labels = r.session.labels
        title = f"Against {labels(r.baseline)}"
        title = title if not place else f"{title}, by {labels(compared.measure)}"
        sentences = (*section.sentences, *([columns] if not place else []))
        yield _of_best_runs(replace(section, title=title, sentences=sentences))


def curves(r: Results) -> Iterator[Section]:
    """The measures by rank, with the ideal."""
    average, best = r.curves.mean(), r.curves.mean_ideal()
    rows: list[Sequence[Cell]] = [
        [measure, rank, *(average[run][measure][rank - 1] for run in r.shown), best[measure][rank - 1]]
        for measure in r.curves.measures
        for rank in (*(rank for rank in RANKS if rank < r.curves.depth), r.curves.depth)
    ]
    note = (
        f"Means over topics at ranks 1 to {r.curves.depth}; "
        "the ideal is the best possible ranking by the judgments."
    )
    others = "The table has the best runs and the baseline." if len(r.shown) < len(r.means) else ""
    yield Section(
        "By rank", tuple(filter(None, (note, others))), Table(("measure", "rank", *r.shown, IDEAL), rows)
    )


def hardest(r: Results) -> Iterator[Section]:
    """The topics with the lowest means over all runs."""
    sign = r.scores.direction(r.main) or 1
    values = r.scores.only(measures=[r.main]).to_dict()
    rows: list[tuple[float, list[Cell]]] = []
    for topic in r.scores.topics:
        known = {
            run: by_topic[r.main][topic]
            for run, by_topic in values.items()
            if not math.isnan(by_topic[r.main].get(topic, math.nan))
        }
        if known:
            mean = math.fsum(known.values()) / len(known)
            top = max(known, key=lambda run: sign * known[run])
            rows.append((sign * mean, [topic, mean, top, known[top]]))
    rows.sort(key=lambda entry: entry[0])
    yield Section(
        "Hardest topics",
        (
            f"The topics with the worst mean {r.session.labels(r.main)} over all runs, "
            "and the best run for each.",
        ),
        Table(("topic", "mean", "best run", "its value"), [row for _, row in rows[:HARDEST]]),
    )


def notes_section(r: Results) -> Iterator[Section]:
    """Notes on the data and advice on reading the results, without those of the summary."""
    sentences = (*r.scores.data_notes, *notes.advice(r.scores.provenance))
    others = [each for each in sentences if printable(each) not in r.summary[-1]]
    if others:
        yield Section("Notes and advice", tuple(f"{each}." for each in others))


def provenance(r: Results) -> Iterator[Section]:
    """Inputs, definitions, rules and versions."""
    provenance = r.scores.provenance
    sources = [(f"run {run}", facts.source) for run, facts in provenance.runs.items()]
    more = len(sources) - MAX_SOURCES
    command = short_command(r.session)
    rows: list[Sequence[Cell]] = [
        ("judgments", provenance.qrels.source),
        ("topics", str(len(r.scores.topics))),
        ("judged documents", str(provenance.qrels.judgments or "")),
        *sources[:MAX_SOURCES],
        *([("runs", f"{more} more")] if more > 0 else []),
        *((name, str(value)) for name, value in provenance.choices.items()),
        *((measure, f"{about.title}: {about.formula}") for measure, about in provenance.measures.items()),
        *((name, str(version)) for name, version in provenance.versions.items()),
        *([("command", command)] if command else []),
    ]
    yield Section("Provenance", (), Table(("item", "value"), rows))


def left_out(r: Results) -> Iterator[Section]:
    """The parts of the page that Markdown leaves out."""
    cells = len(r.scores.runs) * len(r.scores.topics)
    values = counted(cells, "value")
    many = len(r.means) > MAX_COLUMNS
    other = " the comparison by the other measures," if many and len(r.scores.measures) > 1 else ""
    yield Section(
        "Left out",
        (
            f"The {values} of topics by each measure,{other} rankings and figures are in the HTML report; "
            "rankgauge evaluate -q lists the values.",
        ),
    )


SECTIONS = (summary, means, differences, curves, hardest, notes_section, provenance)


def study_sections(
    requested: Iterable[Study], campaign: Campaign, options: Mapping[str, Any]
) -> Iterator[Section]:
    """The findings of studies, which share some options with the report; long tables are cut off."""
    for study in requested:
        for section in study.call(campaign, **study.shared(options)).document().sections:
            yield replace(section, title=f"{study.title}: {section.title}")


def sections(r: Results) -> tuple[Section, ...]:
    """All sections, in reading order."""
    made = tuple(section for make in SECTIONS for section in make(r))
    return (*made, *r.session.findings, *left_out(r))


def shortened(text: str, most: int) -> str:
    """The lines of a text that fit into so many characters, with a sentence if there are more."""
    if len(text) <= most:
        return text
    note = "\n\nThe rest is left out: the report is too long. The HTML report has it all.\n"
    return (text[: max(0, most - len(note))].rpartition("\n")[0] + note)[:most]
