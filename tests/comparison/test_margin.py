"""Equivalence within a margin and non-inferiority: against statsmodels, laws, edges, reports and the gate."""

import json
import math

import numpy as np
import pytest

import rankgauge
from rankgauge import Scores, compare
from rankgauge.cli.main import main
from rankgauge.comparison import gate
from rankgauge.comparison.baseline import failures
from rankgauge.comparison.result import MARGIN_FIELDS
from rankgauge.errors import MeasureError, OptionError

SOURCE = np.random.default_rng(5)
BASE = SOURCE.uniform(0.3, 0.6, 40)
NOISE = SOURCE.uniform(-0.25, 0.25, 40)
RUNS = {
    "old": BASE.tolist(),
    "alike": (BASE + SOURCE.normal(0, 0.02, 40)).tolist(),
    "better": (BASE + SOURCE.normal(0.1, 0.05, 40)).tolist(),
    "noisy": (BASE + NOISE - NOISE.mean()).tolist(),
    "slightly better": (BASE + SOURCE.normal(0.01, 0.005, 40)).tolist(),
}
OUTCOMES = ["equivalent", "better", "undecided", "better"]


def compared(test="t", margin=0.03, runs=RUNS, **options):
    return compare(Scores.from_table(runs, "AP"), baseline="old", test=test, margin=margin, **options)


def pair_of(run, **options):
    (pair,) = compared(runs={"old": RUNS["old"], "new": RUNS[run]}, **options)["AP"].pairs
    return pair


@pytest.mark.parametrize("run", [*RUNS][1:])
@pytest.mark.parametrize("margin", [0.001, 0.03, 0.3])
def test_p_is_that_of_statsmodels(run, margin):
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    p, (_, below, _), _ = weightstats.ttost_paired(np.array(RUNS[run]), BASE, -margin, margin)
    pair = pair_of(run, margin=margin)
    assert pair.p_equivalence == pair.corrected_equivalence == pytest.approx(p, rel=1e-9)
    assert pair.p_not_worse == pytest.approx(below, rel=1e-9)


@pytest.mark.parametrize("test", ["t", "bootstrap", "wilcoxon", "tukey"])
def test_every_pair_is_better_worse_equivalent_or_undecided(test):
    found = compared(test)
    outcomes = [found["AP"].outcome_of(pair) for pair in found["AP"].pairs]
    assert outcomes[:3] == OUTCOMES[:3]
    assert outcomes[3] == ("equivalent" if test == "tukey" else "better")  # its error is that of all runs
    swapped = compare(Scores.from_table(RUNS, "AP"), baseline="better", test=test, margin=0.03)
    assert swapped["AP"].outcome_of(swapped["AP"].pairs[0]) == "worse"


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_runs_are_equivalent_if_the_interval_at_1_minus_2_alpha_is_within_the_margin(test):
    wide = pair_of("noisy", test=test, alpha=0.1)
    for share, shown in ((0.95, False), (1.05, True)):
        margin = share * max(-wide.low, wide.high)
        assert (pair_of("noisy", test=test, margin=margin).p_equivalence < 0.05) is shown


def test_p_falls_as_the_margin_grows_and_swapping_the_runs_does_not_change_it():
    p = [pair_of("noisy", margin=margin).p_equivalence for margin in (0.001, 0.01, 0.1, 0.5)]
    assert p == sorted(p, reverse=True)
    one, other = ({"old": RUNS[a], "new": RUNS[b]} for a, b in (("old", "noisy"), ("noisy", "old")))
    (pair,), (turned,) = (compared(runs=runs)["AP"].pairs for runs in (one, other))
    assert pair.p_equivalence == pytest.approx(turned.p_equivalence, rel=1e-12)
    assert max(pair.p_not_worse, turned.p_not_worse) == pytest.approx(pair.p_equivalence, rel=1e-12)


@pytest.mark.parametrize("test", ["t", "tukey"])
def test_p_is_corrected_by_holm_and_familywise_tests_do_not_account_for_it(test):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    pairs = compared(test)["AP"].pairs
    for name in ("equivalence", "not_worse"):
        p, corrected = ([getattr(pair, f"{kind}_{name}") for pair in pairs] for kind in ("p", "corrected"))
        assert corrected == pytest.approx(multitest.multipletests(p, method="holm")[1])


def test_where_lower_is_better_a_higher_run_may_be_worse():
    values = {"old": [3.0, 5.0, 4.0, 6.0, 5.0], "new": [4.0, 6.5, 5.0, 7.0, 6.5]}
    (pair,) = compare(Scores.from_table(values, "FirstRank"), baseline="old", margin=0.5)["FirstRank"].pairs
    (turned,) = compare(Scores.from_table(values, "AP"), baseline="old", margin=0.5)["AP"].pairs
    assert pair.p_not_worse > 0.9 > 0.01 > turned.p_not_worse


@pytest.mark.parametrize("test", ["t", "bootstrap"])
@pytest.mark.parametrize(
    ("new", "p"),
    [
        ([0.1, 0.2, 0.3], 0.0),  # the same on every topic
        ([0.11, 0.21, 0.31], math.nan),  # nothing shows how much the difference varies
        ([0.1, math.nan, math.nan], math.nan),  # a single topic
    ],
)
def test_without_variance_only_equal_runs_are_equivalent(test, new, p):
    runs = Scores.from_table({"old": [0.1, 0.2, 0.3], "new": new}, "AP")
    (pair,) = compare(runs, baseline="old", test=test, margin=0.05)["AP"].pairs
    assert [pair.p_equivalence, pair.corrected_not_worse] == pytest.approx([p, p], nan_ok=True)


def test_two_topics_are_enough_for_a_p():
    (pair,) = compared(runs={"old": [0.1, 0.2], "new": [0.11, 0.19]}, margin=0.05)["AP"].pairs
    assert pair.p_equivalence == pytest.approx(0.5 - math.atan(5) / math.pi)  # t with 1 degree of freedom


@pytest.mark.parametrize("margin", [0, -0.01, math.nan, math.inf, "0.01", 1.0])
def test_a_margin_is_above_0_and_below_the_range_of_the_measure(margin):
    with pytest.raises(OptionError, match="the margin of AP must be"):
        compared(margin=margin)


def test_margins_are_those_of_their_measures():
    scores = Scores.from_table(RUNS, "AP")
    assert compare(scores, margin={"ap": 0.02})["AP"].margin == 0.02
    assert compare(scores)["AP"].margin is None
    assert compare(scores, margin=np.float32(0.25))["AP"].margin == 0.25
    assert compare(scores, margin={"AP": 0.02, "map": 0.02})["AP"].margin == 0.02
    with pytest.raises(OptionError, match=r"AP has two margins, 0\.02 and 0\.1; pass one of them"):
        compare(scores, margin={"AP": 0.02, "map": 0.1})
    with pytest.raises(MeasureError, match="no RR"):
        compare(scores, margin={"RR": 0.02})


def test_a_margin_of_a_measure_that_is_not_compared_is_refused():
    run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
    scores = rankgauge.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"old": run, "new": run}, "AP RR")
    assert [each.margin for each in compare(scores, "AP", margin=0.1).compared] == [0.1]
    with pytest.raises(OptionError, match="the margin is of RR, which is not compared"):
        compare(scores, "AP", margin={"AP": 0.1, "RR": 0.1})


def test_every_output_states_the_outcome():
    found = compared()
    sentence = (
        "Within a margin of 0.03 on AP, alike is equivalent to old; slightly better is significantly "
        "different from old; noisy is undecided against old (two one-sided paired t-tests with Holm's "
        "correction)."
    )
    (pair,) = [pair for pair in found["AP"].pairs if pair.run == "noisy"]
    assert f"{sentence} {pair.topics_needed} topics would show equivalence" in found.conclusion()
    assert sentence in found.sentences[0]
    assert sentence.split(",")[0] in str(found)
    (measure,) = found.as_dict()["measures"]
    assert measure["margin"] == 0.03
    assert [each["outcome"] for each in measure["pairs"]] == OUTCOMES
    assert [row[-1] for row in found.table().rows] == OUTCOMES
    headers = found.section(found["AP"]).table.headers
    assert [*headers[-2:]] == ["equivalence p", "outcome"]
    assert "undecided" in str(found.document())
    without = compare(Scores.from_table(RUNS, "AP"))
    assert not {*MARGIN_FIELDS, "outcome"} & {*without.table().headers}
    assert "margin" not in without.as_dict()["measures"][0]


def test_numbers_of_topics_that_are_not_known_are_none_beside_those_that_are():
    runs = {"old": [0.1, 0.2, 0.3, 0.5], "alike": [0.1, 0.2, 0.3, 0.5], "new": [0.9, 0.1, 0.4, 0.6]}
    (measure,) = compare(Scores.from_table(runs, "AP"), baseline="old", margin=1e-6).as_dict()["measures"]
    assert [each["topics_needed"] for each in measure["pairs"]] == [2, None]


def test_a_measure_has_one_margin_and_the_comparison_has_the_same():
    conditions = [gate.parse_condition(f"AP may worsen by {number}") for number in (0.01, 0.02)]
    with pytest.raises(OptionError, match=r"differs from another margin of AP, 0\.01"):
        gate.margins(conditions, ["AP"])
    assert gate.margins(conditions[:1], ["AP", "RR"], 0.01) == {"AP": 0.01, "RR": 0.01}
    scores = Scores.from_table(RUNS, "AP")
    with pytest.raises(OptionError, match=r"needs a comparison with margin=0\.01"):
        gate.check(conditions[:1], scores, compare(scores, baseline="old"))


def test_commands_and_functions_pass_the_margin_on(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    columns = zip(*(RUNS[run] for run in ("old", "alike")), strict=True)
    path.write_text("topic,old,alike\n" + "\n".join(f"{n},{a},{b}" for n, (a, b) in enumerate(columns)))
    given = ["compare", str(path), "--measure", "AP", "--format", "json", "--quiet"]
    assert main([*given, "--margin", "0.03", "--fail-if", "AP may worsen by 0.03"]) == 0
    (measure,) = json.loads(capsys.readouterr().out)["measures"]
    assert (measure["margin"], measure["pairs"][0]["outcome"]) == (0.03, "equivalent")
    qrels = {f"q{n}": {"d": 1} for n in range(12)}
    old, new = ({f"q{n}": ["d", "e"] if n % 4 else ["e", "d"] for n in range(12)} for _ in range(2))
    condition = "RR not worse than baseline by 0.01"
    assert not failures(qrels, {"new": new}, baseline={"old": old}, fail_if=condition)[1]
    changed = rankgauge.diff(qrels, {"old": old}, {"new": new}, fail_if=condition, margin={"RR": 0.01})
    assert not changed.failed
    both = rankgauge.diff(qrels, {"old": old}, {"new": new}, "RR AP", margin={"RR": 0.01}).means()
    assert [row[-1] for row in both.table.rows] == ["equivalent", ""]
    for name, run in (("q.txt", qrels), ("old.run", old), ("new.run", new)):
        rows = (f"{t} Q0 {d} {n} {-n} x\n" for t in run for n, d in enumerate(run[t]))
        judged = (f"{t} 0 d 1\n" for t in run)
        (tmp_path / name).write_text("".join(judged if run is qrels else rows))
    paths = [str(tmp_path / name) for name in ("q.txt", "old.run", "new.run")]
    assert main(["diff", *paths, "-m", "RR", "--margin", "0.01", "--quiet"]) == 0
    assert "Within a margin of 0.01 on RR, new is equivalent to old" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["diff", *paths[1:], "--margin", "0.01"]) == 2
    assert "--margin needs judgments" in capsys.readouterr().err
