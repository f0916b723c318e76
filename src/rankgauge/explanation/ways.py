"""Ways to compute one number of a run, also those of other tools: a measure, an order, rules for topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from rankgauge.core.ids import to_text
from rankgauge.engines.run_inputs import RunInput
from rankgauge.errors import InputError, MeasureError
from rankgauge.measures import Measure, Parameter, parse
from rankgauge.measures.rankings.gains import GAINS, SCHEMES, GainsKind
from rankgauge.measures.settings import build
from rankgauge.measures.spec import JUDGED_ONLY, NEGATIVES, REL
from rankgauge.model.rules import OPTIONS, ORDER_OPTIONS, TOPIC_OPTIONS, DocumentOrder, TopicRules
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import AVERAGES, Option
from rankgauge.schema.parameters import Flag, Word
from rankgauge.schema.text import format_number, unknown_name

ACROSS_TOPICS = ("average",)  # parameters without effect on a single topic
MAX_GRADES = 12  # whose gains are listed; there may be many more if grades are not whole numbers
MAX_LEVELS = 4  # of relevance at which a binary measure is shown
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
        """The evaluation to run, whose values do not depend on the average."""
        return of_topics(self.measure), self.order

    def under(self, **rules: str) -> Way:
        """The same measure with other settings."""
        order = {name: rule for name, rule in rules.items() if name in self.order.as_dict()}
        topics = {name: rule for name, rule in rules.items() if name not in order}
        return self._replace(order=self.order._replace(**order), topics=self.topics._replace(**topics))

    def rules_unlike(self, other: Way) -> dict[str, str]:
        """The rules that another way does not have."""
        return {name: rule for name, rule in self.rules.items() if other.rules[name] != rule}


def set_to(rules: Mapping[str, str]) -> str:
    """The syntax for choosing rules."""
    options = {option.name: option for option in OPTIONS}
    return " ".join(options[name].set_to(rule) for name, rule in rules.items())


def single_run(runs: Sequence[RunInput], rule: str = "one run is explained at a time") -> RunInput:
    """The only run; an error that begins with the rule if there are several."""
    if len(runs) > 1:
        names = ", ".join([*(repr(each.name) for each in runs[:3]), *["..."][: len(runs) > 3]])
        raise InputError(f"{rule}; these are {len(runs)} ({names}); choose one")
    return runs[0]


def place_of_topic(topic: Any, known: Sequence[str]) -> int:
    """The index of a judged topic."""
    name = to_text(topic) if isinstance(topic, bytes) else str(topic)
    if name not in known:
        raise InputError(unknown_name("judged topic", name, known))
    return known.index(name)


def of_topics(measure: Measure) -> Measure:
    """The measure with its default average."""
    if "average" not in measure.settings or measure.is_weighed:
        return measure
    settings = {name: value for name, value in measure.settings.items() if name != "average"}
    return build(measure.spec, settings, measure.cutoff)


# trec_eval's names that version 9 does not have.
NEW_IN_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj_k")
NDEVAL_DEPTH = 20  # ndeval refuses deeper cutoffs


class Tool(Frozen, eq=False):
    """A tool, its rules, and its measure under the name of ours."""

    name: str
    measure: Callable[[Measure], Measure | None]
    rules: Mapping[str, str] = {}  # where they differ from those of trec_eval 10

    def way(self, asked: Way) -> Way | None:
        """The tool's computation of the measure, if it has one."""
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
    return {name: name for name in names.split()}


def _ir_measures(asked: Measure) -> Measure | None:
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
    """(tool, way) of tools with a measure of this name."""
    for tool in TOOLS:
        way = tool.way(asked)
        if way is not None:
            yield tool.name, way


def definition(
    measure: Measure,
    levels: Sequence[float],
    order: DocumentOrder,
    longest: int | None,
    topics: TopicRules | None = None,
    *,
    recoding: str = "",
) -> Iterator[tuple[str, str]]:
    """(what, how) of a measure and the rules; those for topics only if topics are averaged.

    `levels` are the grades of the judgments, `recoding` is how they were changed, `longest` the length of the
    longest list.
    """
    spec = measure.spec
    yield "title", spec.title
    yield "formula", spec.formula
    yield "source", spec.cite
    if spec.shows.caution:
        yield "caution", spec.shows.caution
    if spec.has("gains"):
        name = GAINS.write(measure.gains)
        yield "gains", f"{name} ({SCHEMES[name]})" if name in SCHEMES else name
        worth = [
            f"grade {format_number(grade)}: {format_number(measure.worth(grade, levels))}" for grade in levels
        ]
        yield "worth", ", ".join([*worth[:MAX_GRADES], *["..."][: len(worth) > MAX_GRADES]])
    if measure.discount is not None:
        yield "discount", measure.discount.words
    for parameter in spec.parameters:
        if parameter.name in ("gains", "discount", "base", *ACROSS_TOPICS):
            continue
        value = measure.settings.get(parameter.name, parameter.default)
        if parameter in (JUDGED_ONLY, NEGATIVES) and parameter.name not in measure.settings:
            continue
        if parameter == REL and measure.rel != value:  # grades are probabilities
            yield REL.name, "any grade above 0 counts as relevant"
            continue
        if value is not None:
            yield parameter.name, f"{parameter.kind.write(value)} ({parameter.help})"
        elif parameter.name == "N" and measure.of_lists:
            yield "N", f"{longest} (the length of the longest list of this run; N= sets another)"
    if spec.curve:
        yield "cutoff", "none" if measure.cutoff is None else str(measure.cutoff)
    if topics is not None:
        yield "average", f"{measure.average} ({AVERAGES[measure.average]})"
    if recoding:
        yield "grades", f"{recoding} (changed before anything else)"
    yield from _rules(ORDER_OPTIONS, order, ("order", "ties"))
    if topics is not None:
        yield from _rules(TOPIC_OPTIONS, topics, ("missing", "undefined"))


def _rules(
    options: Iterable[Option], rules: DocumentOrder | TopicRules, always: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    for option in options:
        rule = getattr(rules, option.name)
        if rule != option.default or option.name in always:
            yield option.name, f"{rule} ({option.rules[rule]})"


def variants(measure: Measure, levels: Sequence[float], *, averages: bool = False) -> list[Measure]:
    """The variants that a measure declares, and the measure with one of its settings changed.

    `averages` adds the other ways to average the values of topics.
    """
    found = [*_declared(measure)]
    if measure.cutoff is not None:
        found.append(build(measure.spec, measure.settings, None))
    for parameter in measure.spec.parameters:
        if not averages and parameter.name in ACROSS_TOPICS:
            continue
        dropped = NEGATIVES.name if parameter == JUDGED_ONLY else None  # meaningless without judged_only
        kept = {name: setting for name, setting in measure.settings.items() if name != dropped}
        for value in choices(parameter, levels):
            with suppress(MeasureError):  # it cannot be combined with the other settings
                found.append(build(measure.spec, {**kept, parameter.name: value}, measure.cutoff))
    return [each for each in dict.fromkeys(found) if each != measure]


def _declared(measure: Measure) -> Iterator[Measure]:
    framework = {
        p.name: measure.settings[p.name] for p in (REL, JUDGED_ONLY, NEGATIVES) if p.name in measure.settings
    }
    for text in measure.spec.variants:
        named = parse(text)
        inherited = {name: value for name, value in framework.items() if named.spec.has(name)}
        cutoff = measure.cutoff if named.spec.curve and named.cutoff is None else named.cutoff
        yield build(named.spec, inherited | dict(named.settings), cutoff)


def choices(parameter: Parameter, levels: Sequence[float]) -> Iterator[object]:
    """The values of a parameter to show; none for a number."""
    if parameter == REL:
        yield from [level for level in levels if level > 0][:MAX_LEVELS]
    elif isinstance(parameter.kind, GainsKind):
        gaps = [level for level in levels if level > 0] != [*range(1, sum(level > 0 for level in levels) + 1)]
        yield from (name for name in SCHEMES if name != "levels" or gaps)  # otherwise it is linear
    elif isinstance(parameter.kind, Word) and parameter.name in ACROSS_TOPICS:
        if parameter.default != "sum":  # counts are added up, and other values are not
            yield from (kind for kind in parameter.kind.choices if kind != "sum")
    elif isinstance(parameter.kind, Word) and parameter.name != NEGATIVES.name:
        yield from parameter.kind.choices
    elif isinstance(parameter.kind, Flag):
        yield from (True, False)
