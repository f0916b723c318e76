"""The measure language: from text to measure.

    measures = measure { ("," | ";" | space) (measure | cutoff) }
    measure  = name [ "(" [ setting { "," setting } ] ")" ] [ "@" (cutoff | number) ]
    setting  = name "=" value | measure            (the latter is an inner measure, and comes first)
    value    = number | word | "'" text "'" | "{" pair { "," pair } "}" | "{" number { "," number } "}"
    pair     = number ":" number

A measure is found by any of its names: trec_eval's (`ndcg_cut_10`, `P.5`), those of other tools and papers,
in any case, and whatever separates their parts (`hit_rate`, `HitRate`, `hit rate`); `_at_10` is `@10`. The
canonical text, `str(measure)`, has parameters in declared order, without defaults.

Where several measures can be named, a grid can: alternatives of a value or of a cutoff, separated by |, stand
for all their combinations. `nDCG(base=2|10)@10|100` is four measures.
"""

from __future__ import annotations

import copyreg
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from rankgauge.errors import MeasureError, RankgaugeError
from rankgauge.measures.named_sets import SETS
from rankgauge.measures.other_tools import DIFFERENT, REFUSED
from rankgauge.measures.reader import (
    NAME,
    NUMBER,
    SPACED,
    Reader,
    expand,
    named,
    preset,
    refuse_grid,
    set_members,
    split_list,
)
from rankgauge.measures.settings import Measure, build, complete, compose, read_cutoff
from rankgauge.measures.spec import MEASURES, Spec
from rankgauge.schema.registry import fold
from rankgauge.schema.text import joined

_PIECE = r"\d+(?:\.\d+)?|\.\d+"
_AT = rf".+@(?P<cutoff>{_PIECE})"
_TREC = rf"(?a).+?[._](?P<cutoff>{_PIECE})"
_LEVEL_TAIL = r"(?a)(?P<name>.+)-l(?P<rel>\d+)"
_REL = r"(?ai)\brel\s*="
_SET_F = rf"(?ai)set_F[._](?P<x>{_PIECE})"
_AT_TAIL = r"(?ai)(?P<name>.+?)[._ -]at[._ -](?P<cutoff>\d+)"
MAX_WORDS = 4  # of a name
MAX_CACHED = 1000
_CACHE: dict[str, Measure] = {}  # {text: measure}, of texts without settings: evaluators are made often


def parse(text: str | Measure) -> Measure:
    """The measure that a text names, such as `nDCG(gains=exp2)@10`; ir_measures' measures are taken, too."""
    if isinstance(text, Measure):
        return complete(text)
    if not isinstance(text, str):
        if is_foreign(text):
            return complete(named(text.NAME)(**text.params))
        raise MeasureError(f"a measure is a text such as 'nDCG@10', not {text!r}")
    if "|" in text:
        refuse_grid(text)
    try:
        return _exact(text.strip()) or _read(text.strip())
    except MeasureError:
        measure = _from_trec(text.strip(), MEASURES)  # with the measures of other packages
        if measure is None:
            _refuse_several(text)
            raise
        return measure


def lookup(text: str) -> Measure | None:
    """The measure that a text names; None if it names none, as the columns of a table may."""
    try:
        return parse(text)
    except RankgaugeError:
        return None


def canonical(text: str) -> str:
    """The canonical text of a measure; any other text unchanged."""
    measure = lookup(text)
    return text if measure is None else str(measure)


def is_foreign(measure: Any) -> bool:
    """Whether this is a measure of ir_measures, which is not imported for that."""
    return isinstance(getattr(measure, "NAME", None), str) and isinstance(
        getattr(measure, "params", None), Mapping
    )


def _exact(text: str) -> Measure | None:
    """The measure that a text names, if its family is imported already and the name is spelled exactly."""
    if "-l" in text and re.fullmatch(_LEVEL_TAIL, text):  # ranx's, whatever is imported
        return None
    name = re.match(NAME, text)
    spec = MEASURES.get_loaded(name[0]) if name else None
    if name is None or spec is None or text[name.end() :].lstrip()[:1] not in ("", "(", "@"):
        return None
    known = _CACHE.get(text)
    if known is None or known.spec is not spec:
        known = Reader(text).measure()
        if not known.settings and len(_CACHE) < MAX_CACHED:
            _CACHE[text] = known
    return known


def _read(text: str) -> Measure:
    """The measure that a text names in another tool's words or in ours."""
    return _from_other_tools(text) or Reader(text).measure()


def named_set(name: str) -> tuple[Measure, ...]:
    """The measures of a named set such as `graded`, in any spelling; none if there is no such set."""
    return tuple(map(parse, set_members(name)))


def _from_other_tools(text: str) -> Measure | None:
    """The measure of a text that only other tools write so; None if it is none of theirs."""
    # First of the families imported so far: no other has their names, and importing others takes time.
    measure = _from_trec(text, MEASURES.loaded()) or _from_trec(text, MEASURES.own())
    if measure is not None:
        return measure
    refuse_foreign(text)
    tail = re.fullmatch(_LEVEL_TAIL, text)
    if tail and "-l" not in tail["name"]:  # ranx: map@100-l2
        if re.search(_REL, tail["name"]):
            raise MeasureError(f"rel is set twice in {text!r}: -l{tail['rel']} is rel={tail['rel']}")
        return _read(tail["name"])(rel=int(tail["rel"]))
    tail = re.fullmatch(_SET_F, text)
    if tail:  # trec_eval's x is the square of beta
        return named("F")(beta=math.sqrt(float(tail["x"])))
    tail = re.fullmatch(_AT_TAIL, text)
    if tail and MEASURES.search(tail["name"]):  # MTEB: ndcg_at_10
        return named(tail["name"]) @ tail["cutoff"]
    tail = re.fullmatch(_TREC, text)
    if tail and tail["cutoff"].isdigit():  # trec_eval's names in another case: Recall_100
        stem = fold(text[: tail.start("cutoff")])
        for spec in MEASURES.own().values():
            for name in spec.trec:
                if name.endswith("_k") and fold(name[:-2]) == stem:
                    return build(spec, preset(spec, name), int(tail["cutoff"]))
    return None


def refuse_foreign(text: str) -> None:
    """Raise an error if a text is another tool's name for what is no measure here."""
    for tool, name, form, reason in REFUSED:
        if re.fullmatch(form, text, re.IGNORECASE):
            raise MeasureError(f"{text!r}: {name} of {tool} is not among the measures; {reason}")


# {its folded name: the row} of each measure of another tool that a note names
_NOTED = {fold(row[1].partition("@")[0]): row for row in DIFFERENT if len(row) > 3}


def note_on(text: str, measure: Measure) -> str:
    """The note on a text that names this measure, and another one in other tools; empty for any other."""
    name = text.partition("@")[0].partition("(")[0].strip()
    if measure.cutoff is not None and "@" not in text and (tail := re.fullmatch(_AT_TAIL, text)):
        name = tail["name"]
    if fold(name) not in _NOTED:
        return ""
    _, foreign, instead, note = _NOTED[fold(name)]
    its_name, at, _ = foreign.partition("@")
    meant = parse(instead)
    same = measure.spec is meant.spec
    settled = (same and measure.settings.keys() & meant.settings) or name == measure.spec.name != its_name
    if settled or (at and measure.cutoff is None):
        return ""
    return f"{text} {note} {measure(**meant.settings) if same else meant._replace(cutoff=measure.cutoff)}"


def _from_trec(text: str, measures: Mapping[str, Spec]) -> Measure | None:
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
    if not all(re.fullmatch(NUMBER, number) for pair in pairs for number in pair):
        return None
    if all(len(pair) == 2 for pair in pairs):
        return {names[0]: {float(grade): float(gain) for grade, gain in pairs}}
    if names == ["gains"]:  # a map from grades: ndcg_10 is no name of trec_eval
        return None
    values = [float(value) for value, *_ in pairs]
    if len(names) == len(values):
        return dict(zip(names, values, strict=True))
    return {names[0]: values} if len(names) == 1 else None


def parse_all(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """The measures that texts name, each once, in order; a text may name several, or a set."""
    return tuple(dict.fromkeys(parse_given(measures).values()))


def parse_given(measures: str | Measure | Iterable[str | Measure]) -> dict[str, Measure]:
    """{text as it was given: the measure that it names}, in order; those of a set have their own texts."""
    one = isinstance(measures, (str, Measure)) or is_foreign(measures)
    if isinstance(measures, bytes) or not (one or isinstance(measures, Iterable)):
        raise MeasureError(f"measures are a text such as 'nDCG@10 AP', or several, not {measures!r}")
    given: dict[str, Measure] = {}
    items: Any = [measures] if one else measures
    for item in items:
        for text, members in _read_list(item) if isinstance(item, str) else [(item, (parse(item),))]:
            given.update((str(text if len(members) == 1 else member), member) for member in members)
    if not given:
        raise MeasureError("no measures; name at least one, such as nDCG@10")
    return given


def _read_list(text: str) -> list[tuple[str, tuple[Measure, ...]]]:
    """(text, the measures it names) of each part of a text, or of those that only together are a name."""
    texts = list(pieces(text))
    try:
        return [(text, _members(text)) for text in texts]
    except MeasureError:
        with suppress(MeasureError):  # trec_eval separates parameters by commas: utility.1,-1,0,0
            return [(text.strip(), (parse(text),))]
        together = _joined(texts)
        if together == texts:
            raise
        return [(text, _members(text)) for text in together]


def _joined(texts: list[str]) -> list[str]:
    """The texts, with neighbours joined that are a name, unless each is one alone: `average precision@5`."""
    joined: list[str] = []
    at = 0
    while at < len(texts):
        for count in range(min(MAX_WORDS, len(texts) - at), 1, -1):
            together = " ".join(texts[at : at + count])
            spaced = re.match(SPACED, together)
            words = spaced[0].split() if spaced else []
            if spaced and len(words) == count and _is_name(spaced[0]) and not all(map(_is_name, words)):
                break
        else:
            count, together = 1, texts[at]
        joined.append(together)
        at += count
    return joined


def _is_name(text: str) -> bool:
    return MEASURES.match(text) is not None


def _members(text: str) -> tuple[Measure, ...]:
    """The measure that a text names, or those of the set that it names."""
    measure = _exact(text)
    if measure is not None:
        return (measure,)
    if text in SETS or any(text in spec.sets for spec in MEASURES.own().values()):
        return named_set(text)
    try:
        return (parse(text),)
    except MeasureError:
        members = named_set(text)  # other packages may have sets of their own
        if not members:
            raise
        return members


def pieces(text: str) -> Iterator[str]:
    """The texts of the measures in a text, split outside brackets; `P@5,10` and `P@5|10` are P@5 and P@10."""
    stem = ""
    for piece in split_list(text):
        ends_in_digit = piece[-1].isdecimal()  # compiling the patterns takes time
        if stem and ends_in_digit and re.fullmatch(_PIECE, piece):
            whole = f"{stem}{piece}"
        else:
            cut = (re.fullmatch(_AT, piece) or re.fullmatch(_TREC, piece)) if ends_in_digit else None
            has_cutoff = cut and ("@" in piece or _from_other_tools(piece))
            stem = piece[: cut.start("cutoff")] if cut and has_cutoff else ""
            whole = piece
        yield from expand(whole) if "|" in text else [whole]


def _refuse_several(text: str) -> None:
    """Raise an error if a text names several measures."""
    texts = list(pieces(text))
    if len(texts) > 1:
        try:
            names = joined(str(member) for piece in texts for member in _members(piece))
        except MeasureError:
            return
        raise MeasureError(f"{text!r} names several measures, {names}; name one of them")


def _restored(text: str) -> Measure:
    """The measure that a pickle holds: it may lack a required setting, as `measures.IPrec` does."""
    return Reader(text, compose).measure()


# Pickles and copies of a measure hold its text, which is its identity: functions are not pickled.
copyreg.pickle(Measure, lambda measure: (_restored, (str(measure),)))
