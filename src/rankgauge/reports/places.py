"""How one run did beside all others: places with their intervals, the median and the best of each topic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.errors import InputError
from rankgauge.explorer import Session
from rankgauge.explorer.standing import Standing
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.studies.matrices import place_intervals


@dataclass(frozen=True)
class Field:
    """The runs of a campaign by one measure; arrays are by run, or by topic."""

    standing: Standing
    label: str  # of the measure

    @cached_property
    def values(self) -> Floats:
        """(runs, topics), as those of the standing."""
        return self.standing.values

    @property
    def means(self) -> Floats:
        """(runs,) the means."""
        return np.array(list(self.standing.means.values()))

    @cached_property
    def places(self) -> tuple[Ints, Ints, Ints] | None:
        """(place, low, high) of each run; None for a measure without better or worse, or without values."""
        if not self.standing.direction:
            return None
        try:
            places, low, high = place_intervals(self.standing.scores)
        except InputError:  # no topic has a value for all runs
            return None
        return places[0], low[0], high[0]

    @cached_property
    def by_topic(self) -> tuple[Floats, Floats, Floats]:
        """(median, best, worst) of the runs on each topic; NaN where no run has a value."""
        return self._middle_and_ends(self.values)

    @cached_property
    def of_means(self) -> tuple[float, float, float]:
        """(median, best, worst) of the means."""
        median, best, worst = self._middle_and_ends(self.means[:, None])
        return float(median[0]), float(best[0]), float(worst[0])

    def _middle_and_ends(self, values: Floats) -> tuple[Floats, Floats, Floats]:
        some = ~np.isnan(values).all(axis=0)
        median, low, high = (np.full(values.shape[1], np.nan) for _ in range(3))
        median[some] = np.nanmedian(values[:, some], axis=0)
        low[some], high[some] = np.nanmin(values[:, some], axis=0), np.nanmax(values[:, some], axis=0)
        return (median, low, high) if self.standing.direction < 0 else (median, high, low)


def fields(session: Session) -> list[Field]:
    """The runs by each measure of the session."""
    return [Field(standing, session.labels(text)) for text, standing in session.standings().items()]
