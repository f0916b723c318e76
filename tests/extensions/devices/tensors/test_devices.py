"""Scores on a graphics card, of every library and type, are worth what they are on the host.

`tests/laws/test_score_list_laws.py` has all forms of scores in double precision, there and here.
"""

import math
import os

import numpy as np
import pytest

import rankgauge
from rankgauge import Evaluator, evaluate_scores
from rankgauge.extensions.devices.tensors.arrays import Arrays

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU", allow_module_level=True)

MEASURES = "nDCG@10 AP RR P@5 bpref Judged@10 ESL"
RULES = ["docid_desc", "docid_asc", "input"]
ROWS = 12


def on_torch():
    return lambda array, kind: torch.as_tensor(array, device="cuda").to(getattr(torch, kind))


def on_cupy():
    cupy = pytest.importorskip("cupy")
    return lambda array, kind: cupy.asarray(np.asarray(array).astype(kind))


def on_jax():
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")
    if jax.default_backend() == "cpu":
        pytest.skip("JAX has no GPU")
    return lambda array, kind: jax.numpy.asarray(np.asarray(array).astype(kind))


LIBRARIES = {"torch": on_torch, "cupy": on_cupy, "jax": on_jax}
KINDS = [
    *(("torch", kind) for kind in ("float16", "bfloat16", "float32", "float64", "int64")),
    *(("cupy", kind) for kind in ("float16", "float32", "float64")),
    *(("jax", kind) for kind in ("float16", "float32")),
]


@pytest.fixture(params=KINDS, ids="-".join)
def put(request):
    """A function that puts an array on a device, as numbers of the type at hand unless another is named."""
    library, kind = request.param
    make = LIBRARIES[library]()
    return lambda array, kind=kind: make(array, kind)


def same(found, expected):
    assert found.topics == expected.topics
    assert np.array_equal(found.values, expected.values, equal_nan=True)
    facts, wanted = found.provenance.runs["run"], expected.provenance.runs["run"]
    assert facts._replace(source="") == wanted._replace(source="")
    assert found.provenance.measures == expected.provenance.measures


def numbers(distinct, shape, seed=2):
    """Whole numbers that every type at hand has; few distinct ones have many ties."""
    rng = np.random.default_rng(seed)
    if distinct is None:  # no ties
        return np.argsort(rng.random(shape), axis=1)
    return rng.integers(0, distinct, shape)


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("distinct", [None, 200, 3])
def test_labels_beside_a_matrix(put, distinct, ties):
    scores = numbers(distinct, (ROWS, 256))
    grades = np.random.default_rng(3).choice(4, size=scores.shape, p=[0.94, 0.02, 0.02, 0.02])
    for kind in ("int32", "float32"):
        found = evaluate_scores(put(grades, kind), put(scores), MEASURES, ties=ties)
        same(found, evaluate_scores(grades, scores, MEASURES, ties=ties))


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("distinct", [None, 200, 3])
@pytest.mark.parametrize("documents", ["numbers", "shared", "listed"])
def test_judgments_by_ids_with_exclusions(put, documents, distinct, ties):
    rng = np.random.default_rng(6)
    scores = numbers(distinct, (ROWS, 256))
    names = [f"d{n}" for n in rng.permutation(256)]
    ids = {
        "numbers": {},
        "shared": {"doc_ids": names},
        "listed": {"doc_ids": [[*rng.permutation(names)] for _ in range(ROWS)]},
    }[documents]
    known = names if ids else [*map(str, range(256))]
    qrels = {
        str(q): {str(d): int(d[-1]) % 3 for d in rng.choice(known, 9, replace=False)} for q in range(ROWS)
    }
    seen = {str(q): [*map(str, rng.choice(known, 7, replace=False))] for q in range(0, ROWS, 2)}
    evaluator = Evaluator(qrels, MEASURES, ties=ties)
    for exclude in (None, seen):
        found = evaluator.evaluate_scores(put(scores), **ids, exclude=exclude)
        same(found, evaluator.evaluate_scores(scores, **ids, exclude=exclude))


def test_ids_and_lengths_on_the_device(put):
    """What `topk` returns: scores, and the numbers of documents."""
    qrels = {"5": {"17": 1, "3": 1}, "7": {"5": 1}}
    found = Evaluator(qrels, "AP").evaluate_scores(
        put([[9, 8, 7], [7, 1, 3]]),
        query_ids=put([5, 7], "int32"),
        doc_ids=put([[3, 4, 17], [6, 5, 0]], "int32"),
        lengths=put([2, 2], "int32"),
    )
    assert found.to_dict()["run"]["AP"] == {"5": 0.5, "7": 0.5}


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("distinct", [200, 3])
def test_long_rows_are_counted(put, distinct, ties, monkeypatch):
    monkeypatch.setattr(Arrays, "sort", None)
    scores, grades = numbers(distinct, (7, 6000)), np.zeros((7, 6000), dtype=int)
    rng = np.random.default_rng(7)
    for row in grades[:6]:
        row[rng.choice(6000, 9, replace=False)] = rng.integers(1, 4, 9)
    qrels = {str(q): {str(d): int(row[d]) for d in np.flatnonzero(row)} for q, row in enumerate(grades[:6])}
    evaluator = Evaluator(qrels, "nDCG@10 AP RR", ties=ties)
    seen = {"2": [*map(str, rng.choice(6000, 300, replace=False))]}
    there = put(scores)
    same(evaluator.evaluate_scores(there), evaluator.evaluate_scores(scores))
    same(
        evaluator.evaluate_scores(there, exclude=seen),
        evaluator.evaluate_scores(scores, exclude=seen),
    )
    same(
        evaluate_scores(put(grades, "int32"), there, "nDCG@10 AP RR", ties=ties),
        evaluate_scores(grades, scores, "nDCG@10 AP RR", ties=ties),
    )


def test_infinite_scores_of_fixed_candidates_are_ranked_on_the_host(put):
    fixed = Evaluator({"q": {"b": 1}}, "RR").fixed({"q": ["a", "b", "c"]})
    assert fixed.evaluate(put([0.5, -math.inf, 0.25], "float32")).values.item() == 1 / 3


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_scores_that_are_not_finite_are_refused(put, value):
    scores = np.arange(6.0).reshape(2, 3)
    scores[1, 2] = value
    there = put(scores, "float32")
    with pytest.raises(rankgauge.errors.InputError, match="the score of document '2' for query '1'"):
        evaluate_scores(np.ones((2, 3), dtype=int), there, "RR")
    same(
        evaluate_scores(np.ones((2, 3), dtype=int), there, "RR", lengths=[3, 2]),
        evaluate_scores(np.ones((2, 3), dtype=int), scores, "RR", lengths=[3, 2]),
    )
