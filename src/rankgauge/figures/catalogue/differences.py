"""Differences between two runs, topic by topic."""

import math
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.labels import check_name, definitions, unique_labels
from rankgauge.figures.options import Name
from rankgauge.figures.panels import arrange
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.figures.tooltips import tooltip
from rankgauge.figures.topic_axis import count_topics, omission_notes, thin_positions, topic_axis
from rankgauge.model.output.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores


@figure(
    "differences",
    title="Differences between two runs, topic by topic",
    needs="scores",
    cite="Buckley and Voorhees 2005, Retrieval system evaluation",
    example="-m AP --baseline bm25 --run dense",
    measures="AP",
)
def differences(
    scores: "Scores",
    style: Style,
    *,
    baseline: Annotated[str | None, Name(), "the run to compare with (default: the first)"] = None,
    run: Annotated[str | None, Name(), "the run to compare (default: the second)"] = None,
) -> Drawing:
    """The difference between two runs, a bar for each topic, from the most helped to the most hurt."""
    old, new = _pair(scores.runs, baseline, run)
    values, names = scores.to_dict(), unique_labels(scores.topics, call=style.topic)
    data, plots, counts, sizes = {}, [], [], []
    for number, measure in enumerate(scores.measures):
        sign = scores.direction(measure) or 1
        before, after = values[old][measure], values[new][measure]
        both = {t: after[t] - before[t] for t in scores.topics if t in before and t in after}
        order = sorted((t for t in both if not math.isnan(both[t])), key=lambda t: -sign * both[t])
        helps, hurts = (sum(sign * way * both[t] > 0 for t in order) for way in (1, -1))
        mean = math.fsum(both[t] for t in order) / len(order) if order else math.nan
        same = len(order) - helps - hurts
        counts.append(
            f"{style.measure(measure)}: helps {helps}, hurts {hurts}, same {same}, mean {mean:+.4f}"
        )
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
            f"each of {count_topics(sizes)}, from the most helped to the most hurt.",
            definitions(scores.measures, style.labels),
            *omission_notes(sizes, len(scores.topics)),
        ],
        ["helps", "hurts"],
        fits=len(plots) == 1,
    )


def _pair(runs: tuple[str, ...], baseline: str | None, run: str | None) -> tuple[str, str]:
    """The two runs to compare: those that are named, or the only two."""
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
    alt, c, (old, new) = require("altair"), style.colours, runs
    x, size = topic_axis(order, style, panels, "topics, from most helped to most hurt")
    effects = alt.Scale(domain=["helps", "hurts"], range=[c.high, c.low])
    return (
        alt.Chart(alt.NamedData(name=data))
        .mark_bar(size=size)
        .encode(
            x=x,
            y=alt.Y("difference:Q", title=f"difference in {style.measure(measure)}", stack=None),
            color=alt.Color(
                "effect:N", scale=effects, legend=alt.Legend(title=None, symbolType="square", symbolSize=60)
            ),
            tooltip=tooltip("topic", "difference", ("before", old), ("after", new)),
        )
    )
