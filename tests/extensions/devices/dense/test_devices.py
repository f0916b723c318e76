"""Vectors on a graphics card, of every library: the values are those of NumPy, to the last bit."""

import functools
from unittest import mock

import numpy as np
import pytest

from rankgauge import evaluate
from rankgauge.extensions.devices import dense
from rankgauge.extensions.devices.vectors.counting import SIMILARITIES

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no graphics card", allow_module_level=True)

MEASURES = "nDCG@10 AP RR R@100 Twist"
TIES = ["docid_desc", "docid_asc", "input", "average", "best", "worst"]
DTYPES = ["float16", "bfloat16", "float32", "float64", "int8"]


def on_cupy(array):
    return pytest.importorskip("cupy").asarray(array)


def on_jax(array):
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX finds no graphics card")
    if array.dtype == np.float64:
        pytest.skip("JAX has no double precision unless it is set up for it")
    return jax.numpy.asarray(array)


LIBRARIES = {
    "torch": lambda array: torch.as_tensor(array, device="cuda"),
    "torch without Triton": lambda array: torch.as_tensor(array, device="cuda"),
    "queries on the host": lambda array: torch.as_tensor(array, device="cuda") if len(array) > 100 else array,
    "cupy": on_cupy,
    "jax": on_jax,
}


class Corpus:
    """Queries and documents, some of which are equal, and judgments."""

    def __init__(self, dtype, rounded=False, documents=1500, dim=70):
        rng = np.random.default_rng(3)
        queries, vectors = rng.standard_normal((60, dim)), rng.standard_normal((documents, dim))
        if rounded or dtype == "int8":
            queries, vectors = np.round(queries), np.round(vectors)
        vectors[-documents // 5 :] = vectors[: documents // 5]
        self.queries, self.documents = (each.astype(to_numpy(dtype)) for each in (queries, vectors))
        self.dtype = dtype
        self.query_ids = [f"q{n}" for n in range(60)]
        self.ids = [f"d{n}" for n in rng.permutation(documents)]
        self.qrels = {
            query: {self.ids[n]: int(rng.integers(1, 4)) for n in rng.integers(0, documents, 1 + row % 4)}
            for row, query in enumerate(self.query_ids[:-5])
        }
        self.exclude = {query: [self.ids[n] for n in range(row)] for row, query in enumerate(self.query_ids)}

    def arguments(self, library):
        """The vectors of the library, and ids."""
        make = LIBRARIES[library] if library else np.asarray
        vectors = [make(each) for each in (self.queries, self.documents)]
        if self.dtype == "bfloat16":
            if library in ("cupy", "jax"):
                pytest.skip("its bfloat16 is left to torch")
            vectors = [torch.as_tensor(each).to(torch.bfloat16) for each in vectors]
        return {
            **dict(zip(("queries", "documents"), vectors, strict=True)),
            "query_ids": self.query_ids,
            "doc_ids": self.ids,
        }


def to_numpy(dtype):
    return "float32" if dtype == "bfloat16" else dtype


def without_triton(library):
    """A context in which there is no Triton, for a library of that name."""
    absent = {"rankgauge.extensions.devices.vectors.triton_arithmetic": None}
    return mock.patch.dict("sys.modules", absent if library == "torch without Triton" else {})


@functools.cache
def corpus_of(dtype, rounded=False):
    return Corpus(dtype, rounded)


@functools.cache
def on_processor(dtype, rounded, similarity, ties):
    """The values of a corpus by NumPy, or by torch on the processor."""
    corpus = corpus_of(dtype, rounded)
    options = {"similarity": similarity, "ties": ties}
    return dense.evaluate(corpus.qrels, **corpus.arguments(None), measures=MEASURES, **options)


@functools.cache
def run_on_processor(dtype, rounded, similarity, ties):
    corpus = corpus_of(dtype, rounded)
    options = {"similarity": similarity, "ties": ties, "exclude": corpus.exclude}
    return dense.retrieve(**corpus.arguments(None), depth=20, **options).to_dict()


def same(one, other):
    assert np.array_equal(one.values, other.values, equal_nan=True)
    assert one.topics == other.topics


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_values_are_those_of_the_processor(library, dtype, similarity):
    for rounded in (False, True):
        corpus = corpus_of(dtype, rounded)
        given = corpus.arguments(library)
        for ties in TIES:
            options = {"similarity": similarity, "ties": ties, "measures": MEASURES}
            for block in (None, 1000):
                with without_triton(library):
                    scores = dense.evaluate(corpus.qrels, **given, block=block, **options)
                same(scores, on_processor(dtype, rounded, similarity, ties))


@pytest.mark.parametrize("options", [{"depth": 7}, {"exclude": True}, {"score_precision": "single"}], ids=str)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_options_hold_on_every_device(library, dtype, options):
    corpus = corpus_of(dtype)
    options = options | ({"exclude": corpus.exclude} if "exclude" in options else {})
    known = dense.evaluate(corpus.qrels, **corpus.arguments(None), measures=MEASURES, **options)
    with without_triton(library):
        same(dense.evaluate(corpus.qrels, **corpus.arguments(library), measures=MEASURES, **options), known)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_runs_are_those_of_the_processor(library, dtype, similarity):
    for rounded in (False, True):
        corpus = corpus_of(dtype, rounded)
        given = corpus.arguments(library)
        for ties in ("docid_desc", "docid_asc", "input"):
            options = {"similarity": similarity, "ties": ties, "exclude": corpus.exclude}
            with without_triton(library):
                run = dense.retrieve(**given, depth=20, block=700, **options)
            assert run.to_dict() == run_on_processor(dtype, rounded, similarity, ties)


@pytest.mark.parametrize("library", ["torch", "torch without Triton"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_large_corpus_has_the_values_of_its_run(library, dtype):
    corpus = Corpus(dtype, documents=30_000, dim=768)
    given = corpus.arguments(library)
    assert given["documents"].is_cuda
    with without_triton(library):
        scores = dense.evaluate(corpus.qrels, **given, measures=MEASURES)
        run = dense.retrieve(**given, depth=500)
        cut = dense.evaluate(corpus.qrels, **given, measures=MEASURES, depth=500)
    same(scores, dense.evaluate(corpus.qrels, **corpus.arguments(None), measures=MEASURES))
    same(cut, evaluate(corpus.qrels, run, MEASURES))


def test_parts_on_several_devices_add_up():
    corpus = Corpus("float16")
    given = corpus.arguments("torch")
    documents, ids = given.pop("documents"), given.pop("doc_ids")
    halves = [
        (documents[:700], ids[:700]),
        (documents[700:].cpu().numpy(), ids[700:]),
    ]
    known = sum(dense.judged(corpus.qrels, part, MEASURES, doc_ids=names) for part, names in halves)
    counts = [
        dense.count(corpus.qrels, documents=part, doc_ids=names, judged=known, measures=MEASURES, **given)
        for part, names in halves
    ]
    whole = dense.evaluate(corpus.qrels, **corpus.arguments(None), measures=MEASURES)
    same(sum(counts).scores(), whole)
