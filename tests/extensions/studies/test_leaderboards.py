"""Published means of runs: read in any form, studied without topics, refused where topics are needed."""

import json
import math

import pandas
import pytest
import scipy.stats
from rankgauge.studies import STUDIES, Campaign, across, correlation, sensitivity

from extensions.studies import small
from rankgauge import figures
from rankgauge.campaigns.leaderboard import Leaderboard
from rankgauge.cli.main import main
from rankgauge.errors import InputError

MEANS = small.campaign().scores("AP FirstRank nDCG@10").mean()
WIDE = "run,team,AP,FirstRank,ndcg_cut_10\n" + "".join(
    f"{run},{'NA' if run == 'bm25' else 'the team'},{','.join(map(repr, by.values()))}\n"
    for run, by in MEANS.items()
)
LONG = "system\ttool\tmetric\tvalue\n" + "".join(
    f"{run}\tours\t{measure}\t{value!r}\n" for run, by in MEANS.items() for measure, value in by.items()
)
OF_ALL = "run,topic,measure,value\n" + "".join(
    f"{run},all,{measure},{value!r}\n" for run, by in MEANS.items() for measure, value in by.items()
)
OBJECTS = json.dumps([{"model": run, "team": "x", **by} for run, by in MEANS.items()])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wide.csv", WIDE),
        ("long.tsv", LONG),
        ("all.csv", OF_ALL),
        ("nested.json", json.dumps(MEANS)),
        ("objects.json", OBJECTS),
    ],
)
def test_a_file_of_means_correlates_as_the_scores_do(name, text, write):
    path = write(name, text)
    campaign = Campaign.of_scores(path)
    assert campaign.scores().mean() == MEANS
    assert (campaign.topics, campaign.runs) == ((), tuple(MEANS))
    found, expected = (
        correlation(each, measures="AP FirstRank nDCG@10", samples=0) for each in (path, small.campaign())
    )
    assert found.as_dict()["tables"] == expected.as_dict()["tables"]
    assert found.settings["topics"] is None
    assert "There are only means of runs" in found.sentences[-1]
    found, expected = (
        sensitivity(each, measures="AP FirstRank nDCG@10") for each in (campaign, small.campaign())
    )
    assert found.as_dict()["tables"] == expected.as_dict()["tables"]


def test_means_that_evaluate_wrote_are_a_leaderboard(tmp_path, capsys, invoke):
    small.MADE.write(tmp_path)
    files = [f"{tmp_path}/qrels.txt", *(f"{tmp_path}/runs/{name}.run" for name in small.RUNS)]
    for ending in ("json", "csv"):
        path = str(tmp_path / f"means.{ending}")
        assert main(["evaluate", *files, "-m", "AP FirstRank nDCG@10", "-o", path, "--quiet"]) == 0
        assert Campaign.of_scores(path).scores().mean() == MEANS
        capsys.readouterr()
        rows = json.loads(invoke("study", "correlation", path, "--table", "tau_b", "--format", "json").out)
        assert (
            rows
            == correlation(small.campaign(), measures="AP FirstRank nDCG@10").as_dict()["tables"]["tau_b"]
        )


def test_dicts_and_frames_are_leaderboards_in_python():
    frame = pandas.DataFrame(MEANS).T
    with_runs = frame.rename_axis("run").reset_index()
    for source in (MEANS, frame, with_runs, {"run": [*MEANS], "AP": [by["AP"] for by in MEANS.values()]}):
        assert [by["AP"] for by in Campaign.of_means(source).scores("AP").mean().values()] == [
            by["AP"] for by in MEANS.values()
        ]
    assert Campaign.of_scores(with_runs).topics == ()
    assert across({"a": Campaign.of_means(MEANS)}, "correlation").table("tau_b").headers[0] == "collection"


def test_runs_can_be_selected_by_their_means():
    best = Campaign.of_means(MEANS).select(top=2)
    assert best.runs == small.campaign().select(top=2).runs
    assert best.scores("FirstRank").mean() == {
        run: {"FirstRank": MEANS[run]["FirstRank"]} for run in best.runs
    }


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if study.needs_topics])
def test_a_study_that_needs_topics_refuses_means(name):
    with pytest.raises(InputError, match=f"the study {name} needs the values of topics.*only means of runs"):
        STUDIES[name].call(Campaign.of_means(MEANS))


def test_a_figure_of_scores_refuses_means_and_one_of_a_study_does_not(write, tmp_path, invoke):
    path = str(write("means.csv", WIDE))
    assert (
        "this figure needs the values of topics"
        in invoke("figure", "distribution", path, "-o", tmp_path / "x.json", code=2).err
    )
    assert "5 runs" in json.dumps(figures.correlation(correlation(path)).spec)
    assert "topic" not in figures.correlation(correlation(path)).spec["title"]["subtitle"]


def test_missing_means_leave_a_run_out_for_the_measures_it_lacks():
    table = {
        "a": {"AP": 0.1, "RR": 0.2, "P@5": 0.9},
        "b": {"AP": 0.2, "RR": None, "P@5": 0.3},
        "c": {"AP": 0.3, "RR": 0.1, "P@5": math.nan},
        "d": {"AP": 0.4, "RR": 0.4, "P@5": ""},
        "e": {"AP": 0.4, "RR": 0.3, "P@5": 0.3},
    }
    findings = correlation(Campaign.of_means(table))
    rows = findings.records("pairs")
    assert [(row["measure"], row["other"], row["runs"]) for row in rows] == [
        ("AP", "RR", 4),
        ("AP", "P@5", 3),
        ("RR", "P@5", 2),
    ]
    for row in rows:
        x, y = row["measure"], row["other"]
        both = [
            (by[x], by[y])
            for by in table.values()
            if all(by[m] not in (None, "") and by[m] == by[m] for m in (x, y))
        ]
        expected = scipy.stats.kendalltau(*zip(*both, strict=True)).statistic
        assert row["tau_b"] == pytest.approx(expected)
    assert "Some means are missing" in " ".join(findings.sentences)
    json.dumps(findings.as_dict(), allow_nan=False)
    with pytest.raises(InputError, match="the mean of RR is undefined for some run"):
        sensitivity(Campaign.of_means(table), measures="AP RR")


def test_measures_without_a_run_in_common_have_no_correlation():
    findings = correlation(Campaign.of_means({"a": {"AP": 1}, "b": {"RR": 1}, "c": {"AP": 2}}))
    (row,) = findings.table("pairs").rows
    assert row[2] == 0
    assert all(math.isnan(cell) for cell in row[3:] if not isinstance(cell, str))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,AP\na,0.1\na,0.2\n", r':3: "AP" of run "a" occurs twice, first on line 2; keep one .* in "AP"'),
        ("run,AP\na,0.1\na,0.1\n", r':3: "AP" of run "a" occurs twice, first on line 2; keep one$'),
        ("run,task,measure,value\na,x,AP,0.1\na,y,AP,0.1\n", 'the rows differ in "task"'),
        ("run,AP\na,0.1\nb,high\n", r':3: column "AP": "high" is not a number'),
        ("run,team\na,x\nb,y\n", "has no means; expected a column of runs"),
        ("run,AP\na,0.1\n ,0.2\n", r':3: a row of "AP" has no run'),
        ("run,measure,value\na,,0.2\n", r':2: a row of "value" has no measure'),
        ("run,AP,AP\na,0.1,0.2\n", 'two columns are named "AP"'),
        ("run,AP\na,0.1,0.2\n", "expected the 2 columns of the header"),
    ],
)
def test_a_bad_table_is_refused_with_its_place(text, message, write):
    with pytest.raises(InputError, match=message) as caught:
        Campaign.of_scores(write("means.csv", text))
    assert "means.csv" in str(caught.value)


@pytest.mark.parametrize(
    "text", ["3", "[]", "{}", "[1, 2]", '{"a": 1}', '{"kind": 1, "scores": {}}', "{", "[" * 9999]
)
def test_json_that_is_no_leaderboard_is_refused(text, write):
    path = write("means.json", text)
    with pytest.raises(InputError, match=r"expected a file written by Scores\.save"):
        Campaign.of_scores(path)
    with pytest.raises(InputError, match="is no leaderboard; expected"):
        Campaign.of_means(path)


def test_a_leaderboard_holds_means_alone(write, tmp_path):
    with pytest.raises(InputError, match="has values of topics; a leaderboard has one mean"):
        Leaderboard.of({"a": {"AP": {"1": 0.5}}})
    with pytest.raises(InputError, match="has no column of runs"):
        Leaderboard.of({"AP": [0.1, 0.2]})
    with pytest.raises(InputError, match="the study correlation needs at least 2 runs, not 1"):
        correlation(Campaign.of_means({"a": {"AP": 1, "RR": 1}}))
    with pytest.raises(InputError, match="cannot be saved as scores"):
        Leaderboard.of(MEANS).save(tmp_path / "x.json")
    assert "AP" in repr(Leaderboard.of(MEANS))


def test_published_means_correlate_as_scipy_says(data):
    path = data / "published_scores" / "trec21_web.tsv.gz"
    table = pandas.read_csv(path, sep="\t").pivot(index="run", columns="measure", values="value")
    (row,) = correlation(path, measures="map bpref").table("pairs").rows
    assert row[2] == len(table) == 48
    expected = scipy.stats.kendalltau(table["map"], table["bpref"])
    assert row[4] == pytest.approx(expected.statistic)
    with pytest.raises(InputError, match=r'"err" of run "UJS13LCRAd1" occurs twice.*"tool"'):
        correlation(data / "published_scores" / "trec22_web.tsv.gz")
