"""What a gain costs in effort, and the shapes of effort: archetypes and effort/gain plots."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures import Measure, parse, parse_all
from rankgauge.measures.effort.misplacing import CITE, Crossing, Length
from rankgauge.schema.parameters import Number, Word
from rankgauge.studies.parameters import MeasuresKind
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

GAINED = parse_all(
    "AP Bpref RBP nDCG(base=10)"
)  # the paper's; its weights 5 × level are of no account to nDCG
Method = Annotated[
    str, Word(("linear", "hazen")), "how quartiles of gains are taken; hazen is that of MATLAB"
]
Level = Annotated[float, Number(), "the smallest grade that counts as relevant"]


@study(
    "archetypes",
    title="Archetypes of effort",
    cite=f"{CITE}, section Run archetypes and table 2",
    example="qrels.txt runs/*.run --crossing return",
)
def archetypes(
    campaign: "Campaign", *, N: Length | None = None, crossing: Crossing = "return", rel: Level = 1.0
) -> "Findings":
    """Which shape the CRP curve of each run and topic has: ideal, typical, excellent, ... and how often.

    The table `collection` is the paper's table 2, in per cent, where excellent holds ups-and-downs, too.
    """
    from rankgauge.errors import InputError
    from rankgauge.model.tables import Cell, Table
    from rankgauge.studies.effort.archetypes import CONFLATED, NAMES, NONE
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics import effort

    numbers = effort.archetypes(campaign, N, crossing, rel)
    total = int((numbers != NONE).sum())
    if not total:
        raise InputError(f"no topic has relevant documents (rel={rel:g}), hence no run has an archetype")
    points: list[list[Cell]] = [
        [run, topic, NAMES[n], CONFLATED.get(NAMES[n], NAMES[n])]
        for run, row in zip(campaign.runs, numbers.tolist(), strict=True)
        for topic, n in zip(campaign.topics, row, strict=True)
        if n != NONE
    ]
    typical = sum(name.startswith("typical") for _, _, name, _ in points)  # type: ignore[union-attr]
    left_out = numbers.size - total
    sentences = [f"{typical} of {total} runs and topics are typical, {100 * typical / total:.1f} %."]
    if left_out:
        sentences.append(f"{left_out} are left out: nothing is relevant there, or they do not count.")
    return Findings(
        settings={"N": campaign.longest if N is None else N},
        sentences=sentences,
        tables={
            "shares": effort.shares(numbers),
            "collection": effort.table_2(numbers, campaign.runs),
            "points": Table(("run", "topic", "archetype", "conflated"), points),
        },
        captions={
            "shares": "How often each shape is there, over all runs and topics.",
            "collection": "Table 2 of the paper: per cent of topics; excellent holds ups-and-downs, too.",
            "points": "The shape of each run and topic.",
        },
        data=("points",),
    )


@study(
    "effort-gain",
    title="Effort and gain",
    cite=f"{CITE}, section Effort/gain plots",
    example='qrels.txt runs/*.run -m "AP nDCG(base=10)"',
)
def effort_gain(
    campaign: "Campaign",
    *,
    measures: Annotated[tuple[Measure, ...], MeasuresKind(), "the measures of gain"] = GAINED,
    effort: Annotated[tuple[Measure, ...], MeasuresKind(), "the measure of effort, from 0 to 1"] = (
        parse("Twist(crossing=return)"),
    ),
    method: Method = "linear",
) -> "Findings":
    """What gain costs: each run and topic is a point, in one of sixteen quadrants of effort and gain.

    Columns are by Twist at 0.25, 0.5 and 0.75, rows by the quartiles of the gain over all points. On the
    diagonal both say the same; points of high gain at high effort only both together tell apart.
    """
    from rankgauge.errors import OptionError
    from rankgauge.model.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics import effort as working

    if len(effort) > 1:
        raise OptionError(f"effort must be one measure, not {len(effort)}")
    for gain in measures:
        if gain.spec.direction < 1:
            raise OptionError(f"{gain} is no gain, for more of it is not better; choose another measure")
    scores = campaign.scores([*effort, *measures])
    found = {gain: working.placed(scores, effort[0], gain, method) for gain in measures}
    points = [row for gain, each in found.items() for row in working.point_rows(scores, gain, each)]
    both = [row for row in points if row[-2] in ("high", "huge") and row[-1] in ("high", "huge")]
    sentences = [
        f"{gain}: {100 * each.diagonal:.1f} % of the points are on the diagonal, "
        f"{100 * each.high_high:.1f} % have high gain at high effort."
        for gain, each in found.items()
    ]
    return Findings(
        settings={"N": scores.provenance.measure(str(effort[0])).N},
        sentences=sentences,
        tables={
            "shares": Table(
                working.SHARE_HEADERS, [working.share_row(gain, each) for gain, each in found.items()]
            ),
            "quadrants": Table(
                working.QUADRANT_HEADERS,
                [row for gain, each in found.items() for row in working.quadrant_rows(gain, each)],
            ),
            "together": Table(
                working.POINT_HEADERS, sorted(both, key=lambda row: (str(row[0]), -float(row[4] or 0)))
            ),
            "points": Table(working.POINT_HEADERS, points),
        },
        captions={
            "shares": "Per cent of the points on the diagonal, and in the high-high quadrants.",
            "quadrants": "Per cent of the points in each quadrant; rows by the quartiles of the gain.",
            "together": "Points of high or huge gain at high or huge effort, the highest gain first.",
            "points": "Every point, for a plot.",
        },
        data=("points",),
    )
