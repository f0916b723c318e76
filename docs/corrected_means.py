"""Simulate means that human judgments correct, for docs/studies/levels.md: errors, and what intervals hold.

python docs/corrected_means.py           simulate anew (some minutes), with the real data in RANKGAUGE_DATA
python docs/corrected_means.py figure    draw docs/how-to/llm-coverage.svg from the last simulation
"""

import itertools
import json
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gallery import shrink
from scipy.special import expit, stdtr
from scipy.stats import kendalltau
from writers.markup import table

from rankgauge import Scores, compare, evaluate, figures
from rankgauge.comparison.corrections import correct
from rankgauge.comparison.registry import TestOptions
from rankgauge.extensions.judging.corrected_means import (
    MIN_DIFFERING,
    MIN_FITTED,
    MIN_HUMAN,
    corrected_means,
    fitted_factor,
    half_width,
    shrunken_means,
)
from rankgauge.extensions.judging.corrected_scores import CorrectedScores
from rankgauge.extensions.judging.corrected_test import corrected_t
from rankgauge.model.output.tables import Table
from rankgauge.model.rules import ESTIMATOR, bounded
from rankgauge.numbers.differences import Floats, all_pairs

HERE = Path(__file__).parent
RATES, FIGURE = HERE / "studies" / "corrected-means.json", HERE / "how-to" / "llm-coverage.svg"
DATA = Path(os.environ.get("RANKGAUGE_DATA", HERE.parents[1] / "shared" / "data"))
ALPHA, SEED, RUNS, CAMPAIGNS, DRAWS = 0.05, 7, 10, 400, 400
WORTH = -0.7  # the mean logit of a value by human judgments: values are 0.37 on average
LIMIT = 3.0  # standard errors that chance may be away
HUMAN, TOPICS = (8, 10, 20, 40), (50, 200)
DRAWN = (8, 10, 15, 20, 30)  # of the topics of DL 2021
JUDGES = {
    "noisy": "errors on every topic and run",
    "lenient": "the same, and values that are too high",
    "lenient to some runs": "the same, for half of the runs",
    "biased to its family": "the same, for three runs, by another amount on each topic",
}
SPARSE = {  # judges of documents, from which sparse measures are computed
    "noisy labels": "miss a relevant document in ten, and add another in five",
    "labels lenient to some runs": "the same, and add three in ten of those that half of the runs rank",
    "labels wrong on few topics": "are as by people, but on a topic in ten three runs find nothing",
}
MEASURES = ("RR", "P@1", "Success@5", "AP@10")
FEW = (8, 10, 15, 20, 30)  # human topics of 50
REAL = {"gpt-4o": "dl21.gpt-4o.umbrela", "llama3.2": "dl21.llama3.2.umbrela.repeated"}
REAL_MEASURES = "RR RR(rel=2)@10 P(rel=2)@1 Success(rel=2)@5 AP(rel=2)@10"
ORDERED_MEASURES, ORDERED = "nDCG@10 AP P(rel=2)@10 RR", (8, 20)  # measures, human topics
ORDERS = ("LLM only", "human only", "corrected", "shrunken")
SHORT = 0.02  # of their level: intervals that the page names
RULES = ("before", "now")
TARGETS = {"these": "DL 2021", "like-these": "DL 2021, topics like these"}
RATED = ("pairs", "campaigns", "all intervals", "means")
METHODS = ("LLM only", "human only", *ESTIMATOR.rules)

Cell = tuple[str, str, int, int]  # (judge, estimator, human topics, topics)
Key = tuple[str, str, int, int, str]  # of a cell, with what is rated


def judged(judge: str, human: Floats, source: np.random.Generator) -> Floats:
    """The logits of values by LLM judgments, from those by human judgments, (runs, topics)."""
    llm: Floats = human + source.normal(0, 0.7, human.shape) + source.normal(0, 0.5, human.shape[1])
    if judge == "lenient":
        llm += 1.0
    elif judge == "lenient to some runs":
        llm[::2] += 1.0
    elif judge == "biased to its family":
        llm[:3] += np.abs(source.normal(0, 1, human.shape[1]))
    return llm


def campaign(cell: Cell, number: int, seed: int = SEED) -> tuple[Floats, Floats]:
    """(by LLM, by human judgments): values of runs that do not differ; NaN for topics not drawn.

    By human judgments they are as in docs/levels.py, but lower on average.
    """
    judge, _, drawn, topics = cell
    source = np.random.default_rng([seed, [*JUDGES].index(judge), drawn, topics, number])
    human = WORTH + source.normal(0, 1, topics) + source.normal(0, 1, (RUNS, topics))
    llm = judged(judge, human, source)
    human[:, source.permutation(topics)[drawn:]] = np.nan
    return expit(llm), expit(human)


def trial(cell: Cell, count: int, seed: int = SEED) -> dict[str, tuple[float, float]]:
    """{what: (share, standard error)}: errors of pairs and of campaigns, and what intervals hold."""
    _, estimator, _, topics = cell
    any_scores = Scores.from_table({"r": {f"{topic:03}": 0.5 for topic in range(topics)}}, "nDCG@10")
    scores = CorrectedScores.of(any_scores, any_scores, estimator=estimator)
    first, second = all_pairs(RUNS)
    options = TestOptions(ALPHA, simultaneous=len(first))
    points, weights = np.polynomial.hermite_e.hermegauss(50)
    mean = float(weights @ expit(WORTH + math.sqrt(2) * points) / weights.sum())
    shares = []
    for number in range(count):
        llm, human = campaign(cell, number, seed)
        found = corrected_t(scores, llm, human, first, second, options)
        means = scores.corrected(llm, human, scores.factor(llm, human))
        ends = map(bounded, means.estimate, means.half(1 - ALPHA), [(0.0, 1.0)] * RUNS)
        shares.append(
            (
                (found.p < ALPHA).mean(),
                (correct(found.p, "holm") < ALPHA).any(),
                (np.abs(found.difference) <= found.half).all(),
                np.mean([low <= mean <= high for low, high in ends]),
            )
        )
    values = np.array(shares, dtype=np.float64)
    spread = values.std(axis=0, ddof=1) / math.sqrt(count)
    spread[1:3] = math.sqrt(ALPHA * (1 - ALPHA) / count)  # at the level itself
    return dict(zip(RATED, zip(values.mean(axis=0).tolist(), spread.tolist(), strict=True), strict=True))


def sparse_campaign(judge: str, number: int, topics: int = TOPICS[0], seed: int = SEED) -> tuple[Any, Any]:
    """({measure: (runs, topics)} by LLM, the same by human judgments) of runs that do not differ.

    Runs rank 30 documents by their relevance and by errors, half of which they share.
    """
    source = np.random.default_rng([seed, [*SPARSE].index(judge), number])
    human = source.random((topics, 30)) < expit(source.normal(-0.5, 1, (topics, 1)))
    errors = source.normal(0, 1, human.shape) + source.normal(0, 1, (RUNS, *human.shape))
    ranked = np.argsort(-(1.5 * human + errors), axis=-1)[..., :10]
    llm = np.where(human, source.random(human.shape) > 0.1, source.random(human.shape) < 0.2)
    rare = judge == "labels wrong on few topics"
    llm = human if rare else llm
    by_llm, by_human = (np.take_along_axis(np.stack([each] * RUNS), ranked, -1) for each in (llm, human))
    if judge == "labels lenient to some runs":
        by_llm[::2] |= source.random(by_llm[::2].shape) < 0.3
    by_llm[:3] &= ~(rare & (source.random((topics, 1)) < 0.1))
    return sparse_values(by_llm, llm.sum(axis=1)), sparse_values(by_human, human.sum(axis=1))


def sparse_values(relevant: Any, known: Any) -> dict[str, Floats]:
    """{measure: (runs, topics)} of the first ten documents; `known` are the relevant ones of each topic."""
    ranks = np.arange(1, 11)
    precision = relevant.cumsum(axis=-1) / ranks
    return {
        "RR": (relevant / ranks).max(axis=-1),
        "P@1": relevant[..., 0].astype(np.float64),
        "Success@5": relevant[..., :5].any(axis=-1).astype(np.float64),
        "AP@10": (precision * relevant).sum(axis=-1) / np.maximum(known, relevant.sum(axis=-1)).clip(1),
    }


def claims(
    llm: Floats, human: Floats, chosen: Any, target: str, truth: Floats, is_wrong: Any
) -> dict[str, tuple[float, float]]:
    """{rule: (whether any claim of a difference is wrong, the share of intervals that hold the truth)}.

    From (runs, topics) values; human judgments of the `chosen` topics are used. `is_wrong` says so of claims
    on pairs, from the estimates. Before, the variance was that seen on the chosen topics alone.
    """
    known = np.full_like(human, np.nan)
    known[:, chosen] = human[:, chosen]
    strata, (first, second) = np.full(llm.shape[1], ""), all_pairs(len(llm))
    factor = fitted_factor(llm, known, strata)
    llm, known = (each[first] - each[second] for each in (llm, known))
    found, plain = (
        corrected_means(llm, known, strata, target=each, factor=factor) for each in (target, "these")
    )
    more = plain.human_variance * llm.shape[1] / (llm.shape[1] - len(chosen)) * len(chosen) / llm.shape[1]
    before = plain.variance + (more if target == "like-these" else 0.0)
    by_rule = {"before": (before, np.full(len(llm), len(chosen) - 1.0)), "now": (found.variance, found.df)}
    wrong: dict[str, tuple[float, float]] = {}
    for rule, (variance, df) in by_rule.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * stdtr(df, -np.abs(found.estimate) / np.sqrt(variance))
        p = np.where(variance > 0, p, np.nan)
        claimed = correct(p, "holm") < ALPHA
        half, has = half_width(variance, df, 1 - ALPHA), ~np.isnan(p)
        held = (np.abs(found.estimate - truth) <= half + 1e-12)[has]
        wrong[rule] = (
            float((claimed & is_wrong(found.estimate)).any()),
            float(held.mean()) if len(held) else np.nan,
        )
    return wrong


def of_means(llm: Floats, human: Floats, chosen: Any, target: str) -> float:
    """The share of intervals that hold the mean of a run, of those that there are."""
    known = np.full_like(human, np.nan)
    known[:, chosen] = human[:, chosen]
    strata = np.full(llm.shape[1], "")
    factor = fitted_factor(llm, known, strata)
    found = corrected_means(llm, known, strata, target=target, factor=factor)
    half = found.half(1 - ALPHA)
    held = (np.abs(found.estimate - human.mean(axis=1)) <= half + 1e-12)[~np.isnan(half)]
    return float(held.mean()) if len(held) else np.nan


def sparse_trial(judge: str, drawn: int, count: int, seed: int = SEED) -> dict[tuple[str, str], Any]:
    """{(measure, target, rule): (share of campaigns with a wrong claim, coverage)} of runs that are alike."""
    first, second = all_pairs(RUNS)
    shares: dict[Any, list[tuple[float, float]]] = {}
    for number in range(count):
        llm, human = sparse_campaign(judge, number, seed=seed)
        chosen = np.random.default_rng([seed, drawn, number]).permutation(TOPICS[0])[:drawn]
        for measure in MEASURES:
            by_llm, by_human = llm[measure], human[measure]
            true = (by_human[first] - by_human[second]).mean(axis=1)
            for target, truth, is_wrong in (
                ("like-these", np.zeros(len(first)), lambda estimate: np.ones(len(estimate), dtype=bool)),
                ("these", true, lambda estimate, true=true: estimate * true <= 0),
            ):
                for rule, found in claims(by_llm, by_human, chosen, target, truth, is_wrong).items():
                    shares.setdefault((measure, target, rule), []).append(found)
    return {key: np.nanmean(rows, axis=0).tolist() for key, rows in shares.items()}


def real_trial(labels: str, count: int = DRAWS, drawn: Any = FEW, seed: int = SEED) -> dict[Any, float]:
    """{(measure, drawn, target, rule): share of draws with a wrong claim} of 15 runs of TREC DL 2021 each.

    A claim for these topics is wrong if people say otherwise, or that runs are equal; one for topics like
    these if people say otherwise, or p > 0.5, by their judgments of all topics. Rule "means": the share of
    intervals of means that hold the mean of these topics by human judgments.
    """
    by_llm, by_human = dl21(REAL_MEASURES, labels)
    first, second = all_pairs(15)
    shares: dict[Any, list[float]] = {}
    for number, (place, measure), few in itertools.product(range(count), enumerate(by_llm.measures), drawn):
        source = np.random.default_rng([seed, few, number])
        runs = source.permutation(len(by_llm.runs))[:15]
        llm, human = (np.nan_to_num(each.values[runs, place]) for each in (by_llm, by_human))
        chosen = source.permutation(human.shape[1])[:few]
        apart = human[first] - human[second]
        true, topics = apart.mean(axis=1), apart.shape[1]
        p = 2 * stdtr(topics - 1, -np.abs(true) / np.sqrt(apart.var(axis=1, ddof=1) / topics + 1e-30))
        for target, doubt in (("like-these", p > 0.5), ("these", np.abs(true) < 1e-12)):
            held = of_means(llm, human, chosen, target)
            shares.setdefault((measure, few, target, "means"), []).append(held)
            wrong = claims(
                llm,
                human,
                chosen,
                target,
                true,
                lambda estimate, true=true, doubt=doubt: (estimate * true < 0) | doubt,
            )
            for rule, (any_wrong, _) in wrong.items():
                shares.setdefault((measure, few, target, rule), []).append(any_wrong)
    return {key: float(np.nanmean(rows)) for key, rows in shares.items()}


def order_trial(
    labels: str, count: int = DRAWS, drawn: Any = ORDERED, seed: int = SEED
) -> dict[tuple[str, int, str], tuple[float, float]]:
    """{(measure, human topics, by what): τ with the order by people, and its standard error}: 15 runs."""
    by_llm, by_human = dl21(ORDERED_MEASURES, labels)
    found: dict[tuple[str, int, str], list[float]] = {}
    for number, (place, measure), few in itertools.product(range(count), enumerate(by_llm.measures), drawn):
        source = np.random.default_rng([seed, few, number])
        runs = source.permutation(len(by_llm.runs))[:15]
        llm, human = (np.nan_to_num(each.values[runs, place]) for each in (by_llm, by_human))
        chosen = source.permutation(human.shape[1])[:few]
        known = np.full_like(human, np.nan)
        known[:, chosen] = human[:, chosen]
        strata = np.full(llm.shape[1], "")
        factor = fitted_factor(llm, known, strata)
        corrected = corrected_means(llm, known, strata, target="these", factor=factor).estimate
        orders = (
            llm.mean(axis=1),
            human[:, chosen].mean(axis=1),
            corrected,
            shrunken_means(llm, known, strata, factor, corrected),
        )
        for by, values in zip(ORDERS, orders, strict=True):
            tau = float(kendalltau(values, human.mean(axis=1))[0])
            found.setdefault((measure, few, by), []).append(tau)
    return {
        key: (float(np.mean(taus)), float(np.std(taus, ddof=1) / math.sqrt(count)))
        for key, taus in found.items()
    }


def bias_trial(labels: str, count: int = DRAWS, seed: int = SEED) -> dict[tuple[str, int], float]:
    """{(measure, human topics): the share of intervals that hold the bias of a run of TREC DL 2021}.

    Topics are drawn with replacement, so that all of them are those that the others are like.
    """
    by_llm, by_human = dl21(f"{REAL_MEASURES} nDCG@10 P(rel=2)@10", labels)
    held = {}
    for (place, measure), few in itertools.product(enumerate(by_llm.measures), FEW):
        bias = np.nan_to_num(by_llm.values[:, place]) - np.nan_to_num(by_human.values[:, place])
        shares = []
        for number in range(count):
            drawn = bias[:, np.random.default_rng([seed, few, number]).integers(0, bias.shape[1], few)]
            variance = drawn.var(axis=1, ddof=1) / few
            half = half_width(variance, np.full(len(bias), few - 1.0), 1 - ALPHA)
            shares.append((np.abs(drawn.mean(axis=1) - bias.mean(axis=1)) <= half)[variance > 0].mean())
        held[measure, few] = float(np.nanmean(shares))
    return held


def dl21(measure: str = "nDCG@10", labels: str = "dl21.gpt-4o.umbrela") -> tuple[Scores, Scores]:
    """(by LLM judgments, by human judgments) of all runs and topics of TREC DL 2021."""
    where = DATA / "trec_dl_2021_passage"
    runs = sorted(map(str, (where / "runs").glob("*.gz")))
    llm = DATA / "llm_labels" / f"{labels}.qrels.gz"
    by_llm, by_human = (
        evaluate(str(q), runs, measure, duplicates="majority")
        for q in (llm, where / "qrels.dl21-passage.txt.gz")
    )
    return by_llm, by_human


def draws(
    llm: Scores, human: Scores, drawn: int, count: int = DRAWS, seed: int = SEED, target: str = "these"
) -> dict[tuple[str, str], tuple[float, float]]:
    """{(means or differences, method): (share of intervals that hold the human mean, their width)}.

    And the share of differences that are found, without correction for many pairs: (found, method).
    """
    (measure,) = llm.measures
    truth, (first, second) = np.nan_to_num(human.values[:, 0]).mean(axis=1), all_pairs(len(human.runs))
    kept: dict[tuple[str, str], list[tuple[float, float]]] = {}

    def keep(what: str, method: str, low: Floats, high: Floats) -> None:
        true = truth if what == "means" else truth[first] - truth[second]
        held = (low <= true + 1e-12) & (true - 1e-12 <= high)
        kept.setdefault((what, method), []).append(
            (float(held.mean()), float(np.nan_to_num(high - low).mean()))
        )
        if what == "differences":
            found = np.where(true > 0, low > 0, high < 0)
            kept.setdefault(("found", method), []).append((float(found.mean()), 0.0))

    pairs = np.array([(pair.low, pair.high) for pair in compare(llm, correction="none")[measure].pairs])
    keep("means", "LLM only", *np.array([of[measure] for of in llm.interval().values()]).T)
    keep("differences", "LLM only", *-pairs.T[::-1])  # each run against the earlier ones
    for number in range(count):
        source = np.random.default_rng([seed, drawn, number])
        chosen = np.sort(source.permutation(len(human.topics))[:drawn])
        some = human._replace(
            topics=tuple(human.topics[place] for place in chosen),
            values=human.values[:, :, chosen],
            counted=human.counted[:, chosen],
        )
        for estimator in ESTIMATOR.rules:
            scores = CorrectedScores.of(llm, some, estimator=estimator, target=target)
            found = [of[measure] for of in scores.estimates().values()]
            keep("means", estimator, *np.array([(each.low, each.high) for each in found]).T)
            by_llm, by_human, _ = scores.values_by(0)
            factor = scores.factor(by_llm, by_human)
            by = scores.corrected(by_llm[first] - by_llm[second], by_human[first] - by_human[second], factor)
            half = np.nan_to_num(by.half(1 - ALPHA))  # pairs that are alike on all topics drawn
            keep("differences", estimator, by.estimate - half, by.estimate + half)
        keep("means", "human only", *np.array([(each.human_low, each.human_high) for each in found]).T)
        half = np.nan_to_num(half_width(by.human_variance, by.human_df, 1 - ALPHA))
        keep("differences", "human only", by.human - half, by.human + half)
    return {key: tuple(map(float, np.mean(rows, axis=0))) for key, rows in kept.items()}  # type: ignore[misc]


def simulate() -> Iterator[list[object]]:
    """Rows of judge, estimator, human topics, topics, what, share, and its standard error or the width."""
    for cell in itertools.product(JUDGES, ESTIMATOR.rules, HUMAN, TOPICS):
        for what, rate in trial(cell, CAMPAIGNS).items():
            yield [*cell, what, *(round(each, 5) for each in rate)]
        print(cell, file=sys.stderr, flush=True)
    llm, human = dl21()
    for (target, name), drawn in itertools.product(TARGETS.items(), DRAWN):
        for (what, method), rate in draws(llm, human, drawn, target=target).items():
            yield [name, method, drawn, len(llm.topics), what, *(round(each, 5) for each in rate)]
        print(target, drawn, file=sys.stderr, flush=True)
    for judge, drawn in itertools.product(SPARSE, FEW):
        for (measure, target, rule), rate in sparse_trial(judge, drawn, CAMPAIGNS).items():
            what = f"{target}, {rule}"
            yield [judge, measure, drawn, TOPICS[0], what, *(round(each, 5) for each in rate)]
        print(judge, drawn, file=sys.stderr, flush=True)
    for judge, labels in REAL.items():
        for (measure, drawn, target, rule), share in real_trial(labels).items():
            yield [judge, measure, drawn, len(llm.topics), f"{target}, {rule}", round(share, 5), 0.0]
        for (measure, drawn), share in bias_trial(labels).items():
            yield [judge, measure, drawn, len(llm.topics), "bias", round(share, 5), 0.0]
        for (measure, drawn, by), (tau, error) in order_trial(labels).items():
            yield [judge, measure, drawn, len(llm.topics), f"order, {by}", round(tau, 5), round(error, 5)]
        print(judge, file=sys.stderr, flush=True)


def load() -> dict[Key, tuple[float, float]]:
    """The rates of the last simulation."""
    return {tuple(row[:5]): (row[5], row[6]) for row in json.loads(RATES.read_text())}


def lines(rates: dict[Key, tuple[float, float]]) -> Iterator[str]:
    """The section of the page."""
    yield "## Means corrected by human judgments\n"
    judges = "\n".join(f"- *{name}*: {what};" for name, what in JUDGES.items())
    yield f"""`python docs/corrected_means.py` makes {CAMPAIGNS} campaigns of {RUNS} runs that do not
differ by human judgments. Of {TOPICS[0]} and of {TOPICS[1]} topics {", ".join(map(str, HUMAN))} have human
judgments. LLM judges are

{judges[:-1]}.

The lowest and the highest share, by both estimators, of campaigns in which any pair is called different with
Holm's correction (level {ALPHA}), and of intervals that hold a difference or a mean (level {1 - ALPHA:g}).
Nothing errs too often by more than {LIMIT:g} standard errors; of {TOPICS[0]} topics, intervals are rather
wide, since values by LLM judgments vary more than those by people. The runs share one k, fitted to
{MIN_HUMAN} topics or more; that of a single run to {MIN_FITTED}: fitted to 10 of 200 with a lenient judge,
intervals held 93.9 % of means (2,500 campaigns).
"""
    cells = [*itertools.product(ESTIMATOR.rules, HUMAN, TOPICS)]
    rows = []
    for judge in JUDGES:
        shares = {what: [rates[(judge, *cell, what)][0] for cell in cells] for what in RATED}
        shares["pairs"] = [1 - share for share in shares["pairs"]]
        spans = (
            f"{min(shares[what]):.3f}–{max(shares[what]):.3f}" for what in ("campaigns", "pairs", "means")
        )
        rows.append([judge, *spans])
    yield table(("judge", "any error", "differences", "means"), rows)
    yield f"""TREC DL 2021 (63 runs, 53 topics, nDCG@10, GPT-4o): the share of intervals that hold the value
by human judgments of *these* topics, their width, and the share of differences that are found, over {DRAWS}
draws of the topics with human judgments:
"""
    for what in ("means", "differences"):
        rows = []
        for drawn in DRAWN:
            cells = ["{:.3f} {:.3f}".format(*rates["DL 2021", m, drawn, 53, what]) for m in METHODS]
            if what == "differences":
                found = [rates["DL 2021", m, drawn, 53, "found"][0] for m in METHODS]
                cells = [f"{cell} {share:.2f}" for cell, share in zip(cells, found, strict=True)]
            rows.append([str(drawn), *cells])
        yield table((what, *METHODS), rows)
    yield from sparse_lines(rates)
    yield from on_bias(rates)
    yield from on_order(rates)


def sparse_lines(rates: dict[Key, tuple[float, float]]) -> Iterator[str]:
    """The part on measures by which most runs tie on most topics."""
    judges = "\n".join(f"- *{name}* {what};" for name, what in SPARSE.items())
    yield f"""### Sparse measures

By the reciprocal rank and its like most runs tie on most topics, and people may see no error of the LLM. In
{CAMPAIGNS} campaigns, {RUNS} runs rank 30 documents of {TOPICS[0]} topics equally well;
{", ".join(map(str, FEW[:-1]))} or {FEW[-1]} topics have human judgments. LLM labels that are

{judges[:-1]}.

A claim (Holm, level {ALPHA}) for topics like these is always wrong, one for these {TOPICS[0]} topics if it
has the wrong direction. The lowest and the highest share over numbers of human topics, of campaigns with a
wrong claim, and of intervals that hold the difference. *Before* is without the variance of the LLM's values
over all topics, and without the {MIN_DIFFERING} topics that people and the LLM must disagree on:
"""
    headers = (
        "labels",
        "measure",
        "like these, before",
        "now",
        "intervals",
        "these, before",
        "now",
        "intervals",
    )

    def shares(judge: str, measure: str, topics: int, what: str, column: int = 0) -> list[float]:
        return [rates[judge, measure, drawn, topics, what][column] for drawn in FEW]

    def span(values: list[float]) -> str:
        return f"{min(values):.3f}–{max(values):.3f}"

    parts = [
        ("like-these, before", 0),
        ("like-these, now", 0),
        ("like-these, now", 1),
        ("these, before", 0),
        ("these, now", 0),
        ("these, now", 1),
    ]
    yield table(
        headers,
        [
            [judge, measure, *(span(shares(judge, measure, TOPICS[0], *part)) for part in parts)]
            for judge in SPARSE
            for measure in MEASURES
        ],
    )
    wrong = [
        f"{judge}, {measure}, {drawn} topics ({share:.3f})" for judge, measure, drawn, share in failing(rates)
    ]
    held = {
        key: share
        for key, (_, share) in rates.items()
        if key[0] in SPARSE and key[4].endswith("now") and share < 1 - ALPHA - SHORT
    }
    narrow = [f"{key[0]}, {key[1]}, {key[2]} topics ({share:.3f})" for key, share in held.items()]
    yield f"""What fails: of claims, {"; ".join(wrong) or "nothing"} (by more than {LIMIT:g} standard errors);
of intervals, {"; ".join(narrow) or "nothing"} (by more than {SHORT}).
"""
    yield f"""TREC DL 2021, 15 of the runs at random, {DRAWS} draws: the highest share, over numbers of human
topics, of draws with a claim that people contradict by their judgments of all topics, or, for topics like
these, that has p > 0.5 by these:
"""
    measures = REAL_MEASURES.split()
    parts = [(f"{target}, {rule}", 0) for target in ("like-these", "these") for rule in RULES]
    yield table(
        ("labels", "measure", "like these, before", "now", "these, before", "now"),
        [
            [judge, measure, *(f"{max(shares(judge, measure, 53, *part)):.3f}" for part in parts)]
            for judge in REAL
            for measure in measures
        ],
    )
    held = {key[:3]: share for key, (share, _) in rates.items() if key[4] == "like-these, means"}
    (judge, measure, drawn), low = min(held.items(), key=lambda each: each[1])
    yield f"""There, intervals of means for topics like these hold that of these topics in {low:.3f}
({judge}, {measure}, {drawn} topics) to {max(held.values()):.3f}: where people find nearly every run perfect
on the topics they judge, they see little of what differs on others.
"""


def on_bias(rates: dict[Key, tuple[float, float]]) -> Iterator[str]:
    """How often intervals of the bias hold it."""
    held = {key[:3]: share for key, (share, _) in rates.items() if key[4] == "bias"}
    (judge, measure, drawn), low = min(held.items(), key=lambda each: each[1])
    mean, high = np.mean([*held.values()]), max(held.values())
    yield f"""Intervals of the bias, by Student's t of skewed values, hold it in {low:.3f} ({judge},
{measure}, {drawn} topics) to {high:.3f} of as many draws of topics, {mean:.3f} on average.
"""


def on_order(rates: dict[Key, tuple[float, float]]) -> Iterator[str]:
    """How well orders of runs agree with that by people."""
    error = max(each[1] for key, each in rates.items() if key[4].startswith("order"))
    yield f"""### Order of runs

Few human topics correct means, but disturb the order of runs. *Shrunken* means keep of each run's deviation
from the mean bias only what the human topics show beyond their own errors. Mean τ with the order by people,
of 15 runs of TREC DL 2021, by LLM labels only, human labels only, corrected, and shrunken, over {DRAWS} draws
(standard errors are at most {error:.3f}):
"""
    yield table(
        ("labels", "measure", *(f"{drawn} topics" for drawn in ORDERED)),
        [
            [
                judge,
                measure,
                *(
                    " ".join(f"{rates[judge, measure, drawn, 53, f'order, {by}'][0]:.3f}" for by in ORDERS)
                    for drawn in ORDERED
                ),
            ]
            for judge in REAL
            for measure in ORDERED_MEASURES.split()
        ],
    )


def failing(rates: dict[Key, tuple[float, float]]) -> Iterator[tuple[str, str, int, float]]:
    """Labels, measure, human topics and share of wrong claims, where it is above the level for certain."""
    most = ALPHA + LIMIT * math.sqrt(ALPHA * (1 - ALPHA) / CAMPAIGNS)
    for judge, measure, drawn, target in itertools.product(SPARSE, MEASURES, FEW, ("like-these", "these")):
        share = rates[judge, measure, drawn, TOPICS[0], f"{target}, now"][0]
        if share > most:
            yield judge, measure, drawn, share


def draw(rates: dict[Key, tuple[float, float]]) -> None:
    """Draw coverage and width of intervals of means on DL 2021 against the number of human topics."""
    panels = []
    for column, (what, rule) in enumerate({"coverage": 1 - ALPHA, "width": None}.items()):
        rows = [[m, n, rates["DL 2021", m, n, 53, "means"][column]] for m in METHODS[:3] for n in DRAWN]
        shown = Table(("judgments", "human topics", what), rows)
        panels.append(figures.lines(shown, marks=True, zero=True, rule=rule))
    figures.compose(panels, ["95 % intervals: coverage", "width"], width="page").save(FIGURE)
    FIGURE.write_text(shrink(FIGURE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["figure"]:
        draw(load())
        sys.exit()
    RATES.write_text("[\n" + ",\n".join(map(json.dumps, simulate())) + "\n]\n")
