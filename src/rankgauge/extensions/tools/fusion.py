"""Fusion: one run made of several, a block of topics (an array of runs by documents) at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.engines.local.document_ranks import each_part, in_parts
from rankgauge.engines.run_inputs import RunInput, load_run, resolve_runs
from rankgauge.engines.threads import available, in_threads
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.extensions.tools.fusion_methods import FUSION_METHODS, NORMALISATIONS, Block, Lists
from rankgauge.formats.columns import Floats, Ints, joined_ids
from rankgauge.formats.files import write_parts
from rankgauge.formats.problems import quote
from rankgauge.model.rules import TIES, DocumentOrder, OrderInputs, Reading
from rankgauge.model.run import Run
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import Number, Text, Whole
from rankgauge.schema.stopping import checkpoint

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on


LARGEST: Any = sys.float_info.max
METHOD, NORMALISATION = "rrf", "min-max"  # the defaults
ROWS = 1 << 16  # of all runs together in a block, more only if a single topic has more


def fuse(
    runs: Any,
    method: str = METHOD,
    *,
    normalise: str | None = None,
    weights: Mapping[str, float] | Sequence[float] | None = None,
    k: Annotated[float | None, Number(), "the constant of rrf (default 60)"] = None,
    depth: Annotated[int | None, Whole(), "documents per topic (default: all)"] = None,
    name: Annotated[str, Text(), "the tag of the run"] = "fused",
    threads: int | None = None,
    **options: Unpack[OrderInputs],
) -> Run:
    """The run that combines several runs, its documents in the order of their fused scores.

    `method` and `normalise` are names of `FUSION_METHODS` and `NORMALISATIONS`; scores are normalised by
    min-max unless specified, and methods that use ranks need no normalisation. `weights` of the runs, in
    their order or by name, are for wsum, wmnz, mixed, borda and rrf, `k` is for rrf. A topic has the
    documents of all runs, or the first `depth` of them. A run that did not retrieve a document gives it no
    score (Borda's method: an equal share of the points that it has left). Runs, and the rules for their order
    of documents, are those of `rankgauge.evaluate`.

    >>> bm25, dense = {"q1": {"d1": 12.1, "d2": 9.7}}, {"q1": {"d2": 0.8, "d3": 0.7}}
    >>> fuse([bm25, dense], "sum").to_dict()
    {'q1': {'d2': 1.0, 'd1': 1.0, 'd3': 0.0}}
    """
    given: dict[str, Any] = {"normalise": normalise, "weights": weights, "k": k, "depth": depth, "name": name}
    parts = in_parts(*_prepared(runs, method, **given, **options), available(threads))
    firsts = np.cumsum([0, *(len(part.topics) for part in parts[:-1])])
    topic = np.concatenate([part.topic + first for part, first in zip(parts, firsts, strict=True)])
    topics, docs = (joined_ids([getattr(part, each) for part in parts]) for each in ("topics", "docs"))
    scores, ranks = (np.concatenate([getattr(part, each) for part in parts]) for each in ("scores", "ranks"))
    return Run(name, topics, topic, docs, scores, ranks)


def write_fused(
    path: str, format: str | None, runs: Any, method: str, threads: int | None, **options: Any
) -> bool:
    """Write the fused run part by part; False if it is to be written whole."""
    with suppress(RankgaugeError):  # whose message is that of the whole
        parts = each_part(*_prepared(runs, method, **options), available(threads))
        return write_parts((part.columns() for part in parts), path, format)
    return False


def _prepared(
    runs: Any, method: str, *, normalise: Any, weights: Any, k: Any, depth: Any, name: str, **options: Any
) -> tuple[list[RunInput], DocumentOrder, Callable[[Sequence[Run], int], Run]]:
    """(the runs, their order, how they become one)."""
    reading = Reading.of(options, OrderInputs)
    order = reading.order.require_one_order("fusion needs")
    if depth is not None:
        whole_number("depth", depth)
    inputs = resolve_runs(runs, reading)
    recipe = Recipe.of(method, normalise, parameters_of(method, [run.name for run in inputs], weights, k))

    def fused(some: Sequence[Run], several: int) -> Run:
        return SortedRuns.of(some, order, several).fused(recipe, depth, name, several)

    return inputs, order, fused


class Recipe(Frozen, eq=False):
    """How runs are fused."""

    method: Any
    normalisation: Any
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, method: str, normalise: str | None, parameters: Mapping[str, Any]) -> Recipe:
        """A method and a normalisation by name."""
        chosen = FUSION_METHODS.find(str(method))
        if chosen.ranks and normalise is not None:
            raise OptionError(
                f"{chosen.name} uses ranks, not scores; leave out the normalisation {normalise!r}"
            )
        scaling = NORMALISATIONS.find(NORMALISATION if normalise is None else str(normalise))
        return cls(chosen, scaling, parameters)

    @property
    def needs_ranks(self) -> bool:
        """Whether the ranks of results are used."""
        return bool(self.method.ranks or self.normalisation.ranks)


def parameters_of(
    method: str,
    names: Sequence[str],
    weights: Mapping[str, float] | Sequence[float] | None,
    k: float | None,
    tuned: bool = False,
) -> dict[str, Any]:
    """The checked parameters of a method; weights are an array in the order of the runs.

    If others are tuned, none is required.
    """
    known = FUSION_METHODS.find(str(method))
    given: dict[str, Any] = {
        name: value for name, value in (("weights", weights), ("k", k)) if value is not None
    }
    for name in given:
        if name not in known.parameters:
            having = ", ".join(each.name for each in FUSION_METHODS.values() if name in each.parameters)
            raise OptionError(
                f"the fusion method {known.name} takes no {name}; leave out {name}, or use {having}"
            )
    if known.name == "wsum" and weights is None and not tuned:
        raise OptionError(
            "the fusion method wsum needs weights, one for each run; sum weights all runs equally"
        )
    if k is not None and not (_is_finite(k) and k >= 0):
        raise OptionError(f"k must be a number of at least 0, such as 60, not {k!r}")
    if isinstance(weights, Mapping):
        if weights.keys() != {*names}:
            raise OptionError(
                f"weights are of the runs {', '.join(map(str, weights))}; the runs are {', '.join(names)}"
            )
        weights = [weights[name] for name in names]
    if weights is not None:
        values = [*weights] if isinstance(weights, Iterable) else []
        if not values or not all(map(_is_finite, values)):
            raise OptionError(f"weights must be finite numbers, one for each run, not {weights!r}")
        if len(values) != len(names):
            raise OptionError(f"there are {len(values)} weights for {len(names)} runs; pass one for each run")
        given["weights"] = np.array(values, dtype=np.float64)
    return given


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and abs(value) <= LARGEST


def ranks_of(lists: Ints, docs: Ids, scores: Floats, column: Ints | None, rules: Sequence[str]) -> Ints:
    """(rows,): the rank of each document in its list."""
    return np.frombuffer(core.ranks(lists, docs.data, docs.offsets, scores, column, *rules), np.int64)


class SortedRun(Frozen, eq=False):
    """A run whose rows are sorted by topic, in the order of topics of several runs."""

    docs: Ids
    scores: Floats
    column: Ints | None  # of ranks, if the order of documents is by these
    starts: Ints  # (topics + 1,) where the rows of each topic begin


class SortedRuns(Frozen, eq=False):
    """Several runs sorted by the same topics."""

    topics: Ids
    runs: Sequence[SortedRun]
    order: DocumentOrder

    @classmethod
    def read(cls, inputs: Sequence[RunInput], order: DocumentOrder, threads: int) -> SortedRuns:
        """The runs in memory, sorted."""
        return cls.of(in_threads(lambda run: load_run(run.open(), order), inputs, threads), order, threads)

    @classmethod
    def of(cls, runs: Sequence[Run], order: DocumentOrder, threads: int) -> SortedRuns:
        """The runs, sorted by topic as these first occur."""
        names = dict.fromkeys(topic for run in runs for topic in run.topics)
        numbers = {topic: number for number, topic in enumerate(names)}

        def arranged(run: Run) -> SortedRun:
            checkpoint()
            if order.needs_ranks and run.ranks is None:
                raise order.no_ranks()
            topic = np.array([numbers[each] for each in run.topics], dtype=np.int64)[run.topic]
            starts = np.append(0, np.cumsum(np.bincount(topic, minlength=len(numbers))))
            column = run.ranks if order.needs_ranks else None
            if (topic[1:] >= topic[:-1]).all():
                return SortedRun(run.docs, run.scores, column, starts)
            rows = np.argsort(topic, kind="stable")
            column = None if column is None else column[rows]
            return SortedRun(run.docs.take(rows), run.scores[rows], column, starts)

        return cls(Ids.of(numbers), in_threads(arranged, runs, threads), order)

    def only(self, topics: Sequence[int]) -> SortedRuns:
        """The rows of topics at some places."""

        def part(run: SortedRun) -> SortedRun:
            rows = np.concatenate([np.arange(*run.starts[place : place + 2]) for place in topics])
            starts = np.append(0, np.cumsum(np.diff(run.starts)[topics]))
            column = None if run.column is None else run.column[rows]
            return SortedRun(run.docs.take(rows), run.scores[rows], column, starts)

        return self._replace(
            topics=self.topics.take(np.array(topics, dtype=np.int64)), runs=[part(run) for run in self.runs]
        )

    def ranges(self) -> list[slice]:
        """Ranges of topics that are fused together."""
        ends = np.sum([run.starts for run in self.runs], axis=0)
        begin, ranges = 0, []
        while begin < len(self.topics):
            end = max(begin + 1, int(np.searchsorted(ends, ends[begin] + ROWS, side="right")) - 1)
            ranges.append(slice(begin, end))
            begin = end
        return ranges

    def block(self, topics: slice, recipe: Recipe) -> tuple[Block, Ids]:
        """(the results for a range of topics, the document of each column)."""
        starts = np.array([run.starts[topics.start : topics.stop + 1] for run in self.runs])
        retrieved = np.diff(starts, axis=1)
        parts = [
            (run, slice(first, last))
            for run, (first, last) in zip(self.runs, starts[:, [0, -1]].tolist(), strict=True)
        ]
        docs = joined_ids([run.docs.part(rows) for run, rows in parts])
        scores = np.concatenate([run.scores[rows] for run, rows in parts])
        of_list = np.repeat(np.arange(retrieved.size), retrieved.ravel())  # lists of runs, topic by topic
        topic = of_list % retrieved.shape[1]
        again, first = (
            np.frombuffer(each, dtype=np.int64) for each in core.duplicates(topic, docs.data, docs.offsets)
        )
        new = np.ones(len(docs), dtype=np.bool_)
        new[again] = False
        number = np.cumsum(new) - 1
        number[again] = number[first]
        distinct = np.flatnonzero(new)
        cell = of_list // retrieved.shape[1] * len(distinct) + number

        def placed(values: Any, absent: Any) -> Any:
            table = np.full(len(self.runs) * len(distinct), absent)
            table[cell] = values
            return table.reshape(len(self.runs), -1)

        sizes = retrieved[retrieved > 0]
        firsts = np.cumsum(sizes) - sizes
        ranks, unused = None, np.empty(0)
        if recipe.needs_ranks:
            descends = scores[1:] < scores[:-1]
            descends[firsts[1:] - 1] = True
            rules = self.order.core_rules()
            if descends.all() and rules[0] == "score" and rules[2] == "double":  # as most runs are
                ranks = np.arange(1, len(scores) + 1) - np.repeat(firsts, sizes)
            else:
                columns = [run.column[rows] for run, rows in parts if run.column is not None]
                given = np.concatenate(columns) if columns else None
                ranks = ranks_of(of_list, docs, scores, given, rules)
        lists = Lists(scores, firsts, sizes, ranks)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused once it is fused
            scaled = unused if recipe.method.ranks else placed(recipe.normalisation.function(lists), 0.0)
        return Block(
            cell,
            scaled,
            placed(ranks, np.inf) if recipe.method.ranks else unused,
            retrieved,
            topic[distinct],
        ), docs.take(distinct)

    def blocks(self, recipe: Recipe, threads: int) -> list[tuple[slice, Block, Ids]]:
        """All topics, to be fused with different parameters of a method."""
        return in_threads(lambda topics: (topics, *self.block(topics, recipe)), self.ranges(), threads)

    def fused(
        self,
        recipe: Recipe,
        depth: int | None,
        name: str,
        threads: int,
        blocks: Sequence[tuple[slice, Block, Ids]] = (),
    ) -> Run:
        """The run made of these runs, with the first `depth` documents of each topic, or all."""
        ties = TIES.default if self.order.needs_ranks else self.order.ties

        def part(topics: slice, block: Block, docs: Ids) -> tuple[Ints, Ids, Floats, Ints]:
            checkpoint()
            with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
                scores = recipe.method.function(block, **recipe.parameters)
            topic = topics.start + block.topic
            if not np.isfinite(scores).all():
                bad = int(np.argmin(np.isfinite(scores)))
                place = f"topic {quote(self.topics[int(topic[bad])])}, document {quote(docs[bad])}"
                raise InputError(
                    f"{place}: the fused score is {scores[bad]}, since a score is infinite or too large; use "
                    f"a method that uses ranks, such as {METHOD}"
                )
            rank = ranks_of(block.topic, docs, scores, None, ("score", ties, "double"))
            sizes = np.bincount(block.topic)
            rows = np.empty_like(rank)
            rows[(np.cumsum(sizes) - sizes)[block.topic] + rank - 1] = np.arange(len(rank))
            rank = rank[rows]
            kept = slice(None) if depth is None else rank <= depth
            return topic[rows[kept]], docs.take(rows[kept]), scores[rows[kept]], rank[kept]

        parts = (
            in_threads(lambda each: part(*each), blocks, threads)
            if blocks
            else in_threads(lambda each: part(each, *self.block(each, recipe)), self.ranges(), threads)
        )
        topic, docs, scores, rank = zip(*parts, strict=True)
        columns = np.concatenate(topic), joined_ids(docs), np.concatenate(scores), np.concatenate(rank)
        return Run(name, self.topics, *columns)
