"""The study `effort-gain`: what gain costs in effort."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures import Measure, parse, parse_all
from rankgauge.measures.effort.misplacing import CITE
from rankgauge.studies.options import MeasuresKind, QuartileMethod
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

# The paper's measures; its weights, 5 × the level, cancel out in nDCG.
GAIN_MEASURES = parse_all("AP Bpref RBP nDCG(base=10)")


@study(
    "effort-gain",
    title="Effort and gain",
    cite=f"{CITE}, section Effort/gain plots",
    example='qrels.txt runs/*.run -m "AP nDCG(base=10)"',
)
def effort_gain(
    campaign: "Campaign",
    *,
    measures: Annotated[tuple[Measure, ...], MeasuresKind(), "the measures of gain"] = GAIN_MEASURES,
    effort: Annotated[tuple[Measure, ...], MeasuresKind(), "the measure of effort, from 0 to 1"] = (
        parse("Twist"),
    ),
    method: QuartileMethod = "linear",
) -> "Findings":
    """What gain costs: each run and topic is a point, in one of sixteen quadrants of effort and gain.

    Columns are separated by Twist at 0.25, 0.5 and 0.75, rows by the quartiles of the gain over all points.
    On the diagonal effort and gain agree; only both together reveal high gain at high effort.
    """
    from rankgauge.errors import OptionError
    from rankgauge.model.output.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics import effort as plot

    if len(effort) > 1:
        raise OptionError(f"effort must be one measure, not {len(effort)}")
    for gain in measures:
        if gain.spec.direction < 1:
            raise OptionError(f"{gain} is not a gain: higher values are not better; choose another measure")
    scores = campaign.scores([*effort, *measures])
    by_gain = {gain: plot.placed(scores, effort[0], gain, method) for gain in measures}
    points = [row for gain, each in by_gain.items() for row in plot.point_rows(scores, gain, each)]
    both = [row for row in points if row[-2] in ("high", "huge") and row[-1] in ("high", "huge")]
    sentences = [
        f"{gain}: {100 * each.diagonal:.1f} % of the points are on the diagonal, "
        f"{100 * each.high_high:.1f} % have high gain at high effort."
        for gain, each in by_gain.items()
    ]
    return Findings(
        settings={"N": plot.list_length(scores, effort[0])},
        sentences=sentences,
        tables={
            "shares": Table(
                plot.SHARE_HEADERS, [plot.share_row(gain, each) for gain, each in by_gain.items()]
            ),
            "quadrants": Table(
                plot.QUADRANT_HEADERS,
                [row for gain, each in by_gain.items() for row in plot.quadrant_rows(gain, each)],
            ),
            "together": Table(
                plot.POINT_HEADERS, sorted(both, key=lambda row: (str(row[0]), -float(row[4] or 0)))
            ),
            "points": Table(plot.POINT_HEADERS, points),
        },
        captions={
            "shares": "Per cent of the points on the diagonal, and in the high-high quadrants.",
            "quadrants": "Per cent of the points in each quadrant; rows by the quartiles of the gain.",
            "together": "Points of high or huge gain at high or huge effort, the highest gain first.",
            "points": "Every point, for a plot.",
        },
        data=("points",),
    )
