"""Measures as other tools write them: trec_eval's names with parameters, ranx's levels, MTEB's cutoffs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from rankgauge.errors import MeasureError
from rankgauge.measures.reader import NUMBER, Reader, named, preset
from rankgauge.measures.registry import MEASURES
from rankgauge.measures.settings import Measure, build, read_cutoff
from rankgauge.measures.spec import Spec
from rankgauge.schema.registry import fold
from rankgauge.schema.text import pattern

PIECE = pattern(r"\d+(?:\.\d+)?|\.\d+")
TREC = pattern(rf".+?[._](?P<cutoff>{PIECE.pattern})", re.ASCII)
LEVEL_TAIL = pattern(r"(?P<name>.+)-l(?P<rel>\d+)", re.ASCII)
_REL = pattern(r"\brel\s*=", re.ASCII | re.IGNORECASE)
_SET_F = pattern(rf"set_F[._](?P<x>{PIECE.pattern})", re.ASCII | re.IGNORECASE)
_AT_TAIL = pattern(r"(?P<name>.+?)[._ -]at[._ -](?P<cutoff>\d+)", re.ASCII | re.IGNORECASE)


def is_foreign(measure: Any) -> bool:
    """Whether this is a measure of ir_measures, which is not imported for that."""
    return isinstance(getattr(measure, "NAME", None), str) and isinstance(
        getattr(measure, "params", None), Mapping
    )


def read(text: str) -> Measure:
    """The measure that a text names in another tool's words or in ours."""
    return from_other_tools(text) or Reader(text).measure()


def from_other_tools(text: str) -> Measure | None:
    """The measure of a text that only other tools write so; None if it is none of theirs."""
    # First of the families imported so far: no other has their names, and importing others takes time.
    measure = from_trec(text, MEASURES.loaded()) or from_trec(text, MEASURES.own())
    if measure is not None:
        return measure
    from rankgauge.measures import false_friends  # seldom needed

    false_friends.refuse(text)
    tail = LEVEL_TAIL.fullmatch(text)
    if tail and "-l" not in tail["name"]:  # ranx: map@100-l2
        if _REL.search(tail["name"]):
            raise MeasureError(f"rel is set twice in {text!r}: -l{tail['rel']} is rel={tail['rel']}")
        return read(tail["name"])(rel=int(tail["rel"]))
    tail = _SET_F.fullmatch(text)
    if tail:  # trec_eval's x is the square of beta
        return named("F")(beta=math.sqrt(float(tail["x"])))
    tail = _AT_TAIL.fullmatch(text)
    if tail and MEASURES.search(tail["name"]):  # MTEB: ndcg_at_10
        return named(tail["name"]) @ tail["cutoff"]
    tail = TREC.fullmatch(text)
    if tail and tail["cutoff"].isdigit():  # trec_eval's names in another case: Recall_100
        stem = fold(text[: tail.start("cutoff")])
        for spec in MEASURES.own().values():
            for name in spec.trec:
                if name.endswith("_k") and fold(name[:-2]) == stem:
                    return build(spec, preset(spec, name), int(tail["cutoff"]))
    return None


def from_trec(text: str, measures: Mapping[str, Spec]) -> Measure | None:
    """The measure that one of trec_eval's names stands for; None if the text is no such name."""
    if "@" in text or "(" in text:
        return None
    for spec in measures.values():
        for name in spec.trec:
            stem = name.removesuffix("_k").partition("_{")[0]
            if not text.startswith(stem):
                continue
            tail = text[len(stem) + 1 :] if text[len(stem) :].startswith((".", "_")) else ""
            if name.endswith("_k"):
                if re.fullmatch(r"\d+", tail, re.ASCII):
                    return build(spec, preset(spec, name), read_cutoff(spec, tail))
            elif name.endswith("}"):
                values = _trec_parameters(name[len(stem) + 2 : -1].split(","), tail)
                if values:
                    return build(spec, preset(spec, name) | values, None)
            elif text == name:
                return build(spec, preset(spec, name), None)
    return None


def _trec_parameters(names: list[str], text: str) -> dict[str, Any] | None:
    """Parameters as in trec_eval: `2,-1,0,0`, or `1=3,2=9` from grade to gain; None if they are neither."""
    pairs = [part.split("=") for part in text.split(",")]
    if not all(NUMBER.fullmatch(number) for pair in pairs for number in pair):
        return None
    if all(len(pair) == 2 for pair in pairs):
        return {names[0]: {float(grade): float(gain) for grade, gain in pairs}}
    if names == ["gains"]:  # a map from grades: ndcg_10 is no name of trec_eval
        return None
    values = [float(value) for value, *_ in pairs]
    if len(names) == len(values):
        return dict(zip(names, values, strict=True))
    return {names[0]: values} if len(names) == 1 else None
