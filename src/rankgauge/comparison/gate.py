"""Conditions under which a check fails, for continuous integration.

    condition = measure ("drops" | "rises") ["by" number ["%"]] ["significantly"]

such as `nDCG@10 drops by 2% significantly`: the run's mean is at least 2 per cent below the baseline's, and
the test finds it worse, with a corrected p below α. Without `%` the number is a difference; without `by`, any
change counts: that of the mean or, with `significantly`, what the test finds, even if the mean says
otherwise. Where the change or its p is undefined, the check fails.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from rankgauge.comparison.report import ComparisonReport
from rankgauge.comparison.result import Compared, Pair, p_phrase
from rankgauge.errors import OptionError
from rankgauge.measures.language import canonical
from rankgauge.measures.reader import refuse_grid
from rankgauge.schema.text import counted, format_number

VERBS = {"drops": -1, "rises": 1}
EXAMPLE = "nDCG@10 drops by 2% significantly"
_WORD = re.compile(r"\S+")
_AMOUNT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(%?)")


@dataclass(frozen=True)
class Condition:
    """A change of a measure that makes a check fail."""

    measure: str
    verb: str
    amount: float  # 0 means any change
    percent: bool
    significantly: bool

    def __str__(self) -> str:
        by = f" by {format_number(self.amount)}{'%' if self.percent else ''}" if self.amount else ""
        return f"{self.measure} {self.verb}{by}{' significantly' if self.significantly else ''}"

    def failure(self, compared: Compared, pair: Pair) -> str:
        """Why the check fails for a pair; empty if it passes."""
        way = VERBS[self.verb]
        means = f"{pair}: {pair.mean_against:.4f} to {pair.mean:.4f}"
        if math.isnan(pair.difference):
            return f"{means}: the change is undefined"
        if self.significantly and not math.isnan(pair.corrected):
            found = compared.verdict(pair)
            if not found or way * (1 if found.better == pair.run else -1) * (compared.direction or 1) < 0:
                return ""
            if found.disagreement and not self.amount:
                return f"{self._numbers(means, pair)}; {found.disagreement}"
        if way * pair.difference <= 0:
            return ""  # also where the per cent is undefined: a rise from 0 is not a drop
        change = way * (pair.percent if self.percent else pair.difference)
        if math.isnan(change):
            return (
                f"{means}: the change in per cent is undefined, since the mean of {pair.against} is near 0; "
                f"name a difference, as in '{self.measure} {self.verb} by 0.01'"
            )
        change = round(change, 9)  # a drop by exactly 2 % counts
        if change <= 0 or change < self.amount:
            return ""
        if self.significantly and math.isnan(pair.corrected):
            return f"{means}: p is undefined ({counted(pair.topics, 'topic')}; {pair.method})"
        return self._numbers(means, pair)

    def _numbers(self, means: str, pair: Pair) -> str:
        percent = "" if math.isnan(pair.percent) else f", {pair.percent:+.1f} %"
        name = "p" if pair.corrected == pair.p else "corrected p"
        return f"{means}{percent}, {name} {p_phrase(pair.corrected)}"


def parse_condition(text: str) -> Condition:
    """The condition that a text stands for."""
    words = [(match[0], match.start()) for match in _WORD.finditer(text)]
    place = next((number for number, (word, _) in enumerate(words) if word in VERBS), None)
    if place is None:
        at = words[1][1] if len(words) > 1 else len(text)
        raise _error(text, at, f"expected a measure and then {' or '.join(VERBS)}")
    if place == 0:
        raise _error(text, 0, f"expected a measure before {words[0][0]}")
    measure = text[words[0][1] : words[place][1]].rstrip()
    refuse_grid(measure)
    rest = words[place + 1 :]
    amount, percent = 0.0, False
    if rest and rest[0][0] == "by":
        match = _AMOUNT.fullmatch(rest[1][0]) if len(rest) > 1 else None
        if not match:
            raise _error(
                text, rest[1][1] if len(rest) > 1 else len(text), "expected a number such as 2% or 0.01"
            )
        amount, percent = float(match[1]), bool(match[2])
        rest = rest[2:]
        if rest and rest[0][0] == "%" and not percent:
            percent, rest = True, rest[1:]
    significantly = bool(rest) and rest[0][0] == "significantly"
    rest = rest[significantly:]
    if rest:
        raise _error(
            text, rest[0][1], "expected nothing more" if significantly else "expected `by` or `significantly`"
        )
    return Condition(measure, words[place][0], amount, percent, significantly)


def _error(text: str, at: int, expected: str) -> OptionError:
    return OptionError(
        f"--fail-if cannot be parsed: {expected}, as in {EXAMPLE!r}\n  {text}\n  {' ' * at}^ here"
    )


def check(conditions: Iterable[Condition], comparison: ComparisonReport) -> dict[str, list[str]]:
    """{condition: why it fails, for each pair; empty if it passes}; measures may have any spelling."""
    spelled = {canonical(measure): measure for measure in comparison.measures}
    checks = {}
    for condition in conditions:
        if canonical(condition.measure) not in spelled:
            raise OptionError(
                f"--fail-if: the scores have no {condition.measure}, only {', '.join(comparison.measures)}"
            )
        known = replace(condition, measure=spelled[canonical(condition.measure)])
        compared = comparison[known.measure]
        reasons = [known.failure(compared, pair) for pair in compared.pairs]
        checks[str(known)] = [why for why in reasons if why]
    return checks
