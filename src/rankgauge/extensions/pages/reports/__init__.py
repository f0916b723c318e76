"""Reports on runs: a single web page to share, or Markdown for a pull request.

report("qrels.txt", "runs/*.run").save("report.html")
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.registry import STUDIES
from rankgauge.comparison import Comparison, compare
from rankgauge.comparison.result import ESSENTIAL, MARGINAL
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.views.about import provenance_of
from rankgauge.extensions.pages.explorer.views.curves import default_measures
from rankgauge.extensions.pages.explorer.views.headlines import summary_sentences
from rankgauge.extensions.pages.explorer.views.topics import mean_and_spread
from rankgauge.extensions.pages.reports.participants import MADE_BY, Board, write_participants
from rankgauge.measures import parse_all
from rankgauge.measures.language import several
from rankgauge.model import notes, validation
from rankgauge.model.curves import IDEAL
from rankgauge.model.output.documents import Document, Section, document_lines, labelled
from rankgauge.model.output.tables import Cell, Table, printable
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import Reading
from rankgauge.model.score_cells import lower_notes
from rankgauge.schema.options import choice
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from rankgauge.campaigns.registry import Study
    from rankgauge.model.curves import Curves
    from rankgauge.model.output.labels import LabelsLike
    from rankgauge.model.scores import Scores

__all__ = ["FORMS", "MADE_BY", "PROFILES", "Report", "form_of", "report"]

FORMS = {"html": (".html", ".htm"), "md": (".md",)}  # formats and their file extensions
MAX_RUNS = 40  # rows of a table
HARDEST = 10  # topics listed as the hardest
RANKS = (1, 5, 10, 20, 50)  # of the table of curves, and the last rank
MAX_COLUMNS = 8  # runs as columns of a table, or that are compared by every measure
MAX_SOURCES = 20  # files of runs that are listed
MAX_CHARACTERS = 60_000  # of Markdown; GitHub takes 65,536 in a comment


def report(
    qrels: Any,
    runs: Any,
    measures: Any = None,
    *,
    profile: str = "adhoc",
    baseline: str | None = None,
    studied: Iterable[str] = (),
    title: str = "",
    command: str = "",
    labels: LabelsLike = None,
    documents: Any = None,
    topics: Any = None,
    by: Any = None,
    **options: Any,
) -> Report:
    """A report on runs: the explorer's page with the data inside, or Markdown.

    `profile` is one of PROFILES and sets the default measures; runs are ordered and compared by the first
    measure. `baseline` is the run to compare the others with (default: the best). `studied` names studies of
    `rankgauge.studies`, whose findings come at the end; they study the `measures`, if any are given, and have
    the same baseline. `labels` are other names of runs, measures and topics. `documents` and `topics` are
    files of titles and texts, or dicts {id: text}; `by` has attributes of topics, whose segments are compared
    by the first measure. The other options are those of `rankgauge.evaluate`.
    """
    chosen = PROFILES[choice("profile", profile, PROFILES)]
    requested = [STUDIES.find(name) for name in dict.fromkeys(studied)]
    reading = {"format": options.pop("run_format", None), "columns": options.pop("run_columns", None)}
    inputs = resolve_runs(runs, Reading(run_format=reading["format"], run_columns=reading["columns"]))
    for study in requested:
        study.require_runs(len(inputs))
    if baseline is not None:
        choice("baseline", baseline, (run.name for run in inputs))
    wanted = parse_all((measures is not None and several(measures)) or chosen.measures)
    by_subtopic = any(measure.spec.needs.subtopics for measure in (*wanted, *parse_all(chosen.curves)))
    by_subtopic = by_subtopic or any(study.needs_subtopics for study in requested)
    campaign = Campaign(qrels, inputs, by_subtopic=by_subtopic, **options)
    size = f"{counted(len(campaign.runs), 'run')} and {counted(len(campaign.topics), 'topic')}"
    shared = {"measures": wanted if measures else None, "baseline": baseline}
    session = Session(
        campaign,
        wanted,
        baseline=baseline,
        documents=documents,
        topics=topics,
        labels=labels,
        title=title or f"Report on {size}",
        command=command,
        curves=chosen.curves,
        depth=chosen.depth,
        findings=tuple(study_sections(requested, campaign, shared)),
        by=by,
    )
    return Report(session, tuple(inputs), reading)


def form_of(path: str | os.PathLike[str]) -> str:
    """The format by the extension of a file."""
    for form, extensions in FORMS.items():
        if os.fspath(path).lower().endswith(extensions):
            return form
    raise OptionError(f"cannot infer the format of a report from {os.fspath(path)}; use .html or .md")


@dataclass(frozen=True, repr=False)
class Report:
    """A report on the campaign of a session: a web page or Markdown."""

    session: Session
    inputs: tuple[RunInput, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)  # the format and the columns of runs

    @cached_property
    def document(self) -> Document:
        """The sentences and tables."""
        made = Document(self.session.title, sections(Results(self.session)))
        names, texts = self.session.measure_name, self.session.measures
        others = self.session.labels.by_name or [*map(names, texts)] != [*texts]
        return labelled(made, names) if others else made

    def html(self) -> str:
        """A self-contained web page."""
        from rankgauge.extensions.pages.explorer.page import page

        return page(self.session)

    def markdown(self) -> str:
        """Markdown, short enough for a pull request."""
        text = "".join(f"{line}\n" for line in document_lines(self.document, "markdown"))
        return shortened(text, MAX_CHARACTERS)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a web page (.html) or Markdown (.md), atomically."""
        from rankgauge.formats.target import write_text

        write_text(path, self.html() if form_of(path) == "html" else self.markdown())

    def participants(self, directory: str | os.PathLike[str]) -> list[str]:
        """Write a page for each run to hand out, and an index; the paths written, the index first."""
        return write_participants(Board(self.session, self.checked), directory)

    @cached_property
    def checked(self) -> dict[str, validation.Report]:
        """{run: the report on its file}, without runs in memory."""
        qrels = self.session.campaign.qrels
        judged = qrels if isinstance(qrels, Qrels) else None
        return {
            run.name: validation.validate(run.file.path, judged, "run", **self.reading)
            for run in self.inputs
            if run.file is not None
        }

    def __repr__(self) -> str:
        return "\n".join(document_lines(self.document))


@dataclass(frozen=True)
class Profile:
    """The default contents of a report."""

    title: str
    measures: str  # runs are ordered and compared by the first
    curves: str  # measures to show by rank
    depth: int


PROFILES = {
    "adhoc": Profile("ad hoc search, judged in depth", "nDCG@10 AP P@10 RR Bpref R@1000", "nDCG P R", 100),
    "web": Profile(
        "web search, graded judgments, early precision", "nDCG@10 ERR@20 RBP P@10 RR Judged@10", "nDCG P", 20
    ),
    "diversity": Profile(
        "web search with subtopics", "alpha_nDCG@20 ERR_IA@20 StRecall@20 nDCG@10", "alpha_nDCG", 20
    ),
    "passage": Profile(
        "passages for question answering and retrieval-augmented generation",
        "RR@10 nDCG@10 R@100 R@1000 Success@5 Judged@10",
        "R nDCG",
        100,
    ),
}


@dataclass(frozen=True)
class Results:
    """Results that sections share, each computed once."""

    session: Session

    @cached_property
    def scores(self) -> Scores:
        """Scores by all measures, the best run first."""
        return self.session.campaign.scores(self.session.measures).sorted()

    @cached_property
    def summary(self) -> tuple[str, ...]:
        """The opening sentences."""
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
        """The run to compare with, by default the best."""
        return self.session.reference(self.session.standing())

    @property
    def shown(self) -> list[str]:
        """The runs in columns of tables: all, or the best and the baseline."""
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
        """Runs against the baseline: by every measure, or by the first if runs are many."""
        some = self.scores if len(self.means) <= MAX_COLUMNS else self.scores.only(measures=[self.main])
        return compare(some, baseline=self.baseline)


def summary(r: Results) -> Iterator[Section]:
    """Who is best, by how much, whether by more than chance, and cautions."""
    yield Section("Summary", r.summary)


def means(r: Results) -> Iterator[Section]:
    """Means of all measures, the best run first."""
    rows: list[Sequence[Cell]] = [[run, *mean.values()] for run, mean in r.means.items()]
    best = {(row, column + 1) for row, column in r.scores.best()}
    table = Table(("run", *r.scores.measures), rows, best)
    by = r.session.measure_name(r.main)
    note = f"Means over topics, ordered by {by}; the best value of each column is marked."
    correction = [f"{r.scores.correction}."] if r.scores.correction else []
    lower = lower_notes(
        {r.session.measure_name(text): r.scores.direction(text) for text in r.scores.measures}
    )
    yield _of_best_runs(Section("Means", (note, *correction, *lower), table))


def _of_best_runs(section: Section) -> Section:
    rows = list(section.table.rows) if section.table else []
    if section.table is None or len(rows) <= MAX_RUNS:
        return section
    best = {(row, column) for row, column in section.table.best if row < MAX_RUNS}
    note = f"The table has the {MAX_RUNS} best runs of {len(rows)}."
    table = section.table._replace(rows=rows[:MAX_RUNS], best=best)
    return replace(section, table=table, sentences=(*section.sentences, note))


def differences(r: Results) -> Iterator[Section]:
    """Runs against the baseline."""
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
        title = title if not place else f"{title}, by {r.session.measure_name(compared.measure)}"
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
    standing = r.session.standing()
    names, runs, way = standing.scores.topics, standing.scores.runs, standing.direction or 1
    values, (average, _) = standing.values, mean_and_spread(standing.values)
    rows: list[Sequence[Cell]] = []
    for place in np.argsort(way * average, kind="stable")[:HARDEST].tolist():
        if not math.isnan(average[place]):
            top = int(np.nanargmax(way * values[:, place]))
            rows.append([names[place], float(average[place]), runs[top], float(values[top, place])])
    measure = r.session.measure_name(r.main)
    note = f"The topics with the worst mean {measure} over all runs, and the best run for each."
    yield Section("Hardest topics", (note,), Table(("topic", "mean", "best run", "its value"), rows))


def notes_section(r: Results) -> Iterator[Section]:
    """Notes and advice beyond those of the summary."""
    sentences = (*r.scores.data_notes, *notes.advice(r.scores.provenance))
    others = [each for each in sentences if printable(each) not in r.summary[-1]]
    if others:
        yield Section("Notes and advice", tuple(f"{each}." for each in others))


def provenance(r: Results) -> Iterator[Section]:
    """Inputs, definitions, rules and versions."""
    groups = provenance_of(r.session, r.scores)
    sources = [(f"run {run}", source) for run, source in groups.pop("Runs")]
    rows = [
        *groups.pop("Data"),
        *sources[:MAX_SOURCES],
        *(item for items in groups.values() for item in items),
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
    """Findings of studies, which share some options with the report; long tables are cut."""
    for study in requested:
        for section in study.call(campaign, **study.shared(options)).document().sections:
            yield replace(section, title=f"{study.title}: {section.title}")


def sections(r: Results) -> tuple[Section, ...]:
    """All sections, in reading order."""
    made = tuple(section for make in SECTIONS for section in make(r))
    return (*made, *r.session.findings, *left_out(r))


def shortened(text: str, most: int) -> str:
    """The lines that fit into so many characters, with a sentence if there are more."""
    if len(text) <= most:
        return text
    note = "\n\nThe rest is left out: the report is too long. The HTML report has it all.\n"
    return (text[: max(0, most - len(note))].rpartition("\n")[0] + note)[:most]
