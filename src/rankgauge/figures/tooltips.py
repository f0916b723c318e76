"""What a figure shows at the pointer: names and values, each under a title that readers know."""

from __future__ import annotations

from typing import Any

from rankgauge.figures.drawing import require

NAMES = ("run", "topic", "series", "name", "label", "member", "row", "column", "effort", "gain", "effect")
FORMATS = {"rank": ",d", "position": ",d", "count": ",d", "points": ",d", "share": ".1%"}
VALUE = ".4f"
EXACT = ",.4~f"  # of numbers that were chosen, such as 0.5 or 100: no digits that say nothing


def tooltip(*fields: str | tuple[str, ...]) -> list[Any]:
    """The tooltip of a mark: fields that have their own names as titles, or with a title, or also a format.

    tooltip("run", "rank", ("value", "nDCG at 10"))
    """
    alt = require("altair")
    result = []
    for each in fields:
        field, title, *chosen = (each, each) if isinstance(each, str) else each
        shown = {} if field in NAMES else {"format": chosen[0] if chosen else FORMATS.get(field, VALUE)}
        result.append(alt.Tooltip(f"{field}:{'N' if field in NAMES else 'Q'}", title=title, **shown))
    return result


QUARTILES = {
    "low": "lowest",
    "q1": "first quartile",
    "median": "median",
    "q3": "third quartile",
    "high": "highest",
}
