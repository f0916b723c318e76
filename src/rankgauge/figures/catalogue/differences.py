"""Differences between two runs, topic by topic."""

import math
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.figure import Drawing, needed
from rankgauge.figures.labels import better, definitions, legible
from rankgauge.figures.options import Name
from rankgauge.figures.panels import arranged
from rankgauge.figures.registry import figure
from rankgauge.figures.series import known, labels
from rankgauge.figures.theme import Style
from rankgauge.figures.topic_axis import count_topics, omission_notes, thin_places, topic_axis
from rankgauge.model.tables import Cell, Table

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
    baseline: Annotated[str | None, Name(), "the run that is compared with (default: the first)"] = None,
    run: Annotated[str | None, Name(), "the run that is compared (default: the second)"] = None,
) -> Drawing:
    """How much one run helps or hurts against another, a bar for each topic, from best to worst."""
    old, new = _two(scores.runs, baseline, run)
    values, names = scores.to_dict(), labels(scores.topics)
    data, plots, counts, sizes = {}, [], [], []
    for number, measure in enumerate(scores.measures):
        sign = better(measure) or 1
        before, after = values[old][measure], values[new][measure]
        both = {t: after[t] - before[t] for t in scores.topics if t in before and t in after}
        order = sorted((t for t in both if not math.isnan(both[t])), key=lambda t: -sign * both[t])
        helps, hurts = (sum(sign * way * both[t] > 0 for t in order) for way in (1, -1))
        mean = math.fsum(both[t] for t in order) / len(order) if order else math.nan
        counts.append(
            f"{measure}: helps {helps}, hurts {hurts}, same {len(order) - helps - hurts}, mean {mean:+.4f}"
        )
        shown = thin_places(len(order))
        rows: list[list[Cell]] = []
        for at in shown:
            t = order[at]
            effect = "helps" if sign * both[t] > 0 else "hurts" if sign * both[t] < 0 else "same"
            rows.append([at + 1, names[t], effect, both[t], before[t], after[t]])
        name = f"topics {number + 1}"
        sizes.append(len(order))
        data[name] = Table(("position", "topic", "effect", "difference", "baseline", "run"), rows)
        plots.append(_bars(name, measure, [str(row[1]) for row in rows], style, len(scores.measures)))
    return Drawing(
        arranged(plots, style, height=style.panel(1) * 0.6),
        data,
        f"{legible(new)} against {legible(old)}, topic by topic",
        "; ".join(counts),
        [
            f"{', '.join(scores.measures)} of {legible(new)} less that of {legible(old)} for each of "
            f"{count_topics(sizes)}, from where it helps most to where it hurts most.",
            definitions(scores.measures),
            *omission_notes(sizes, len(scores.topics)),
        ],
        ["helps", "hurts"],
        fits=len(plots) == 1,
    )


def _two(runs: tuple[str, ...], baseline: str | None, run: str | None) -> tuple[str, str]:
    """The two runs of a comparison: those that were named, or the only two."""
    if len(runs) < 2:
        raise OptionError(f"the figure differences compares two runs, and there is only {runs[0]!r}")
    if len(runs) > 2 and (baseline is None or run is None):
        raise OptionError(
            f"the figure differences compares two runs, and there are {len(runs)}; "
            "name them by baseline and run"
        )
    if baseline is not None and baseline == run:
        raise OptionError(f"the figure differences compares two runs, and both are {run!r}; name another")
    if baseline is None:
        baseline = next(each for each in runs if each != run)
    if run is None:
        run = next(each for each in runs if each != baseline)
    return known("run", baseline, runs), known("run", run, runs)


def _bars(data: str, measure: str, order: list[str], style: Style, panels: int) -> Any:
    alt, c = needed("altair"), style.colours
    x, size = topic_axis(order, style, panels, "topics, from helped to hurt")
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("difference", "baseline", "run")]
    effects = alt.Scale(domain=["helps", "hurts"], range=[c.high, c.low])
    return (
        alt.Chart(alt.NamedData(name=data))
        .mark_bar(size=size)
        .encode(
            x=x,
            y=alt.Y("difference:Q", title=f"difference in {measure}", stack=None),
            color=alt.Color(
                "effect:N", scale=effects, legend=alt.Legend(title=None, symbolType="square", symbolSize=60)
            ),
            tooltip=["topic:N", *numbers],
        )
    )
