"""Several plots of one figure, side by side or below each other, with one legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankgauge.figures.figure import needed
from rankgauge.figures.theme import Style


def arranged(plots: Sequence[Any], style: Style, *, height: float) -> Any:
    """One plot as it is, several in the rows that the style has room for."""
    alt = needed("altair")
    if len(plots) == 1:
        return plots[0].properties(height=height)
    width = style.panel(len(plots))
    height = min(height, width * 0.75)
    sized = [plot.properties(width=width, height=height) for plot in plots]
    return alt.concat(*sized, columns=style.columns(len(plots)), spacing=14).resolve_scale(
        color="shared", strokeDash="shared", strokeWidth="shared", shape="shared"
    )
