"""Performance goals of rankgauge, and whether they are met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from entrants import COMPAT, NUMPY, PYARROW, PYTHON, TREC_EVAL, VERSION
from outcomes import Outcome

Outcomes = Mapping[str, Outcome]
Measured = float | None


@dataclass(frozen=True)
class Goal:
    """A bound on a measurement of a workload."""

    workload: str
    text: str
    unit: str
    measured: Callable[[Outcomes], Measured]
    bound: float
    least: bool = True  # a lower bound, not an upper one

    def verdict(self, outcomes: Outcomes) -> str | None:
        """A line with the measurement and whether it meets the goal; None without a measurement."""
        value = self.measured(outcomes)
        if value is None:
            return None
        met = value >= self.bound if self.least else value <= self.bound
        goal = f"{'≥' if self.least else '≤'} {self.bound:g} {self.unit}"
        verdict = "reached" if met else "MISSED"
        return f"{self.workload}: {self.text}: {value:.2f} {self.unit}, goal {goal}: {verdict}"


def verdicts(outcomes: list[Outcome]) -> list[str]:
    """A line for each goal that was measured."""
    by_name = {outcome.workload.name: outcome for outcome in outcomes}
    return [line for goal in GOALS if (line := goal.verdict(by_name))]


def _faster(workload: str, name: str, times: float, than: str = "the fastest peer") -> Goal:
    def measured(outcomes: Outcomes) -> Measured:
        outcome = outcomes.get(workload)
        if outcome is None:
            return None
        other = outcome.fastest_peer if than == "the fastest peer" else outcome.pytrec_eval
        return outcome.times_faster(name, other)

    return Goal(workload, f"{name} against {than}", "×", measured, times)


def _less_busy(workload: str, name: str, times: float) -> Goal:
    """How much less of processors' time it takes than the fastest peer."""

    def measured(outcomes: Outcomes) -> Measured:
        outcome = outcomes.get(workload)
        return None if outcome is None else outcome.times_less_busy(name, outcome.fastest_peer)

    return Goal(workload, f"{name} against the fastest peer, by CPU", "×", measured, times)


def _memory(workload: str, megabytes: float) -> Goal:
    def measured(outcomes: Outcomes) -> Measured:
        result = outcomes[workload].timed("rankgauge") if workload in outcomes else None
        return result.peak if result else None

    return Goal(workload, "rankgauge, peak memory", "MB", measured, megabytes, least=False)


def _start_up(outcomes: Outcomes) -> Measured:
    """Milliseconds that the command takes in addition to importing NumPy."""
    outcome = outcomes.get("W1")
    ours, bare = (outcome.timed(name) if outcome else None for name in ("rankgauge", NUMPY))
    return 1000 * (ours.median - bare.median) if ours and bare else None


def _within(workload: str, name: str, times: float, of: str) -> Goal:
    """The time of an entrant relative to another's."""

    def measured(outcomes: Outcomes) -> Measured:
        return outcomes[workload].times_faster(of, name) if workload in outcomes else None

    return Goal(workload, f"{name}, time against {of}", "×", measured, times, least=False)


def _growth(outcomes: Outcomes) -> Measured:
    """The time per row in W4 relative to W3."""
    times = []
    for name in ("W3", "W4"):
        outcome = outcomes.get(name)
        result = outcome.timed("rankgauge") if outcome else None
        if outcome is None or result is None:
            return None
        times.append(result.median / outcome.workload.rows)
    return times[1] / times[0]


def _in_memory(workload: str, on_dict: float, on_frame: float, on_fixed: float) -> list[Goal]:
    goals_by_form = {
        "dict": on_dict,
        "pandas": on_frame,
        "polars": on_frame,
        "fixed float64": on_fixed,
        "fixed float32": on_fixed,
    }
    return [
        _faster(workload, f"rankgauge, {form}", times, "pytrec_eval") for form, times in goals_by_form.items()
    ]


GOALS = [
    _faster("W1", "rankgauge", 2, "pytrec_eval"),
    Goal("W1", "rankgauge, beyond importing NumPy", "ms", _start_up, 80, least=False),
    _within("W1", "rankgauge", 1.2, TREC_EVAL),
    _within("W1", VERSION, 1.6, PYTHON),
    _faster("W2", "rankgauge", 20),
    _faster("W2-table", "rankgauge", 5, "pytrec_eval"),
    _faster("W3", "rankgauge", 25),
    _less_busy("W3", "rankgauge", 18),
    _memory("W3", 60),
    _faster("W3", "rankgauge pure", 1, "pytrec_eval"),
    _faster("W3-lines", "rankgauge", 20),
    _memory("W3-lines", 60),
    _faster("W3-topics", "rankgauge", 10),
    _faster("W4", "rankgauge", 25),
    _memory("W4", 120),
    Goal("W4", "rankgauge, time for a row against W3", "×", _growth, 1.2, least=False),
    *_in_memory("W5-few", 15, 10, 80),
    *_in_memory("W5-few-random", 15, 10, 80),
    *_in_memory("W5-many", 6, 4, 12),
    *_in_memory("W5-many-random", 12, 4, 25),
    _faster("W6", "rankgauge", 10),
    *(_faster(f"W7-1{suffix}", COMPAT, 1, "pytrec_eval") for suffix in ("", "-official")),
    *(_faster(f"W7-50{suffix}", COMPAT, 3, "pytrec_eval") for suffix in ("", "-official")),
    *(_faster(f"W7-6980{suffix}", COMPAT, 5, "pytrec_eval") for suffix in ("", "-official")),
    _within("W8", "rankgauge", 1.4, PYARROW),
]
