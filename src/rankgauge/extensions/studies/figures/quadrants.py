"""The figure `effort-gain`: points of effort and gain in sixteen quadrants."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.campaigns.options import NAME
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.catalogue.scatter import (
    count_cells,
    draw_cells,
    draw_points,
    point_table,
)
from rankgauge.extensions.pages.figures.drawing import (
    MAX_POINTS,
    Drawing,
    Series,
    alt,
    chart,
    concatenate,
    tooltip,
)
from rankgauge.extensions.pages.figures.labels import check_name, counted, definitions
from rankgauge.extensions.pages.figures.registry import FERRO, SEVERAL_NAMES, Highlight, figure
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.measures import parse, parse_all
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.campaigns.campaign import Campaign
    from rankgauge.extensions.studies.effort import Quadrants

ROW_NAMES = 24.0  # the width of the names of rows, right of a plot


def _scores(campaign: "Campaign", options: Mapping[str, Any]) -> Scores:
    campaign.require_topics("this figure")
    measures, effort = options["measures"], options.get("effort")
    if measures and effort:
        measures, added = parse_all(measures), parse(effort)
        measures = measures if any(each.spec is added.spec for each in measures) else (added, *measures)
    return campaign.scores(measures)


def marked_points(scores: Scores, x: str, y: str, mark: Sequence[str], style: Style) -> Table:
    """Number, run, topic and the values of two measures, of the rankings named RUN:TOPIC."""
    rankings = {f"{run}:{topic}": (run, topic) for run in scores.runs for topic in scores.topics if mark}
    values = scores.to_dict() if mark else {}
    rows: list[list[Cell]] = []
    for number, name in enumerate(dict.fromkeys(mark), 1):
        run, topic = rankings[check_name("ranking", name, [*rankings])]
        at = (values[run][measure][topic] for measure in (x, y))
        rows.append([number, style.name(run), style.name(topic), *at])
    return Table(("number", "run", "topic", "x", "y"), rows)


@figure(
    "effort-gain",
    title="Effort and gain, in sixteen quadrants",
    needs="scores",
    cite=f"{FERRO}, figures 7 to 11",
    example='-m "AP nDCG(base=10)" --width page',
    compute=_scores,
    measures="Twist nDCG(base=10)",
)
def effort_gain(
    scores: Scores,
    style: Style,
    *,
    effort: Annotated[str, NAME, "the measure of effort, from 0 to 1"] = "Twist",
    method: Annotated[str, Word(("linear", "hazen")), "how quartiles of gain are interpolated"] = "linear",
    highlight: Highlight = (),
    mark: Annotated[
        tuple[str, ...], SEVERAL_NAMES, "a ranking to mark with a number, the others in grey: RUN:TOPIC"
    ] = (),
) -> Drawing:
    """A point for each topic of each run, effort on the x axis and gain on the y axis, in sixteen quadrants.

    Effort is divided at .25, .5 and .75; all other measures are of gain, divided at the quartiles of all
    points. Each has a plot, and below it the shares of the points in the quadrants. `rankgauge study
    effort-gain` has the numbers.
    """
    from rankgauge.extensions.studies.effort import quadrants

    efforts = [each for each in scores.measures if each.partition("(")[0] == effort.partition("(")[0]]
    gains = [each for each in scores.measures if each not in efforts]
    if not (efforts and gains):
        raise OptionError(
            "the figure effort-gain takes a measure of effort and one or more of gain, such as Twist and "
            f"nDCG, not {', '.join(scores.measures)}; name another measure of effort than {effort} by effort="
        )
    x = effort if effort in efforts else efforts[0]
    series = Series.assign({run: mean[gains[0]] for run, mean in scores.mean().items()}, style, highlight)
    data: dict[str, Table] = {}
    panels, summaries, undefined, sizes = [], [], [], []
    crowded = len(scores.runs) * len(scores.topics) > MAX_POINTS
    columns = style.columns(len(gains))
    width = style.panel_width(len(gains), columns) - ROW_NAMES
    for number, y in enumerate(gains):
        suffix = f" {number + 1}" if len(gains) > 1 else ""
        points, omitted = point_table(scores, x, y, "topics", series, style)
        rows = [*points.rows]
        shares = quadrants([row[3] for row in rows], [row[4] for row in rows], method=method)
        cloud = {"cells": count_cells([(row[3], row[4]) for row in rows])} if crowded else {"points": points}
        marked = marked_points(scores, x, y, mark, style)
        tables = {**cloud, **_edges(shares, gap=8.0 / width), **({"marked": marked} if mark else {})}
        data |= {f"{name}{suffix}": table for name, table in tables.items()}
        titles = (style.measure(x), style.measure(y))
        panels.append(_panel(style, series, suffix, titles, width, crowded=crowded, marked=bool(mark)))
        sizes.append(len(rows))
        undefined.append(omitted)
        summaries.append(
            (f"{style.measure(y)}: " if suffix else "")
            + f"{shares.diagonal:.0%} on the diagonal, {shares.high_high:.0%} with high gain and high effort"
        )
    names = style.measures(gains)
    summary = "; ".join(summaries)
    return Drawing(
        panels[0] if len(panels) == 1 else concatenate(panels, columns),
        data,
        f"Effort and gain: {style.measure(x)} and {names}",
        f"{counted(max(sizes), 'point')}, {counted(len(scores.runs), 'run')}, "
        f"{counted(len(scores.topics), 'topic')}; {summary}",
        [
            f"Each point is a topic of a run; {style.measure(x)} is divided at .25, .5 and .75 (huge, high, "
            f"medium and low effort), {names} at the quartiles (low, medium, high and huge gain). "
            f"Below, shares of points: {summary}.",
            definitions(scores.measures, style.labels),
            *dict.fromkeys(undefined),
            "" if mark else series.sentence,
            f"Marked: {'; '.join(f'{row[0]} {row[1]}, topic {row[2]}' for row in marked.rows)}."
            if mark
            else "",
        ],
        [] if crowded or mark else series.labels,
    )


def _edges(quadrants: "Quadrants", gap: float) -> dict[str, Table]:
    """The sixteen quadrants with edges, counts and shares of points; the cuts, and where names stand.

    Names of rows stand at least a `gap` apart, however close quartiles are.
    """
    from rankgauge.extensions.studies.effort import EFFORTS, GAINS, TWIST_CUTS

    xs, ys = (0.0, *TWIST_CUTS, 1.0), (0.0, *quadrants.cuts, 1.0)
    counts, shares = quadrants.counts.tolist(), quadrants.shares.tolist()
    rows: list[list[Cell]] = [
        [effort, gain, xs[i], xs[i + 1], ys[j], ys[j + 1], counts[j][i], shares[j][i]]
        for j, gain in enumerate(GAINS)
        for i, effort in enumerate(EFFORTS)
    ]
    columns = [(low + high) / 2 for low, high in pairwise(xs)]
    lines = spread([(low + high) / 2 for low, high in pairwise(ys)], gap, (gap / 2, 1 - gap / 2))
    return {
        "quadrants": Table(("effort", "gain", "x", "x2", "y", "y2", "points", "share"), rows),
        "effort cuts": Table(("x",), [[cut] for cut in TWIST_CUTS]),
        "gain cuts": Table(("y",), [[cut] for cut in quadrants.cuts]),
        "columns": Table(("effort", "x"), [*zip(EFFORTS, columns, strict=True)]),
        "rows": Table(("gain", "y"), [*zip(GAINS, lines, strict=True)]),
    }


def spread(places: Sequence[float], gap: float, within: tuple[float, float]) -> list[float]:
    """Ascending places moved as little as it takes to be a gap apart, and within a range."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap if moved else within[0]))
    ceiling = within[1]
    for at in reversed(range(len(moved))):
        moved[at] = min(moved[at], ceiling)
        ceiling = moved[at] - gap
    return moved


def _panel(
    style: Style, series: Series, suffix: str, titles: tuple[str, str], width: float, **has: bool
) -> Any:
    """Points in their quadrants, and the shares of points below."""
    height = min(width, style.height(1))
    points = _quadrants(style, series, suffix, titles, **has).properties(width=width, height=height)
    shares = _shares(style, suffix).properties(width=width, height=4 * 11)
    return alt.vconcat(points, shares, spacing=6).resolve_scale(x="independent", y="independent")


def _quadrants(
    style: Style, series: Series, suffix: str, titles: tuple[str, str], *, crowded: bool, marked: bool
) -> Any:
    c = style.colours
    unit = alt.Scale(domain=[0, 1])
    across = alt.X("x:Q", title=f"{titles[0]} (effort)", scale=unit, axis=alt.Axis(grid=False))
    up = alt.Y("y:Q", title=f"{titles[1]} (gain)", scale=unit, axis=alt.Axis(grid=False))
    if crowded:
        cloud = draw_cells(style, across, up, f"cells{suffix}")
    else:
        look = {"size": 11, "opacity": 0.6}
        cloud = draw_points(across, up, titles, series, f"points{suffix}", topics=True, **look)
        if marked:
            cloud = cloud.encode(color=alt.value(c.muted), shape=alt.value("circle"))
    rules = {"strokeWidth": 0.7, "strokeDash": [3, 2], "color": c.soft}
    text = {"fontSize": 7, "color": c.soft}

    def layer(name: str) -> Any:
        return chart(f"{name}{suffix}")

    marks = layer("marked").encode(x="x:Q", y="y:Q")
    ring, number = {"size": 70, "color": c.ink, "strokeWidth": 1.3}, {"dy": -10, "fontWeight": "bold"}
    return alt.layer(
        cloud,
        layer("effort cuts").mark_rule(**rules).encode(x="x:Q"),
        layer("gain cuts").mark_rule(**rules).encode(y="y:Q"),
        layer("columns").mark_text(**text, dy=-6).encode(x="x:Q", y=alt.datum(1.0), text="effort:N"),
        layer("rows").mark_text(**text, align="left", dx=4).encode(x=alt.datum(1.0), y="y:Q", text="gain:N"),
        *([marks.mark_point(**ring), marks.mark_text(**number).encode(text="number:N")] if marked else []),
    )


def _shares(style: Style, suffix: str) -> Any:
    """The shares of points as a table of quadrants: the more, the darker."""
    from rankgauge.extensions.studies.effort import EFFORTS, GAINS

    c = style.colours
    plain = {"grid": False, "ticks": False, "domain": False, "labelOverlap": False}
    base = chart(f"quadrants{suffix}").encode(
        x=alt.X(
            "effort:N",
            title="effort",
            scale=alt.Scale(domain=[*EFFORTS]),
            axis=alt.Axis(labelAngle=0, **plain),
        ),
        y=alt.Y("gain:N", title="gain", scale=alt.Scale(domain=[*reversed(GAINS)]), axis=alt.Axis(**plain)),
        tooltip=tooltip("effort", "gain", "points", ("share", "share of points")),
    )
    tint = alt.Scale(domain=[0, 0.5], range=[c.paper, c.high], clamp=True, interpolate="lab")
    # fill, since colours belong to runs
    cells = base.mark_rect(stroke=c.grid, strokeWidth=0.5).encode(
        fill=alt.Fill("share:Q", scale=tint, legend=None)
    )
    ink = alt.condition("datum.share > 0.3", alt.value(c.paper), alt.value(c.ink))
    share = alt.Text("share:Q", format=".0%")
    return alt.layer(cells, base.mark_text(fontSize=7).encode(text=share, color=ink))
