"""How other tools compute what they call by the name of a measure: their definitions and their rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from rankgauge.errors import MeasureError
from rankgauge.explanation.ways import Way
from rankgauge.measures import Measure, parse
from rankgauge.measures.settings import build
from rankgauge.schema.frozen import Frozen

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
# trec_eval's names that version 9 does not have.
NEW_IN_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj_k")
NDEVAL_DEPTH = 20  # ndeval refuses deeper cutoffs


class Tool(Frozen, eq=False):
    """A tool, its rules, and the measure that it has under the name of ours, if any."""

    name: str
    measure: Callable[[Measure], Measure | None]
    rules: Mapping[str, str] = {}  # where they differ from those of trec_eval 10

    def way(self, asked: Way) -> Way | None:
        """How the tool computes what was asked for; None if it does not."""
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
    """What ir_measures leaves to trec_eval."""
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
