"""What can be given to evaluate, and what cannot."""

import gzip
import math

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import rankgauge
from evaluation.small import MEAN, QRELS, QRELS_TEXT, RUN, RUN_TEXT
from rankgauge import Qrels, Run, evaluate
from rankgauge.errors import InputError, MeasureError, NoCommonTopic


def test_a_dict_of_results_is_one_run():
    scores = evaluate(QRELS, RUN, "AP RR")
    assert scores.runs == ("run",)
    assert scores.topics == ("1", "2", "3")
    assert scores.measures == ("AP", "RR")
    assert scores.mean() == {"run": pytest.approx(MEAN)}
    values = scores.to_dict()["run"]
    assert values["RR"] == {"1": 1.0, "2": 0.5, "3": 0.0}
    assert values["AP"] == {"1": pytest.approx(5 / 6), "2": 0.5, "3": pytest.approx(math.nan, nan_ok=True)}


@pytest.mark.parametrize(
    "measures", ["AP RR", ["AP", "RR"], ("AP, RR",), [rankgauge.parse("AP"), "RR", "AP"]]
)
def test_measures_are_given_as_text_or_objects_one_or_many(measures):
    assert evaluate(QRELS, RUN, measures).measures == ("AP", "RR")


@pytest.mark.parametrize(
    "measures", [1, None, b"AP", [1], [b"AP"], [["AP"]], np.array([1.0]), np.array([["AP"]])]
)
def test_measures_of_another_type_are_refused(measures):
    with pytest.raises(MeasureError, match=r"(measures are|a measure is) a text such as 'nDCG@10"):
        evaluate(QRELS, RUN, measures)


def test_runs_and_judgments_come_as_paths_objects_dicts_and_frames(write):
    qrels, run = write("qrels", QRELS_TEXT), write("my.run", RUN_TEXT)
    frame = {"query_id": list("11122"), "doc_id": list("abcba"), "score": [3.0, 2.0, 1.0, 2.0, 1.0]}
    judged = {"query_id": list("11123"), "doc_id": list("abcax"), "relevance": [1, 0, 2, 1, 0]}
    all_qrels = [qrels, str(qrels), QRELS, Qrels.read(qrels), judged, pandas.DataFrame(judged)]
    all_qrels += [polars.DataFrame(judged), pyarrow.table(judged), Qrels.from_dict(QRELS)]
    all_runs = [run, str(run), RUN, Run.read(run), frame, pandas.DataFrame(frame), polars.DataFrame(frame)]
    all_runs += [pyarrow.table(frame), Run.from_dict(RUN)]
    for one in all_qrels:
        [mean] = evaluate(one, run, "AP RR").mean().values()
        assert mean == pytest.approx(MEAN)
    for one in all_runs:
        [mean] = evaluate(qrels, one, "AP RR").mean().values()
        assert mean == pytest.approx(MEAN)


def test_runs_come_alone_in_lists_by_name_and_by_pattern(write, tmp_path):
    one, two = write("one.run", RUN_TEXT), write("two.txt.gz", gzip.compress(RUN_TEXT.encode()))
    assert evaluate(QRELS, one, "AP").runs == ("one",)
    assert evaluate(QRELS, [one, two], "AP").runs == ("one", "two")
    assert evaluate(QRELS, (two, Run.from_dict(RUN, name="three")), "AP").runs == ("two", "three")
    assert evaluate(QRELS, {"x": one, "y": RUN, "z": Run.read(two)}, "AP").runs == ("x", "y", "z")
    assert evaluate(QRELS, tmp_path / "*.run", "AP").runs == ("one",)
    assert evaluate(QRELS, [str(tmp_path / "t*"), one], "AP").runs == ("two", "one")
    assert evaluate(QRELS, {"all": str(tmp_path / "*")}, "AP").runs == ("one", "two")


def test_files_of_the_same_name_are_named_by_their_paths(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "my.run").write_text(RUN_TEXT)
    runs = evaluate(QRELS, str(tmp_path / "*" / "my.run"), "AP").runs
    assert runs == (str(tmp_path / "a" / "my.run"), str(tmp_path / "b" / "my.run"))
    path = tmp_path / "a" / "my.run"
    with pytest.raises(InputError, match=r"my.run' occurs twice; pass it once.*\{name: run, \.\.\.\}"):
        evaluate(QRELS, [path, path], "AP")


@pytest.mark.parametrize(
    ("runs", "measures", "message"),
    [
        *((nothing, "AP", "run") for nothing in ([], (), {})),
        *(
            (
                {"ours": frame({"qid": ["1"], "docno": ["a"], "score": [1.0]})[:0]},
                "AP",
                "the input has no rows; a run must",
            )
            for frame in (pandas.DataFrame, polars.DataFrame, pyarrow.table)
        ),
        ({"1": {"a": math.nan}}, "AP", "NaN"),
        ({"1": {"a": "high"}}, "AP", "not a number"),
        ({"1": {"a": None}}, "AP", "not a number|missing"),
        ({"1": {"a"}}, "AP", "has no order"),
        ("nowhere/*.run", "AP", "no file matches"),
        ("nowhere/none.run", "AP", "no such file"),
        (RUN, "", "no measures; name at least one"),
    ],
)
def test_what_holds_no_results_or_measures_is_an_error(runs, measures, message):
    with pytest.raises((InputError, MeasureError), match=message):
        evaluate(QRELS, runs, measures)


@pytest.mark.parametrize(
    ("topic", "cause"), [("9", "belong together"), ("01", "differ in leading zeros"), ("1 ", "in whitespace")]
)
def test_a_run_without_a_judged_topic_is_an_error(topic, cause):
    run = {topic: {"a": 1.0}}
    with pytest.raises(NoCommonTopic, match=rf"'run'.*judged topic.*'1', '2', '3'.*{cause}"):
        evaluate(QRELS, run, "AP")


def test_a_run_without_a_common_topic_is_named(write):
    good, bad = write("good.run", RUN_TEXT), write("bad.run", "77 Q0 a 1 1 t\n")
    with pytest.raises(NoCommonTopic, match="run 'bad'"):
        evaluate(QRELS, [good, bad, RUN], "AP", threads=3)


def test_ids_may_be_text_bytes_or_whole_numbers():
    for qrels, run in (
        ({1: {7: 1}}, {1: {7: 0.5, 8: 0.7}}),
        ({"1": {"7": 1}}, {1: {7: 0.5, 8: 0.7}}),
        ({b"1": {b"7": 1}}, {"1": {"7": 0.5, "8": 0.7}}),
        ({1: {7: 1}}, {b"1": {b"7": 0.5, "8": 0.7}}),
    ):
        assert evaluate(qrels, run, "RR").mean() == {"run": {"RR": 0.5}}
    with pytest.raises(NoCommonTopic):
        evaluate({"007": {"7": 1}}, {"7": {"7": 0.5}}, "RR")


def test_ids_that_are_no_utf8_are_compared_as_bytes(write):
    run = write("r", b"1 Q0 \xff 1 1 t\n1 Q0 \xfe 2 1 t\n1 Q0 \xc3\xa9 3 1 t\n")
    for doc, rank in ((b"\xff", 1), (b"\xfe", 2), (b"\xc3\xa9", 3)):
        text = doc.decode("utf-8", "surrogateescape")
        held = {"1": {d.decode("utf-8", "surrogateescape"): 1.0 for d in (b"\xff", b"\xfe", b"\xc3\xa9")}}
        for given in (run, held):
            for judged in (doc, text):
                assert list(evaluate({"1": {judged: 1}}, given, "RR").mean().values()) == [{"RR": 1 / rank}]


SAME_TOPIC = r'"é" \(str\) and .* are the same topic; give each topic once'


@pytest.mark.parametrize("other", ["\udcc3\udca9", "é".encode()])
def test_two_keys_of_one_topic_are_refused(other, write):
    one, twice = {"é": {"a": 1}}, {"é": {"a": 1}, other: {"b": 2}}
    run = write("r.json", '{"é": {"a": 1}, "\\udcc3\\udca9": {"b": 2}}')
    for qrels, results, measure, message in (
        (twice, one, "RR", SAME_TOPIC),
        (one, twice, "RR", SAME_TOPIC),
        (one, {"1": {}, **twice}, "RR", SAME_TOPIC),
        (one, run, "RR", r"r\.json: .* are the same topic"),
        ({"1": twice}, {"1": {"a": 1}}, "alpha_nDCG", "are the same subtopic"),
        ({"é": {"1": {"a": 1}}, other: {"1": {"b": 1}}}, {"1": {"a": 1}}, "alpha_nDCG", "are the same topic"),
    ):
        with pytest.raises(InputError, match=message):
            evaluate(qrels, results, measure)


@pytest.mark.parametrize(
    ("run", "what"),
    [({"1": {"\ud800": 1.0, "a": 1.0}}, "document"), ({"1": {"a": 1.0}, "\ud800": {"a": 1.0}}, "topic")],
)
def test_half_a_character_is_no_id(run, what):
    with pytest.raises(InputError, match=f"the id of a {what} is"):
        evaluate({"1": {"a": 1}}, run, "RR")


def test_scores_may_be_infinite():
    run = {"1": {"a": -math.inf, "b": math.inf, "c": 0}}
    assert [evaluate({"1": {d: 1}}, run, "RR").mean()["run"]["RR"] for d in "bca"] == [1, 1 / 2, 1 / 3]


def test_swapped_judgments_and_runs_in_memory_are_refused():
    graded = {f"q{n}": {f"d{k}": (n * k) % 3 for k in range(9)} for n in range(5)}
    scored = {f"q{n}": {f"d{k}": n + 1 / (3 + k) for k in range(9)} for n in range(5)}
    listed = [(topic, doc, grade) for topic, docs in graded.items() for doc, grade in docs.items()]
    for swapped in (graded, [graded, scored], Run.of(graded), iter(listed)):
        with pytest.raises(InputError, match=r"45 different fractions as grades, .* as if they were swapped"):
            evaluate(scored, swapped, "nDCG@5")
    for other in (rankgauge.explain, rankgauge.curves, lambda *given: rankgauge.diff(*given, graded)):
        with pytest.raises(InputError, match="as if they were swapped"):
            other(scored, graded)
    for judged in (graded, scored):  # as gains are
        evaluate(judged, scored, "nDCG@5")
    for ranked in ([f"d{k}" for k in range(9)], {f"d{k}": 9 - k for k in range(9)}):  # soft grades are in use
        evaluate(scored, dict.fromkeys(scored, ranked), "nDCG@5")
