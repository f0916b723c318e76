"""Scores that Spark has computed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from rankgauge.engines.spark.counts import counts_of_runs
from rankgauge.engines.spark.library import persisted, unpersist

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgauge.rankings.arrays.curves import Ints


class Scored(NamedTuple):
    """The scores of some pairs."""

    frame: Any
    counts: Mapping[bytes, Ints]  # of each run
    held: tuple[Any, ...]  # what Spark keeps of them

    def plus(self, other: Scored) -> Scored:
        """These scores and those of other pairs."""
        counts = dict(self.counts)
        for run, numbers in other.counts.items():
            counts[run] = counts[run] + numbers if run in counts else numbers
        return Scored(self.frame.unionByName(other.frame), counts, (*self.held, *other.held))

    def unpersist(self) -> None:
        """Free the scores."""
        unpersist(*self.held)

    @contextmanager
    def freed_on_error(self) -> Iterator[None]:
        """Free the scores if an error is raised meanwhile."""
        try:
            yield
        except BaseException:
            self.unpersist()
            raise


def computed(frame: Any) -> Scored:
    """The scores in this frame. This runs the job; problems reported by workers are raised as errors."""
    held = persisted(frame)
    scored = Scored(held, {}, (held,))
    with scored.freed_on_error():
        return scored._replace(counts=counts_of_runs(held))
