"""The worked examples of documents as checks: one for each number that their authors print.

    for example in worked_examples.of("lecture"):
        for check, value in worked_examples.values(example):
            check.agrees(value)

Every experiment ends with such a comparison (`add_worked_examples`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from rankgauge.errors import OptionError
from rankgauge.evaluation.evaluator import curves, evaluate
from rankgauge.extensions.studies.papers.registry import Contents, Experiment, Inputs, file_name
from rankgauge.extensions.studies.simulation import examples
from rankgauge.measures import parse
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.text import are, counted, unknown_name

MEAN = "all"  # the topic under which an example has means

# {document: names of its examples}
DOCUMENTS = {
    "cumulated-gain": ("jarvelin-2002",),
    "twist": ("ferro-2016",),
    "alpha-ndcg": ("clarke-2008",),
    "q-measure": ("sakai-2006",),
    "lecture": ("lecture-sets", "lecture-ap", "lecture-ranks", "lecture-rr", "lecture-ndcg"),
}
# {(example, measure, run, topic): ranks whose last digit is cut off instead of rounded}
_CUT = {
    ("jarvelin-2002", "DCG(base=2)", "I", "1"): (6, 8),  # 10.528 is printed as 10.52, 11.217 as 11.21
    ("lecture-ap", "R", "system-1", "2"): (6, 7, 8, 9),  # 2/3 is printed as 0.66, elsewhere as 0.67
}
# Authors shorten numbers such as 3 and 0.6 where nothing is lost, so these count as 3.00 and 0.60.
_FEWEST_PLACES = 2
_PLACES = {("lecture-rr", "FirstRank(average=mean)"): 1}  # {(example, measure): places}; 7/3 is 2.3
_INEXACT = 1e-9  # far more than sums of a few numbers are off


@dataclass(frozen=True)
class Check:
    """A number that a document prints."""

    measure: str
    run: str
    topic: str  # MEAN: the mean over topics
    rank: int | None  # of a vector; None for a value without a rank
    printed: float
    places: int  # decimal places that count
    cut: bool = False  # further digits were cut off, not rounded

    @property
    def text(self) -> str:
        """The number with all places that count."""
        return f"{self.printed:.{self.places}f}"

    def agrees(self, value: float) -> bool:
        """Whether a value has the digits that are printed; halves are rounded up."""
        unit = 10.0**-self.places
        from_lower_end = value - self.printed + (0 if self.cut else unit / 2)
        return 0 <= from_lower_end + _INEXACT < unit


@dataclass(frozen=True)
class WorkedExample:
    """A worked example, with its checks as they are printed."""

    name: str
    example: examples.Example
    checks: tuple[Check, ...]


def of(document: str) -> tuple[WorkedExample, ...]:
    """The worked examples of one of the DOCUMENTS."""
    if document not in DOCUMENTS:
        raise OptionError(unknown_name("document", document, DOCUMENTS))
    loaded = {name: examples.load(name) for name in DOCUMENTS[document]}
    return tuple(
        WorkedExample(name, each, tuple(_checks(name, each.expected))) for name, each in loaded.items()
    )


def values(worked: WorkedExample) -> Iterator[tuple[Check, float]]:
    """Each check of an example, with the value that rankgauge computes."""
    example = worked.example
    for (measure, by_rank), group in groupby(
        worked.checks, key=lambda check: (check.measure, bool(check.rank))
    ):
        checks = list(group)
        text = str(parse(measure))
        judgments = example.subtopics if parse(measure).spec.needs.subtopics else example.qrels
        if by_rank:
            depth = max(check.rank or 0 for check in checks)
            vectors = curves(judgments, example.runs, measure, depth=depth).to_dict()
            for check in checks:
                yield check, vectors[check.run][text][check.topic][(check.rank or 0) - 1]
        else:
            scores = evaluate(judgments, example.runs, measure)
            by_topic, means = scores.to_dict(), scores.mean()
            for check in checks:
                mean = check.topic == MEAN
                yield check, means[check.run][text] if mean else by_topic[check.run][text][check.topic]


def _checks(name: str, expected: examples.Printed) -> Iterator[Check]:
    for measure, by_run in expected.items():
        printed = [
            (run, topic, rank, value)
            for run, by_topic in by_run.items()
            for topic, values in by_topic.items()
            for rank, value in (enumerate(values, 1) if isinstance(values, list) else [(None, values)])
        ]
        fewest = _PLACES.get((name, measure), _FEWEST_PLACES)
        places = max(fewest, *(_places(value) for *_, value in printed))
        for run, topic, rank, value in printed:
            cut = rank in _CUT.get((name, measure, run, topic), ())
            yield Check(measure, run, topic, rank, float(value), places, cut)


def _places(value: float) -> int:
    return len(f"{value}".partition(".")[2])


CUT = "cut off"  # agrees, but for the rounding of the last digit
HEADERS = ("measure", "run", "topic", "rank", "printed", "computed", "agrees")


def add_worked_examples(
    experiment: Experiment, document: str, calculations: Mapping[str, tuple[float, float]] | None = None
) -> None:
    """Add a part that compares every printed number with the computed one.

    `calculations`, {title: (value, printed)}, are of illustrations that have nothing to do with rankings.
    """

    @experiment.part("worked-examples", title="Worked examples: every printed number", cost=0.3)
    def part(given: Inputs) -> Contents:
        """Every number that the document prints for its examples."""
        worked = of(document)
        tables = {each.name: _table(each) for each in worked}
        rows = [row for table in tables.values() for row in table.rows]
        extra: list[list[Cell]] = [
            [title, printed, value, "yes" if round(value, _places(printed)) == printed else "no"]
            for title, (value, printed) in (calculations or {}).items()
        ]
        if extra:
            tables["calculations"] = Table(("number", "printed", "computed", "agrees"), extra)
        answers = [row[-1] for row in [*rows, *extra]]
        agreement = (
            f"{answers.count('yes')} of {counted(len(answers), 'printed number')} agree to the last digit"
        )
        cut = [row for row in rows if row[-1] == CUT]
        ranks: dict[str, list[str]] = {}
        for measure, run, _, rank, *_ in cut:
            ranks.setdefault(f"{measure} of {run}", []).append(str(rank))
        listed = "; ".join(f"{what} at rank {', '.join(places)}" for what, places in ranks.items())
        return Contents(
            sentences=[
                f"{agreement}{f'; {are(len(cut))} cut off there instead of rounded: {listed}' * bool(cut)}."
            ],
            tables={file_name("worked", name): table for name, table in tables.items()},
            places=4,
        )


def _table(worked: WorkedExample) -> Table:
    rows: list[list[Cell]] = [
        [
            check.measure,
            check.run,
            check.topic,
            "" if check.rank is None else check.rank,
            check.text,
            float(value),
            (CUT if check.cut else "yes") if check.agrees(value) else "no",
        ]
        for check, value in values(worked)
    ]
    return Table(HEADERS, rows, caption=f"{worked.example.title} ({worked.example.source})")
