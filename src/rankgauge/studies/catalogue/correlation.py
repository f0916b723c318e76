"""The study `correlation`: how similarly measures order the runs."""

import itertools
from typing import TYPE_CHECKING, Annotated

from rankgauge.measures import Measure
from rankgauge.schema.parameters import Number, Whole
from rankgauge.studies.options import AP, SEED, Measures, OneMeasure, Seed
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings


@study(
    "correlation",
    title="Rank correlation of measures",
    cite="Kendall 1948; Yilmaz, Aslam and Robertson 2008 (tau_AP); Vigna 2015 (weighted tau); Webber, Moffat "
    "and Zobel 2010 (RBO); Sakai 2006 (sweeps)",
    example='qrels.txt runs/*.run -m "AP Q(beta=1|0.1|10|100) nDCG(base=2|10|100)" --samples 200',
    least_runs=2,
)
def correlation(
    campaign: "Campaign",
    *,
    measures: Measures = None,
    reference: Annotated[Measure, OneMeasure(), "the measure that sweeps are compared with"] = AP,
    samples: Annotated[int, Whole(0), "samples of topics for intervals; 0 for no intervals"] = 1000,
    level: Annotated[float, Number(0, 1, above=True, below=True), "confidence level of the intervals"] = 0.95,
    p: Annotated[float, Number(0, 1, above=True, below=True), "persistence of RBO"] = 0.9,
    seed: Seed = SEED,
) -> "Findings":
    """How similarly measures order the runs: Kendall's τ-a and τ-b, τ_AP, weighted τ and RBO of every two.

    Intervals of τ-b come from bootstrap samples of topics. Measures of one name with several settings, as in
    a grid, form a sweep: its table has τ-b to the reference and to the first of them. Runs with equal means
    tie: τ-a counts such a pair as neither concordant nor discordant, τ-b leaves it out, τ_AP is the mean over
    all orders of tied runs, weighted τ leaves it out and ranks tied runs by the other measure, and in RBO
    tied runs share the first of their ranks.
    """
    from rankgauge.errors import InputError
    from rankgauge.model.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.matrices import oriented_means
    from rankgauge.studies.numerics.rank_correlation import intervals, rbo, tau_ap, tau_w, taus

    scores = campaign.scores(measures)
    if len(scores.measures) < 2:
        raise InputError(f"a correlation needs at least 2 measures, not only {scores.measures[0]}; add one")
    means, names = oriented_means(scores), scores.measures
    a, b = taus(means, "a").tolist(), taus(means, "b").tolist()
    low, high = (bound.tolist() for bound in intervals(scores, samples, level, seed))
    ap = [[tau_ap(x, y) for y in means] for x in means]
    of_other = [*map(list, zip(*ap, strict=True))]
    weighted = [[tau_w(x, y) for y in means] for x in means]
    overlap = [[rbo(x, y, p) for y in means] for x in means]

    def matrix(values: "list[list[float]]") -> "Table":
        return Table(("measure", *names), [[name, *row] for name, row in zip(names, values, strict=True)])

    tables = {
        "tau_b": matrix(b),
        "pairs": Table(
            (
                "measure",
                "other",
                "tau_a",
                "tau_b",
                "low",
                "high",
                "tau_ap",
                "tau_ap of other",
                "tau_w",
                "rbo",
            ),
            [
                (
                    names[i],
                    names[j],
                    *(table[i][j] for table in (a, b, low, high, ap, of_other, weighted, overlap)),
                )
                for i, j in itertools.combinations(range(len(names)), 2)
            ],
        ),
        "tau_a": matrix(a),
        "tau_ap": matrix(ap),
        "tau_w": matrix(weighted),
        "rbo": matrix(overlap),
    }
    sentences = [f"{len(campaign.runs)} runs, ordered by {len(names)} measures."]
    if samples:
        sentences.append(f"Intervals contain {level:.0%} of {samples} samples of topics, seed {seed}.")
    base = str(reference)
    sweep = _sweeps(names)
    if sweep and base in names:
        r = names.index(base)
        tables["sweep"] = Table(
            (
                "measure",
                f"tau_b to {base}",
                "low",
                "high",
                "first",
                "tau_b to first",
                "low to it",
                "high to it",
            ),
            [
                [names[i], b[i][r], low[i][r], high[i][r], names[f], b[i][f], low[i][f], high[i][f]]
                for i, f in sweep
            ],
        )
    return Findings(
        settings={"measures": names},
        sentences=sentences,
        tables=tables,
        captions={
            "tau_b": "Kendall's τ-b.",
            "pairs": "Every two measures; low and high: interval of τ-b; τ_AP with the other as reference.",
            "tau_a": "Kendall's τ-a.",
            "tau_ap": "τ_AP of the order by the measure in the row, with that in the column as reference.",
            "tau_w": "Weighted τ: an exchange of two runs weighs the more, the better they are.",
            "rbo": f"Rank-biased overlap, p = {p}, extrapolated.",
            **(
                {"sweep": f"Settings of one measure, compared with {base} and with the first of them."}
                if sweep
                else {}
            ),
        },
        data=("tau_a", "tau_ap", "tau_w", "rbo"),
    )


def _sweeps(names: "tuple[str, ...]") -> "list[tuple[int, int]]":
    """(place, place of the first of that name) of measures whose name occurs several times."""
    stems = [name.partition("(")[0].partition("@")[0] for name in names]
    return [(place, stems.index(stem)) for place, stem in enumerate(stems) if stems.count(stem) > 1]
