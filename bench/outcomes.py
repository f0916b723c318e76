"""The outcome of a workload: the times of all entrants, and whether their results agree."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from measure import Result
from workloads import Workload

TOLERANCE = 0.000051  # the same to 4 decimals, which is all that trec_eval prints


@dataclass(frozen=True)
class Outcome:
    """The results of the entrants of a workload."""

    workload: Workload
    megabytes: float  # size of the run files
    results: dict[str, Result]
    peers: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    def timed(self, name: str) -> Result | None:
        """The result of an entrant, if it has one."""
        result = self.results.get(name)
        return result if result and result.seconds and not result.failure else None

    @property
    def our_failures(self) -> list[str]:
        """The failures of rankgauge."""
        return [
            result.failure
            for name, result in self.results.items()
            if name not in self.peers and result.failure
        ]

    @property
    def pytrec_eval(self) -> str | None:
        """The name of the entrant of a peer, if it ran."""
        return next(
            (name for name in self.peers if name.startswith("pytrec_eval") and self.timed(name)), None
        )

    @property
    def fastest_peer(self) -> str | None:
        """The name of the fastest peer, if any ran."""
        timed = [(result.median, name) for name in self.peers if (result := self.timed(name))]
        return min(timed)[1] if timed else None

    def times_faster(self, name: str, than: str | None) -> float | None:
        """How many times faster one entrant is than another; None if one of them has no time."""
        one, other = self.timed(name), self.timed(than) if than else None
        return other.median / one.median if one and other else None

    def times_less_busy(self, name: str, than: str | None) -> float | None:
        """The same by the time of processors: one entrant may use several at once, and another one."""
        one, other = self.timed(name), self.timed(than) if than else None
        return median(other.busy) / median(one.busy) if one and other and one.busy and other.busy else None

    def agreement(self) -> tuple[bool, str]:
        """(whether all entrants computed the same means, a sentence on it)."""
        by_entrant = {
            name: result.means for name in self.results if (result := self.timed(name)) and result.means
        }
        if len(by_entrant) < 2:
            return True, f"{self.workload.name}: nothing to compare"
        first, *others = by_entrant.items()
        apart = []
        largest = 0.0
        for name, means in others:
            if means.keys() != first[1].keys():
                apart.append(f"{name} has means of other runs or measures than {first[0]}")
                continue
            for key, mean in means.items():
                difference = abs(mean - first[1][key])
                largest = max(largest, difference)
                if not difference <= TOLERANCE:  # NaN does not agree either
                    apart.append(f"{key}: {first[0]} {first[1][key]:.6f}, {name} {mean:.6f}")
        if apart:
            return False, f"{self.workload.name}: NO agreement on {'; '.join(apart[:5])}"
        return True, (
            f"{self.workload.name}: all {len(by_entrant)} agree on {len(first[1])} means to 4 decimals "
            f"(largest difference {largest:.1e})"
        )
