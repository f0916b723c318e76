"""Lines of effort by rank: how far documents are from their places."""

from typing import Any

from rankgauge.figures.drawing import require
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.figures.tooltips import tooltip


def effort_lines(
    style: Style,
    series: Series,
    data: str,
    measure: str,
    base: str,
    zero: str | None,
    *,
    x_title: str = "rank",
    y_title: str | None = None,
    noun: str = "run",
) -> Any:
    """Values by rank, with the recall base as a dashed line and 0, where nothing is misplaced, as a line."""
    alt, c = require("altair"), style.colours
    lines = (
        alt.Chart(alt.NamedData(name=data))
        .mark_line()
        .encode(
            x=alt.X("rank:Q", title=x_title or None, scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("value:Q", title=measure if y_title is None else y_title or None),
            color=series.colour(),
            strokeDash=series.dash(),
            strokeWidth=series.weight(),
            tooltip=tooltip(("series", noun), "rank", ("value", measure)),
        )
    )
    at_base = alt.Chart(alt.NamedData(name=base)).mark_rule(strokeDash=[4, 3], strokeWidth=0.8, color=c.soft)
    layers = [at_base.encode(x="rank:Q"), lines]
    if zero is not None:
        at_zero = alt.Chart(alt.NamedData(name=zero)).mark_rule(strokeWidth=0.8, color=c.soft)
        layers.insert(0, at_zero.encode(y="value:Q"))
    return alt.layer(*layers)
