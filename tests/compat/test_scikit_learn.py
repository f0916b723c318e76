"""scikit-learn's ranking metrics: its values with and without ties, its documented examples, its errors."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import rankgauge
from rankgauge.compat import scikit_learn as ours

metrics = pytest.importorskip("sklearn.metrics")

ROWS, COLUMNS = 25, 13


def arrays(kind, ties, seed=0):
    """Labels of a kind and scores, in which many are equal if `ties`; the first rows have one label only."""
    source = np.random.default_rng([seed, ties])
    draw = {
        "binary": lambda size: source.integers(0, 2, size).astype(float),
        "graded": lambda size: source.integers(0, 4, size).astype(float),
        "real": source.random,
        "negative": lambda size: source.integers(-2, 3, size).astype(float),
    }[kind]
    true = draw((ROWS, COLUMNS))
    true[0], true[1] = 0.0, 1.0
    score = source.random((ROWS, COLUMNS))
    return true, np.round(3 * score) if ties else score


@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "tied"])
@pytest.mark.parametrize("k", [None, 1, 5, 13, 100])
@pytest.mark.parametrize("kind", ["binary", "graded", "real"])
def test_ndcg_and_dcg(kind, k, ties):
    true, score = arrays(kind, ties)
    weights = np.random.default_rng(1).random(ROWS)
    for name in ("ndcg_score", "dcg_score"):
        for options in ({}, {"sample_weight": weights}, {"ignore_ties": True}):
            expected = getattr(metrics, name)(true, score, k=k, **options)
            if not (ties and "ignore_ties" in options):  # "otherwise we get wrong results"
                assert getattr(ours, name)(true, score, k=k, **options) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "tied"])
def test_dcg_takes_other_bases_and_negative_gains(ties):
    true, score = arrays("negative", ties)
    for base in (2, 10, 0.5, 1.5):
        expected = metrics.dcg_score(true, score, k=7, log_base=base)
        assert ours.dcg_score(true, score, k=7, log_base=base) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "tied"])
@pytest.mark.parametrize(
    "name", ["coverage_error", "label_ranking_average_precision_score", "label_ranking_loss"]
)
@pytest.mark.parametrize("seed", range(5))
def test_rankings_of_labels(name, ties, seed):
    true, score = arrays("binary", ties, seed)
    weights = np.random.default_rng(1).random(ROWS)
    for options in ({}, {"sample_weight": weights}):
        expected = getattr(metrics, name)(true, score, **options)
        assert getattr(ours, name)(true, score, **options) == pytest.approx(expected, rel=1e-12)
    assert getattr(ours, name)(csr_matrix(true), score) == getattr(ours, name)(true, score)


@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "tied"])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_top_k_accuracy(k, ties):
    _, score = arrays("binary", ties)
    classes = np.arange(100, 100 + COLUMNS)
    true = np.random.default_rng(2).choice(classes, ROWS)
    weights = np.random.default_rng(1).random(ROWS)
    for options in ({}, {"normalize": False}, {"sample_weight": weights}):
        for both in (options, {**options, "normalize": False}):
            expected = metrics.top_k_accuracy_score(true, score, k=k, labels=classes, **both)
            assert ours.top_k_accuracy_score(true, score, k=k, labels=classes, **both) == pytest.approx(
                expected
            )


def test_the_examples_of_scikit_learn():
    relevance = np.asarray([[10, 0, 0, 1, 5]])
    scores = np.asarray([[0.1, 0.2, 0.3, 4, 70]])
    assert ours.ndcg_score(relevance, scores) == pytest.approx(0.69, abs=0.01)
    assert ours.dcg_score(relevance, scores) == pytest.approx(9.49, abs=0.01)
    assert ours.dcg_score(relevance, scores, k=2) == pytest.approx(5.63, abs=0.01)
    scores = np.asarray([[0.05, 1.1, 1.0, 0.5, 0.0]])
    assert ours.ndcg_score(relevance, scores) == pytest.approx(0.49, abs=0.01)
    assert ours.ndcg_score(relevance, scores, k=4) == pytest.approx(0.35, abs=0.01)
    assert ours.ndcg_score(relevance, relevance, k=4) == 1.0
    tied = np.asarray([[1, 0, 0, 0, 1]])
    assert ours.ndcg_score(relevance, tied, k=1) == 0.75
    assert ours.ndcg_score(relevance, tied, k=1, ignore_ties=True) == 0.5
    assert ours.dcg_score(relevance, tied, k=1) == 7.5
    assert ours.dcg_score(relevance, tied, k=1, ignore_ties=True) == 5.0
    labels, scores = [[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]
    assert ours.label_ranking_average_precision_score(labels, scores) == pytest.approx(5 / 12)
    assert ours.label_ranking_loss(labels, scores) == 0.75
    classes, scores = [0, 1, 2, 2], [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
    assert ours.top_k_accuracy_score(classes, scores, k=2) == 0.75
    assert ours.top_k_accuracy_score(classes, scores, k=2, normalize=False) == 3.0


def test_more_than_ten_rows_keep_their_weights():
    true, score = arrays("graded", False)
    one = np.zeros(ROWS)
    one[11] = 1.0  # rows are sorted as text inside: 0, 1, 10, 11, ...
    expected = ours.ndcg_score(true[11:12], score[11:12])
    assert ours.ndcg_score(true, score, sample_weight=one) == pytest.approx(expected)


GOOD = [[1, 0, 1]]


@pytest.mark.parametrize(
    ("name", "true", "score", "options", "message"),
    [
        ("ndcg_score", [1, 0, 1], [1, 2, 3], {}, r"not the shape \(3,\); a single topic is"),
        ("ndcg_score", GOOD, [[1, 2]], {}, r"same shape, not \(1, 3\) and \(1, 2\)"),
        ("ndcg_score", [[1, -1, 0]], GOOD, {}, "negative values"),
        ("ndcg_score", [[1], [0]], [[1], [0]], {}, "one column"),
        ("ndcg_score", GOOD, [[1, float("nan"), 2]], {}, "y_score must have finite numbers"),
        ("ndcg_score", [["a", "b", "c"]], GOOD, {}, "y_true must have numbers"),
        ("ndcg_score", [[1, 0], [1]], GOOD, {}, "rows of the same length"),
        ("ndcg_score", [[]], [[]], {}, r"not the shape \(1, 0\)"),
        ("ndcg_score", GOOD, GOOD, {"k": 0}, "k must be a whole number from 1 on, or None, not 0"),
        ("ndcg_score", GOOD, GOOD, {"k": 1.5}, "k must be a whole number"),
        ("ndcg_score", GOOD, GOOD, {"sample_weight": [1, 2]}, "a weight for each of 1 rows"),
        ("dcg_score", GOOD, GOOD, {"log_base": 1}, "log_base must be a number above 0 other than 1"),
        ("label_ranking_average_precision_score", [[1, 0, 2]], GOOD, {}, "1 for relevant labels and 0 for"),
        ("label_ranking_loss", [[1, 0, 2]], GOOD, {}, "ndcg_score takes grades"),
        ("top_k_accuracy_score", [0, 1], GOOD, {}, r"a class for each of 1 rows, not the shape \(2,\)"),
        ("top_k_accuracy_score", [0, 1, 2], [0.1, 0.2, 0.7], {}, "y_score must have a row per sample"),
        ("top_k_accuracy_score", [7], GOOD, {}, "3 columns, and there are 1 classes; pass labels="),
        ("top_k_accuracy_score", [7], GOOD, {"labels": [0, 1, 2]}, "there are 4 classes"),
        ("top_k_accuracy_score", [2], GOOD, {"labels": [2, 1, 0]}, "labels must be in ascending order"),
        ("top_k_accuracy_score", [2], GOOD, {"labels": [0, 1, 2, 2]}, "each once"),
        ("ndcg_score", [[1e300, 0, 1]], GOOD, {}, "the grade 1e.300 is too large"),
    ],
)
def test_what_has_no_value_is_a_value_error(name, true, score, options, message):
    with pytest.raises(ValueError, match=message):
        getattr(ours, name)(true, score, **options)


@pytest.mark.parametrize("score", [[0.1, 0.2, 0.7, 0.5], [-1.0, 0.3, 2.0, 0.0]])  # of probabilities, or not
def test_two_classes_need_the_scores_of_the_second_alone(score):
    expected = metrics.top_k_accuracy_score([0, 1, 1, 1], score, k=1)
    assert ours.top_k_accuracy_score(["no", "yes", "yes", "yes"], score, k=1) == expected < 1


def test_the_area_under_the_curve_is_that_of_scikit_learn_ties_included(cases):
    for _, random in cases(50):
        relevant = [1, 0, *(random.randrange(2) for _ in range(random.randrange(30)))]
        scores = [float(random.randrange(8)) for _ in relevant]
        qrels = {"q": {str(doc): grade for doc, grade in enumerate(relevant)}}
        run = {"q": {str(doc): score for doc, score in enumerate(scores)}}
        value = rankgauge.evaluate(qrels, run, "AUC").values[0, 0, 0]
        assert value == pytest.approx(metrics.roc_auc_score(relevant, scores), rel=1e-12)


def test_a_k_that_makes_the_score_1_is_warned_of():
    exceptions = pytest.importorskip("sklearn.exceptions")
    with pytest.warns(
        exceptions.UndefinedMetricWarning, match=r"'k' \(2\) greater than or equal to 'n_classes' \(2\)"
    ):
        assert ours.top_k_accuracy_score([0, 1], [[0.5, 0.25], [0.5, 0.25]], k=2) == 1.0
