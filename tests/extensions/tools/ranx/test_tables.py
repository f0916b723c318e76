"""ranx's `Qrels` and `Run`: made from dicts, files and frames, looked at, changed and saved."""

import gzip
import json

import pandas
import pytest
from rankgauge.compat.ranx import Qrels, Run

import rankgauge
from rankgauge.compat import ranx
from rankgauge.errors import InputError, OptionError

GRADES = {"q_2": {"d_11": 1, "d_22": 6}, "q_1": {"d_12": 5, "d_25": 3}}
SORTED = {"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_22": 6, "d_11": 1}}
SCORES = {"q_1": {"d_1": 1.5, "d_2": 2.6}, "q_2": {"d_3": 2.8, "d_2": 1.2, "d_5": 3.1}}


def nested(table):
    """Items instead of dicts, so that their order counts."""
    return [(topic, list(documents.items())) for topic, documents in table.to_dict().items()]


def test_topics_and_documents_are_sorted():
    qrels = Qrels(GRADES)
    assert nested(qrels) == [(topic, list(docs.items())) for topic, docs in SORTED.items()]
    assert list(qrels.keys()) == qrels.get_query_ids() == ["q_1", "q_2"]
    assert list(qrels["q_2"].items()) == [("d_22", 6), ("d_11", 1)]
    assert [list(docs) for docs in qrels.get_doc_ids_and_scores()] == [["d_12", "d_25"], ["d_22", "d_11"]]
    assert (len(qrels), qrels.size, "q_1" in qrels, "q_3" in qrels) == (2, 2, True, False)


def test_a_table_is_a_copy():
    given = {"q": {"d": 1}}
    qrels = Qrels(given)
    given["q"]["e"] = 2
    qrels["q"]["f"] = qrels.to_dict()["q"]["f"] = qrels.qrels["q"]["f"] = 3
    assert qrels.to_dict() == {"q": {"d": 1}}


def test_documents_are_added():
    for table in (Qrels(), Run()):
        table.add_score("q_1", "d_1", 1)
        table.add_score("q_1", "d_1", 2)
        table.add("q_0", ["d_1", "d_2"], [1, 2])
        table.add_multi(["q_2", "q_3"], [["d_1"], ["d_2", "d_3"]], [[4], [5, 6]])
        table.add("q_2", ["d_9"], [1])  # in place of those it had
        assert nested(table) == [
            ("q_0", [("d_2", 2), ("d_1", 1)]),
            ("q_1", [("d_1", 2)]),
            ("q_2", [("d_9", 1)]),
            ("q_3", [("d_3", 6), ("d_2", 5)]),
        ]


def test_a_relevance_level_lowers_grades():
    qrels = Qrels(GRADES)
    qrels.set_relevance_level(3)
    assert qrels.to_dict() == {"q_1": {"d_12": 3, "d_25": 1}, "q_2": {"d_22": 4, "d_11": -1}}


@pytest.mark.parametrize("name", ["x.json", "x.trec", "x.txt", "x.parquet", "x.parq"])
@pytest.mark.parametrize(("kind", "content"), [(Qrels, GRADES), (Run, SCORES)])
def test_what_is_saved_reads_back(tmp_path, name, kind, content):
    table = kind(content, name="bm25")
    table.save(tmp_path / name)
    again = kind.from_parquet if "parq" in name else kind.from_file
    assert nested(again(tmp_path / name)) == nested(table)
    other = rankgauge.Qrels if kind is Qrels else rankgauge.Run
    assert other.read(tmp_path / name, format="parquet" if "parq" in name else None).to_dict() == content


def test_ranx_reads_what_is_saved(tmp_path):
    Run(SCORES, name="bm25").save(tmp_path / "run.txt")
    Run(SCORES).save(tmp_path / "run.json")
    lines = [line.split() for line in (tmp_path / "run.txt").read_text().splitlines()]
    assert [(q, d, rank, tag) for q, _, d, rank, _, tag in lines][:2] == [
        ("q_1", "d_2", "1", "bm25"),
        ("q_1", "d_1", "2", "bm25"),
    ]
    assert json.loads((tmp_path / "run.json").read_text()) == SCORES
    Run(SCORES).save(tmp_path / "run.parquet")
    assert pandas.read_parquet(tmp_path / "run.parquet").columns.tolist() == ["q_id", "doc_id", "score"]


def test_files_are_read_by_kind(tmp_path):
    text = "q_1 Q0 d_1 1 2.5 bm25\nq_1 Q0 d_2 2 1.5 bm25\n"
    (tmp_path / "run.custom").write_text(text)
    (tmp_path / "run.gz").write_bytes(gzip.compress(text.encode()))
    for run in (
        Run.from_file(tmp_path / "run.custom", kind="trec"),
        Run.from_file(tmp_path / "run.custom"),
        Run.from_file(tmp_path / "run.gz", kind="gz"),
        Run.from_file(tmp_path / "run.gz"),
    ):
        assert (run.to_dict(), run.name) == ({"q_1": {"d_1": 2.5, "d_2": 1.5}}, "bm25")
    assert Run.from_file(tmp_path / "run.gz", name="mine").name == "mine"
    with pytest.raises(InputError, match=r"kind must be 'json', 'trec'.* not 'lz4'"):
        Run.from_file(tmp_path / "run.gz", kind="lz4")
    with pytest.raises(InputError, match=r"kind must be .* not 'custom'"):
        Run(SCORES).save(tmp_path / "run.custom")


def test_frames_go_in_and_come_out():
    frame = pandas.DataFrame(
        {"qid": ["q_1", "q_1", "q_2"], "did": ["d_1", "d_2", "d_1"], "points": [0.5, 0.75, 0.25]}
    )
    run = Run.from_df(frame, q_id_col="qid", doc_id_col="did", score_col="points", name="mine")
    assert (run.to_dict(), run.name) == ({"q_1": {"d_2": 0.75, "d_1": 0.5}, "q_2": {"d_1": 0.25}}, "mine")
    assert run.to_dataframe().to_dict("list") == {
        "q_id": ["q_1", "q_1", "q_2"],
        "doc_id": ["d_2", "d_1", "d_1"],
        "score": [0.75, 0.5, 0.25],
    }
    assert nested(Run.from_df(run.to_dataframe())) == nested(run)
    assert nested(Qrels.from_df(Qrels(GRADES).to_dataframe())) == nested(Qrels(GRADES))


def test_the_judgments_of_ir_datasets(monkeypatch):
    class Dataset:
        def qrels_dict(self):
            return GRADES

    ir_datasets = pytest.importorskip("ir_datasets")
    monkeypatch.setattr(ir_datasets, "load", {"a/dataset": Dataset()}.__getitem__)
    qrels = Qrels.from_ir_datasets("a/dataset")
    assert (qrels.name, qrels.to_dict()) == ("a/dataset", SORTED)


def test_a_run_keeps_what_belongs_to_it():
    run = Run(SCORES, name="bm25")
    assert (run.name, run.metadata, run.mean_scores, run.std_scores) == ("bm25", {}, {}, {})
    run.metadata["model"] = "bm25"
    assert run.scores["unknown"] == {}
    assert repr(run) == "Run 'bm25': 2 topics, 5 documents"


def test_plots_and_downloads_are_not_part_of_it():
    with pytest.raises(OptionError, match="plots and downloads are left to ranx"):
        ranx.plot(runs=[Run(SCORES)])
    with pytest.raises(OptionError, match="downloads are left to ranx"):
        Run.from_ranxhub("run-id")
