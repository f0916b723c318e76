"""Fewer judgments than there are: samples of them, drawn topic by topic and grade by grade.

The method of Buckley and Voorhees (2004), for grades of relevance as in Ferro et al. (2016): the documents
of each grade stand in random order, and a sample is the first of each. Samples of one shuffle are
nested: each smaller one is part of each larger one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rankgauge.errors import OptionError
from rankgauge.model.qrels import Qrels
from rankgauge.rankings.arrays.curves import Bools, Ints
from rankgauge.schema.checks import whole_number
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import format_number
from rankgauge.studies.parameters import SEED

LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10  # of each relevant grade, and of all that are not relevant


def downsample(qrels: Any, percent: float, *, seed: int = SEED, shuffle: int = 0) -> Qrels:
    """So many per cent of the judgments of each topic and grade, taken at random.

    Of D documents ⌊percent·D/100⌋ are taken, at least 1 of each relevant grade and 10 that are not
    relevant, as far as there are any. A document is relevant if its grade is above 0. Samples with the same
    `seed` and `shuffle` are nested; another shuffle is another sample.

    >>> downsample({"q1": {f"d{i}": 1 for i in range(9)}}, 50)
    Qrels 'qrels, 50%, seed 1, shuffle 0': 1 topic, 4 judgments, grades 1 to 1
    """
    complete = Qrels.of(qrels)
    sample = complete.only(Strata.shuffled(complete, seed, shuffle).sample(percent))
    return replace(sample, name=f"{complete.name}, {format_number(percent)}%, seed {seed}, shuffle {shuffle}")


@dataclass(frozen=True)
class Strata:
    """The judgments of a topic and grade in random order: samples are taken from the top."""

    place: Ints  # (judgments,) place of each in its stratum, from 0
    size: Ints  # (judgments,) documents of its stratum
    relevant: Bools

    @classmethod
    def shuffled(cls, qrels: Qrels, seed: int = SEED, shuffle: int = 0) -> Strata:
        """The strata of judgments; the order within them depends on the seed and the shuffle alone."""
        whole_number("seed", seed, 0)
        whole_number("shuffle", shuffle, 0)
        grades, topics = qrels.sorted_grades, np.diff(qrels.starts)
        # Raw bits: NumPy may change how it shuffles, but not these.
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
        """(judgments,) which a sample of so many per cent has, in the order of `Qrels.sorted_grades`."""
        return self.place < taken(percent, self.size, self.relevant)


def taken(percent: float, size: Ints, relevant: Bools) -> Ints:
    """How many documents are taken of strata of these sizes; more than there are means all of them."""
    if not is_number(percent) or not 0 < percent <= 100:
        raise OptionError(f"a sample is above 0 and up to 100 per cent, not {percent!r}")
    share = Fraction(format_number(percent)) / 100  # as it is written: 0.29 of 100 is 29, which doubles miss
    distinct, places = np.unique(size, return_inverse=True)
    counts = np.array([int(share * int(documents)) for documents in distinct], dtype=np.int64)
    return np.maximum(counts[places], np.where(relevant, LEAST_RELEVANT, LEAST_NONRELEVANT))
