"""A comparison as people hold it: the numbers, with methods that show them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rankgauge.comparison import notation, report
from rankgauge.comparison.result import ComparisonResult, Pair
from rankgauge.model.documents import Document, body, written
from rankgauge.model.tables import Table


@dataclass(frozen=True, repr=False)
class Comparison(ComparisonResult):
    """Runs compared pair by pair, for each measure.

    `comparison["AP"].pairs` has the numbers; `table`, `matrix` and `ranked` show them, `sentences` has what
    one would write in a paper, `sheet` all of it.
    """

    def table(self) -> Table:
        """A row for every measure and pair, with every number."""
        rows = [[each.measure, *pair.as_dict().values()] for each in self.compared for pair in each.pairs]
        return Table(("measure", *_PAIR), rows)

    def matrix(self, measure: str | None = None) -> Table:
        """Differences of rows less columns, with stars; of the first measure, unless another is given."""
        return report.matrix(self, self[measure or self.measures[0]])

    def ranked(self) -> Table:
        """Runs by their means, with the letters of the runs that each is significantly better than."""
        return report.ranked(self)

    def notation(self, measure: str | None = None) -> str:
        """Such as `D, E > A**`: which runs are significantly better than which."""
        return notation.outcome(self[measure or self.measures[0]], self.alpha)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What one would write in a paper, a sentence for each measure."""
        return tuple(report.sentence(self, each) for each in self.compared)

    @property
    def notes(self) -> tuple[str, ...]:
        """What became of topics and values, and advice on reading the numbers."""
        return self.remarks + report.counsel(self)

    def sheet(self, places: int = 4, *, notes: bool = True) -> Document:
        """All of it for reading, with or without notes."""
        return report.sheet(self, places, notes=notes)

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
        plain: dict[str, Any] = _defined(found)
        return plain

    def __repr__(self) -> str:
        return "\n".join(written(self.sheet()))

    def _repr_html_(self) -> str:
        return "\n".join(body(self.sheet()))


_PAIR = (*Pair.__dataclass_fields__, "practical")


def _defined(value: Any) -> Any:
    """A value with None in place of NaN and infinity, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _defined(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_defined(each) for each in value]
    return value
