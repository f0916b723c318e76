"""Lists and grids of measures, as text.

A grid stands for all combinations of its alternatives: `nDCG(base=2|10)@10|100` is four measures.

    cutoffs  = cutoff { "|" cutoff }
    setting  = name "=" value { "|" value } | measure { "|" measure }

In `IA(nDCG@5|10|AP)`, a number after a cutoff is another cutoff: the alternatives are nDCG@5, nDCG@10 and AP.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import product

from rankgauge.errors import MeasureError
from rankgauge.schema.text import pattern

_AROUND_AT = pattern(r" ?@ ?| at (?=\d)", re.IGNORECASE)  # nDCG @ 10, recall at 10
_BEFORE_BRACKET = pattern(r"(?<=\w) (?=\()")
_MARK = pattern(r"'[^']*'|\"[^\"]*\"|[(){}|,@;\s]")
_CUTOFF = pattern(r"\s*[\d.]+\s*")
_SETTING = pattern(r"\s*\w+\s*=")
MAX_GRID = 10_000  # measures of a grid: more are a slip of the keyboard
MAX_BRACKETS = 100  # more than measures can be nested


def split_list(text: str) -> Iterator[str]:
    """The parts of a text between commas, semicolons and spaces outside brackets, unless around @."""
    text = _AROUND_AT.sub("@", _BEFORE_BRACKET.sub("", " ".join(text.split())))
    yield from filter(None, _split(text, ",; "))


def _split(text: str, separators: str) -> Iterator[str]:
    """The parts of a text between separators that are outside brackets and quotes."""
    begin = depth = 0
    for mark in _MARK.finditer(text):
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
    name, equals, values = setting.partition("=") if _SETTING.match(setting) else ("", "", setting)
    several: list[str] = []
    for value in _split(values, "|"):
        if several and _CUTOFF.fullmatch(value) and "@" in several[-1].rpartition(")")[2]:
            several[-1] += f"|{value}"  # another cutoff of the inner measure
        else:
            several.append(value)
    texts = [each for value in _present(several, text) for each in _of_value(value)]
    return [f"{name}{equals}{each}" for each in texts]


def _of_value(value: str) -> list[str]:
    """A value itself, or all measures of an inner grid."""
    is_measure = any(mark[0] in "(@" for mark in _MARK.finditer(value))
    return expand(value) if is_measure and "|" in value else [value]


def _present(alternatives: list[str], text: str) -> list[str]:
    if len(alternatives) > 1 and not all(map(str.strip, alternatives)):
        raise MeasureError(f"the grid {text!r} has an empty alternative; write it as in nDCG(base=2|10)@5|10")
    return alternatives


def _bracketed(text: str) -> tuple[str, str, str, str]:
    """The text before, the bracket, inside and after the first round brackets; without them, all before."""
    depth = begin = 0
    for mark in _MARK.finditer(text):
        if mark[0] == "(":
            depth += 1
            begin = mark.end() if depth == 1 else begin
        elif mark[0] == ")" and depth:
            depth -= 1
            if depth == 0:
                return text[: begin - 1], "(", text[begin : mark.start()], text[mark.end() :]
    return text, "", "", ""
