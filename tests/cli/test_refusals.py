"""Input that is refused: the message shows what was found, and names options that the command has."""

import json
import re

import pytest

import installed
from rankgauge.cli.parser import command_parser, options_of

QRELS, RUN = "1 0 a 1\n2 0 a 1\n", "1 Q0 a 1 2.5 t\n"
BAD = {  # {name: (content, part of the message)}
    "unnamed.csv": ("who,what,much\n1,a,2\n", 'found "who", "what", "much"; call them query_id, docno and'),
    "one.csv": (
        "query,what,score\n1,a,2\n",
        'no column for the doc; found "query", "what", "score"; call it',
    ),
    "two.csv": ("qid,Q_id,docno,score\n1,1,a,2\n", "both 'qid' and 'Q_id' could be the topic; name one of"),
    "semicolons.csv": ("qid;docno;score\n1;a;2\n", "(csv has commas between columns, tsv has tabs)"),
    "header.csv": ("1,a,0,2\n2,a,0,1\n", "(is the header missing?)"),
    "ratings.csv": (
        "user,item,rating\n1,a,2\n",
        "(this looks like judgments; judgments come first, then runs)",
    ),
    "columns.txt": ("1 Q0 a 1 2\n", 'expected 6 columns, found 5: "1 Q0 a 1 2"; a line is: topic Q0'),
    "qrels.run": (QRELS, "(this line looks like judgments; judgments come first, then runs)"),
    "score.run": ("1 Q0 a 1 high t\n", 'the score is not a number: "high"; use a number such as 12.5'),
    "twice.run": (RUN + RUN, 'document "a" occurs twice in topic "1", first on line 1; once is allowed'),
    "empty.run": ("", "the input has no rows; a run must have at least one"),
    "cut.json": (
        '{"1": {"a": 2',
        "invalid JSON: Expecting ',' delimiter \"\"; is the file truncated? If it is",
    ),
    "value.json": ("[3]", 'expected an object such as {…}, found "3"'),
    "list.jsonl": (
        '{"query_id": 1, "results": 3}\n',
        'no column for the doc and score; found "query_id", "results"',
    ),
    "judged.jsonl": ('{"query_id": 1, "relevant": ["a"]}\n', "judgments come first, then runs"),
    "error.json": (
        json.dumps({"responses": [{"error": {}, "status": 404}]}),
        "an error of the search engine",
    ),
}


@pytest.fixture(autouse=True)
def files(working_folder):
    """The files, in the working directory."""
    working_folder({"q.txt": QRELS, "a.run": RUN, **{name: text for name, (text, _) in BAD.items()}})


def refused(invoke, command, *argv, status=2):
    """The message of a command, whose options must be those of the command."""
    captured = invoke(command, *argv, code=status)
    message = captured.err + captured.out
    refusal = re.sub("remark: .*", "", message)  # which may be about evaluation
    named = {*re.findall(r"(?<![\w-])--[a-z][a-z-]*", refusal)}
    assert named <= options_of(command_parser(command)), message
    return message


@pytest.mark.parametrize("name", BAD)
def test_what_was_found_is_shown_with_an_option_that_exists(name, invoke):
    expected = BAD[name][1]
    for command, *argv in installed.rows(
        [("evaluate", "q.txt", name), ("compare", "q.txt", "a.run", name), ("pool", "a.run", name)]
    ):
        message = refused(invoke, command, *argv)
        assert expected in message
        assert name in message
    if name != "twice.run":
        assert expected in refused(invoke, "convert", name, "x.csv", "--kind", "run")
    assert name in refused(invoke, "validate", name, "--kind", "run", status=1)


def test_each_command_names_its_own_option_for_columns_and_formats(invoke):
    assert "--run-columns doc=NAME" in refused(invoke, "evaluate", "q.txt", "one.csv")
    assert "--columns doc=NAME" in refused(invoke, "convert", "one.csv", "x.run")
    assert "--columns doc=NAME" in refused(invoke, "validate", "one.csv", status=1)
    message = refused(invoke, "evaluate", "q.txt", "a.run", "--run-columns", "doc=x")
    assert "--run-columns names columns, and the lines of this file have no names; leave it out" in message
    assert "--run-format csv" in message
    message = refused(invoke, "convert", "a.run", "x.csv", "--columns", "doc=x")
    assert "--columns names columns" in message
    assert "--from csv" in message
    assert "or pass --to FORMAT" in refused(invoke, "convert", "a.run", "x.xyz")


def test_three_columns_read_as_trec_name_the_formats_that_read_them(invoke, tmp_path):
    (tmp_path / "three.txt").write_text("1 a 2\n")
    message = refused(invoke, "evaluate", "q.txt", "three.txt", "--run-format", "trec")
    assert (
        "(--run-format triples: topic document score; --run-format msmarco: topic document rank)" in message
    )
    message = refused(invoke, "convert", "three.txt", "x.csv", "--from", "trec", "--kind", "qrels")
    assert "(--from triples: topic document grade)" in message


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("other.run", "7 Q0 a 1 1 t\n8 Q0 a 1 1 t\n9 Q0 a 1 1 t\n10 Q0 a 1 1 t\n"),
        ("other.csv", "qid,docno,score\n7,a,1\n8,a,1\n9,a,1\n10,a,1\n"),
        ("other.json", '{"7": ["a"], "8": ["a"], "9": ["a"], "10": ["a"]}'),
    ],
)
def test_topics_of_both_sides_are_shown(name, content, tmp_path, invoke):
    (tmp_path / name).write_text(content)
    for command in ("evaluate", "compare", "explain"):
        runs = [name] if command != "compare" else [name, "a.run"]
        message = refused(invoke, command, "q.txt", *runs)
        assert (
            "run 'other' has no results for any judged topic ('1', '2'), only for '7', '8', '9', ...; "
            "check that run and judgments belong together"
        ) in message
