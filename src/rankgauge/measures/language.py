"""The measure language: from text to measure.

    measures = measure { ("," | ";" | space) (measure | cutoff) }

`reader` has the grammar of one measure. A measure is found by any of its names: trec_eval's (`ndcg_cut_10`,
`P.5`), those of other tools and papers, in any case, and whatever separates their parts (`hit_rate`,
`HitRate`, `hit rate`); `_at_10` is `@10`. The canonical text, `str(measure)`, has parameters in declared
order, without defaults. Where several measures can be named, a grid can.
"""

from __future__ import annotations

import copyreg
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from rankgauge.errors import MeasureError, RankgaugeError
from rankgauge.measures.named_sets import SETS
from rankgauge.measures.other_tools import DIFFERENT, REFUSED
from rankgauge.measures.reader import (
    NAME,
    NUMBER,
    WORDS,
    Reader,
    Written,
    expand,
    read_number,
    refuse_grid,
    split_list,
)
from rankgauge.measures.settings import CUTOFFS, Measure, build, complete, compose, read_cutoff
from rankgauge.measures.spec import MEASURES, Spec
from rankgauge.schema.registry import fold
from rankgauge.schema.text import brief, joined

_PIECE = r"\d+(?:\.\d+)?|\.\d+"
_AT = rf".+@(?P<cutoff>{_PIECE})"
_TREC = rf"(?a).+?[._](?P<cutoff>{_PIECE})"
_LEVEL_TAIL = r"(?a)(?P<name>.+)-l(?P<rel>\d+)"
_REL = r"(?ai)\brel\s*="
_SET_F = rf"(?ai)set_F[._](?P<x>{_PIECE})"
_AT_TAIL = r"(?ai)(?P<name>.+?)[._ -]at[._ -](?P<cutoff>\d+)"
_NUMBERED = r"(?a)(?P<name>.*[^\d_])_?(?P<cutoff>[1-9]\d{0,8})"
MAX_WORDS = 4  # of a name
MAX_CACHED = 1000
_CACHE: dict[str, Measure] = {}  # {text: measure}, of texts without settings: evaluators are made often


def parse(text: str | Measure) -> Measure:
    """The measure that a text names, such as `nDCG(gains=exp2)@10`, or one of ir_measures."""
    if isinstance(text, Measure):
        return complete(text)
    if not isinstance(text, str):
        if is_foreign(text):
            return complete(named(text.NAME)(**text.params))
        raise MeasureError(f"a measure is a text such as 'nDCG@10', not {brief(text)}")
    if "|" in text:
        refuse_grid(text)
    try:
        return _read(text.strip())
    except MeasureError:
        measure = _from_trec(text.strip(), MEASURES)  # with the measures of other packages
        if measure is None:
            _refuse_several(text)
            raise
        return measure


def lookup(text: str) -> Measure | None:
    """The measure that a text names, or None."""
    try:
        return parse(text)
    except RankgaugeError:
        return None


def canonical(text: str) -> str:
    """The canonical text of a measure; other texts unchanged."""
    measure = lookup(text)
    return text if measure is None else str(measure)


def is_foreign(measure: Any) -> bool:
    """Whether this is a measure of ir_measures."""
    return isinstance(getattr(measure, "NAME", None), str) and isinstance(
        getattr(measure, "params", None), Mapping
    )


def parse_all(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """The measures that texts name, each once, in order; a text may name several, or a set."""
    return tuple(dict.fromkeys(parse_given(measures).values()))


def several(measures: Any) -> list[Any]:
    """One text or measure, or several of them, as a list."""
    if isinstance(measures, (str, Measure)) or is_foreign(measures):
        return [measures]
    if not isinstance(measures, bytes):
        with suppress(TypeError):  # also of an array without dimensions, which has the methods of iterables
            return [*measures]
    raise MeasureError(f"measures are a text such as 'nDCG@10 AP', or several, not {brief(measures)}")


def parse_given(measures: str | Measure | Iterable[str | Measure]) -> dict[str, Measure]:
    """{text as given: measure}, in order; the measures of a set have their own texts."""
    given: dict[str, Measure] = {}
    for item in several(measures):
        for text, members in _read_list(item) if isinstance(item, str) else [(item, (parse(item),))]:
            given.update((str(text if len(members) == 1 else member), member) for member in members)
    if not given:
        raise MeasureError("no measures; name at least one, such as nDCG@10")
    return given


def _read_list(text: str) -> list[tuple[str, tuple[Measure, ...]]]:
    try:
        return [(piece, _members(piece)) for piece in pieces(text)]
    except MeasureError:
        with suppress(MeasureError):  # trec_eval separates parameters by commas: utility.1,-1,0,0
            return [(text.strip(), (parse(text),))]
        raise


def _refuse_several(text: str) -> None:
    read: list[tuple[Measure, ...]] = []
    try:
        for piece in pieces(text):
            if piece == text:
                return
            read.append(_members(piece))
    except MeasureError:
        return
    if len(read) > 1:
        names = joined(str(member) for members in read for member in members)
        raise MeasureError(f"{text!r} names several measures, {names}; name one of them")


def _members(text: str) -> tuple[Measure, ...]:
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
    """The texts of the measures in a list; `P@5,10` and `P@5|10` are P@5 and P@10."""
    stem = ""
    for piece in (piece for words in split_list(text) for piece in _names(words)):
        ends_in_digit = piece[-1].isdecimal()  # compiling the patterns takes time
        if stem and ends_in_digit and re.fullmatch(_PIECE, piece):
            whole = f"{stem}{piece}"
        else:
            cut = (re.fullmatch(_AT, piece) or re.fullmatch(_TREC, piece)) if ends_in_digit else None
            has_cutoff = cut and ("@" in piece or _from_trec(piece, MEASURES.own()) or _in_other_words(piece))
            stem = piece[: cut.start("cutoff")] if cut and has_cutoff else ""
            whole = piece
        yield from expand(whole) if "|" in text else [whole]


def _names(words: list[str]) -> Iterator[str]:
    """The words, with those joined that make one name: `average precision@5`."""
    begin = 0
    while begin < len(words):
        end = min(begin + MAX_WORDS, len(words))
        while end > begin + 1 and not _is_one_name(words[begin:end]):
            end -= 1
        yield " ".join(words[begin:end])
        begin = end


def _is_one_name(words: list[str]) -> bool:
    """Whether words are a name together but not each alone; the last may have settings."""
    *before, last = words
    ends = re.match(NAME, last)
    if ends is None or not all(re.fullmatch(NAME, word) for word in before):
        return False
    names = [*before, ends[0]]
    return not all(map(_is_name, names)) and _is_name(" ".join(names))


def _is_name(text: str) -> bool:
    known = text in SETS or MEASURES.get_loaded(text) or _from_trec(text, MEASURES.loaded())
    return bool(known) or MEASURES.match(text) is not None


def _read(text: str) -> Measure:
    name, level = _without_level(text)
    # First of the families imported so far: no other has their names, and importing others takes time.
    measure = _exact(name) or _from_trec(name, MEASURES.loaded()) or _from_trec(name, MEASURES.own())
    if measure is None:
        refuse_foreign(text)
        measure = _in_other_words(name) or _built(_written(name), name)
    return measure(**level) if level else measure


def _exact(text: str) -> Measure | None:
    """The measure of a name that is spelled exactly and imported already."""
    name = None if _without_level(text)[1] else re.match(NAME, text)
    spec = MEASURES.get_loaded(name[0]) if name else None
    if name is None or spec is None or text[name.end() :].lstrip()[:1] not in ("", "(", "@"):
        return None
    known = _CACHE.get(text)
    if known is None or known.spec is not spec:
        known = _built(Reader(text).measure(), text)
        if not known.settings and len(_CACHE) < MAX_CACHED:
            _CACHE[text] = known
    return known


def _without_level(text: str) -> tuple[str, dict[str, int]]:
    """(the text without ranx's `-l2`, that setting)."""
    tail = re.fullmatch(_LEVEL_TAIL, text) if "-l" in text else None
    if tail is None or "-l" in tail["name"]:
        return text, {}
    if re.search(_REL, tail["name"]):
        raise MeasureError(f"rel is set twice in {text!r}: -l{tail['rel']} is rel={tail['rel']}")
    return tail["name"], {"rel": int(tail["rel"])}


def _in_other_words(text: str) -> Measure | None:
    """A measure in the words of MTEB or of people, or set_F."""
    if tail := re.fullmatch(_SET_F, text):  # trec_eval's x is the square of beta
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


def _from_trec(text: str, measures: Mapping[str, Spec]) -> Measure | None:
    """A measure by one of trec_eval's names."""
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
    """trec_eval's parameters, `2,-1,0,0` or `1=3,2=9`."""
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


def refuse_foreign(text: str) -> None:
    """Refuse another tool's name for what is no measure here."""
    measured, _ = _without_level(text)
    for tool, name, form, reason in REFUSED:
        if re.fullmatch(form, measured, re.IGNORECASE):
            raise MeasureError(f"{text!r}: {name} of {tool} is not among the measures; {reason}")


# {its folded name: the row} of each measure of another tool that a note names
_NOTED = {fold(row[1].partition("@")[0]): row for row in DIFFERENT if len(row) > 3}


def note_on(text: str, measure: Measure) -> str:
    """The note on a text that means another measure in other tools, or ""."""
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


def find(name: str) -> Spec:
    """The measure of a name in any spelling; the error for an unknown name suggests the nearest."""
    return _find(name)[0]


def named(name: str) -> Measure:
    """The measure of a name, with the settings that the name stands for."""
    spec, known = _find(name)
    return compose(spec, preset(spec, known), None)


def preset(spec: Spec, name: str) -> dict[str, Any]:
    """The settings that a name stands for: average=geometric for `gm_map`."""
    return dict(Reader(f"{spec.meanings[name]})").settings()) if name in spec.meanings else {}


def _find(name: str) -> tuple[Spec, str]:
    """(measure, its name that is meant)."""
    match = MEASURES.match(name)
    if match is None:
        members = set_members(name)
        if members:
            raise MeasureError(f"{name} is a set of measures, such as {members[0]}; name one of them")
        trec = (word for spec in MEASURES.values() for word in spec.trec if word.endswith("_k"))
        raise MEASURES.unknown(name, [f"{word[:-2]}_10" for word in trec], _at_cutoff(name))
    return match


def _at_cutoff(name: str) -> str:
    """The likely meaning of a name with a number, RR@10 for rr_10, or ""."""
    cut = re.fullmatch(_NUMBERED, name)
    match = MEASURES.match(cut["name"]) if cut else None
    return f"{match[0].name}@{int(cut['cutoff'])}" if cut and match else ""


def named_set(name: str) -> tuple[Measure, ...]:
    """The measures of a named set such as `graded`; none if there is no such set."""
    return tuple(map(parse, set_members(name)))


def set_members(name: str) -> tuple[str, ...]:
    """The texts of the measures of a named set."""
    name = set_name(name)
    return SETS.get(name) or tuple(spec.name for spec in MEASURES.values() if name in spec.sets)


def set_name(text: str) -> str:
    """The name of a set in any spelling; any other text unchanged."""
    if text in SETS:
        return text
    return {fold(known): known for known in set_names()}.get(fold(text), text)


def set_names() -> list[str]:
    """The names of all sets."""
    return sorted({*SETS, *(name for spec in MEASURES.values() for name in spec.sets)})


def _written(text: str) -> Written:
    """The measure as it is written; an unknown name is reported before bad syntax."""
    try:
        return Reader(text).measure()
    except MeasureError:
        words = re.match(WORDS, text)
        if words and MEASURES.match(words[0]) is None:
            _find(words[0].partition(" ")[0])
        raise


def _built(written: Written, text: str, make: Callable[..., Measure] = build) -> Measure:
    spec, name = _measure_named(written, text)
    settings, cutoff = preset(spec, name), written.cutoff
    inner = spec.names.inner
    for stated, value in written.settings:
        parameter = _parameter_name(spec, stated) if stated else inner
        if not parameter:
            raise MeasureError(f"{spec.name} takes settings by name, as in {spec.name}(rel=2)")
        if parameter in settings:
            raise MeasureError(f"{spec.name}: {parameter} is set twice in {text!r}")
        if isinstance(value, Written):  # with a name, it is left for the parameter to read or refuse
            value = value.text if stated else _built(value, text, make)
        settings[parameter] = value
    if cutoff in ("R", "r") and "@R" in spec.names.turns_into:  # MAP@R
        spec, cutoff = MEASURES[spec.names.turns_into["@R"]], None
    for word in CUTOFFS:  # ir_measures also writes P(cutoff=10)
        if word in settings and not spec.has(word):
            if cutoff is not None:
                raise MeasureError(f"{spec.name}: the cutoff is set twice in {text!r}")
            cutoff = str(settings.pop(word))
    if cutoff is None or not spec.names.at:
        return make(spec, settings, None if cutoff is None else read_cutoff(spec, cutoff))
    if spec.names.at in settings:
        raise MeasureError(f"{spec.name}: {spec.names.at} is set twice in {text!r}")
    return make(spec, {**settings, spec.names.at: read_number(cutoff)}, None)


def _measure_named(written: Written, text: str) -> tuple[Spec, str]:
    match = MEASURES.match(written.name)
    if match is not None or " " not in written.name:
        return match or _find(written.name)
    first = written.name.partition(" ")[0]
    _find(first)
    reader = Reader(text)
    reader.at = written.begin + len(written.name) - len(written.name[len(first) :].lstrip())
    raise reader.error("the end")


def _parameter_name(spec: Spec, name: str) -> str:
    if spec.has(name):
        return name
    known = [*(parameter.name for parameter in spec.parameters), *spec.names.synonyms, *spec.names.turns_into]
    alike = [each for each in (*known, *CUTOFFS) if each.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 else name


def _restored(text: str) -> Measure:
    """A measure from a pickle, which may lack a required setting."""
    return _built(Reader(text).measure(), text, compose)


# Pickles and copies of a measure hold its text, which is its identity: functions are not pickled.
copyreg.pickle(Measure, lambda measure: (_restored, (str(measure),)))
