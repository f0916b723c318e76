"""Several plots in one figure, side by side or stacked, with one legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankgauge.figures.drawing import require
from rankgauge.figures.theme import Style


def arrange(plots: Sequence[Any], style: Style, *, height: float) -> Any:
    """One plot as it is; several in rows as wide as the style allows."""
    alt = require("altair")
    if len(plots) == 1:
        return plots[0].properties(height=height)
    width = style.panel_width(len(plots))
    height = min(height, width * 0.75)
    sized = [plot.properties(width=width, height=height) for plot in plots]
    return alt.concat(*sized, columns=style.columns(len(plots)), spacing=14).resolve_scale(
        color="shared", strokeDash="shared", strokeWidth="shared", shape="shared"
    )
