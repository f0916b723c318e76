"""Ways to compute one number of a run: a measure, an order of documents, and rules for topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from rankgauge.engines.assembly import assemble, longest
from rankgauge.engines.facts import notes_on
from rankgauge.engines.judgments import blocks, numbers_in_topics
from rankgauge.engines.kernel import measure_rankings
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.local.reading import read_runs
from rankgauge.engines.requirements import needs_detail, tie_visibility
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.errors import MeasureError, OptionError, RankgaugeError
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import JudgedRankings, Pool
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.measures.settings import build
from rankgauge.model.document_order import DUPLICATES, TIES, DocumentOrder
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import OPTIONS
from rankgauge.model.topic_rules import MISSING, TopicRules
from rankgauge.schema.frozen import Frozen


class Way(Frozen, eq=False):
    """One way to compute the value of a run, or of one of its topics."""

    measure: Measure
    order: DocumentOrder
    topics: TopicRules

    @property
    def rules(self) -> dict[str, str]:
        """All rules by name."""
        return self.order.as_dict() | self.topics.as_dict()

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it from other ways."""
        return (str(self.measure), *self.rules.values())

    @property
    def evaluation(self) -> tuple[Measure, DocumentOrder]:
        """What has to be computed: values of topics, which do not depend on how they are averaged."""
        return _of_topics(self.measure), self.order

    def under(self, **rules: str) -> Way:
        """The same measure under other rules."""
        order = {name: rule for name, rule in rules.items() if name in self.order.as_dict()}
        topics = {name: rule for name, rule in rules.items() if name not in order}
        return self._replace(order=self.order._replace(**order), topics=self.topics._replace(**topics))

    def rules_unlike(self, other: Way) -> dict[str, str]:
        """The rules that another way does not have."""
        return {name: rule for name, rule in self.rules.items() if other.rules[name] != rule}


def set_to(rules: Mapping[str, str]) -> str:
    """How rules are chosen, where the text is shown."""
    options = {option.name: option for option in OPTIONS}
    return " ".join(options[name].set_to(rule) for name, rule in rules.items())


class Values(Frozen, eq=False):
    """The values of a measure for the topics of one run."""

    values: Sequence[float] = ()  # NaN where it is undefined
    weights: Sequence[float] = ()  # for a micro average


class OneRun:
    """One run and its judgments: read once for each order of documents, measured once by each measure.

    With `place`, the index of a topic, only that one is measured, and a value is that of the topic.
    """

    def __init__(self, qrels: Qrels, run: RunInput, threads: int, place: int | None = None) -> None:
        self.qrels, self.run, self.place = qrels, run, place
        self._threads = threads
        self._retrieved: dict[tuple[str, ...], RetrievedJudgments | OptionError] = {}
        self._values: dict[tuple[Measure, DocumentOrder], Values | RankgaugeError] = {}

    def retrieved(self, order: DocumentOrder) -> RetrievedJudgments:
        """The judged documents that the run retrieved, in this order."""
        rules = order.core_rules()
        if rules not in self._retrieved:
            self._retrieved[rules] = self._untied(order) or self._read(order)
        retrieved = self._retrieved[rules]
        if isinstance(retrieved, OptionError):
            raise retrieved
        return retrieved

    def _untied(self, order: DocumentOrder) -> RetrievedJudgments | None:
        """What was read under another rule for ties, if there were none; a rule that needs ranks may fail."""
        for (what, _, precision), retrieved in self._retrieved.items():
            if isinstance(retrieved, OptionError) or order.needs_ranks or "rank" in what:
                continue
            if precision == order.score_precision and not retrieved.tied.any():
                return retrieved
        return None

    def _read(self, order: DocumentOrder) -> RetrievedJudgments | OptionError:
        try:
            return read_runs(LocalEngine(self.qrels, order, detail=True), [self.run], self._threads)[0]
        except OptionError as error:  # the run has no ranks, and this order needs them
            return error

    def notes(self, order: DocumentOrder) -> tuple[str, ...]:
        """What may be wrong with the run."""
        return notes_on([self.run], [self.retrieved(order)])

    def decisive_ties(self, way: Way) -> Ints:
        """(topics,): the number of ties that could change the value, unless a rule considers all orders."""
        visible = tie_visibility([way.measure], *self.qrels.kinds)
        counted = self.retrieved(way.order).counting_ties(self.qrels.sorted_kinds, visible)
        decisive: Ints = counted.decisive
        return decisive

    def other_rules(self, asked: Way) -> Iterator[dict[str, str]]:
        """Each rule to try instead of one of those asked for, without those that cannot make a difference."""
        retrieved = self.retrieved(asked.order)
        matters = {
            DUPLICATES.name: False,  # they were dropped when the run was read
            TIES.name: bool(retrieved.tied.any()),
            MISSING.name: not retrieved.retrieved.all(),
        }
        for option in OPTIONS:
            for rule in option.rules if matters.get(option.name, True) else ():
                if rule != asked.rules[option.name]:
                    yield {option.name: rule}

    @cached_property
    def _blocks(self) -> list[tuple[int, int, Pool]]:
        if self.place is None:
            return list(blocks(self.qrels))
        for first, last, pool in blocks(self.qrels):
            if first <= self.place < last:
                return [(self.place, self.place + 1, pool.only(self.place - first))]
        raise AssertionError("every topic is in a block")

    def _rankings(self, order: DocumentOrder) -> Iterator[JudgedRankings]:
        runs, docs = [self.retrieved(order)], numbers_in_topics(self.qrels)
        for first, last, pool in self._blocks:
            yield assemble(runs, first, last, self.qrels.sorted_grades, pool, longest(runs), docs)

    def measure(self, measures: Iterable[Measure], order: DocumentOrder) -> None:
        """Compute the values of measures that are not known yet, all in one go."""
        missing = [m for m in dict.fromkeys(map(_of_topics, measures)) if (m, order) not in self._values]
        if not missing:
            return
        results: dict[Measure, Values | RankgaugeError] = {m: _refusal(m, order) or Values() for m in missing}
        try:
            for judged in self._rankings(order):
                for measure, values in results.items():
                    if isinstance(values, Values):
                        results[measure] = _measured(measure, judged, order, values)
        except OptionError as error:  # the order cannot be used with this run
            results = dict.fromkeys(results, error)
        self._values |= {(measure, order): values for measure, values in results.items()}

    def values(self, measure: Measure, order: DocumentOrder) -> Values:
        """The values of topics; an error if the measure or the order cannot be used with this run."""
        evaluation = _of_topics(measure), order
        if evaluation not in self._values:
            self.measure([measure], order)
        values = self._values[evaluation]
        if isinstance(values, RankgaugeError):
            raise values
        return values

    def value(self, way: Way) -> float | None:
        """The value of the run, or of the topic; None if it cannot be computed this way."""
        try:
            found = self.values(way.measure, way.order)
        except (MeasureError, OptionError):
            return None
        direction = way.measure.spec.direction
        if self.place is not None:
            return next(iter(way.topics.known(found.values, direction)), math.nan)
        counted = way.topics.counts(self.retrieved(way.order).retrieved)
        values = np.array(found.values)[counted].tolist()
        weights = np.array(found.weights)[counted].tolist() if found.weights else ()
        return way.topics.average(values, way.measure.average, weights=weights, direction=direction)


def _of_topics(measure: Measure) -> Measure:
    """The measure with the average it has by default, which the values of topics do not depend on."""
    if "average" not in measure.settings or measure.is_weighed:
        return measure
    settings = {name: value for name, value in measure.settings.items() if name != "average"}
    return build(measure.spec, settings, measure.cutoff)


def _refusal(measure: Measure, order: DocumentOrder) -> RankgaugeError | None:
    """Why a measure cannot be used with an order; None if it can."""
    try:
        needs_detail([measure], order)
    except OptionError as error:
        return error
    return None


def _measured(
    measure: Measure, judged: JudgedRankings, order: DocumentOrder, before: Values
) -> Values | RankgaugeError:
    """The values with those of another block of topics."""
    try:
        block = measure_rankings([measure], judged, order)
    except MeasureError as error:  # it refuses these judgments, for example since 2^1000 is too large a gain
        return error
    weights = block.weights[0].tolist() if measure.is_weighed else []
    return Values([*before.values, *block.values[0].tolist()], [*before.weights, *weights])
