"""Draw docs/from-scratch/*.svg: the pictures of measures-from-scratch.md, from values of rankgauge."""

from pathlib import Path
from typing import Any

import altair as alt
import vl_convert
from gallery import shrink

import rankgauge
from rankgauge.extensions.pages.figures.theme import DOTTED, Style

PICTURES = Path(__file__).parent / "from-scratch"
GRADES = (3, 2, 3, 0, 0, 1, 2, 2, 3, 0, 1, 0, 1, 0, 1)
SUBTOPICS = ("abc", "ab", "acd", "", "", "a", "de", "be", "def", "", "a", "", "b", "", "f")
PAGE = 10  # documents on the first page of results

DOCUMENTS = [f"d{rank:02}" for rank in range(1, len(GRADES) + 1)]
QRELS = {"1": dict(zip(DOCUMENTS, GRADES, strict=True))}
ABOUT = {
    "1": {s: {d: 1 for d, held in zip(DOCUMENTS, SUBTOPICS, strict=True) if s in held} for s in "abcdef"}
}
BOTH = {"1": {document: float(-rank) for rank, document in enumerate(DOCUMENTS)}}
FIRST = {"1": {document: BOTH["1"][document] for document in DOCUMENTS[:PAGE]}}

STYLE = Style(width="page")
COLOURS = STYLE.colours
BLUE, ORANGE, *_ = COLOURS.series
WIDTH = STYLE.panel_width(1)


def by_rank(measure: str, run: Any = FIRST, depth: int = PAGE) -> tuple[list[float], list[float]]:
    """The values of a measure at each rank, and those of the ideal ranking."""
    curves = rankgauge.curves(QRELS, run, measure, depth=depth)
    return curves.values[0, 0, 0].tolist(), curves.ideal[0, 0].tolist()


def data(**columns: Any) -> Any:
    """Data of a chart from columns of the same length."""
    names, rows = list(columns), zip(*columns.values(), strict=True)
    return alt.Data(values=[dict(zip(names, row, strict=True)) for row in rows])


def ranks(depth: int = PAGE) -> list[int]:
    """Ranks from 1 on."""
    return list(range(1, depth + 1))


def rank_axis(title: str | None = "rank") -> Any:
    """The axis of ranks, one band each."""
    return alt.X("rank:O", title=title, axis=alt.Axis(labelAngle=0, ticks=False, domain=False))


def gains() -> Any:
    """The gain at each rank, of the ranking and of the ideal one."""
    ideal = sorted((grade for grade in GRADES if grade), reverse=True)
    panels = []
    for title, grades, colour in (("ranking", GRADES[:PAGE], BLUE), ("ideal", ideal, COLOURS.muted)):
        chart = alt.Chart(data(rank=ranks(), gain=grades)).encode(
            x=rank_axis("rank" if title == "ideal" else None),
            y=alt.Y(
                "gain:Q",
                title=f"gain, {title}",
                scale=alt.Scale(domain=[0, 3.6], nice=False),
                axis=alt.Axis(values=[0, 1, 2, 3], format="d"),
            ),
        )
        text = chart.mark_text(dy=-6).encode(text="gain:Q")
        panels.append((chart.mark_bar(color=colour, width=26) + text).properties(width=WIDTH, height=75))
    return alt.vconcat(*panels, spacing=6)


def positions(depth: int) -> Any:
    """The axis of ranks, where rules stand between them."""
    scale = alt.Scale(domain=[0.5, depth + 1], nice=False)
    return alt.X(
        "rank:Q",
        scale=scale,
        axis=alt.Axis(values=ranks(depth), grid=False, labelOverlap=False, tickCount=depth),
    )


def beside_ideal(measure: str, form: str, most: float) -> Any:
    """A measure rank by rank, with the ideal dotted."""
    values, ideal = by_rank(measure)
    layers = []
    for name, curve, colour, dash in (
        ("ideal", ideal, COLOURS.soft, DOTTED),
        (measure, values, BLUE, [1, 0]),
    ):
        line = alt.Chart(data(rank=ranks(), value=curve)).encode(
            x=positions(PAGE),
            y=alt.Y("value:Q", title=measure, scale=alt.Scale(domain=[0, most], nice=False)),
        )
        end = alt.Chart(data(rank=[PAGE], value=curve[-1:])).encode(x="rank:Q", y="value:Q")
        layers += [
            line.mark_line(color=colour, strokeDash=dash, strokeWidth=1.6),
            end.mark_text(align="left", dx=6, color=colour).encode(text=alt.value(name)),
        ]
        if len({*curve}) > 1:  # that the ideal is 1 throughout needs no numbers
            layers += [
                line.mark_point(color=colour, filled=True, opacity=1, size=16),
                line.mark_text(dy=10 if curve is values else -8, color=colour).encode(
                    text=alt.Text("value:Q", format=form)
                ),
            ]
    return alt.layer(*layers).properties(width=WIDTH, height=150)


def cumulated() -> Any:
    """CG beside the CG of the ideal ranking."""
    return beside_ideal("CG", "d", 21)


def discounted() -> Any:
    """The gain at each rank, and what the discount leaves of it."""
    sums, _ = by_rank("DCG")
    left = [b - a for a, b in zip([0.0, *sums], sums, strict=False)]
    chart = alt.Chart(data(rank=ranks(), gain=GRADES[:PAGE], left=left)).encode(x=rank_axis())
    full = chart.mark_bar(color=COLOURS.grid, width=30).encode(
        y=alt.Y("gain:Q", title="gain, and what is left")
    )
    part = chart.mark_bar(color=BLUE, width=30).encode(y="left:Q")
    text = chart.transform_filter("datum.gain > 0").mark_text(dy=-6)
    return alt.layer(full, part, text.encode(y="left:Q", text=alt.Text("left:Q", format=".2f"))).properties(
        width=WIDTH, height=120
    )


def normalised() -> Any:
    """NDCG at each rank."""
    return beside_ideal("nDCG", ".2f", 1.05)


def blended() -> Any:
    """Precision and blended ratio at the relevant documents."""
    found = [rank for rank in ranks() if GRADES[rank - 1]]
    rows = [
        (rank, name, by_rank(measure)[0][rank - 1])
        for name, measure in (("precision", "P"), ("blended ratio", "BR"))
        for rank in found
    ]
    columns = dict(zip(("rank", "what", "value"), zip(*rows, strict=True), strict=True))
    names = ["precision", "blended ratio"]
    chart = alt.Chart(data(**columns)).encode(
        x=rank_axis("rank of a relevant document"),
        xOffset=alt.XOffset("what:N", sort=names),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=[0, 1.08], nice=False)),
    )
    bars = chart.mark_bar().encode(
        color=alt.Color("what:N", title=None, scale=alt.Scale(domain=names, range=[COLOURS.muted, BLUE]))
    )
    text = chart.mark_text(dy=-6).encode(text=alt.Text("value:Q", format=".2f"))
    return (bars + text).properties(width=WIDTH, height=130)


def subtopics() -> Any:
    """What each subtopic of each document is worth, by how often it was seen before."""
    seen: dict[str, int] = {}
    rows = []
    for rank in ranks():
        for subtopic in SUBTOPICS[rank - 1]:
            rows.append((rank, subtopic, 0.5 ** seen.get(subtopic, 0)))
            seen[subtopic] = seen.get(subtopic, 0) + 1
    columns = dict(zip(("rank", "subtopic", "worth"), zip(*rows, strict=True), strict=True))
    chart = alt.Chart(data(**columns)).encode(
        x=alt.X(
            "rank:O", scale=alt.Scale(domain=ranks()), axis=alt.Axis(labelAngle=0, ticks=False, domain=False)
        ),
        y=alt.Y("subtopic:N", title="subtopic", axis=alt.Axis(ticks=False, domain=False)),
    )
    cells = chart.mark_rect(cornerRadius=2, stroke=COLOURS.paper, strokeWidth=2).encode(
        color=alt.Color(
            "worth:Q",
            scale=alt.Scale(domain=[0, 1], range=[COLOURS.paper, BLUE], interpolate="rgb"),
            legend=None,
        )
    )
    text = chart.mark_text().encode(
        text=alt.Text("worth:Q", format="~g"),
        color=alt.condition("datum.worth > 0.6", alt.value(COLOURS.paper), alt.value(COLOURS.ink)),
    )
    return (cells + text).properties(width=WIDTH, height=132)


def effort() -> Any:
    """RP as bars and CRP as a line, over both pages of results."""
    depth = len(GRADES)
    (steps, _), (sums, _) = by_rank("RP", BOTH, depth), by_rank("CRP", BOTH, depth)
    (balance,) = rankgauge.evaluate(QRELS, BOTH, "BalancePoint").mean()["run"].values()
    chart = alt.Chart(data(rank=ranks(depth), step=steps, sum=sums)).encode(x=positions(depth))
    bars = chart.mark_bar(size=18).encode(
        y=alt.Y("step:Q", title="RP (bars), CRP (line)", scale=alt.Scale(domain=[-19, 8], nice=False)),
        color=alt.condition("datum.step < 0", alt.value(ORANGE), alt.value(COLOURS.muted)),
    )
    line = chart.mark_line(color=BLUE, strokeWidth=1.6, point={"color": BLUE, "size": 16}).encode(y="sum:Q")
    text = chart.mark_text(dy=10, color=BLUE).encode(y="sum:Q", text=alt.Text("sum:Q"))
    zero = alt.Chart(data(y=[0])).mark_rule(strokeWidth=0.8).encode(y="y:Q")
    marks = [(PAGE + 0.5, "end of the first page"), (balance, f"balance point {balance:g}")]
    rules = alt.Chart(data(rank=[at for at, _ in marks], name=[name for _, name in marks])).encode(x="rank:Q")
    names = rules.mark_text(align="left", dx=4).encode(y=alt.value(145), text="name:N")
    dashes = rules.mark_rule(strokeDash=[4, 3], strokeWidth=0.8)
    return alt.layer(zero, bars, dashes, line, text, names).properties(width=WIDTH, height=160)


CHARTS = {
    "gains": gains,
    "cg": cumulated,
    "discount": discounted,
    "ndcg": normalised,
    "blended": blended,
    "subtopics": subtopics,
    "crp": effort,
}


def draw(name: str) -> str:
    """The picture of this name, as SVG."""
    spec = CHARTS[name]().configure(**STYLE.config(2)).to_json()
    return shrink(str(vl_convert.vegalite_to_svg(spec)))


def main() -> None:
    """Draw every picture."""
    PICTURES.mkdir(exist_ok=True)
    for name in CHARTS:
        (PICTURES / f"{name}.svg").write_text(draw(name), encoding="utf-8")


if __name__ == "__main__":
    main()
