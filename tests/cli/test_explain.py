"""The command `rankgauge explain`."""

import json

import pytest

import rankgauge
from rankgauge.cli.main import main

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 <i> 1\nq2 0 a 1\n"
RUN = "q1 Q0 u 1 9 t\nq1 Q0 a 2 8 t\nq1 Q0 <i> 3 7 t\n"


@pytest.fixture
def files(write):
    """Paths of judgments and of a run."""
    return str(write("qrels.txt", QRELS)), str(write("bm25.run", RUN))


def test_a_value_is_explained_as_text_where_there_is_no_terminal(files, capsys):
    assert main(["explain", *files, "--topic", "q1", "-m", "nDCG@5"]) == 0
    output = capsys.readouterr().out
    found = rankgauge.explain(*files, topic="q1", measure="nDCG@5")
    assert output == f"{found!r}\n"
    assert output.startswith(f"nDCG@5 of run bm25 for topic q1 is {found.value:.4f}\n")


def test_the_default_measure_is_ndcg_at_ten(files, capsys):
    assert main(["explain", *files, "--topic", "q1"]) == 0
    assert capsys.readouterr().out.startswith("nDCG@10 of run bm25 ")


def test_json_has_everything_with_every_digit(files, capsys):
    assert main(["explain", *files, "--topic", "q1", "-m", "AP", "--format", "json", "--limit", "1"]) == 0
    record = json.loads(capsys.readouterr().out)
    found = rankgauge.explain(*files, topic="q1", measure="AP")
    assert record == json.loads(json.dumps(found.as_dict()))
    assert record["value"] == found.value == (1 / 2 + 2 / 3) / 2
    assert [step["relevant"] for step in record["steps"]] == [None, True, True]


def test_the_extension_of_a_file_chooses_the_format(files, tmp_path):
    page, notes = tmp_path / "why.html", tmp_path / "why.md"
    assert main(["explain", *files, "--topic", "q1", "-o", str(page)]) == 0
    assert main(["explain", *files, "--topic", "q1", "-o", str(notes)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert '<meta charset="utf-8">' in text
    assert "<i>" not in text
    assert "&lt;i&gt;" in text
    assert notes.read_text(encoding="utf-8").startswith("# nDCG@10 of run bm25 for topic q1 is ")
    assert "\\<i\\>" in notes.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["why.csv", "why.parquet"])
def test_an_extension_without_a_format_of_explanations_is_refused(files, tmp_path, name, capsys):
    assert main(["explain", *files, "--topic", "q1", "-o", str(tmp_path / name)]) == 2
    assert "use one of .txt .json .md .tex .typ .html .htm .doc, or pass --format" in capsys.readouterr().err
    assert not (tmp_path / name).exists()


def test_decimals_and_lines_can_be_chosen(files, capsys):
    assert main(["explain", *files, "--topic", "q1", "-m", "P@3", "--places", "2", "--limit", "1"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("P@3 of run bm25 for topic q1 is 0.67\n")
    assert "(2 more lines)" in output


def test_the_order_is_an_option_as_in_evaluate(write, capsys):
    qrels, run = write("q", "q1 0 a 1\n"), write("r", "q1 Q0 a 2 1 t\nq1 Q0 b 1 1 t\n")
    found = {}
    for ties in ("docid_desc", "docid_asc"):
        argv = ["explain", str(qrels), str(run), "--topic", "q1", "-m", "RR", "--ties", ties]
        assert main([*argv, "--format", "json"]) == 0
        found[ties] = json.loads(capsys.readouterr().out)["value"]
    assert found == {"docid_desc": 0.5, "docid_asc": 1.0}


def test_a_topic_that_is_not_judged_is_an_error(files, capsys):
    assert main(["explain", *files, "--topic", "q3"]) == 2
    assert "no topic of the judgments is called 'q3'; use one of q1, q2" in capsys.readouterr().err


def test_the_topic_has_to_be_named(files, capsys):
    assert main(["explain", *files]) == 2
    assert "--topic" in capsys.readouterr().err


def test_on_a_terminal_tables_are_drawn(files, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    assert main(["explain", *files, "--topic", "q1"]) == 0
    output = capsys.readouterr().out
    assert "────" in output
    assert "Rank by rank" in output
