"""Golden values, and what SciPy and statsmodels find on the same numbers."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankgauge.comparison.corrections import correct
from rankgauge.comparison.registry import TESTS, TestOptions
from rankgauge.numbers.differences import all_pairs, differences

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "stats.json").read_text())
SHAPES = [(2, 5), (3, 8), (5, 30), (4, 60)]


def outcome(name, values, **ask):
    first, second = all_pairs(len(values))
    test = TESTS[name]
    data = (values, first, second) if test.kind == "all" else (differences(values, first, second),)
    return test.function(*data, TestOptions(**{"samples": test.samples or 1, **ask}))


def scores(runs, topics, places=6):
    return np.random.default_rng(runs * topics).beta(1, 2, (runs, topics)).round(places)


def same(found, expected):
    if expected is None:
        return math.isnan(found)
    return found == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["id"])
def test_the_golden_cases(case):
    values, expected = np.array(case["matrix"]).T, case["expected"]
    friedman = expected["friedman"]
    found = outcome("friedman", values)
    assert same(found.overall.statistic, friedman["T2"])
    if friedman["T1"] is not None:
        more = found.overall.more
        assert same(more["p of T2 (F)"], friedman["p_F"])
        assert same(more["T1"], friedman["T1"])
        assert same(more["p of T1 (χ²)"], friedman["p_chi2"])
        assert same(more["standard error of a difference of rank sums"], friedman["se"])
        assert same(more["critical difference of rank sums"], friedman["critical"])
    pairs = itertools.combinations(range(len(values)), 2)
    different = [list(pair) for pair, p in zip(pairs, found.p, strict=True) if p < 0.05]
    assert different == friedman["different"]
    for name, key in (("anova-one-way", "anova_oneway"), ("anova-two-way", "anova_twoway")):
        overall = outcome(name, values).overall
        assert same(overall.statistic, expected[key]["F"])
        assert same(overall.p, expected[key]["p"])
    t = outcome("t", values[:2])
    assert same(t.statistic[0], expected["t_paired_0_1"]["t"])
    assert same(t.p[0], expected["t_paired_0_1"]["p"])
    wilcoxon = outcome("wilcoxon", values[:2])
    assert wilcoxon.statistic[0] == expected["wilcoxon_0_1"]["W_plus"]
    assert outcome("wilcoxon", values[1::-1]).statistic[0] == expected["wilcoxon_0_1"]["W_minus"]
    assert same(wilcoxon.p[0], expected["wilcoxon_0_1"]["p_exact"])


def test_wilcoxons_normal_approximation_is_the_golden_one(monkeypatch):
    monkeypatch.setattr("rankgauge.comparison.procedures.paired.MAX_EXACT", 0)
    case = GOLDEN[0]
    found = outcome("wilcoxon", np.array(case["matrix"]).T[:2])
    assert same(found.p[0], case["expected"]["wilcoxon_0_1"]["p_normal"])
    assert found.method == ["normal approximation, 13 topics differ"]


@pytest.mark.parametrize(("runs", "topics"), SHAPES)
def test_paired_tests_agree_with_scipy(runs, topics):
    values = scores(runs, topics)
    first, second = all_pairs(runs)
    t, wilcoxon, sign = (outcome(name, values) for name in ("t", "wilcoxon", "sign"))
    for pair, (a, b) in enumerate(zip(values[first], values[second], strict=True)):
        expected = stats.ttest_rel(a, b)
        assert t.statistic[pair] == pytest.approx(expected.statistic, rel=1e-9)
        assert t.p[pair] == pytest.approx(expected.pvalue, rel=1e-9)
        method = "exact" if topics <= 50 else "approx"
        expected = stats.wilcoxon(np.round(a - b, 9), method=method, correction=False)
        assert wilcoxon.p[pair] == pytest.approx(expected.pvalue, rel=1e-9)
        expected = stats.binomtest(int((a > b).sum()), int((a != b).sum()))
        assert sign.p[pair] == pytest.approx(expected.pvalue, rel=1e-9)


def test_wilcoxon_with_ties_is_counted_over_all_signs():
    values = scores(2, 12, places=1)
    z = differences(values)[0]
    sizes = stats.rankdata(np.abs(z[z != 0]))
    signs = np.array(list(itertools.product((0, 1), repeat=len(sizes))))
    low = min(sizes[z[z != 0] > 0].sum(), sizes[z[z != 0] < 0].sum())
    found = outcome("wilcoxon", values)
    assert len(set(sizes)) < len(sizes)
    assert found.p[0] == min(1.0, 2 * float((signs @ sizes <= low).mean()))


@pytest.mark.parametrize(("runs", "topics"), SHAPES)
def test_the_randomisation_test_agrees_with_scipy(runs, topics):
    values = scores(runs, topics)
    first, second = all_pairs(runs)
    found = outcome("randomisation", values, samples=4000)
    for pair, (a, b) in enumerate(zip(values[first], values[second], strict=True)):
        expected = stats.permutation_test(
            (a - b,),
            lambda z, axis: np.abs(z.mean(axis=axis)),
            permutation_type="samples",
            alternative="greater",
            n_resamples=4000,
            vectorized=True,
            rng=np.random.default_rng(1),
        )
        exact = topics <= 8
        assert found.method[pair].startswith("exact" if exact else "4000 random")
        assert found.p[pair] == pytest.approx(
            expected.pvalue, rel=1e-9 if exact else 0, abs=0 if exact else 0.04
        )


def test_all_signs_put_together_in_halves_are_all_signs():
    for topics in (1, 2, 7, 10):
        z = differences(scores(2, topics, places=1))
        signs = np.array(list(itertools.product((-1, 1), repeat=topics)))
        sums = np.abs(signs @ np.round(10 * z[0]))
        expected = float((sums >= abs(np.round(10 * z[0]).sum())).mean())
        assert outcome("randomisation", scores(2, topics, places=1)).p[0] == expected


@pytest.mark.parametrize(("runs", "topics"), [shape for shape in SHAPES if shape[0] > 2])
@pytest.mark.parametrize("places", [6, 1])
def test_tests_of_all_runs_agree_with_scipy(runs, topics, places):
    values = scores(runs, topics, places)
    friedman = stats.friedmanchisquare(*values)
    found = outcome("friedman", values).overall.more
    assert found["T1"] == pytest.approx(friedman.statistic, rel=1e-9)
    assert found["p of T1 (χ²)"] == pytest.approx(friedman.pvalue, rel=1e-9)
    one_way = stats.f_oneway(*values)
    found = outcome("anova-one-way", values).overall
    assert found.statistic == pytest.approx(one_way.statistic, rel=1e-9)
    assert found.p == pytest.approx(one_way.pvalue, rel=1e-9)


@pytest.mark.parametrize(("runs", "topics"), SHAPES)
def test_the_two_way_analysis_agrees_with_statsmodels(runs, topics):
    pandas = pytest.importorskip("pandas")
    formulas = pytest.importorskip("statsmodels.formula.api")
    from statsmodels.stats.anova import anova_lm

    values = scores(runs, topics)
    rows = [(f"r{r}", f"t{t}", values[r, t]) for r in range(runs) for t in range(topics)]
    frame = pandas.DataFrame(rows, columns=["run", "topic", "value"])
    model = formulas.ols("value ~ C(run) + C(topic)", frame).fit()
    expected = anova_lm(model).loc["C(run)"]
    found = outcome("anova-two-way", values)
    assert found.overall.statistic == pytest.approx(expected["F"], rel=1e-8)
    assert found.overall.p == pytest.approx(expected["PR(>F)"], rel=1e-7)
    assert found.error == pytest.approx(math.sqrt(model.mse_resid), rel=1e-9)
    contrast = model.t_test("C(run)[T.r1] = 0")
    assert found.p[0] == pytest.approx(float(contrast.pvalue), rel=1e-7)
    assert found.half[0] == pytest.approx(np.ptp(contrast.conf_int(0.05)) / 2, rel=1e-8)
    q = abs(values[0].mean() - values[1].mean()) / math.sqrt(model.mse_resid / topics)
    tukey = outcome("tukey", values)
    assert tukey.p[0] == pytest.approx(stats.studentized_range.sf(q, runs, model.df_resid), abs=1e-9)


@pytest.mark.parametrize("name", ["holm", "bonferroni", "hochberg", "bh", "by"])
def test_corrections_agree_with_statsmodels(name):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    methods = {"hochberg": "simes-hochberg", "bh": "fdr_bh", "by": "fdr_by"}
    p = np.random.default_rng(0).random((20, 15)) ** 3
    p[:5] = p[:5].round(1)
    for row in p:
        expected = multitest.multipletests(row, method=methods.get(name, name))[1]
        assert correct(row, name).tolist() == pytest.approx(expected.tolist(), rel=1e-12)
