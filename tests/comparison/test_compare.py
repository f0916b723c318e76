"""The verb and its record: pairs, baselines, topics that do not count, what is shown."""

import json
import math
from itertools import groupby

import numpy as np
import pytest
from scipy.stats import ttest_rel

import rankgauge
from rankgauge import Scores, compare, parse
from rankgauge.comparison.registry import T_INTERVAL, TESTS
from rankgauge.comparison.result import p_phrase, p_text, printed_p, stars
from rankgauge.errors import MeasureError, OptionError
from rankgauge.model.output.tables import FORMATS, lines
from rankgauge.numbers.differences import CELLS
from rankgauge.schema.text import letters

QRELS = {f"q{n}": {"a": 1, "b": 0, "c": 1} for n in range(6)}
RUNS = {
    "one": {f"q{n}": {"a": 3.0, "b": 2.0, "c": 1.0} for n in range(6)},
    "two": {f"q{n}": {"a": 1.0 + n, "b": 2.5, "c": 0.5} for n in range(6)},
}


def scores(runs=5, topics=20, seed=0, measure="AP", spread=0.1):
    values = np.random.default_rng(seed).beta(2, 3, (1, topics)) * np.linspace(0.5, 1.0, runs)[:, None]
    values += np.random.default_rng(seed + 1).normal(0, spread, values.shape)
    return Scores.from_table(
        {f"r{n}": dict(enumerate(row)) for n, row in enumerate(values.tolist())}, measure
    )


def test_the_numbers_of_a_pair():
    table = {"old": [0.1, 0.2, 0.3, 0.5], "new": [0.2, 0.3, 0.5, 0.5]}
    comparison = compare(Scores.from_table(table, "AP"))
    (pair,) = comparison["AP"].pairs
    assert (pair.run, pair.against, pair.topics) == ("new", "old", 4)
    assert pair.mean == 0.375
    assert pair.mean_against == 0.275
    assert pair.difference == pytest.approx(0.1)
    assert pair.percent == pytest.approx(100 * 0.1 / 0.275)
    assert (pair.wins, pair.ties, pair.losses) == (3, 1, 0)
    deviation = np.std([0.1, 0.1, 0.2, 0.0], ddof=1)
    assert pair.effect == pytest.approx(0.1 / deviation)
    assert pair.statistic == pytest.approx(0.1 / (deviation / 2))
    reach = 3.182446305284263 * deviation / 2  # the quantile 0.975 of t with 3 df
    assert (pair.low, pair.high) == (pytest.approx(0.1 - reach), pytest.approx(0.1 + reach))
    assert pair.p == pair.corrected == pytest.approx(ttest_rel(table["new"], table["old"]).pvalue)


@pytest.mark.parametrize(
    ("percent", "label"), [(4.99, "marginal"), (-5.01, "noticeable"), (10.1, "essential")]
)
def test_the_practical_label_is_spaerck_jones(percent, label):
    values = np.array([0.2, 0.4, 0.6, 0.8])
    table = {"a": values.tolist(), "b": (values * (1 + percent / 100)).tolist()}
    comparison = compare(Scores.from_table(table), alpha=0.2)
    assert comparison.practical(comparison["value"].pairs[0]) == label


def test_a_difference_to_nothing_has_no_per_cent():
    comparison = compare({"a": [0.0, 0.0, 0.0], "b": [0.11, 0.12, 0.1]})
    (pair,) = comparison["value"].pairs
    assert math.isnan(pair.percent)
    assert pair.p < 0.05
    assert comparison.practical(pair) == ""


@pytest.mark.parametrize(
    ("old", "new", "percent"),
    [
        ([2e-14, 3e-14, 1e-14], [0.4, 0.3, 0.36], math.nan),
        ([4.0, -4.0, 1e-15], [3.0, -4.0, 1.0], math.nan),  # cancels
        ([1e-14, 3e-14, 2e-14], [2e-14, 4e-14, 3e-14], 50.0),  # small is not near 0
        ([0.0, 0.0, 0.004], [0.0, 0.0, 1.0], pytest.approx(24_900.0)),
        ([0.0, 0.0, 0.0029], [0.0, 0.0, 1.0], math.nan),
    ],
)
def test_nothing_is_shown_in_per_cent_of_a_mean_near_0(old, new, percent):
    comparison = compare(Scores.from_table({"old": old, "new": new}), baseline="old")
    (pair,) = comparison["value"].pairs
    assert pair.percent == pytest.approx(percent, nan_ok=True)
    archived = comparison.as_dict()["measures"][0]["pairs"][0]["percent"]
    assert (archived is None) == math.isnan(pair.percent)


def test_nothing_is_called_essential_that_is_not_significant():
    comparison = compare(scores(2, 8, spread=0.5))
    (pair,) = comparison["AP"].pairs
    assert abs(pair.percent) > 10
    assert pair.corrected > 0.05
    assert comparison.practical(pair) == comparison.table().rows[0][-1] == ""
    assert "essential" not in repr(comparison)
    assert comparison.as_dict()["measures"][0]["pairs"][0]["practical"] == ""


def test_all_pairs_a_later_run_against_an_earlier_one():
    found = [(pair.run, pair.against) for pair in compare(scores(3))["AP"].pairs]
    assert found == [("r1", "r0"), ("r2", "r0"), ("r2", "r1")]


@pytest.mark.parametrize("name", TESTS)
def test_baselines_change_the_pairs_and_not_their_p(name):
    everything = compare(scores(), test=name, correction="none")["AP"].pairs
    against = compare(scores(), test=name, correction="none", baseline=["r1", "r3"])["AP"].pairs
    assert [(pair.run, pair.against) for pair in against] == [
        (run, base) for base in ("r1", "r3") for run in ("r0", "r2", "r4")
    ]
    p = {frozenset((pair.run, pair.against)): pair.p for pair in everything}
    fewer = name == "max-t"  # whose p accounts for the pairs that are compared, and no others
    assert all(
        (pair.p <= p[key] if fewer else pair.p == p[key])
        for pair in against
        for key in [frozenset((pair.run, pair.against))]
    )


def test_a_family_is_the_pairs_of_one_measure():
    found = compare(scores(4), correction="bonferroni")["AP"].pairs
    assert all(pair.corrected == min(1.0, 6 * pair.p) for pair in found)
    found = compare(scores(4), correction="bonferroni", baseline="r0")["AP"].pairs
    assert all(pair.corrected == min(1.0, 3 * pair.p) for pair in found)


def test_tests_that_count_with_all_pairs_are_not_corrected_again():
    assert compare(scores(), test="tukey").correction == "none"
    assert compare(scores()).correction == "holm"
    assert compare(scores(), test="tukey", correction="bonferroni").correction == "bonferroni"


@pytest.mark.parametrize("name", [n for n, test in TESTS.items() if test.kind == "pair"])
def test_a_pair_is_compared_on_the_topics_that_both_have(name):
    table = scores(3, 12).to_dict()
    del table["r1"]["AP"]["3"], table["r2"]["AP"]["7"]
    found = compare(Scores.from_table(table), test=name)
    assert [pair.topics for pair in found["AP"].pairs] == [11, 11, 10]
    common = {
        run: {"AP": {t: v for t, v in table[run]["AP"].items() if t not in ("3", "7")}}
        for run in ("r1", "r2")
    }
    (alone,) = compare(Scores.from_table(common), test=name)["AP"].pairs
    pair = found["AP"].pairs[2]
    for number in ("p", "statistic", "mean", "mean_against", "effect", "low", "high", "wins", "losses"):
        assert getattr(pair, number) == getattr(alone, number)
    assert found.remarks == ("AP: pairs are compared on the topics that count for both, 10 to 11 of 12",)


def test_tests_of_all_runs_take_the_topics_that_all_have():
    table = scores(3, 12).to_dict()
    del table["r1"]["AP"]["3"], table["r2"]["AP"]["7"]
    found = compare(Scores.from_table(table), test="anova-two-way")["AP"]
    assert {pair.topics for pair in found.pairs} == {10}
    assert found.overall.name == "F(2, 18)"


def test_undefined_values_count_as_the_rules_say():
    qrels = {**QRELS, "q6": {"z": 0}}  # without relevant documents recall is undefined
    runs = {name: {**run, "q6": {"z": 1.0}} for name, run in RUNS.items()}
    zero = compare(rankgauge.evaluate(qrels, runs, "R@1"))
    skip = compare(rankgauge.evaluate(qrels, runs, "R@1", undefined="skip"))
    assert [c["R@1"].pairs[0].topics for c in (zero, skip)] == [7, 6]
    assert [note.partition(" (")[0] for note in zero.remarks] == [
        "in each of one, two: R@1 undefined for 1 topic and counted as 0 in the mean"
    ]
    assert skip.remarks[0].partition(" (")[0] == (
        "in each of one, two: R@1 undefined for 1 topic and left out of the mean"
    )
    both = compare(rankgauge.evaluate(qrels, runs, "R@1 RR"), "RR")  # of a measure that is not compared
    assert "R@1" not in " ".join(both.remarks)
    table = compare(Scores.from_table({"old": [0.1, math.nan, 0.3], "new": [0.2, 0.3, 0.5]}, "AP"))
    assert table.remarks[0] == "AP: undefined values are left out (1)"
    pair = zero["R@1"].pairs[0]
    assert (pair.mean, pair.mean_against) == tuple(zero["R@1"].means[run] for run in (pair.run, pair.against))


def test_where_lower_is_better_a_win_is_a_lower_value():
    found = compare(rankgauge.evaluate(QRELS, RUNS, "FirstRank"))["FirstRank"]
    assert found.direction == -1
    (pair,) = found.pairs  # `two` finds the first relevant document later on two topics
    assert pair.difference > 0
    assert (pair.wins, pair.ties, pair.losses) == (0, 4, 2)


def test_where_lower_is_better_the_lower_run_is_the_better_one():
    table = {"low": [1.0, 1.1, 1.0, 1.2, 1.0], "high": [3.0, 3.2, 3.1, 3.0, 3.3]}
    assert compare(Scores.from_table(table, "FirstRank")).notation() == "low > high**"
    assert compare(Scores.from_table(table, "AP")).notation() == "high > low**"
    assert compare(Scores.from_table(table, "FirstRank")).ranked().rows[0][1] == "low"


def test_another_average_than_the_mean_is_noted():
    found = compare(rankgauge.evaluate(QRELS, RUNS, "AP(average=geometric)"))
    assert found.remarks == (
        "AP(average=geometric): tests compare the means of topic values, not average=geometric",
    )


def test_infinite_values_are_left_out_and_noted():
    found = compare({"a": [0.1, 0.2, math.inf, 0.4], "b": [0.3, 0.2, 0.1, 0.5]})
    assert found["value"].pairs[0].topics == 3
    assert found.remarks[0] == "value: infinite values are left out (1)"


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize(
    "table",
    [
        {"a": [0.5], "b": [0.25]},
        {"a": [0.5, 0.5], "b": [0.5, 0.5]},
        {"a": {"1": 0.5}, "b": {"2": 0.5}},
        {"<b>|\x1b[31m": [0.1, 0.2, 0.3], "\\{%}": [0.2, 0.2, 0.1]},
        {"a": [math.nan, math.nan], "b": [0.5, 0.5]},
    ],
    ids=["one topic", "equal", "no topic in common", "markup", "undefined"],
)
def test_odd_scores_are_compared_and_shown_all_the_same(name, table):
    found = compare(Scores.from_table(table), test=name)
    (pair,) = found["value"].pairs
    assert math.isnan(pair.p) or 0 <= pair.p <= 1
    assert "\x1b" not in repr(found)
    for form in FORMATS:
        for shown in (found.table(), found.ranked(), found.matrix()):
            assert "\x1b" not in "".join(lines(shown, form)) or form in ("tsv", "csv")
    assert ("<b>" in str(table)) == ("&lt;b&gt;" in found._repr_html_())
    json.loads(json.dumps(found.as_dict(), allow_nan=False))


@pytest.mark.parametrize("name", TESTS)
def test_runs_with_the_same_values_have_p_1_by_every_test(name):
    values = [0.5, 0.25, 0.75]
    found = compare({"a": values, "b": values}, test=name)
    (pair,) = found["value"].pairs
    assert (pair.p, pair.corrected, pair.difference, pair.favours) == (1.0, 1.0, 0.0, "")
    # Topics are noise to a test that is not paired; otherwise nothing shows how much the difference varies.
    assert math.isnan(pair.low) if TESTS[name].paired else pair.low == -pair.high < 0
    assert found["value"].overall is None or found["value"].overall.p == 1.0
    assert found.notation() == "no difference is significant"
    assert "nan" not in repr(found)
    if math.isnan(pair.statistic):
        assert pair.method == "1 by convention, no topic differs"


@pytest.mark.parametrize("name", [name for name, test in TESTS.items() if test.parametric and test.paired])
@pytest.mark.parametrize(
    ("table", "method"),
    [
        ({"a": [0.5], "b": [0.25]}, "undefined, a single topic"),
        ({"a": {"1": 0.5}, "b": {"2": 0.5}}, "undefined, no topic in common"),
    ],
)
def test_where_p_is_undefined_no_run_is_called_insignificant(name, table, method):
    found = compare(Scores.from_table(table), test=name)
    (pair,) = found["value"].pairs
    assert (math.isnan(pair.p), pair.method) == (True, method)
    assert found.notation() == "significance is undefined"
    assert found.sentences[0].endswith(": significance is undefined.")
    assert "No run is significantly better" not in repr(found)
    assert f"is {method.replace(',', ':')} (two-sided " in repr(found)
    assert "is undefined (α = 0.05)." in str(found.document())


@pytest.mark.parametrize("name", [name for name, test in TESTS.items() if test.samples])
def test_too_few_samples_for_the_level_are_refused(name):
    with pytest.raises(OptionError, match=r"alpha 0\.05 needs at least 20 random samples, not 19"):
        compare(scores(3), test=name, samples=19)
    assert compare(scores(3), test=name, samples=20).samples == 20


def test_blocks_of_pairs_do_not_show(monkeypatch):
    for name in ("t", "bootstrap", "randomisation"):
        monkeypatch.setattr("rankgauge.numbers.differences.CELLS", CELLS)
        whole = compare(scores(6), test=name)["AP"].pairs
        monkeypatch.setattr("rankgauge.numbers.differences.CELLS", 40)
        assert compare(scores(6), test=name)["AP"].pairs == whole


@pytest.mark.parametrize("name", TESTS)
def test_intervals_hold_the_difference_and_agree_with_the_test(name):
    found = compare(scores(4, 30), test=name, correction="none", alpha=0.1)["AP"].pairs
    for pair in found:
        assert pair.low < pair.difference < pair.high
        if name == "t" or TESTS[name].interval != T_INTERVAL:  # else the interval is that of the t-test
            apart = pair.low > 0 or pair.high < 0  # later steps find a little more than intervals show
            assert apart <= (pair.p < 0.1) if name == "max-t" else apart == (pair.p < 0.1)


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize(("measure", "span"), [("AP", 1.0), ("tau", math.inf)])
def test_intervals_of_differences_are_within_the_bounds_of_the_measure(name, measure, span):
    table = {"a": [0.0, 0.1, 0.3, 0.05] * 2, "b": [1.0, 0.9, 0.8, 0.98] * 2, "c": [0.5, 0.1, 0.9, 0.4] * 2}
    found = compare(Scores.from_table(table, measure), test=name, alpha=0.01, correction="none")
    ends = [end for pair in found[measure].pairs for end in (pair.low, pair.high)]
    assert max(map(abs, ends)) > 1 if span > 1 else max(map(abs, ends)) == 1
    hundreds = {run: [100 * value for value in values] for run, values in table.items()}
    found = compare(Scores.from_table(hundreds, measure), test=name, alpha=0.01, correction="none")
    assert max(pair.high for pair in found[measure].pairs) > 100  # per cent have other bounds


def test_what_one_would_write_in_a_paper():
    found = compare(scores(3, 30, spread=0.05), test="bootstrap", seed=7, samples=500)
    assert found.sentences == (
        "AP of 3 runs, all 3 pairs, was compared over 30 topics by a two-sided paired bootstrap test (500 "
        "bootstrap samples of topics, seed 7) with Holm's correction for 3 pairs (α = 0.05; rankgauge "
        f"{rankgauge.__version__}): r1, r2 > r0**; r2 > r1** (* p < 0.05, ** p < 0.01).",
    )
    sentence = compare(scores(3, 30, spread=0.05), test="tukey", baseline="r2").sentences[0]
    assert "AP of 2 runs against r2 was compared over 30 topics by a two-sided Tukey HSD test" in sentence
    assert "which accounts for all pairs" in sentence
    sentence = compare(scores(2, 30, spread=1.0)).sentences[0]
    assert sentence.startswith(
        "AP of r1 and r0 was compared over 30 topics by a two-sided paired t-test (α = 0.05;"
    )
    assert sentence.endswith(": no difference is significant.")


def test_an_outcome_is_written_as_in_jarvelin_and_kekalainen():
    table = {
        name: [mean + 0.001 * (n % 3) for n in range(9)]
        for name, mean in zip("ABDE", (1, 3, 3, 3), strict=True)
    }
    table["B"] = [value + 0.0001 * (n % 2) for n, value in enumerate(table["B"])]
    table["D"] = [value + 0.0005 * (n % 2) for n, value in enumerate(table["D"])]
    table["E"] = [value - 0.0005 * (n % 2) for n, value in enumerate(table["E"])]
    found = compare(Scores.from_table(table), alpha=0.001)
    assert found.notation() == "B, D, E > A**"


def test_the_runs_are_ranked_with_letters_of_those_that_they_beat():
    found = compare(scores(3, 30, spread=0.05)).ranked()
    assert list(found.headers) == ["", "run", "AP", "AP better than"]
    assert [(row[0], row[1], row[3]) for row in found.rows] == [
        ("a", "r2", "b c"),
        ("b", "r1", "c"),
        ("c", "r0", ""),
    ]


def test_the_matrix_has_differences_of_rows_less_columns():
    comparison = compare(scores(3, 30, spread=0.05))
    found = comparison.matrix()
    pair = comparison["AP"].pairs[1]  # r2 against r0
    assert found.rows[0][4] == f"{pair.difference:+.4f}**"
    assert found.rows[2][2] == f"{-pair.difference:+.4f}**"
    assert found.rows[1][3] == ""


def test_advice_on_few_topics_many_pairs_and_small_differences():
    found = compare(scores(4, 12), correction="none").notes
    assert any(note.startswith("only 12 topics") for note in found)
    assert any(
        note.startswith("6 pairs without correction: if no runs differed, about 0.3") for note in found
    )
    assert not any("without correction" in note for note in compare(scores(4, 12), test="tukey").notes)
    values = np.linspace(0.3, 0.9, 40)
    noise = np.tile([0.001, -0.001], 20)
    close = compare({"a": values.tolist(), "b": (values + 0.01 + noise).tolist()})
    assert close.notes == ("b against a (value) differs significantly, by less than 5 %, which is marginal",)


def test_advice_on_means_of_an_ordinal_scale_and_of_raw_gains():
    values = {"a": np.linspace(0.3, 0.9, 30).tolist(), "b": np.linspace(0.2, 1, 30).tolist()}
    (advice,) = compare(Scores.from_table(values, "RR@10")).notes
    assert advice.startswith("RR@10: ordinal, so its mean is hard to interpret")
    (advice,) = compare(Scores.from_table(values, "DCG@10")).notes
    assert advice.startswith("DCG@10: topics with many relevant documents dominate the mean")
    for other in ("RR(average=median)", "nDCG@10", "reward"):
        assert compare(Scores.from_table(values, other)).notes == ()


def test_many_runs_are_shown_in_part():
    shown = str(compare(scores(14, 12)).document())
    assert "The 60 largest of 91 differences:" in shown
    assert "rows less columns" not in shown


def test_bad_arguments_are_refused():
    for arguments, error, message in (
        ({"test": "chi2"}, OptionError, "no test named 'chi2'; use one of t, wilcoxon, sign"),
        ({"test": None}, OptionError, "no test named 'None'; use one of t, wilcoxon, sign"),
        ({"correction": "holmes"}, OptionError, "did you mean holm"),
        ({"alpha": 0}, OptionError, "alpha must be a number between 0 and 1, not 0"),
        ({"samples": 10}, OptionError, "the paired t-test draws no random samples"),
        ({"samples": 0, "test": "bootstrap"}, OptionError, "samples must be a whole number from 1"),
        ({"samples": 10**20, "test": "bootstrap"}, OptionError, "from 1 to 10000000, not 1000000000000000"),
        ({"alpha": 1e-9, "test": "bootstrap"}, OptionError, "alpha 1e-09 needs more than 10000000 random"),
        ({"alpha": 5e-324, "test": "bootstrap"}, OptionError, "needs more than 10000000 random samples"),
        ({"seed": -1}, OptionError, "seed must be a whole number from 0"),
        ({"baseline": "r9"}, OptionError, "no run named 'r9'"),
        ({"baseline": [f"r{n}" for n in range(5)]}, OptionError, "all runs are baselines"),
        ({"measures": "nDCG@10"}, MeasureError, "the scores have no nDCG@10, only AP"),
        *(({"measures": none}, MeasureError, "no measures; name at least one of AP") for none in ("", [])),
    ):
        with pytest.raises(error, match=message):
            compare(scores(), **arguments)
    with pytest.raises(OptionError, match="needs at least two runs; there is only 'r0'"):
        compare(scores(1))


def test_tests_and_corrections_are_found_by_any_spelling():
    found = compare(scores(), test="Randomised_Tukey", correction="BH")
    assert (found.test, found.correction) == ("randomised-tukey", "bh")


def test_the_everyday_tests_are_listed_first_and_families_together():
    names = list(TESTS)
    known = [
        *("t", "wilcoxon", "sign"),
        *("anova-one-way", "anova-two-way", "tukey"),
        *("bootstrap", "friedman", "randomisation", "randomised-tukey", "max-t"),
    ]
    assert names[:3] == known[:3]
    assert [name for name in names if name in known] == known
    families = [TESTS[name].function.__module__ for name in names]
    assert len(list(groupby(families))) == len({*families})


def test_stars_letters_and_p_in_print():
    assert [stars(p, 0.05) for p in (0.05, 0.049, 0.01, 0.009, math.nan)] == ["", "*", "*", "**", ""]
    assert letters(28)[24:] == ["y", "z", "aa", "ab"]
    assert letters(703)[-1] == "aaa"
    assert [p_text(p) for p in (0.0, 0.00001, 0.01234, math.nan)] == ["< 0.0001", "< 0.0001", "0.0123", "–"]
    assert [p_phrase(p) for p in (0.0, 0.5, math.nan)] == ["< 0.0001", "= 0.5000", "undefined"]
    assert [printed_p(p) for p in (0.0009, 0.01234, 1.0, math.nan)] == ["< .001", ".012", "1.000", "–"]
    assert p_phrase(0.0, printed_p) == "< .001"


def test_measures_may_be_measures_or_texts_in_any_spelling():
    for measure in ("nDCG@10", "ndcg_cut_10"):
        given = Scores.from_table({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.1, 0.5]}, measure)
        for named in (None, parse("nDCG@10"), [parse("nDCG@10")], "ndcg_cut_10", "nDCG@10"):
            assert compare(given, named).measures == (measure,)
    with pytest.raises(MeasureError, match=r"measures are texts such as 'nDCG@10', not 10"):
        compare(given, measures=10)
    with pytest.raises(OptionError, match="int is no measure; compare takes scores and measures"):
        compare(given, 10)


@pytest.mark.parametrize("test", [name for name, test in TESTS.items() if test.samples])
def test_random_tests_report_how_many_samples_they_have_drawn_over_all_measures(test):
    rng = np.random.default_rng(2)
    values = {
        f"r{i}": {m: dict(enumerate((rng.uniform(0, 1, 40) + i).tolist())) for m in ("AP", "RR")}
        for i in range(4)
    }
    calls = []
    quiet = compare(Scores.from_table(values), test=test, samples=400, threads=1)
    loud = compare(
        Scores.from_table(values),
        test=test,
        samples=400,
        threads=1,
        progress=lambda *call: calls.append(call),
    )
    assert loud == quiet
    (total,) = {total for _, total in calls}
    done = [each for each, _ in calls]
    assert done == sorted(set(done))
    assert total / 2 in done  # all samples of the first measure
    assert done[-1] == total
