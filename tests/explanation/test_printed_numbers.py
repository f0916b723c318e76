"""Numbers that other tools printed are found, and the tool is named."""

import csv

import pytest

import rankgauge
from agreement.sets import QRELS, lines

DL21 = "trec_dl_2021_passage"
RUNS = ["Fast_ForwardP_2", "uogTrPot5", "NLE_P_quick"]


@pytest.fixture(autouse=True)
def few_evaluations(monkeypatch):
    """Matches are the asked measure with one change or as a tool computes it, which are tried first."""
    monkeypatch.setattr("rankgauge.explanation.way_search.MAX_EVALUATIONS", 60)


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


OF_10, OF_9, AT_2 = "trec_eval_10.0-rc3.all_trec.q", "trec_eval_9.0.4.differs", "trec_eval_10.0-rc3.l2.q"
SINGLE = {"score_precision": "single"}


@pytest.mark.parametrize(
    ("run", "file", "name", "rules"),
    [
        *((run, OF_10, "map", {}) for run in RUNS),
        *((RUNS[0], OF_10, name, {}) for name in ("ndcg_cut_10", "recip_rank", "bpref", "P_10")),
        *((RUNS[1], AT_2, name, {}) for name in ("map", "Rprec", "bpref")),
        *((RUNS[0], OF_9, name, SINGLE) for name in ("map", "ndcg_cut_10")),
    ],
)
def test_means_of_trec_eval_are_found(run, file, name, rules, data):
    ours = rankgauge.parse(name)
    first = found(data, run, str(ours), trec_eval(data, f"{file}.tsv.gz", run, name))
    assert (first.measure, first.rules) == (f"{ours}(rel=2)" if file == AT_2 else str(ours), rules)
    if file != AT_2:
        tools = {f"trec_eval {version}" for version in (9, 10)} & {*first.tools}
        assert tools == {"trec_eval 9"} if rules else "trec_eval 10" in tools
        assert first.changes == bool(rules)


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
