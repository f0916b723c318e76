"""The command `rankgauge diff`."""

import json
import os
import subprocess
import sys

import pytest

import rankgauge
from rankgauge.cli.main import main
from rankgauge.explanation.diff import comment
from rankgauge.model.output.documents import document_lines

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 <i> 1\nq2 0 a 1\nq3 0 c 1\n"
OLD = "q1 Q0 a 1 9 t\nq1 Q0 u 2 8 t\nq1 Q0 <i> 3 7 t\nq2 Q0 a 1 2 t\nq3 Q0 c 1 2 t\n"
NEW = "q1 Q0 v 1 9 t\nq1 Q0 b 2 8 t\nq1 Q0 a 3 7 t\nq2 Q0 a 1 2 t\nq3 Q0 x 1 2 t\nq3 Q0 c 2 1 t\n"


@pytest.fixture
def files(write):
    """Paths of judgments, of an old run and of a new one."""
    return [
        str(write(name, text)) for name, text in (("qrels.txt", QRELS), ("old.run", OLD), ("new.run", NEW))
    ]


def test_text_is_the_document_where_there_is_no_terminal(files, invoke):
    output = invoke("diff", *files, "--view", "report").out
    found = rankgauge.diff(*files)
    assert output == "".join(f"{line}\n" for line in document_lines(found.document(notes=False)))
    assert output.startswith("new against old: nDCG@10 0.9834 to 0.6703\n")
    assert "3 topics by nDCG@10: 0 better, 1 the same, 2 worse." in output


def test_the_short_answer_has_means_a_sentence_and_the_topics_that_changed_most(files, invoke):
    out, err = invoke("diff", *files)
    assert "On nDCG@10, new (0.6703) and old (0.9834) do not differ significantly (-0.3131 [" in out
    assert "3 topics by nDCG@10: 0 better, 1 the same, 2 worse. Worst: " in out
    assert len(out.splitlines()) <= 6
    assert "more: --view report lists the topics" in err
    assert "more:" not in invoke("diff", *files, "--quiet").err


def test_a_topic_has_both_rankings_side_by_side(files, invoke):
    lines = invoke("diff", *files, "--topic", "q1", "-m", "AP").out.splitlines()
    assert lines[0].startswith("Topic q1: AP ")
    ranked = [line.split() for line in lines[lines.index("Rankings side by side") + 2 :][1:4]]
    assert ranked == [
        ["1", "a", "2", "↓2", "v", "–", "new"],
        ["2", "u", "–", "lost", "b", "0", "new"],
        ["3", "<i>", "1", "lost", "a", "2", "↓2"],
    ]


def test_arrows_are_words_where_the_terminal_has_none(files):
    command = [sys.executable, "-m", "rankgauge", "diff", *files, "--topic", "q1"]
    shown = {
        encoding: subprocess.run(
            command, env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True, check=True
        ).stdout.decode()
        for encoding in ("ascii", "utf-8")
    }
    assert "down 2" in shown["ascii"]
    assert "↓2" in shown["utf-8"]
    assert "\\u21" not in shown["ascii"]


def test_markdown_is_the_comment(files, invoke, tmp_path):
    assert invoke("diff", *files, "--format", "md").out == comment(rankgauge.diff(*files))
    assert main(["diff", *files, "-o", str(tmp_path / "diff.md")]) == 0
    assert (tmp_path / "diff.md").read_text(encoding="utf-8") == comment(rankgauge.diff(*files))


def test_a_page_has_the_documents_of_topics_folded(files, tmp_path):
    assert main(["diff", *files, "-o", str(tmp_path / "diff.html")]) == 0
    page = (tmp_path / "diff.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.count("<details><summary>Topic ") == 2
    assert "<i>" not in page
    assert "&lt;i&gt;" in page
    assert "color-scheme: light dark" in page


def test_json_has_everything_with_every_digit(files, invoke):
    record = json.loads(
        invoke("diff", *files, "--format", "json", "--limit", "1", "--fail-if", "nDCG@10 drops", code=1).out
    )
    assert record == json.loads(json.dumps(rankgauge.diff(*files, fail_if="nDCG@10 drops").as_dict()))
    assert len(record["topics"]) == 3
    assert record["checks"][0]["failed"]
    record = json.loads(invoke("diff", *files, "--format", "json", "--topic", "q1").out)
    assert record == json.loads(json.dumps(rankgauge.diff(*files, topic="q1").as_dict()))


@pytest.mark.parametrize(
    ("condition", "status"), [("nDCG@10 drops", 1), ("nDCG@10 rises", 0), ("P@1 drops by 1%", 1)]
)
@pytest.mark.parametrize("form", ["table", "md", "json"])
def test_the_exit_code_is_that_of_the_gate_of_compare(files, condition, status, form, invoke):
    shown = invoke("diff", *files, "--fail-if", condition, "--format", form, code=status)
    verdict = [
        line
        for line in invoke("compare", *files, "--fail-if", condition, "--quiet", code=status).err.splitlines()
        if line.startswith(("failed", "passed"))
    ]
    if form == "table":
        assert f"Check: {'failed' if status else 'passed'}" in shown.out
    else:
        assert verdict[0] in shown.err.splitlines()


def test_titles_and_queries(files, write, invoke):
    documents = str(write("docs.tsv", "a\tBears\tAll about them\nb\tHoney\tSweet\n"))
    topics = str(write("topics.tsv", "q1\twhat do <bears> eat\n"))
    options = ["--documents", documents, "--topics", topics]
    assert "what do <bears> eat" in invoke("diff", *files, *options).out
    page = invoke("diff", *files, *options, "--topic", "q1", "--format", "html").out
    assert "Bears" in page
    assert "what do &lt;bears&gt; eat" in page


def test_queries_of_other_topics_are_noticed(files, write, invoke):
    command = ["diff", *files, "--topics", str(write("topics.tsv", "q9\twhat do bears eat\n"))]
    assert (
        f'note: {command[-1]} has a text for no topic of the judgments, such as "q1"' in invoke(*command).err
    )
    assert "no topic" not in invoke(*command, "--quiet").err


def test_runs_can_be_named_and_files_follow_options(files, invoke):
    qrels, old, new = files
    out = invoke("diff", qrels, f"main={old}", "-m", "AP", f"change={new}").out
    assert "On AP, change (0." in out
    assert ") and main (" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{new}"], "pass OLD NEW, or with judgments QRELS OLD NEW, not 3 runs"),
        (["--topic", "q9"], "no judged topic named 'q9'"),
        (["--topic", "q1", "--fail-if", "AP drops"], "--fail-if is for all topics"),
        (["--topic", "q1", "--margin", "0.1"], "--margin is for all topics"),
        (["--fail-if", "AP falls"], "--fail-if cannot be parsed"),
        (["--documents", "missing.jsonl"], "missing.jsonl: no such file"),
        (["--topics", "{qrels}"], "the format of these texts is not known"),
        (["-m", "nDGC"], "no measure named 'nDGC'"),
        (["--ties", "average"], "one order of documents"),
        (["-o", "{old}"], "is the same file as the input"),
        (["-o", "x.csv"], "cannot infer a format"),
        (["--depth", "0"], "--depth"),
        (["--test", "u"], "no test named"),
    ],
)
def test_errors_are_messages(files, arguments, message, refused):
    names = dict(zip(("qrels", "old", "new"), files, strict=True))
    assert message in refused("diff", *files, *(argument.format(**names) for argument in arguments))


def test_one_run_is_not_enough(files, invoke, refused):
    assert "with judgments, pass QRELS OLD NEW" in invoke("diff", *files[:2], code=2).err
    assert "pass OLD NEW, or with judgments QRELS OLD NEW, not one file" in refused("diff", files[1])
