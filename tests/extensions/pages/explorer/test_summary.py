"""The three sentences at the top."""

import numpy as np
import pytest

import rankgauge
from extensions.pages.explorer.small import QRELS, RUNS
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.views.headlines import NO_CAUTION, summary_sentences

# Runs with known means, by a measure of scores from elsewhere: best, next, and one that is clearly worse.
TOPICS = [f"t{i}" for i in range(30)]
SCORES = {
    "worst": {t: 0.1 + 0.01 * (i % 3) for i, t in enumerate(TOPICS)},
    "best": {t: 0.6 + 0.01 * (i % 5) for i, t in enumerate(TOPICS)},
    "next": {t: 0.6 + 0.01 * (i * 7 % 5) - 0.001 * (i % 2) for i, t in enumerate(TOPICS)},
}


def session(scores=SCORES, measure="AP", **options):
    return Session(Campaign.of_scores(rankgauge.Scores.from_table(scores, measure)), **options)


def test_without_a_baseline_runs_are_compared_with_the_best_and_it_says_so():
    best, difference, careful = summary_sentences(session())
    assert best.startswith("3 runs on 30 topics: best is best by AP, with 0.6200 (95 % interval ")
    assert "ahead of the next run, next, by 0.0005 (0.1 %), which chance may explain" in difference
    assert "1 of 2 other runs is significantly worse" in difference
    assert "no baseline was chosen, so each run is compared with the best" in difference
    assert careful == NO_CAUTION


def test_two_topics_have_no_useful_interval_and_a_mean_near_0_no_percentage():
    best, difference, _ = summary_sentences(session({"a": [0.5, 0.75], "b": [1e-14, 1e-14]}))
    assert best.endswith("a is best by AP, with 0.6250 (no useful 95 % interval).")
    assert "ahead of the next run, b, by 0.6250, " in difference


def test_a_baseline_is_compared_with_the_best():
    _, difference, _ = summary_sentences(session(), None, "worst")
    assert "ahead of the baseline, worst, by 0.5100 (463.6 %), more than chance explains" in difference
    assert "2 of 2 runs are significantly better than the baseline" in difference
    assert summary_sentences(session(baseline="worst")) == summary_sentences(session(), None, "worst")
    assert "the baseline is best" in summary_sentences(session(baseline="best"))[1]


def test_the_numbers_are_those_of_compare():
    scores = rankgauge.evaluate(QRELS, RUNS, "AP")
    pair = next(p for p in rankgauge.compare(scores, baseline="bm25")["AP"].pairs if p.run == "hybrid")
    _, difference, _ = summary_sentences(Session(Campaign(QRELS, RUNS), "AP"), "AP", "bm25")
    assert f"by {abs(pair.difference):.4f} ({abs(pair.percent):.1f} %)" in difference
    assert f"corrected p = {pair.corrected:.4f}" in difference


def test_runs_that_share_the_best_mean_are_named_together():
    mirrored = dict(zip(TOPICS, reversed(SCORES["best"].values()), strict=True))
    best, difference, _ = summary_sentences(session({**SCORES, "also best": mirrored}))
    assert "best and also best are best" in best
    assert "They are ahead of the next run, next" in difference


def test_runs_with_the_values_of_the_best_are_not_called_best():
    copies = {**SCORES, "also best": SCORES["best"]}
    best, difference, _ = summary_sentences(session(copies))
    assert best.startswith("4 runs on 30 topics: best is best by AP, with 0.6200 ")
    assert best.endswith("; also best has the same value on every topic.")
    assert difference.startswith("It is ahead of the next run, next")
    assert "so each run is compared with the best)" in difference
    best, *_ = summary_sentences(session({**copies, "third": SCORES["best"]}, baseline="third"))
    assert ": third is best by AP" in best
    assert best.endswith("; best and also best have the same value on every topic.")
    assert (
        summary_sentences(session(dict.fromkeys("abc", SCORES["best"])))[1] == "No run is ahead of another."
    )


def test_lower_may_be_better():
    best, *_ = summary_sentences(session({"a": {"t": 3.0, "u": 4.0}, "b": {"t": 9.0, "u": 8.0}}, "ASL"))
    assert "a is best by ASL, where lower is better" in best


def test_little_to_say():
    assert len(summary_sentences(session({"a": SCORES["best"]}))) == 2
    _, difference, careful = summary_sentences(session({"a": {"t": 0.5}, "b": {"t": 0.25}}))
    assert "cannot be tested (undefined, a single topic)" in difference
    assert "only 1 topic" in careful
    nothing = float("nan")
    assert summary_sentences(session({"a": {"t": nothing}, "b": {"t": nothing}})) == (
        "2 runs on 1 topic: AP is undefined for all of them.",
    )


def test_measures_that_disagree_are_a_reason_for_care():
    qrels = {f"t{i}": {"a": 1, "b": 1, "c": 1} for i in range(30)}
    early = {t: {"a": 3.0, "x": 2.0, "y": 1.0} for t in qrels}
    full = {t: {"x": 4.0, "a": 3.0, "b": 2.0, "c": 1.0} for t in qrels}
    of_both = Session(Campaign(qrels, {"early": early, "full": full}))
    careful = summary_sentences(of_both, "RR R@10")[-1]
    assert "measures disagree about the best run: full by R@10" in careful
    assert "disagree" not in summary_sentences(of_both, "RR")[-1]


def test_means_alone_have_no_topics():
    best, *_ = summary_sentences(Session(Campaign.of_means({"a": {"AP": 0.25}, "b": {"AP": 0.2}})))
    assert best == "2 runs: a is best by AP, with 0.2500."


def test_a_measure_that_is_undefined_for_all_runs_does_not_disagree():
    undefined = {run: dict.fromkeys(TOPICS, float("nan")) for run in SCORES}
    table = {run: {"AP": SCORES[run], "RR": undefined[run]} for run in SCORES}
    assert "disagree" not in summary_sentences(Session(Campaign.of_scores(table)))[-1]


@pytest.mark.parametrize("test", ["wilcoxon", "tukey"])
def test_another_test_is_named(test):
    title = rankgauge.comparison.registry.TESTS[test].title
    assert title in summary_sentences(session(), test=test)[1]


def test_runs_and_measures_go_by_their_labels():
    labels = {"AP": "average precision", "best": "Ours"}
    best, *_ = summary_sentences(session(labels=labels))
    assert best.startswith("3 runs on 30 topics: Ours is best by average precision, with 0.6200 ")


def test_a_difference_that_was_not_tested_is_not_taken_for_one():
    _, difference, _ = summary_sentences(session(), None, "worst")
    assert ", and of next, the next run, by 0.0005 (0.1 %), which was not tested; 2 of 2 runs" in difference


def test_a_test_that_disagrees_with_the_means_says_so():
    often = {"A": [0.5] * 30, "B": [0.52] * 24 + [0.0] * 6, "C": [0.1, 0.2] * 15}
    _, difference, _ = summary_sentences(session(often), test="sign")
    assert difference.endswith(". The means say otherwise for B > A.")
    assert "though the test finds the other one better (corrected p = 0.0014)" in difference


def test_an_overall_test_without_significance_is_named():
    rng = np.random.default_rng(0)
    runs = {name: rng.random(30).tolist() for name in "ABCDE"}
    _, difference, _ = summary_sentences(session(runs), test="friedman", correction="none")
    assert "Friedman's test finds no significant difference among the runs (T2, F(4, 116) = " in difference
    assert "4 pairs, significant only if the overall test is" in difference


def test_topics_that_are_no_random_sample_are_a_caution():
    topics = [f"t{n:02}" for n in range(24)]
    runs = {name: {t: ["a", "b"] for t in topics} for name in ("one", "two")}
    llm = {t: {"a": int(n < 12 or n % 4 == 0), "b": 1} for n, t in enumerate(topics)}
    human = {t: {"a": 1, "b": 1} for t in topics[:12]}
    session = Session(Campaign(llm, runs, human_qrels=human), "nDCG@10")
    last = summary_sentences(session)[-1]
    assert "; nDCG@10: the topics with human judgments differ from the others" in last
