"""Verdicts, where p and α become words, and the notation of papers for them: stars, letters, `D, E > A**`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rankgauge.comparison.result import Compared, Pair

MARGINAL, ESSENTIAL = 5.0, 10.0  # per cent: Spärck Jones 1974, as Järvelin & Kekäläinen 2002 quote her
MOST_NAMES = 5  # of pairs in a sentence
STRONG = 5  # a second star for a p below a fifth of α: 0.05 and 0.01, as in Järvelin & Kekäläinen 2002
NO_DIFFERENCE = "no difference is significant"
UNDEFINED = "significance is undefined"


def stars(p: float, alpha: float) -> str:
    """`*` below α, `**` below a fifth of it."""
    return "**" if p < alpha / STRONG else "*" if p < alpha else ""


def legend(alpha: float) -> str:
    """What the stars mean."""
    return f"* p < {alpha:g}, ** p < {alpha / STRONG:g}"


@dataclass(frozen=True)
class Verdict:
    """A pair that differs significantly, and which way: the test's own way, not that of the means.

    A test of ranks or signs may find the run better that has the lower mean.
    """

    pair: Pair
    better: str
    worse: str
    stars: str
    means_agree: bool  # the better run has the better mean, too

    @property
    def practical(self) -> str:
        """The practical significance: marginal, noticeable or essential; empty if the means disagree."""
        size = abs(self.pair.percent)
        if math.isnan(size) or not self.means_agree:
            return ""
        return "marginal" if size < MARGINAL else "noticeable" if size <= ESSENTIAL else "essential"


def verdict(compared: Compared, pair: Pair, alpha: float) -> Verdict | None:
    """The verdict on a pair; None if its difference is not significant.

    For a measure without a better direction, the higher run counts as the better one.
    """
    marks = stars(pair.corrected, alpha)
    if not (marks and pair.favours):
        return None
    worse = pair.against if pair.favours == pair.run else pair.run
    ahead = pair.difference if pair.favours == pair.run else -pair.difference
    return Verdict(pair, pair.favours, worse, marks, ahead * (compared.direction or 1) > 0)


def significant(compared: Compared, alpha: float) -> Iterator[Verdict]:
    """The verdicts on the pairs that differ significantly."""
    for pair in compared.pairs:
        if found := verdict(compared, pair, alpha):
            yield found


def outcome(compared: Compared, alpha: float) -> str:
    """Which runs are better than which: `D, E > A**; D > B*`."""
    place = {run: number for number, run in enumerate(compared.means)}
    winners: dict[tuple[int, str], list[str]] = {}
    for each in significant(compared, alpha):
        winners.setdefault((place[each.worse], each.stars), []).append(each.better)
    runs = list(compared.means)
    clauses = [
        f"{', '.join(sorted(better, key=place.__getitem__))} > {runs[worse]}{marks}"
        for (worse, marks), better in sorted(winners.items(), key=lambda each: (each[0][0], -len(each[0][1])))
    ]
    return "; ".join(clauses) if clauses else NO_DIFFERENCE if is_defined(compared) else UNDEFINED


def is_defined(compared: Compared) -> bool:
    """Whether some pair has a p."""
    return not all(math.isnan(pair.corrected) for pair in compared.pairs)


def letters(count: int) -> list[str]:
    """a, b, ..., z, aa, ab, ..."""
    return [_letter(number) for number in range(count)]


def _letter(number: int) -> str:
    before, last = divmod(number, 26)
    return (_letter(before - 1) if before else "") + chr(ord("a") + last)


def p_text(p: float, places: int = 4) -> str:
    """A p for a table: never 0.0000."""
    if math.isnan(p):
        return "–"
    least = 10.0**-places
    return f"<{least:.{places}f}" if p < least else f"{p:.{places}f}"


def p_phrase(p: float, places: int = 4) -> str:
    """A p for a sentence: `= 0.0123`, `< 0.0001` or `undefined`."""
    text = p_text(p, places)
    return "undefined" if math.isnan(p) else f"< {text[1:]}" if text[0] == "<" else f"= {text}"


def signed(value: float, places: int) -> str:
    """A difference with its sign."""
    return "–" if math.isnan(value) else f"{value:+.{places}f}"


def disagreement(compared: Compared, alpha: float) -> str:
    """A sentence on the pairs, such as `B > A`, whose means disagree with the test; empty without any."""
    names = [f"{each.better} > {each.worse}" for each in significant(compared, alpha) if not each.means_agree]
    more = [f"{len(names) - MOST_NAMES} more pairs"] if len(names) > MOST_NAMES else []
    return f"The means say otherwise of {', '.join(names[:MOST_NAMES] + more)}." if names else ""


def best_first(compared: Compared) -> list[str]:
    """The runs by their means, the best first; runs without a mean come last."""

    def key(run: str) -> float:
        mean = compared.means[run]
        return math.inf if math.isnan(mean) else mean if compared.direction < 0 else -mean

    return sorted(compared.means, key=key)


def pair_name(pair: Pair) -> str:
    """The two runs of a pair."""
    return f"{pair.run} against {pair.against}"
