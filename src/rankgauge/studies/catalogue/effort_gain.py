"""The study `effort-gain`: what gain costs in effort."""

from typing import Annotated

import numpy as np

from rankgauge.errors import OptionError
from rankgauge.measures import Measure, parse, parse_all
from rankgauge.measures.effort import CITE
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.effort import EFFORTS, GAINS, Quadrants, quadrants
from rankgauge.studies.findings import Findings
from rankgauge.studies.options import MeasuresKind, QuartileMethod
from rankgauge.studies.registry import study

# The paper's measures; its weights, 5 × the level, cancel out in nDCG.
GAIN_MEASURES = parse_all("AP Bpref RBP nDCG(base=10)")
QUADRANT_HEADERS = ("measure", "gain", "above", "up to", *(f"{effort} effort" for effort in EFFORTS))
SHARE_HEADERS = ("measure", "points", "undefined", "diagonal", "high-high")
POINT_HEADERS = ("measure", "run", "topic", "effort value", "gain value", "gain", "effort")


@study(
    "effort-gain",
    title="Effort and gain",
    cite=f"{CITE}, section Effort/gain plots",
    example='qrels.txt runs/*.run -m "AP nDCG(base=10)"',
)
def effort_gain(
    campaign: Campaign,
    *,
    measures: Annotated[tuple[Measure, ...], MeasuresKind(), "the measures of gain"] = GAIN_MEASURES,
    effort: Annotated[tuple[Measure, ...], MeasuresKind(), "the measure of effort, from 0 to 1"] = (
        parse("Twist"),
    ),
    method: QuartileMethod = "linear",
) -> Findings:
    """What gain costs: each run and topic is a point, in one of sixteen quadrants of effort and gain.

    Columns are separated by Twist at 0.25, 0.5 and 0.75, rows by the quartiles of the gain over all points.
    On the diagonal effort and gain agree; only both together reveal high gain at high effort.
    """
    if len(effort) > 1:
        raise OptionError(f"effort must be one measure, not {len(effort)}")
    for gain in measures:
        if gain.spec.direction < 1:
            raise OptionError(f"{gain} is not a gain: higher values are not better; choose another measure")
    scores = campaign.scores([*effort, *measures])
    by_gain = {gain: placed(scores, effort[0], gain, method) for gain in measures}
    points = [row for gain, each in by_gain.items() for row in point_rows(scores, gain, each)]
    both = [row for row in points if row[-2] in ("high", "huge") and row[-1] in ("high", "huge")]
    sentences = [
        f"{gain}: {100 * each.diagonal:.1f} % of the points are on the diagonal, "
        f"{100 * each.high_high:.1f} % have high gain at high effort."
        for gain, each in by_gain.items()
    ]
    return Findings(
        settings={"N": list_length(scores, effort[0])},
        sentences=sentences,
        tables={
            "shares": Table(SHARE_HEADERS, [share_row(gain, each) for gain, each in by_gain.items()]),
            "quadrants": Table(
                QUADRANT_HEADERS,
                [row for gain, each in by_gain.items() for row in quadrant_rows(gain, each)],
            ),
            "together": Table(
                POINT_HEADERS, sorted(both, key=lambda row: (str(row[0]), -float(row[4] or 0)))
            ),
            "points": Table(POINT_HEADERS, points),
        },
        captions={
            "shares": "Per cent of the points on the diagonal, and in the high-high quadrants.",
            "quadrants": "Per cent of the points in each quadrant; rows by the quartiles of the gain.",
            "together": "Points of high or huge gain at high or huge effort, the highest gain first.",
            "points": "Every point, for a plot.",
        },
        data=("points",),
    )


def list_length(scores: Scores, effort: Measure) -> int | None:
    """The number of documents that lists are filled up to, if the measure of effort fills them up."""
    length = scores.provenance.measure(str(effort)).N
    return length


def placed(scores: Scores, effort: Measure, gain: Measure, method: str) -> Quadrants:
    """The quadrants of all runs and topics, run by run; topics that do not count are undefined."""
    values = (scores.values[:, scores.measures.index(str(m))] for m in (effort, gain))
    x, y = (np.where(scores.counted, each, np.nan) for each in values)
    return quadrants(x, y, method=method)


def quadrant_rows(gain: Measure, quadrants: Quadrants) -> list[list[Cell]]:
    """The shares of the sixteen quadrants, the highest gain first, as in the plots."""
    cuts = [None, *quadrants.cuts, None]
    percent = (100 * quadrants.shares).tolist()
    return [[str(gain), GAINS[row], cuts[row], cuts[row + 1], *percent[row]] for row in (3, 2, 1, 0)]


def share_row(gain: Measure, quadrants: Quadrants) -> list[Cell]:
    """The number of points, and the shares on the diagonal and in the high-high quadrants."""
    undefined = len(quadrants.row) - quadrants.placed
    return [str(gain), quadrants.placed, undefined, 100 * quadrants.diagonal, 100 * quadrants.high_high]


def point_rows(scores: Scores, gain: Measure, quadrants: Quadrants) -> list[list[Cell]]:
    """(measure, run, topic, Twist, gain, its quadrant) of every point."""
    pairs = [(run, topic) for run in scores.runs for topic in scores.topics]
    values = zip(pairs, quadrants.effort.tolist(), quadrants.gain.tolist(), quadrants.cells, strict=True)
    return [[str(gain), *pair, x, y, *cell] for pair, x, y, cell in values if cell is not None]
