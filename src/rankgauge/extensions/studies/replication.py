"""A run and its reproduction: are the documents, the values and the effect over a baseline the same?

KTU, RBO, RMSE, the effect ratio and ΔRI are those of Breuer et al. 2020 (How to measure the reproducibility
of system-oriented IR experiments), with intervals over topics, and a test of equivalence: that another test
finds no difference does not show that there is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.comparison.result import p_text
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.errors import OptionError
from rankgauge.explanation.ways import single_run
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.output.tables import Cell, Shown, Table
from rankgauge.model.provenance import bounds_by_name
from rankgauge.model.rules import Inputs, Reading
from rankgauge.numbers.bootstrap import TopicBootstrap
from rankgauge.numbers.intervals import LEVEL, deviation, one_sided, t_quantile, t_tail
from rankgauge.numbers.matrices import matrix
from rankgauge.numbers.rank_correlation import rbo_of_rankings, taus
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import Number, Whole

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

ORIGINAL, AGAIN, BASELINE, BASELINE_AGAIN = ROLES = ("original", "again", "baseline", "baseline again")


def replicate(
    qrels: Any,
    original: Any,
    again: Any,
    measures: Any = SEVERAL,
    *,
    baseline: Any = None,
    baseline_again: Any = None,
    margin: Annotated[
        float | None, Number(0, above=True), "a difference of means that does not matter, if smaller"
    ] = None,
    depth: Annotated[int, Whole(1), "how many documents of each ranking are compared"] = 1000,
    samples: Annotated[int, Whole(2), "random samples of topics for intervals"] = 1000,
    seed: Annotated[int, Whole(0), "seed of these samples"] = 1,
    **options: Unpack[Inputs],
) -> Findings:
    """How alike a run and its reproduction are on the same topics: in documents, values, and effect.

    `baseline` is what the original run improves on; the reproduction has a `baseline_again` of its own, or
    the same. Means that differ by less than `margin` are the same for your purpose: then it is tested whether
    they do. The tables are `order`, `values` and, with a baseline, `effect`.

    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> found = replicate(qrels, {"q1": ["d1", "d3"], "q2": ["d3", "d2"]}, {"q1": ["d1"], "q2": ["d2"]}, "RR")
    >>> [(row["measure"], row["original"], row["again"]) for row in found.records("values")]
    [('RR', 0.75, 1.0)]
    """
    if baseline is None and baseline_again is not None:
        raise OptionError("a baseline of the reproduction needs that of the original run, to compare effects")
    given = dict(zip(ROLES, (original, again, baseline, baseline_again), strict=True))
    reading = Reading.of(options)
    runs = [
        single_run(resolve_runs(run, reading), f"{role} must be one run")._replace(name=role)
        for role, run in given.items()
        if run is not None
    ]
    campaign = Campaign(qrels, runs, **options)
    campaign.require_topics("a reproduction")
    scores = campaign.scores(measures)
    bootstrap = TopicBootstrap(whole_number("samples", samples, 2), whole_number("seed", seed, 0))
    order = [_order(campaign, topic, whole_number("depth", depth, 1)) for topic in campaign.topics]
    values: list[list[Cell]] = []
    effects: list[list[Cell]] = []
    for measure in scores.measures:
        by_run = dict(zip(campaign.runs, matrix(scores, measure), strict=True))
        values.append([measure, *_values(by_run, bounds_by_name(measure), margin, bootstrap)])
        if baseline is not None:
            effects.append([measure, *_effect(by_run, bootstrap)])
    alike: list[list[Cell]] = [
        [name, *_over_topics(np.array(column), bootstrap)]
        for name, column in zip(("KTU", "RBO"), zip(*order, strict=True), strict=True)
    ]
    ends = ("low", "high")
    headers = ("measure", ORIGINAL, AGAIN, "difference", *ends, "p", "RMSE", "RMSE low", "RMSE high", "nRMSE")
    tested = () if margin is None else ("p of equivalence", "verdict")
    tables = {
        "order": Table(("similarity", "mean", *ends), alike),
        "values": Table((*headers, *tested), values),
        "effect": Table(
            ("measure", "improvement", "again", "ER", "ER low", "ER high", "ΔRI", "ΔRI low", "ΔRI high"),
            effects,
        ),
        "topics": Table(
            ("topic", "KTU", "RBO"),
            [[topic, *each] for topic, each in zip(campaign.topics, order, strict=True)],
        ),
    }
    if baseline is None:
        del tables["effect"]
    return Findings(
        title="A run and its reproduction",
        settings={run.name: run.source for run in runs}
        | {"margin": margin, "depth": depth, "samples": samples, "seed": seed, **campaign.settings},
        sentences=[_sentence(each, margin) for each in values],
        tables=tables,
        captions=_CAPTIONS,
        data=("topics",),
    )


_CAPTIONS = {
    "order": "Kendall's τ of the union of documents, and rank-biased overlap: 1 for the same ranking; means "
    f"over topics with their {100 * LEVEL:g} % intervals.",
    "values": "Means, their difference with a paired t-test, and the root of the mean squared difference of "
    "topics; nRMSE is its share of the largest possible one.",
    "effect": "The improvement over the baseline by the original run and again; ER is their ratio (1: the "
    "same effect), with Fieller's interval, undefined where the original run is not significantly different "
    "from its baseline; ΔRI is the relative improvement less that again (0: the same).",
    "topics": "KTU and RBO of each topic.",
}


def _sentence(row: Sequence[Any], margin: float | None) -> str:
    measure, original, again = row[:3]
    means = f"{measure}: {original:.4f} and again {again:.4f}"
    if margin is None:
        return f"{means}, p {row[6].text if isinstance(row[6], Shown) else row[6]}."
    words = {"same": "the same", "different": "different", "undecided": "not decided"}
    return f"{means}: {words[row[-1]]} within a margin of {margin:g}."


def _order(campaign: Campaign, topic: str, depth: int) -> tuple[float, float]:
    """(KTU, RBO) of the first documents of a topic."""
    one, other = (campaign.ranking(run, topic).texts[:depth] for run in (ORIGINAL, AGAIN))
    return tau_of_union(one, other), rbo_of_rankings(one, other)


def _over_topics(values: Floats, bootstrap: TopicBootstrap) -> tuple[float, float, float]:
    """(mean, low, high) of the topics that have a value."""
    known = values[~np.isnan(values)]
    if not len(known):
        return math.nan, math.nan, math.nan
    return bootstrap.interval(_mean, np.stack([known, np.ones(len(known))], axis=1))


def tau_of_union(one: Sequence[str], other: Sequence[str]) -> float:
    """Kendall's τ union: between the places that documents have in the union, in the order of both rankings.

    The union has the first ranking, then what the second adds; of the longer ranking, the beginning counts.
    """
    place = {document: number for number, document in enumerate(dict.fromkeys([*one, *other]))}
    size = min(len(one), len(other))
    if one == other:
        return 1.0 if one else math.nan
    numbers = [[place[document] for document in ranking[:size]] for ranking in (one, other)]
    return float(taus(np.array(numbers, dtype=np.float64))[0][0, 1]) if size > 1 else math.nan


def _values(
    by_run: dict[str, Floats], bounds: tuple[float, float], margin: float | None, bootstrap: TopicBootstrap
) -> list[Cell]:
    one, other = by_run[ORIGINAL], by_run[AGAIN]
    difference, topics = other - one, len(one)
    mean, error = float(difference.mean()), float(deviation(difference)) / math.sqrt(topics)
    reach = t_quantile(1 - LEVEL, topics - 1) * error
    p = 1.0 if not difference.any() else float(t_tail(np.array([mean / error]), topics - 1)[0])
    squares = np.stack([difference**2, np.ones(topics)], axis=1)
    rmse = bootstrap.interval(lambda sums: np.sqrt(_mean(sums)), squares, math.inf)
    most = math.sqrt(float((np.maximum(one, 1 - one) ** 2).mean())) if bounds == (0, 1) else math.nan
    cells: list[Cell] = [float(one.mean()), float(other.mean()), mean, mean - reach, mean + reach]
    cells += [Shown(p, p_text(p)), rmse[0], max(0.0, rmse[1]), rmse[2], rmse[0] / most]
    if margin is not None:
        both = one_sided(np.array([mean]), np.array([error]), topics - 1, margin).max()
        same = float(both) if error else float(abs(mean) >= margin)
        verdict = "same" if same < 1 - LEVEL else "different" if p < 1 - LEVEL else "undecided"
        cells += [Shown(same, p_text(same)), verdict]
    return cells


def _mean(sums: Floats) -> Floats:
    mean: Floats = sums[..., 0] / sums[..., 1]
    return mean


def _effect(by_run: dict[str, Floats], bootstrap: TopicBootstrap) -> list[Cell]:
    base, base_again = by_run[BASELINE], by_run.get(BASELINE_AGAIN, by_run[BASELINE])
    gain, gain_again = by_run[ORIGINAL] - base, by_run[AGAIN] - base_again
    sums = np.stack([gain, base, gain_again, base_again], axis=1)
    relative = bootstrap.interval(
        lambda total: total[..., 0] / total[..., 1] - total[..., 2] / total[..., 3], sums, math.inf
    )
    return [float(gain.mean()), float(gain_again.mean()), *ratio(gain_again, gain), *relative]


def ratio(above: Floats, below: Floats) -> tuple[float, float, float]:
    """(ratio of means, low, high) by Fieller's theorem; no ends where the mean below may be 0."""
    topics = len(above)
    one, other = float(above.mean()), float(below.mean())
    if topics < 2 or not other:
        return math.nan, math.nan, math.nan
    squared = t_quantile(1 - LEVEL, topics - 1) ** 2 / topics
    (a, both), (_, b) = squared * np.cov(above, below)
    square, middle, rest = other**2 - b, one * other - both, one**2 - a
    if square <= 0:
        return one / other, math.nan, math.nan
    reach = math.sqrt(max(0.0, middle**2 - square * rest))
    return one / other, float((middle - reach) / square), float((middle + reach) / square)
