"""Lines of precision against recall."""

from typing import Any

from rankgauge.figures.drawing import require
from rankgauge.figures.series import Series
from rankgauge.figures.tooltips import tooltip


def recall_lines(
    data: str,
    title: str,
    series: Series,
    *,
    order: bool = False,
    thin: bool = False,
    interpolate: str = "linear",
) -> Any:
    """Precision against recall, a line for each run; `order` connects points in rank order."""
    alt = require("altair")
    unit = alt.Scale(domain=[0, 1])
    more: dict[str, Any] = {"order": alt.Order("rank:Q")} if order else {}
    more |= {"strokeWidth": alt.value(0.6)} if thin else {"strokeWidth": series.weight()}
    return (
        alt.Chart(alt.NamedData(name=data))
        .mark_line(interpolate=interpolate)
        .encode(
            x=alt.X("recall:Q", scale=unit),
            y=alt.Y("precision:Q", title=title, scale=unit),
            color=series.colour(),
            strokeDash=series.dash(),
            detail="run:N",
            tooltip=tooltip("run", *(("rank",) if order else ()), "recall", ("precision", title)),
            **more,
        )
    )
