"""Three columns without a header are read, and what was assumed is noted."""

import pytest

import rankgauge
from rankgauge.errors import OptionError
from rankgauge.formats import Source, detect, problems

SCORES = [("1", "a", "2.5"), ("1", "b", "1"), ("2", "a", "-1e-3")]
RANKS = [("1", "b", "1"), ("1", "a", "2"), ("2", "a", "1")]


def text(rows, delimiter, end="\n"):
    return "".join(delimiter.join(row) + end for row in rows)


def columns(found):
    return list(zip(found.topic.texts(), found.doc.texts(), found.value.tolist(), strict=True))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [" ", "\t", ",", ", ", "  \t"])
def test_scores_grades_and_ranks_are_recognised(delimiter, end, file, read):
    run = read(file(text(SCORES, delimiter, end), "x.csv"))
    assert columns(run) == [("1", "a", 2.5), ("1", "b", 1), ("2", "a", -1e-3)]
    assert (run.rank, run.assumed) == (None, problems.VALUES)
    run = read(file(text(RANKS, delimiter, end), "x.tsv"))
    assert columns(run) == [("1", "b", -1), ("1", "a", -2), ("2", "a", -1)]
    assert (run.rank.tolist(), run.assumed) == ([1, 2, 1], problems.RANKS)
    for rows in (SCORES, RANKS):
        judgments = read(file(text(rows, delimiter, end), "x"), "qrels")
        assert [value for *_, value in columns(judgments)] == [float(value) for *_, value in rows]
        assert judgments.assumed == problems.VALUES


def test_a_name_for_the_format_leaves_nothing_to_assume(file, read):
    path = file(text(RANKS, ","))
    run = read(path, format="triples")
    assert ([value for *_, value in columns(run)], run.assumed) == ([1, 2, 1], "")
    run = read(path, format="msmarco")
    assert ([value for *_, value in columns(run)], run.assumed) == ([-1, -2, -1], "")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("1 a 1\n", "triples"),  # 1 alone may be anything
        ("1 a 1\n1 b 1\n", "triples"),
        ("1 a 2\n1 b 1\n", "triples"),
        ("1 a 1\n2 a 1\n1 b 2\n", "msmarco"),  # topics may be mixed
        ("1 a 1\n1 b 2\n1 c 2\n", "triples"),
        ("1 a 1.0\n1 b 2.0\n", "msmarco"),
        ("# a comment\n\n1 a 1\n1 b 2\n", "msmarco"),
        ("1 a x\n", "trec"),
        ("1 a\n", "trec"),
        ("query doc score\n1 a 1\n", "trec"),
        ("topic,doc,score\n1,a,1\n", "csv"),
        ("1 Q0 a 1 2 t\n", "trec"),
    ],
)
def test_what_the_beginning_shows(content, name, file):
    assert detect(Source(file(content)), "run").name == name


def test_columns_may_have_blanks_if_tabs_separate_them(file, read):
    assert columns(read(file("1\tthe doc\t2\n1\tb\t1\n"))) == [("1", "the doc", 2), ("1", "b", 1)]
    assert columns(read(file('1,"a, b",2\n', "x.csv"), format="triples"))[0][1] == "a, b"


@pytest.mark.parametrize("delimiter", [" ", ","])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("1", "c"), "4: expected 3 columns, found 2"),
        (("1", "c", "x"), "4: the score is not a"),
        (("1", "c", "nan"), "4: the score is NaN"),
        (("1", "c", "2", "3"), "4: expected 3 columns, found 4"),
    ],
)
def test_a_bad_line_is_refused(row, message, delimiter, file, refused):
    assert refused(file(text([*SCORES, row], delimiter))).startswith(message)


@pytest.mark.parametrize("delimiter", [" ", ","])
def test_bad_ranks_are_refused(delimiter, file, refused):
    for row in (("1", "c", "x"), ("1", "c", "1.5"), ("1", "c", "nan")):
        message = refused(file(text([*RANKS, row], delimiter)), format="msmarco")
        assert message.startswith("4: the rank is not a whole number")


def test_binary_junk_after_the_first_line_is_refused(file, refused):
    assert "NUL bytes" in refused(file(b"1 a 1.5\n1 \0 2\n"))


def test_names_of_columns_are_refused_where_there_are_none(file, read):
    for delimiter in " ,":
        with pytest.raises(OptionError, match=r"names columns, and the lines of this file have no names"):
            read(file(text(SCORES, delimiter)), columns={"doc": "x"})


def test_what_was_assumed_is_noted(write, invoke):
    qrels, run = write("qrels.tsv", "1\ta\t1\n2\ta\t1\n"), write("a.csv", text(SCORES, ","))
    ranks = write("r.tsv", text(RANKS, "\t"))
    assert invoke("evaluate", qrels, run, ranks, "-m", "AP", "--no-advice").err.splitlines() == [
        "note: the judgments: three columns without a header were read as topic, document and grade "
        "(a header can name other columns)",
        "note: a: three columns without a header were read as topic, document and score "
        "(a header can name other columns; --run-format msmarco reads ranks)",
        "note: r: three columns without a header, the last counting from 1, were read as topic, document "
        "and rank (--run-format triples reads scores)",
    ]
    assert "--from msmarco reads ranks" in invoke("convert", run, run.with_suffix(".run")).err
    assert "--format msmarco reads ranks" in invoke("validate", run).out
    scores = rankgauge.evaluate(qrels, run, "AP")
    assert any("run_format in evaluate" in note for note in scores.notes)
    assert not [
        note for note in rankgauge.evaluate(qrels, run, "AP", run_format="triples").notes if "a: " in note
    ]
    scores = rankgauge.evaluate(rankgauge.Qrels.read(qrels), rankgauge.Run.read(run), "AP")
    assert sum("three columns" in note for note in scores.notes) == 2
