"""`rankgauge pool`: what it writes, in which format, and what it says."""

import json
from pathlib import Path

import pytest

from rankgauge.cli.main import main
from rankgauge.model.qrels import Qrels

RUNS = {
    "a.run": "q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq2 Q0 d1 1 1 a\n",
    "b.run": "q1 Q0 <b>|d2\xa0 1 3 b\nq1 Q0 d2 2 2 b\nq1 Q0 d9 3 1 b\n",
}


@pytest.fixture
def runs(write):
    return [str(write(name, text)) for name, text in RUNS.items()]


def test_documents_are_listed_by_topic_and_id(runs, invoke):
    printed = invoke("pool", *runs, "--depth", "2")
    assert printed.out.splitlines() == [
        "topic\tdocument\tvotes\tbest rank",
        "q1\t<b>|d2\xa0\t1\t1",
        "q1\td1\t1\t1",
        "q1\td2\t2\t2",
        "q2\td1\t1\t1",
    ]
    assert printed.err.splitlines() == [
        "note: Pool of 2 runs to depth 2: 4 documents of 2 topics",
        "note: runs that lack results for some topics: 1 of 2",
        "note: runs that end before depth 2 on some topics: 1 of 2",
    ]


def test_votes_are_written_as_judgments_that_read_back(runs, tmp_path, capsys):
    path = tmp_path / "votes.txt"
    assert main(["pool", *runs, "--depth", "all", "--format", "trec", "-o", str(path), "--quiet"]) == 0
    assert Qrels.read(path).to_dict() == {
        "q1": {"<b>|d2\xa0": 1, "d1": 1, "d2": 2, "d9": 1},
        "q2": {"d1": 1},
    }
    assert capsys.readouterr() == ("", "")


def test_rules_that_are_refused_are_not_offered(invoke):
    offered = invoke("pool", "--help", "--all").out.split("--ties")[1].split("--score-precision")[0]
    assert "docid_asc:" in offered
    assert "average:" not in offered


@pytest.mark.parametrize(
    ("shown", "rows"),
    [
        ("topics", [{"topic": "q1", "documents": 4, "of one run alone": 3}]),
        ("runs", [{"run": "a", "topics": 2, "documents": 3, "no other run's": 2}]),
        ("overlap", [{"run": "a", "a": 1.0, "b": 0.25}]),
    ],
)
def test_other_tables_count_what_runs_found(shown, rows, runs, invoke):
    assert json.loads(invoke("pool", *runs, "--show", shown, "--format", "json", "--quiet").out)[:1] == rows


def test_what_has_been_judged_is_left_out(runs, write, invoke):
    judged = str(write("qrels.csv", "query_id,doc_id,relevance\nq1,d2,0\nq2,d1,1\n"))
    printed = invoke("pool", *runs, "--judged", judged, "--format", "csv")
    assert [line.split(",")[1] for line in printed.out.splitlines()[1:]] == ["<b>|d2\xa0", "d1", "d9"]
    assert "note: left out because they were judged before: 2 documents" in printed.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--depth", "0"], "--depth must be a whole number from 1, not 0"),
        (["--show", "runs", "--format", "trec"], "trec holds all documents; choose one of table"),
        (["--sample", "2", "--format", "trec"], "trec holds all documents; choose one of table"),
        (["--format", "strata"], "strata holds a sample (--sample N); choose one of table"),
        (["--sample", "2", "--show", "runs"], "--sample draws documents; leave it out, or --show runs"),
        (["--sample", "0"], "--sample must be a whole number from 1, not 0"),
        (["--llm-qrels", "llm.txt"], "--llm-qrels is for topics or documents to draw"),
        (["--seed", "0"], "--seed is for topics or documents to draw; add --topics N or --sample N"),
        (["--ties", "average"], "a pool needs one order of documents"),
        (["--judged", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_what_cannot_be_done_is_said(arguments, message, runs, invoke):
    assert message in invoke("pool", *runs, *arguments, code=2).err


def test_requests_have_texts_and_an_empty_grade(working_folder, invoke):
    working_folder(
        {
            "a.run": "q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 a\nq2 Q0 d3 1 1 a\n",
            "corpus.tsv": "d1\tone\nd3\tthree\n",
            "queries.tsv": "q1\tfirst\n",
            "qrels.txt": "q2 0 d3 1\n",
        }
    )
    options = ["--requests", "r.jsonl", "--documents", "corpus.tsv", "--queries", "queries.tsv"]
    printed = invoke("pool", "a.run", *options, "-o", "pool.csv")
    assert "note: 1 request without a query (--queries FILE has them)" in printed.err
    assert "note: 1 request without a text (--documents FILE has them)" in printed.err
    assert Path("pool.csv").read_text().count("\n") == 4
    assert [json.loads(line) for line in Path("r.jsonl").read_text().splitlines()] == [
        {"query_id": "q1", "query": "first", "doc_id": "d1", "text": "one", "grade": None},
        {"query_id": "q1", "query": "first", "doc_id": "d2", "text": "", "grade": None},
        {"query_id": "q2", "query": "", "doc_id": "d3", "text": "three", "grade": None},
    ]
    invoke("pool", "a.run", "--judged", "qrels.txt", *options)
    assert Path("r.jsonl").read_text().count("q1") == 2 == Path("r.jsonl").read_text().count("\n")
    assert "a.run" in invoke("pool", "a.run", "--requests", "a.run", code=2).err


def test_a_sample_is_written_with_strata_and_probabilities(runs, write, tmp_path, invoke):
    llm, path = str(write("llm.txt", "q1 0 d1 2\nq1 0 d2 1\n")), tmp_path / "sample.qrels"
    drawn = ("pool", *runs, "--sample", "3", "--llm-qrels", llm, "--seed", "4")
    assert "\nnote: to be judged: 4 documents\n" in invoke(*drawn, "-o", str(path)).err
    rows = [line.split(" ") for line in path.read_text().splitlines() if line.startswith("q1 0 d")]
    assert [(doc, stratum) for _, _, doc, stratum, _ in rows] == [("d1", "all"), ("d2", "all"), ("d9", "all")]
    table = json.loads(invoke(*drawn, "--format", "json", "--quiet").out)
    assert {row["probability"] for row in table} == {0.75, 1.0}
    assert sorted(row["grade"] for row in table) == [-2, -2, -2, -2, -1]
    judged = str(write("human.txt", "".join(f"{row['topic']} 0 {row['document']} 3\n" for row in table)))
    filled = json.loads(invoke(*drawn, "--judged", judged, "--format", "json", "--quiet").out)
    invoke(*drawn, "--requests", str(tmp_path / "r.jsonl"))
    asked = [json.loads(line)["doc_id"] for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert sorted(asked) == sorted(row["document"] for row in table if row["grade"] == -2)
    assert [row["grade"] for row in filled] == [3 if row["grade"] == -2 else -1 for row in table]


def test_difficulty_is_of_runs_as_the_options_read_them(write, tmp_path, invoke):
    topics = [str(topic) for topic in range(8)]
    llm = write("llm.qrels", "".join(f"{topic} 0 d1 1\n" for topic in topics))
    run = write("own.txt", "query,found,value\n" + "".join(f"{topic},d1,2\n" for topic in topics))
    reading = ("--run-format", "csv", "--run-columns", "topic=query,doc=found,score=value")
    drawn = (
        "--topics",
        "4",
        "--strata",
        "difficulty",
        "--llm-qrels",
        llm,
        "--record",
        tmp_path / "drawn.csv",
    )
    assert invoke("pool", run, *reading, *drawn)
    assert (tmp_path / "drawn.csv").read_text().count("yes") == 4


def test_llm_judgments_are_read_as_the_options_for_judgments_say(runs, write, invoke):
    named = str(write("llm.csv", "grade,who,q,d\n1,x,q1,d1\n2,x,q1,d1\n0,x,q1,d2\n"))
    argv = ("pool", *runs, "--sample", "6", "--llm-qrels", named, "--format", "json", "--quiet")
    columns = ("--qrels-format", "csv", "--qrels-columns", "topic=q,doc=d,grade=grade", "--grades", "2=5")
    table = json.loads(invoke(*argv, *columns, "--duplicates", "max").out)
    strata = {row["document"]: row["stratum"].split("/")[0] for row in table if row["topic"] == "q1"}
    assert (strata["d1"], strata["d2"], strata["d9"]) == ("5", "0", "none")
    assert '"d1" occurs twice' in invoke(*argv, *columns, code=2).err


def test_a_pool_leaves_out_documents_judged_for_any_subtopic(working_folder, invoke):
    working_folder(
        {
            "qrels.txt": "1 1 a 1\n1 2 b 1\n2 2 d 0\n",
            "a.run": "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 x 3 1 t\n2 Q0 d 1 1 t\n",
        }
    )
    pooled = invoke("pool", "a.run", "--judged", "qrels.txt", "--format", "csv").out
    assert [line.split(",")[:2] for line in pooled.splitlines()] == [["topic", "document"], ["1", "x"]]


def test_files_of_three_columns_are_named_together(working_folder, invoke):
    names = [f"{name}.txt" for name in "abcde"]
    working_folder(dict.fromkeys(names, "1 b 1.5\n1 a 0.5\n"))
    assert "note: a.txt, b.txt, c.txt, ...: three columns without a header" in invoke("pool", *names).err
