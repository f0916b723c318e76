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

import numpy as np
from gallery import shrink
from scipy.special import expit
from writers.markup import table

from rankgauge import Scores, compare, evaluate, figures
from rankgauge.comparison.corrections import correct
from rankgauge.comparison.registry import TestOptions
from rankgauge.extensions.judging.corrected_means import MIN_FITTED, half_width
from rankgauge.extensions.judging.corrected_scores import CorrectedScores, corrected_t
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
DRAWN = (10, 15, 20, 25)  # of the topics of DL 2021
JUDGES = {
    "noisy": "errors on every topic and run",
    "lenient": "the same, and values that are too high",
    "lenient to some runs": "the same, for half of the runs",
    "biased to its family": "the same, for three runs, by another amount on each topic",
}
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
        means = scores.corrected(llm, human)
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


def dl21(measure: str = "nDCG@10", labels: str = "dl21.gpt-4o.umbrela") -> tuple[Scores, Scores]:
    """(by LLM judgments, by human judgments) of all runs and topics of TREC DL 2021."""
    where = DATA / "trec_dl_2021_passage"
    runs = sorted(map(str, (where / "runs").glob("*.gz")))
    llm = DATA / "llm_labels" / f"{labels}.qrels.gz"
    by_llm, by_human = (evaluate(str(q), runs, measure) for q in (llm, where / "qrels.dl21-passage.txt.gz"))
    return by_llm, by_human


def draws(
    llm: Scores, human: Scores, drawn: int, count: int = DRAWS, seed: int = SEED
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
            scores = CorrectedScores.of(llm, some, estimator=estimator, target="these")
            found = [of[measure] for of in scores.estimates().values()]
            keep("means", estimator, *np.array([(each.low, each.high) for each in found]).T)
            by_llm, by_human, _ = scores.values_by(0)
            by = scores.corrected(by_llm[first] - by_llm[second], by_human[first] - by_human[second])
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
    for drawn in DRAWN:
        for (what, method), rate in draws(llm, human, drawn).items():
            yield ["DL 2021", method, drawn, len(llm.topics), what, *(round(each, 5) for each in rate)]
        print(drawn, file=sys.stderr, flush=True)


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
Nothing errs too often by more than {LIMIT:g} standard errors; of {TOPICS[0]} topics, intervals of means are
rather wide. k is fitted to {MIN_FITTED} topics or more: fitted to 10 of 200 with a lenient judge, intervals
held 93.9 % of means (2,500 campaigns).
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
