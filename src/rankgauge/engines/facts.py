"""The record that scores carry of how they came about, whichever vocabulary they were made in.

Numbers of topics and hits are arrays, or vectors of `plain`; pools cover all topics, some at a time.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge import core
from rankgauge._version import VERSION
from rankgauge.errors import NoCommonTopic

if TYPE_CHECKING:
    from rankgauge.measures import Measure
    from rankgauge.model.document_order import DocumentOrder
    from rankgauge.model.topic_rules import TopicRules

COUNTS_TOPICS = ("small_base", "out_of_reach", "short")  # of what is said of measures because of judgments
_MINDS: dict[Measure, bool] = {}  # what `_minds` has found out


def basis(
    measures: Iterable[Measure],
    order: DocumentOrder,
    rules: TopicRules,
    pools: Sequence[Any],
    qrels: Mapping[str, Any],
) -> dict[str, Any]:
    """What is known before any run is read."""
    return {
        "versions": versions(),
        "options": order.as_dict() | rules.as_dict(),
        "measures": {str(m): m.describe() | concerns(m, pools) for m in measures},
        "qrels": dict(qrels),
    }


def versions() -> dict[str, str]:
    """What results were made with."""
    numpy = sys.modules.get("numpy")  # which has taken no part if nobody has imported it
    return {
        "rankgauge": VERSION,
        "core": core.NAME,
        **({"numpy": numpy.__version__} if numpy else {}),
        "python": sys.version.split()[0],
    }


def concerns(measure: Measure, pools: Iterable[Any]) -> dict[str, int]:
    """How many topics have too few or too many relevant documents for a base or a cutoff."""
    base, cutoff = measure.settings.get("base", 0.0), measure.cutoff or math.inf
    found = {"small_base": 0, "out_of_reach": 0}
    if measure.spec.needs_subtopics:  # a document may have several subtopics: what counts is another question
        return {}
    for pool in pools:
        if not base and pool.sizes.max(initial=0) <= cutoff:
            continue
        relevant = measure.recall_base(pool).reshape(-1)
        found["small_base"] += int(((relevant > 0) & (relevant < base)).sum())
        many = relevant > cutoff
        if many.any() and _minds(measure, pool.only(many.tolist().index(True))):
            found["out_of_reach"] += int(many.sum())
    return {concern: topics for concern, topics in found.items() if topics}


def lengths(measure: Measure, most: int, pools: Iterable[Any]) -> dict[str, Any]:
    """Of a measure that fills lists up, N, and how many topics have room for less.

    `most` is how long the longest list is.
    """
    if not measure.spec.pads_to_longest:
        return {}
    length = measure.settings.get("N", most)
    short = sum(int((2 * measure.recall_base(pool) > length).sum()) for pool in pools)
    return {"N": length, "longest": measure.of_lists} | ({"short": short} if short else {})


def _minds(measure: Measure, pool: Any) -> bool:
    """Whether the cutoff keeps the ideal from the best value: recall's does, precision's does not."""
    if measure not in _MINDS:  # it is one answer for all topics, and evaluators are made again and again
        ideal = measure.ideal(pool)
        cut, uncut = (float(m.value(ideal)[0]) for m in (measure, measure._replace(cutoff=None)))
        _MINDS[measure] = cut < uncut == measure.spec.bounds[1]
    return _MINDS[measure]


def source_of(given: Any) -> str:
    """Where judgments come from: the path that was given, the name of those read before, or what they are."""
    if isinstance(given, (str, os.PathLike)):
        return str(given)
    return str(given.name) if getattr(type(given), "kind", "") == "qrels" else type(given).__name__


def judgments(given: Any, topics: int, judgments: int, dropped: int = 0) -> dict[str, Any]:
    """What results say of the judgments, and of what they were given as."""
    return {
        "source": source_of(given),
        "topics": topics,
        "judgments": judgments,
        "duplicates_dropped": dropped,
    }


def counts(hits: Any) -> dict[str, int]:
    """What is counted of a run beside its values."""
    return {
        "topics": int((hits.retrieved > 0).sum()),
        "retrieved": int(hits.retrieved.sum()),
        "missing": int((hits.retrieved == 0).sum()),
        "unjudged_topics": hits.unjudged_topics,
        "tied_topics": int((hits.tied > 0).sum()),
        "tied_documents": int(hits.tied.sum()),
        "decisive_ties": int(hits.decisive.sum()),
        "duplicates_dropped": hits.dropped,
    }


def run_facts(
    source: str,
    counts: Mapping[str, int],
    undefined: Mapping[str, int],
    unjudged: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """What results say of a run beside its scores, made of `counts`, `by_measure` and `unjudged`."""
    said = {"source": source, **counts, "undefined": undefined}
    return said | {"unjudged": unjudged} if unjudged else said


def by_measure(measures: Iterable[Measure | str], topics: Iterable[int]) -> dict[str, int]:
    """How many topics of each measure are concerned; those of which none is are left out."""
    return {str(measure): count for measure, count in zip(measures, topics, strict=True) if count}


def least(measures: Iterable[Measure]) -> float:
    """The grade below which documents are as good as unjudged to all measures, and need not be told."""
    return min(measure.least for measure in measures)


def cutoffs(measures: Sequence[Measure]) -> tuple[int, ...]:
    """Above which unjudged documents are counted: nowhere, unless all that is judged is told."""
    told = least(measures) == -math.inf
    return tuple(sorted({measure.cutoff for measure in measures if measure.cutoff})) if told else ()


def unjudged(measures: Sequence[Measure], hits: Any) -> dict[str, int]:
    """How many unjudged documents there are above each of the `cutoffs`."""
    return {str(k): int(hits.retrieved.clip(max=k).sum() - (hits.rank <= k).sum()) for k in cutoffs(measures)}


def no_common_topic(name: str, topics: Sequence[str]) -> NoCommonTopic:
    """The error for a run that has nothing to do with the judgments of these topics."""
    shown = ", ".join(map(repr, topics[:3]))
    more = ", ..." if len(topics) > 3 else ""
    return NoCommonTopic(
        f"run {name!r} has no results for any judged topic ({shown}{more}); "
        "check that run and judgments belong together and write topics alike"
    )
