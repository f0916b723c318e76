"""Effort and gain, rank by rank."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.citations import FERRO
from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.effort_lines import effort_lines
from rankgauge.figures.labels import check_name, definitions, join_some
from rankgauge.figures.options import Names
from rankgauge.figures.panels import concatenate
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import MAX_HIGHLIGHTED, PANEL_TITLE, Style
from rankgauge.figures.thinning import longest_list, ranks_drawn, thin_ranks
from rankgauge.measures import parse
from rankgauge.model.output.tables import Cell, Table, capital

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves


@figure(
    "crp",
    title="Effort and gain of rankings, rank by rank",
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
    run: Annotated[tuple[str, ...], Names(), "a run to show (default: the first)"] = (),
    topic: Annotated[tuple[str, ...], Names(), "a topic to show (default: the first)"] = (),
) -> Drawing:
    """The cumulated relative position of rankings, their gain below, and the recall base as a dashed line.

    It shows one run and one topic unless more are named: further runs are lines of the same plot, further
    topics have a plot each, side by side. The first measure is one of effort, such as CRP; the second is one
    of gain, such as DCG, shown with the ideal. The third is recall: the recall base is the rank at which the
    ideal ranking reaches a recall of 1.
    """
    if len(curves.measures) != 3 or parse(curves.measures[2]).spec.name != "R":
        raise OptionError(
            "the figure crp takes three measures, for effort, gain and recall, such as CRP, DCG and R, "
            f"not {', '.join(curves.measures)}"
        )
    runs = [check_name("run", each, curves.runs) for each in dict.fromkeys(run)] or [curves.runs[0]]
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
    for number, each in enumerate(topics):
        own, base = _tables(curves, each, ranks, series, bases[each]), bases[each]
        suffix = f" {number + 1}" if len(topics) > 1 else ""
        data |= {f"{name}{suffix}": table for name, table in own.items()}
        notes.append(f"beyond rank {curves.depth}" if base is None else str(base))
        title = f"topic {style.topic(each)}" if suffix else ""
        panels.append(_panel(style, series, suffix, title, (x, y), style.panel_width(len(topics), columns)))
    subject = f"{style.measure(x)} and {style.measure(y)} of {join_some([*series.names.values()])}"
    of_topics = f"topic{'s' if len(topics) > 1 else ''} {join_some([style.topic(each) for each in topics])}"
    at_bases = f"recall base {join_some(notes)}"
    ended = f"No list is longer than {longest:,}; beyond, documents count as not relevant."
    return Drawing(
        panels[0] if len(panels) == 1 else concatenate(panels, columns),
        data,
        f"{subject}, {of_topics}",
        f"{capital(ranks_drawn(last))}; dashed: {at_bases}",
        [
            f"{subject} for {of_topics}, {ranks_drawn(last)}; {at_bases}.",
            ended if longest < last else "",
            definitions((x, y), style.labels),
        ],
        series.labels,
        fits=False,
    )


def _tables(
    curves: "Curves", topic: str, ranks: Sequence[int], series: Series, base: int | None
) -> dict[str, Table]:
    """The tables of a topic with this recall base."""
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
    """The rank at which the ideal ranking of a topic reaches a recall of 1, if that is one of the ranks."""
    recall = curves.ideal[2, curves.topics.index(topic)].tolist()
    return next((rank for rank, value in enumerate(recall, 1) if value == 1), None)


def _panel(
    style: Style, series: Series, suffix: str, title: str, measures: tuple[str, str], width: float
) -> Any:
    """The effort of a topic, and its gain below."""
    alt, c = require("altair"), style.colours
    effort, gain = (
        effort_lines(
            style,
            series,
            f"{name}{suffix}",
            style.measure(measure),
            f"recall base{suffix}",
            f"zero{suffix}" if name == "effort" else None,
            x_title="rank" if name == "gain" else "",
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
