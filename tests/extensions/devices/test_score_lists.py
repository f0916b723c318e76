"""Score matrices and lists: types, exclusions, and what is refused, with the query and document named."""

import math
import subprocess
import sys
import tracemalloc

import array_api_strict
import numpy as np
import pytest

import rankgauge
from rankgauge import Evaluator, evaluate, evaluate_scores
from rankgauge.errors import InputError, NoCommonTopic, OptionError
from rankgauge.extensions.devices.tensors.arrays import Arrays

QRELS = {"q1": {"a": 1, "c": 2}, "q2": {"b": 1}}
SCORES = np.array([[0.5, 0.7, 0.1], [0.3, 0.2, 0.9]])
IDS = {"query_ids": ["q1", "q2"], "doc_ids": ["a", "b", "c"]}


def run_of(scores, queries=("q1", "q2"), docs=("a", "b", "c")):
    return {q: dict(zip(docs, map(float, row), strict=True)) for q, row in zip(queries, scores, strict=True)}


@pytest.mark.parametrize(
    "kind", ["bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64"]
)
@pytest.mark.parametrize("precision", ["single", "double"])
def test_every_type_of_number(kind, precision):
    wide = [[2**53, 2**53 + 1, 2**53 + 2], [2**24, 2**24 + 1, 5]]
    numbers = np.array(wide if kind.endswith("64") else [[1, 0, 1], [0, 1, 1]], dtype=kind)
    expected = evaluate(QRELS, run_of(numbers), "AP nDCG", score_precision=precision)
    evaluator = Evaluator(QRELS, "AP nDCG", score_precision=precision)
    arrays = [numbers, array_api_strict.asarray(numbers)] if kind != "float16" else [numbers]
    if torch := sys.modules.get("torch"):
        arrays.append(torch.as_tensor(numbers))
    for array in arrays:
        assert np.array_equal(evaluator.evaluate_scores(array, **IDS).values, expected.values)


def test_half_precision_of_torch_and_gradients(torch):
    scores = torch.tensor([[0.5, 0.7, 0.1], [0.3, 0.2, 0.9]], dtype=torch.bfloat16, requires_grad=True)
    expected = evaluate(QRELS, run_of(scores.detach().float().numpy()), "AP nDCG")
    found = Evaluator(QRELS, "AP nDCG").evaluate_scores(scores, **IDS)
    assert np.array_equal(found.values, expected.values)
    assert found.provenance.runs["run"].source == "bfloat16 tensor on cpu"


class Foreign:
    """An array that speaks DLPack and nothing else."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_an_array_that_only_speaks_dlpack():
    expected = evaluate(QRELS, run_of(SCORES), "AP")
    found = Evaluator(QRELS, "AP").evaluate_scores(Foreign(SCORES), **IDS)
    assert np.array_equal(found.values, expected.values)


def test_torch_is_not_imported_for_other_arrays():
    program = (
        "import sys, rankgauge as r; r.evaluate_scores([[1]], [[0.5]], 'RR'); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout == "False\n", done.stderr


def test_excluded_documents_are_ranked_as_if_they_were_not_there():
    evaluator = Evaluator(QRELS, "RR NumRet NumRel")
    seen = {"q1": ["b", "not there"], "q2": ["a"], "another": ["a"]}
    found = evaluator.evaluate_scores(SCORES, **IDS, exclude=seen).to_dict()["run"]
    assert found == {
        "RR": {"q1": 1.0, "q2": 0.5},
        "NumRet": {"q1": 2.0, "q2": 2.0},
        "NumRel": {"q1": 2.0, "q2": 1.0},
    }
    # A judged document that is excluded is not retrieved, and still counts as relevant.
    found = evaluator.evaluate_scores(SCORES, **IDS, exclude={"q1": ["a"]}).to_dict()["run"]
    assert (found["RR"]["q1"], found["NumRel"]["q1"]) == (0.5, 2.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_an_excluded_document_may_have_any_score(value):
    scores = SCORES.copy()
    scores[0, 1] = value
    found = Evaluator(QRELS, "RR").evaluate_scores(scores, **IDS, exclude={"q1": {"b"}})
    assert found.to_dict()["run"]["RR"]["q1"] == 1


def test_a_long_row_with_many_ties_is_counted_with_exclusions(monkeypatch):
    """The kernel that sorts is not called for long rows with few judged documents."""
    monkeypatch.setattr(Arrays, "sort", None)
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 4, (5, 5000)).astype(np.float32)
    docs = [f"d{n}" for n in rng.permutation(5000)]
    qrels = {f"q{n}": {f"d{d}": int(d) % 3 for d in rng.choice(5000, 6, replace=False)} for n in range(4)}
    qrels["nowhere"] = {"d1": 1}
    queries = [f"q{n}" for n in range(5)]
    seen = {q: [docs[d] for d in rng.choice(5000, 40, replace=False)] for q in queries[:3]}
    left = {
        q: {d: s for d, s in results.items() if d not in seen.get(q, ())}
        for q, results in run_of(scores, queries, docs).items()
    }
    for ties in ("docid_desc", "docid_asc", "input", "average"):
        expected = evaluate(qrels, left, "nDCG RR bpref", ties=ties)
        found = Evaluator(qrels, "nDCG RR bpref", ties=ties).evaluate_scores(
            scores, query_ids=queries, doc_ids=docs, exclude=seen
        )
        assert np.array_equal(found.values, expected.values)
        facts = found.provenance.runs["run"]
        assert facts._replace(source="dict") == expected.provenance.runs["run"]


def test_top_documents_with_their_numbers():
    """What `topk` returns: scores, and the numbers of documents."""
    qrels = {"0": {"17": 1, "3": 1}, "1": {"5": 1}}
    found = Evaluator(qrels, "AP").evaluate_scores(
        [[0.9, 0.8], [0.7, 0.1]], doc_ids=np.array([[3, 4], [6, 5]])
    )
    assert found.to_dict()["run"]["AP"] == {"0": 0.5, "1": 0.5}


def test_one_query_has_thousands_of_judged_documents():
    rng = np.random.default_rng(8)
    scores = rng.standard_normal((3, 6000))
    qrels = {"0": {str(d): 1 + d % 2 for d in range(0, 6000, 2)}, "1": {"5": 1}, "2": {}}
    qrels = {q: docs for q, docs in qrels.items() if docs}
    expected = evaluate(qrels, scores, "nDCG AP RR")
    assert np.array_equal(Evaluator(qrels, "nDCG AP RR").evaluate_scores(scores).values, expected.values)


def test_lists_without_candidates_count_as_missing():
    evaluator = Evaluator(QRELS, "RR")
    found = evaluator.evaluate_scores([[0.5], []], query_ids=["q1", "q2"], doc_ids=[["a"], []])
    assert found.to_dict()["run"]["RR"] == {"q1": 1.0, "q2": 0.0}
    assert found.provenance.runs["run"].missing == 1
    # With labels beside the scores, there is no such topic.
    assert evaluate_scores([[1], []], [[0.5], []], "RR").topics == ("0",)


def test_no_document_is_judged_and_ids_that_differ_are_reported():
    found = Evaluator(QRELS, "RR").evaluate_scores(SCORES, query_ids=["q1", "q2"], doc_ids=["A", "B", "C"])
    assert found.values.tolist() == [[[0, 0]]]
    assert any("in case" in note for note in found.notes)


def bad(row, column, value):
    scores = SCORES.copy()
    scores[row, column] = value
    return scores


SHAPE = {"q1": {"a": 1}}


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (bad(1, 2, math.nan), IDS, "the score of document 'c' for query 'q2' is nan; scores must be numbers"),
        (bad(0, 1, -math.inf), IDS, "document 'b' for query 'q1' is -inf; .* leave documents out with mask"),
        (bad(0, 0, math.inf), IDS, "document 'a' for query 'q1' is inf; the model overflowed"),
        (bad(1, 2, math.nan), {"query_ids": ["q1", "x"]}, "document '2' for query 'x' is nan"),
        (SCORES, {"query_ids": ["q1"]}, "query_ids must have an id for each of 2 rows, not 1"),
        (SCORES, {"query_ids": ["q1", "q1"]}, "query_ids has 'q1' twice"),
        (SCORES, {**IDS, "doc_ids": ["a", "b"]}, "doc_ids must have an id for each of 3 columns"),
        (SCORES, {**IDS, "doc_ids": ["a", "b", "a"]}, "doc_ids has 'a' twice"),
        (SCORES, {**IDS, "doc_ids": [["a", "b", "c"]]}, "there are 1 lists for 2 queries"),
        (SCORES, {**IDS, "doc_ids": [["a", "b", "c"], ["a"]]}, "query 'q2' has 1 id for 3 scores"),
        (
            SCORES,
            {**IDS, "doc_ids": [["a", "b", "a"], ["a", "b", "c"]]},
            "'a' is listed twice for query 'q1'",
        ),
        (SCORES, {**IDS, "doc_ids": ["a", "b", 0.5]}, r"doc_ids has 0.5 \(float\); ids are texts or whole"),
        (SCORES, {**IDS, "lengths": [3]}, "lengths must have a number from 0 to 3 for each of 2 rows"),
        (SCORES, {**IDS, "lengths": [3, 4]}, "there are 2, up to 4"),
        (SCORES, {**IDS, "lengths": [3, -1]}, "whole numbers from 0 on"),
        (SCORES, {**IDS, "mask": [[True, False, True]]}, "a truth value for each of 2 x 3 scores"),
        (SCORES, {**IDS, "mask": [[1, 0, 1]] * 2}, "type int64"),
        (SCORES, {**IDS, "indexes": [0, 1]}, "indexes are for flat scores"),
        (SCORES, {**IDS, "lengths": [3, 3], "mask": SCORES > 0}, "give one of them"),
        (SCORES.ravel(), {}, "flat scores without the number of candidates"),
        (SCORES.ravel(), {"lengths": [3, 4]}, "lengths add up to 7, and there are 6 scores"),
        (SCORES.ravel(), {"mask": SCORES.ravel() > 0}, "a mask is for a matrix"),
        (SCORES.ravel(), {"indexes": [0, 1]}, "the number of a query for each of 6 scores"),
        (SCORES[None], {}, "scores of 3 dimensions"),
        (np.ma.masked_less(SCORES, 0.2), IDS, "some scores are masked"),
        (SCORES + 1j, IDS, "not real numbers but of type complex128"),
        ([["a", "b"]], {"query_ids": ["q1"]}, "not real numbers"),
        ([[0.5], [0.1, 0.2]], {"lengths": [1, 2]}, "has lengths of its own"),
        ([SCORES, SCORES], {}, "not real numbers|dimension"),
        (SCORES, {**IDS, "exclude": {"Q1": ["a"]}}, "exclude has no query of the scores: it has 'Q1'"),
        (SCORES, {**IDS, "exclude": ["a"]}, "exclude must be {query: documents}"),
        (
            SCORES,
            {**IDS, "exclude": {"q1": "abc"}},
            "exclude has the text 'abc' where a list of ids is expected",
        ),
    ],
)
def test_what_is_wrong_is_named(scores, options, message):
    with pytest.raises(InputError, match=message):
        Evaluator(QRELS, "RR").evaluate_scores(scores, **options)


@pytest.mark.parametrize(
    ("labels", "rules", "options", "message"),
    [
        ([[0, 1]], {}, {}, "the labels have shape 1 x 2, and there are 2 x 3 scores"),
        ([[0, 1, math.nan]] * 2, {}, {}, "the labels have nan; grades must be numbers"),
        ([[0, 1, 1e200]] * 2, {}, {}, "the labels have 1e"),
        ([[0, 1, 1], [0, 1]], {}, {}, "lists of other lengths"),
        ([[0, 1, 1]] * 2, {}, {"exclude": {"0": ["1"]}}, "use mask"),
        ([[0, 1, 1]] * 2, {}, {"measures": "alpha_nDCG"}, "have no subtopics"),
        (QRELS, {}, {}, "no results for any judged topic .*, only for '0', '1'"),
        (QRELS, {"ties": "rank"}, IDS, "do not apply"),
        (QRELS, {"order": "rank"}, IDS, "do not apply"),
        (QRELS, {}, {"doc_id": ["a", "b", "c"]}, "no option 'doc_id'.*doc_ids"),
        (QRELS, {"tie": "input"}, IDS, "no option 'tie'.*ties"),
    ],
)
def test_labels_rules_and_options_that_do_not_fit_are_refused(labels, rules, options, message):
    arguments = {"measures": "RR", **options, **rules}
    with pytest.raises((InputError, NoCommonTopic, OptionError), match=message):
        evaluate_scores(labels, SCORES, **arguments)
    if labels is QRELS and "tie" not in rules:
        with pytest.raises((NoCommonTopic, OptionError), match=message):
            Evaluator(QRELS, "RR", **rules).evaluate_scores(SCORES, **options)


def test_labels_of_padding_do_not_count():
    found = evaluate_scores([[1, math.nan], [0, 1]], [[0.5, 7], [1, 2]], "RR NumRel", lengths=[1, 2])
    assert found.to_dict()["run"] == {"RR": {"0": 1.0, "1": 1.0}, "NumRel": {"0": 1.0, "1": 1.0}}
    assert found.provenance.qrels.judgments == 3


def test_judgments_by_ids_are_taken_by_the_function_as_well():
    found = rankgauge.evaluate_scores(QRELS, SCORES, "RR", **IDS, name="epoch 1")
    assert found.mean() == evaluate(QRELS, {"epoch 1": run_of(SCORES)}, "RR").mean()


INTERLEAVED = {"topic": ["q2", "q1", "q2", "q1", "q1"], "doc": ["a", "a", "b", "b", "c"], "score": [0.0] * 5}


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("kind", ["float64", "float32", "bfloat16"])
def test_fixed_candidates_of_interleaved_topics_take_tensors(kind, elsewhere, monkeypatch, torch):
    monkeypatch.setattr(Arrays, "is_host", not elsewhere)
    fixed = Evaluator(QRELS, "AP RR").fixed(INTERLEAVED)
    scores = torch.tensor([0.5, 0.25, 0.5, 0.75, 0.25], dtype=getattr(torch, kind), requires_grad=True)
    expected = evaluate(QRELS, {**INTERLEAVED, "score": scores.tolist()}, "AP RR")
    for _ in range(2):
        assert np.array_equal(fixed.evaluate(scores).values, expected.values)
    with pytest.raises(InputError, match="expected 5 scores, one per candidate and in their order, found 4"):
        fixed.evaluate(scores[:4])
    with pytest.raises(InputError, match=r"score 2 .* is NaN"):
        fixed.evaluate(torch.tensor([0.5, 0.25, math.nan, 0.75, 0.25]))


def test_memory_beside_the_scores_is_bounded():
    rng = np.random.default_rng(2)
    scores = rng.random((400, 50_000), dtype=np.float32)  # 80 MB
    evaluator = Evaluator({str(q): {str(d): 1 for d in rng.choice(50_000, 3)} for q in range(400)}, "nDCG RR")
    tracemalloc.start()
    try:
        evaluator.evaluate_scores(scores)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20e6


def test_the_lowest_numbers_are_scores_like_others():
    """In single precision they are infinite, and still above what is no candidate."""
    scores = np.array([[-1.7e308, -1.79e308, 0.5], [1.0, -1e300, 2.0]])
    for precision in ("single", "double"):
        for measures in ("AP", "RelativeRelevance ESL AP"):
            run = run_of(scores[:, :2], docs=("a", "b"))
            expected = evaluate(QRELS, run, measures, score_precision=precision)
            found = Evaluator(QRELS, measures, score_precision=precision).evaluate_scores(
                scores, **IDS, mask=np.array([[True, True, False]] * 2)
            )
            assert np.array_equal(found.values, expected.values, equal_nan=True)
