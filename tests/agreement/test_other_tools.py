"""The values of gdeval and NTCIREVAL, and what organisers published."""

import csv
import re

import pytest

import rankgauge
from agreement.sets import evaluated, lines, printed

GDEVAL = {
    "ntcir13_www_english": 404,
    "trec_covid_rnd1": 930,
    "trec_dl_2019_passage": 1_144,
    "trec_dl_2021_passage": 6_804,
    "trec_web_2012": 408,
}
NTCIREVAL = {
    "ntcir13_www_english": 8_800,
    "trec_covid_rnd1": 19_800,
    "trec_dl_2019_passage": 24_500,
    "trec_web_2012": 8_800,
}


@pytest.mark.parametrize("name", GDEVAL)
def test_ndcg_with_exponential_gains_is_that_of_gdeval(name, data, agree):
    measures = {k: f"nDCG(gains=exp2)@{k}" for k in ("10", "20")}
    by_topic, mean = evaluated(data / name, tuple(measures.values()), missing="skip")

    def compared():
        for row in csv.DictReader(lines(data / name / "expected" / "gdeval_1.3.csv.gz")):
            run, topic, measure = row["run"], row["topic"], measures[row["k"]]
            found = mean[run][measure] if topic == "amean" else by_topic[run][measure][topic]
            yield (run, topic, measure), printed(found), row["ndcg@10"]  # the header is that of k=10 for both

    agree(compared(), 5, GDEVAL[name])


def ntcireval_measures(config):
    """{NTCIREVAL's name: our measure} under one of its configurations, such as g=1:10,beta=1,logb=2."""
    gains, base = re.fullmatch(r"g=(.*),beta=.*,logb=(.*)", config).groups()
    named = {"linear": "linear", "flat": "binary"}
    table = "{" + ",".join(f"{grade}:{gain}" for grade, gain in enumerate(gains.split(":"), 1)) + "}"
    ours = {"AP": "AP", "RR": "RR"}
    for k in (10, 100, 1000):
        ours[f"P@{k:04}"] = f"P@{k}"
        ours[f"AP@{k:04}"] = f"AP(norm=cut)@{k}"  # NTCIREVAL divides by min(k, R)
        ours[f"nDCG@{k:04}"] = f"nDCG(gains={named.get(gains, table)},base={base})@{k}"
    return {theirs: str(rankgauge.parse(text)) for theirs, text in ours.items()}


@pytest.mark.parametrize("name", NTCIREVAL)
def test_ap_and_the_ndcg_of_2002_are_those_of_ntcireval(name, data, agree):
    rows = [line.split("\t") for line in lines(data / name / "expected" / "ntcireval_190111.tsv.gz")][1:]
    ours = {config: ntcireval_measures(config) for config in sorted({row[0] for row in rows})}
    measures = dict.fromkeys(text for config in ours.values() for text in config.values())
    by_topic, _ = evaluated(data / name, tuple(measures))
    agree(
        (
            ((config, run, topic, measure), printed(by_topic[run][ours[config][measure]][topic]), value)
            for config, run, topic, measure, value in rows
            if measure in ours[config]
        ),
        4,
        NTCIREVAL[name],
    )


def test_means_are_those_of_the_official_trec_covid_leaderboard(data, agree):
    folder = data / "trec_covid_rnd1"
    ours = {"ndcg@10": "nDCG@10", "p@5": "P@5", "MAP": "AP"}
    _, mean = evaluated(folder, tuple(ours.values()))
    with (folder / "official_leaderboard.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["run"] in mean]
    agree(
        (
            ((row["run"], theirs), mean[row["run"]][text], row[theirs])
            for row in rows
            for theirs, text in ours.items()
        ),
        4,
        3 * 15,
    )


def test_means_in_single_precision_are_those_nist_published_for_deep_learning_2021(data, agree):
    binary = {
        "map": "AP(rel=2)",
        "recip_rank": "RR(rel=2)",
        "P_10": "P(rel=2)@10",
        "recall_100": "R(rel=2)@100",
    }
    graded = {"ndcg_cut_10": "nDCG@10", "ndcg_cut_100": "nDCG@100"}
    ours = {("trec_eval", name): text for name, text in binary.items()}  # run with -l 2
    ours |= {("passages-eval", name): text for name, text in graded.items()}
    _, mean = evaluated(data / "trec_dl_2021_passage", tuple(ours.values()), precision="single")
    rows = csv.DictReader(lines(data / "published_scores" / "trec30_deep.tsv.gz"), delimiter="\t")
    published = [row for row in rows if row["task"] == "passages" and (row["tool"], row["measure"]) in ours]
    agree(
        (
            ((row["run"], row["measure"]), mean[row["run"]][ours[row["tool"], row["measure"]]], row["value"])
            for row in published
        ),
        4,
        6 * 63,
    )
