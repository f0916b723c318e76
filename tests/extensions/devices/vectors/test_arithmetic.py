"""Counting by NumPy, torch and Triton: the counts are those of exact scores, whatever computes them."""

import numpy as np
import pytest

from rankgauge.extensions.devices.vectors import NumPyArithmetic
from rankgauge.extensions.devices.vectors import counting as exact
from rankgauge.extensions.devices.vectors.counting import SIMILARITIES, Counter, exact_scores, similarity_of

DTYPES = ["float16", "float32", "float64", "int8", "bfloat16"]


def with_numpy(queries, documents):
    return NumPyArithmetic(queries, documents.dtype), documents


def with_torch(device, kind="TorchArithmetic"):
    def make(queries, documents):
        torch = pytest.importorskip("torch")
        if device == "cuda" and not torch.cuda.is_available():
            pytest.skip("no graphics card")
        from rankgauge.extensions.devices.vectors import torch_arithmetic

        module = torch_arithmetic
        if kind == "TritonArithmetic":
            if str(documents.dtype) not in ("float16", "torch.bfloat16"):
                pytest.skip("the kernel is for 16-bit numbers")
            pytest.importorskip("triton")
            from rankgauge.extensions.devices.vectors import triton_arithmetic as module
        tensors = [torch.as_tensor(each) for each in (queries, documents)]
        dtype = str(tensors[1].dtype).removeprefix("torch.")
        made = getattr(module, kind)(tensors[0], np.arange(len(queries)), dtype, device)
        return made, made.block(tensors[1])

    return make


LIBRARIES = {
    "numpy": with_numpy,
    "torch": with_torch("cpu"),
    "cuda": with_torch("cuda"),
    "triton": with_torch("cuda", "TritonArithmetic"),
}


def corpus(rng, queries, documents, dim, dtype):
    """Vectors, some documents being copies of others and one having length 0."""
    if dtype == "int8":
        vectors = [rng.integers(-3, 4, (count, dim)).astype(dtype) for count in (queries, documents)]
    else:
        vectors = [rng.standard_normal((count, dim)).astype("float32") for count in (queries, documents)]
        if rng.random() < 0.3:  # many ties
            vectors = [np.round(each) for each in vectors]
    copies = documents // 4
    vectors[1][documents - copies :] = vectors[1][:copies]
    vectors[1][documents // 2] = 0
    if dtype == "bfloat16":
        torch = pytest.importorskip("torch")
        return [torch.as_tensor(each).to(torch.bfloat16) for each in vectors]
    return [each.astype(dtype) for each in vectors]


def expected(queries, documents, query, document, similarity, single):
    """(better, equal) of pairs, from all scores in double precision, one after the other."""
    queries, documents = (np.asarray(each, dtype=np.float64) for each in (queries, documents))
    counts = []
    for q, d in zip(query.tolist(), document.tolist(), strict=True):
        same = np.repeat(queries[q : q + 1], len(documents), axis=0)
        scores = exact.dots(same.copy(), documents.copy())
        if similarity == "cosine":
            lengths = np.sqrt((queries[q] ** 2).sum()) * np.sqrt((documents**2).sum(axis=1))
            of_exact = np.sqrt(exact.dots(same, same.copy())) * np.sqrt(
                exact.dots(documents, documents.copy())
            )
            assert np.allclose(lengths, of_exact)
            scores = np.where(of_exact == 0, 0.0, scores / np.where(of_exact == 0, 1.0, of_exact))
        elif similarity == "euclidean":
            squares = exact.dots(same, same.copy()) + exact.dots(documents, documents.copy())
            assert np.allclose(2 * scores - squares, -((same - documents) ** 2).sum(axis=1))
            scores = 2 * scores - squares
        if single:
            scores = scores.astype(np.float32)
        counts.append(((scores > scores[d]).sum(), (scores == scores[d]).sum()))
    return np.array(counts).reshape(-1, 2).T


@pytest.mark.parametrize("single", [False, True], ids=["double", "single"])
@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_counts_are_those_of_exact_scores(library, dtype, similarity, single):
    if library == "numpy" and dtype == "bfloat16":
        pytest.skip("NumPy has no bfloat16")
    for seed, dim in enumerate((1, 3, 48, 64, 65, 200)):
        rng = np.random.default_rng(seed)
        n_queries, n_documents = rng.integers(1, 20), rng.integers(4, 700)
        queries, documents = corpus(rng, n_queries, n_documents, dim, dtype)
        query = np.sort(rng.integers(0, n_queries, 30))
        document = rng.integers(0, n_documents, 30)
        wanted = expected(*to_host(queries, documents), query, document, similarity, single)
        arithmetic, vectors = LIBRARIES[library](queries, documents)
        kind = similarity_of(similarity)
        scores = exact_scores(arithmetic, kind, query, vectors, document, single=single)
        counter = Counter(arithmetic, kind, query, scores, single=single)
        ties = 0
        for block in np.array_split(np.arange(n_documents), rng.integers(1, 5)):
            ties += len(counter.add(vectors[block[0] : block[-1] + 1]).pair)
        assert (counter.better == wanted[0]).all()
        assert (counter.equal == wanted[1]).all()
        assert ties == wanted[1].sum()
        assert counter.documents == n_documents


def to_host(*matrices):
    return [np.asarray(each if isinstance(each, np.ndarray) else each.float()) for each in matrices]


@pytest.mark.parametrize("library", [name for name in LIBRARIES if name != "numpy"])
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_every_library_has_the_scores_of_numpy(library, similarity):
    rng = np.random.default_rng(5)
    queries, documents = corpus(rng, 40, 300, 130, "float16")
    query, document = rng.integers(0, 40, 500), rng.integers(0, 300, 500)
    kind = similarity_of(similarity)
    known = exact_scores(*(a := with_numpy(queries, documents))[:1], kind, query, a[1], document)
    arithmetic, vectors = LIBRARIES[library](queries, documents)
    assert (exact_scores(arithmetic, kind, query, vectors, document) == known).all()


@pytest.mark.parametrize("near", [1 << 12, 1 << 17, 1 << 24])
def test_more_near_documents_than_fit_on_lists_are_counted_in_parts(monkeypatch, near):
    rng = np.random.default_rng(7)
    queries, documents = (rng.integers(-1, 2, (count, 8)).astype("float16") for count in (200, 3000))
    query, document = np.sort(rng.integers(0, 200, 300)), rng.integers(0, 3000, 300)
    LIBRARIES["triton"](queries, documents)  # skips where there is none
    monkeypatch.setattr("rankgauge.extensions.devices.vectors.triton_arithmetic.NEAR", near)
    made = LIBRARIES["triton"](queries, documents)
    counts = []
    for arithmetic, vectors in (made, with_numpy(queries, documents)):
        kind = similarity_of("dot")
        scores = exact_scores(arithmetic, kind, query, vectors, document)
        counter = Counter(arithmetic, kind, query, scores)
        ties = counter.add(vectors)
        counts.append(
            (counter.better.tolist(), sorted(zip(ties.pair.tolist(), ties.row.tolist(), strict=True)))
        )
    assert counts[0] == counts[1]
