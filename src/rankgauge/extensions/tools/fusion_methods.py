"""Methods of fusion and normalisations of scores: functions of arrays.

A method takes a `Block` and returns a score per document, a normalisation takes `Lists` of runs and returns a
score per result. Where tools differ, definitions are those of ranx: a denominator is never below 1e-9.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankgauge.formats.columns import Floats, Ints
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.registry import Registry, guarded

SMALLEST = 1e-9  # denominator, as in ranx
F = TypeVar("F", bound=Callable[..., Any])


class Lists(Frozen, eq=False):
    """Ranked lists, each of one run for one topic; none is empty."""

    scores: Floats  # (results,)
    starts: Ints  # (lists,) the first result of each
    sizes: Ints  # (lists,)
    ranks: Ints | None = None  # (results,) if the normalisation uses them

    @cached_property
    def above(self) -> Floats:
        """(results,): scores less the lowest of their list."""
        result: Floats = self.scores - self.spread(np.minimum.reduceat(self.scores, self.starts))
        return result

    def spread(self, values: Floats) -> Floats:
        """(results,): the value of the list of every result."""
        return np.repeat(values, self.sizes)

    def scaled(self, values: Floats, denominators: Floats) -> Floats:
        """Values divided by the denominator of their list."""
        result: Floats = values / self.spread(np.maximum(denominators, SMALLEST))
        return result

    def totals(self, values: Floats) -> Floats:
        """(lists,): the sums of the values of results, added in ascending order, whatever that of rows is."""
        lists = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return np.add.reduceat(values[np.lexsort((values, lists))], self.starts)


class Block(Frozen, eq=False):
    """The results of all runs for some topics, with a column per topic and document."""

    cells: Ints  # (results,) the place of each in the arrays of runs by documents
    scores: Floats  # (runs, documents) normalised; 0 where the run did not retrieve the document
    ranks: Floats  # (runs, documents) infinite where the run did not retrieve it; empty if they are not used
    retrieved: Ints  # (runs, topics) the number of results
    topic: Ints  # (documents,)

    @cached_property
    def found(self) -> npt.NDArray[np.bool_]:
        """(runs, documents): whether the run retrieved the document."""
        table = np.zeros(len(self.retrieved) * len(self.topic), dtype=np.bool_)
        table[self.cells] = True
        return table.reshape(len(self.retrieved), -1)

    @property
    def count(self) -> Ints:
        """(documents,): the number of runs that retrieved the document."""
        result: Ints = np.count_nonzero(self.found, axis=0)
        return result


class FusionMethod(Frozen, eq=False):
    """A way to combine the results of several runs."""

    name: str
    title: str
    cite: str
    function: Callable[..., Floats]
    help: str
    ranks: bool  # whether it uses ranks, and no scores
    parameters: tuple[str, ...]
    spellings: tuple[str, ...]


class Normalisation(Frozen, eq=False):
    """A way to make the scores of several runs comparable, topic by topic."""

    name: str
    title: str
    function: Callable[[Lists], Floats]
    help: str
    ranks: bool  # whether it uses ranks, and no scores
    spellings: tuple[str, ...]


FUSION_METHODS: Registry[FusionMethod] = Registry(
    "rankgauge.fusion_methods", "fusion method", [__name__], spellings=lambda each: each.spellings
)
NORMALISATIONS: Registry[Normalisation] = Registry(
    "rankgauge.normalisations", "normalisation", [__name__], spellings=lambda each: each.spellings
)


def fusion_method(name: str, *spellings: str, title: str, cite: str, ranks: bool = False) -> Callable[[F], F]:
    """Register the decorated function as a method of fusion and return it unchanged."""

    def register(function: F) -> F:
        safe, text = guarded("fusion method", name, function), inspect.getdoc(function) or ""
        parameters = tuple(inspect.signature(function).parameters)[1:]
        method = FusionMethod(name, title, cite, safe, text, ranks, parameters, spellings)
        FUSION_METHODS.add(name, method, function)
        return function

    return register


def normalisation(name: str, *spellings: str, title: str, ranks: bool = False) -> Callable[[F], F]:
    """Register the decorated function as a normalisation and return it unchanged."""

    def register(function: F) -> F:
        safe, text = guarded("normalisation", name, function), inspect.getdoc(function) or ""
        NORMALISATIONS.add(name, Normalisation(name, title, safe, text, ranks, spellings), function)
        return function

    return register


def over_runs(values: Floats) -> Floats:
    """(documents,): sums over runs, added in their order."""
    result: Floats = values.sum(axis=0)
    return result


def weighted(values: Floats | npt.NDArray[np.bool_], weights: Floats | None) -> Floats:
    """(runs, documents): values times the weight of their run, if there are weights."""
    return np.asarray(values, dtype=np.float64) if weights is None else weights[:, None] * values


FOX_SHAW, WU_CRESTANI = "Fox & Shaw 1993", "Wu & Crestani 2002"
MOURAO = "Mourão, Martins & Magalhães 2015"


@fusion_method("rrf", title="reciprocal rank fusion", cite="Cormack, Clarke & Büttcher 2009", ranks=True)
def rrf(block: Block, k: float = 60, weights: Floats | None = None) -> Floats:
    """The sum of 1 / (k + rank), each times the weight of its run, if there are weights."""
    return over_runs(weighted(1 / (k + block.ranks), weights))


@fusion_method("sum", "CombSUM", title="CombSUM, the sum of scores", cite=FOX_SHAW)
def comb_sum(block: Block) -> Floats:
    """The sum of the scores."""
    return over_runs(block.scores)


@fusion_method("mnz", "CombMNZ", title="CombMNZ, the sum of scores times the number of runs", cite=FOX_SHAW)
def comb_mnz(block: Block) -> Floats:
    """The sum of the scores, times the number of runs that retrieved the document."""
    return comb_sum(block) * block.count


@fusion_method("anz", "CombANZ", title="CombANZ, the mean score", cite=FOX_SHAW)
def comb_anz(block: Block) -> Floats:
    """The mean score over the runs that retrieved the document."""
    return comb_sum(block) / block.count


@fusion_method("max", "CombMAX", title="CombMAX, the highest score", cite=FOX_SHAW)
def comb_max(block: Block) -> Floats:
    """The highest score among the runs that retrieved the document."""
    highest: Floats = np.where(block.found, block.scores, -np.inf).max(axis=0)
    return highest


@fusion_method("min", "CombMIN", title="CombMIN, the lowest score", cite=FOX_SHAW)
def comb_min(block: Block) -> Floats:
    """The lowest score among the runs that retrieved the document."""
    lowest: Floats = np.where(block.found, block.scores, np.inf).min(axis=0)
    return lowest


@fusion_method("med", "CombMED", title="CombMED, the median score", cite=FOX_SHAW)
def comb_med(block: Block) -> Floats:
    """The median score over the runs that retrieved the document."""
    ordered = np.sort(np.where(block.found, block.scores, np.inf), axis=0) / 2  # before they are added
    count, column = block.count, np.arange(len(block.topic))
    median: Floats = ordered[(count - 1) // 2, column] + ordered[count // 2, column]
    return median


@fusion_method("wsum", "weighted sum", title="weighted sum of scores", cite="Vogt & Cottrell 1999")
def weighted_sum(block: Block, weights: Floats) -> Floats:
    """The sum of the scores, each times the weight of its run."""
    return over_runs(weighted(block.scores, weights))


@fusion_method("wmnz", title="sum of scores times the sum of weights", cite=WU_CRESTANI)
def weighted_mnz(block: Block, weights: Floats | None = None) -> Floats:
    """The sum of the scores, times the weights of the runs that retrieved the document (1 by default)."""
    return comb_sum(block) * over_runs(weighted(block.found, weights))


@fusion_method("mixed", title="weighted sum of scores times √ of the number of runs", cite=WU_CRESTANI)
def mixed(block: Block, weights: Floats | None = None) -> Floats:
    """The weighted sum of the scores, times √ of the number of runs that retrieved the document."""
    return over_runs(weighted(block.scores, weights)) * np.sqrt(block.count)


@fusion_method("borda", "bordafuse", title="Borda count", cite="Aslam & Montague 2001", ranks=True)
def borda(block: Block, weights: Floats | None = None) -> Floats:
    """The sum of points: of c documents in all runs, the first gets c points, the next c - 1, and so on.

    The points of a run are multiplied by its weight, if there are weights.

    Documents that a run did not retrieve share the points that it has left equally.
    """
    pool = np.bincount(block.topic)
    left = (pool - block.retrieved + 1) / 2
    points = np.where(block.found, pool[block.topic] - block.ranks + 1, left[:, block.topic])
    return over_runs(weighted(points, weights))


@fusion_method("isr", title="inverse square rank", cite=MOURAO, ranks=True)
def isr(block: Block) -> Floats:
    """The sum of 1 / rank², times the number of runs that retrieved the document."""
    return over_runs(1 / block.ranks**2) * block.count


@fusion_method("log_isr", title="logarithmic inverse square rank", cite=MOURAO, ranks=True)
def log_isr(block: Block) -> Floats:
    """The sum of 1 / rank², times the logarithm of the number of runs that retrieved the document."""
    return over_runs(1 / block.ranks**2) * np.log(block.count)


@normalisation("min-max", title="the lowest score becomes 0, the highest 1")
def min_max(lists: Lists) -> Floats:
    """(score - lowest) / (highest - lowest)."""
    return lists.scaled(lists.above, np.maximum.reduceat(lists.above, lists.starts))


@normalisation("max", title="the highest score becomes 1")
def maximum(lists: Lists) -> Floats:
    """Score / highest; meant for positive scores."""
    return lists.scaled(lists.scores, np.maximum.reduceat(lists.scores, lists.starts))


@normalisation("sum", title="the lowest score becomes 0, the sum of scores 1")
def total(lists: Lists) -> Floats:
    """(score - lowest) / the sum of these differences."""
    return lists.scaled(lists.above, lists.totals(lists.above))


@normalisation("z-score", "zmuv", title="the mean becomes 0, the standard deviation 1")
def z_score(lists: Lists) -> Floats:
    """(score - mean) / standard deviation, that of the results themselves (the divisor is their number)."""
    above = lists.above  # so that equal scores become 0, whatever their mean is rounded to
    centred = above - lists.spread(lists.totals(above) / lists.sizes)
    return lists.scaled(centred, np.sqrt(lists.totals(centred**2) / lists.sizes))


@normalisation("rank", title="the first of n results becomes 1, the next 1 - 1/n, and so on", ranks=True)
def rank(lists: Lists) -> Floats:
    """1 - (rank - 1) / number of results."""
    assert lists.ranks is not None
    return 1 - (lists.ranks - 1) / np.repeat(lists.sizes, lists.sizes)


@normalisation("none", title="scores stay as they are")
def none(lists: Lists) -> Floats:
    """Meant for scores of one scale."""
    return lists.scores
