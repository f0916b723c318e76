"""How wide a text is in print, roughly and rather too wide, in widths of an M of its type.

From the tables of Computer Modern and Times, whichever is wider.
"""

from __future__ import annotations

from collections.abc import Callable

BOLD, RAISED = 1.15, 0.87  # bold type, and type of superscripts, against plain type
_WIDTHS = {
    character: width
    for width, characters in (
        (0.28, "il.,:;!'|[]`"),
        (0.4, "fjrstI-()"),
        (0.45, "†‡§"),
        (0.5, '0123456789aceghoz?_*/\\~^"{}$´– ‖'),
        (0.56, "bdknpquvxyJ"),
        (0.7, "BEFLPSZ"),
        (0.79, "ACDGHKNOQRTUVXYw+=<>&"),
        (0.93, "mM@#%"),
        (1.03, "W—"),
    )
    for character in characters
}
_NUMBERED = 3.4  # U+65E5, in place of a character that a font lacks


def width_in_em(text: str) -> float:
    """The width of a text in plain type."""
    return sum(_WIDTHS.get(c) or (0.79 if c < "Ѐ" or "‐" <= c < "⌀" else _NUMBERED) for c in text)


def pieces(text: str) -> list[str]:
    """The parts of a text between which a line may end."""
    parts, current = [], ""
    for character in text:
        if character in "@(" and current:  # which begin a line rather than end one
            parts.append(current)
            current = ""
        current += character
        if character in " _-,;:/=.)+|":
            parts.append(current)
            current = ""
    return [part for part in (*parts, current) if part]


def broken(text: str, most: float, width: Callable[[str], float] = width_in_em) -> list[str]:
    """A text in lines of at most `most` em where it has places to break; longer parts are cut.

    `width` is that of a text, in em of its type.
    """
    lines = [""]
    for piece in pieces(text):
        for part in cut(piece, most, width):
            if lines[-1] and width((lines[-1] + part).rstrip()) > most:
                lines.append("")
            lines[-1] += part
    return [line.strip() for line in lines if line.strip()] or [""]


def cut(piece: str, most: float, width: Callable[[str], float] = width_in_em) -> list[str]:
    """A text in parts of at most `most` em."""
    parts = [""]
    for character in piece:
        if parts[-1] and width(parts[-1] + character.rstrip()) > most:
            parts.append("")
        parts[-1] += character
    return parts
