"""How wide texts are in the type of figures, and where they are broken into lines.

Figures are drawn in the sans-serif type of the machine, which has the widths of Helvetica nearly everywhere:
Arial and Liberation Sans were designed to have the same.
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from rankgauge.model.output.text_widths import broken

BOLD = 1.08  # bold type, compared with plain type
MANY_LINES = 3  # of one name; more would need the room of the figure itself
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


def width_in_em(text: str) -> float:
    """The width of a text, relative to its font size."""
    return sum(_WIDTHS.get(character) or _of_others(character) for character in text)


def _of_others(character: str) -> float:
    if combining(character):
        return 0.0
    return 1.0 if east_asian_width(character) in "WF" else 0.62


def broken_at_words(text: str, most: float) -> list[str]:
    """A text in lines of at most `most` em, broken between words; longer words are broken inside."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_in_em(f"{lines[-1]} {word}") <= most:
            lines[-1] += f" {word}"
        else:
            lines += broken(word, most, width_in_em)
    return lines or [""]


def broken_name(name: str, most: float) -> list[str]:
    """A name in at most a few lines of `most` em; what does not fit is cut, with an ellipsis in its place."""
    lines = broken(name, most, width_in_em)
    if len(lines) <= MANY_LINES:
        return lines
    last = lines[MANY_LINES - 1]
    while last and width_in_em(f"{last}…") > most:
        last = last[:-1]
    return [*lines[: MANY_LINES - 1], f"{last}…"]
