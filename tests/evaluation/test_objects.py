"""The same objects through every door: whatever takes runs or judgments takes all of them."""

import math
import re
from collections import deque, namedtuple

import numpy as np
import pytest

import rankgauge
from rankgauge import Evaluator, Qrels, Run, curves, evaluate, explain
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import InputError, NoCommonTopic

Row = namedtuple("Row", "query_id doc_id score")
QRELS = {"0": {"0": 1, "1": 0, "2": 0}, "1": {"0": 0, "1": 1, "2": 1}}
RUN = {"0": {"0": 2.0, "1": 3.0, "2": 1.0}, "1": {"0": 2.0, "1": 1.0, "2": 3.0}}


def records(nested):
    return [Row(topic, doc, value) for topic, docs in nested.items() for doc, value in docs.items()]


RUNS = {
    "dict": lambda: RUN,
    "records": lambda: records(RUN),
    "generator": lambda: (row for row in records(RUN)),
    "tuples": lambda: [tuple(row) for row in records(RUN)],
    "lists": lambda: {t: sorted(docs, key=docs.get, reverse=True) for t, docs in RUN.items()},
    "pairs": lambda: {t: list(docs.items()) for t, docs in RUN.items()},
    "array": lambda: np.array([list(docs.values()) for docs in RUN.values()]),
    "nested lists": lambda: [list(docs.values()) for docs in RUN.values()],
    "columns": lambda: dict(zip(Row._fields, zip(*records(RUN), strict=True), strict=True)),
}
JUDGMENTS = {
    "dict": lambda: QRELS,
    "records": lambda: records(QRELS),
    "generator": lambda: (row for row in records(QRELS)),
    "array": lambda: np.array([list(docs.values()) for docs in QRELS.values()]),
    "sets": lambda: {t: {d for d, grade in docs.items() if grade} for t, docs in QRELS.items()},
}


@pytest.fixture(params=RUNS)
def run(request):
    return RUNS[request.param]


@pytest.fixture(params=JUDGMENTS)
def qrels(request):
    return JUDGMENTS[request.param]


def test_evaluation_takes_all_of_them(qrels, run):
    expected = evaluate(QRELS, RUN, "AP nDCG@10 RR").to_dict()
    assert evaluate(qrels(), run(), "AP nDCG@10 RR").to_dict() == expected
    assert evaluate(Qrels.of(qrels()), Run.of(run()), "AP nDCG@10 RR").to_dict() == expected
    named = evaluate(qrels(), {"x": run(), "y": run()}, "AP nDCG@10 RR").to_dict()
    assert named == {"x": expected["run"], "y": expected["run"]}
    listed = evaluate(qrels(), [run(), run()], "AP nDCG@10 RR").to_dict()
    assert listed == {"run1": expected["run"], "run2": expected["run"]}


def test_other_verbs_take_all_of_them(qrels, run):
    evaluator = Evaluator(qrels(), "RR")
    assert evaluator.evaluate(run()).mean() == {"run": {"RR": 0.75}}
    assert curves(qrels(), run(), "P", depth=2).mean() == curves(QRELS, RUN, "P", depth=2).mean()
    assert explain(qrels(), run(), topic="0", measure="RR").value == 0.5
    assert explain(qrels(), run(), measure="RR").value == 0.75
    assert "0" in [step.document for step in explain(qrels(), run(), topic="0", measure="RR").steps]
    campaign = Campaign(qrels(), [run(), run()])
    assert campaign.runs == ("run1", "run2")
    assert campaign.scores("RR").mean() == {"run1": {"RR": 0.75}, "run2": {"RR": 0.75}}


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"1": {}}, r"any judged topic \('1'\); check"),
        (
            {"1": (doc for doc in "ba")},
            r'the first item is the text "b".*pass .*\{topic: \[document, \.\.\.\]\}',
        ),
    ],
)
def test_topics_without_an_order_or_without_results(run, message):
    with pytest.raises((InputError, NoCommonTopic), match=message):
        evaluate({"1": {"a": 1}}, run, "RR")


@pytest.mark.parametrize("shape", [(1, 3), (2, 2), (3, 3), (2, 4)])
def test_arrays_of_another_shape_are_refused(shape):
    truth, scores = np.eye(3)[:2], np.ones(shape)
    message = (
        rf"the scores are an array of {shape[0]} x {shape[1]}, and the judgments one of 2 x 3; both need"
    )
    for judged, given in (
        (truth, scores),
        (Qrels.of(truth), Run.of(scores)),
        (truth.tolist(), scores.tolist()),
    ):
        with pytest.raises(InputError, match=message):
            evaluate(judged, given, "RR")
    with pytest.raises(InputError, match="run 'y': the scores are an array"):
        evaluate(truth, {"x": truth, "y": scores}, "RR")
    assert evaluate(truth, {"0": ["0"], "1": ["7", "1"]}, "RR").mean() == {"run": {"RR": 0.75}}


def test_runs_without_a_name_are_numbered(tmp_path):
    path = tmp_path / "bm25.run"
    path.write_text("0 Q0 0 1 1 t\n")
    assert evaluate(QRELS, [RUN], "RR").runs == ("run",)
    assert evaluate(QRELS, [path, RUN], "RR").runs == ("bm25", "run")
    assert evaluate(QRELS, [RUN, path, RUN], "RR").runs == ("run1", "bm25", "run2")
    assert evaluate(QRELS, [Run.of(RUN), Run.of(RUN)], "RR").runs == ("run1", "run2")
    assert evaluate(QRELS, [Run.of(RUN, "mine"), RUN], "RR").runs == ("mine", "run")
    assert evaluate(QRELS, tmp_path.glob("*.run"), "RR").runs == ("bm25",)
    with pytest.raises(InputError, match="run 'mine' occurs twice"):
        evaluate(QRELS, [Run.of(RUN, "mine"), Run.of(RUN, "mine")], "RR")
    with pytest.raises(InputError, match="run 'run1' occurs twice"):
        evaluate(QRELS, [Run.of(RUN, "run1"), RUN, RUN], "RR")


def test_an_iterator_is_one_run_and_no_other():
    rows = iter(records(RUN))
    for twice in ([rows, rows], {"x": rows, "y": rows}):
        with pytest.raises(InputError, match="the same iterator is given as two runs"):
            evaluate(QRELS, twice, "RR")
    with pytest.raises(InputError, match="the list_iterator is empty, or was read before"):
        evaluate(rows, rows, "RR")


def test_an_error_names_the_run():
    broken = [Row("0", "0", 1.0), Row("0", "1", math.nan)]
    with pytest.raises(InputError, match=r"^run 'y': topic \"0\", document \"1\" \(row 1, counted from 0\)"):
        evaluate(QRELS, {"x": RUN, "y": broken}, "RR")
    with pytest.raises(InputError, match=r"^topic \"0\", document \"1\""):
        evaluate(QRELS, broken, "RR")


def test_documents_listed_twice_follow_the_rule():
    twice = {"0": ["0", "1", "0"]}
    with pytest.raises(InputError, match='document "0" occurs twice in topic "0"'):
        evaluate(QRELS, twice, "RR")
    for rule in ("first", "max"):
        assert evaluate(QRELS, twice, "RR", duplicates=rule).to_dict()["run"]["RR"]["0"] == 1.0


def test_ids_keep_their_markup():
    odd = ["<b>", "a\nb", "$x$", " ", "é"]
    held = [Row("<i>", doc, -float(n)) for n, doc in enumerate(odd)]
    assert [evaluate([Row("<i>", d, 1)], held, "RR").mean()["run"]["RR"] for d in odd] == [
        1 / rank for rank in range(1, 6)
    ]


def test_a_deque_is_a_ranked_list():
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    run = {"1": deque(["b", "a"]), "2": deque(["b"])}
    expected = rankgauge.evaluate(qrels, {topic: [*docs] for topic, docs in run.items()}, "RR").mean()
    assert rankgauge.evaluate(qrels, run, "RR").mean() == expected == {"run": {"RR": 0.75}}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", '{"1": {"a": "1.5", "b": "2e0"}}'),
        ("x.json", '{"1": [["a", "1.5"], ["b", "2"]]}'),
        (
            "x.jsonl",
            '{"qid": "1", "doc_id": "a", "score": "1.5"}\n{"qid": "1", "doc_id": "b", "score": "+2"}\n',
        ),
        (
            "x.jsonl",
            '{"query_id": "1", "results": [{"id": "a", "score": ".5"}, {"id": "b", "score": "2."}]}\n',
        ),
    ],
)
def test_numbers_in_texts_are_scores_in_json_and_other_texts_are_refused(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    assert rankgauge.evaluate({"1": {"a": 1}}, path, "RR").mean() == {"x": {"RR": 0.5}}
    for wrong in ("nan", "inf", "", " 1", "1,5", "0x1", "1_0", "\u0661", "high"):
        path.write_text(re.sub(r'"(\+2|2e0|2\.?)"', f'"{wrong}"', content))
        with pytest.raises(
            InputError, match=r"x\.json(l:[12])?: .*the score is not a number|x\.jsonl?:.*score"
        ):
            rankgauge.evaluate({"1": {"a": 1}}, path, "RR")


FOUND = np.array([[71, 3, 90, 12, 45], [8, 95, 71, -1, -1]])
BY_ID = {"0": {"90": 1, "44": 1}, "1": {"8": 1, "71": 2}}
EXPECTED = {"run": {"RR": 2 / 3}}
CHOICES = r"document ids, best first, or scores\? For ids, pass dict\(zip\(topics, .*dtype=float"
RAGGED = [[71, 3, 90, 12, 45], [8, 95, 71]]


@pytest.mark.parametrize("made", [np.array, np.uint32, np.ndarray.tolist, lambda a: a.astype(object)])
def test_integers_are_ids_where_the_judgments_leave_no_doubt(made):
    ids = FOUND if made is not np.uint32 else np.where(FOUND < 0, [1, 2, 3, 1000, 1001], FOUND)
    assert evaluate(BY_ID, made(ids), "RR").mean() == EXPECTED
    assert evaluate(BY_ID, {"x": made(ids)}, "RR").mean() == {"x": EXPECTED["run"]}
    assert Evaluator(BY_ID, "RR").curves(made(ids), depth=2).mean()["run"]["RR"] == [0.5, 0.5]
    assert explain(BY_ID, made(ids), measure="RR").value == 2 / 3
    assert Campaign(BY_ID, made(ids)).scores("RR").mean() == EXPECTED
    large = FOUND[:1].astype(np.int64) + (1 << 62)
    judged = {"0": {str(large[0, 2]): 1}}
    assert evaluate(judged, large, "RR").mean() == {"run": {"RR": 1 / 3}}


@pytest.mark.parametrize(
    ("judged", "ids"),
    [
        ({**BY_ID, "1": {"8": 1, "4": 0}}, FOUND),  # a column has this name
        ({"0": {"91": 1}, "1": {"9": 1}}, FOUND),  # no judged document is there
        (np.eye(5)[:2], FOUND),
        (np.eye(5, dtype=int)[:2], np.argsort(np.eye(5)[:2])),
        ({"0": {"71": 1}}, FOUND[:, :3]),  # rows of topic, document and score, perhaps
        ({"0": {"71": 1}}, FOUND[:, :2]),
    ],
)
def test_integers_are_refused_where_they_may_be_ids_or_scores(judged, ids):
    with pytest.raises(InputError, match=CHOICES):
        evaluate(judged, ids, "RR")
    with pytest.raises(InputError, match=CHOICES):
        Run.of(ids)
    as_scores = evaluate(judged, ids.astype(float), "RR")
    assert as_scores.provenance.runs["run"].source == "ndarray"


def test_the_calls_to_choose_from_are_those_of_ids_and_scores():
    assert evaluate(BY_ID, dict(zip("01", FOUND.tolist(), strict=True)), "RR").mean() == EXPECTED
    assert evaluate(BY_ID, dict(enumerate(FOUND)), "RR").mean() == EXPECTED
    with pytest.raises(InputError, match=CHOICES):
        evaluate(BY_ID, RAGGED, "RR")
    assert evaluate(BY_ID, dict(zip("01", RAGGED, strict=True)), "RR").mean() == EXPECTED
    assert Run.of(FOUND.astype(float)).to_dict()["0"]["2"] == 90


def test_minus_one_at_the_end_of_ids_stands_for_nothing_unless_it_is_judged():
    run = {"0": [7, -1, -1], "1": [-1], "2": [-1, 8]}
    assert len(Run.of(run)) == 3
    assert len(Run.of({topic: [*np.array(ids)] for topic, ids in run.items()})) == 3
    assert len(Qrels.of({"0": [7, -1]})) == 2
    run = {"0": [7, -1], "1": [7, -1]}
    judged = {"0": {"-1": 1}, "1": {"7": 1}}
    scores = evaluate(judged, run, "RR NumRet")
    assert scores.values.tolist() == [[[0.5, 1.0], [2.0, 1.0]]]


@pytest.mark.parametrize("near", [False, True])
def test_scores_or_distances_beside_ids_are_one_run(near):
    sign = -1 if near else 1
    scores = np.array([[0.75, 0.5, 0.5, 0.25, 0.125], [1.0, 0.5, 0.25, -1e38, -1e38]], np.float32) * sign
    for held in ((scores, FOUND), (FOUND, scores), (scores.tolist(), FOUND.tolist())):
        run = Run.of(held)
        assert run.to_dict()["1"] == {"8": 1.0, "95": 0.5, "71": 0.25}
        assert (run.to_dict()["0"]["12"], run.assumed) == (0.25, "distances" if near else "")
        assert evaluate({"0": {"3": 1}}, {"x": held}, "RR", ties="input").mean() == {"x": {"RR": 0.5}}
    with pytest.raises(InputError, match=r"rise in some places .* and fall in others"):
        evaluate(BY_ID, (np.random.default_rng(1).random((2, 5)), FOUND), "RR")
    with pytest.raises(InputError, match="this looks like a run"):
        evaluate((scores, FOUND), BY_ID, "RR")
    assert len(evaluate(np.eye(2), [np.ones((2, 2)), np.eye(2)], "RR").runs) == 2
    for arrays in ([scores, FOUND], [scores.tolist(), FOUND.tolist()]):  # a list has two runs
        assert len(evaluate(BY_ID, arrays, "RR").runs) == 2
        with pytest.raises(InputError, match=CHOICES):
            evaluate({"0": {"1": 1}}, arrays, "RR")
        with pytest.raises(InputError, match="the first item is"):
            Run.of(arrays)


def test_neighbours_of_torch(torch):
    found = torch.topk(torch.tensor([[0.1, 0.9, 0.5, 0.2]]), 2)
    assert evaluate({"0": {"2": 1}}, found, "RR").mean() == {"run": {"RR": 0.5}}
