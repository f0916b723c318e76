"""Simulate decisions between two runs by few judgments, for docs/studies/levels.md.

python docs/decisions.py    simulate anew (some minutes), with the real data in RANKGAUGE_DATA
"""

import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from corrected_means import DATA
from writers.markup import table

from rankgauge import Qrels, Run
from rankgauge.extensions.judging.deciding import Decision

RATES = Path(__file__).parent / "studies" / "decisions.json"
ALPHA, SEED, PAIRS, DRAWS, BUDGETS = 0.05, 7, 40, 25, (100, 300)
RATED = ("outside", "wrong", "decided", "judgments", "error", "topics", "people")
LABELS = {
    "GPT-4o": "dl21.gpt-4o.umbrela",
    "Llama 3.2": "dl21.llama3.2.umbrela.repeated",
    "shuffled": "",  # GPT-4o's, shuffled within each topic
}
Rates = dict[tuple[str, int], dict[str, float]]


def labels(judge: str, source: np.random.Generator) -> dict[str, dict[str, float]]:
    """The labels of a judge."""
    name = LABELS[judge] or LABELS["GPT-4o"]
    known = Qrels.read(DATA / "llm_labels" / f"{name}.qrels.gz", duplicates="majority").to_dict()
    if LABELS[judge]:
        return known
    return {
        topic: dict(zip(of, source.permutation([*of.values()]).tolist(), strict=True))
        for topic, of in known.items()
    }


def trial(
    judge: str, budget: int, pairs: int = PAIRS, draws: int = DRAWS, seed: int = SEED
) -> dict[str, float]:
    """How often intervals and verdicts are wrong, and what judgments buy, for pairs of runs of DL 2021."""
    where = DATA / "trec_dl_2021_passage"
    human = Qrels.read(where / "qrels.dl21-passage.txt.gz").to_dict()
    source = np.random.default_rng([seed, budget])
    llm = labels(judge, source)
    llm = {topic: llm.get(topic, {"": 0.0}) for topic in human}
    files = sorted((where / "runs").glob("*.gz"))
    found: list[tuple[float, ...]] = []
    for pair in source.permutation([*itertools.combinations(range(len(files)), 2)])[:pairs].tolist():
        decision = Decision({files[each].name: Run.read(files[each]) for each in pair}, llm, budget=budget)
        known: dict[str, dict[str, float]] = {topic: {} for topic in human}
        for topic, document in decision.documents:
            known[topic][document] = human[topic].get(document, 0)
        judged = Qrels.of(known)
        true, by_topics, by_people = of_topics(decision, judged, budget)
        for number in range(draws):
            decision.seed, decision.alpha = number, ALPHA
            looks = [*decision.looks(judged)]
            outside = any(look.low > true + 1e-9 or look.high < true - 1e-9 for look in looks)
            wrong = {"better": true <= 0, "worse": true >= 0}.get(looks[-1].verdict, False)
            decision.alpha = 1e-9  # goes on to the end of the budget
            *_, last = decision.looks(judged)
            error = (last.difference - true) ** 2
            decided = looks[-1].judged if looks[-1].verdict else math.nan
            found.append((outside, wrong, decided > 0, decided, error, by_topics, by_people))
    means = np.nanmean(np.array(found, dtype=np.float64), axis=0)
    means[4:] = np.sqrt(means[4:])
    return dict(zip(RATED, means.tolist(), strict=True))


def of_topics(decision: Decision, judged: Qrels, budget: int) -> tuple[float, float, float]:
    """(the difference, variance with whole topics for as many judgments, the same without labels)."""
    by_human, by_llm = (
        decision.worth[np.arange(len(decision.label)), grades]
        for grades in (decision._grades_of(judged.to_dict()), decision.label)
    )
    topics, place = np.unique([topic for topic, _ in decision.documents], return_inverse=True)
    count = len(judged.sorted_topics)
    drawn = budget / (len(place) / count)
    variances = []
    for values in (by_human - by_llm, by_human):
        sums = np.zeros(count)
        sums[: len(topics)] = np.bincount(place, values)
        variances.append(max(0.0, 1 / drawn - 1 / count) * float(sums.var(ddof=1)) * count**2)
    return float(by_human.sum()), variances[0], variances[1]


def load() -> Rates:
    """The rates of the last simulation."""
    return {(judge, budget): rates for judge, budget, rates in json.loads(RATES.read_text("utf-8"))}


def lines(known: Rates) -> Iterator[str]:
    """The section of the page."""
    error = math.sqrt(ALPHA * (1 - ALPHA) / PAIRS / DRAWS)
    yield f"""## Decisions between two runs

`python docs/decisions.py` lets `decide` choose documents of {PAIRS} pairs of runs of TREC DL 2021 (DCG@10),
{DRAWS} times each, with labels of GPT-4o, of Llama 3.2, and shuffled ones: how often the interval of any look
lacks the difference by people of all documents that matter (level {ALPHA}; standard error {error:.3f}),
wrong verdicts, pairs decided, and judgments that took on average. Then root mean square errors with the whole
budget: of `decide`, and of as many judgments of whole topics, with the labels and without.
"""
    yield table(
        (
            "labels",
            "budget",
            "outside",
            "wrong",
            "decided",
            "judgments",
            "error",
            "of topics",
            "people alone",
        ),
        [
            [
                judge,
                str(budget),
                *(f"{rates[name]:.3f}" for name in RATED[:2]),
                f"{rates['decided']:.2f}",
                f"{rates['judgments']:.0f}",
                *(f"{rates[name]:.2f}" for name in RATED[4:]),
            ]
            for (judge, budget), rates in known.items()
        ],
    )


if __name__ == "__main__":
    rows = []
    for judge, budget in itertools.product(LABELS, BUDGETS):
        rates = {name: round(rate, 5) for name, rate in trial(judge, budget).items()}
        rows.append(json.dumps([judge, budget, rates], ensure_ascii=False))
        print(rows[-1])
    RATES.write_text("[\n" + ",\n".join(rows) + "\n]\n")
