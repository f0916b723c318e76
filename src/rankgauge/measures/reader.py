"""The grammar of measures: splits lists, expands grids, and reads one measure as it is written.

    measure  = name [ "(" [ setting { "," setting } ] ")" ] [ "@" (cutoff | number) ]
    setting  = name "=" value | measure            (the latter is an inner measure, and comes first)
    value    = number | word | "'" text "'" | "{" pair { "," pair } "}" | "{" number { "," number } "}"
    pair     = number ":" number

A grid stands for all combinations of its alternatives: `nDCG(base=2|10)@10|100` is four measures. In
`IA(nDCG@5|10|AP)`, a number after a cutoff is another cutoff. Which measures there are, `language` knows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from rankgauge.errors import MeasureError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.registry import HYPHENS

# Patterns are compiled where they are first used: all of them would take longer than a small evaluation.
NAME = rf"[^\W\d][\w#♯+{HYPHENS[1:]}-]*"
WORDS = rf"{NAME}(?: +{NAME})*"
# Digits belong to one part of a pattern only: a long text that does not match is given up at once.
NUMBER = r"(?a)[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_WORD = r"[^\W\d][\w.-]*"
_QUOTED = r"'([^']*)'|\"([^\"]*)\""
_NAMED = rf"{NAME}\s*="
_MEASURE = rf"{WORDS}\s*[(@]"
_AFTER_AT = r"[^\s()@]+"  # the cutoff
_AFTER_AT_INSIDE = r"[^\s()@,]+"
_AROUND_AT = r"(?i) ?@ ?| at (?=\d)"  # nDCG @ 10, recall at 10
_BEFORE_BRACKET = r"(?<=\w) (?=\()"
_MARK = r"'[^']*'|\"[^\"]*\"|[(){}|,@;\s]"
_CUTOFF = r"\s*[\d.]+\s*"
_SETTING = r"\s*\w+\s*="
MAX_NESTED = 20  # measures inside of each other
MAX_GRID = 10_000  # measures of a grid: more are a slip of the keyboard
MAX_BRACKETS = 100  # more than measures can be nested


class Written(Frozen):
    """A measure as it is written; names may be in any spelling."""

    name: str  # words, which may be those of several names
    begin: int  # where it begins in the text
    settings: list[tuple[str, Any]]  # an inner measure without a name has ""
    cutoff: str | None
    text: str


class Reader:
    """Reads one measure, settings, or a value, from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._depth = 0

    def measure(self) -> Written:
        """The measure that is the whole text."""
        measure = self._measure(_AFTER_AT)
        if self.at < len(self.text):
            raise self.error("the end")
        return measure

    def _measure(self, after_at: str) -> Written:
        self._depth += 1
        if self._depth > MAX_NESTED:
            raise MeasureError(f"more than {MAX_NESTED} measures inside of each other in {self.text!r}")
        self._skip_space()
        begin = self.at
        name = self._match(WORDS, "a measure's name")
        settings = self.settings() if self._skip("(") else []
        cutoff = self._match(after_at, "a cutoff") if self._skip("@") else None
        return Written(name, begin, settings, cutoff, self.text[begin : self.at].strip())

    def settings(self) -> list[tuple[str, Any]]:
        """The settings up to the closing bracket."""
        settings: list[tuple[str, Any]] = []
        while not self._skip(")"):
            if settings:
                self._expect(",")
            elif self._next(NAME) and not self._next(_NAMED):
                settings.append(("", self._measure(_AFTER_AT_INSIDE)))
                continue
            name = self._match(NAME, "a parameter's name")
            self._expect("=")
            settings.append((name, self._measure(_AFTER_AT_INSIDE) if self._next(_MEASURE) else self.value()))
        return settings

    def value(self) -> Any:
        """A number, word, quoted text, map or numbers in braces."""
        if self._skip("{"):
            return self._in_braces()
        quoted = self._next(_QUOTED)
        if quoted:
            self.at = quoted.end()
            return quoted[1] if quoted[1] is not None else quoted[2]
        if self._next(NUMBER):
            return self._number()
        return self._match(_WORD, "a value")

    def _in_braces(self) -> Any:
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

    def _number(self) -> Any:
        return read_number(self._match(NUMBER, "a number"))

    def _skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _skip(self, mark: str) -> bool:
        self._skip_space()
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        self._skip_space()
        return True

    def _expect(self, mark: str) -> None:
        if not self._skip(mark):
            raise self.error(repr(mark))

    def _next(self, form: str) -> re.Match[str] | None:
        return re.compile(form).match(self.text, self.at)

    def _match(self, form: str, what: str) -> str:
        self._skip_space()
        match = self._next(form)
        if not match:
            raise self.error(what)
        self.at = match.end()
        self._skip_space()
        return match[0]

    def error(self, expected: str) -> MeasureError:
        """The error for something unexpected at this place."""
        actual = repr(self.text[self.at]) if self.at < len(self.text) else "the end"
        example = "a measure looks like nDCG(gains=exp2)@10"
        if actual == "'|'":
            example = "alternatives of values and cutoffs look like nDCG(base=2|10)@5|10, measures like AP RR"
        return MeasureError(
            f"cannot read the measure {self.text!r}: expected {expected} at column {self.at + 1}, "
            f"found {actual}; {example}"
        )


def read_number(text: str) -> Any:
    """A number from its text; other texts as they are."""
    if not re.fullmatch(NUMBER, text):
        return text
    return int(text) if len(text) < 16 and text.lstrip("+-").isdigit() else float(text)


def read_value(text: str) -> Any:
    """A value from its text; other texts as they are."""
    reader = Reader(text.strip())
    try:
        value = reader.value()
    except MeasureError:
        return text
    return value if reader.at == len(reader.text) else text


def split_list(text: str) -> Iterator[list[str]]:
    """The words of each part of a list, outside brackets and quotes."""
    text = re.sub(_AROUND_AT, "@", re.sub(_BEFORE_BRACKET, "", " ".join(text.split())))
    for part in _split(text, ",;"):
        yield [word for word in _split(part, " ") if word]


def _split(text: str, separators: str) -> Iterator[str]:
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
    """The texts of all measures of a grid; the last alternative varies fastest."""
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
    """Refuse a grid, where one measure is wanted."""
    measures = expand(text)
    if len(measures) > 1:
        shown = f"{', '.join(measures[:3])}{', ...' if len(measures) > 3 else ''}"
        raise MeasureError(f"{text!r} is a grid of {len(measures)} measures ({shown}); name one of them")


def _alternatives(setting: str, text: str) -> list[str]:
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
    """The text before, the bracket, inside and behind the first round brackets."""
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
