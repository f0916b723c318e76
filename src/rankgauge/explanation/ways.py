"""Ways to compute one number of a run, also those of other tools: a measure, an order, rules for topics."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

from rankgauge.core.ids import to_text
from rankgauge.engines.facts import notes_on
from rankgauge.engines.requirements import needs_detail
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.measures import Measure, parse
from rankgauge.measures.settings import build
from rankgauge.model.rules import DUPLICATES, MISSING, OPTIONS, TIES, DocumentOrder, TopicRules
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import unknown_name

LEAVES_OUT = {"missing": "skip"}  # topics without results
SINGLE = {"score_precision": "single"}
# The rules of trec_eval 10, which other tools are described by their differences from.
RULES = {
    "order": "score",
    "ties": "docid_desc",
    "score_precision": "double",
    "missing": "zero",
    "undefined": "zero",
}


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
        """The key that distinguishes it from other ways."""
        return (str(self.measure), *self.rules.values())

    @property
    def evaluation(self) -> tuple[Measure, DocumentOrder]:
        """The evaluation to run: values per topic, which do not depend on the average."""
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
    """The syntax for choosing rules, in Python or on the command line."""
    options = {option.name: option for option in OPTIONS}
    return " ".join(options[name].set_to(rule) for name, rule in rules.items())


def single_run(runs: Sequence[RunInput], rule: str = "one run is explained at a time") -> RunInput:
    """The only one of these runs; an error that begins with the rule if there are several."""
    if len(runs) > 1:
        names = ", ".join([*(repr(each.name) for each in runs[:3]), *["..."][: len(runs) > 3]])
        raise InputError(f"{rule}; these are {len(runs)} ({names}); choose one")
    return runs[0]


def place_of_topic(topic: Any, known: Sequence[str]) -> int:
    """The index of a topic among the judged ones; an error if it is none of them."""
    name = to_text(topic) if isinstance(topic, bytes) else str(topic)
    if name not in known:
        raise InputError(unknown_name("topic of the judgments", name, known))
    return known.index(name)


class Values(Frozen, eq=False):
    """The values of a measure for the topics of one run."""

    values: Sequence[float]  # NaN where it is undefined
    weights: Sequence[float]  # for a micro average


# {rank: subtopics} of a ranking and of the ideal one, {rank: index of the ideal one's document}
Covered = tuple[Mapping[int, tuple[Any, ...]], Mapping[int, tuple[Any, ...]], Mapping[int, int]]


class OneRun(ABC):
    """One run and its judgments: read once for each order of documents, measured once by each measure.

    With `place`, the index of a topic, only that one is measured, and a value is that of the topic. Arrays
    are NumPy's, or vectors of the scalar back end: each has a subclass.
    """

    topics: Sequence[str]  # those judged
    levels: list[float]  # distinct grades, ascending
    recoding: str = ""  # how grades were changed
    by_subtopic: bool = False

    def __init__(self, run: RunInput, place: int | None) -> None:
        self.run, self.place = run, place
        self._retrieved: dict[tuple[str, ...], RetrievedJudgments | OptionError] = {}
        self._rankings: dict[tuple[str, ...], Sequence[Any]] = {}
        self._values: dict[tuple[Measure, DocumentOrder], Values] = {}

    @abstractmethod
    def _read(self, order: DocumentOrder) -> RetrievedJudgments:
        """The judged documents that the run retrieved."""

    @abstractmethod
    def _assemble(self, retrieved: RetrievedJudgments) -> Sequence[Any]:
        """The judged rankings of blocks of topics, or of the one topic."""

    @abstractmethod
    def _measure(self, measure: Measure, judged: Any, order: DocumentOrder) -> tuple[Any, Any]:
        """(values, weights) of topics; weights are for a micro average."""

    @abstractmethod
    def decisive_ties(self, way: Way) -> Any:
        """(topics,): the number of ties that could change the value, unless a rule considers all orders."""

    @abstractmethod
    def judged(self, order: DocumentOrder) -> tuple[list[str], list[int]]:
        """(judged documents of the topic, the index among them of each that was retrieved, by rank)."""

    @abstractmethod
    def documents(self, order: DocumentOrder) -> list[str]:
        """The documents that the run retrieved for the topic, judged or not, by rank."""

    @abstractmethod
    def losses(self, measure: Measure, order: DocumentOrder, value: float) -> list[float]:
        """The loss in the value of the topic if an unjudged document were in the place of each hit."""

    def covered(self, measure: Measure, order: DocumentOrder, depth: int) -> Covered:
        """The subtopics that documents cover at each rank, those of the ideal ranking, and its documents."""
        return {}, {}, {}

    @abstractmethod
    def suppose_judged(self, order: DocumentOrder, grade: float, depth: int) -> Any:
        """The ranking of the topic as if its first `depth` documents had been judged: unjudged ones so."""

    @property
    def topic(self) -> str:
        """The one topic."""
        assert self.place is not None
        return self.topics[self.place]

    def retrieved(self, order: DocumentOrder) -> RetrievedJudgments:
        """The judged documents that the run retrieved, in this order."""
        rules = order.core_rules()
        if rules not in self._retrieved:
            self._retrieved[rules] = self._untied(order) or self._read_if_possible(order)
        retrieved = self._retrieved[rules]
        if isinstance(retrieved, OptionError):
            raise retrieved
        return retrieved

    def _untied(self, order: DocumentOrder) -> RetrievedJudgments | None:
        """The result of reading by another rule for ties, if there were none; needing ranks may fail."""
        for (what, _, precision), retrieved in self._retrieved.items():
            if isinstance(retrieved, OptionError) or order.needs_ranks or "rank" in what:
                continue
            if precision == order.score_precision and not retrieved.tied.any():
                return retrieved
        return None

    def _read_if_possible(self, order: DocumentOrder) -> RetrievedJudgments | OptionError:
        try:
            return self._read(order)
        except OptionError as error:  # the run has no ranks, and this order needs them
            return error

    def notes(self, order: DocumentOrder) -> tuple[str, ...]:
        """Warnings about the run."""
        return notes_on([self.run], [self.retrieved(order)])

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

    def rankings(self, order: DocumentOrder) -> Sequence[Any]:
        """The judged rankings of blocks of topics, or of the one topic."""
        rules = order.core_rules()
        if rules not in self._rankings:
            self._rankings[rules] = self._assemble(self.retrieved(order))
        return self._rankings[rules]

    def values(self, measure: Measure, order: DocumentOrder) -> Values:
        """The values of topics; an error if the measure or the order cannot be used with this run."""
        measure = _of_topics(measure)
        if (measure, order) not in self._values:
            needs_detail([measure], order)
            values, weights = list[float](), list[float]()
            for judged in self.rankings(order):
                block = self._measure(measure, judged, order)
                values += block[0].tolist()
                weights += block[1].tolist() if measure.is_weighed else []
            self._values[measure, order] = Values(values, weights)
        return self._values[measure, order]

    def found(self, measure: Measure, order: DocumentOrder) -> Values | None:
        """The values of topics; None if they cannot be computed, for example since 2^1000 is too large."""
        try:
            return self.values(measure, order)
        except (MeasureError, OptionError):
            return None

    def value(self, way: Way) -> float | None:
        """The value of the run, or of the topic; None if it cannot be computed this way."""
        found = self.found(way.measure, way.order)
        if found is None:
            return None
        direction = way.measure.spec.direction
        if self.place is not None:
            return next(iter(way.topics.known(found.values, direction)), math.nan)
        counted = way.topics.counts(self.retrieved(way.order).retrieved).tolist()
        values, weights = (list(compress(each, counted)) for each in (found.values, found.weights))
        return way.topics.average(values, way.measure.average, weights=weights, direction=direction)


def _of_topics(measure: Measure) -> Measure:
    """The measure with the average it has by default, which the values of topics do not depend on."""
    if "average" not in measure.settings or measure.is_weighed:
        return measure
    settings = {name: value for name, value in measure.settings.items() if name != "average"}
    return build(measure.spec, settings, measure.cutoff)


# trec_eval's names that version 9 does not have.
NEW_IN_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj_k")
NDEVAL_DEPTH = 20  # ndeval refuses deeper cutoffs


class Tool(Frozen, eq=False):
    """A tool, its rules, and the measure that it has under the name of ours, if any."""

    name: str
    measure: Callable[[Measure], Measure | None]
    rules: Mapping[str, str] = {}  # where they differ from those of trec_eval 10

    def way(self, asked: Way) -> Way | None:
        """The tool's computation of the requested measure; None if it has none."""
        try:
            measure = self.measure(asked.measure)
        except MeasureError:  # settings that the tool has no words for
            return None
        return (
            None
            if measure is None
            else Way(measure, asked.order, asked.topics).under(**{**RULES, **self.rules})
        )


def _trec_eval(version: int) -> Callable[[Measure], Measure | None]:
    """The measure that a version of trec_eval has under the name of another."""

    def measure(asked: Measure) -> Measure | None:
        spec = asked.spec
        named = {
            name: spec.meanings.get(name, "") for name in spec.trec if version > 9 or name not in NEW_IN_10
        }
        fitting = [name for name in named if name.endswith("_k") == (asked.cutoff is not None)]
        # gm_map is a name of AP with another average
        averaged = [name for name in fitting if f"average={asked.average}" in named[name]]
        plain = [name for name in fitting if "average=" not in named[name]]
        chosen = next(iter([*averaged, *plain]), None)
        if chosen is None:
            return None
        kept = {p.name for p in spec.parameters if p.required} | {spec.names.at, "judged_only"}
        kept |= set() if spec.has("gains") else {"rel"}  # option -l, which has no effect on gains
        settings = {name: value for name, value in asked.settings.items() if name in kept}
        if spec.has("levels"):
            settings["levels"] = f"trec{version}"
        elif named[chosen]:
            settings |= parse(f"{spec.name}({named[chosen]})").settings
        return build(spec, settings, asked.cutoff)

    return measure


def _named(
    cut: Mapping[str, str], uncut: Mapping[str, str], *, deepest: float = math.inf
) -> Callable[[Measure], Measure | None]:
    """The measures of a tool, {our name: its definition}, with and without a cutoff."""

    def measure(asked: Measure) -> Measure | None:
        texts = uncut if asked.cutoff is None else cut
        if asked.spec.name not in texts or (asked.cutoff or 0) > deepest:
            return None
        defined = parse(texts[asked.spec.name])
        level = {"rel": asked.settings["rel"]} if "rel" in asked.settings and defined.spec.binary else {}
        return build(defined.spec, level | dict(defined.settings), asked.cutoff)

    return measure


def _alike(names: str) -> dict[str, str]:
    """Definitions that are ours."""
    return {name: name for name in names.split()}


def _ir_measures(asked: Measure) -> Measure | None:
    """Measures that ir_measures leaves to trec_eval."""
    unknown = asked.average == "geometric" or asked.spec.name in (
        *("AP11", "RelP", "RnDCG", "nDCG_rel", "binG", "G", "Utility", "YAAP", "NumNonrelRet"),
    )
    return None if unknown else _trec_eval(9)(asked)


_GDEVAL = _named({"nDCG": "nDCG(gains=exp2)", "ERR": "ERR(max_rel=4)"}, {})
_RANX = _named(*[_alike("nDCG DCG AP P R F RR Success")] * 2)
_BURGES = _named(*[{"nDCG": "nDCG(gains=exp2)", "DCG": "DCG(gains=exp2)"}] * 2)
_NTCIREVAL = _named(
    {
        "nDCG": "nDCG(base=2)",
        "AP": "AP(norm=cut)",
        "Q": "Q(norm=cut)",
        "ERR": "ERR(gains=linear)",
        "nERR": "nERR(gains=linear)",
        "RBP": "RBP(p=0.95,gains=linear)",
        **_alike("P"),
    },
    {
        "ERR": "ERR(gains=linear)",
        "RBP": "RBP(p=0.95,gains=linear)",
        **_alike("AP Q RR O_measure P_measure P_plus"),
    },
)
_NDEVAL = _named(
    {"alpha_nDCG": "alpha_nDCG(ideal=ndeval)", **_alike("ERR_IA nERR_IA P_IA StRecall")},
    _alike("NRBP nNRBP AP_IA"),
    deepest=NDEVAL_DEPTH,
)

TOOLS = (
    Tool("trec_eval 10 -c", _trec_eval(10)),
    Tool("trec_eval 10", _trec_eval(10), LEAVES_OUT),
    Tool("trec_eval 9 -c", _trec_eval(9), SINGLE),
    Tool("trec_eval 9", _trec_eval(9), SINGLE | LEAVES_OUT),
    Tool("pytrec_eval", _trec_eval(9), SINGLE | LEAVES_OUT),
    Tool("ir_measures", _ir_measures, SINGLE),
    Tool("ir_measures", _named(_alike("RR"), {}), {"ties": "docid_asc"}),
    Tool("ranx", _RANX, {"ties": "input"}),
    Tool("ranx, burges", _BURGES, {"ties": "input"}),
    Tool("gdeval", _GDEVAL, LEAVES_OUT),
    Tool("gdeval -c", _GDEVAL),
    Tool("NTCIREVAL", _NTCIREVAL, {"ties": "rank"}),
    Tool("NTCIREVAL MSnDCG", _named(_alike("nDCG"), {}), {"ties": "rank"}),
    Tool("ndeval", _NDEVAL, {"order": "rank"} | LEAVES_OUT),
    Tool("ndeval -c", _NDEVAL, {"order": "rank"}),
    Tool("ndeval -traditional", _NDEVAL, LEAVES_OUT),
)


def other_tools(asked: Way) -> Iterator[tuple[str, Way]]:
    """(tool, way) of the tools that have a measure of this name."""
    for tool in TOOLS:
        way = tool.way(asked)
        if way is not None:
            yield tool.name, way
