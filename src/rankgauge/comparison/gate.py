"""Conditions under which a check fails, for continuous integration.

    condition = measure ("drops" | "rises") ["by" number ["%"]] ["significantly"]

such as `nDCG@10 drops by 2% significantly`: the run's mean is below the baseline's by at least 2 per cent of
that, and the corrected p is below α. Without `%` the number is a difference; without `by`, any
change will do. A condition that cannot be told from the scores counts as met.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from rankgauge.comparison.notation import p_said, pair_name
from rankgauge.comparison.result import Comparison, Pair
from rankgauge.errors import OptionError
from rankgauge.schema.text import counted, format_number

VERBS = {"drops": -1, "rises": 1}
EXAMPLE = "nDCG@10 drops by 2% significantly"
_WORD = re.compile(r"\S+")
_AMOUNT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(%?)")


@dataclass(frozen=True)
class Condition:
    """A change of a measure that must not be."""

    measure: str
    verb: str
    amount: float  # 0 stands for any change at all
    percent: bool
    significantly: bool

    def __str__(self) -> str:
        by = f" by {format_number(self.amount)}{'%' if self.percent else ''}" if self.amount else ""
        return f"{self.measure} {self.verb}{by}{' significantly' if self.significantly else ''}"

    def met(self, pair: Pair, alpha: float, samples: int | None = None) -> str:
        """Why the check fails for a pair, or nothing if it passes. What cannot be told fails."""
        if VERBS[self.verb] * pair.difference <= 0:
            return ""  # also where it is no share of anything: from 0 upwards is no drop
        change = VERBS[self.verb] * (pair.percent if self.percent else pair.difference)
        said = f"{pair_name(pair)}: {pair.mean_against:.4f} to {pair.mean:.4f}"
        if math.isnan(change):
            return f"{said}: the change cannot be told"
        change = round(change, 9)  # a drop by 2 % exactly is one
        if change <= 0 or change < self.amount:
            return ""
        if self.significantly and math.isnan(pair.corrected):
            return f"{said}: p is undefined ({counted(pair.topics, 'topic')}; {pair.method})"
        if self.significantly and not pair.corrected < alpha:
            return ""
        return f"{said}, {pair.percent:+.1f} %, corrected p {p_said(pair.corrected, samples=samples)}"


def read(text: str) -> Condition:
    """The condition that a text stands for."""
    words = [(match[0], match.start()) for match in _WORD.finditer(text)]
    place = next((number for number, (word, _) in enumerate(words) if word in VERBS), None)
    if place is None:
        at = words[1][1] if len(words) > 1 else len(text)
        raise _error(text, at, f"expected a measure and then {' or '.join(VERBS)}")
    if place == 0:
        raise _error(text, 0, f"expected a measure before {words[0][0]}")
    measure = text[words[0][1] : words[place][1]].rstrip()
    rest = words[place + 1 :]
    amount, percent = 0.0, False
    if rest and rest[0][0] == "by":
        found = _AMOUNT.fullmatch(rest[1][0]) if len(rest) > 1 else None
        if not found:
            raise _error(
                text, rest[1][1] if len(rest) > 1 else len(text), "expected a number such as 2% or 0.01"
            )
        amount, percent = float(found[1]), bool(found[2])
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
        f"--fail-if cannot be understood: {expected}, as in {EXAMPLE!r}\n  {text}\n  {' ' * at}^ here"
    )


def failures(condition: Condition, comparison: Comparison) -> Iterator[str]:
    """A sentence for each pair for which a check fails; the measure is spelled as the comparison has it."""
    for pair in comparison[condition.measure].pairs:
        why = condition.met(pair, comparison.alpha, comparison.samples)
        if why:
            yield why
