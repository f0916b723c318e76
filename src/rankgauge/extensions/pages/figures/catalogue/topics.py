"""The figures of values topic by topic, and of their distribution."""

import math
from typing import Annotated, Any

from rankgauge.campaigns.options import NAME
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.drawing import (
    QUARTILES,
    Drawing,
    Series,
    alt,
    arrange,
    chart,
    tooltip,
)
from rankgauge.extensions.pages.figures.labels import (
    check_name,
    counted,
    definitions,
    join_some,
    unique_labels,
)
from rankgauge.extensions.pages.figures.registry import FERRO, Highlight, figure
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Word
from rankgauge.schema.text import spanned

MAX_BOXES = 64  # runs in one plot
MEAN = "mean score"


def box_summary(values: list[float]) -> tuple[list[float], list[float]]:
    """([low, q1, median, q3, high, mean], outliers) of ascending values; NaN if there are none."""
    if not values:
        return [math.nan] * 6, []
    q1, median, q3 = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    reach = 1.5 * (q3 - q1)
    within = [value for value in values if q1 - reach <= value <= q3 + reach]
    outliers = [value for value in values if not q1 - reach <= value <= q3 + reach]
    return [within[0], q1, median, q3, within[-1], math.fsum(values) / len(values)], outliers


def quantile(ordered: list[float], share: float) -> float:
    """A quantile of ascending values, interpolated linearly."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


@figure(
    "distribution",
    title="Distribution of scores",
    needs="scores",
    cite=f"{FERRO}, figure 12",
    example='-m "AP nDCG@10" --of topics',
    measures="AP",
)
def distribution(
    scores: Scores,
    style: Style,
    *,
    of: Annotated[
        str, Word(("topics", "runs")), "a box for the topics of each run, or one for the means of all runs"
    ] = "topics",
    highlight: Highlight = (),
) -> Drawing:
    """Box plots of scores: boxes from the first to the third quartile, with the median and the mean.

    Whiskers reach to the farthest scores within 1.5 interquartile ranges; scores beyond are points.
    """
    samples, note = (_of_topics if of == "topics" else _of_runs)(scores, highlight, style)
    data, plots, omitted = {}, [], {"undefined": 0, "infinite": 0}
    for number, (measure, by_label) in enumerate(samples.items()):
        boxes: list[list[Cell]] = []
        beyond: list[list[Cell]] = []
        for label, members in by_label.items():
            values = [*members.values()]
            kept = sorted(filter(math.isfinite, values))
            undefined = sum(map(math.isnan, values))
            omitted["undefined"] += undefined
            omitted["infinite"] += len(values) - undefined - len(kept)
            box, outliers = box_summary(kept)
            boxes.append([label, *box])
            beyond += [[label, name, value] for name, value in members.items() if value in {*outliers}]
        data[f"boxes {number + 1}"] = Table(("label", "low", "q1", "median", "q3", "high", "mean"), boxes)
        data[f"beyond {number + 1}"] = Table(("label", "member", "value"), beyond)
        plots.append(_boxes(number + 1, measure, [*by_label], style))
    rows = max(map(len, samples.values()))
    names = [label for by_label in samples.values() for label in by_label]
    omissions = [
        f"{counted(number, f'{kind} value')} left out." for kind, number in omitted.items() if number
    ]
    each = counted(len(scores.topics), "topic") if of == "topics" else counted(len(scores.runs), "run")
    return Drawing(
        arrange(plots, style, height=max(2, rows) * style.row_height(names, rows), names=names),
        data,
        f"Distribution of {style.measures([*samples]) if of == 'topics' else 'mean scores'}",
        f"{each}{' for each run, best mean first' if of == 'topics' else ', means over topics'}",
        [
            definitions([*scores.measures], style.labels),
            "Boxes reach from the first to the third quartile, with the median as a line and the mean as a "
            "diamond; whiskers to the farthest score within 1.5 interquartile ranges, points beyond.",
            note,
            *omissions,
        ],
    )


def _of_topics(
    scores: Scores, highlight: tuple[str, ...], style: Style
) -> tuple[dict[str, dict[str, dict[str, float]]], str]:
    """({measure: {label of a run: {topic: value}}}, a caption sentence on runs left out)."""
    highlighted = [check_name("run", run, scores.runs) for run in highlight]
    means, names = scores.mean(), unique_labels(scores.runs, call=style.name)
    first, values = scores.measures[0], scores.to_dict()
    order = sorted(
        scores.runs, key=lambda run: _worst_last((scores.direction(first) or 1) * means[run][first])
    )
    best = order[: MAX_BOXES - len(highlighted)]
    shown = [run for run in order if run in best or run in highlighted] if len(order) > MAX_BOXES else order
    note = ""
    if len(shown) < len(order):
        note = f"{len(shown)} of {len(order)} runs are shown, the best and the highlighted ones."
    topics = unique_labels(scores.topics, call=style.name)
    return {
        measure: {
            names[run]: {topics[topic]: value for topic, value in values[run][measure].items()}
            for run in shown
        }
        for measure in scores.measures
    }, note


def _of_runs(
    scores: Scores, highlight: tuple[str, ...], style: Style
) -> tuple[dict[str, dict[str, dict[str, float]]], str]:
    means, names = scores.mean(), unique_labels(scores.runs, call=style.name)
    labels = unique_labels(scores.measures, call=style.name)
    by_measure = {
        labels[measure]: {names[run]: mean[measure] for run, mean in means.items()}
        for measure in scores.measures
    }
    return {MEAN: by_measure}, f"Each box shows the means of {counted(len(means), 'run')}."


def _worst_last(value: float) -> float:
    return math.inf if math.isnan(value) else -value


def _boxes(number: int, measure: str, order: list[str], style: Style) -> Any:
    c = style.colours
    boxes, beyond = (alt.NamedData(name=f"{name} {number}") for name in ("boxes", "beyond"))
    y = alt.Y("label:N", title=None, scale=alt.Scale(domain=order), axis=alt.Axis(grid=False))
    size = min(8, style.row_height([], len(order)) - 4)
    title = measure if measure == MEAN else style.name(measure)
    noun, member = ("measure", "run") if measure == MEAN else ("run", "topic")
    ends = {"low": "lowest but outliers", "high": "highest but outliers"}
    numbers = {**QUARTILES, **ends, "mean": "mean"}
    base = alt.Chart(boxes).encode(y=y, tooltip=tooltip(("label", noun), *numbers.items()))
    x = alt.X("low:Q", title=title)
    return alt.layer(
        base.mark_rule(color=c.soft, strokeWidth=0.8).encode(x=x, x2="high:Q"),
        base.mark_bar(color=c.series[0], height=size, opacity=0.55).encode(x=alt.X("q1:Q"), x2="q3:Q"),
        base.mark_tick(color=c.ink, thickness=1.4, height=size).encode(x="median:Q"),
        base.mark_point(shape="diamond", filled=True, size=18, color=c.ink, opacity=1).encode(x="mean:Q"),
        alt.Chart(beyond)
        .mark_point(size=7, color=c.soft, strokeWidth=0.7)
        .encode(y=y, x="value:Q", tooltip=tooltip(("label", noun), ("member", member), ("value", title))),
    )


MAX_TOPICS = 1_000  # of more topics, an evenly spaced selection is drawn


def omission_notes(sizes: list[int], topics: int) -> list[str]:
    """Caption sentences on topics without a value, and on those left out for lack of room."""
    drawn, without = len(thin_positions(max(sizes))), [topics - size for size in sizes]
    return [
        f"{spanned(without, 'topic')} without a value left out." if any(without) else "",
        f"{drawn:,} evenly spaced topics are drawn." if drawn < max(sizes) else "",
    ]


def thin_positions(count: int) -> list[int]:
    """The positions to draw: all, or evenly spaced ones including both ends."""
    if count <= MAX_TOPICS:
        return [*range(count)]
    return sorted({round(step * (count - 1) / (MAX_TOPICS - 1)) for step in range(MAX_TOPICS)})


def topic_axis(order: list[str], style: Style, panels: int, title: str) -> tuple[Any, float]:
    """(the axis of topics, the width of a bar), with names if there is room."""
    room = style.panel_width(panels) / max(1, len(order))
    if room >= 8.5:
        axis = alt.Axis(labelAngle=-90, grid=False, labelOverlap=False)
        return alt.X("topic:N", scale=alt.Scale(domain=order), title=title, axis=axis), room * 0.7
    # With so many topics names would blur into a grey band; the tooltips have them.
    scale = alt.Scale(zero=False, nice=False, padding=room)
    axis = alt.Axis(grid=False, tickMinStep=1)
    return alt.X("position:Q", scale=scale, title=title, axis=axis), max(0.3, room * 0.8)


@figure(
    "differences",
    title="Differences between two runs, topic by topic",
    needs="scores",
    cite="Buckley and Voorhees 2005, Retrieval system evaluation",
    example="-m AP --baseline bm25 --run dense",
    measures="AP",
)
def differences(
    scores: Scores,
    style: Style,
    *,
    baseline: Annotated[str | None, NAME, "the run to compare with (default: the first)"] = None,
    run: Annotated[str | None, NAME, "the run to compare (default: the second)"] = None,
) -> Drawing:
    """The difference between two runs, a bar for each topic, from the most helped to the most hurt."""
    old, new = _pair(scores.runs, baseline, run)
    values, names = scores.to_dict(), unique_labels(scores.topics, call=style.name)
    data, plots, counts, sizes = {}, [], [], []
    for number, measure in enumerate(scores.measures):
        sign = scores.direction(measure) or 1
        before, after = values[old][measure], values[new][measure]
        both = {t: after[t] - before[t] for t in scores.topics if t in before and t in after}
        order = sorted((t for t in both if not math.isnan(both[t])), key=lambda t: -sign * both[t])
        helps, hurts = (sum(sign * way * both[t] > 0 for t in order) for way in (1, -1))
        mean = math.fsum(both[t] for t in order) / len(order) if order else math.nan
        same = len(order) - helps - hurts
        counts.append(f"{style.name(measure)}: helps {helps}, hurts {hurts}, same {same}, mean {mean:+.4f}")
        shown = thin_positions(len(order))
        rows: list[list[Cell]] = []
        for at in shown:
            t = order[at]
            effect = "helps" if sign * both[t] > 0 else "hurts" if sign * both[t] < 0 else "same"
            rows.append([at + 1, names[t], effect, both[t], before[t], after[t]])
        name = f"topics {number + 1}"
        sizes.append(len(order))
        data[name] = Table(("position", "topic", "effect", "difference", "before", "after"), rows)
        shown_topics = [str(row[1]) for row in rows]
        runs = (style.name(old), style.name(new))
        plots.append(_bars(name, measure, shown_topics, style, len(scores.measures), runs))
    return Drawing(
        arrange(plots, style, height=style.height(0.6)),
        data,
        f"{style.name(new)} against {style.name(old)}, topic by topic",
        "; ".join(counts),
        [
            f"{style.measures(scores.measures)} of {style.name(new)} minus that of {style.name(old)} for "
            f"each of {spanned(sizes, 'topic')}, from the most helped to the most hurt.",
            definitions(scores.measures, style.labels),
            *omission_notes(sizes, len(scores.topics)),
        ],
        ["helps", "hurts"],
    )


def _pair(runs: tuple[str, ...], baseline: str | None, run: str | None) -> tuple[str, str]:
    if len(runs) < 2:
        raise OptionError(f"the figure differences compares two runs, and there is only {runs[0]!r}")
    if len(runs) > 2 and (baseline is None or run is None):
        raise OptionError(
            f"the figure differences compares two runs, and there are {len(runs)}; "
            "name them with baseline and run"
        )
    if baseline is not None and baseline == run:
        raise OptionError(f"the figure differences compares two runs, and both are {run!r}; name another")
    if baseline is None:
        baseline = next(each for each in runs if each != run)
    if run is None:
        run = next(each for each in runs if each != baseline)
    return check_name("run", baseline, runs), check_name("run", run, runs)


def _bars(data: str, measure: str, order: list[str], style: Style, panels: int, runs: tuple[str, str]) -> Any:
    c, (old, new) = style.colours, runs
    x, size = topic_axis(order, style, panels, "topics, from most helped to most hurt")
    effects = alt.Scale(domain=["helps", "hurts"], range=[c.high, c.low])
    return (
        chart(data)
        .mark_bar(size=size)
        .encode(
            x=x,
            y=alt.Y("difference:Q", title=f"difference in {style.name(measure)}", stack=None),
            color=alt.Color(
                "effect:N", scale=effects, legend=alt.Legend(title=None, symbolType="square", symbolSize=60)
            ),
            tooltip=tooltip("topic", "difference", ("before", old), ("after", new)),
        )
    )


@figure(
    "difficulty",
    title="Difficulty of topics",
    needs="scores",
    cite="Voorhees 2005, Overview of the TREC Robust Retrieval Track",
    example="-m AP --highlight bm25",
    measures="AP",
)
def difficulty(scores: Scores, style: Style, *, highlight: Highlight = ()) -> Drawing:
    """The scores of all runs on each topic, from the easiest topic to the hardest.

    The tick is the median over runs, by which topics are ordered. The bar covers the first to the third
    quartile, the thin line all runs; highlighted runs are points.
    """
    highlighted = [check_name("run", run, scores.runs) for run in dict.fromkeys(highlight)]
    values, names = scores.to_dict(), unique_labels(scores.topics, call=style.name)
    series = Series.assign(dict.fromkeys(highlighted, 0.0), style, highlighted, always_legend=True)
    data, plots, hardest, sizes = {}, [], [], []
    for number, measure in enumerate(scores.measures):
        spread: dict[str, list[float]] = {}
        for topic in scores.topics:
            own = (values[run][measure].get(topic, math.nan) for run in scores.runs)
            if kept := sorted(value for value in own if not math.isnan(value)):
                spread[topic] = [
                    kept[0],
                    *(quantile(kept, share) for share in (0.25, 0.5, 0.75)),
                    kept[-1],
                ]
        sign = scores.direction(measure) or 1
        order = sorted(spread, key=lambda topic: (-sign * spread[topic][2], -sign * sum(spread[topic])))
        hardest.append(
            f"hardest on {style.name(measure)}: {join_some([names[t] for t in reversed(order)][:3])}"
        )
        sizes.append(len(order))
        shown = [(at + 1, order[at]) for at in thin_positions(len(order))]
        headers = ("position", "topic", "low", "q1", "median", "q3", "high")
        data[f"topics {number + 1}"] = Table(headers, [[at, names[t], *spread[t]] for at, t in shown])
        rows: list[list[Cell]] = [
            [at, names[t], series.entry_of[run], series.names[run], values[run][measure][t]]
            for run in highlighted
            for at, t in shown
            if t in values[run][measure]
        ]
        if highlighted:
            data[f"runs {number + 1}"] = Table(("position", "topic", "series", "run", "value"), rows)
        plots.append(
            _spans(number + 1, measure, [names[t] for _, t in shown], series, style, len(scores.measures))
        )
    return Drawing(
        arrange(plots, style, height=style.height(0.6)),
        data,
        "Difficulty of topics",
        f"{spanned(sizes, 'topic')}, {counted(len(scores.runs), 'run')}; {'; '.join(hardest)}",
        [
            f"{style.measures(scores.measures)} of {counted(len(scores.runs), 'run')} on each topic, ordered "
            "by the median over runs; bars: first to third quartile, lines: lowest to highest.",
            definitions(scores.measures, style.labels),
            *omission_notes(sizes, len(scores.topics)),
        ],
        series.labels if highlighted else [],
    )


def _spans(number: int, measure: str, order: list[str], series: Series, style: Style, panels: int) -> Any:
    c = style.colours
    x, size = topic_axis(order, style, panels, "topics, from easiest to hardest")
    base = chart(f"topics {number}").encode(x=x, tooltip=tooltip("topic", *QUARTILES.items()))
    layers = [
        base.mark_rule(color=c.soft, strokeWidth=min(0.8, size)).encode(
            y=alt.Y("low:Q", title=style.name(measure)), y2="high:Q"
        ),
        base.mark_bar(color=c.muted, size=size, opacity=0.7).encode(y="q1:Q", y2="q3:Q"),
        base.mark_tick(orient="horizontal", color=c.ink, thickness=1.2, size=max(size, 1.5)).encode(
            y="median:Q"
        ),
    ]
    if series.entry_of:
        layers.append(
            chart(f"runs {number}")
            .mark_point(filled=True, size=14, opacity=1)
            .encode(
                x=x,
                y="value:Q",
                **series.looks("color", "shape", points=True),
                tooltip=tooltip("run", "topic", ("value", style.name(measure))),
            )
        )
    return alt.layer(*layers)
