"""The effort of search, beyond the measures of the family `effort` (Ferro et al., Twist).

ideal_run(qrels), worst_run(qrels), full_scale_run(qrels)   the rankings that bound all others, as runs
bounds(qrels, N)                                            the bounds of propositions 1 to 3, per topic
archetype_of(rankings)                                      the shape of each CRP curve
quadrants(effort, gain)                                     the sixteen quadrants of an effort/gain plot
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids, to_bytes
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.columns import Columns
from rankgauge.measures.effort import misplaced
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.measures.rankings.arrays.misplacement import Misplacement
from rankgauge.measures.rankings.gains import BINARY
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.schema.options import choice, whole_number

__all__ = [
    "ARCHETYPES",
    "Bounds",
    "CONFLATED",
    "EFFORTS",
    "GAINS",
    "Quadrants",
    "archetype_of",
    "bounds",
    "full_scale_run",
    "ideal_run",
    "quadrants",
    "worst_run",
]

ARCHETYPES = {
    "ideal": "every document is where the ideal ranking has one of its degree",
    "worst": "nothing relevant was retrieved",
    "full-scale": "all relevant documents come last, the least relevant first",
    "excellent-A": "CRP is back by rank R and stays, and the first R documents are all relevant",
    "excellent-B": "CRP is back by rank R and stays, and some of the first R documents are not relevant",
    "ups-and-downs": "CRP is back by rank R, and below 0 again at rank R or earlier",
    "typical-A": "CRP is back after rank R",
    "typical-B": "CRP never comes back",
}
CONFLATED = {"excellent-A": "excellent", "excellent-B": "excellent", "ups-and-downs": "excellent"}
ARCHETYPE_NAMES = tuple(ARCHETYPES)
NO_ARCHETYPE = -1  # of a topic without relevant documents
EFFORTS = ("huge", "high", "medium", "low")  # columns, by Twist
GAINS = ("low", "medium", "high", "huge")  # rows, by the gain measure
TWIST_CUTS = (0.25, 0.5, 0.75)  # a value on a cut belongs to the column after it
QUARTILE_METHODS = ("linear", "hazen")  # of quartiles: linear as in most software, hazen as in MATLAB
FILLER = "nonrelevant"  # the name of made-up documents


def archetype_of(
    j: JudgedRankings, *, N: int | None = None, crossing: str = "return", rel: float = 1.0
) -> Ints:
    """(topics,) the archetype of each ranking, its number in ARCHETYPES; -1 where nothing is relevant.

    `crossing` defines what "back" means, as for Twist. By the printed definition, a run whose first document
    is in its place is back at once, and excellent; the paper's own table holds for `crossing=return`.
    """
    m = misplaced(j.at_level(rel), N, BINARY, "none")
    base, back = m.base[:, 0], m.crossing(crossing)[:, 0]
    early, topic = back <= base, m.hits.topic
    at_top = np.bincount(topic[m.hits.rank <= base[topic]], minlength=len(base))  # relevant down to rank R
    # The first condition that holds decides.
    shapes = {
        "ideal": m.is_ideal[:, 0],
        "worst": m.hits.sizes == 0,
        "full-scale": _is_full_scale(m),
        "typical-B": np.isinf(back),
        "typical-A": ~early,
        "ups-and-downs": _falls_again(m, back),
        "excellent-A": at_top == base,
        "excellent-B": early,
    }
    numbers = [ARCHETYPE_NAMES.index(name) for name in shapes]
    chosen: Ints = np.select(list(shapes.values()), numbers, NO_ARCHETYPE)
    return np.where(base > 0, chosen, NO_ARCHETYPE)


def _is_full_scale(m: Misplacement) -> Bools:
    """(topics,) whether relevant documents come last, in ascending degree."""
    j, base = m.hits, m.base[:, 0]
    last = m.full_length[:, 0] - base
    first = m.interval[0]  # the better the degree, the earlier
    wrong = (j.rank != last[j.topic] + j.nth) | (first > j.previous(first, np.iinfo(np.int64).max))
    full: Bools = (j.sizes == base) & (np.bincount(j.topic[wrong], minlength=len(base)) == 0)
    return full


def _falls_again(m: Misplacement, back: Floats) -> Bools:
    """(topics,) whether CRP is below 0 at a rank after the crossing and not after R.

    Between hits it never rises, so the ranks of hits, the ranks before them, and R decide.
    """
    j, base = m.hits, m.base[:, 0]
    before, at = m.around
    after, until = back[j.topic] + 1, base[j.topic]
    below = (at < 0) & (j.rank >= after) & (j.rank <= until)
    below |= (before < 0) & (j.rank - 1 >= after) & (j.rank - 1 <= until)
    at_base = j.at(m.cumulated, m.base)[:, 0]
    return (np.bincount(j.topic[below], minlength=len(base)) > 0) | ((at_base < 0) & (base > back))


@dataclass(frozen=True, eq=False)
class Quadrants:
    """Points (Twist, gain) in sixteen quadrants, or in none if a value is undefined."""

    effort: Floats  # (points,) Twist
    gain: Floats  # (points,)
    cuts: tuple[float, ...]  # quartiles of the gain; a value on a cut belongs to the row before it
    column: Ints  # (points,) number in EFFORTS, -1 for none
    row: Ints  # (points,) number in GAINS, -1 for none

    @cached_property
    def placed(self) -> int:
        """The number of points in quadrants."""
        return int(np.count_nonzero(self.row >= 0))

    @cached_property
    def counts(self) -> Ints:
        """(4, 4) points in each quadrant; rows by gain, columns by effort, the worst first."""
        inside = self.row >= 0
        cells = np.bincount(self.row[inside] * 4 + self.column[inside], minlength=16)
        return cells.reshape(4, 4)

    @property
    def shares(self) -> Floats:
        """(4, 4) the same as shares of all points."""
        shares: Floats = self.counts / self.placed
        return shares

    @property
    def diagonal(self) -> float:
        """The share of points on which gain and effort agree."""
        return float(np.trace(self.counts)) / self.placed

    @property
    def high_high(self) -> float:
        """The share of points with high or huge gain at high or huge effort."""
        return float(self.counts[2:, :2].sum()) / self.placed

    @property
    def cells(self) -> list[tuple[str, str] | None]:
        """(gain, effort) of each point, by name."""
        pairs = zip(self.row.tolist(), self.column.tolist(), strict=True)
        return [(GAINS[row], EFFORTS[column]) if row >= 0 else None for row, column in pairs]


def quadrants(effort: Any, gain: Any, *, method: str = "linear") -> Quadrants:
    """The quadrants of points: columns by Twist at 0.25, 0.5 and 0.75, rows by the quartiles of the gain.

    >>> quadrants([0.1, 0.3, 0.6, 0.9], [0.1, 0.2, 0.3, 0.4]).diagonal
    1.0
    """
    choice("method", method, QUARTILE_METHODS)
    x, y = (np.asarray(values, dtype=np.float64).reshape(-1) for values in (effort, gain))
    if len(x) != len(y):
        raise InputError(f"every point needs an effort and a gain, not {len(x)} efforts and {len(y)} gains")
    defined = ~(np.isnan(x) | np.isnan(y))
    if not defined.any():
        raise InputError("no point has both a defined effort and a defined gain")
    if np.isinf(y[defined]).any():
        raise InputError("a gain is infinite, so quartiles are undefined; choose another measure")
    quartiles = np.quantile(y[defined], (0.25, 0.5, 0.75), method=method)  # type: ignore[call-overload]
    cuts = tuple(quartiles.tolist())
    column = np.searchsorted(TWIST_CUTS, x, side="right")
    row = np.searchsorted(cuts, y, side="left")
    return Quadrants(x, y, cuts, np.where(defined, column, -1), np.where(defined, row, -1))


def ideal_run(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> Run:
    """The run with all relevant documents of each topic, the best first, and then others, N in all.

    Non-relevant documents are made up, with unused names. N is at least the largest number of relevant
    documents of a topic; by default, twice that.

    >>> ideal_run({"q": {"a": 1, "b": 2}}, 3).to_dict()
    {'q': {'b': 3.0, 'a': 2.0, 'nonrelevant-3': 1.0}}
    """
    return _run("ideal", qrels, N, rel, 1, lambda place, length: place)


def worst_run(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> Run:
    """The run without any relevant document. N is that of the ideal run, as in the paper (definition 13).

    >>> worst_run({"q": {"a": 1, "b": 2}}, 2).to_dict()
    {'q': {'nonrelevant-1': 2.0, 'nonrelevant-2': 1.0}}
    """
    return _run("worst", qrels, N, rel, 1, lambda place, length: place + length)


def full_scale_run(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> Run:
    """The ideal run reversed: all relevant documents of each topic come last, the best at the end.

    N is at least twice the largest number of relevant documents of a topic: otherwise there is no such run.

    >>> full_scale_run({"q": {"a": 1, "b": 2}}, 4).to_dict()
    {'q': {'nonrelevant-1': 4.0, 'nonrelevant-2': 3.0, 'a': 2.0, 'b': 1.0}}
    """
    return _run("full-scale", qrels, N, rel, 2, lambda place, length: length + 1 - place)


def _run(
    name: str, qrels: Any, N: int | None, rel: float, times: int, rank_of: Callable[[int, int], int]
) -> Run:
    """The run with each document of the ideal ranking moved to a rank, or left out beyond N."""
    judged = Qrels.of(qrels)
    places = relevant(judged, rel)
    length = list_length(places, N, times, f"the {name} run")
    filler, known = _unused(judged), judged.sorted_docs
    docs: list[bytes] = []
    for documents in places:
        row = [f"{filler}-{rank}".encode() for rank in range(1, length + 1)]
        for place, document in enumerate(documents.tolist(), 1):
            if (rank := rank_of(place, length)) <= length:
                row[rank - 1] = known[document]
        docs += row
    ranks = np.tile(np.arange(1, length + 1), len(places))
    topics = [to_bytes(topic) for topic in judged.sorted_topics for _ in range(length)]
    columns = Columns("run", Ids.of(topics), Ids.of(docs), (length + 1 - ranks).astype(np.float64), ranks)
    return Run.from_columns(columns, name)


def list_length(places: Sequence[Ints], N: int | None, times: int, what: str) -> int:
    """N, checked; by default twice the largest number of relevant documents of a topic."""
    most = max(map(len, places), default=0)
    length = max(1, 2 * most) if N is None else whole_number("N", N)
    if length < times * most:
        reason = f"{'twice ' * (times == 2)}the largest number of relevant documents of a topic"
        raise OptionError(f"{what} needs an N of at least {times * most}, {reason}; {length} is too small")
    return length


def relevant(judged: Qrels, rel: float) -> list[Ints]:
    """Relevant judgments of each topic by number, the best grade first, then by document."""
    by_topic = []
    for begin, end in zip(judged.starts[:-1].tolist(), judged.starts[1:].tolist(), strict=True):
        grades = judged.sorted_grades[begin:end]
        order = np.argsort(-grades, kind="stable")
        by_topic.append(begin + order[grades[order] >= rel])
    return by_topic


def _unused(judged: Qrels) -> str:
    """A prefix that no judged document has."""
    name = FILLER
    while any(doc.startswith(name.encode()) for doc in judged.docs):
        name += "_"
    return name


@dataclass(frozen=True)
class Bounds:
    """The bounds of one topic, which its full-scale run reaches."""

    topic: str
    base: int  # R, the number of relevant documents
    N: int
    least_rp: int  # of any document of any run (proposition 1)
    most_rp: int
    least_crp: int  # of any run at any rank (proposition 2)
    most_crp: int  # that of the full-scale run at N
    most_crp_holds: bool  # whether no run can exceed it: for N ≥ 3 R - 1; below that, some may
    most_recovery: float | None  # of the full-scale run (proposition 3, with ≤); None unless N ≥ 3 R


def bounds(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> list[Bounds]:
    """The bounds of RP, CRP and of the full-scale run's recovery ratio, for topics with relevant documents.

    N is at least, and by default, twice the largest number of relevant documents of a topic.

    >>> bounds({"q": {"a": 1, "b": 2}}, 6)[0].most_crp
    5
    """
    judged = Qrels.of(qrels)
    places = relevant(judged, rel)
    length = list_length(places, N, 2, "a full-scale run")
    rows = []
    for topic, documents in zip(judged.sorted_topics, places, strict=True):
        base = len(documents)
        if not base:
            continue
        _, counts = np.unique(-judged.sorted_grades[documents], return_counts=True)  # the best degree first
        last = np.cumsum(counts)  # the last rank of each degree in the ideal ranking
        rows.append(
            Bounds(
                topic,
                base,
                length,
                least_rp=-base,
                most_rp=length - int(last[0]),
                least_crp=-base * (base + 1) // 2,
                most_crp=base * (length - base) - int((counts * last).sum()),
                most_crp_holds=length >= 3 * base - 1,
                most_recovery=0.5 if length >= 3 * base else None,
            )
        )
    return rows
