"""Effort and gain of one ranking, rank by rank."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.citations import FERRO
from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.labels import check_name, definitions, legible
from rankgauge.figures.options import Name
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.figures.thinning import thin_ranks
from rankgauge.measures import parse
from rankgauge.model.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves


@figure(
    "crp",
    title="Effort and gain of one ranking, rank by rank",
    needs="curves",
    cite=f"{FERRO}, figures 2, 3 and 11",
    example="--run bm25 --topic 105 --depth 300",
    measures="CRP DCG R",
    depth=1000,
)
def crp(
    curves: "Curves",
    style: Style,
    *,
    run: Annotated[str | None, Name(), "the run (default: the first)"] = None,
    topic: Annotated[str | None, Name(), "the topic (default: the first)"] = None,
) -> Drawing:
    """The cumulated relative position of one ranking, its gain below, and the recall base as a dashed line.

    The first measure is one of effort, such as CRP; the second is one of gain, such as DCG, shown with the
    ideal. The third is recall: the recall base is the rank at which the ideal ranking reaches a recall of 1.
    """
    if len(curves.measures) != 3 or parse(curves.measures[2]).spec.name != "R":
        raise OptionError(
            "the figure crp takes three measures, for effort, gain and recall, such as CRP, DCG and R, "
            f"not {', '.join(curves.measures)}"
        )
    run = check_name("run", run, curves.runs) if run is not None else curves.runs[0]
    topic = check_name("topic", topic, curves.topics) if topic is not None else curves.topics[0]
    at = curves.topics.index(topic)
    effort, gain, _ = curves.values[curves.runs.index(run), :, at].tolist()
    _, best, recall = curves.ideal[:, at].tolist()
    base = next((rank for rank, value in enumerate(recall, 1) if value == 1), None)
    ranks = thin_ranks(curves.depth, 3)
    series = Series.assign({run: 1.0}, style, ideal=True)
    own, ideal = series.labels
    rows: list[list[Cell]] = [[rank, own, gain[rank - 1]] for rank in ranks]
    rows += [[rank, ideal, best[rank - 1]] for rank in ranks]
    base_note = "the recall base is beyond these ranks" if base is None else f"recall base {base}"
    x, y, _ = curves.measures
    return Drawing(
        _plots(style, series, x, y),
        {
            "effort": Table(("rank", "series", "value"), [[rank, own, effort[rank - 1]] for rank in ranks]),
            "gain": Table(("rank", "series", "value"), rows),
            "recall base": Table(("rank",), [] if base is None else [[base]]),
            "zero": Table(("value",), [[0.0]]),
        },
        f"{x} and {y} of {legible(run)}, topic {legible(topic)}",
        f"Ranks 1 to {curves.depth}; dashed: {base_note}"
        if base
        else f"Ranks 1 to {curves.depth}; {base_note}",
        [
            f"{x} and {y} of {legible(run)} for topic {legible(topic)}, ranks 1 to {curves.depth}; "
            f"{base_note}.",
            definitions((x, y)),
        ],
        series.labels,
        fits=False,
    )


def _plots(style: Style, series: Series, x: str, y: str) -> Any:
    alt, c = require("altair"), style.colours
    width = style.panel_width(1)
    base = alt.Chart(alt.NamedData(name="recall base")).mark_rule(
        strokeDash=[4, 3], strokeWidth=0.8, color=c.soft
    )
    zero = alt.Chart(alt.NamedData(name="zero")).mark_rule(strokeWidth=0.8, color=c.soft).encode(y="value:Q")
    plots = []
    for name, title in (("effort", x), ("gain", y)):
        line = (
            alt.Chart(alt.NamedData(name=name))
            .mark_line()
            .encode(
                x=alt.X(
                    "rank:Q",
                    title="rank" if name == "gain" else None,
                    scale=alt.Scale(zero=False, nice=False),
                ),
                y=alt.Y("value:Q", title=title),
                color=series.colour(),
                strokeDash=series.dash(),
                strokeWidth=series.weight(),
                tooltip=["series:N", "rank:Q", alt.Tooltip("value:Q", format=".4f")],
            )
        )
        layers = [base.encode(x="rank:Q"), line] if name == "gain" else [zero, base.encode(x="rank:Q"), line]
        plots.append(alt.layer(*layers).properties(width=width, height=width * 0.42))
    return alt.vconcat(*plots, spacing=8).resolve_scale(x="shared", color="shared", strokeDash="shared")
