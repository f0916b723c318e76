"""Cells that the tables of a diff share: names and titles that are cut, differences, grades."""

from __future__ import annotations

import math

from rankgauge.model.output.tables import Cell, Signed

NAME, TITLE = 48, 60  # the most characters of an id and of a title in a table ...
SCREEN_TITLE = 32  # ... and of a title on a screen of 80 columns
_ARROWS = str.maketrans({"↑": "up ", "↓": "down ", "…": "..."})


def shortened(text: str, most: int = NAME) -> str:
    """A text of at most `most` characters; ids often differ at their ends, so the middle is left out."""
    if len(text) <= most:
        return text
    end = (most - 1) // 3
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def begun(text: str, most: int = TITLE) -> str:
    """The beginning of a text, of at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def without_arrows(text: str) -> str:
    """Text for a terminal that has no arrows."""
    return text.translate(_ARROWS)


def difference(value: float | None) -> float:
    """A difference, which is shown with its sign unless it is 0; a dash if it is undefined."""
    return math.nan if value is None or math.isnan(value) else Signed(value) if value else 0.0


def grade(value: float | None) -> Cell:
    """A grade, without decimals if it is whole; a dash for an unjudged document."""
    return math.nan if value is None else int(value) if value.is_integer() else value
