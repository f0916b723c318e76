"""The figure `distribution`: box plots of scores."""

import math
from typing import Annotated, Any

from rankgauge.extensions.pages.figures.drawing import QUARTILES, Drawing, alt, arrange, tooltip
from rankgauge.extensions.pages.figures.labels import check_name, counted, definitions, unique_labels
from rankgauge.extensions.pages.figures.registry import FERRO, Highlight, figure
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Word

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
    """A quantile of ascending values, with linear interpolation (NumPy's default)."""
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
    """({measure: {label of a run: {topic: value}}}, a caption sentence on runs that are not shown)."""
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
    """The means of all runs, one plot with a box for each measure."""
    means, names = scores.mean(), unique_labels(scores.runs, call=style.name)
    labels = unique_labels(scores.measures, call=style.measure)
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
    title = measure if measure == MEAN else style.measure(measure)
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
