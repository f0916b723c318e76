"""The notation of papers: stars, letters, `D, E > A**`. This is where p and α become a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankgauge.comparison.result import Compared, Pair

NO_DIFFERENCE = "no difference is significant"
UNDEFINED = "significance is undefined"


def stars(p: float, alpha: float) -> str:
    """`*` below α, `**` below a fifth of it: 0.05 and 0.01, as in Järvelin & Kekäläinen 2002."""
    return "**" if p < alpha / 5 else "*" if p < alpha else ""


def legend(alpha: float) -> str:
    """What the stars mean."""
    return f"* p < {alpha:g}, ** p < {alpha / 5:g}"


def significant(compared: Compared, alpha: float) -> Iterator[tuple[str, str, str]]:
    """(better run, worse run, stars) of pairs that differ significantly.

    For a measure without a better direction, the higher run counts as the better one.
    """
    for pair in compared.pairs:
        marks = stars(pair.corrected, alpha)
        if marks and pair.difference:
            ahead = (pair.difference > 0) == (compared.direction >= 0)
            yield (*((pair.run, pair.against) if ahead else (pair.against, pair.run)), marks)


def outcome(compared: Compared, alpha: float) -> str:
    """Which runs are better than which: `D, E > A**; D > B*`."""
    place = {run: number for number, run in enumerate(compared.means)}
    winners: dict[tuple[int, str], list[str]] = {}
    for better, worse, marks in significant(compared, alpha):
        winners.setdefault((place[worse], marks), []).append(better)
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


def p_text(p: float, places: int = 4, samples: int | None = None) -> str:
    """A p for a table: never 0.0000, and never below the resolution of random samples."""
    if math.isnan(p):
        return "–"
    least = max(10.0**-places, 1 / samples if samples and p == 0.0 else 0.0)
    return f"<{least:.{places}f}" if p < least else f"{p:.{places}f}"


def p_phrase(p: float, places: int = 4, samples: int | None = None) -> str:
    """A p for a sentence: `= 0.0123`, `< 0.0001` or `undefined`."""
    text = p_text(p, places, samples)
    return "undefined" if math.isnan(p) else f"< {text[1:]}" if text[0] == "<" else f"= {text}"


def signed(value: float, places: int) -> str:
    """A difference with its sign."""
    return "–" if math.isnan(value) else f"{value:+.{places}f}"


def best_first(compared: Compared) -> list[str]:
    """The runs by their means, the best first; runs without a mean come last."""

    def key(run: str) -> float:
        mean = compared.means[run]
        return math.inf if math.isnan(mean) else mean if compared.direction < 0 else -mean

    return sorted(compared.means, key=key)


def pair_name(pair: Pair) -> str:
    """The two runs of a pair."""
    return f"{pair.run} against {pair.against}"
