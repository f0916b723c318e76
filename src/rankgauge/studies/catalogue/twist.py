"""The study `twist`: the experiment of the Twist paper, on any collection."""

from typing import Annotated

from rankgauge.engines.facts import other_reading
from rankgauge.errors import InputError
from rankgauge.measures import Measure, parse_all
from rankgauge.measures.effort import CITE, Crossing, Length
from rankgauge.model.notes import on_reading
from rankgauge.model.output.tables import Table
from rankgauge.schema.parameters import Whole
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.catalogue.archetypes import archetype_numbers, table_2
from rankgauge.studies.catalogue.correlation import correlation
from rankgauge.studies.catalogue.effort_gain import (
    QUADRANT_HEADERS,
    SHARE_HEADERS,
    placed,
    quadrant_rows,
    share_row,
)
from rankgauge.studies.catalogue.power import power
from rankgauge.studies.catalogue.robustness import robustness
from rankgauge.studies.effort import NO_ARCHETYPE
from rankgauge.studies.findings import Findings
from rankgauge.studies.options import SEED, QuartileMethod, Seed
from rankgauge.studies.registry import study
from rankgauge.studies.tau_test import RULE, significance


@study(
    "twist",
    title="The experiment of the Twist paper",
    cite=f"{CITE}, sections Run archetypes, Effort/gain plots and Experiments",
    example="qrels.txt runs/*.run --samples 200 --crossing matters",
)
def twist(
    campaign: Campaign,
    *,
    N: Length | None = None,
    crossing: Crossing = "return",
    method: QuartileMethod = "linear",
    samples: Annotated[int, Whole(10), "samples of topics for discriminative power"] = 1000,
    shuffles: Annotated[int, Whole(1), "how often judgments are shuffled for robustness"] = 1,
    seed: Seed = SEED,
) -> Findings:
    """Archetypes, effort and gain, correlations, robustness and discriminative power, as in the paper.

    For AP, Bpref and RBP (p = 0.8) every grade from 1 is relevant; nDCG has base 10 and cutoff N, and the
    paper's weights, 5 × the level, cancel out. Archetypes and quadrants cover all runs, the rest only the
    best three quarters of them by MAP.
    """
    numbers = archetype_numbers(campaign, N, crossing, 1.0)
    if (numbers == NO_ARCHETYPE).all():
        raise InputError("no topic has relevant documents, so no run has an archetype")
    length = campaign.longest if N is None else N
    gains = parse_all(f"AP Bpref RBP(p=0.8) nDCG(base=10)@{length}")
    (tau,) = parse_all(f"Twist(N={length},crossing={crossing})")
    scores = campaign.scores([tau, *gains])
    other = on_readings(campaign, tau)
    quadrants = {gain: placed(scores, tau, gain, method) for gain in gains}

    chosen = campaign.select(setting="twist")
    tables = {
        "archetypes": table_2(numbers),
        "effort_gain": Table(SHARE_HEADERS, [share_row(g, q) for g, q in quadrants.items()]),
        "quadrants": Table(
            QUADRANT_HEADERS, [row for g, q in quadrants.items() for row in quadrant_rows(g, q)]
        ),
    }
    captions = {
        "archetypes": "Table 2: per cent of runs and topics; excellent includes ups-and-downs.",
        "effort_gain": "Figures 7 to 10: per cent on the diagonal, and with high gain at high effort.",
        "quadrants": "Per cent of the points in each quadrant; rows by the quartiles of the gain.",
    }
    if len(chosen.runs) > 1:
        findings = correlation(chosen, measures=scores.measures, samples=0)
        tables["correlation"], tables["correlation_p"] = findings.table("tau_b"), findings.table("p")
        captions["correlation"] = (
            f"Tables 3 and 4: Kendall's τ-b between the orders of the best runs. {RULE} "
            f"{significance(len(chosen.runs))}"
        )
        captions["correlation_p"] = "Tables 3 and 4: the p-value of each τ, two-sided."
        findings = robustness(chosen, measures=scores.measures, shuffles=shuffles, seed=seed)
        tables["robustness"] = findings.table("samples")
        captions["robustness"] = "Figure 13: τ-b to the order by all judgments, with only a share of them."
    if len(chosen.runs) > 1 and len(chosen.topics) > 1:
        findings = power(chosen, measures=scores.measures, alphas=0.05, samples=samples, seed=seed)
        tables["power"] = findings.table("power")
        captions["power"] = (
            "Figure 14: pairs of the best runs that differ significantly, by the bootstrap; sd: over repeats."
        )
    return Findings(
        settings={"N": length, "measures": scores.measures, "compared": len(chosen.runs)},
        sentences=[
            f"{len(chosen.runs)} of {len(campaign.runs)} runs, the best by MAP, are compared.",
            *other,
            *(
                f"{gain}: {100 * q.diagonal:.1f} % of the points are on the diagonal, "
                f"{100 * q.high_high:.1f} % have high gain at high effort."
                for gain, q in quadrants.items()
            ),
        ],
        tables=tables,
        captions=captions,
    )


def on_readings(campaign: Campaign, measure: Measure) -> list[str]:
    """A sentence on another reading of the measure's definition; none if all values are the same."""
    other = measure.other_reading
    if other is None:
        return []
    scores = campaign.scores([measure, other])
    means, others = ([of_run[text] for of_run in scores.mean().values()] for text in scores.measures)
    facts = other_reading(str(other), scores.values[:, 0], scores.values[:, 1], means, others)
    return [f"{on_reading(str(measure), facts)}."] if facts.differing else []
