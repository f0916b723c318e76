"""Scores from tables that other tools made."""

import gzip
import math
import re
import subprocess
import sys

import pytest

import rankgauge
from rankgauge import Scores
from rankgauge.errors import InputError
from rankgauge.model.output.tables import lines

VALUES = {"a": {"AP": {"1": 0.5, "2": 0.25}}, "b": {"AP": {"1": 0.75, "2": 0.0}}}
TABLES = {
    "wide": "topic,a,b\n1,0.5,0.75\n2,.25,0\n",
    "wide, tabs, no name for topics": "\ta\tb\n1\t0.5\t0.75\n2\t.25\t0\n",
    "wide, quoted, semicolons": '"a";"b"\r\n0.5;0.75\r\n0.25;0\r\n',
    "long": "run,topic,measure,value\na,1,AP,0.5\na,2,AP,0.25\nb,1,AP,0.75\nb,2,AP,0\n",
    "long, with means": "run,topic,measure,value\n"
    "a,1,AP,0.5\na,2,AP,0.25\na,all,AP,0.375\nb,2,AP,0\nb,1,AP,0.75\n",
    "a column a measure": "# made by hand\nrunid,topic,AP\n"
    "a,1,0.5\nb,1,0.75\n\nb,2,0.0\na,2,0.25\na,average,0.375\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_in_files(name, write):
    for path in (write("t.csv", TABLES[name]), write("t.csv.gz", gzip.compress(TABLES[name].encode()))):
        assert Scores.from_table(path, "AP").to_dict() == VALUES


def test_a_stray_quote_swallows_no_line(write):
    path = write("t.csv", 'value,topic,run\n0.5,1,a\n0.25,1,"b\n0.75,1,c\n')
    assert list(Scores.from_table(path, "AP").runs) == ["a", "b", "c"]


def test_frames_and_dicts():
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    wide = {"qid": ["1", "2"], "a": [0.5, 0.25], "b": [0.75, 0.0]}
    indexed = pandas.DataFrame({"a": [0.5, 0.25], "b": [0.75, 0.0]}, index=["1", "2"])
    frames = [wide, pandas.DataFrame(wide), polars.DataFrame(wide), pyarrow.table(wide), indexed]
    nested = {run: by_measure["AP"] for run, by_measure in VALUES.items()}
    for table in (*frames, {"a": [0.5, 0.25], "b": [0.75, 0.0]}, nested, VALUES):
        assert Scores.from_table(table, "AP").to_dict() == VALUES
    scores = Scores.from_table(VALUES)
    for table in (scores.to_pandas(), scores.to_polars(), scores.to_arrow()):
        assert Scores.from_table(table).to_dict() == VALUES


def test_unnamed_topics_stay_in_their_order():
    scores = Scores.from_table({"a": [n / 100 for n in range(12)]})
    assert scores.topics[0] == "01"
    assert scores.values[0, 0].tolist() == [n / 100 for n in range(12)]
    assert scores.measures == ("value",)
    assert Scores.from_table({"run": [0.5, 0.25], "name": [0.75, 0.0]}).runs == ("run", "name")


def test_what_is_not_there_is_left_out_and_nan_is_undefined(write):
    path = write("t.csv", "topic,a,b\n1,0.5,\n2,nan,0.25\n3,0.1,NA\n")
    scores = Scores.from_table(path)
    assert scores.counted.tolist() == [[True, True, True], [False, True, False]]
    assert math.isnan(scores.values[0, 0, 1])
    assert scores.mean()["a"]["value"] == pytest.approx(0.3)
    assert Scores.from_table(path, undefined="zero").mean()["a"]["value"] == pytest.approx(0.2)
    assert scores.mean()["b"]["value"] == 0.25


def test_a_topic_may_begin_like_a_comment(write):
    scores = Scores.from_table(write("t.csv", "# scores\ntopic,a\n#1,0.5\n\n2,0.25\n"))
    assert (scores.topics, scores.values.tolist()) == (("#1", "2"), [[[0.5, 0.25]]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no scores"),
        ("topic,a\n", "has no scores"),
        ("topic,a\n1,0.5,3\n", "t.csv:2: expected the 2 columns of the header, found 3"),
        ("\n# comment\ntopic,a\n1,much\n", 't.csv:4: column "a": "much" is not a number'),
        (f"topic,a\n1,{'9' * 140_000}\n", "t.csv:2: the line cannot be read: field larger"),
        ("topic,a,a\n1,1,2\n", 't.csv:1: two columns are named "a"'),
        (",topic,a\n1,1,2\n", 't.csv:1: two columns are named "topic"'),
        ("run,topic,AP\na,1,0.5\na,1,0.6\n", '"AP" of run "a" has two values for topic "1"'),
        ("topic,a\n1,\0\n", "t.csv:2: is not text"),
    ],
)
def test_bad_tables_are_reported(text, message, write):
    with pytest.raises(InputError, match=re.escape(message)):
        Scores.from_table(write("t.csv", text))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "an int is not a table of scores"),
        ({"a": [1.0, 10**400 - 1]}, r'row 2 of column "a": "9+…" is not a number'),
        ({"a": [1.0], "b": [1.0, 2.0]}, "the columns differ in length"),
    ],
)
def test_what_is_not_a_table_is_refused(table, message):
    with pytest.raises(InputError, match=message):
        Scores.from_table(table)


@pytest.mark.parametrize(
    "text", ["run,AP,nDCG@10\nbm25,0.5,0.4\nql,0.25,0.3\n", "run,topic,measure,value\na,all,AP,0.5\n"]
)
def test_a_table_of_means_is_refused_with_what_to_do(write, text):
    with pytest.raises(InputError, match=r"has the means of runs.*`rankgauge evaluate -q` writes both"):
        Scores.from_table(write("means.csv", text))


@pytest.mark.parametrize(
    ("measure", "best"), [("FirstRank", {(0, 0)}), ("num_rel", set()), ("mine", {(1, 0)})]
)
def test_lower_is_better_by_the_name_of_a_measure_in_a_table_of_another_tool(measure, best):
    scores = Scores.from_table({"a": {measure: {"1": 1, "2": 3}}, "b": {measure: {"1": 2, "2": 5}}})
    assert scores.best() == best
    assert scores.table().best == {(row, column + 1) for row, column in best}


def test_names_of_measures_are_known_although_nothing_else_was_imported():
    program = (
        "import rankgauge\n"
        "table = {'a': {'FirstRank': {'1': 1}}, 'b': {'FirstRank': {'1': 2}}}\n"
        "print(rankgauge.Scores.from_table(table).best())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "{(0, 0)}\n"


@pytest.mark.parametrize("topics", [["all", "1"], ["all"], ["Mean", "all", "amean"]])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_topics_called_like_means_stay_topics(topics, form, write):
    judged = {topic: {"a": 1, "b": 0} for topic in topics}
    runs = {"x": {t: {"a": n, "b": 1} for n, t in enumerate(topics)}, "y": {t: {"a": 2} for t in topics}}
    scores = rankgauge.evaluate(judged, runs, "AP")
    path = write(f"s.{form}", "\n".join(lines(scores.long_table(topics=True), form, 4)) + "\n")
    assert Scores.from_table(path).to_dict() == scores.to_dict()


def test_a_topic_that_may_be_a_mean_is_an_error(write):
    rows = "run,topic,measure,value\nx,1,AP,0.5\nx,all,AP,1\nx,{},AP,0.75\n"
    for word in ("all", "ALL", "mean"):
        with pytest.raises(InputError, match=rf't.csv:4: "{word}" is a second mean of "AP" .* column "row"'):
            Scores.from_table(write("t.csv", rows.format(word)))
    for wide in (
        "run,topic,AP,P@5,row\nx,1,0,0,topic\nx,all,1,1,topic\n",
        "topic,x,Row\n1,0,topic\nall,1,topic\n",
    ):
        scores = Scores.from_table(write("t.csv", wide), "AP")
        assert scores.to_dict()["x"]["AP"] == {"1": 0.0, "all": 1.0}
        assert "row" not in map(str.casefold, (*scores.runs, *scores.measures))
    several = "run,topic,AP\nx,1,0.5\nx,amean,1\nx,gmean,0.7\n"
    assert Scores.from_table(write("t.csv", several)).to_dict() == {"x": {"AP": {"1": 0.5}}}


@pytest.mark.parametrize(
    "table", [{"topic": ["1", None], "a": [1, 2]}, {"topic": ["1", math.nan], "a": [1, 2]}]
)
def test_a_row_without_a_topic_is_refused(table):
    with pytest.raises(InputError, match="row 2 has nothing in column"):
        Scores.from_table(table, "AP")
    with pytest.raises(InputError, match="row 2 has nothing in column"):
        Scores.from_table({"run": table["topic"], "topic": ["1", "1"], "AP": [1, 2]})
