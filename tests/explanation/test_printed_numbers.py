"""Numbers that other tools printed are found, and the tool is named."""

import csv

import pytest

import rankgauge
from agreement.sets import QRELS, lines

DL21 = "trec_dl_2021_passage"
RUNS = ["Fast_ForwardP_2", "uogTrPot5", "NLE_P_quick"]


def found(data, run, measure, target, collection=DL21, qrels=None):
    """The first match of a target for the mean of a run."""
    folder = data / collection
    judged = qrels or folder / QRELS[collection]
    search = rankgauge.explain(judged, folder / "runs" / f"{run}.run.gz", measure=measure, target=target)
    assert search.matches, (run, measure, target)
    return search.matches[0]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    ("column", "asked", "expected"),
    [("ndcg@10", "nDCG@20", "nDCG(gains=exp2)@20"), ("err@10", "ERR@20", "ERR(max_rel=4)@20")],
)
def test_means_of_gdeval_are_found(run, column, asked, expected, data):
    rows = csv.DictReader(lines(data / DL21 / "expected" / "gdeval_1.3.csv.gz"))
    [printed] = [row[column] for row in rows if (row["run"], row["k"], row["topic"]) == (run, "20", "amean")]
    first = found(data, run, asked, printed)
    assert first.measure == expected
    assert "gdeval" in first.tools


def trec_eval(data, file, run, name):
    """The mean that trec_eval printed for one of its measures."""
    rows = (line.split("\t") for line in lines(data / DL21 / "expected" / file))
    [printed] = [value for each, what, topic, value, *_ in rows if (each, what, topic) == (run, name, "all")]
    return printed


NAMES = {"map": "AP", "ndcg_cut_10": "nDCG@10", "recip_rank": "RR", "bpref": "Bpref", "P_10": "P@10"}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", NAMES)
def test_means_of_trec_eval_10_are_found(run, name, data):
    first = found(data, run, NAMES[name], trec_eval(data, "trec_eval_10.0-rc3.all_trec.q.tsv.gz", run, name))
    assert (first.measure, first.rules, first.changes) == (NAMES[name], {}, 0)
    assert "trec_eval 10" in first.tools


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", ["map", "Rprec", "bpref"])
def test_means_at_level_2_are_found(run, name, data):
    ours = rankgauge.parse(name)
    first = found(data, run, str(ours), trec_eval(data, "trec_eval_10.0-rc3.l2.q.tsv.gz", run, name))
    assert (first.measure, first.rules) == (f"{ours}(rel=2)", {})


@pytest.mark.parametrize("name", ["map", "ndcg_cut_10"])
def test_means_of_trec_eval_9_differ_from_those_of_10(name, data):
    run = RUNS[0]
    first = found(data, run, NAMES[name], trec_eval(data, "trec_eval_9.0.4.differs.tsv.gz", run, name))
    assert (first.measure, first.rules) == (NAMES[name], {"score_precision": "single"})
    assert "trec_eval 9" in first.tools
    assert "trec_eval 10" not in first.tools


@pytest.mark.parametrize(
    ("column", "asked", "expected"),
    [
        ("alpha-nDCG@10", "alpha_nDCG@10", "alpha_nDCG(ideal=ndeval)@10"),
        ("ERR-IA@20", "ERR_IA@20", "ERR_IA@20"),
        ("strec@5", "StRecall@5", "StRecall@5"),
    ],
)
def test_means_of_ndeval_are_found(column, asked, expected, data):
    folder = data / "trec_web_2012"
    qrels = rankgauge.SubtopicQrels.read(folder / "qrels-for-ndeval.txt.gz")
    rows = csv.DictReader(lines(folder / "expected" / "ndeval_4.5.csv.gz"))
    row = next(row for row in rows if (row["topic"], row["options"]) == ("amean", "default"))
    first = found(data, row["run"], asked, row[column], folder.name, qrels)
    assert "ndeval" in first.tools
    assert first.measure in (expected, asked)
