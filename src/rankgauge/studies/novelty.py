"""The studies of Clarke et al. 2008: the reversed ideal (figure 2), what alpha does to gains (figure 3)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.schema.parameters import Number, Whole
from rankgauge.studies.parameters import Several
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

SIGNIFICANT = 0.05
CITE = "Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008"
Alphas = Annotated[tuple[float, ...], Several(Number(0, 1)), "the values of alpha that are looked at"]


@dataclass(frozen=True)
class RunName:
    """The name of a run."""

    words = "the name of a run"

    def read(self, value: Any) -> str:
        """The name, if it can be one."""
        if not isinstance(value, str) or not value:
            raise ValueError
        return value

    def write(self, value: Any) -> str:
        """The name itself."""
        return str(value)


@study(
    "reversed-ideal",
    title="What the worst order of relevant documents scores",
    cite=f"{CITE}, section 6.1 and figure 2",
    example="qrels.diversity.txt runs/*.run --values 0,0.5,1 --depth 20",
    diverse=True,
)
def reversed_ideal(
    campaign: "Campaign",
    *,
    values: Alphas = (0.0, 0.25, 0.5, 0.75, 0.99),
    depth: Annotated[int, Whole(1), "the last rank"] = 100,
) -> "Findings":
    """How much of alpha-nDCG is a matter of order alone: relevant documents come first, in the worst order.

    To a measure that knows of relevant documents only, this ranking is as good as the ideal one. It takes, at
    each rank, the document with a nugget that adds the least. Runs are of no account.
    """
    from rankgauge.model.tables import Table
    from rankgauge.schema.text import format_number
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.novelty import reversed_vectors

    names = [f"alpha {format_number(alpha)}" for alpha in values]
    vectors = [reversed_vectors(campaign.qrels, alpha, depth, campaign.rules) for alpha in values]
    lowest = [vector.index(min(vector)) for vector in vectors]
    return Findings(
        sentences=[
            f"With {name} the lowest mean is {vector[rank]:.4f}, at rank {rank + 1}."
            for name, vector, rank in zip(names, vectors, lowest, strict=True)
        ],
        tables={
            "ranks": Table(
                ("rank", *names),
                [(rank, *(vector[rank - 1] for vector in vectors)) for rank in range(1, depth + 1)],
            )
        },
        captions={"ranks": "Mean alpha-nDCG of the reversed ideal ranking at each rank."},
    )


@study(
    "alpha",
    title="What alpha does to the gain over a baseline",
    cite=f"{CITE}, section 6.2 and figure 3",
    example="qrels.diversity.txt runs/*.run --values 0,0.5,1 --depths 10,20",
    diverse=True,
    least_runs=2,
)
def alpha(
    campaign: "Campaign",
    *,
    baseline: Annotated[
        str | None, RunName(), "the run that others are compared with; if not given, the first"
    ] = None,
    values: Alphas = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    depths: Annotated[tuple[int, ...], Several(Whole(1)), "the cutoffs of alpha-nDCG"] = (
        10,
        20,
        30,
        50,
        100,
    ),
) -> "Findings":
    """By how many per cent runs are better than a baseline in alpha-nDCG, as novelty comes to count.

    With alpha = 0 repeating what was seen costs nothing; with alpha = 1 it is worth nothing. Beside each
    percentage stands the p-value of a two-sided paired t-test over topics.
    """
    from rankgauge.comparison import compare
    from rankgauge.measures import parse
    from rankgauge.model.tables import Table
    from rankgauge.schema.text import format_number
    from rankgauge.studies.findings import Findings

    measures = {
        (alpha, depth): str(parse(f"alpha_nDCG(alpha={format_number(alpha)})@{depth}"))
        for depth in depths
        for alpha in values
    }
    scores = campaign.scores(list(measures.values()))
    base = campaign.runs[0] if baseline is None else campaign.only([baseline]).runs[0]
    compared = compare(scores, baseline=base, correction="none")
    gains = [
        (pair.run, depth, alpha, pair.mean_against, pair.mean, pair.percent, pair.p)
        for run in range(len(scores.runs) - 1)
        for (alpha, depth), text in measures.items()
        for pair in [compared[text].pairs[run]]
    ]
    better, worse = (sum(1 for *_, gain, p in gains if p < SIGNIFICANT and way * gain > 0) for way in (1, -1))
    return Findings(
        settings={"baseline": base},
        sentences=[
            f"Of {len(gains)} comparisons with {base}, {better} are better and {worse} worse "
            f"(two-sided paired t-test, p < {SIGNIFICANT}, not corrected for their number)."
        ],
        tables={
            "gains": Table(
                ("run", "depth", "alpha", "baseline", "mean", "gain in %", "p"),
                gains,
            )
        },
        captions={"gains": "Mean alpha-nDCG at a depth, beside that of the baseline."},
    )
