"""Scores that were made elsewhere can be studied, too."""

import gzip

import numpy as np
import pytest

import rankgauge
import small
from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli.main import main
from rankgauge.errors import InputError


@pytest.fixture(scope="module")
def scores():
    return small.campaign().scores("AP FirstRank nDCG@10")


def same(found, scores):
    assert found.runs == scores.runs
    assert found.topics == scores.topics
    assert found.measures == scores.measures
    np.testing.assert_array_equal(found.values, scores.values)
    assert str(found.mean()) == str(scores.mean())
    directions = [scores.provenance.measures[m].direction for m in scores.measures]
    assert [found.provenance.measures[m].direction for m in found.measures] == directions


@pytest.mark.parametrize("ending", ["json", "parquet", "csv", "csv.gz"])
def test_what_evaluate_wrote_is_read_back(scores, ending, tmp_path):
    small.write(tmp_path)
    path, runs = tmp_path / f"scores.{ending}", [f"{tmp_path}/runs/{name}.run" for name in small.RUNS]
    argv = ["evaluate", f"{tmp_path}/qrels.txt", *runs, "-m", "AP FirstRank nDCG@10", "-q"]
    assert main([*argv, "-o", str(path)]) == 0
    same(Campaign.of_scores(path).scores(), scores)
    same(Campaign.of(str(path)).scores(), scores)


def test_a_dict_is_taken_as_it_comes_out_of_scores(scores):
    same(Campaign.of_scores(scores.to_dict()).scores(), scores)


def test_a_table_with_a_column_for_each_measure_is_read(scores, tmp_path):
    path = tmp_path / "wide.tsv.gz"
    lines = ["runid\ttopic\tmap\tFirstRank\tndcg_cut_10\n"]
    for run, by_measure in scores.to_dict().items():
        for topic in scores.topics:
            values = (repr(by_topic[topic]).replace("nan", "") for by_topic in by_measure.values())
            lines.append("\t".join([run, topic, *values]) + "\n")
    path.write_bytes(gzip.compress("".join(lines).encode()))
    same(Campaign.of_scores(path).scores(), scores)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("run,topic,my score\na,1,0.5\nb,1,0.25\n", {"a": {"my score": 0.5}, "b": {"my score": 0.25}}),
        ("run,topic,map,AP\na,1,0.5,0.25\n", {"a": {"map": 0.5, "AP": 0.25}}),
    ],
)
def test_columns_keep_their_names_of_no_measure_or_of_one_twice(text, means, write):
    assert Campaign.of_scores(write("odd.csv", text)).scores().mean() == means


def test_a_topic_that_a_run_lacks_is_left_out_for_it():
    scores = Campaign.of_scores({"a": {"AP": {"1": 0.5, "2": 0.0}}, "b": {"AP": {"2": 0.5}}}).scores()
    assert scores.mean() == {"a": {"AP": 0.25}, "b": {"AP": 0.5}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "scores.csv: "),
        ("run,topic,AP\na,1\n", "scores.csv:2: expected the 3 columns of the header"),
        ("run,topic,AP\na,1,0.5\nb,2,x\n", '"x" is not a number'),
        ("run,topic,AP\na,1,0.5\na,1,0.5\n", 'two values for topic "1"'),
    ],
)
def test_a_bad_table_is_refused_with_its_place(text, message, write):
    with pytest.raises(InputError, match=message) as caught:
        Campaign.of_scores(write("scores.csv", text))
    assert "scores.csv" in str(caught.value)


@pytest.mark.parametrize("odd", [7, {"a": {"AP": {"1": "x"}}}, None])
def test_odd_things_are_no_scores(odd):
    with pytest.raises(InputError):
        Campaign.of_scores(odd)


def test_a_matrix_of_topics_by_runs_is_studied(data):
    campaign = Campaign.of_scores(data / "score_matrices" / "adhoc8_ap.csv.gz")
    assert len(campaign.runs) == 129
    assert len(campaign.topics) == 50


def test_other_peoples_scores_have_their_means(data):
    scores = Campaign.of_scores(data / "score_matrices" / "dl19.ndcg_cut10.csv.gz").scores()
    assert scores.measures == ("nDCG@10",)
    with gzip.open(data / "score_matrices" / "dl19.ndcg_cut10.csv.gz", "rt") as lines:
        values = [float(line.split(",")[2]) for line in lines if line.startswith("ICT-BERT2,")]
    assert scores.mean()["ICT-BERT2"]["nDCG@10"] == pytest.approx(sum(values) / len(values))
    assert isinstance(scores, rankgauge.Scores)
