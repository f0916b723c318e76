import io
import json
import sys

import pytest

from rankgauge.cli.main import main
from rankgauge.engines.local import document_ranks
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run

RUN = "1 Q0 a 1 3.5 t\n1 Q0 b 2 2.5 t\n2 Q0 a 1 1.0 t\n"
QRELS = "1 0 a 1\n1 1 a 2\n3 0 c 0.5\n"


@pytest.fixture
def folder(working_folder):
    return working_folder({"bm25.run": RUN, "qrels.txt": QRELS})


@pytest.mark.parametrize("name", ["x.csv", "x.tsv.gz", "x.jsonl.zst", "x.parquet", "x.arrow", "x.trec.xz"])
def test_a_run_comes_back_from_every_format(folder, name):
    assert main(["convert", "bm25.run", name]) == 0
    assert main(["convert", name, "back.run"]) == 0
    assert (folder / "back.run").read_text() == RUN
    assert Run.read(name).to_dict() == Run.read("bm25.run").to_dict()


TEXTS = {
    "by topic": RUN,
    "several tags, no last newline": RUN + "3 Q0 c 7 1e-9 u\n3 Q0 d 9 inf v",
    "an unknown rank": RUN + "3 Q0 c x 1 t\n3 Q0 d 1 2 t\n",
    "a document twice": RUN + "3 Q0 c 1 2 t\n3 Q0 c 2 1 t\n",
    "not by topic": RUN + "1 Q0 c 3 1.5 t\n",
    "a comment": "# by hand\n" + RUN,
    "an odd id": RUN + "3 Q0 \ufeff 1 1 é\n",
    "a wrong score": RUN + "3 Q0 c 1 high t\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("name", ["x.run.gz", "x.jsonl"])
def test_what_is_written_in_parts_is_what_is_written_whole(name, text, folder, capsys, monkeypatch):
    (folder / "bm25.run").write_text(text, encoding="utf-8")
    monkeypatch.setattr(document_ranks, "BYTES", 1)
    found = main(["convert", "bm25.run", name]), capsys.readouterr().err
    monkeypatch.setattr(document_ranks, "ranked_rows", lambda source: ())
    assert found == (main(["convert", "bm25.run", f"whole-{name}"]), capsys.readouterr().err)
    if not found[0]:
        assert (folder / name).read_bytes() == (folder / f"whole-{name}").read_bytes()


@pytest.mark.parametrize("kind", [[], ["--kind", "qrels"]])  # without it, the names of columns tell
@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet", "x.arrow", "x.parquet.gz"])
def test_judgments_come_back_with_subtopics_and_fractions(folder, name, kind):
    assert main(["convert", "qrels.txt", name]) == 0
    assert main(["convert", name, "back.txt", *kind]) == 0
    assert (folder / "back.txt").read_text() == QRELS


def test_rows_in_a_list_tell_judgments_from_a_run(folder):
    (folder / "x.json").write_text('[{"qid": "1", "docno": "a", "label": 2}]')
    assert main(["convert", "x.json", "back.txt"]) == 0
    assert (folder / "back.txt").read_text() == "1 0 a 2\n"


@pytest.mark.parametrize("ranks", ["1 x", "x x"])
def test_ranks_that_are_assigned_anew_are_reported(folder, invoke, ranks):
    first, second = ranks.split()
    (folder / "odd.run").write_text(f"1 Q0 a {first} 2.5 t\n1 Q0 b {second} 3.5 t\n")
    assert "ranks were assigned anew" in invoke("convert", "odd.run", "new.run").err
    assert (folder / "new.run").read_text() == "1 Q0 b 1 3.5 t\n1 Q0 a 2 2.5 t\n"
    assert invoke("convert", "bm25.run", "same.run").err == ""


def test_formats_are_given_by_name(folder, capsys):
    assert main(["convert", "bm25.run", "out", "--to", "msmarco"]) == 0
    assert (folder / "out").read_text() == "1\ta\t1\n1\tb\t2\n2\ta\t1\n"
    assert main(["convert", "out", "back.run", "--from", "msmarco"]) == 0
    assert (folder / "back.run").read_text().startswith("1 Q0 a 1 -1.0 ")


def test_names_of_columns_are_given(folder):
    (folder / "odd.csv").write_text("a,b,c\nq,d,2\n")
    assert (
        main(["convert", "odd.csv", "x.json", "--kind", "qrels", "--columns", "topic=a,doc=b,grade=c"]) == 0
    )
    assert (folder / "x.json").read_text() == '{"q": {"d": 2}}\n'
    assert Qrels.read("x.json").to_dict() == {"q": {"d": 2}}


def test_a_run_goes_through_a_pipe(folder, capfdbinary, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert main(["convert", "-", "-", "--to", "jsonl"]) == 0
    first = b'{"query_id": "1", "doc_id": "a", "score": 3.5, "rank": 1, "tag": "t"}\n'
    assert capfdbinary.readouterr().out.startswith(first)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.run", "x.csv"], "nothing.run: no such file"),
        (["bad.run", "x.csv"], "bad.run:1: expected 6 columns, found 1"),
        (["qrels.txt", "x.json"], "more than once"),
        (["qrels.txt", "x", "--to", "ntcir"], "not the grade 0.5"),
        (["qrels.txt", "x", "--to", "msmarco"], "msmarco files cannot hold judgments"),
        (["bm25.run", "x", "--to", "ntcireval"], "ntcireval files can be read but not written"),
        (["bm25.run", "x", "--to", "cvs"], "no format named"),
        (["bm25.run", "no/where.csv"], "the file cannot be written"),
    ],
)
def test_what_cannot_be_converted_leaves_nothing_behind(folder, invoke, arguments, message):
    (folder / "bad.run").write_text("x\n")
    before = sorted(folder.iterdir())
    assert message in invoke("convert", *arguments, code=2).err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_infinite_scores_are_valid_json_and_come_back(folder, name):
    (folder / "inf.run").write_text("1 Q0 a 1 inf x\n1 Q0 b 2 1.5 x\n1 Q0 c 3 -inf x\n")
    assert main(["convert", "inf.run", name]) == 0
    for line in (folder / name).read_text().splitlines():
        json.loads(line, parse_constant=pytest.fail)  # which Infinity would be
    assert main(["convert", name, "back.run"]) == 0
    scores = [line.split()[4] for line in (folder / "back.run").read_text().splitlines()]
    assert scores == ["inf", "1.5", "-inf"]
