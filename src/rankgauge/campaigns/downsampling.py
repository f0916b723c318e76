"""Samples of judgments, stratified by topic and grade (Buckley & Voorhees 2004; Ferro et al. 2016).

The documents of each grade are shuffled, and a sample takes the first of each. Samples of one shuffle are
nested.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rankgauge.campaigns.options import SEED
from rankgauge.errors import OptionError
from rankgauge.measures.rankings.array_types import Bools, Ints
from rankgauge.model.qrels import Qrels
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import format_number

LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10  # of each relevant grade, and of all non-relevant documents


def downsample(qrels: Any, percent: float, *, seed: int = SEED, shuffle: int = 0) -> Qrels:
    """A random sample of `percent` per cent of the judgments of each topic and grade.

    Of D documents ⌊percent·D/100⌋ are taken, but at least 1 of each relevant grade and 10 non-relevant ones,
    if there are as many. A document is relevant if its grade is above 0. Samples with the same `seed` and
    `shuffle` are nested; another shuffle is another sample.

    >>> downsample({"q1": {f"d{i}": 1 for i in range(9)}}, 50)
    Qrels 'qrels, 50%, seed 1, shuffle 0': 1 topic, 4 judgments, grades 1 to 1
    """
    complete = Qrels.of(qrels)
    sample = complete.only(Strata.shuffled(complete, seed, shuffle).sample(percent))
    return replace(sample, name=f"{complete.name}, {format_number(percent)}%, seed {seed}, shuffle {shuffle}")


@dataclass(frozen=True)
class Strata:
    """The judgments of each topic and grade in random order."""

    place: Ints  # (judgments,) the place in its stratum, from 0
    size: Ints  # (judgments,) the number of documents in its stratum
    relevant: Bools

    @classmethod
    def shuffled(cls, qrels: Qrels, seed: int = SEED, shuffle: int = 0) -> Strata:
        """The strata of judgments; only the seed and the shuffle decide the order within them."""
        whole_number("seed", seed, 0)
        whole_number("shuffle", shuffle, 0)
        grades, topics = qrels.sorted_grades, np.diff(qrels.starts)
        # Raw bits: NumPy may change its shuffling, but not these.
        random = np.random.PCG64([seed, shuffle]).random_raw(len(grades))
        topic, grade = np.repeat(np.arange(len(topics)), topics), np.maximum(grades, 0)
        order = np.lexsort((random, grade, topic))
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = (np.diff(topic[order]) != 0) | (np.diff(grade[order]) != 0)
        begins = np.flatnonzero(fresh)
        sizes = np.diff(np.append(begins, len(order)))
        place, size = np.empty((2, len(order)), dtype=np.int64)
        place[order] = np.arange(len(order)) - np.repeat(begins, sizes)
        size[order] = np.repeat(sizes, sizes)
        return cls(place, size, grades > 0)

    def sample(self, percent: float) -> Bools:
        """(judgments,) whether a sample of `percent` per cent has it; ordered as `Qrels.sorted_grades`."""
        return self.place < sample_sizes(percent, self.size, self.relevant)


def sample_sizes(percent: float, size: Ints, relevant: Bools) -> Ints:
    """The number of documents taken from strata of these sizes; one above the size means all."""
    if not is_number(percent) or not 0 < percent <= 100:
        raise OptionError(f"percent must be above 0 and at most 100, not {percent!r}")
    share = (
        Fraction(format_number(percent)) / 100
    )  # of the decimal text: 0.29 of 100 is 29, which floats miss
    distinct, places = np.unique(size, return_inverse=True)
    counts = np.array([int(share * int(documents)) for documents in distinct], dtype=np.int64)
    return np.maximum(counts[places], np.where(relevant, LEAST_RELEVANT, LEAST_NONRELEVANT))
