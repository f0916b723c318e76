"""trec_eval's measures of preferences: the shares that a ranking fulfils.

A preference is fulfilled when the preferred document is ranked above the other one, or is the only one of
the two that was retrieved. The measures differ in what they count (preferences, pairs of documents,
groups) and in how they treat documents that were not retrieved:

    prefs_simp, ...      all preferences are possible; those between documents not retrieved are failures
    ..._imp              preferences between two documents that were not retrieved are left out
    ..._ret              only preferences between two documents that were retrieved count
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.evaluation.preferences.counts import BOTH, NONE, ONE, Counts, Group
from rankgauge.schema.registry import Index
from rankgauge.schema.text import unknown_name


class Scope(NamedTuple):
    """The pairs whose preferences can be fulfilled, and are possible, by the number retrieved."""

    fulfilled: tuple[int, ...]
    possible: tuple[int, ...]


SCOPES = {
    "": Scope((BOTH, ONE), (BOTH, ONE, NONE)),
    "_ret": Scope((BOTH,), (BOTH,)),
    "_imp": Scope((BOTH, ONE), (BOTH, ONE)),
}


def fulfilled(group: Group, scope: Scope) -> int:
    """The number of a group's preferences that the ranking fulfils."""
    return sum(group.tally.kept[number] for number in scope.fulfilled)


def possible(group: Group, scope: Scope) -> int:
    """The number of preferences of a group."""
    return sum(group.tally.kept[number] + group.tally.broken[number] for number in scope.possible)


def simple(counts: Counts, scope: Scope) -> float:
    """Preferences fulfilled over preferences possible, over all groups together."""
    return _ratio(
        sum(fulfilled(group, scope) for group in counts.groups),
        sum(possible(group, scope) for group in counts.groups),
    )


def by_pair(counts: Counts, scope: Scope) -> float:
    """The mean over pairs of documents of the share of groups whose preference is fulfilled."""
    pairs = sum(sum(counts.pairs[number].values()) for number in scope.possible)
    shares = [
        count * (kept / (kept + broken))
        for number in scope.fulfilled
        for (kept, broken), count in sorted(counts.pairs[number].items())
    ]
    return _ratio(math.fsum(shares), pairs)


def by_group(counts: Counts, scope: Scope) -> float:
    """The mean over groups of preferences fulfilled over preferences possible."""
    return _mean(_ratio(fulfilled(group, scope), possible(group, scope)) for group in counts.groups)


def balanced(counts: Counts, scope: Scope) -> float:
    """The mean over groups, as if each had as many non-relevant as relevant documents."""
    shares = [_balanced(group, scope) for group in counts.groups]
    return math.nan if any(map(math.isnan, shares)) else _mean(shares)


def _balanced(group: Group, scope: Scope) -> float:
    """A group's share: kept and possible preferences with the number of non-relevant documents set to R.

    If there are fewer, the missing ones are taken to be ranked last. If there are more, only the first R
    count. trec_eval then compares these R with every document of the group, also with other non-relevant
    ones; we follow it, since its expected values depend on that.
    """
    retrieved_only = scope.possible == (BOTH,)
    seen = group.retrieved if retrieved_only else len(group.levels)
    relevant = group.relevant
    wanted = int(np.count_nonzero(relevant[:seen]))
    unwanted = seen - wanted
    if wanted >= unwanted:
        more = wanted - unwanted
        relevant_retrieved = int(np.count_nonzero(relevant[: group.retrieved]))
        kept = fulfilled(group, scope) + relevant_retrieved * more
        return _ratio(kept, possible(group, scope) + int(np.count_nonzero(relevant)) * more)
    if group.partial is not None:
        nth = np.cumsum(~relevant)
        left = group.only(relevant | (nth <= np.count_nonzero(relevant)))
        return _ratio(fulfilled(left, scope), possible(left, scope))
    last = group.levels == group.levels.min()
    others = group.only(~last)
    first = np.flatnonzero(last)[:wanted]
    first = first[first < seen]
    above = int(
        np.minimum(first, group.retrieved).sum()
    )  # pairs of one of these and a document ranked above it
    return _ratio(fulfilled(others, scope) + above, possible(others, scope) + len(first) * seen)


def _ratio(part: float, whole: int) -> float:
    return part / whole if whole else math.nan


def _mean(shares: Iterable[float]) -> float:
    """The mean over groups; a group without a preference counts as 0, unless none has one."""
    values = list(shares)
    if all(map(math.isnan, values)):
        return math.nan
    return sum(0.0 if math.isnan(share) else share for share in values) / len(values)


@dataclass(frozen=True)
class PreferenceMeasure:
    """A measure of preferences."""

    name: str
    title: str
    value: Callable[[Counts], float]
    count: bool = False  # a number of preferences, which trec_eval adds up over topics


def _families() -> Iterable[PreferenceMeasure]:
    whole, retrieved = SCOPES[""], SCOPES["_ret"]
    counting: dict[str, tuple[str, Callable[[Group], int]]] = {
        "poss": ("Preferences", lambda group: possible(group, whole)),
        "ful": ("Preferences fulfilled", lambda group: fulfilled(group, whole)),
        "ful_ret": ("Preferences fulfilled, both retrieved", lambda group: fulfilled(group, retrieved)),
    }
    for name, (title, number) in counting.items():
        yield PreferenceMeasure(
            f"prefs_num_prefs_{name}",
            title,
            lambda counts, number=number: float(sum(map(number, counts.groups))),  # type: ignore[misc]
            count=True,
        )
    shares: dict[str, tuple[str, Callable[[Counts, Scope], float]]] = {
        "simp": ("Share of preferences fulfilled", simple),
        "pair": ("Share of preferences fulfilled, over pairs", by_pair),
        "avgjg": ("Share of preferences fulfilled, over groups", by_group),
        "avgjg_Rnonrel": ("Share of preferences fulfilled, over balanced groups", balanced),
    }
    suffixes = {"": "", "_ret": ", both retrieved", "_imp": ", one or both retrieved"}
    for suffix, scope in SCOPES.items():
        for name, (title, share) in shares.items():
            if (name, suffix) != ("avgjg_Rnonrel", "_imp"):  # not a measure of trec_eval
                yield PreferenceMeasure(
                    f"prefs_{name}{suffix}",
                    title + suffixes[suffix],
                    lambda counts, share=share, scope=scope: share(counts, scope),  # type: ignore[misc]
                )


MEASURES = {measure.name: measure for measure in _families()}  # in trec_eval's order
OFFICIAL = tuple(MEASURES)[:6]


def find(name: str) -> PreferenceMeasure:
    """The measure with this name, in any spelling; the error for an unknown name suggests the nearest."""
    match = Index((measure, [known], [measure.title]) for known, measure in MEASURES.items()).match(name)
    if match is None:
        raise MeasureError(unknown_name("measure of preferences", name, MEASURES))
    return match[0]
