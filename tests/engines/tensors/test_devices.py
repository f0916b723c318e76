"""Scores on a graphics card are worth what they are on the host, with the same facts about runs.

What scores on the host are worth is tested in `tests/laws/test_score_list_laws.py`.
"""

import math
import os

import numpy as np
import pytest

import rankgauge
from rankgauge import Evaluator, evaluate_scores
from rankgauge.engines.tensors.arrays import Arrays

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU", allow_module_level=True)

MEASURES = "nDCG@10 AP RR P@5 bpref Judged@10 ESL"
RULES = ["docid_desc", "docid_asc", "input"]
ROWS, WIDTH = 12, 300
LENGTHS = np.random.default_rng(1).integers(0, WIDTH + 1, ROWS)
INSIDE = np.arange(WIDTH) < LENGTHS[:, None]


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


def grades_of(shape, share=0.05):
    return np.random.default_rng(3).choice(4, size=shape, p=[1 - share, *[share / 3] * 3])


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("distinct", [None, 200, 3])
def test_labels_beside_a_matrix(put, distinct, ties):
    scores, grades = numbers(distinct, (ROWS, 256)), grades_of((ROWS, 256))
    for kind in ("int32", "float32"):
        found = evaluate_scores(put(grades, kind), put(scores), MEASURES, ties=ties)
        same(found, evaluate_scores(grades, scores, MEASURES, ties=ties))


@pytest.mark.parametrize("ties", ["average", "best", "worst"])
def test_all_orders_of_ties(put, ties):
    scores, grades = numbers(9, (ROWS, 15)), grades_of((ROWS, 15), 0.5)
    found = evaluate_scores(put(grades, "int32"), put(scores), "nDCG@10 AP RR ESL", ties=ties)
    same(found, evaluate_scores(grades, scores, "nDCG@10 AP RR ESL", ties=ties))


@pytest.mark.parametrize("measures", ["nDCG@10 AP", MEASURES])
@pytest.mark.parametrize("grades", [[-2, 0, 3], [0, 0.5, 1], [0, 0, 1000], [-1, 0, 0], [0, 0, 0]])
def test_grades_of_any_kind(put, grades, measures):
    scores = numbers(200, (ROWS, 30))
    labels = np.random.default_rng(4).choice(grades, size=scores.shape)
    found = evaluate_scores(put(labels, "float32"), put(scores), measures)
    same(found, evaluate_scores(labels.astype(np.float32), scores, measures))


@pytest.mark.parametrize("ties", RULES)
def test_lists_of_different_lengths(put, ties):
    scores, grades = numbers(100, (ROWS, WIDTH)), grades_of((ROWS, WIDTH))
    flat, of_flat = scores[INSIDE], grades[INSIDE]
    query = np.repeat(np.arange(ROWS), LENGTHS)
    order = np.random.default_rng(5).permutation(len(flat))
    starts = np.cumsum(LENGTHS)[:-1]
    rules = {"ties": ties}
    forms = [
        (scores, grades, {"lengths": LENGTHS}),
        (flat, of_flat, {"lengths": LENGTHS}),
        (scores, grades, {"mask": (INSIDE, "bool")}),
        (flat[order], of_flat[order], {"indexes": (query[order], "int32")}),
    ]
    for values, labels, options in forms:
        here = {name: o[0] if isinstance(o, tuple) else o for name, o in options.items()}
        there = {name: put(*o) if isinstance(o, tuple) else o for name, o in options.items()}
        found = evaluate_scores(put(labels, "int32"), put(values), MEASURES, **there, **rules)
        same(found, evaluate_scores(labels, values, MEASURES, **here, **rules))
    parts = [np.split(each, starts) for each in (of_flat, flat)]
    found = evaluate_scores(
        [put(part, "int32") for part in parts[0]], [put(part) for part in parts[1]], MEASURES, **rules
    )
    same(found, evaluate_scores(*parts, MEASURES, **rules))


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


@pytest.mark.parametrize("ties", RULES)
def test_fixed_candidates(put, ties):
    rng = np.random.default_rng(8)
    qrels = {f"q{n}": {f"d{d}": d % 3 for d in range(0, 100, 3)} for n in range(20)}
    candidates = {q: [f"d{d}" for d in rng.choice(100, 10 + n, replace=False)] for n, q in enumerate(qrels)}
    fixed = Evaluator(qrels, MEASURES, ties=ties).fixed(candidates)
    sizes = [*map(len, candidates.values())]
    for distinct in (9, 200):
        scores = rng.integers(0, distinct, sum(sizes))
        expected = fixed.evaluate(scores)
        for _ in range(2):
            same(fixed.evaluate(put(scores)), expected)
        parts = np.split(scores, np.cumsum(sizes)[:-1])
        same(fixed.evaluate([put(part) for part in parts]), expected)


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
