"""A run and its reproduction: the measures of the paper in plain loops, and what intervals cover."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import rankgauge
from extensions.studies import small
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.studies.replication import ratio, replicate, tau_of_union
from rankgauge.numbers.bootstrap import TopicBootstrap

RUNS = dict(zip(("original", "again", "baseline", "baseline again"), small.RUNS.values(), strict=False))


def tau(one, other):
    """Breuer et al. 2020, section 3.1: pairs of places in the same order less those in the other."""
    union = [*one, *(doc for doc in other if doc not in one)]
    a, b = ([union.index(doc) for doc in ranking] for ranking in (one, other))
    places = range(min(len(a), len(b)))
    signs = [math.copysign(1, (a[i] - a[j]) * (b[i] - b[j])) for i, j in combinations(places, 2)]
    return sum(signs) / len(signs)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("abc", "abc", 1),
        ("abc", "abd", 1),  # the example of the paper
        ("abc", "cba", -1),
        ("abcd", "ab", 1),
        ("abc", "xyz", 1),  # which it calls a weakness: RBO is 0
        ("a", "a", 1),
    ],
)
def test_the_union_of_documents_is_in_the_order_of_both_rankings(one, other, expected):
    assert tau_of_union([*one], [*other]) == expected


def test_random_rankings_have_the_tau_of_the_slow_twin():
    source = np.random.default_rng(1)
    for _ in range(50):
        one, other = ([f"d{n}" for n in source.permutation(9)[: source.integers(2, 9)]] for _ in range(2))
        assert tau_of_union(one, other) == pytest.approx(tau(one, other) if one != other else 1)
    assert math.isnan(tau_of_union([], ["a"]))
    assert math.isnan(tau_of_union(["a"], ["b"]))


def test_values_and_effects_are_those_of_the_formulas():
    measures = ["AP", "nDCG@10"]
    given = {name.replace(" ", "_"): run for name, run in RUNS.items()}
    found = replicate(small.QRELS, measures=measures, margin=0.1, samples=50, **given)
    scores = rankgauge.evaluate(small.QRELS, RUNS, measures)
    for place, measure in enumerate(measures):
        one, two, base, base_two = scores.values[:, place]
        row = next(each for each in found.records("values") if each["measure"] == measure)
        squares = [(x - y) ** 2 for x, y in zip(one, two, strict=True)]
        most = [max(x, 1 - x) ** 2 for x in one]
        assert row["RMSE"] == pytest.approx(math.sqrt(sum(squares) / len(squares)))
        assert row["nRMSE"] == pytest.approx(math.sqrt(sum(squares) / sum(most)))
        test = stats.ttest_rel(two, one)
        ends = test.confidence_interval()
        assert (row["p"], row["low"], row["high"]) == pytest.approx((test.pvalue, ends.low, ends.high))
        error = stats.sem(two - one)
        sides = [stats.t.sf((0.1 + sign * np.mean(two - one)) / error, len(one) - 1) for sign in (1, -1)]
        assert row["p of equivalence"] == pytest.approx(max(sides))
        effect = next(each for each in found.records("effect") if each["measure"] == measure)
        gain, again = one.mean() - base.mean(), two.mean() - base_two.mean()
        assert effect["ER"] == pytest.approx(again / gain)
        assert effect["ΔRI"] == pytest.approx(gain / base.mean() - again / base_two.mean())
        assert effect["ΔRI low"] < effect["ΔRI"] < effect["ΔRI high"]


def test_a_run_reproduces_itself():
    same, base = RUNS["original"], RUNS["baseline"]
    found = replicate(small.QRELS, same, same, "AP RR", baseline=base, margin=0.01)
    assert [row["mean"] for row in found.records("order")] == [1, 1]
    for row in found.records("values"):
        assert (row["RMSE"], row["nRMSE"], row["difference"], row["p"]) == (0, 0, 0, 1)
        assert row["verdict"] == "same"
    assert [(row["ER"], row["ΔRI"]) for row in found.records("effect")] == [(1, 0), (1, 0)]
    assert "AP: " in found.sentences[0]
    assert found.sentences[0].endswith("the same within a margin of 0.01.")


def test_no_difference_found_is_not_the_same():
    found = replicate(small.QRELS, RUNS["original"], RUNS["again"], "P@1", margin=0.001)
    (row,) = found.records("values")
    assert row["verdict"] in ("undecided", "different")
    assert "effect" not in found.tables


def test_a_measure_without_a_largest_value_has_no_normalised_error():
    (row,) = replicate(small.QRELS, RUNS["original"], RUNS["again"], "DCG@10").records("values")
    assert row["RMSE"] > 0
    assert math.isnan(row["nRMSE"])


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(OptionError, match="needs that of the original run"):
        replicate(small.QRELS, RUNS["original"], RUNS["again"], baseline_again=RUNS["baseline"])
    with pytest.raises(InputError, match="again must be one run"):
        replicate(small.QRELS, RUNS["original"], {"a": RUNS["again"], "b": RUNS["original"]})


def covered(draws, interval, true):
    return np.mean([low <= true <= high for _, low, high in map(interval, draws)])


def test_intervals_cover_what_they_say():
    """400 draws of 40 topics: the standard error of a coverage of 95 % is 1.1 %."""
    source, draws, topics = np.random.default_rng(2), 400, 40
    pairs = source.multivariate_normal([0.1, 0.08], [[0.02, 0.012], [0.012, 0.02]], size=(draws, topics))
    found = covered(pairs, lambda each: ratio(each[:, 1], each[:, 0]), 0.8)
    assert abs(found - 0.95) <= 3 * math.sqrt(0.05 * 0.95 / draws)
    bootstrap = TopicBootstrap(200, 1)
    differences = source.normal(scale=0.1, size=(draws, topics))

    def root(each):
        squares = np.stack([each**2, np.ones(topics)], axis=1)
        return bootstrap.interval(lambda sums: np.sqrt(sums[..., 0] / sums[..., 1]), squares, math.inf)

    assert covered(differences, root, 0.1) >= 0.95 - 0.02 - 3 * math.sqrt(0.05 * 0.95 / draws)


def test_a_ratio_over_what_may_be_0_has_no_ends():
    source = np.random.default_rng(3)
    value, low, high = ratio(source.normal(1, 1, 20), source.normal(0, 1, 20))
    assert math.isfinite(value)
    assert math.isnan(low)
    assert math.isnan(high)
    assert all(map(math.isnan, ratio(np.ones(1), np.ones(1))))


def test_the_command_shows_all_of_it(tmp_path, invoke):
    small.MADE.write(tmp_path)
    runs = sorted(str(path) for path in (tmp_path / "runs").iterdir())
    command = ["replicate", tmp_path / "qrels.txt", *runs[:2], "--baseline", runs[2], "-m", "AP"]
    out = invoke(*command, "--margin", "0.5").out
    assert "AP: " in out
    assert "the same within a margin of 0.5" in out
    assert "ΔRI" in out
    assert "baseline" in out
    assert invoke(*command, "--table", "topics", "--format", "csv").out.count("\n") == 13
    assert "--margin must be" in invoke(*command, "--margin", "-1", code=2).err
