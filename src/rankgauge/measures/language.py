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
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rankgauge.errors import MeasureError, RankgaugeError
from rankgauge.measures import named_sets
from rankgauge.measures.registry import MEASURES
from rankgauge.measures.settings import CUTOFFS, Measure, build, complete, compose, read_cutoff
from rankgauge.measures.spec import Spec
from rankgauge.schema.registry import fold

_NAME = re.compile(r"[^\W\d][\w#♯+-]*")
# Digits belong to one part of a pattern only: a long text that does not match is given up at once.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_PIECE = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_AT = re.compile(rf".+@(?P<cutoff>{_PIECE.pattern})")
_TREC = re.compile(rf".+?[._](?P<cutoff>{_PIECE.pattern})", re.ASCII)
_AT_TAIL = re.compile(r"(?P<name>.+?)[._ -]at[._ -](?P<cutoff>\d+)", re.ASCII | re.IGNORECASE)
_SET_F = re.compile(rf"set_F[._](?P<x>{_PIECE.pattern})", re.ASCII | re.IGNORECASE)
_LEVEL_TAIL = re.compile(r"(?P<name>.+)-l(?P<rel>\d+)", re.ASCII)
_SPACED = re.compile(rf"{_NAME.pattern}(?: +{_NAME.pattern})+")
_WORD = re.compile(r"[^\W\d][\w.-]*")
_NAMED = re.compile(r"[^\W\d]\w*\s*=")
_AFTER_AT = re.compile(r"[^\s()@]+")  # the cutoff
_AFTER_AT_INSIDE = re.compile(r"[^\s()@,]+")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_BRACKET_OR_GAP = re.compile(r"[(){}]|[\s,;]")
MOST_WORDS = 4  # of a name
MOST_NESTED = 20  # measures inside of each other


def parse(text: str | Measure) -> Measure:
    """The measure that a text names, such as `nDCG(gains=exp2)@10`; ir_measures' measures are taken, too."""
    if isinstance(text, Measure):
        return complete(text)
    if not isinstance(text, str):
        if is_foreign(text):
            return complete(named(text.NAME)(**text.params))
        raise MeasureError(f"a measure is a text such as 'nDCG@10', not {text!r}")
    if "|" in text:
        from rankgauge.measures import grids  # seldom needed

        grids.refuse(text)
    everyday = _everyday(text.strip())
    if everyday is not None:
        return everyday
    try:
        return _from_other_tools(text.strip()) or _Reader(text.strip()).measure()
    except MeasureError:
        measure = _from_trec(text.strip(), MEASURES)  # with the measures of other packages
        if measure is None:
            raise
        return measure


def is_foreign(measure: Any) -> bool:
    """Whether this is a measure of ir_measures, which is not imported for that."""
    return isinstance(getattr(measure, "NAME", None), str) and isinstance(
        getattr(measure, "params", None), Mapping
    )


def canonical(text: str) -> str:
    """The canonical text of a measure; any other text unchanged."""
    try:
        return str(parse(text))
    except RankgaugeError:
        return text  # the columns of a table may have any name


def _everyday(text: str) -> Measure | None:
    """The measure that a text names, if its family is imported already and the name is spelled exactly."""
    if _LEVEL_TAIL.fullmatch(text):  # ranx's, whatever is imported
        return None
    name = _NAME.match(text)
    known = name and MEASURES.get_loaded(name[0]) and text[name.end() :].lstrip()[:1] in ("", "(", "@")
    return _Reader(text).measure() if known else None


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
        for text, members in _read(list(pieces(item))) if isinstance(item, str) else [(item, (parse(item),))]:
            given.update((str(text if len(members) == 1 else member), member) for member in members)
    if not given:
        raise MeasureError("no measures; name at least one, such as nDCG@10")
    return given


def _read(texts: list[str]) -> list[tuple[str, tuple[Measure, ...]]]:
    """(text, the measures it names) of each of these texts, or of those that only together are a name."""
    try:
        return [(text, _members(text)) for text in texts]
    except MeasureError:
        together = _joined(texts)
        if together == texts:
            raise
        return [(text, _members(text)) for text in together]


def _joined(texts: list[str]) -> list[str]:
    """The texts, with neighbours joined that are a name, unless each is one alone: `average precision@5`."""
    joined: list[str] = []
    at = 0
    while at < len(texts):
        for count in range(min(MOST_WORDS, len(texts) - at), 1, -1):
            together = " ".join(texts[at : at + count])
            spaced = _SPACED.match(together)
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


def value(text: str) -> Any:
    """The value of a text in the language: a number, a word, a map or numbers in braces; else the text."""
    reader = _Reader(text.strip())
    try:
        value = reader._value()
    except MeasureError:
        return text
    return value if reader.at == len(reader.text) else text


def _members(text: Any) -> tuple[Measure, ...]:
    """The measure that a text names, or those of the set that it names."""
    if not isinstance(text, str) or _everyday(text):
        return (parse(text),)
    if text in named_sets.SETS or any(text in spec.sets for spec in MEASURES.own().values()):
        return named_set(text)
    try:
        return (parse(text),)
    except MeasureError:
        members = named_set(text)  # other packages may have sets of their own
        if not members:
            raise
        return members


def named_set(name: str) -> tuple[Measure, ...]:
    """The measures of a named set such as `graded`, in any spelling; none if there is no such set."""
    name = set_name(name)
    if name in named_sets.SETS:
        return tuple(map(parse, named_sets.SETS[name]))
    return tuple(build(spec, {}, None) for spec in MEASURES.values() if name in spec.sets)


def set_name(text: str) -> str:
    """The name of a set from any spelling of it; any other text unchanged."""
    if text in named_sets.SETS:
        return text
    return {fold(known): known for known in set_names()}.get(fold(text), text)


def set_names() -> list[str]:
    """The names of all sets."""
    return sorted({*named_sets.SETS, *(name for spec in MEASURES.values() for name in spec.sets)})


def pieces(text: str) -> Iterator[str]:
    """The texts of the measures in a text, split outside brackets; `P@5,10` and `P@5|10` are P@5 and P@10."""
    if "|" in text:
        from rankgauge.measures import grids  # seldom needed

        for piece in _pieces(text):
            yield from grids.expand(piece)
    else:
        yield from _pieces(text)


def _pieces(text: str) -> Iterator[str]:
    stem = ""
    for piece in _split(text):
        if _PIECE.fullmatch(piece) and stem:
            yield f"{stem}{piece}"
            continue
        cut = _AT.fullmatch(piece) or _TREC.fullmatch(piece)
        has_cutoff = cut and ("@" in piece or _from_other_tools(piece))
        stem = piece[: cut.start("cutoff")] if cut and has_cutoff else ""
        yield piece


def _split(text: str) -> Iterator[str]:
    """The parts of a text between commas, semicolons and spaces that are outside brackets."""
    begin = depth = 0
    for mark in _BRACKET_OR_GAP.finditer(text):
        if mark[0] in "({":
            depth += 1
        elif mark[0] in ")}":
            depth = max(0, depth - 1)
        elif depth == 0:
            if mark.start() > begin:
                yield text[begin : mark.start()]
            begin = mark.end()
    if begin < len(text):
        yield text[begin:]


def _from_other_tools(text: str) -> Measure | None:
    """The measure of a text that only other tools write so; None if it is none of theirs."""
    measure = _from_trec(text, MEASURES.own())
    if measure is not None:
        return measure
    from rankgauge.measures import false_friends  # seldom needed

    false_friends.refuse(text)
    tail = _LEVEL_TAIL.fullmatch(text)
    if tail and "-l" not in tail["name"]:  # ranx: map@100-l2
        return parse(tail["name"])(rel=int(tail["rel"]))
    tail = _SET_F.fullmatch(text)
    if tail:  # trec_eval's x is the square of beta
        return named("F")(beta=math.sqrt(float(tail["x"])))
    tail = _AT_TAIL.fullmatch(text)
    if tail and MEASURES.search(tail["name"]):  # MTEB: ndcg_at_10
        return named(tail["name"]) @ tail["cutoff"]
    tail = _TREC.fullmatch(text)
    if tail and tail["cutoff"].isdigit():  # trec_eval's names in another case: Recall_100
        stem = fold(text[: tail.start("cutoff")])
        for spec in MEASURES.own().values():
            for name in spec.trec:
                if name.endswith("_k") and fold(name[:-2]) == stem:
                    return build(spec, _preset(spec, name), int(tail["cutoff"]))
    return None


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
                    return build(spec, _preset(spec, name), read_cutoff(spec, tail))
            elif name.endswith("}"):
                values = _trec_parameters(name[len(stem) + 2 : -1].split(","), tail)
                if values:
                    return build(spec, _preset(spec, name) | values, None)
            elif text == name:
                return build(spec, _preset(spec, name), None)
    return None


def _trec_parameters(names: list[str], text: str) -> dict[str, Any] | None:
    """Parameters as in trec_eval: `2,-1,0,0`, or `1=3,2=9` from grade to gain; None if they are neither."""
    pairs = [part.split("=") for part in text.split(",")]
    if not all(_NUMBER.fullmatch(number) for pair in pairs for number in pair):
        return None
    if all(len(pair) == 2 for pair in pairs):
        return {names[0]: {float(grade): float(gain) for grade, gain in pairs}}
    values = [float(value) for value, *_ in pairs]
    if len(names) == len(values):
        return dict(zip(names, values, strict=True))
    return {names[0]: values} if len(names) == 1 else None


def _preset(spec: Spec, name: str) -> dict[str, Any]:
    """The settings that one of a measure's names stands for: those of `gm_map` are average=geometric."""
    return _Reader(f"{spec.meanings[name]})").settings(spec) if name in spec.meanings else {}


def _number(text: str) -> Any:
    """A number from its text; other texts are returned as they are, for the parameter to refuse."""
    if not _NUMBER.fullmatch(text):
        return text
    return int(text) if len(text) < 16 and text.lstrip("+-").isdigit() else float(text)


def find(name: str) -> Spec:
    """The measure of this name, in any spelling; an unknown name is an error that names the nearest."""
    return _find(name)[0]


def _find(name: str) -> tuple[Spec, str]:
    """(the measure of this name in any spelling, the one of its names that is meant)."""
    match = MEASURES.match(name)
    if match is None:
        members = named_set(name)
        if members:
            raise MeasureError(f"{name} is a set of measures, such as {members[0]}; name one of them")
        trec = (word for spec in MEASURES.values() for word in spec.trec if word.endswith("_k"))
        raise MEASURES.unknown(name, [f"{word[:-2]}_10" for word in trec])
    return match


def named(name: str) -> Measure:
    """The measure of this name with the settings that the name stands for, to be completed with others."""
    spec, known = _find(name)
    return Measure(spec, {}, None)(**_preset(spec, known))


def _restored(text: str) -> Measure:
    """The measure that a pickle holds: it may lack a required setting, as `measures.IPrec` does."""
    return _Reader(text, compose).measure()


# Pickles and copies of a measure hold its text, which is its identity: functions are not pickled.
copyreg.pickle(Measure, lambda measure: (_restored, (str(measure),)))


class _Reader:
    """Reads one measure from left to right."""

    def __init__(self, text: str, make: Callable[..., Measure] = build) -> None:
        self.text, self._make = text, make
        self.at = self.depth = 0

    def measure(self) -> Measure:
        measure = self._measure(_AFTER_AT)
        if self.at < len(self.text):
            raise self._error("the end")
        return measure

    def _measure(self, after_at: re.Pattern[str]) -> Measure:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise MeasureError(f"more than {MOST_NESTED} measures inside of each other in {self.text!r}")
        spec, name = self._name()
        settings = self.settings(spec, _preset(spec, name)) if self._skip("(") else _preset(spec, name)
        cutoff = self._match(after_at, "a cutoff") if self._skip("@") else None
        for word in CUTOFFS:  # ir_measures also writes P(cutoff=10)
            if word in settings and not spec.has(word):
                if cutoff is not None:
                    raise MeasureError(f"{spec.name}: the cutoff is set twice in {self.text!r}")
                cutoff = str(settings.pop(word))
        if cutoff is None or not spec.names.at:
            return self._make(spec, settings, None if cutoff is None else read_cutoff(spec, cutoff))
        if spec.names.at in settings:
            raise MeasureError(f"{spec.name}: {spec.names.at} is set twice in {self.text!r}")
        return self._make(spec, {**settings, spec.names.at: _number(cutoff)}, None)

    def _name(self) -> tuple[Spec, str]:
        """(the measure that is named next, the one of its names that is meant)."""
        spaced = _SPACED.match(self.text, self.at)
        match = MEASURES.match(spaced[0]) if spaced else None  # hit rate
        if spaced and match:
            self.at = spaced.end()
            self._skip_space()
            return match
        return _find(self._match(_NAME, "a measure's name"))

    def settings(self, spec: Spec, preset: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The settings up to the closing bracket, added to those of the name."""
        settings = dict(preset or {})
        first = True
        while not self._skip(")"):
            if not first:
                self._expect(",")
            if first and spec.names.inner and not _NAMED.match(self.text, self.at):
                settings[spec.names.inner] = self._measure(_AFTER_AT_INSIDE)
                first = False
                continue
            first = False
            parameter = self._match(_NAME, "a parameter's name")
            if parameter in settings:
                raise MeasureError(f"{spec.name}: {parameter} is set twice in {self.text!r}")
            self._expect("=")
            settings[parameter] = self._inside() if parameter == spec.names.inner else self._value()
        return settings

    def _inside(self) -> Any:
        """An inner measure; other values are left for the parameter to refuse."""
        begin = self.at
        try:
            return self._measure(_AFTER_AT_INSIDE)
        except MeasureError:
            self.at = begin
            return self._value()

    def _value(self) -> Any:
        if self._skip("{"):
            numbers: list[float] = []
            pairs: dict[float, float] = {}
            while not self._skip("}"):
                if numbers:
                    self._expect(",")
                grade = self._number()
                if grade in pairs:
                    raise MeasureError(f"grade {grade} is mapped twice in {self.text!r}")
                if pairs or (not numbers and self.text.startswith(":", self.at)):
                    self._expect(":")
                    pairs[grade] = self._number()
                numbers.append(grade)
            return pairs or numbers or {}
        quoted = _QUOTED.match(self.text, self.at)
        if quoted:
            self.at = quoted.end()
            return quoted[1] if quoted[1] is not None else quoted[2]
        if _NUMBER.match(self.text, self.at):
            return self._number()
        return self._match(_WORD, "a value")

    def _number(self) -> float:
        number: float = _number(self._match(_NUMBER, "a number"))
        return number

    def _skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _skip(self, mark: str) -> bool:
        self._skip_space()
        if self.text.startswith(mark, self.at):
            self.at += len(mark)
            self._skip_space()
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._skip(mark):
            raise self._error(repr(mark))

    def _match(self, pattern: re.Pattern[str], what: str) -> str:
        self._skip_space()
        match = pattern.match(self.text, self.at)
        if not match:
            raise self._error(what)
        self.at = match.end()
        self._skip_space()
        return match[0]

    def _error(self, expected: str) -> MeasureError:
        actual = repr(self.text[self.at]) if self.at < len(self.text) else "the end"
        example = "a measure looks like nDCG(gains=exp2)@10"
        if actual == "'|'":
            example = "alternatives of values and cutoffs look like nDCG(base=2|10)@5|10, measures like AP RR"
        return MeasureError(
            f"cannot read the measure {self.text!r}: expected {expected} at column {self.at + 1}, "
            f"found {actual}; {example}"
        )
