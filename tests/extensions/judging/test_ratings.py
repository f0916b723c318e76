"""Ratings of answers by ragas, DeepEval and TruLens, read as scores."""

import json
import math

import pytest

import rankgauge
from rankgauge import CorrectedScores, ratings
from rankgauge.errors import InputError, MeasureError

RAGAS = [
    {
        "user_input": "What, is X?",
        "retrieved_contexts": ["X is", "Y"],
        "response": "X",
        "reference": "X",
        "faithfulness": 1.0,
        "answer_relevancy": 0.75,
    },
    {
        "user_input": "Who?",
        "retrieved_contexts": [],
        "response": "",
        "reference": "1",
        "faithfulness": None,
        "answer_relevancy": 0.25,
    },
]
DEEPEVAL = {
    "testCases": [
        {
            "name": "q1",
            "input": "What?",
            "actualOutput": "X",
            "success": True,
            "metricsData": [{"name": "Answer Relevancy", "score": 0.5}, {"name": "Bias", "score": 1}],
        },
        {
            "input": "Who?",
            "actualOutput": "Z",
            "metricsData": [{"name": "Answer Relevancy", "score": 1.0}, {"name": "Bias", "score": None}],
        },
    ]
}
TRULENS = (
    "record_id,app_name,app_version,input,output,latency,Groundedness\n"
    'h1,app,v1,"What, is X?",X,1.2,0.5\nh2,app,v1,Who?,Z,0.9,1.0\n'
    'h3,app,v2,"What, is X?",X,1.2,0.75\nh4,app,v2,Who?,Z,0.9,0.75\n'
)


def frame(kind):
    return pytest.importorskip("pandas").DataFrame(RAGAS) if kind == "pandas" else RAGAS


@pytest.mark.parametrize("kind", ["records", "pandas", "json", "jsonl", "datasets"])
def test_ragas_has_the_same_values_in_every_form(kind, tmp_path):
    lines = "".join(f"{json.dumps(row)}\n" for row in RAGAS)
    texts = {"json": json.dumps(RAGAS, indent=1), "jsonl": lines}
    if kind == "datasets":
        given = pytest.importorskip("datasets").Dataset.from_list(RAGAS)
    elif kind in texts:
        given = tmp_path / f"run.{kind}"
        given.write_text(texts[kind])
    else:
        given = frame(kind)
    scores = ratings.evaluate(given)
    assert scores.measures == ("faithfulness", "answer_relevancy")
    assert scores.mean() == {"run": {"faithfulness": 1.0, "answer_relevancy": 0.5}}
    assert math.isnan(scores.values[0, 0, 1])  # unknown, and not 0


def test_deepeval_and_trulens_are_read(tmp_path, invoke):
    (tmp_path / "deep.json").write_text(json.dumps(DEEPEVAL))
    (tmp_path / "tru.csv").write_text(TRULENS)
    assert ratings.evaluate(tmp_path / "deep.json").mean() == {"deep": {"Answer Relevancy": 0.75, "Bias": 1}}
    printed = invoke("evaluate", tmp_path / "tru.csv", "-m", "groundedness", "--quiet").out
    assert printed.splitlines() == ["run\tGroundedness", "app v1\t0.7500", "app v2\t0.7500"]
    chosen = ("-m", "answer relevancy", "--fail-if", "Answer Relevancy below 0.8", "--quiet")
    assert "0.7500" in invoke("evaluate", tmp_path / "deep.json", *chosen, code=1).out


def test_runs_are_compared_and_corrected_by_people():
    def rated(shift):
        return [{"question": f"q{n}", "answer": "", "faithfulness": (n % 5) / 5 + shift} for n in range(40)]

    scores = ratings.evaluate({"old": rated(0.0), "new": rated(0.125)})
    assert rankgauge.compare(scores, "faithfulness").compared[0].pairs[0].difference == pytest.approx(0.125)
    corrected = ratings.evaluate({"new": rated(0.125)}, human_qrels={"new": rated(0.0)[:20]})
    assert isinstance(corrected, CorrectedScores)
    assert corrected.mean()["new"]["faithfulness"] == pytest.approx(scores.mean()["old"]["faithfulness"])


@pytest.mark.parametrize(
    ("given", "measures", "error", "words"),
    [
        (RAGAS, "faithfullness", MeasureError, "did you mean faithfulness"),
        (RAGAS, " , ", MeasureError, "no ratings are named"),
        (RAGAS, 5, MeasureError, "not 5"),
        (RAGAS, ["faithfulness", 5], MeasureError, "not 5"),
        (RAGAS * 2, None, InputError, "rated twice in a run"),
        ([{"response": "X"}], None, InputError, "holds no ratings of answers"),
        (
            [{"input": doc, "output": "", "x": x} for doc, x in (("a", 1.0), ("b", 0.5), ("c", "?"))],
            None,
            InputError,
            "column .x.: .* is not a number",
        ),
        ([], None, InputError, "there are no ratings"),
    ],
)
def test_what_holds_no_ratings_is_refused_in_words(given, measures, error, words):
    with pytest.raises(error, match=words):
        ratings.evaluate(given, measures)


def test_the_best_run_has_the_fewest_hallucinations():
    names = ("Hallucination", "Faithfulness", "noise_sensitivity(mode=relevant)", "Bias (GEval)")
    rows = {
        run: [{"input": f"q{n}", "output": "", **dict.fromkeys(names, share)} for n in range(9)]
        for run, share in (("old", 0.5), ("new", 0.25))
    }
    scores = ratings.evaluate(rows)
    assert [scores.provenance.measures[name].direction for name in names] == [-1, 1, -1, 1]
    assert [scores.sorted(name).runs[0] for name in names] == ["new", "old", "new", "old"]


def test_rows_without_a_run_take_the_name_of_their_file_and_none_is_without_a_question():
    rows = [{"user_input": "q", "f": 1.0, "run": None}, {"user_input": "q", "f": 0.5, "run": "b"}]
    assert ratings.evaluate({"a": rows}).mean() == {"a": {"f": 1.0}, "b": {"f": 0.5}}
    for nothing in (None, float("nan"), " "):
        with pytest.raises(InputError, match="row 2 has no question"):
            ratings.evaluate([{"user_input": "q", "f": 1.0}, {"user_input": nothing, "f": 1.0}])


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        ([5], "a test case .* is an object, not 5"),
        ([{"input": "q", "metricsData": [3]}], "metrics .* are objects"),
        ([{"input": "q", "metricsData": {"name": "Bias"}}], "metrics .* are objects"),
        ({"a": 1}, "holds no ratings of answers"),
    ],
)
def test_damaged_files_of_deepeval_are_refused_in_words(damaged, words, tmp_path):
    path = tmp_path / "deep.json"
    path.write_text(json.dumps({"testCases": damaged}))
    assert not ratings.holds_ratings(str(path))
    with pytest.raises(InputError, match=words):
        ratings.evaluate(path)


def test_judgments_in_a_table_are_no_ratings(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("query_id,doc_id,relevance\nq1,d1,1\n")
    assert not ratings.holds_ratings(str(path))
