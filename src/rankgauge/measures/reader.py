"""Splits lists and grids of measures, reads one measure, and finds measures and sets by any of their names.

A grid stands for all combinations of its alternatives: `nDCG(base=2|10)@10|100` is four measures.

    cutoffs  = cutoff { "|" cutoff }
    setting  = name "=" value { "|" value } | measure { "|" measure }

In `IA(nDCG@5|10|AP)`, a number after a cutoff is another cutoff: the alternatives are nDCG@5, nDCG@10 and AP.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from rankgauge.errors import MeasureError
from rankgauge.measures.named_sets import SETS
from rankgauge.measures.settings import CUTOFFS, Measure, build, read_cutoff
from rankgauge.measures.spec import MEASURES, Spec
from rankgauge.schema.registry import HYPHENS, fold

# Patterns are compiled where they are first used: all of them would take longer than a small evaluation.
NAME = rf"[^\W\d][\w#♯+{HYPHENS[1:]}-]*"
SPACED = rf"{NAME}(?: +{NAME})+"
# Digits belong to one part of a pattern only: a long text that does not match is given up at once.
NUMBER = r"(?a)[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_WORD = r"[^\W\d][\w.-]*"
_QUOTED = r"'([^']*)'|\"([^\"]*)\""
_NAMED = r"[^\W\d]\w*\s*="
_AFTER_AT = r"[^\s()@]+"  # the cutoff
_AFTER_AT_INSIDE = r"[^\s()@,]+"
_NUMBERED = r"(?a)(?P<name>.*[^\d_])_?(?P<cutoff>[1-9]\d{0,8})"
MAX_NESTED = 20  # measures inside of each other
_AROUND_AT = r"(?i) ?@ ?| at (?=\d)"  # nDCG @ 10, recall at 10
_BEFORE_BRACKET = r"(?<=\w) (?=\()"
_MARK = r"'[^']*'|\"[^\"]*\"|[(){}|,@;\s]"
_CUTOFF = r"\s*[\d.]+\s*"
_SETTING = r"\s*\w+\s*="
MAX_GRID = 10_000  # measures of a grid: more are a slip of the keyboard
MAX_BRACKETS = 100  # more than measures can be nested


def find(name: str) -> Spec:
    """The measure of this name, in any spelling; an unknown name is an error that names the nearest."""
    return _find(name)[0]


def _find(name: str) -> tuple[Spec, str]:
    """(the measure of this name in any spelling, the one of its names that is meant)."""
    match = MEASURES.match(name)
    if match is None:
        members = set_members(name)
        if members:
            raise MeasureError(f"{name} is a set of measures, such as {members[0]}; name one of them")
        trec = (word for spec in MEASURES.values() for word in spec.trec if word.endswith("_k"))
        raise MEASURES.unknown(name, [f"{word[:-2]}_10" for word in trec], _at_cutoff(name))
    return match


def _at_cutoff(name: str) -> str:
    """The likely meaning of a measure's name with a number behind it: RR@10 for rr_10; '' for others."""
    cut = re.fullmatch(_NUMBERED, name)
    match = MEASURES.match(cut["name"]) if cut else None
    return f"{match[0].name}@{int(cut['cutoff'])}" if cut and match else ""


def named(name: str) -> Measure:
    """The measure of this name with the settings that the name stands for, to be completed with others."""
    spec, known = _find(name)
    return Measure(spec, {}, None)(**preset(spec, known))


def preset(spec: Spec, name: str) -> dict[str, Any]:
    """The settings that one of a measure's names stands for: those of `gm_map` are average=geometric."""
    return Reader(f"{spec.meanings[name]})").settings(spec, {}) if name in spec.meanings else {}


def set_name(text: str) -> str:
    """The name of a set from any spelling of it; any other text unchanged."""
    if text in SETS:
        return text
    return {fold(known): known for known in set_names()}.get(fold(text), text)


def set_names() -> list[str]:
    """The names of all sets."""
    return sorted({*SETS, *(name for spec in MEASURES.values() for name in spec.sets)})


def set_members(name: str) -> tuple[str, ...]:
    """The texts of the measures of a named set, in any spelling of its name; none if there is no such set."""
    name = set_name(name)
    return SETS.get(name) or tuple(spec.name for spec in MEASURES.values() if name in spec.sets)


class Reader:
    """Reads one measure, or a value, from left to right."""

    def __init__(self, text: str, make: Callable[..., Measure] = build) -> None:
        self.text = text
        self.at = 0
        self._make = make
        self._depth = 0

    def skip_space(self) -> None:
        """Move to the next character that is not a space."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def skip(self, mark: str) -> bool:
        """Whether a mark is next; if so, move behind it."""
        self.skip_space()
        if self.text.startswith(mark, self.at):
            self.at += len(mark)
            self.skip_space()
            return True
        return False

    def expect(self, mark: str) -> None:
        """Move behind a mark, which must be next."""
        if not self.skip(mark):
            raise self.error(repr(mark))

    def _next(self, form: str) -> re.Match[str] | None:
        return re.compile(form).match(self.text, self.at)

    def match(self, form: str, what: str) -> str:
        """Move behind a token of this form, which must be next."""
        self.skip_space()
        match = self._next(form)
        if not match:
            raise self.error(what)
        self.at = match.end()
        self.skip_space()
        return match[0]

    def value(self) -> Any:
        """A number, a word, a quoted text, a map or numbers in braces."""
        if self.skip("{"):
            return self._in_braces()
        quoted = self._next(_QUOTED)
        if quoted:
            self.at = quoted.end()
            return quoted[1] if quoted[1] is not None else quoted[2]
        if self._next(NUMBER):
            return self._number()
        return self.match(_WORD, "a value")

    def _in_braces(self) -> Any:
        numbers: list[float] = []
        pairs: dict[float, float] = {}
        while not self.skip("}"):
            if numbers:
                self.expect(",")
            grade = self._number()
            if grade in pairs:
                raise MeasureError(f"grade {grade} is mapped twice in {self.text!r}")
            if pairs or (not numbers and self.text.startswith(":", self.at)):
                self.expect(":")
                pairs[grade] = self._number()
            numbers.append(grade)
        return pairs or numbers or {}

    def _number(self) -> Any:
        return read_number(self.match(NUMBER, "a number"))

    def error(self, expected: str) -> MeasureError:
        """The error for a text that has something else at this place."""
        actual = repr(self.text[self.at]) if self.at < len(self.text) else "the end"
        example = "a measure looks like nDCG(gains=exp2)@10"
        if actual == "'|'":
            example = "alternatives of values and cutoffs look like nDCG(base=2|10)@5|10, measures like AP RR"
        return MeasureError(
            f"cannot read the measure {self.text!r}: expected {expected} at column {self.at + 1}, "
            f"found {actual}; {example}"
        )

    def measure(self) -> Measure:
        """The measure that is the whole text."""
        measure = self._measure(_AFTER_AT)
        if self.at < len(self.text):
            raise self.error("the end")
        return measure

    def _measure(self, after_at: str) -> Measure:
        self._depth += 1
        if self._depth > MAX_NESTED:
            raise MeasureError(f"more than {MAX_NESTED} measures inside of each other in {self.text!r}")
        spec, name = self._name()
        settings = preset(spec, name)
        if self.skip("("):
            settings = self.settings(spec, settings)
        cutoff = self.match(after_at, "a cutoff") if self.skip("@") else None
        if cutoff in ("R", "r") and "@R" in spec.names.turns_into:  # MAP@R
            spec, cutoff = MEASURES[spec.names.turns_into["@R"]], None
        for word in CUTOFFS:  # ir_measures also writes P(cutoff=10)
            if word in settings and not spec.has(word):
                if cutoff is not None:
                    raise MeasureError(f"{spec.name}: the cutoff is set twice in {self.text!r}")
                cutoff = str(settings.pop(word))
        if cutoff is None or not spec.names.at:
            return self._make(spec, settings, None if cutoff is None else read_cutoff(spec, cutoff))
        if spec.names.at in settings:
            raise MeasureError(f"{spec.name}: {spec.names.at} is set twice in {self.text!r}")
        return self._make(spec, {**settings, spec.names.at: read_number(cutoff)}, None)

    def _name(self) -> tuple[Spec, str]:
        """(the measure that is named next, the one of its names that is meant)."""
        spaced = self._next(SPACED) if " " in self.text else None
        match = MEASURES.match(spaced[0]) if spaced else None  # hit rate
        if spaced and match:
            self.at = spaced.end()
            self.skip_space()
            return match
        return _find(self.match(NAME, "a measure's name"))

    def settings(self, spec: Spec, preset: Mapping[str, Any]) -> dict[str, Any]:
        """The settings up to the closing bracket, added to those of the name."""
        settings = dict(preset)
        inner, first = spec.names.inner, True
        while not self.skip(")"):
            if not first:
                self.expect(",")
            elif inner and not self._next(_NAMED):
                settings[inner] = self._measure(_AFTER_AT_INSIDE)
                first = False
                continue
            first = False
            parameter = _parameter_name(spec, self.match(NAME, "a parameter's name"))
            if parameter in settings:
                raise MeasureError(f"{spec.name}: {parameter} is set twice in {self.text!r}")
            self.expect("=")
            settings[parameter] = self._inside() if parameter == inner else self.value()
        return settings

    def _inside(self) -> Any:
        """An inner measure; other values are left for the parameter to refuse."""
        begin = self.at
        try:
            return self._measure(_AFTER_AT_INSIDE)
        except MeasureError:
            self.at = begin
            return self.value()


def read_number(text: str) -> Any:
    """A number from its text; other texts are returned as they are, for the parameter to refuse."""
    if not re.fullmatch(NUMBER, text):
        return text
    return int(text) if len(text) < 16 and text.lstrip("+-").isdigit() else float(text)


def read_value(text: str) -> Any:
    """The value of a text in the language: a number, a word, a map or numbers in braces; else the text."""
    reader = Reader(text.strip())
    try:
        value = reader.value()
    except MeasureError:
        return text
    return value if reader.at == len(reader.text) else text


def _parameter_name(spec: Spec, name: str) -> str:
    """The parameter of this name in any case; a name that is none as it is."""
    if spec.has(name):
        return name
    known = [*(parameter.name for parameter in spec.parameters), *spec.names.synonyms, *spec.names.turns_into]
    alike = [each for each in (*known, *CUTOFFS) if each.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 else name


def split_list(text: str) -> Iterator[str]:
    """The parts of a text between commas, semicolons and spaces outside brackets, unless around @."""
    text = re.sub(_AROUND_AT, "@", re.sub(_BEFORE_BRACKET, "", " ".join(text.split())))
    yield from filter(None, _split(text, ",; "))


def _split(text: str, separators: str) -> Iterator[str]:
    """The parts of a text between separators that are outside brackets and quotes."""
    begin = depth = 0
    for mark in re.finditer(_MARK, text):
        if mark[0] in "({":
            depth += 1
        elif mark[0] in ")}":
            depth = max(0, depth - 1)
        elif mark[0] in separators and depth == 0:
            yield text[begin : mark.start()]
            begin = mark.end()
    yield text[begin:]


def expand(text: str) -> list[str]:
    """The texts of all measures of a grid, in the order in which its last alternative varies fastest.

    >>> expand("nDCG(base=2|10)@5|10")
    ['nDCG(base=2)@5', 'nDCG(base=2)@10', 'nDCG(base=10)@5', 'nDCG(base=10)@10']
    """
    if text.count("(") > MAX_BRACKETS:
        return [text]  # for the language to refuse
    before, mark, inside, after = _bracketed(text)
    stem, at, cutoffs = (after if mark else before).partition("@")
    settings = [_alternatives(setting, text) for setting in _split(inside, ",")] if mark else []
    choices = [*settings, _present(cutoffs.split("|"), text) if at else [""]]
    if math.prod(map(len, choices)) > MAX_GRID:
        raise MeasureError(f"the grid {text!r} stands for more than {MAX_GRID} measures; leave some out")
    return [
        f"{before}({','.join(chosen)}){stem}{at}{cutoff}" if mark else f"{stem}{at}{cutoff}"
        for *chosen, cutoff in product(*choices)
    ]


def refuse_grid(text: str) -> None:
    """Raise an error if a text is a grid, where one measure is wanted."""
    measures = expand(text)
    if len(measures) > 1:
        shown = f"{', '.join(measures[:3])}{', ...' if len(measures) > 3 else ''}"
        raise MeasureError(f"{text!r} is a grid of {len(measures)} measures ({shown}); name one of them")


def _alternatives(setting: str, text: str) -> list[str]:
    """All texts of a setting: those of its values, or of its inner measures."""
    name, equals, values = setting.partition("=") if re.match(_SETTING, setting) else ("", "", setting)
    several: list[str] = []
    for value in _split(values, "|"):
        if several and re.fullmatch(_CUTOFF, value) and "@" in several[-1].rpartition(")")[2]:
            several[-1] += f"|{value}"  # another cutoff of the inner measure
        else:
            several.append(value)
    texts: list[str] = []
    for value in _present(several, text):
        is_measure = any(mark[0] in "(@" for mark in re.finditer(_MARK, value))
        texts += expand(value) if is_measure and "|" in value else [value]
    return [f"{name}{equals}{each}" for each in texts]


def _present(alternatives: list[str], text: str) -> list[str]:
    if len(alternatives) > 1 and not all(map(str.strip, alternatives)):
        raise MeasureError(f"the grid {text!r} has an empty alternative; write it as in nDCG(base=2|10)@5|10")
    return alternatives


def _bracketed(text: str) -> tuple[str, str, str, str]:
    """The text before, the bracket, inside and after the first round brackets; without them, all before."""
    depth = begin = 0
    for mark in re.finditer(_MARK, text):
        if mark[0] == "(":
            depth += 1
            begin = mark.end() if depth == 1 else begin
        elif mark[0] == ")" and depth:
            depth -= 1
            if depth == 0:
                return text[: begin - 1], "(", text[begin : mark.start()], text[mark.end() :]
    return text, "", "", ""
