"""Recall by sample analysis: what a run missed, estimated from a random sample of the collection.

The share of relevant documents in a judged sample stands for all documents that a run did not retrieve. These
are rare, so a sample has to be large.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from rankgauge.campaigns.findings import Findings
from rankgauge.errors import OptionError
from rankgauge.extensions.judging.agreement_study import checked_rel
from rankgauge.model.output.tables import Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.schema.lazy import required_module
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import Number, Whole, is_number
from rankgauge.schema.text import counted

HEADERS = (
    "topic",
    "retrieved",
    "relevant retrieved",
    "sampled",
    "relevant sampled",
    "missed",
    "recall",
    "low",
    "high",
)


@dataclass(frozen=True)
class SampledRecall:
    """The recall of a run for one topic, estimated from a sample of what it missed."""

    topic: str
    retrieved: int
    found: int  # relevant documents that were retrieved
    sampled: int  # documents of the sample that were not retrieved
    relevant: int  # of those
    missed: float  # relevant documents that were not retrieved, estimated; NaN without a sample
    least: int  # the fewest of them by the interval
    most: int  # the most of them

    @property
    def recall(self) -> float:
        """NaN if there is no sample, or no relevant document in it or among the retrieved."""
        return self._share(self.missed)

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self._share(self.most)

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self._share(self.least)

    def _share(self, missed: float) -> float:
        total = self.found + missed
        return self.found / total if total else math.nan


@dataclass(frozen=True, repr=False, eq=False)
class SampledRecalls(Findings):
    """Findings on the recall of a run; `topics` has all the numbers."""

    topics: tuple[SampledRecall, ...] = ()


def estimate_recall(
    qrels: Any,
    sample: Any,
    run: Any,
    *,
    docs: Annotated[int, Whole(), "the number of documents in the collection"],
    rel: Annotated[float, Number(), "the lowest relevant grade"] = 1,
    level: Annotated[
        float, Number(0, 1, above=True, below=True), "the confidence level of the intervals"
    ] = 0.95,
) -> SampledRecalls:
    """The recall of a run, estimated from judgments of a random sample of the collection.

    `sample` has the judgments of documents drawn at random from a collection of `docs` documents, or from
    those that the run did not retrieve, topic by topic; only the latter count. Retrieved documents are
    relevant if `qrels` or the sample grade them `rel` or higher. The interval has the given `level`: it holds
    all numbers of missed documents with which a sample like this one is not too unlikely (hypergeometric).

    >>> judged = {"q1": {"d1": 1, "d2": 1, "d3": 0}}
    >>> sample = {"q1": {f"s{n}": int(n == 0) for n in range(100)}}
    >>> found = estimate_recall(judged, sample, {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, docs=203)
    >>> found.topics[0].missed, found.topics[0].recall
    (2.0, 0.5)
    """
    whole_number("docs", docs)
    checked_rel(rel)
    if not is_number(level) or not 0 < level < 1:
        raise OptionError(f"level must be between 0 and 1, such as 0.95, not {level!r}")
    judged, sampled = (Qrels.of(each).to_dict() for each in (qrels, sample))
    topics = tuple(_estimates(judged, sampled, Run.of(run).to_dict(), docs, rel, 1 - level))
    rows = [
        (t.topic, t.retrieved, t.found, t.sampled, t.relevant, t.missed, t.recall, t.low, t.high)
        for t in topics
    ]
    return SampledRecalls(
        sentences=list(_sentences(topics)),
        tables={"recall": Table(HEADERS, rows)},
        captions={"recall": f"Recall estimated from a sample, with {100 * level:g} % intervals."},
        title="Recall by sample analysis",
        settings={"docs": docs, "rel": rel, "level": level},
        topics=topics,
    )


def _estimates(
    judged: Mapping[str, Mapping[str, float]],
    sampled: Mapping[str, Mapping[str, float]],
    results: Mapping[str, Mapping[str, float]],
    docs: int,
    rel: float,
    alpha: float,
) -> Iterator[SampledRecall]:
    for topic, sample in sampled.items():
        retrieved = results.get(topic, {})
        known = (sample, judged.get(topic, {}))  # either is enough to call a document relevant
        found = sum(any(grades.get(doc, -math.inf) >= rel for grades in known) for doc in retrieved)
        outside = [grade for doc, grade in sample.items() if doc not in retrieved]
        rest, relevant = docs - len(retrieved), sum(grade >= rel for grade in outside)
        if rest < len(outside):
            raise OptionError(
                f"docs={docs} cannot be the number of documents in the collection: for topic {topic!r}, "
                f"{len(retrieved)} were retrieved and {len(outside)} others are in the sample"
            )
        least, most = interval(relevant, len(outside), rest, alpha)
        missed = rest * relevant / len(outside) if outside else math.nan if rest else 0.0
        yield SampledRecall(topic, len(retrieved), found, len(outside), relevant, missed, least, most)


def interval(relevant: int, sampled: int, total: int, alpha: float) -> tuple[int, int]:
    """The fewest and the most relevant documents among `total`, by a sample of them.

    With those numbers, so many relevant documents or more, and so many or fewer, have a probability above
    alpha / 2.
    """
    hypergeom = required_module("scipy.stats").hypergeom  # slow to import
    numbers = range(relevant, total - (sampled - relevant) + 1)

    def as_many_or_more(number: int) -> float:
        return float(hypergeom.sf(relevant - 1, total, number, sampled))

    def as_many_or_fewer(number: int) -> float:
        return float(hypergeom.cdf(relevant, total, number, sampled))

    # The first of these probabilities rises with the number, the second falls.
    low = bisect_right(numbers, alpha / 2, key=as_many_or_more)
    high = bisect_left(numbers, -alpha / 2, key=lambda number: -as_many_or_fewer(number)) - 1
    return numbers[low], numbers[high]


def _sentences(topics: tuple[SampledRecall, ...]) -> Iterator[str]:
    known = [t.recall for t in topics if not math.isnan(t.recall)]
    if known:
        mean = math.fsum(known) / len(known)
        yield f"Mean recall of {counted(len(known), 'topic')}: {mean:.4f}, by the sample."
    empty = [t for t in topics if t.found and t.sampled and not t.relevant]
    if empty:
        yield (
            f"{counted(len(empty), 'topic')} without a relevant document in the sample: recall there seems "
            f"to be 1, but may be as low as {min(t.low for t in empty):.4f}."
        )
