"""What a comparison is: numbers for every pair of runs, and how they came about. No verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rankgauge.comparison.corrections import CORRECTIONS, Correction
from rankgauge.comparison.registry import REGISTRY, Overall, StatisticalTest
from rankgauge.model.documents import Document
from rankgauge.model.tables import Table
from rankgauge.schema.json_text import json_value

MARGINAL, ESSENTIAL = 5.0, 10.0  # per cent: Spärck Jones 1974, as Järvelin & Kekäläinen 2002 quote her


@dataclass(frozen=True)
class Pair:
    """A run against another, by one measure, over the topics that both have. NaN is undefined."""

    run: str
    against: str
    topics: int
    mean: float  # of the run's values
    mean_against: float
    difference: float  # mean - mean_against
    percent: float  # of mean_against
    statistic: float
    p: float
    corrected: float  # p, corrected for all pairs of this measure
    effect: float  # difference in standard deviations
    low: float  # of the interval for the difference
    high: float
    wins: int  # topics on which the run is better
    ties: int
    losses: int
    method: str  # how p came about

    @property
    def practical(self) -> str:
        """What a difference of so many per cent is worth: marginal, noticeable or essential."""
        size = abs(self.percent)
        if math.isnan(size):
            return ""
        return "marginal" if size < MARGINAL else "noticeable" if size <= ESSENTIAL else "essential"

    def as_dict(self) -> dict[str, Any]:
        """All of it by name."""
        return {**asdict(self), "practical": self.practical}


@dataclass(frozen=True)
class Compared:
    """All pairs by one measure."""

    measure: str
    direction: int  # 1 if higher is better, -1 if lower is, 0 if neither
    means: Mapping[str, float]  # run -> mean over its own topics
    pairs: tuple[Pair, ...]
    overall: Overall | None = None  # whether the runs differ at all, if the test tells


@dataclass(frozen=True, repr=False)
class Comparison:
    """Runs compared pair by pair, for each measure.

    `comparison["AP"].pairs` has the numbers; `table`, `matrix` and `ranked` show them, `sentences` has what
    one would write in a paper, `document` all of it.
    """

    runs: tuple[str, ...]
    baselines: tuple[str, ...]  # what the others are compared with; empty if all are, with each other
    compared: tuple[Compared, ...]
    test: str
    correction: str
    alpha: float
    samples: int | None  # None where nothing is random
    seed: int | None
    versions: Mapping[str, str]
    remarks: tuple[str, ...] = ()  # what became of topics and values

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures by which runs are compared."""
        return tuple(each.measure for each in self.compared)

    def __getitem__(self, measure: str) -> Compared:
        for each in self.compared:
            if each.measure == measure:
                return each
        raise KeyError(measure)

    @property
    def statistical_test(self) -> StatisticalTest:
        """The record of the test."""
        return REGISTRY[self.test]

    @property
    def corrected_by(self) -> Correction:
        """The record of the correction."""
        return CORRECTIONS[self.correction]

    def table(self) -> Table:
        """A row for every measure and pair, with every number."""
        rows = [[each.measure, *pair.as_dict().values()] for each in self.compared for pair in each.pairs]
        return Table(("measure", *_PAIR), rows)

    def matrix(self, measure: str | None = None) -> Table:
        """Differences of rows less columns, with stars; of the first measure, unless another is given."""
        from rankgauge.comparison import report

        return report.matrix(self, self[measure or self.measures[0]])

    def ranked(self) -> Table:
        """Runs by their means, with the letters of the runs that each is significantly better than."""
        from rankgauge.comparison import report

        return report.ranked(self)

    def notation(self, measure: str | None = None) -> str:
        """Such as `D, E > A**`: which runs are significantly better than which."""
        from rankgauge.comparison import notation

        return notation.outcome(self[measure or self.measures[0]], self.alpha)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What one would write in a paper, a sentence for each measure."""
        from rankgauge.comparison import report

        return tuple(report.sentence(self, each) for each in self.compared)

    @property
    def notes(self) -> tuple[str, ...]:
        """What became of topics and values, and advice on reading the numbers."""
        from rankgauge.comparison import report

        return self.remarks + report.counsel(self)

    def document(self, places: int = 4, *, notes: bool = True) -> Document:
        """All of it for reading, with or without notes."""
        from rankgauge.comparison import report

        return report.document(self, places, notes=notes)

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain dicts, as JSON takes it; undefined is None."""
        settings = ("runs", "baselines", "test", "correction", "alpha", "samples", "seed")
        found = {
            **{name: getattr(self, name) for name in settings},
            "versions": dict(self.versions),
            "measures": [
                {
                    "measure": each.measure,
                    "means": dict(each.means),
                    "overall": asdict(each.overall) if each.overall else None,
                    "pairs": [pair.as_dict() for pair in each.pairs],
                    "outcome": self.notation(each.measure),
                }
                for each in self.compared
            ],
            "sentences": self.sentences,
            "notes": self.notes,
        }
        plain: dict[str, Any] = json_value(found)
        return plain

    def __repr__(self) -> str:
        from rankgauge.model.documents import document_lines

        return "\n".join(document_lines(self.document()))

    def _repr_html_(self) -> str:
        from rankgauge.model.documents import body

        return "\n".join(body(self.document()))


_PAIR = (*Pair.__dataclass_fields__, "practical")
