"""The figures of effort: `crp` and `archetypes` rank by rank, `effort-gain` in sixteen quadrants."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from string import ascii_lowercase
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
    longest_list,
    ranks_drawn,
    thin_ranks,
    tooltip,
)
from rankgauge.extensions.pages.figures.labels import check_name, counted, definition, definitions, join_some
from rankgauge.extensions.pages.figures.registry import FERRO, SEVERAL_NAMES, Highlight, figure
from rankgauge.extensions.pages.figures.theme import MAX_HIGHLIGHTED, PANEL_TITLE, Style
from rankgauge.measures import parse, parse_all
from rankgauge.model.output.tables import Cell, Table, capital
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.campaigns.campaign import Campaign
    from rankgauge.extensions.studies.effort import Quadrants
    from rankgauge.model.curves import Curves

FULL_SCALE = "full-scale"  # the run that is made if it is named
IDEAL = "3322211111"  # the grades of ten relevant documents, best first
N = 40  # documents in each ranking
# The grades of made-up rankings, from rank 1 on; documents beyond are not relevant.
RANKINGS = {  # in the order of the paper's figure 3
    "ideal": IDEAL,
    "worst": "",
    "full-scale": IDEAL[::-1].rjust(N, "0"),
    "excellent-A": "3121211123",
    "excellent-B": "1222311031",
    "ups-and-downs": "2221313000",
    "typical-A": "301200010020100000002000010000030001",
    "typical-B": "302001001020000001",
}
# What figures 4 to 6 of the paper have for each archetype, by the measures' names there.
VALUES = {"balance point": "BalancePoint", "ρ": "RecoveryRatio", "σ": "SpaceRatio", "τ": "Twist"}
ROW_NAMES = 24.0  # the width of the names of rows, right of a plot


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
    wide: tuple[float, float] | None = None,
) -> Any:
    """Values by rank, with the recall base dashed, and a line at 0, where nothing is misplaced.

    From one end of `wide` to the other, steps of the axis are powers of ten on both sides of 0.
    """
    c = style.colours
    lines = (
        chart(data)
        .mark_line()
        .encode(
            x=alt.X("rank:Q", title=x_title or None, scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("value:Q", title=measure if y_title is None else y_title or None, **_powers(wide)),
            **series.looks("color", "strokeDash", "strokeWidth"),
            tooltip=tooltip(("series", noun), "rank", ("value", measure)),
        )
    )
    at_base = chart(base).mark_rule(strokeDash=[4, 3], strokeWidth=0.8, color=c.soft)
    layers = [at_base.encode(x="rank:Q"), lines]
    if zero is not None:
        at_zero = chart(zero).mark_rule(strokeWidth=0.8, color=c.soft)
        layers.insert(0, at_zero.encode(y="value:Q"))
    return alt.layer(*layers)


def _powers(wide: tuple[float, float] | None) -> dict[str, Any]:
    if wide is None:
        return {}
    powers = [10.0**n for n in range(2, 13)]
    ticks = [value for value in (*(-power for power in powers), 0.0, *powers) if wide[0] <= value <= wide[1]]
    return {"scale": alt.Scale(type="symlog", constant=10, nice=False), "axis": alt.Axis(values=ticks)}


def _curves(campaign: "Campaign", options: Mapping[str, Any]) -> "Curves":
    if FULL_SCALE in (options.get("run") or ()) and FULL_SCALE not in campaign.runs:
        from rankgauge.extensions.studies.effort import full_scale_run

        settings = parse_all(options["measures"])[0].settings
        length, rel = settings.get("N", campaign.longest), settings.get("rel", 1.0)
        topics = [each for each in options["topic"] or () if each in campaign.topics] or campaign.topics[:1]
        judged = {topic: campaign.qrels.grades_of(topic) for topic in topics}
        least = 2 * max(sum(grade >= rel for grade in each.values()) for each in judged.values())
        campaign = campaign.with_run(full_scale_run(judged, max(length, least), rel=rel))
    return campaign.curves(options["measures"], depth=options["depth"])


@figure(
    "crp",
    title="Effort and gain of rankings, rank by rank",
    needs="curves",
    cite=f"{FERRO}, figures 2, 3 and 11",
    example="--run bm25 --topic 105 --depth 300",
    compute=_curves,
    measures="CRP DCG R",
    depth=1000,
)
def crp(
    curves: "Curves",
    style: Style,
    *,
    run: Annotated[
        tuple[str, ...],
        SEVERAL_NAMES,
        f"a run to show (default: up to {MAX_HIGHLIGHTED}); {FULL_SCALE} is the one with the most effort",
    ] = (),
    topic: Annotated[tuple[str, ...], SEVERAL_NAMES, "a topic to show (default: the first)"] = (),
) -> Drawing:
    """The cumulated relative position of rankings, their gain below, and the recall base as a dashed line.

    Runs are lines of the same plot; with full-scale, effort is on a symmetric logarithmic axis. It shows one
    topic unless more are named, with a plot each, side by side.
    The first measure is one of effort, such as CRP; the second is one
    of gain, such as DCG, shown with the ideal. The third is recall: the recall base is the rank at which the
    ideal ranking reaches a recall of 1. The run full-scale need not be given: it has all relevant documents
    at its end, the best of them last, and is as long as the longest run.
    """
    if len(curves.measures) != 3 or parse(curves.measures[2]).spec.name != "R":
        raise OptionError(
            "the figure crp takes three measures, for effort, gain and recall, such as CRP, DCG and R, "
            f"not {', '.join(curves.measures)}"
        )
    runs = [check_name("run", each, curves.runs) for each in dict.fromkeys(run)] or [
        *curves.runs[:MAX_HIGHLIGHTED]
    ]
    topics = [check_name("topic", each, curves.topics) for each in dict.fromkeys(topic)] or [curves.topics[0]]
    if len(runs) > MAX_HIGHLIGHTED:
        raise OptionError(f"the figure crp shows at most {MAX_HIGHLIGHTED} runs, not {len(runs)}; name fewer")
    # Beyond its end a list goes on with documents that are not relevant: they are misplaced up to the recall
    # base, and in place from there on, so that there is nothing to see beyond both.
    bases = {each: _recall_base(curves, each) for each in topics}
    longest = longest_list(curves, runs, topics)
    last = min(curves.depth, max(longest, *(base or curves.depth for base in bases.values())))
    ranks = thin_ranks(last, 3 * len(runs) * len(topics))
    series = Series.assign(dict.fromkeys(runs, 1.0), style, runs, ideal=True)
    x, y, _ = curves.measures
    data: dict[str, Table] = {}
    notes, panels = [], []
    columns = style.columns(len(topics))

    def wide(own: Mapping[str, Table]) -> tuple[float, float] | None:
        values = [float(row[2]) for row in own["effort"].rows if isinstance(row[2], float)]
        return (min(values), max(values)) if FULL_SCALE in runs and len(runs) > 1 else None

    for number, each in enumerate(topics):
        own, base = _tables(curves, each, ranks, series, bases[each]), bases[each]
        suffix = f" {number + 1}" if len(topics) > 1 else ""
        data |= {f"{name}{suffix}": table for name, table in own.items()}
        notes.append(f"beyond rank {curves.depth}" if base is None else str(base))
        title = f"topic {style.name(each)}" if suffix else ""
        panels.append(
            _of_topic(
                style, series, suffix, title, (x, y), style.panel_width(len(topics), columns), wide(own)
            )
        )
    subject = f"{style.name(x)} and {style.name(y)} of {join_some([*series.names.values()])}"
    of_topics = f"topic{'s' if len(topics) > 1 else ''} {join_some([style.name(each) for each in topics])}"
    at_bases = f"recall base {join_some(notes)}"
    ended = f"No list is longer than {longest:,}; beyond, documents count as not relevant."
    return Drawing(
        panels[0] if len(panels) == 1 else concatenate(panels, columns),
        data,
        f"{subject}, {of_topics}",
        f"{capital(ranks_drawn(last))}; dashed: {at_bases}",
        [
            f"{subject} for {of_topics}, {ranks_drawn(last)}; {at_bases}.",
            "" if run or len(runs) == len(curves.runs) else f"Shown: {len(runs)} of {len(curves.runs)} runs.",
            ended if longest < last else "",
            definitions((x, y), style.labels),
        ],
        series.labels,
    )


def _tables(
    curves: "Curves", topic: str, ranks: Sequence[int], series: Series, base: int | None
) -> dict[str, Table]:
    at = curves.topics.index(topic)
    best = curves.ideal[1, at].tolist()
    effort: list[list[Cell]] = []
    gain: list[list[Cell]] = []
    for run in series.back_to_front:
        efforts, gains, _ = curves.values[curves.runs.index(run), :, at].tolist()
        effort += [[rank, series.names[run], efforts[rank - 1]] for rank in ranks]
        gain += [[rank, series.names[run], gains[rank - 1]] for rank in ranks]
    gain += [[rank, series.ideal, best[rank - 1]] for rank in ranks]
    headers = ("rank", "series", "value")
    return {
        "effort": Table(headers, effort),
        "gain": Table(headers, gain),
        "recall base": Table(("rank",), [] if base is None else [[base]]),
        "zero": Table(("value",), [[0.0]]),
    }


def _recall_base(curves: "Curves", topic: str) -> int | None:
    recall = curves.ideal[2, curves.topics.index(topic)].tolist()
    return next((rank for rank, value in enumerate(recall, 1) if value == 1), None)


def _of_topic(
    style: Style,
    series: Series,
    suffix: str,
    title: str,
    measures: tuple[str, str],
    width: float,
    wide: tuple[float, float] | None,
) -> Any:
    c = style.colours
    effort, gain = (
        effort_lines(
            style,
            series,
            f"{name}{suffix}",
            style.name(measure),
            f"recall base{suffix}",
            f"zero{suffix}" if name == "effort" else None,
            x_title="rank" if name == "gain" else "",
            wide=wide if name == "effort" else None,
        )
        for name, measure in zip(("effort", "gain"), measures, strict=True)
    )
    height = min(width * 0.5, style.height(0.42))
    effort = effort.properties(width=width, height=height)
    gain = gain.properties(width=width, height=height)
    stacked = alt.vconcat(effort, gain, spacing=8).resolve_scale(
        x="shared", color="shared", strokeDash="shared"
    )
    if not title:
        return stacked
    text = alt.TitleParams(title, frame="group", fontSize=PANEL_TITLE, color=c.ink)
    return stacked.properties(title=text)


@figure(
    "archetypes",
    title="Archetypes of effort",
    needs="nothing",
    cite=f"{FERRO}, figures 3 to 6",
    example="--width page",
)
def archetypes(results: None, style: Style) -> Drawing:
    """The shapes that curves of effort (CRP) have: of the ideal, worst and full-scale run, and of others.

    It shows made-up rankings, one for each archetype, and needs no data. `rankgauge study archetypes` counts
    how often each of them occurs in your runs, and `rankgauge figure crp` draws the curves of your runs.
    """
    from rankgauge.evaluation.evaluator import curves
    from rankgauge.extensions.studies.effort import ARCHETYPES

    measure = f"CRP(N={N})"
    vectors = curves(judgments(), {name: {"1": ranking(name)} for name in RANKINGS}, measure, depth=N).mean()
    series = Series.assign({style.name("CRP"): 0.0}, style)
    columns = 2 if style.width == "column" else 4
    width = style.panel_width(len(RANKINGS), columns) + 14  # only the first of a row has a title beside it
    data: dict[str, Table] = {}
    plots: list[Any] = []
    for number, name in enumerate(RANKINGS):
        title = f"({ascii_lowercase[number]}) {_words(name)}"
        rows: list[list[Cell]] = [
            [rank, series.labels[0], value] for rank, value in enumerate(vectors[name][measure], 1)
        ]
        data[title] = Table(("rank", "series", "value"), rows)
        below = "rank" if number >= len(RANKINGS) - columns else ""  # under the last row of plots
        beside = style.name("CRP") if number % columns == 0 else ""
        effort = style.name("CRP")
        lines = partial(effort_lines, x_title=below, y_title=beside, noun="measure")
        plot = lines(style, series, title, effort, "recall base", "zero")
        heading = alt.TitleParams(title, frame="group", fontSize=PANEL_TITLE, offset=4)
        plots.append(plot.properties(title=heading, width=width, height=0.75 * width))
    data |= {"recall base": Table(("rank",), [[len(IDEAL)]]), "zero": Table(("value",), [[0.0]])}
    found = archetype_values()
    size = f"{N} documents, {len(IDEAL)} of which are relevant"
    return Drawing(
        concatenate(plots, columns),
        data,
        "Archetypes of effort",
        f"Made-up rankings of {size}; dashed: recall base",
        [
            f"{style.name('CRP')} of made-up rankings of {size}; the dashed line is at the recall base R.",
            *(
                f"{capital(_words(name))}: {ARCHETYPES[name]} ({_listed(found, row)})."
                for name, row in zip(RANKINGS, found.rows, strict=True)
            ),
            definition("CRP", style.labels),
        ],
    )


def archetype_values() -> Table:
    """Balance point, recovery ratio, space ratio and Twist of each archetype."""
    from rankgauge.evaluation.evaluator import evaluate

    texts = {name: f"{measure}(N={N})" for name, measure in VALUES.items()}
    runs = {name: {"1": ranking(name)} for name in RANKINGS}
    means = evaluate(judgments(), runs, list(texts.values())).mean()
    return Table(
        ("archetype", *texts),
        [[_words(name), *(means[name][text] for text in texts.values())] for name in RANKINGS],
    )


def _listed(table: Table, row: Sequence[Cell]) -> str:
    pairs = zip([*table.headers][1:], [*row][1:], strict=True)
    return ", ".join(f"{name} {value:.3g}" if isinstance(value, float) else name for name, value in pairs)


def documents(grades: str) -> list[str]:
    """Names of documents with these grades; the third of grade 2 is 2-3."""
    return [f"{grade}-{grades[: place + 1].count(grade)}" for place, grade in enumerate(grades)]


def judgments() -> dict[str, dict[str, int]]:
    """The judgments of the one topic."""
    return {"1": {name: int(name[0]) for name in documents(IDEAL)}}


def ranking(name: str) -> list[str]:
    """The documents of an archetype, in rank order."""
    return documents(RANKINGS[name].ljust(N, "0"))


def _words(name: str) -> str:
    return f"{name[:-2]} {name[-1]}" if name[-2:] in ("-A", "-B") else name


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
    quality = {run: mean[gains[0]] for run, mean in scores.mean().items()}
    series = Series.assign(quality, style, highlight, results=scores)
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
        titles = (style.name(x), style.name(y))
        panels.append(_of_gain(style, series, suffix, titles, width, crowded=crowded, marked=bool(mark)))
        sizes.append(len(rows))
        undefined.append(omitted)
        summaries.append(
            (f"{style.name(y)}: " if suffix else "")
            + f"{shares.diagonal:.0%} on the diagonal, {shares.high_high:.0%} with high gain and high effort"
        )
    names = style.measures(gains)
    summary = "; ".join(summaries)
    return Drawing(
        panels[0] if len(panels) == 1 else concatenate(panels, columns),
        data,
        f"Effort and gain: {style.name(x)} and {names}",
        f"{counted(max(sizes), 'point')}, {counted(len(scores.runs), 'run')}, "
        f"{counted(len(scores.topics), 'topic')}; {summary}",
        [
            f"Each point is a topic of a run; {style.name(x)} is divided at .25, .5 and .75 (huge, high, "
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

    Names of rows stand at least a `gap` apart.
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
    """Ascending places moved as little as needed to be a gap apart, within a range."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap if moved else within[0]))
    ceiling = within[1]
    for at in reversed(range(len(moved))):
        moved[at] = min(moved[at], ceiling)
        ceiling = moved[at] - gap
    return moved


def _of_gain(
    style: Style, series: Series, suffix: str, titles: tuple[str, str], width: float, **has: bool
) -> Any:
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
    ring, number = {"size": 70, "color": c.ink, "strokeWidth": 1.3}, {"fontWeight": "bold"}
    number["dy"] = alt.expr("datum.y > 0.5 ? 11 : -10")  # off the names above the plot
    return alt.layer(
        cloud,
        layer("effort cuts").mark_rule(**rules).encode(x="x:Q"),
        layer("gain cuts").mark_rule(**rules).encode(y="y:Q"),
        layer("columns").mark_text(**text, dy=-6).encode(x="x:Q", y=alt.datum(1.0), text="effort:N"),
        layer("rows").mark_text(**text, align="left", dx=4).encode(x=alt.datum(1.0), y="y:Q", text="gain:N"),
        *([marks.mark_point(**ring), marks.mark_text(**number).encode(text="number:N")] if marked else []),
    )


def _shares(style: Style, suffix: str) -> Any:
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
