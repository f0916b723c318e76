"""The sections of a report, one function for each.

A section begins with sentences on what it shows, so that the same document serves as a web page, as Markdown
for a pull request, and for readers who cannot see the figures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison import Comparison, compare, report
from rankgauge.comparison.notation import ESSENTIAL, MARGINAL
from rankgauge.figures.figure import records
from rankgauge.figures.theme import THEME
from rankgauge.figures.views import plots_of
from rankgauge.model import notes
from rankgauge.model.curves import IDEAL
from rankgauge.model.documents import Section
from rankgauge.model.tables import PLACES, Cell, Table, number
from rankgauge.reports.profiles import Profile
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from rankgauge.figures import Plot
    from rankgauge.model.curves import Curves
    from rankgauge.model.scores import Scores
    from rankgauge.studies import Study
    from rankgauge.studies.campaign import Campaign

MAX_ROWS = 20_000  # of the table of topics; with more, only the best runs are in it
HARDEST = 10  # topics listed as the hardest
RANKS = (1, 5, 10, 20, 50)  # of the table of curves, and the last rank
MAX_COLUMNS = 8  # runs as columns of a table; of more, only the highlighted ones
SELECTED = {  # the layer that marks the selected point
    "data": {"name": "selected"},
    "mark": {"type": "point", "size": 160, "strokeWidth": 2.5, "color": "#d55e00", "filled": False},
    "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}},
}


@dataclass(frozen=True)
class Results:
    """The results that sections share, each computed once."""

    campaign: Campaign
    scores: Scores
    profile: Profile
    baseline: str
    command: str = ""

    @property
    def main(self) -> str:
        """The measure by which runs are ordered and compared."""
        return self.scores.measures[0]

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """{run: {measure: mean}}, the best run first."""
        direction = self.scores.direction(self.main) or 1

        def place(entry: tuple[str, dict[str, float]]) -> float:
            value = entry[1][self.main]
            return math.inf if math.isnan(value) else -direction * value

        return dict(sorted(self.scores.mean().items(), key=place))

    @property
    def highlight(self) -> tuple[str, ...]:
        """The runs to highlight if there are too many: the best ones and the baseline."""
        return tuple(dict.fromkeys([*list(self.means)[:3], self.baseline]))

    @cached_property
    def values(self) -> dict[str, dict[str, dict[str, float]]]:
        """{run: {measure: {topic: value}}}."""
        return self.scores.to_dict()

    @cached_property
    def curves(self) -> Curves:
        """The measures of the profile at every rank."""
        return self.campaign.curves(self.profile.curves, depth=self.profile.depth)

    @cached_property
    def effort(self) -> Scores:
        """Effort and gain for every topic of every run."""
        return self.campaign.scores(["Twist", self.profile.gain])

    @cached_property
    def comparison(self) -> Comparison:
        """The comparison of runs with the baseline, by the main measure."""
        return compare(self.scores, self.main, baseline=self.baseline)


def summary(r: Results) -> Iterator[Section]:
    """Which run is best, and the baseline."""
    best = next(iter(r.means))
    size = f"{counted(len(r.means), 'run')} on {counted(len(r.scores.topics), 'judged topic')}"
    if math.isnan(r.means[best][r.main]):
        yield Section("Summary", (f"{size}; {r.main} is undefined for all of them.",))
        return
    verb = "is first with" if len(r.means) > 1 else "has"
    sentences = [f"{size}; by {r.main}, {best} {verb} {r.means[best][r.main]:.4f}."]
    if r.baseline != best:
        value = number(r.means[r.baseline][r.main], PLACES, undefined="no value")
        sentences.append(f"Runs are compared with {r.baseline}, which has {value}.")
    yield Section("Summary", tuple(sentences))


def means(r: Results) -> Iterator[Section]:
    """The means of all measures, the best run first."""
    rows: list[Sequence[Cell]] = [[run, *mean.values()] for run, mean in r.means.items()]
    order = list(r.means)
    best = {(order.index(r.scores.runs[row]), column + 1) for row, column in r.scores.best()}
    yield Section(
        "Means",
        (f"Means over topics, ordered by {r.main}; the best value of each column is marked.",),
        Table(("run", *r.scores.measures), rows, best),
    )


def curves(r: Results) -> Iterator[Section]:
    """The measures of the profile by rank, with the ideal."""
    from rankgauge.figures.registry import FIGURES

    shown = [run for run in r.means if len(r.means) <= MAX_COLUMNS or run in r.highlight]
    average, best = r.curves.mean(), r.curves.mean_ideal()
    rows: list[Sequence[Cell]] = [
        [measure, rank, *(average[run][measure][rank - 1] for run in shown), best[measure][rank - 1]]
        for measure in r.curves.measures
        for rank in (*(rank for rank in RANKS if rank < r.curves.depth), r.curves.depth)
    ]
    note = (
        f"Means over topics at ranks 1 to {r.curves.depth}; "
        "the ideal is the best possible ranking by the judgments."
    )
    others = "The table has the best runs and the baseline." if len(shown) < len(r.means) else ""
    yield Section(
        "By rank",
        tuple(filter(None, (note, others))),
        Table(("measure", "rank", *shown, IDEAL), rows),
        partial(embed, FIGURES["curve"], r.curves, highlight=r.highlight),
    )


def effort(r: Results) -> Iterator[Section]:
    """Effort against gain, a point for each topic of each run."""
    from rankgauge.figures.registry import FIGURES

    known = ~np.isnan(r.effort.values).any(axis=1)
    if not known.any():
        return
    yield Section(
        "Effort and gain",
        (
            "Each point is a topic of a run. Twist measures how little effort a "
            f"ranking takes compared with the ideal one (higher is less effort); {r.effort.measures[1]} "
            "measures the gain.",
        ),
        figure=partial(embed, FIGURES["effort-gain"], r.effort, selectable=True, highlight=r.highlight),
    )


def differences(r: Results) -> Iterator[Section]:
    """Comparison with the baseline: a table of all runs, and topics for the best one."""
    from rankgauge.figures.registry import FIGURES

    others = [run for run in r.means if run != r.baseline]
    if not others:
        return
    compared = r.comparison[r.main]
    by_means = tuple(sorted(compared.pairs, key=lambda pair: others.index(pair.run)))
    section = report.section(r.comparison, replace(compared, pairs=by_means), most=len(by_means))
    columns = (
        "w/t/l: topics won, tied and lost; practical: significant differences below "
        f"{MARGINAL:g} % are marginal, above {ESSENTIAL:g} % essential."
    )
    yield replace(section, title=f"Against {r.baseline}", sentences=(*section.sentences, columns))
    best, side = others[0], "below" if compared.direction < 0 else "above"
    yield Section(
        f"{best} against {r.baseline}",
        (f"Differences in {r.main}, topic by topic: {side} 0, {best} is better.",),
        figure=partial(
            embed, FIGURES["differences"], r.scores.only(measures=[r.main]), run=best, baseline=r.baseline
        ),
    )


def hardest(r: Results) -> Iterator[Section]:
    """The topics with the lowest means over all runs."""
    sign = r.scores.direction(r.main) or 1
    rows: list[tuple[float, list[Cell]]] = []
    for topic in r.scores.topics:
        known = {
            run: values[r.main][topic]
            for run, values in r.values.items()
            if not math.isnan(values[r.main].get(topic, math.nan))
        }
        if known:
            mean = math.fsum(known.values()) / len(known)
            top = max(known, key=lambda run: sign * known[run])
            rows.append((sign * mean, [topic, mean, top, known[top]]))
    rows.sort(key=lambda entry: entry[0])
    yield Section(
        "Hardest topics",
        (f"The topics with the worst mean {r.main} over all runs, and the best run for each.",),
        Table(("topic", "mean", "best run", "its value"), [row for _, row in rows[:HARDEST]]),
    )


def topics(r: Results) -> Iterator[Section]:
    """Every topic of every run, in a table to sort and search."""
    shown = list(r.means)[: max(1, MAX_ROWS // max(1, len(r.scores.topics)))]
    rows: list[Sequence[Cell]] = [
        [run, topic, *(by_topic[topic] for by_topic in r.values[run].values())]
        for run in shown
        for topic in next(iter(r.values[run].values()), {})
    ]
    note = "All values by run and topic."
    if len(shown) < len(r.means):
        note = f"All values of the {len(shown)} best runs of {len(r.means)}, by topic."
    yield Section("Topics", (note,), Table(("run", "topic", *r.scores.measures), rows))


def notes_section(r: Results) -> Iterator[Section]:
    """Notes on the data and advice on reading the results."""
    sentences = (*notes.on_data(r.scores.provenance), *notes.advice(r.scores.provenance))
    if sentences:
        yield Section("Notes and advice", tuple(f"{sentence}." for sentence in sentences))


def provenance(r: Results) -> Iterator[Section]:
    """Inputs, definitions, rules and versions."""
    provenance = r.scores.provenance
    rows: list[Sequence[Cell]] = [
        ("judgments", provenance.qrels.source),
        ("topics", str(len(r.scores.topics))),
        ("judged documents", str(provenance.qrels.judgments or "")),
        *((f"run {run}", facts.source) for run, facts in provenance.runs.items()),
        *((name, str(value)) for name, value in provenance.choices.items()),
        *((measure, f"{about.title}: {about.formula}") for measure, about in provenance.measures.items()),
        *((name, str(version)) for name, version in provenance.versions.items()),
        *([("command", r.command)] if r.command else []),
    ]
    yield Section("Provenance", (), Table(("item", "value"), rows))


SECTIONS = (summary, means, curves, effort, differences, hardest, topics, notes_section, provenance)


def study_sections(
    requested: Iterable[Study], campaign: Campaign, options: Mapping[str, Any]
) -> Iterator[Section]:
    """The findings of studies, which share some options with the report; long tables are cut off."""
    for study in requested:
        for section in study.call(campaign, **study.shared(options)).document().sections:
            yield replace(section, title=f"{study.title}: {section.title}")


def embed(plot: Plot, results: Any, *, selectable: bool = False, **options: Any) -> dict[str, Any]:
    """A figure for the page: its light and dark specifications, with the data and caption they share.

    If it is selectable, the page can mark a point.
    """
    themed = {
        theme: plot(results, theme=theme, width="page", headed=False, **options) for theme in THEME.rules
    }
    datasets = {name: records(table) for name, table in themed["light"].data.items()}
    specs: dict[str, Any] = {
        theme: {key: value for key, value in figure.spec.items() if key != "datasets"}
        for theme, figure in themed.items()
    }
    if selectable:
        datasets["selected"] = []
        for theme in THEME.rules:
            plot_of_points = plots_of(specs[theme])[0]
            plot_of_points["layer"] = [*plot_of_points["layer"], SELECTED]
    return {**specs, "datasets": datasets, "caption": themed["light"].caption}


def sections(r: Results) -> tuple[Section, ...]:
    """All sections, in reading order."""
    return tuple(section for make in SECTIONS for section in make(r))
