"""What is in a report: sections of a sheet, each made by one function from the same few results.

A section says what it shows in words first, so that the same sheet serves as a page, as Markdown for a pull
request, and to somebody who does not see the figures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison import Comparison, compare
from rankgauge.figures.figure import records
from rankgauge.figures.theme import THEME
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

MOST_ROWS = 20_000  # of the table of topics; with more runs than that allows, those at the top are in it
WORST = 10  # topics that are listed as the worst
RANKS = (1, 5, 10, 20, 50)  # of curves that are listed, and the last
BESIDE = 8  # runs beside each other in a table; of more, those that stand out
PAIR = {  # what is shown of a pair of runs, by header
    "mean": "mean",
    "difference": "difference",
    "%": "percent",
    "p": "p",
    "corrected p": "corrected",
    "effect size": "effect",
    "better": "wins",
    "same": "ties",
    "worse": "losses",
    "worth": "practical",
}
EFFORT = "Effort and gain"  # the section that has a panel
SELECTED = {
    "data": {"name": "selected"},
    "mark": {"type": "point", "size": 160, "strokeWidth": 2.5, "color": "#d55e00", "filled": False},
    "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}},
}


@dataclass(frozen=True)
class Results:
    """What a report is made from; whatever several sections need is computed once."""

    campaign: Campaign
    scores: Scores
    profile: Profile
    baseline: str
    command: str = ""

    @property
    def main(self) -> str:
        """The measure that runs are ordered and compared by."""
        return self.scores.measures[0]

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """{run: {measure: mean}}, the best run first."""
        direction = self.direction(self.main) or 1

        def place(entry: tuple[str, dict[str, float]]) -> float:
            value = entry[1][self.main]
            return math.inf if math.isnan(value) else -direction * value

        return dict(sorted(self.scores.mean().items(), key=place))

    @property
    def highlight(self) -> tuple[str, ...]:
        """The runs that stand out where there are too many: the best ones, and the baseline."""
        return tuple(dict.fromkeys([*list(self.means)[:3], self.baseline]))

    @cached_property
    def values(self) -> dict[str, dict[str, dict[str, float]]]:
        """{run: {measure: {topic: value}}}."""
        return self.scores.to_dict()

    @cached_property
    def curves(self) -> Curves:
        """The measures to be drawn, at every rank."""
        return self.campaign.curves(self.profile.curves, depth=self.profile.depth)

    @cached_property
    def effort(self) -> Scores:
        """Effort and gain of every topic of every run."""
        # the reading of a crossing under which the columns of the plot make sense
        return self.campaign.scores(["Twist(crossing=return)", self.profile.gain])

    @cached_property
    def comparison(self) -> Comparison:
        """The runs against the baseline, by the main measure."""
        return compare(self.scores, self.main, baseline=self.baseline)

    def direction(self, measure: str) -> int:
        """1 if higher is better, -1 if lower, 0 if neither."""
        direction: int = self.scores.provenance.measures.get(measure, {}).get("direction", 1)
        return direction


def summary(r: Results) -> Iterator[Section]:
    """Who is first, and how sure that is."""
    best = next(iter(r.means))
    size = f"{counted(len(r.means), 'run')} on {counted(len(r.scores.topics), 'judged topic')}"
    if math.isnan(r.means[best][r.main]):
        yield Section("Summary", (f"{size}; {r.main} is undefined for all of them.",))
        return
    place = "is first with" if len(r.means) > 1 else "has"
    said = [f"{size}; by {r.main}, {best} {place} {r.means[best][r.main]:.4f}."]
    if r.baseline != best:
        has = number(r.means[r.baseline][r.main], PLACES, undefined="no value")
        said.append(f"Runs are compared with {r.baseline}, which has {has}.")
    yield Section("Summary", tuple(said))


def means(r: Results) -> Iterator[Section]:
    """The table of means, the best run first."""
    rows: list[Sequence[Cell]] = [[run, *mean.values()] for run, mean in r.means.items()]
    order = list(r.means)
    best = {(order.index(r.scores.runs[row]), column + 1) for row, column in r.scores.best()}
    yield Section(
        "Means",
        (f"Means over topics, ordered by {r.main}; the best of each column is marked.",),
        Table(("run", *r.scores.measures), rows, best),
    )


def curves(r: Results) -> Iterator[Section]:
    """The measures of the profile by rank, with the ideal."""
    from rankgauge.figures import figures

    shown = [run for run in r.means if len(r.means) <= BESIDE or run in r.highlight]
    average, best = r.curves.mean(), r.curves.mean_ideal()
    rows: list[Sequence[Cell]] = [
        [measure, rank, *(average[run][measure][rank - 1] for run in shown), best[measure][rank - 1]]
        for measure in r.curves.measures
        for rank in (*(rank for rank in RANKS if rank < r.curves.depth), r.curves.depth)
    ]
    said = f"Averages over topics at ranks 1 to {r.curves.depth}; the ideal is the best the judgments allow."
    others = "The table has the best runs and the baseline." if len(shown) < len(r.means) else ""
    yield Section(
        "By rank",
        tuple(filter(None, (said, others))),
        Table(("measure", "rank", *shown, IDEAL), rows),
        partial(drawn, figures()["curve"], r.curves, highlight=r.highlight),
    )


def effort(r: Results) -> Iterator[Section]:
    """Effort against gain, a point for each topic of each run."""
    from rankgauge.figures import figures

    known = ~np.isnan(r.effort.values).any(axis=1)
    if not known.any():
        return
    yield Section(
        EFFORT,
        (
            "Each point is a topic of a run. Twist (by the first return of CRP) tells how little effort the "
            f"ranking cost compared with the ideal one (higher is less), {r.effort.measures[1]} how much "
            "was gained.",
        ),
        figure=partial(drawn, figures()["effort-gain"], r.effort, selectable=True, highlight=r.highlight),
    )


def differences(r: Results) -> Iterator[Section]:
    """Topic by topic against the baseline: helped, hurt, the same."""
    from rankgauge.figures import figures

    others = [run for run in r.means if run != r.baseline]
    if not others:
        return
    found = r.comparison[r.main]
    rows: list[Sequence[Cell]] = [
        [pair.run, *(getattr(pair, name) for name in PAIR.values())]
        for pair in sorted(found.pairs, key=lambda pair: others.index(pair.run))
    ]
    said = "better, same, worse: on how many topics. worth: below 5 % is marginal, above 10 % essential."
    table = Table(("run", *PAIR), rows)
    yield Section(f"Against {r.baseline}", (*r.comparison.sentences, said), table)
    best = others[0]
    yield Section(
        f"{best} against {r.baseline}",
        (f"Differences in {r.main}, topic by topic: above 0, {best} is better.",),
        figure=partial(
            drawn, figures()["differences"], r.scores.only(measures=[r.main]), run=best, baseline=r.baseline
        ),
    )


def hardest(r: Results) -> Iterator[Section]:
    """The topics on which all runs do badly."""
    sign = r.direction(r.main) or 1
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
        (f"The topics with the worst mean {r.main} over all runs, and the run that does best on each.",),
        Table(("topic", "mean", "best run", "its value"), [row for _, row in rows[:WORST]]),
    )


def topics(r: Results) -> Iterator[Section]:
    """Every topic of every run, to be sorted and searched."""
    shown = list(r.means)[: max(1, MOST_ROWS // max(1, len(r.scores.topics)))]
    rows: list[Sequence[Cell]] = [
        [run, topic, *(by_topic[topic] for by_topic in r.values[run].values())]
        for run in shown
        for topic in next(iter(r.values[run].values()), {})
    ]
    said = "All values by run and topic."
    if len(shown) < len(r.means):
        said = f"All values of the {len(shown)} best runs of {len(r.means)}, by topic."
    yield Section("Topics", (said,), Table(("run", "topic", *r.scores.measures), rows))


def notes_section(r: Results) -> Iterator[Section]:
    """What happened to the data, and what to be careful about."""
    said = (*notes.facts(r.scores.provenance), *notes.advice(r.scores.provenance))
    if said:
        yield Section("Notes and advice", tuple(f"{words}." for words in said))


def provenance(r: Results) -> Iterator[Section]:
    """What was evaluated, by which definitions and rules, with which versions."""
    provenance = r.scores.provenance
    rows: list[Sequence[Cell]] = [
        ("judgments", str(provenance.qrels.get("source", ""))),
        ("topics", str(provenance.qrels.get("topics", len(r.scores.topics)))),
        ("judged documents", str(provenance.qrels.get("judgments", ""))),
        *((f"run {run}", str(facts.get("source", ""))) for run, facts in provenance.runs.items()),
        *((name, str(value)) for name, value in provenance.options.items()),
        *(
            (measure, f"{about['title']}: {about['formula']}")
            for measure, about in provenance.measures.items()
        ),
        *((name, str(version)) for name, version in provenance.versions.items()),
        *([("command", r.command)] if r.command else []),
    ]
    yield Section("How it was made", (), Table(("what", "how"), rows))


SECTIONS = (summary, means, curves, effort, differences, hardest, topics, notes_section, provenance)


def found_by(asked: Iterable[Study], campaign: Campaign) -> Iterator[Section]:
    """What studies found, each table under the name of its study; of long tables the beginning."""
    for study in asked:
        for section in study.call(campaign).sheet().sections:
            yield replace(section, title=f"{study.title}: {section.title}")


def drawn(plot: Plot, results: Any, *, selectable: bool = False, **options: Any) -> dict[str, Any]:
    """A figure as a page takes it: light and dark, and the data and the caption that both have.

    In one that is selectable, the page can mark a point.
    """
    specs = {
        theme: plot(results, theme=theme, width="page", headed=False, **options) for theme in THEME.rules
    }
    datasets = {name: records(table) for name, table in specs["light"].data.items()}
    made: dict[str, Any] = {
        theme: {key: value for key, value in figure.spec.items() if key != "datasets"}
        for theme, figure in specs.items()
    }
    if selectable:
        datasets["selected"] = []
        for theme in THEME.rules:
            made[theme]["layer"] = [*made[theme]["layer"], SELECTED]
    return {**made, "datasets": datasets, "caption": specs["light"].caption}


def sections(r: Results) -> tuple[Section, ...]:
    """All sections, in the order in which they are read."""
    return tuple(section for make in SECTIONS for section in make(r))
