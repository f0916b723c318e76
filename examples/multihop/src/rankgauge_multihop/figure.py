"""The figure `complete`."""

from rankgauge.extensions.pages.figures.drawing import (
    Drawing,
    Series,
    alt,
    chart,
    longest_list,
    thin_ranks,
    tooltip,
)
from rankgauge.extensions.pages.figures.registry import Highlight, figure


@figure(
    "complete",
    title="Questions with all their documents, by rank",
    needs="curves",
    cite="rankgauge-multihop",
    example="--depth 50 --width page",
    measures="AllFound R",
    depth=20,
)
def complete(curves, style, *, highlight: Highlight = ()) -> Drawing:
    """How many questions are complete at each rank, a line for each run; recall as a dashed line.

    Where recall is far above, rankings find some documents of most questions, and all of few.
    """
    means = curves.mean()
    first = curves.measures[0]
    series = Series.assign({run: by[first][-1] for run, by in means.items()}, style, highlight)
    last = longest_list(curves, curves.runs, curves.topics)
    ranks = thin_ranks(last, len(curves.runs) * len(curves.measures))
    tables, layers = {}, []
    for measure, dash in zip(curves.measures, ([], [4, 3]), strict=False):
        rows = {run: [(rank, by[measure][rank - 1]) for rank in ranks] for run, by in means.items()}
        tables[measure] = series.table(("rank", "value"), rows)
        line = chart(measure).mark_line(strokeDash=dash)
        layers.append(
            line.encode(
                x=alt.X("rank:Q", title="rank"),
                y=alt.Y("value:Q", title="share", scale=alt.Scale(domain=[0, 1])),
                detail="run:N",
                **series.looks("color", "strokeWidth"),
                tooltip=tooltip("run", "rank", ("value", style.name(measure))),
            )
        )
    plot = alt.layer(*layers).properties(height=style.height(0.68))
    title = "Questions with all their documents"
    sentences = ["Solid: questions with all their documents; dashed: recall."]
    return Drawing.of(curves, style, series, plot, tables, title=title, sentences=sentences)
