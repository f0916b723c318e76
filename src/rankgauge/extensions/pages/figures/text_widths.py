"""Widths of texts in print, and the places where their lines may end.

The widths are those of Helvetica. The sans-serif type of nearly every machine has them: Arial and Liberation
Sans were designed to be the same. Type with serifs, as in papers, is a little narrower.
"""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

_WIDTHS = {
    character: width
    for width, characters in (
        (0.2, "'ijl"),
        (0.28, " !,./:;I[\\]ft|"),
        (0.34, '"()-`r{}'),
        (0.39, "*"),
        (0.5, "ckJsvxyz^"),
        (0.56, "#$0123456789?L_abdeghnopqu"),
        (0.59, "+<=>~"),
        (0.67, "&ABEKPSVXY"),
        (0.62, "FTZ"),
        (0.73, "CDHNRUw"),
        (0.78, "GOQ"),
        (0.84, "Mm"),
        (0.89, "%"),
        (0.95, "W"),
        (1.02, "@"),
    )
    for character in characters
}
# Some characters begin a line rather than end one; numbers, and short parameters such as rel=2, stay whole.
_BREAKS = re.compile(r"(?=[@(])|(?<=[ _\-,;:/)+|])|(?<=\.)(?!\d)|(?<==)(?=\w{3})")


def width_in_em(text: str) -> float:
    """The width of a text, relative to its font size."""
    return sum(_WIDTHS.get(character) or _other_width(character) for character in text)


def _other_width(character: str) -> float:
    if combining(character):
        return 0.0
    return 1.0 if east_asian_width(character) in "WF" else 0.62


def pieces(text: str) -> list[str]:
    """The parts of a text between which a line may end."""
    return [part for part in _BREAKS.split(text) if part]


def broken(text: str, most: float) -> list[str]:
    """A text in lines of at most `most` em where it has places to break; longer parts are cut."""
    lines = [""]
    for piece in pieces(text):
        for part in _cut(piece, most):
            if lines[-1] and width_in_em((lines[-1] + part).rstrip()) > most:
                lines.append("")
            lines[-1] += part
    return [line.strip() for line in lines if line.strip()] or [""]


def _cut(piece: str, most: float) -> list[str]:
    """A text in parts of at most `most` em."""
    parts = [""]
    for character in piece:
        if parts[-1] and width_in_em(parts[-1] + character.rstrip()) > most:
            parts.append("")
        parts[-1] += character
    return parts
