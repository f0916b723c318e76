"""Parameters of fusion chosen by cross-validation."""

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.tools import fusion_tuning

from .test_fusion import random_runs

QRELS = {f"q{topic}": {f"d{doc}": (topic + doc) % 3 for doc in range(0, 14, 2)} for topic in range(10)}
MEASURE = "nDCG@5"


@pytest.fixture(scope="module")
def tuned():
    """Three runs, weighted; the topics q10 and q11 have no judgments."""
    return rankgauge.tune_fusion(QRELS, random_runs(), MEASURE, folds=4, depth=6)


def trial_values(runs, measure, weights, **options):
    """{topic: value} of the runs fused with some weights."""
    fused = rankgauge.fuse(runs, "wsum", weights=weights, **options)
    return rankgauge.evaluate(QRELS, fused, measure).to_dict()["fused"][measure]


def test_every_topic_has_parameters_chosen_on_the_others(tuned):
    runs, grid = random_runs(), fusion_tuning.combinations("wsum", 3, {}, 0)
    values = [trial_values(runs, MEASURE, trial["weights"], depth=6) for trial in grid]
    assert sorted(topic for fold in tuned.folds for topic in fold.topics) == sorted(QRELS)
    for fold in tuned.folds:
        means = [np.mean([of[topic] for topic in QRELS if topic not in fold.topics]) for of in values]
        assert fold.chosen_on == pytest.approx(max(means))
        place = next(
            n for n, trial in enumerate(grid) if (trial["weights"] == fold.parameters["weights"]).all()
        )
        assert means[place] == pytest.approx(max(means))
        assert fold.held_out == pytest.approx(np.mean([values[place][topic] for topic in fold.topics]))


def test_the_run_has_each_topic_fused_with_the_parameters_of_its_fold(tuned):
    runs, found = random_runs(), tuned.run.to_dict()
    by_topic = {topic: fold.parameters for fold in tuned.folds for topic in fold.topics}
    assert [*found] == [*rankgauge.fuse(runs).to_dict()]
    for topic, scores in found.items():
        weights = by_topic.get(topic, tuned.parameters)["weights"]
        expected = rankgauge.fuse(runs, "wsum", weights=weights, depth=6).to_dict()[topic]
        assert [*scores.items()] == [*expected.items()]
    assert float(rankgauge.evaluate(QRELS, tuned.run, MEASURE)) == float(tuned.scores)


def test_judgments_of_a_topic_do_not_change_its_results(tuned):
    topic = tuned.folds[0].topics[0]
    others = {**QRELS, topic: {doc: 2 - grade for doc, grade in QRELS[topic].items()}}
    again = rankgauge.tune_fusion(others, random_runs(), MEASURE, folds=4, depth=6)
    assert again.run.to_dict()[topic] == tuned.run.to_dict()[topic]


def test_the_seed_decides_the_folds(tuned):
    topics = [
        [
            fold.topics
            for fold in rankgauge.tune_fusion(
                QRELS, random_runs(), MEASURE, "rrf", folds=4, seed=seed, weights=[1, 1, 1]
            ).folds
        ]
        for seed in (0, 0, 1)
    ]
    assert topics[0] == topics[1] == [fold.topics for fold in tuned.folds]
    assert topics[0] != topics[2]


def test_the_choice_is_reported(tuned):
    text = str(tuned)
    assert "the parameters of a topic were never chosen on that topic" in text
    assert f"bm25 {tuned.parameters['weights'][0]:g}" in text
    assert tuned.table().headers == ("fold", "topics", "parameters", "where chosen", "held out")


@pytest.mark.parametrize(
    ("method", "runs", "trials"),
    [("wsum", 2, 11), ("wsum", 3, 67), ("wsum", 9, 300), ("rrf", 2, 132), ("rrf", 6, 300)],
)
def test_trials_begin_with_the_defaults(method, runs, trials):
    found = fusion_tuning.combinations(method, runs, {}, 3)
    assert len(found) == trials
    assert found[0]["weights"].tolist() == [1 / runs] * runs
    assert found[0].get("k", 60) == 60
    assert len({(each.get("k"), *each["weights"].tolist()) for each in found}) > 0.95 * trials
    assert all(each["weights"].sum() == pytest.approx(1, abs=0.05) for each in found)
    distances = [round(np.square(each["weights"]).sum(), 9) for each in found if each.get("k", 60) == 60]
    assert distances == sorted(distances)  # from equal weights


def test_lower_values_may_be_better():
    runs = {"good": {}, "bad": {}}
    for topic, judged in QRELS.items():
        runs["good"][topic] = {doc: float(grade) for doc, grade in judged.items()}
        runs["bad"][topic] = {doc: -float(grade) for doc, grade in judged.items()}
    for measure in ("AP", "Fallout(docs=14)@2"):
        tuned = rankgauge.tune_fusion(QRELS, runs, measure, folds=2)
        assert all(fold.parameters["weights"][0] > 0.5 for fold in tuned.folds), measure


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "sum"},
            "sum has no parameter left to tune; choose one of rrf, wsum, wmnz, mixed, borda, and leave out",
        ),
        ({"weights": [1, 2, 3]}, "wsum has no parameter left to tune"),
        ({"measure": "AP nDCG@10"}, "tuned for one measure, not for AP, nDCG@10"),
        ({"folds": 1}, "folds must be a whole number from 2 to 10, not 1"),
        ({"folds": 11}, "folds must be a whole number from 2 to 10, not 11"),
        ({"seed": -1}, "seed must be a whole number from 0, not -1"),
        ({"ties": "best"}, "fusion needs one order of documents"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        rankgauge.tune_fusion(QRELS, random_runs(), **{"measure": MEASURE, **options})
    with pytest.raises(InputError, match="results for 0 judged topics; tuning needs 2"):
        rankgauge.tune_fusion({"x": {"d": 1}}, random_runs(), MEASURE)
