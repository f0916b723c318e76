"""`rankgauge convert` of a journal: what people decided, as judgments and tables."""

import json

import pytest

from rankgauge.cli.main import main
from rankgauge.extensions.judging import Journal
from rankgauge.model.qrels import Qrels


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "journal.jsonl"
    with Journal.open(path) as journal:
        journal.record("Ann", "q1", "d1", 2)
        journal.record("Ben", "q1", "d1", 1, "hm\x1b[31m")
        journal.record("Ann", "q1", "d2", None)
        journal.record("Ben", "q1", "d2", 0.5)
        journal.record("Ben", "q1", "d3", 1)
        journal.undo("Ben")
    return str(path)


def rows(capsys, *arguments):
    assert main(["convert", arguments[0], "-", *arguments[1:], "--to", "jsonl"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_judgments_are_written(path, tmp_path, capsys):
    new = str(tmp_path / "new.qrels")
    for options, expected in (
        ([], {"q1": {"d1": 1, "d2": 0.5}}),
        (["--assessor", "Ann"], {"q1": {"d1": 2}}),
        (["--resolve", "highest"], {"q1": {"d1": 2, "d2": 0.5}}),
    ):
        assert main(["convert", path, new, *options]) == 0
        assert Qrels.read(new).to_dict() == expected


def test_tables(path, capsys, invoke):
    assert rows(capsys, path, "--show", "assessors") == [
        {"assessor": "Ann", "judged": 1, "skipped": 1},
        {"assessor": "Ben", "judged": 2, "skipped": 0},
    ]
    assert rows(capsys, path, "--show", "conflicts") == [
        {"topic": "q1", "document": "d1", "Ann": 2, "Ben": 1}
    ]
    decisions = rows(capsys, path, "--show", "decisions")
    assert [row["decision"] for row in decisions] == [2, 1, "skip", 0.5, 1, "undo"]
    assert [row["decision"] for row in rows(capsys, path, "--show", "decisions", "--assessor", "Ann")] == [
        2,
        "skip",
    ]
    assert "\x1b" not in invoke("convert", path, "-", "--show", "decisions", "--to", "table").out


def test_wrong_requests_are_refused(path, tmp_path, invoke):
    for arguments, message in (
        ([path, "-", "--assessor", "An"], "no assessor named 'An'"),
        (
            [path, "-", "--show", "conflicts", "--to", "trec"],
            "trec is for runs and judgments, not for conflicts",
        ),
        ([str(tmp_path / "none"), "-", "--show", "decisions"], "the journal cannot be read"),
        ([path, path, "--to", "trec"], "is the same file as the input"),
    ):
        assert message in invoke("convert", *arguments, code=2).err


def test_an_empty_journal(tmp_path, invoke):
    path, out = tmp_path / "journal.jsonl", str(tmp_path / "out")
    path.touch()
    for arguments, message in (
        (["--resolve", "latest"], "there are no judgments: nobody has given a grade that counts\n"),
        (["--assessor", "Ann"], "no assessor named 'Ann'; the journal has no decisions yet\n"),
    ):
        assert invoke("convert", path, out, *arguments, code=2).err.endswith(message)


def test_only_extensions_that_can_be_written_are_offered(path, tmp_path, invoke):
    message = invoke("convert", path, tmp_path / "out.parquet", "--show", "conflicts", code=2).err
    assert ".html .htm, or pass --to" in message
