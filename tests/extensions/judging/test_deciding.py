"""Which of two runs is better, by documents drawn in batches: definition, exact end, error rates."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from rankgauge import evaluate
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.judging import decide, deciding
from rankgauge.extensions.judging.deciding import Decision

TOPICS, DOCUMENTS = [f"q{n}" for n in range(12)], [f"d{n}" for n in range(15)]


def collection(seed=0, same=False):
    """(labels of a model, human judgments, two runs), the labels wrong for a document in three."""
    source = np.random.default_rng(seed)
    human = {topic: {doc: int(source.integers(0, 4)) for doc in DOCUMENTS} for topic in TOPICS}
    llm = {
        topic: {
            doc: grade if source.random() < 0.67 else int(source.integers(0, 4)) for doc, grade in of.items()
        }
        for topic, of in human.items()
    }
    help_ = {"a": 0.0 if same else 0.6, "b": 0.0}
    runs = {
        run: {
            topic: {doc: float(help_[run] * grade + source.normal()) for doc, grade in of.items()}
            for topic, of in human.items()
        }
        for run in "ab"
    }
    return llm, human, runs


def difference(human, runs, measure):
    means = evaluate(human, runs, measure).mean(measure)
    return means["a"] - means["b"]


@pytest.mark.parametrize("measure", ["DCG@10", "DCG(gains=exp2)@5", "P@5", "P(rel=2)@10", "RBP", "CG@3"])
def test_all_documents_judged_give_the_difference_itself(measure):
    llm, human, runs = collection()
    decision = Decision(runs, llm, measure, alpha=1e-9)
    last = decision.after(human)
    assert last.judged == len(decision.documents) == decision.budget
    assert last.difference == pytest.approx(difference(human, runs, measure))
    assert (last.low, last.high) == (last.difference, last.difference)
    assert last.verdict == ("better" if last.difference > 0 else "worse")
    asked = {(topic, doc) for topic, docs in last.asked.items() for doc in docs}
    for topic, doc in {(t, d) for t in TOPICS for d in DOCUMENTS} - asked:
        other = {t: dict(of) for t, of in human.items()}
        other[topic][doc] = 3 - other[topic][doc]
        assert difference(other, runs, measure) == pytest.approx(last.difference)


def test_estimates_are_those_of_the_definition():
    llm, human, runs = collection(1)
    decision = Decision(runs, llm, "P@5", batch=7, budget=21, alpha=1e-6)
    looks = [*decision.looks(human)]
    assert [look.judged for look in looks] == [0, 7, 14, 21]
    assert math.isnan(looks[1].low)  # too few judgments for an interval

    x = {
        (topic, doc): [
            (sum(d == doc for d in first(runs["a"][topic])) - sum(d == doc for d in first(runs["b"][topic])))
            * (grade > 0)
            / 5
            / len(TOPICS)
            for grade in range(4)
        ]
        for topic, doc in decision.documents
    }
    places, judged, estimates, weights = list(x), [], [], []
    for number in range(3):
        chances = {}
        for label in range(4):
            seen = [human[t][d] for t, d in judged if llm[t][d] == label]
            counts = [4 * (0.6 * (g == label) + 0.1) + seen.count(g) for g in range(4)]
            chances[label] = [count / sum(counts) for count in counts]
        expected = {
            p: sum(c * v for c, v in zip(chances[llm[p[0]][p[1]]], x[p], strict=True)) for p in places
        }
        variance = {
            p: sum(c * (v - expected[p]) ** 2 for c, v in zip(chances[llm[p[0]][p[1]]], x[p], strict=True))
            for p in places
        }
        left = [p for p in places if p not in judged]
        spreads = sum(math.sqrt(variance[p]) for p in left)
        reaches = sum(max(x[p]) - min(x[p]) for p in left)
        weight = {
            p: 0.9 * math.sqrt(variance[p]) / spreads + 0.1 * (max(x[p]) - min(x[p])) / reaches for p in left
        }
        for chance in np.random.default_rng([0, 7 * number]).random(7):
            total, below = sum(weight[p] for p in left), 0.0
            for place in left:
                below += weight[place] / total
                if below > chance:
                    break
            q = weight[place] / total
            before = sum(x[p][human[p[0]][p[1]]] for p in judged)
            off = x[place][human[place[0]][place[1]]] - expected[place]
            estimates.append(before + sum(expected[p] for p in left) + off / q)
            weights.append(1 / sum(variance[p] * (total / weight[p] - 1) for p in left))
            judged.append(place)
            left.remove(place)
        assert looks[number + 1].difference == pytest.approx(np.average(estimates, weights=weights))
    asked = [(topic, doc) for topic, docs in looks[-1].asked.items() for doc in docs]
    assert sorted(asked) == sorted(judged)


def first(scores, depth=5):
    return sorted(scores, key=lambda doc: -scores[doc])[:depth]


def test_batches_are_asked_for_until_they_are_complete():
    llm, human, runs = collection(2)
    decision = Decision(runs, llm, batch=6)
    start = decision.after()
    assert (start.judged, sum(map(len, start.batch.values()))) == (0, 6)
    known = {}
    for topic, docs in [*start.batch.items()][:-1]:
        known[topic] = {doc: human[topic][doc] for doc in docs}
    some = decision.after({**known, "q99": {"d1": 1}})
    rest = [*start.batch][-1]
    assert (some.judged, some.batch) == (0, {rest: start.batch[rest]})
    known[rest] = {doc: human[rest][doc] for doc in start.batch[rest]}
    second = decision.after(known)
    assert second.judged == 6
    assert math.isnan(second.low)  # fewer than ten judgments
    assert "6 judgments" in " ".join(decision.sentences(second))


def test_the_difference_is_within_its_intervals_at_all_looks():
    """Runs that do not differ: at most alpha of the campaigns have an interval without the difference."""
    count, wrong, off = 150, 0, []
    for seed in range(count):
        llm, human, runs = collection(seed, same=True)
        true = difference(human, runs, "DCG@10")
        looks = [*Decision(runs, llm, batch=15, budget=90, seed=seed).looks(human)]
        wrong += any(look.low > true or look.high < true for look in looks)
        off.append(looks[1].difference - true)
    assert wrong / count <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / count)
    assert abs(np.mean(off)) <= 3 * np.std(off) / math.sqrt(count)


def test_the_limits_of_looks_spend_the_error():
    limits = deciding._Limits(100, 0.05)
    found = [limits.at(count, float(count)) for count in (25, 50, 75, 100)]
    assert found[0] == pytest.approx(-norm.ppf(0.05 * 0.25**1.5 / 2), abs=0.06)
    assert found == sorted(found, reverse=True)
    source = np.random.default_rng(5)
    paths = np.cumsum(source.normal(size=(100_000, 4)), axis=1) / np.sqrt([1, 2, 3, 4])
    assert (np.abs(paths) > found).any(axis=1).mean() == pytest.approx(0.05, abs=0.004)


def test_equivalence_and_a_spent_budget():
    llm, human, runs = collection(3, same=True)
    found = decide(llm, runs, human, margin=2.0, batch=10)
    assert found.interim.verdict == "equivalent"
    assert "differ by less than 2.0" in found.sentences[0]
    assert found.interim.judged < len(Decision(runs, llm).documents)
    spent = decide(llm, runs, human, budget=20, alpha=1e-6)
    assert (spent.interim.verdict, spent.interim.batch) == ("", {})
    assert spent.sentences[-1] == "The budget of 20 judgments is spent."
    assert [row["judged"] for row in spent.records("looks")] == [20]


def test_what_cannot_be_decided_is_refused():
    llm, human, runs = collection(4)
    with pytest.raises(OptionError, match="between two runs, and these are 1"):
        Decision({"a": runs["a"]}, llm)
    for margin in (-1, 0, math.nan, math.inf, "0.1"):
        with pytest.raises(OptionError, match="margin must be a number above 0"):
            Decision(runs, llm, margin=margin)
    with pytest.raises(MeasureError, match=r"nDCG@10 is no sum over documents"):
        Decision(runs, llm, "nDCG@10")
    with pytest.raises(InputError, match="same, whichever documents are relevant"):
        Decision({"a": runs["a"], "b": runs["a"]}, llm)
    with pytest.raises(InputError, match=r"grade 7 is none of the labels' .0, 1, 2, 3.; bring both"):
        Decision(runs, llm).after({topic: dict.fromkeys(of, 7) for topic, of in human.items()})
    with pytest.raises(InputError, match="no topic with labels"):
        Decision(runs, {"other": {"d1": 1}})
