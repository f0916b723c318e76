"""The figure `forest`: the difference of two runs in segments of topics, and shrunken toward their mean."""

import math
from typing import Annotated, Any

from rankgauge.campaigns.options import NAME
from rankgauge.errors import InputError
from rankgauge.extensions.pages.figures.drawing import Drawing, alt, arrange, chart, tooltip
from rankgauge.extensions.pages.figures.labels import check_name, counted, unique_labels
from rankgauge.extensions.pages.figures.registry import Title, figure
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.model.output.tables import Table
from rankgauge.model.rules import ALL

KEYS = ("segment", "measure", "run", "against")
NONE = "no segment of the table has a shrunken estimate; three segments of two topics have"
VALUES = {  # {column: its title at the pointer}
    "topics": "topics",
    "difference": "difference",
    "low": "lower end",
    "high": "upper end",
    "shrunken": "shrunken difference",
    "shrunken_low": "its lower end",
    "shrunken_high": "its upper end",
}


@figure(
    "forest",
    title="Differences by segment of topics",
    needs="table",
    cite="Lewis and Clarke 2001, Forest plots; Gelman et al. 2013, Bayesian data analysis, section 5.4",
    example="--measure nDCG@10",
)
def forest(
    table: Table,
    style: Style,
    *,
    measure: Annotated[str | None, NAME, "the measure (default: the first)"] = None,
    run: Annotated[str | None, NAME, "the run that is compared (default: the first)"] = None,
    against: Annotated[str | None, NAME, "the run it is compared with (default: the first)"] = None,
    title: Title = None,
) -> Drawing:
    """Each segment's difference with its interval, thin, and shrunken toward the mean of segments, thick.

    The table is that of `rankgauge compare --by FILE:COLUMN --view pairs -o table.csv`. Of small segments,
    shrunken estimates are nearer to the truth: the largest differences among many are large by chance, too.
    """
    headers, rows = [*table.headers], [*table.rows]
    if missing := {*KEYS, *VALUES} - {*headers}:
        raise InputError(
            f"the table has no column {min(missing)}; write it with `rankgauge compare --by FILE:COLUMN "
            "--view pairs -o table.csv`, for three segments or more"
        )
    of_row = [dict(zip(headers, row, strict=True)) for row in rows]
    of_row = [row for row in of_row if row["segment"] != ALL]
    if not of_row:
        raise InputError(NONE)
    for key, chosen in (("measure", measure), ("run", run), ("against", against)):
        known = [*dict.fromkeys(str(row[key]) for row in of_row)]
        name = known[0] if chosen is None else check_name(key, chosen, known)
        of_row = [row for row in of_row if str(row[key]) == name]
    shown = [row for row in of_row if not math.isnan(float(row["shrunken"] or math.nan))]
    if not shown:
        raise InputError(NONE)
    shown.sort(key=lambda row: -float(row["shrunken"] or 0))
    names = unique_labels([str(row["segment"]) for row in shown], call=style.name)
    order = [*names.values()]
    cells = [[names[str(row["segment"])], *(row[value] for value in VALUES)] for row in shown]
    first = shown[0]
    pair = f"{style.name(str(first['run']))} minus {style.name(str(first['against']))}"
    axis = f"{style.name(str(first['measure']))}: {pair}"
    return Drawing(
        arrange(
            [_draw(style, order, axis)],
            style,
            height=max(2, len(order)) * style.row_height(order, len(order)),
            names=order,
        ),
        {"segments": Table(("name", *VALUES), cells), "zero": Table(("x",), [[0]])},
        title if title is not None else f"{axis}, by segment",
        counted(len(order), "segment"),
        [
            f"{axis}, by segment of topics. Thin lines: differences with their intervals.",
            "Thick lines: estimates shrunken toward the mean of the segments, with their intervals.",
        ],
    )


def _draw(style: Style, order: list[str], axis: str) -> Any:
    c = style.colours
    y = alt.Y("name:N", title=None, scale=alt.Scale(domain=order), axis=alt.Axis(grid=False))
    fields = ("name", "segment"), *VALUES.items()
    base = chart("segments").encode(y=y, tooltip=tooltip(*fields))
    x = alt.X("low:Q", title=axis)
    return alt.layer(
        chart("zero").mark_rule(color=c.soft, strokeWidth=0.8).encode(x="x:Q"),
        base.mark_rule(color=c.soft, strokeWidth=0.8).encode(x=x, x2="high:Q"),
        base.mark_point(filled=True, size=12, color=c.soft, opacity=1).encode(x="difference:Q"),
        base.mark_rule(color=c.series[0], strokeWidth=2.2).encode(x="shrunken_low:Q", x2="shrunken_high:Q"),
        base.mark_point(filled=True, size=30, color=c.series[0], opacity=1).encode(x="shrunken:Q"),
    )
