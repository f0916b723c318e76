"""Samples of pools: documents drawn at random from the strata of a pool, for people to judge."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.extensions.judging.document_sample import NOT_DRAWN, TO_JUDGE
from rankgauge.extensions.judging.pooling import DocumentPool
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.options import whole_number

BANDS = {10: "1-10", 30: "11-30"}  # {last rank: name}, of the best rank in any run
DEEP, UNJUDGED, ALL = "31+", "none", "all"


def sample(pool: DocumentPool, size: int, *, llm_qrels: Any = None, seed: int = 0) -> SubtopicQrels:
    """The documents of a pool with their strata, of which `size` per topic are drawn at random.

    Strata are defined by the grade in `llm_qrels`, the best rank in any run, and whether the runs disagree:
    more than a quarter and fewer than three quarters of them have the document. They are joined, the last
    criterion first, until at least two documents can be drawn from each on average. At least two are, and
    more by the square root of its size. The seed and the topic decide which.

    Documents to judge have grade -2, others -1 (`model.document_sample`).

    >>> from rankgauge.extensions.judging import pool
    >>> drawn = sample(pool({"bm25": {"q1": {"d1": 0.9, "d2": 0.5}}}), 1)
    >>> drawn.to_dict()
    {'q1': {'all': {'d1': -1, 'd2': -2}}}
    """
    whole_number("sample", size)
    whole_number("seed", seed, 0)
    facets = _facets(pool, None if llm_qrels is None else Qrels.of(llm_qrels))
    strata, grades = [""] * len(pool), np.full(len(pool), NOT_DRAWN)
    for topic, (begin, end) in zip(pool.topics, pairwise(pool.starts.tolist()), strict=True):
        strata[begin:end] = _joined(facets[begin:end], size)
        members: dict[str, list[int]] = {}
        for place in range(begin, end):
            members.setdefault(strata[place], []).append(place)
        draw = random.Random(f"{seed} {topic}")
        for stratum, count in _allocation(
            {each: len(members[each]) for each in sorted(members)}, size
        ).items():
            grades[draw.sample(members[stratum], count)] = TO_JUDGE
    return SubtopicQrels(Ids.of(pool.topics), pool.topic, pool.docs, grades, Ids.of(strata), name="sample")


def _facets(pool: DocumentPool, llm: Qrels | None) -> list[tuple[str, str, str]]:
    """(grade, band of ranks, whether runs disagree) of each document."""
    topics = (pool.topics[number] for number in pool.topic.tolist())
    known = {topic: {} if llm is None else llm.grades_of(topic) for topic in pool.topics}
    found = (known[topic].get(doc) for topic, doc in zip(topics, pool.docs.texts(), strict=True))
    grades = (UNJUDGED if grade is None else f"{grade:g}" for grade in found)
    names = (*BANDS.values(), DEEP)
    bands = (names[place] for place in np.searchsorted([*BANDS], pool.best).tolist())
    share = pool.votes / len(pool.runs)
    split = np.where((share > 0.25) & (share < 0.75), "split", "agreed").tolist()
    return [*zip(grades, bands, split, strict=True)]


def _joined(facets: Sequence[tuple[str, ...]], size: int) -> list[str]:
    """The finest strata of which there are at most half as many as documents to draw."""
    for depth in (3, 2, 1):
        strata = ["/".join(facet[:depth]) for facet in facets]
        if len({*strata}) <= size / 2:
            return strata
    return [ALL] * len(facets)


def _allocation(sizes: dict[str, int], size: int) -> dict[str, int]:
    """Documents to draw from each stratum: two, and then by the square root of its size."""
    counts = {each: min(2, size, of) for each, of in sizes.items()}  # pairs are needed to estimate AP
    for _ in range(min(size, sum(sizes.values())) - sum(counts.values())):
        left = (each for each in sizes if counts[each] < sizes[each])
        counts[max(left, key=lambda each: math.sqrt(sizes[each]) / counts[each])] += 1
    return counts
