import json
import math
import tracemalloc

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import rankgauge
from rankgauge.campaigns.leaderboard import Leaderboard
from rankgauge.errors import InputError, OptionError
from rankgauge.model.provenance import Provenance
from rankgauge.model.rules import TopicRules
from rankgauge.model.scores import Scores

NAN = math.nan


def scores(
    runs=("bm25", "ql"),
    topics=("1", "2", "3"),
    measures=("AP", "nDCG@10"),
    values=(((0.5, 0.25, NAN), (1.0, 0.5, 0.0)), ((0.75, NAN, NAN), (0.5, NAN, 0.5))),
    counted=((True, True, True), (True, False, True)),
    undefined="zero",
    missing="zero",
    definitions=None,
    facts=None,
):
    provenance = Provenance.from_dict(
        {
            "versions": {"rankgauge": "0.1.0"},
            "options": {
                **{"ties": "docid_desc", "duplicates": "first", "missing": missing, "undefined": undefined}
            },
            "measures": definitions or {m: {"title": m} for m in measures},
            "qrels": {"source": "qrels.txt", "topics": len(topics)},
            "runs": facts if facts is not None else {run: {} for run in runs},
        }
    )
    rules = TopicRules(missing=missing, undefined=undefined)
    return Scores(runs, topics, measures, np.array(values), np.array(counted), rules, provenance)


def many(runs, measures=2, topics=3):
    names = tuple(f"run{i}" for i in range(runs))
    return scores(
        names,
        tuple(str(t) for t in range(topics)),
        tuple(f"P@{k + 1}" for k in range(measures)),
        np.random.default_rng(7).random((runs, measures, topics)),
        np.ones((runs, topics), dtype=bool),
    )


def same(one, other):
    return (
        (one.runs, one.topics, one.measures, one.rules, one.provenance)
        == (other.runs, other.topics, other.measures, other.rules, other.provenance)
        and np.array_equal(one.values, other.values, equal_nan=True)
        and np.array_equal(one.counted, other.counted)
    )


def test_an_undefined_value_counts_as_zero_in_the_mean_or_is_left_out():
    assert scores().mean() == {"bm25": {"AP": 0.25, "nDCG@10": 0.5}, "ql": {"AP": 0.375, "nDCG@10": 0.5}}
    assert [mean["AP"] for mean in scores(undefined="skip").mean().values()] == [0.375, 0.75]
    assert math.isnan(scores(values=np.full((2, 2, 3), NAN), undefined="skip").mean()["bm25"]["AP"])


def test_to_dict_keeps_undefined_values_and_has_no_topic_that_is_left_out():
    assert str(scores().to_dict()) == str(
        {
            "bm25": {"AP": {"1": 0.5, "2": 0.25, "3": NAN}, "nDCG@10": {"1": 1.0, "2": 0.5, "3": 0.0}},
            "ql": {"AP": {"1": 0.75, "3": NAN}, "nDCG@10": {"1": 0.5, "3": 0.5}},
        }
    )


def test_the_best_of_a_measure_is_the_highest_unless_lower_is_better():
    assert scores().best() == {(1, 0), (0, 1), (1, 1)}  # AP; nDCG@10 is equal
    assert scores(definitions={"AP": {"direction": -1}}).best() == {(0, 0), (0, 1), (1, 1)}
    assert many(1).best() == scores(values=np.full((2, 2, 3), NAN), undefined="skip").best() == set()


def test_long_tables_end_each_run_with_its_mean():
    rows = list(scores().long_table().rows)
    assert rows[:2] == [("bm25", "1", "AP", 0.5), ("bm25", "1", "nDCG@10", 1.0)]
    assert rows[6:8] == [("bm25", "all", "AP", 0.25), ("bm25", "all", "nDCG@10", 0.5)]
    assert len(rows) == 6 + 2 + 4 + 2
    assert [row[1] for row in scores().long_table(topics=False).rows] == ["all"] * 4


def test_wide_tables_have_runs_as_rows_and_the_best_mean_marked():
    table, with_topics = scores().table(), scores().table(topics=True)
    assert table.headers == ("run", "AP", "nDCG@10")
    assert list(table.rows) == [["bm25", 0.25, 0.5], ["ql", 0.375, 0.5]]
    assert (with_topics.rows[3], with_topics.rows[6][:3]) == (
        ["bm25", "all", 0.25, 0.5],
        ["ql", "all", 0.375],
    )
    assert ((1, 1) in table.best, (6, 2) in with_topics.best) == (True, True)


def test_arrow_pandas_and_polars_have_the_same_long_table():
    arrow = scores().to_arrow()
    assert arrow.column_names == ["run", "topic", "measure", "value"]
    rows = [tuple(row.values()) for row in arrow.to_pylist()]
    assert len(rows) == 10
    assert rows[0] == ("bm25", "1", "AP", 0.5)
    assert [row[:3] for row in rows[-4:]] == [
        ("ql", "1", "AP"),
        ("ql", "1", "nDCG@10"),
        ("ql", "3", "AP"),
        ("ql", "3", "nDCG@10"),
    ]
    for frame in (scores().to_pandas(), scores().to_polars().to_pandas(), pl.DataFrame(scores()).to_pandas()):
        assert list(frame.columns) == arrow.column_names
        assert [tuple(row[:3]) for row in frame.to_numpy()] == [row[:3] for row in rows]
        assert np.array_equal(frame["value"], [row[3] for row in rows], equal_nan=True)


def test_undefined_is_nan_and_ids_that_are_no_text_are_bytes_in_frames():
    frame = scores(topics=("1", "2", b"\xff1".decode("utf-8", "surrogateescape"))).to_polars()
    assert (frame["value"].is_nan().sum(), frame["value"].is_null().sum()) == (2, 0)
    assert frame["topic"].to_list()[4] == b"\xff1"


@pytest.mark.parametrize("extension", ["json", "parquet"])
@pytest.mark.parametrize(
    "original",
    [
        scores(),
        many(3, topics=100),
        scores(values=(((5e-324, 0.1 + 0.2, NAN), (math.inf, -0.0, 1 / 3)),) * 2),
        scores(undefined="skip", missing="skip"),
        scores(runs=("a", "<b>&\n"), topics=("1", "ü日", b"\xff".decode("utf-8", "surrogateescape"))),
        scores(counted=((True, False, True), (True, False, True))),
    ],
    ids=["plain", "many", "every bit", "rules", "ids", "a topic that nobody has"],
)
def test_scores_come_back_from_a_file_as_they_were(tmp_path, extension, original):
    original.values.transpose(0, 2, 1)[~original.counted] = NAN
    original.save(tmp_path / f"scores.{extension}")
    assert same(Scores.load(tmp_path / f"scores.{extension}"), original)
    assert [path.name for path in tmp_path.iterdir()] == [f"scores.{extension}"]


def test_a_saved_document_reads_like_mean_and_to_dict(tmp_path):
    scores().save(tmp_path / "scores.json")
    document = json.loads((tmp_path / "scores.json").read_text())
    assert (document["mean"]["ql"]["AP"], document["provenance"]["options"]["ties"]) == (0.375, "docid_desc")
    assert document["scores"]["bm25"]["AP"] == {"1": 0.5, "2": 0.25, "3": None}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "damaged"),
        ("[]", "holds no scores"),
        ("[" * 100_000, "damaged"),
        ('{"kind": "rankgauge scores 99"}', "rankgauge scores 99"),
        ('{"kind": "rankgauge scores 2"}', "damaged"),
        (None, "No such file"),
    ],
)
def test_a_file_that_holds_no_scores_is_refused_with_its_name(tmp_path, text, message):
    if text is not None:
        (tmp_path / "scores.json").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        Scores.load(tmp_path / "scores.json")
    assert str(tmp_path / "scores.json") in str(caught.value)


def test_a_parquet_file_of_something_else_and_an_unknown_extension_are_refused(tmp_path):
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "x.parquet")
    (tmp_path / "y.parquet").write_bytes(b"junk")
    for name, message in (("x.parquet", "holds no scores"), ("y.parquet", "damaged")):
        with pytest.raises(InputError, match=message):
            Scores.load(tmp_path / name)
    with pytest.raises(OptionError, match=r"\.parquet, \.json"):
        scores().save(tmp_path / "scores.xlsx")


def test_the_repr_is_a_table_with_notes_below():
    facts = {"bm25": {"missing": 2}, "ql": {"undefined": {"AP": 1}}}
    assert repr(scores(facts=facts)).splitlines() == [
        "run       AP  nDCG@10",
        "bm25  0.2500   0.5000",
        "ql    0.3750   0.5000",
        "3 topics",
        "bm25: 2 judged topics have no results and count as empty (missing=skip leaves them out)",
        "ql: AP undefined for 1 topic and counted as 0 in the mean (undefined=skip leaves it out)",
    ]


def test_the_repr_of_many_runs_and_measures_counts_what_it_leaves_out():
    text = repr(many(100, 30))
    assert "… and 80 more runs; mean() has them all" in text
    assert "… and 18 more measures; mean() has them all" in text
    assert len(text.splitlines()) < 50
    assert max(map(len, text.splitlines())) <= 80


def test_the_html_is_a_table_with_the_best_in_bold_and_ids_escaped():
    text = scores(runs=("<i>", "a&b\x1b"))._repr_html_()
    assert all(part in text for part in ("<td>&lt;i&gt;</td>", "a&amp;b\\x1b", "<b>0.3750</b>"))
    assert "<i>" not in text


def test_values_are_not_copied():
    values, counted = np.random.default_rng(1).random((1, 2, 3)), np.ones((1, 3), dtype=bool)
    scores = Scores(("a",), ("1", "2", "3"), ("A", "B"), values, counted, TopicRules(), Provenance())
    assert scores.values is values


def test_intervals_of_means_are_those_of_student_for_measures_without_bounds():
    from scipy import stats

    values = [-0.1, 0.4, 0.4, 0.9]
    low, high = stats.t.interval(0.9, 3, 0.4, stats.sem(values))
    for measure in ("RP@5", "a name that is not ours"):
        found = Scores.from_table({"a": dict(zip("wxyz", values, strict=True))}, measure).interval(0.9)
        assert found["a"][measure] == pytest.approx((low, high), rel=1e-12)
        with pytest.raises(OptionError, match="between 0 and 1"):
            Scores.from_table({"a": [0.1, 0.2]}, measure).interval(95)


@pytest.mark.parametrize("measure", ["AP", "map", "nDCG@10", "tau"])
@given(
    st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1.0]), min_size=3, max_size=20), st.floats(0.5, 0.9999)
)
def test_no_interval_of_a_mean_leaves_the_bounds_of_the_measure(measure, values, level):
    scores = Scores.from_table({"a": values}, "AP").under({measure: "AP"})
    (low, high), mean = scores.interval(level)["a"][measure], scores.mean()["a"][measure]
    if len({*values}) == 1:
        assert math.isnan(low + high)
    elif 0 < mean < 1:  # and not only by rounding
        assert 0 <= low <= mean + 1e-12
        assert mean - 1e-12 <= high <= 1


def test_an_interval_between_bounds_is_that_of_the_logit_of_the_mean():
    assert interval([1, 1, 0.625]) == pytest.approx((0.0487344420, 0.9989555580), abs=1e-9)
    mirrored = interval([0, 0, 0.375])
    assert mirrored == pytest.approx((1 - 0.9989555580, 1 - 0.0487344420), abs=1e-9)
    assert interval([0, 3, 1], "DCG@5") == (0, interval([0, 3, 1], "RP@5")[1])  # cut at the only bound
    assert interval([30, 60, 90]) == interval([30, 60, 90], "RP@5")  # per cent, which AP has not


@pytest.mark.parametrize("values", [[0.5], [0.2, 0.9], [1.0] * 9, [0.3, 0.3, 0.3], [math.inf, 1, 2]])
def test_no_interval_is_useful_for_two_topics_or_one_value(values):
    assert all(map(math.isnan, (*interval(values), *interval(values, "RP@5"))))


def interval(values, measure="AP"):
    """The 95 % interval of the mean of some topics."""
    return Scores.from_table({"a": values}, measure).interval()["a"][measure]


def test_an_interval_needs_a_mean():
    qrels = {topic: {"a": 1} for topic in "1234"}
    run = {topic: {document: 1.0} for topic, document in zip("1234", "abaa", strict=True)}
    medians = rankgauge.evaluate(qrels, run, "P(average=median)@1")
    assert all(map(math.isnan, medians.interval()["run"]["P(average=median)@1"]))


def test_means_take_the_memory_of_one_measure():
    topics, measures = 10_000, 40
    values = np.random.default_rng(1).random((1, measures, topics))
    names = tuple(f"AP@{k}" for k in range(1, measures + 1))
    taken = scores(("bm25",), tuple(map(str, range(topics))), names, values, np.ones((1, topics), dtype=bool))
    tracemalloc.start()
    means = taken.mean()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert list(means["bm25"].values()) == [math.fsum(row) / topics for row in values[0].tolist()]
    assert peak < 5 * topics * 32  # a float takes 24 bytes, and 8 in a list


def test_the_mean_of_one_measure_is_by_run():
    table = {"a": {"1": 0.5, "2": 0.25}, "b": {"1": 1.0, "2": 0.0}}
    scores = Scores.from_table(table, "nDCG@10")
    assert scores.mean("nDCG@10") == scores.mean(rankgauge.parse("nDCG@10")) == {"a": 0.375, "b": 0.5}
    assert Leaderboard.of({"a": {"AP": 0.25, "RR": 0.5}}).mean("RR") == {"a": 0.5}
    with pytest.raises(InputError, match="no measure here named 'AP'"):
        scores.mean("AP")


def test_tables_that_mark_the_best_say_where_lower_is_better():
    runs = {"a": [1.0, 2.0], "b": [3.0, 4.0]}
    scores = Scores.from_table(
        {run: {m: dict(enumerate(row)) for m in ("AP", "FirstRank")} for run, row in runs.items()}
    )
    assert scores.table().note == "FirstRank: lower is better."
    assert scores.by_topic("FirstRank").note == "FirstRank: lower is better."
    assert scores.by_topic("AP").note == scores.only(runs=["a"]).table().note == ""


def test_flat_names_are_what_trackers_accept():
    runs = {"dir/bm25": {"1": 0.5}, "2 α": {"1": 0.25}, "2-β": {"1": 0.75}}
    scores = Scores.from_table(runs, "nDCG(gains=exp2)@10")
    assert scores.to_flat() == {
        "dir_bm25/nDCG_gains_exp2_at_10": 0.5,
        "_2/nDCG_gains_exp2_at_10": 0.25,
        "_2/nDCG_gains_exp2_at_10_2": 0.75,
    }
