"""Judges compared with human judgments: agreement, bias, orders of runs, and what they can be used for."""

import json
import math
import random
import statistics
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from extensions.judging import slow
from extensions.studies import small
from rankgauge import Qrels, compare, evaluate
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.judging import agreement, judge_agreement, judge_study, judges
from rankgauge.extensions.judging.assessors import SCALES, krippendorff_alpha
from rankgauge.numbers.bootstrap import drawn
from rankgauge.numbers.rank_correlation import rbo, tau_ap, tau_b
from rankgauge.testing.studies import odd_campaigns

TOPICS = sorted(small.QRELS)
# How many deviations over bootstrap samples an interval reaches.
TIMES = stats.t.ppf(0.975, len(TOPICS) - 1) * math.sqrt(len(TOPICS) / (len(TOPICS) - 1))


def lenient(seed, shift=0.5, whole=True):
    """The small judgments by a judge whose grades are higher, with noise."""
    noise = random.Random(seed)
    grades = {t: {d: g + noise.gauss(shift, 0.8) for d, g in docs.items()} for t, docs in small.QRELS.items()}
    return {
        t: {d: min(3, max(0, round(g) if whole else g)) for d, g in docs.items()}
        for t, docs in grades.items()
    }


def values(found, table, *keys):
    """The numbers of the row with these keys, without them."""
    rows = [row for row in found.table(table).rows if tuple(row[1 : 1 + len(keys)]) == keys]
    assert len(rows) == 1
    return rows[0][1 + len(keys) :]


def test_a_judge_that_agrees_with_people_can_be_used_for_everything():
    found = judges(small.QRELS, Qrels.of(small.QRELS, "twin"), small.RUNS)
    assert found.sentences[0].startswith(
        "twin can be used to order all 5 runs (τ 1.000, 1.000 to 1.000), and to report its means as they are "
        "(bias +0.000, +0.000 to +0.000), and to replace single human labels (κ 1.000, 1.000 to 1.000). No "
        "pair of runs differs significantly by human judgments; it adds 0. An interval"
    )
    found = judges(small.QRELS, Qrels.of(small.QRELS, "twin"), small.RUNS, measure="AP(rel=2)", samples=5)
    assert "misses 0 and reverses 0; it adds 0." in found.sentences[0]
    assert values(found, "agreement", "leniency") == (0, 0, 0)


@pytest.mark.parametrize("seed", range(3))
def test_coefficients_are_those_of_agreement(seed):
    labels = lenient(seed)
    found, expected = judges(small.QRELS, labels, rel=2), agreement(small.QRELS, labels, rel=2).agreement
    for name, weights in (("kappa", "none"), ("kappa, linear", "linear"), ("kappa, quadratic", "quadratic")):
        assert values(found, "agreement", name)[0] == pytest.approx(expected.kappa(weights), abs=1e-12)
    for scale in SCALES:
        assert values(found, "agreement", f"alpha, {scale}")[0] == pytest.approx(
            expected.alpha(scale), abs=1e-12
        )
    assert values(found, "agreement", "kappa, binary")[0] == pytest.approx(expected.binary_kappa(), abs=1e-12)
    assert values(found, "agreement", "same grade")[0] == pytest.approx(expected.same)
    assert [list(row[2:-1]) for row in found.table("grades").rows] == expected.counts.tolist()
    mean = statistics.mean(labels[t][d] - g for t, docs in small.QRELS.items() for d, g in docs.items())
    assert values(found, "agreement", "leniency")[0] == pytest.approx(mean)


def test_intervals_of_coefficients_are_of_a_bootstrap_over_topics():
    labels = lenient(1)
    pairs = slow.in_both(small.QRELS, labels)
    sets = np.concatenate([*drawn(len(TOPICS), len(TOPICS), 60, 5, replacement=True)])
    kappas = [slow.kappa([pair for t in each for pair in pairs[TOPICS[t]]]) for each in sets]
    value, low, high = values(judges(small.QRELS, labels, samples=60, seed=5), "agreement", "kappa")
    assert high - value == pytest.approx(TIMES * statistics.stdev(kappas))
    assert high - value == pytest.approx(value - low)


def test_bias_is_the_mean_difference_with_the_interval_of_a_t_test():
    labels = lenient(2)
    found = judges(small.QRELS, labels, small.RUNS, measure="AP(rel=2)")
    both = [evaluate(each, small.RUNS, "AP(rel=2)", undefined="zero") for each in (small.QRELS, labels)]
    one, other = (np.nan_to_num(scores.values[:, 0]) for scores in both)
    for place, run in enumerate(both[0].runs):
        human, judge, *bias, _, _ = values(found, "runs", run)
        test = stats.ttest_1samp(other[place] - one[place], 0)
        assert (human, judge) == pytest.approx((one[place].mean(), other[place].mean()))
        assert bias == pytest.approx(
            [test.statistic and (other - one)[place].mean(), *test.confidence_interval()]
        )


def test_orders_are_compared_as_by_the_definitions(monkeypatch):
    monkeypatch.setattr(judge_study, "TOP", 3)
    labels = lenient(3)
    found = judges(small.QRELS, labels, small.RUNS, samples=20, seed=2)
    human, judge = (
        list(scores.mean().values())
        for scores in (evaluate(q, small.RUNS, "nDCG@10") for q in (small.QRELS, labels))
    )
    human, judge = ([mean["nDCG@10"] for mean in each] for each in (human, judge))
    best = sorted(range(5), key=lambda run: -human[run])
    for name, runs in (("all 5 runs", range(5)), ("the top 3", best[:3])):
        x, y = ([each[run] for run in runs] for each in (judge, human))
        for coefficient, function in (("tau", tau_b), ("tau_AP", tau_ap), ("RBO", rbo)):
            value, low, high = values(found, "orders", name, coefficient)
            assert value == pytest.approx(function(x, y))
            assert -1 <= low <= value + 1e-9
            assert value - 1e-9 <= high <= 1
    topics = np.nan_to_num(
        np.array([evaluate(q, small.RUNS, "nDCG@10").values[:, 0] for q in (small.QRELS, labels)])
    )
    sets = np.concatenate([*drawn(len(TOPICS), len(TOPICS), 20, 2, replacement=True)])
    taus = [tau_b(*topics[:, :, each].mean(axis=-1)) for each in sets]
    value, low, high = values(found, "orders", "all 5 runs", "tau")
    assert value - low == pytest.approx(TIMES * statistics.stdev(taus))


def test_significant_pairs_are_confirmed_missed_reversed_or_added():
    labels = {
        "noisy": lenient(4),
        "contrary": {t: {d: 3 - g for d, g in docs.items()} for t, docs in small.QRELS.items()},
    }
    found = judges(
        small.QRELS, [Qrels.of(each, name) for name, each in labels.items()], small.RUNS, measure="AP(rel=2)"
    )
    better = {
        name: {
            (v.pair.run, v.pair.against): v.better
            for v in compare(each, small.RUNS, "AP(rel=2)")["AP(rel=2)"].significant
        }
        for name, each in {"human": small.QRELS, **labels}.items()
    }
    assert better["human"]
    for judge, *counts, pairs in found.table("pairs").rows:
        human, own = better["human"], better[judge]
        assert pairs == len(list(combinations(small.RUNS, 2)))
        assert counts == [
            len(human),
            sum(own.get(pair) == name for pair, name in human.items()),
            len(human.keys() - own.keys()),
            sum(own.get(pair, name) != name for pair, name in human.items()),
            len(own.keys() - human.keys()),
        ]
    assert found.records("pairs")[1]["reversed"] > 0


def test_groups_of_runs_have_a_bias_and_a_judge_may_favour_its_own():
    runs = list(small.RUNS)
    favoured = {t: dict(docs) for t, docs in small.QRELS.items()}
    for topic, results in small.RUNS[runs[0]].items():
        ranked = sorted(results, key=results.get, reverse=True)
        favoured[topic] |= {doc: 3 * (doc in ranked[:8]) for doc in ranked if doc in favoured[topic]}
    groups = {run: "own" if run == runs[0] else "others" for run in runs} | {"partial": "own"}
    found = judges(small.QRELS, Qrels.of(favoured, "partial"), small.RUNS, groups=groups)
    by_run = {row[1]: row[4] for row in found.table("runs").rows}
    number, bias, _, _, excess, low, _, preference = values(found, "groups", "own")
    assert (number, preference) == (1, "favoured")
    assert bias == pytest.approx(by_run[runs[0]])
    assert excess == pytest.approx(bias - statistics.mean(by_run[run] for run in runs[1:]))
    assert low > 0
    assert values(found, "groups", "others")[-1] == ""
    assert values(found, "groups", "all runs")[1] == pytest.approx(statistics.mean(by_run.values()))
    assert "Runs of its own group, own, are favoured: their bias minus that of others" in found.sentences[0]
    lower = judges(small.QRELS, Qrels.of(favoured, "partial"), small.RUNS, measure="ASL", groups=groups)
    ranks = sorted((row["human mean"], row["human rank"]) for row in lower.records("runs"))
    assert [rank for _, rank in ranks] == [1, 2, 3, 4, 5]
    excess, low, high, preference = values(lower, "groups", "own")[-4:]
    assert high < 0  # shorter searches are better
    assert preference == "favoured"
    assert f"are favoured: their bias minus that of others is {excess:+.3f}" in lower.sentences[0]
    with pytest.raises(InputError, match="has no team"):
        judges(small.QRELS, favoured, small.RUNS, groups={runs[0]: "own"})


@pytest.mark.parametrize(
    ("deviation", "population"), [(0.25, 53), (0.1, 53), (0.25, math.inf), (0.005, 60), (0, 9)]
)
def test_topics_needed_are_the_fewest_with_a_narrow_interval(deviation, population):
    def half(topics):
        error = deviation * math.sqrt(1 / topics - 1 / population)
        return stats.t.ppf(0.975, topics - 1) * error

    needed = judge_study.topics_needed(deviation, population)
    assert half(needed) <= judge_study.HALF_WIDTH
    assert needed == 2 or half(needed - 1) > judge_study.HALF_WIDTH
    assert math.isnan(judge_study.topics_needed(math.nan, population))


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=2, max_size=8), st.integers(1, 3)
)
def test_repeated_labels_show_how_consistent_a_judge_is(labels, topics):
    assume(max(map(len, labels)) > 1)
    human = {f"t{n}": {"x": 2} for n in range(topics)}
    rows = [
        ("t0", "x", 2),
        *((f"t{n % topics}", f"d{n}", g) for n, given in enumerate(labels) for g in given),
    ]
    rows += [(topic, "x", 2) for topic in human if topic != "t0"]
    found = judges(human, [rows], duplicates="median")
    pairs = [(a == b) / (len(given) - 1) for given in labels for a, b in combinations(given, 2)]
    total = sum(len(given) for given in labels if len(given) > 1)
    assert values(found, "agreement", "same label, repeated")[0] == pytest.approx(2 * sum(pairs) / total)
    table = np.array([[*given, *[np.nan] * (4 - len(given))] for given in labels if len(given) > 1]).T
    expected = pytest.approx(krippendorff_alpha(table, "ordinal"), nan_ok=True)
    assert values(found, "agreement", "alpha, ordinal, repeated")[0] == expected


def test_labels_between_grades_count_as_the_nearest():
    labels = lenient(5, whole=False)
    rounded = {t: {d: math.ceil(g - 0.5) for d, g in docs.items()} for t, docs in labels.items()}
    found = judges(small.QRELS, labels)
    assert found.table("grades").rows == judges(small.QRELS, rounded).table("grades").rows
    mean = statistics.mean(labels[t][d] - g for t, docs in small.QRELS.items() for d, g in docs.items())
    assert values(found, "agreement", "leniency")[0] == pytest.approx(mean)


def test_a_file_that_names_judges_has_one_for_each(write):
    lines = [
        {"query_id": t, "doc_id": d, "grade": g, "judge": judge, "repeat": 1, "reason": "text, and more"}
        for judge, labels in (("gpt", lenient(1)), ("llama", lenient(2)))
        for t, docs in labels.items()
        for d, g in docs.items()
    ]
    path = write("labels.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    found = judges(small.QRELS, path, small.RUNS)
    assert found.settings["judges"] == ("gpt", "llama")
    assert (
        found.table("runs").rows
        == judges(small.QRELS, [Qrels.of(lenient(1), "gpt"), Qrels.of(lenient(2), "llama")], small.RUNS)
        .table("runs")
        .rows
    )
    numbered = [("q", "0", "d1", 1), ("q", "1", "d1", 1), ("q", "0", "d2", 0)]  # repeats, not judges
    assert judges({"q": {"d1": 1, "d2": 0}}, [numbered], duplicates="mean").settings["judges"] == (
        "qrels (2)",
    )


def test_what_a_judge_lacks_is_reported():
    labels = lenient(1)
    del labels[TOPICS[0]]
    lost = next(iter(labels[TOPICS[1]]))
    del labels[TOPICS[1]][lost]
    found = judges(small.QRELS, Qrels.of(labels, "judge"), small.RUNS)
    documents = sum(len(small.QRELS[topic]) for topic in TOPICS[1:])
    assert (
        f"judge has no label for 1 of {documents:,} documents that people judged; they are unjudged in "
        "its scores." in found.sentences
    )
    assert "Left out: 1 topic of qrels that not every judge has labelled." in found.sentences
    repeated = [("q", "d1", 1), ("q", "d1", 0), ("q", "d2", 0)]
    found = judges({"q": {"d1": 1, "d2": 0}}, [repeated], duplicates="majority")
    assert (
        "qrels (2): 1 repeated label of a document was combined with the others (duplicates=majority)."
        in found.sentences
    )


@pytest.mark.parametrize(
    ("human", "other", "samples", "error", "message"),
    [
        ({"q1": {"d": 1}}, {"q2": {"d": 1}}, 9, InputError, r"qrels \(1\) and qrels \(2\) have no topic in"),
        ({"q1": {"d": 1}}, {"q1": {"e": 1}}, 9, InputError, "have no judged document in common"),
        (
            {"q1": {"d": 3}},
            {"q1": {"d": 1}},
            9,
            InputError,
            r"grades up to 1 and .* up to 3: these",
        ),
        (
            {"q1": {"d": 1}},
            {"q1": {"d": 2}},
            9,
            InputError,
            "different scales; bring one to the scale of",
        ),
        ({"q1": {"d": 1}}, [], 9, OptionError, "there is no judge"),
        ({"q1": {"d": 1}}, {"q1": {"d": 1}}, 1, OptionError, "samples must be a whole number"),
    ],
)
def test_judges_that_cannot_be_compared_are_refused(human, other, samples, error, message):
    with pytest.raises(error, match=message):
        judges(human, other, samples=samples)


@pytest.mark.parametrize("what", [name for name in odd_campaigns() if name != "markup"])
def test_odd_campaigns_have_findings_or_a_clear_error(what):
    subtopics, runs = odd_campaigns()[what]
    qrels = {t: {d: g for docs in by.values() for d, g in docs.items()} for t, by in subtopics.items()}
    found = judges(qrels, qrels, runs, samples=5)
    assert found.sentences
    assert json.dumps(found.as_dict(), allow_nan=False)


def test_few_topics_leave_everything_open():
    two = {topic: small.QRELS[topic] for topic in TOPICS[:2]}
    found = judges(two, Qrels.of(two, "twin"), small.RUNS)
    assert (
        "These data leave open whether twin can be used to order all 5 runs (τ 1.000, no interval)"
        in found.sentences[0]
    )


def test_gpt_4o_on_trec_dl_2021(data):
    labels = data / "llm_labels" / "dl21.gpt-4o.umbrela.qrels.gz"
    folder = data / "trec_dl_2021_passage"
    if not labels.exists():
        pytest.skip("labels of language models are not there")
    found = judges(folder / "qrels.dl21-passage.txt.gz", labels, str(folder / "runs" / "*.gz"), samples=100)
    runs = found.records("runs")
    assert statistics.mean(row["human mean"] for row in runs) == pytest.approx(0.569, abs=5e-4)
    assert statistics.mean(row["judge's mean"] for row in runs) == pytest.approx(0.671, abs=5e-4)
    assert 0.06 < min(row["bias"] for row in runs) < max(row["bias"] for row in runs) < 0.14
    assert values(found, "orders", "all 63 runs", "tau")[0] == pytest.approx(0.94, abs=5e-3)
    best = sorted(runs, key=lambda row: -row["human mean"])[:15]
    assert tau_b([row["human mean"] for row in best], [row["judge's mean"] for row in best]) == pytest.approx(
        0.88, abs=5e-3
    )
    assert values(found, "agreement", "kappa")[0] == pytest.approx(0.37, abs=5e-3)
    assert "can be used to order all 63 runs" in found.sentences[0]
    assert "cannot be used to report its means as they are (bias +0.102" in found.sentences[0]


def test_very_many_grades_count_as_the_nearest_of_51(write):
    human = {str(topic): {f"d{n}": 2000 * n for n in range(51)} for topic in range(3)}
    near = (
        f"{topic} 0 {doc} {min(grade + step + int(topic), 100_000)}\n"
        for topic, docs in human.items()
        for doc, grade in docs.items()
        for step in (0, 300)
    )
    found = judges(human, write("judge.qrels", "".join(near)), duplicates="majority")
    assert values(found, "agreement", "same label, repeated")[0] == 1
    assert values(found, "agreement", "kappa")[0] == 1
    assert len(found.table("grades").rows) == judge_agreement.MAX_LEVELS


@pytest.mark.parametrize("topics", [1, 10])
def test_sentences_on_one_run_or_one_topic_have_no_numbers_that_are_missing(topics):
    human = {str(topic): {"d1": 1, "d2": 0, "d3": topic % 2} for topic in range(topics)}
    llm = {topic: {**grades, "d2": 1} for topic, grades in human.items()}
    runs = {name: dict.fromkeys(human, docs) for name, docs in (("a", ["d1", "d2"]), ("b", ["d2", "d1"]))}
    alone = judges(human, llm, {"a": runs["a"]}).sentences[0]
    assert "order" not in alone
    both = judges(human, llm, runs, groups={"a": "F", "b": "G", "qrels (2)": "F"})
    assert "Runs of its own group, F, are" in both.sentences[0]
    assert not {"nan", "+nan"} & {*" ".join([alone, *both.sentences]).replace("(", " ").split()}
