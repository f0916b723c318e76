"""Segments of topics by attributes in files, frames and dicts."""

import json
import math

import numpy as np
import pytest

from rankgauge import Scores
from rankgauge.errors import InputError, OptionError
from rankgauge.model.segments import Segments

TOPICS = ("1", "2", "3", "4")
COLUMNS = {"qid": ["1", "2", "3", "9"], "intent": ["nav", "info", "nav", "other"]}
EXPECTED = {"intent=info": ("2",), "intent=nav": ("1", "3"), "intent=(no value)": ("4",)}
CSV = "qid,intent\n1,nav\n2,info\n3,nav\n9,other\n"
FILES = {
    "a.csv": CSV,
    "a.tsv": CSV.replace(",", "\t"),
    "a.jsonl": "".join(
        json.dumps({"_id": int(topic), "intent": intent}) + "\n"
        for topic, intent in zip(*COLUMNS.values(), strict=True)
    ),
}


def parts(by, topics=TOPICS):
    return {part.name: part.topics for part in Segments.of(by, topics).parts}


@pytest.mark.parametrize("name", FILES)
def test_files(name, write):
    assert parts(write(name, FILES[name])) == EXPECTED
    assert parts(f"{write(name, FILES[name])}:intent") == EXPECTED


def test_frames_parquet_and_dicts(tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    polars.DataFrame(COLUMNS).write_parquet(tmp_path / "a.parquet")
    indexed = pandas.DataFrame(COLUMNS).set_index("qid")
    by_topic = {topic: {"intent": intent} for topic, intent in zip(*COLUMNS.values(), strict=True)}
    missing = pandas.DataFrame({**COLUMNS, "qid": [1, 2, 3, 4], "intent": ["nav", "info", "nav", math.nan]})
    records = missing.to_dict("records")
    for by in (
        COLUMNS,
        pandas.DataFrame(COLUMNS),
        polars.DataFrame(COLUMNS),
        indexed,
        by_topic,
        missing,
        records,
    ):
        assert parts(by) == EXPECTED
    assert parts(tmp_path / "a.parquet") == EXPECTED
    assert parts(polars.LazyFrame(COLUMNS)) == EXPECTED
    series = indexed["intent"]
    assert parts(series) == EXPECTED
    assert next(iter(parts(series.rename(None)))) == "segment=info"
    assert parts({"1": "b", 2: "a"}, ("1", "2")) == {"segment=a": ("2",), "segment=b": ("1",)}


def test_topics_without_a_value_have_a_note():
    assert Segments.of(COLUMNS, TOPICS).notes == ("intent=(no value) has 1 topic without a value of intent",)


def test_missing_values_have_many_spellings():
    pandas = pytest.importorskip("pandas")
    missing = [None, "", " NaN", "null", math.nan, np.float32("nan"), pandas.NA, pandas.NaT, "(no value)"]
    by = dict(enumerate([*missing, "nat"]))
    assert [*parts(by, [*map(str, by)]).values()] == [("9",), tuple("012345678")]
    lengths = {str(topic): "NaN" if topic == 8 else topic for topic in range(9)}
    assert [*parts(lengths, lengths)][-2:] == ["segment=6..7", "segment=(no value)"]


def test_values_of_numpy_and_huge_ones():
    assert [*parts({"1": np.True_, "2": np.False_}, "12")] == ["segment=false", "segment=true"]
    assert [*parts({"1": "a \n\x1b[31mb"}, "1")] == [r"segment=a \x1b[31mb"]
    assert [*parts({"1": 10**400, "2": 7}, "12")][1] == "segment=7"


def test_numbers_are_cut_at_quartiles_and_ties_stay_together():
    lengths = [1, 2, 2, 2, 3, 4, 5, 6, 7, 20]
    by = {"qid": [*range(10)], "length": lengths, "year": [2019, 2020] * 5}
    found = parts(by, [*map(str, range(10))])
    assert found == {
        "length=1..2": ("0", "1", "2", "3"),
        "length=3": ("4",),
        "length=4..5": ("5", "6"),
        "length=6..20": ("7", "8", "9"),
        "year=2019": ("0", "2", "4", "6", "8"),
        "year=2020": ("1", "3", "5", "7", "9"),
    }
    cuts = np.quantile(lengths, [0.25, 0.5, 0.75])
    places = np.searchsorted(cuts, lengths)
    assert [len(topics) for topics in [*found.values()][:4]] == np.bincount(places).tolist()


def test_ranges_have_the_digits_that_tell_them_apart():
    values = dict(enumerate([1 / 3, 0.41, 0.5, 0.6, 20210101, 20210102, 20210103, 20210104]))
    topics = [*map(str, values)]
    found = [name.removeprefix("segment=") for name in parts(values, topics)]
    assert found == ["0.3333..0.41", "0.5..0.6", "20210101..20210102", "20210103..20210104"]
    close = dict(enumerate(1 + number / 1e7 for number in range(8)))
    assert [*parts(close, topics)][:2] == ["segment=1..1.0000001", "segment=1.0000002..1.0000003"]


def test_several_files_and_columns(write):
    one, two = write("a.csv", "topic;x;y\n1;a;b\n2;b;a\n"), write("b.csv", "topic,z\n1,true\n2,false\n")
    assert [*parts([f"{one}:y,x", two], "12")] == ["y=a", "y=b", "x=a", "x=b", "z=false", "z=true"]


WRONG = {
    "topic,intent\n7,nav\n": 'no topic evaluated, such as "1", has a value of intent here',
    "topic,intent\n1,a\n2,a\n1,b\n": "4: topic .1. has two values of intent, 'a' and 'b'; keep one",
    "topic\n1\n": "topics and nothing else",
    "color,shape\nred,1\n": "no column of topics among .color., .shape.; call it query_id",
    '{"topic": 1, "intent": ["a"]}\n': "the intent of topic .1. is a list; expected one text or number",
    "": "has no column of topics; call it query_id",
    '{"topic": 1\n': "invalid JSON.*one object per line",
    '{"topic": 1}\n[1]\n': "2: expected an object",
}


@pytest.mark.parametrize("text", WRONG)
def test_errors_of_tables(text, write):
    with pytest.raises(InputError, match=WRONG[text]):
        parts(write("a.csv", text))


def test_errors_of_options(write):
    with pytest.raises(InputError, match=r"no column named 'intend' .did you mean intent"):
        parts(f"{write('a.csv', CSV)}:intend")
    with pytest.raises(OptionError, match="two attributes are named 'intent'"):
        parts([COLUMNS, COLUMNS])
    with pytest.raises(OptionError, match="no valid Unicode text; rename it"):
        parts({"1": {"a\ud800": "x"}})
    with pytest.raises(OptionError, match="two segments are named 'a=b=c'; rename an attribute"):
        parts({"1": {"a": "b=c", "a=b": "c"}}, "1")
    texts = {str(topic): f"query {topic}" for topic in range(101)}
    with pytest.raises(OptionError, match="segment has 101 different values, and at most 100 make segments"):
        parts(texts, texts)
    with pytest.raises(InputError, match="an int has no attributes of topics; expected a file FILE"):
        parts(3)
    with pytest.raises(InputError, match=r"the segment of topic .1. is a set; expected one text"):
        parts({"1": {"a", "b"}})
    with pytest.raises(OptionError, match="by has no attributes of topics"):
        parts([])
    with pytest.raises(OptionError, match=r"no segment named 'intent=nev' .did you mean intent=nav"):
        Segments.of(COLUMNS, TOPICS).find("intent=nev")


def test_a_segment_is_found_by_its_name_as_it_is_shown():
    segments = Segments.of({"1": {"type\xa0of query": "a"}}, "1")
    assert segments.find(r"type\xa0of query=a") is segments.find("type\xa0of query=a") is segments.parts[0]


def test_means_and_intervals_of_segments():
    values = {"a": {"1": 0.1, "2": 0.4, "3": 0.3, "4": 0.6}, "b": {"1": 0.2, "2": 0.2, "3": 0.5, "4": 0.9}}
    scores = Scores.from_table(values, "AP")
    by = {"1": "x", "2": "x", "3": "x", "4": "y"}
    x = scores.by_segment(by)["segment=x"]
    same = Scores.from_table({run: {t: v[t] for t in "123"} for run, v in values.items()}, "AP")
    assert x.mean() == same.mean()
    assert x.interval() == same.interval()
    table = scores.table(by=by)
    assert table.headers == ("segment", "topics", "run", "AP", "95 % interval")
    assert [row[:3] for row in table.rows][2:] == [
        ("segment=x", 3, "a"), ("segment=x", 3, "b"), ("segment=y", 1, "a"), ("segment=y", 1, "b")
    ]  # fmt: skip
    assert table.best == {(1, 3), (3, 3), (5, 3)}
    assert table.rows[4][3:] == (0.6, "–")
    long = scores.to_csv(by=by).splitlines()
    assert long[0] == "segment,topics,run,measure,value,low,high"
    assert long[5] == "segment=y,1,a,AP,0.6,nan,nan"
    with pytest.raises(OptionError, match="leave out the topics"):
        scores.table(topics=True, by=by)
