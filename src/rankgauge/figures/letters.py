"""Names and titles of figures, broken into lines."""

from __future__ import annotations

from rankgauge.model.output.text_widths import broken, width_in_em

BOLD = 1.08  # bold type, compared with plain type
MANY_LINES = 3  # of one name; more would need the room of the figure itself


def broken_at_words(text: str, most: float) -> list[str]:
    """A text in lines of at most `most` em, broken between words; longer words are broken inside."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_in_em(f"{lines[-1]} {word}") <= most:
            lines[-1] += f" {word}"
        else:
            lines += broken(word, most)
    return lines or [""]


def broken_name(name: str, most: float) -> list[str]:
    """A name in at most a few lines of `most` em; what does not fit is cut, with an ellipsis in its place."""
    lines = broken(name, most)
    if len(lines) <= MANY_LINES:
        return lines
    last = lines[MANY_LINES - 1]
    while last and width_in_em(f"{last}…") > most:
        last = last[:-1]
    return [*lines[: MANY_LINES - 1], f"{last}…"]
