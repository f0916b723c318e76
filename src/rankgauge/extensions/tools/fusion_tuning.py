"""Fusion with weights and constants chosen by cross-validation over topics."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from rankgauge.engines.threads import available
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.extensions.tools.fusion import Recipe, SortedRuns, parameters_of
from rankgauge.extensions.tools.fusion_methods import FUSION_METHODS
from rankgauge.formats.columns import joined_ids
from rankgauge.measures import Measure
from rankgauge.model.output.tables import Table
from rankgauge.model.rules import Inputs
from rankgauge.model.run import Run
from rankgauge.model.scores import Scores
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import Whole
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on


METHOD, FOLDS, SEED = "wsum", 5, 0  # the defaults
STEPS = 10  # weights are multiples of a tenth
CONSTANTS = (60, 50, 70, 40, 80, 30, 90, 20, 100, 10, 5, 1)  # k of rrf; of equal values, the first wins
MAX_TRIALS = 300  # with more combinations of parameters, as many are drawn at random


class Fold(Frozen, eq=False):
    """Topics that are fused with parameters chosen on the others."""

    topics: tuple[str, ...]
    parameters: Mapping[str, Any]
    chosen_on: float  # the mean over the topics that the parameters were chosen on
    held_out: float  # the mean over these topics


class TunedFusion(Frozen, eq=False):
    """A fused run, and how its parameters were chosen."""

    run: Run
    names: tuple[str, ...]  # of the runs
    method: str
    measure: str
    folds: tuple[Fold, ...]
    parameters: Mapping[str, Any]  # chosen on all judged topics: for other topics
    scores: Scores  # of the fused run: each topic was held out when its parameters were chosen
    trials: int  # the number of combinations of parameters that were tried
    seed: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """How parameters were chosen, and what they are worth."""
        return (
            f"{self.method}, tuned for {self.measure} by cross-validation over topics, with "
            f"{len(self.folds)} folds, {counted(self.trials, 'trial')} and seed {self.seed}: the parameters "
            "of a topic were never chosen on that topic.",
            f"{self.measure} of the fused run: {float(self.scores):.4f} over "
            f"{counted(len(self.scores.topics), 'judged topic')}.",
            f"For topics without judgments: {self.written(self.parameters)}, chosen on all judged topics.",
        )

    def written(self, parameters: Mapping[str, Any]) -> str:
        """Parameters as text, with weights by the names of runs."""
        texts = {name: f"{value:g}" for name, value in parameters.items() if name != "weights"}
        weights = zip(self.names, parameters.get("weights", ()), strict=False)
        return ", ".join(
            f"{name} {text}" for name, text in [*texts.items(), *((n, f"{w:g}") for n, w in weights)]
        )

    def table(self) -> Table:
        """A row for each fold."""
        headers = "fold", "topics", "parameters", "where chosen", "held out"
        rows = [
            (str(number), len(fold.topics), self.written(fold.parameters), fold.chosen_on, fold.held_out)
            for number, fold in enumerate(self.folds, 1)
        ]
        return Table(headers, rows)

    def __str__(self) -> str:
        return "\n".join([str(self.table()), "", *self.sentences])


def tune_fusion(
    qrels: Any,
    runs: Any,
    measure: str | Measure,
    method: str = METHOD,
    *,
    folds: Annotated[int, Whole(2), "number of folds for --tune"] = FOLDS,
    seed: Annotated[int, Whole(0), "seed for folds and random trials of --tune"] = SEED,
    normalise: str | None = None,
    weights: Mapping[str, float] | Sequence[float] | None = None,
    k: float | None = None,
    depth: int | None = None,
    name: str = "fused",
    threads: int | None = None,
    **options: Unpack[Inputs],
) -> TunedFusion:
    """The run that combines several runs, with parameters chosen by cross-validation.

    Judged topics are dealt to `folds` at random. The documents of a topic are fused with the weights (of wsum
    and rrf) and the `k` (of rrf) that have the best mean of the measure over the topics of the other folds;
    they are never chosen on that topic itself. `weights` or `k` that are given stay as they are.

    Weights are multiples of 0.1 with the sum 1, of five runs or more random numbers, and `k` is from 1 to
    100; of more than 300 combinations, 300 are drawn at random. Of those with equal means, the nearest to
    equal weights and k = 60 is chosen. The other arguments are those of `rankgauge.fuse` and
    `rankgauge.evaluate`. The results of judged topics are held in memory.
    """
    evaluator = Evaluator(qrels, measure, **options)
    order = evaluator.order.require_one_order("fusion needs")
    if len(evaluator.measures) != 1:
        texts = ", ".join(map(str, evaluator.measures))
        raise OptionError(f"parameters are tuned for one measure, not for {texts}")
    better = evaluator.measures[0].spec.direction
    if not better:
        raise OptionError(f"neither high nor low values of {measure} are better; choose another measure")
    if depth is not None:
        whole_number("depth", depth)
    inputs = evaluator.resolve(runs)
    names = tuple(run.name for run in inputs)
    fixed = parameters_of(method, names, weights, k, tuned=True)
    recipe, several = Recipe.of(method, normalise, fixed), available(threads)
    whole_number("seed", seed, 0)
    trials = [{**fixed, **trial} for trial in combinations(recipe.method.name, len(names), fixed, seed)]
    merged = SortedRuns.read(inputs, order, several)
    places = {topic: place for place, topic in enumerate(merged.topics.texts())}
    judged = [topic for topic in evaluator.qrels.sorted_topics if topic in places]
    if len(judged) < 2:
        raise InputError(f"the runs have results for {counted(len(judged), 'judged topic')}; tuning needs 2")
    whole_number("folds", folds, 2, len(judged))
    part = merged.only([places[topic] for topic in judged])
    blocks = part.blocks(recipe, several)
    scores = [
        evaluator.evaluate(part.fused(recipe._replace(parameters=trial), depth, name, several, blocks))
        for trial in trials
    ]

    def best(topics: Sequence[str]) -> tuple[int, float]:
        means = np.array([float(each.of_topics(topics)) for each in scores])
        found = int(np.argmax(np.where(np.isnan(means), -np.inf, better * means)))
        return found, float(means[found])

    dealt = [judged[place] for place in np.random.default_rng(seed).permutation(len(judged)).tolist()]
    chosen, pieces = [], []
    for held in (sorted(dealt[number::folds]) for number in range(folds)):
        trial, mean = best([topic for topic in scores[0].topics if topic not in {*held}])
        chosen.append(Fold(tuple(held), trials[trial], mean, float(scores[trial].of_topics(held))))
        pieces.append(([places[topic] for topic in held], trials[trial]))
    everywhere = trials[best(scores[0].topics)[0]]
    others = sorted({*places.values()} - {place for numbers, _ in pieces for place in numbers})
    fused = joined(merged, recipe, [*pieces, (others, everywhere)], depth, name, several)
    return TunedFusion(
        fused,
        names,
        recipe.method.name,
        str(evaluator.measures[0]),
        tuple(chosen),
        everywhere,
        evaluator.evaluate(fused),
        len(trials),
        seed,
    )


def combinations(method: str, runs: int, fixed: Mapping[str, Any], seed: int) -> list[dict[str, Any]]:
    """The values of all parameters that are not fixed, the nearest to the defaults first."""
    random = np.random.default_rng(seed)
    grids: dict[str, list[Any]] = {"k": [*CONSTANTS], "weights": [*shares(runs, random)]}
    tuned = [name for name in FUSION_METHODS[method].parameters if name in grids and name not in fixed]
    if not tuned:
        having = ", ".join(each.name for each in FUSION_METHODS.values() if grids.keys() & each.parameters)
        raise OptionError(
            f"{method} has no parameter left to tune; choose one of {having}, and leave out weights or k"
        )
    values = itertools.product(*(grids[name] for name in tuned))
    trials = [dict(zip(tuned, each, strict=True)) for each in values]
    if len(trials) <= MAX_TRIALS:
        return trials
    drawn = random.choice(np.arange(1, len(trials)), MAX_TRIALS - 1, replace=False)
    return [trials[place] for place in [0, *sorted(drawn.tolist())]]


def shares(runs: int, random: np.random.Generator) -> Iterator[Any]:
    """Weights of runs with the sum 1, equal ones first."""
    yield np.full(runs, 1 / runs)
    if math.comb(STEPS + runs - 1, runs - 1) > MAX_TRIALS:
        drawn = random.dirichlet(np.ones(runs), MAX_TRIALS).round(2)
        yield from sorted([*drawn, *np.eye(runs)], key=lambda each: float((each**2).sum()))  # each run alone
        return
    bars = itertools.combinations(
        range(STEPS + runs - 1), runs - 1
    )  # between the tenths of one run and the next
    tenths = [np.diff([-1, *places, STEPS + runs - 1]) - 1 for places in bars]
    ordered = sorted(tenths, key=lambda each: (int((each**2).sum()), each.tolist()))
    yield from (each / STEPS for each in ordered if len({*each.tolist()}) > 1)


def joined(
    merged: SortedRuns,
    recipe: Recipe,
    pieces: Sequence[tuple[Sequence[int], Mapping[str, Any]]],
    depth: int | None,
    name: str,
    threads: int,
) -> Run:
    """The run of all topics, each piece of them fused with its parameters."""
    parts = [
        (
            np.array(places, dtype=np.int64),
            merged.only(places).fused(recipe._replace(parameters=parameters), depth, name, threads),
        )
        for places, parameters in pieces
        if places
    ]
    topic = np.concatenate([places[run.topic] for places, run in parts])
    rows = np.argsort(topic, kind="stable")
    scores, ranks = (
        np.concatenate(each)[rows]
        for each in zip(*((run.scores, run.ranks) for _, run in parts), strict=True)
    )
    return Run(
        name, merged.topics, topic[rows], joined_ids([run.docs for _, run in parts]).take(rows), scores, ranks
    )
