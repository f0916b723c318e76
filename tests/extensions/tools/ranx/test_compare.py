"""`compare` by ranx's interface, and its report."""

import json

import numpy as np
import pytest
from rankgauge.compat.ranx import Qrels, Run, compare
from scipy import stats

import rankgauge
from rankgauge.errors import RankgaugeError

TOPICS = [f"q{number:02}" for number in range(40)]
METRICS = ["map@100", "mrr@10", "ndcg@10-l2"]


@pytest.fixture(scope="module")
def campaign():
    source = np.random.default_rng(3)
    qrels = {topic: {f"d{i}": int(source.integers(0, 4)) for i in range(20)} for topic in TOPICS}
    runs = [
        Run(
            {
                t: {d: source.random() + skill * grade for d, grade in docs.items()}
                for t, docs in qrels.items()
            }
        )
        for skill in (0.0, 0.15, 0.5)
    ]
    for letter, run in zip("xyz", runs, strict=True):
        run.name = f"model_{letter}"
    return Qrels(qrels), runs


def test_a_report_prints_as_ranx_prints_it(campaign):
    report = compare(*campaign, METRICS)
    x, y, z = report.results.values()
    assert str(report).splitlines() == [
        "#    Model    MAP@100    MRR@10    NDCG@10-l2",
        "---  -------  ---------  --------  ------------",
        f"a    model_x  {x['map@100']:.3f}      {x['mrr@10']:.3f}     {x['ndcg@10-l2']:.3f}",
        f"b    model_y  {y['map@100']:.3f}ᵃ     {y['mrr@10']:.3f}ᵃ    {y['ndcg@10-l2']:.3f}ᵃ",
        f"c    model_z  {z['map@100']:.3f}ᵃᵇ    {z['mrr@10']:.3f}ᵃ    {z['ndcg@10-l2']:.3f}ᵃᵇ",
    ]


def test_numbers_are_rounded_or_per_cent(campaign):
    mean = compare(*campaign, "map").results["model_z"]["map"]
    lines = str(compare(*campaign, "map", rounding_digits=4, show_percentages=True)).splitlines()
    assert lines[-1] == f"c    model_z  {100 * mean:.2f}ᵃᵇ"


def test_the_numbers_of_a_report(campaign):
    qrels, runs = campaign
    report = compare(qrels, runs, METRICS)
    scores = rankgauge.evaluate(qrels.to_dict(), {run.name: run.to_dict() for run in runs}, "AP@100")
    assert {name: means["map@100"] for name, means in report.results.items()} == pytest.approx(
        {name: means["AP@100"] for name, means in scores.mean().items()}
    )
    x, _, z = scores.values[:, 0]
    p = report.comparisons["model_x", "model_z"]["map@100"]
    assert p == {"p_value": pytest.approx(stats.ttest_rel(x, z).pvalue), "significant": True}
    assert report.comparisons["model_z", "model_x"] is report.comparisons[{"model_x", "model_z"}]
    assert len(report.comparisons) == 3
    counts = {"W": int((x > z).sum()), "T": int((x == z).sum()), "L": int((x < z).sum())}
    assert report.win_tie_loss["model_x", "model_z"]["map@100"] == counts
    assert report.win_tie_loss["model_z", "model_x"]["map@100"] == dict(
        zip("LTW", counts.values(), strict=True)
    )
    assert runs[0].mean_scores["map@100"] == report.results["model_x"]["map@100"]
    assert report.to_dataframe().to_dict("list")["model_names"] == ["model_x", "model_y", "model_z"]


def test_a_report_is_saved_as_ranx_saves_it(campaign, tmp_path):
    report = compare(*campaign, ["map", "mrr"], stat_test="fisher")
    report.save(tmp_path / "report.json")
    saved = json.loads((tmp_path / "report.json").read_text())
    assert saved == report.to_dict()
    assert [saved[key] for key in ("stat_test", "metrics", "model_names")] == [
        "fisher",
        ["map", "mrr"],
        ["model_x", "model_y", "model_z"],
    ]
    assert saved["model_x"].keys() == {"scores", "comparisons", "win_tie_loss"}
    assert saved["model_x"]["comparisons"]["model_z"].keys() == {"map", "mrr"}
    assert saved["model_x"]["win_tie_loss"]["model_y"]["map"].keys() == {"W", "T", "L"}


def test_the_latex_of_a_report(campaign):
    latex = compare(*campaign, METRICS).to_latex()
    assert r"run & MAP@100 & MRR@10 & NDCG@10-l2 \\" in latex
    assert r"model\_z\textsuperscript{c}" in latex
    assert latex.count(r"\textsuperscript{ab}") == 2
    assert r"\label{tab:results}" in latex
    assert "two-sided paired t-test without correction for 3 pairs of each measure" in latex
    assert "($\\alpha$ = 0.01, n = 40)" in latex
    titled = compare(*campaign, "map", show_percentages=True).to_latex(caption="Ours.", label="tab:ours")
    assert r"\caption{Ours. " in titled
    assert r"\label{tab:ours}" in titled


def test_a_p_of_exactly_max_p_is_significant():
    qrels = {topic: {"d": 1} for topic in TOPICS[:8]}
    better, worse = ({t: {"d": 1.0, "e": other} for t in qrels} for other in (0.0, 2.0))
    runs = [Run(better, name="better"), Run(worse, name="worse")]
    for max_p, expected in ((2 / 256, True), (2 / 257, False)):
        report = compare(Qrels(qrels), runs, "mrr", "fisher", max_p=max_p)
        assert report.comparisons["better", "worse"]["mrr"] == {"p_value": 2 / 256, "significant": expected}
        assert ("ᵇ" in str(report), "superscript{b}" in report.to_latex().split("toprule")[1]) == (
            expected,
            True,  # the letter of the run itself
        )
        assert (r"\textbf{1.000}\textsuperscript{b}" in report.to_latex()) is expected


def test_tukey_accounts_for_topics_where_independent_samples_do_not():
    grades = {topic: {f"d{i}": 1 for i in range(1 + 2 * number)} for number, topic in enumerate(TOPICS)}
    runs = []
    for lost in (0, 1):  # one relevant document less in almost every topic, of very different numbers
        table = {
            t: dict.fromkeys([*docs][: len(docs) - lost * (len(docs) > 1)], 1.0) for t, docs in grades.items()
        }
        runs.append(Run(table, name=f"lost_{lost}"))
    report = compare(Qrels(grades), runs, "hits", "tukey")
    values = [[*run.scores["hits"].values()] for run in runs]
    assert report.comparisons["lost_0", "lost_1"]["hits"]["p_value"] < 1e-6
    assert stats.tukey_hsd(*values).pvalue[0, 1] > 0.5


def test_runs_without_names_are_numbered(campaign):
    qrels, runs = campaign
    report = compare(qrels, [Run(run.to_dict()) for run in runs], "map")
    assert report.model_names == ["run_1", "run_2", "run_3"]


def test_a_single_run_is_reported_without_a_test(campaign, capsys):
    qrels, runs = campaign
    report = compare(qrels, runs[:1], "map")
    assert str(report).splitlines()[2].startswith("a    model_x  0.")
    assert len(report.comparisons) == 0
    assert r"model\_x & 0." in report.to_latex()
    report.print_results()
    assert json.loads(capsys.readouterr().out) == report.results


def test_letters_do_not_run_out(campaign):
    qrels, (run, *_, best) = campaign
    runs = [Run(run.to_dict(), name=f"m{number}") for number in range(28)]
    report = compare(qrels, [*runs, best], "map")
    assert str(report).splitlines()[-1].endswith("ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻᵃᵃᵃᵇ")


def test_what_cannot_be_compared_is_refused(campaign):
    qrels, (run, *others) = campaign
    short = Run({"q00": {"d1": 1.0}}, name="short")
    for runs, test, message in (
        ([run, run], "student", "two runs are named 'model_x'; give each a name of its own"),
        ([run, *others], "anova", "stat_test must be one of student, fisher, tukey, not 'anova'"),
        ([short, run], "student", "make_comparable"),
    ):
        with pytest.raises(RankgaugeError, match=message):
            compare(qrels, runs, "map", test)
    report = compare(qrels, [short, run], "map", make_comparable=True)
    assert report.results["short"]["map"] < 0.03
