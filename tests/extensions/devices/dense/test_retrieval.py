"""Runs of the best documents, against sorting all of them."""

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.devices import dense
from rankgauge.extensions.devices.dense import retrieval
from rankgauge.extensions.devices.vectors import counting as exact
from rankgauge.extensions.devices.vectors.counting import SIMILARITIES

MEASURES = "nDCG@10 AP RR P@5 R@20 Rprec ERR@10 bpref"
KINDS = ("normal", "ties", "duplicates", "zeros")


def data(kind, queries=9, documents=400, seed=1):
    """(queries, documents, ids of documents, qrels) with ties of some kind."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(documents, 8)).astype(np.float32)
    searched = rng.normal(size=(queries, 8)).astype(np.float32)
    if kind == "ties":  # few different scores
        vectors, searched = np.round(vectors), np.round(searched)
    elif kind == "duplicates":
        vectors = vectors[rng.integers(0, 20, documents)]
    elif kind == "zeros":
        vectors[:] = 0
    ids = [f"d{number}" for number in rng.permutation(documents)]
    qrels = {
        f"q{query}": {ids[row]: int(rng.integers(0, 4)) for row in rng.choice(documents, 25, replace=False)}
        for query in range(queries)
    }
    return searched, vectors, ids, qrels


def scores_of(searched, vectors, similarity):
    """Scores in double precision, by the definition."""
    q, d = (np.asarray(each, dtype=np.float64) for each in (searched, vectors))
    if similarity == "euclidean":
        return -np.array([((each - d) ** 2).sum(axis=1) for each in q])
    if similarity == "cosine":
        q, d = (each / np.maximum(np.linalg.norm(each, axis=1), 1e-300)[:, None] for each in (q, d))
    return q @ d.T


def names(queries):
    return [f"q{query}" for query in range(len(queries))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input"])
def test_the_best_documents_are_those_of_a_sort(kind, ties):
    searched, vectors, ids, _ = data(kind)
    # Whole numbers below 2^24 have exact products, so that sorting them sees the same ties.
    searched, vectors = (np.round(each * 8) for each in (searched, vectors))
    scores = scores_of(searched, vectors, "dot")
    for depth in (1, 7, 399, 400, 1000):
        run = dense.retrieve(searched, vectors, depth, query_ids=names(searched), doc_ids=ids, ties=ties)
        found = run.to_dict()
        for query, of_query in zip(names(searched), scores, strict=True):
            order = (
                np.argsort(ids)[:: 1 if ties == "docid_asc" else -1] if ties != "input" else np.arange(400)
            )
            order = order[np.argsort(-of_query[order], kind="stable")][:depth]
            assert list(found[query].items()) == [(ids[row], of_query[row]) for row in order]


@pytest.mark.parametrize("similarity", ["dot", "cosine", "euclidean"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_written_run_has_the_values_of_counting(kind, similarity, tmp_path):
    searched, vectors, ids, qrels = data(kind)
    options = {"query_ids": names(searched), "doc_ids": ids, "similarity": similarity}
    for depth, rules in (
        (10, {}),
        (33, {"ties": "docid_asc"}),
        (400, {"ties": "average"}),
        (50, {"score_precision": "single"}),
        (25, {"ties": "worst"}),
    ):
        run = dense.retrieve(searched, vectors, depth, **options, **rules)
        run.write(tmp_path / "out.run.gz")
        of_file = rankgauge.evaluate(qrels, tmp_path / "out.run.gz", MEASURES, **rules)
        counted = dense.evaluate(qrels, searched, vectors, MEASURES, depth=depth, **options, **rules)
        assert [*of_file.to_dict().values()] == [*counted.to_dict().values()]


@pytest.mark.parametrize("similarity", ["dot", "cosine", "euclidean"])
@pytest.mark.parametrize("length", [1e-12, 1e-5, 1.0, 1e5, 1e12])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_documents_much_shorter_or_longer_than_queries(similarity, length, dtype):
    searched, vectors, ids, qrels = data("duplicates")
    searched, vectors = searched.astype(dtype), (vectors * length).astype(dtype)
    vectors[::7] = 0
    # The definition of scores, for every pair
    q, d = (each.astype(np.float64) for each in (searched, vectors))
    of_queries, of_documents = exact.dots(q, q), exact.dots(d, d)
    run = {}
    for query, name in enumerate(names(searched)):
        scores = exact.dots(np.broadcast_to(q[query], d.shape), d)
        score = SIMILARITIES[similarity].score
        scores = scores if score is None else score(scores, np.full(len(d), of_queries[query]), of_documents)
        run[name] = dict(zip(ids, scores.tolist(), strict=True))
    options = {"query_ids": names(searched), "doc_ids": ids, "similarity": similarity}
    assert dense.retrieve(searched, vectors, 400, **options).to_dict() == run
    of_run = rankgauge.evaluate(qrels, run, MEASURES).to_dict()
    assert dense.evaluate(qrels, searched, vectors, MEASURES, **options).to_dict() == of_run


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_and_steps_are_invisible(kind, monkeypatch):
    searched, vectors, ids, _ = data(kind)
    options = {"query_ids": names(searched), "doc_ids": ids}
    expected = dense.retrieve(searched, vectors, 20, **options).to_dict()
    for block, first, many in ((1, 1, 1), (7, 3, 2), (400, 256, 1 << 12), (150, 1, 1)):
        monkeypatch.setattr(retrieval, "FIRST", first)
        monkeypatch.setattr(retrieval, "MANY_TIES", many)
        found = dense.retrieve(searched, vectors, 20, block=block, **options).to_dict()
        assert found == expected
        assert [[*found[query]] for query in found] == [[*expected[query]] for query in expected]


def test_streams_have_the_same_run():
    searched, vectors, ids, _ = data("ties")
    blocks = [(ids[at : at + 30], vectors[at : at + 30]) for at in range(0, 400, 30)]
    expected = dense.retrieve(searched, vectors, 20, doc_ids=ids).to_dict()
    assert dense.retrieve(searched, lambda: iter(blocks), 20).to_dict() == expected


def test_excluded_documents_are_left_out():
    searched, vectors, ids, _ = data("ties")
    options = {"query_ids": names(searched), "doc_ids": ids}
    whole = dense.retrieve(searched, vectors, 400, **options).to_dict()
    exclude = {"q1": [*whole["q1"]][:5], "q3": {next(iter(whole["q3"])), "no such"}, "q99": ["d1"]}
    for block in (None, 30):
        found = dense.retrieve(searched, vectors, 10, exclude=exclude, block=block, **options).to_dict()
        for query, documents in whole.items():
            left = [item for item in documents.items() if item[0] not in exclude.get(query, ())]
            assert list(found[query].items()) == left[:10]


def test_torch_has_the_same_run(torch):
    pytest.importorskip("rankgauge.extensions.devices.vectors.torch_arithmetic")
    searched, vectors, ids, _ = data("ties")
    expected = dense.retrieve(searched, vectors, 20, doc_ids=ids).to_dict()
    for kind in (torch.float32, torch.float64):
        tensors = (torch.from_numpy(each).to(kind) for each in (searched, vectors))
        assert dense.retrieve(*tensors, 20, doc_ids=ids).to_dict() == expected
    assert dense.retrieve(searched, vectors, 20, doc_ids=ids, device="cpu").to_dict() == expected


@pytest.mark.usefixtures("torch")
def test_torch_takes_files(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    searched, vectors, ids, qrels = data("ties")
    np.save(tmp_path / "d.npy", vectors)
    column = pa.array(list(vectors), pa.list_(pa.float32(), 8))
    parquet.write_table(pa.table({"doc_id": ids, "vector": column}), tmp_path / "d.parquet")
    options = {"query_ids": names(searched), "device": "cpu"}
    expected = dense.evaluate(qrels, searched, vectors, MEASURES, query_ids=names(searched), doc_ids=ids)
    for given in (tmp_path / "d.npy", tmp_path / "d.parquet"):
        scores = dense.evaluate(qrels, searched, given, MEASURES, doc_ids=ids, block=70, **options)
        assert scores.to_dict() == expected.to_dict()


def test_what_cannot_be_retrieved():
    searched, vectors, ids, _ = data("normal")
    with pytest.raises(OptionError, match="depth must be a whole number from 1, not 0"):
        dense.retrieve(searched, vectors, 0)
    with pytest.raises(OptionError, match="rank"):
        dense.retrieve(searched, vectors, ties="rank")
    with pytest.raises(InputError, match="queries 7, documents 8"):
        dense.retrieve(searched[:, :7], vectors)
    for wrong in (np.nan, np.inf, -np.inf, 1e30):
        for which, array in (("query", searched), ("document", vectors)):
            spoilt = array.copy()
            spoilt[3, 2] = wrong
            given = (spoilt, vectors) if which == "query" else (searched, spoilt)
            name = "q3" if which == "query" else ids[3]
            with pytest.raises(InputError, match=f'the vector of {which} "{name}" has numbers that are not'):
                dense.retrieve(*given, query_ids=names(searched), doc_ids=ids)
            qrels = {name: dict.fromkeys(ids[10:20], 1) for name in names(searched)}
            with pytest.raises(InputError, match=f'the vector of {which} "{name}" has numbers that are not'):
                dense.evaluate(qrels, *given, query_ids=names(searched), doc_ids=ids)


def test_rounding_does_not_rank_parallel_vectors_in_single_precision():
    vectors = np.outer(np.arange(1, 17), [1.0, 1.0])
    names = [f"{number:02}" for number in range(16)]
    options = {"query_ids": ["q"], "doc_ids": names, "similarity": "cosine", "score_precision": "single"}
    values = [
        dense.evaluate({"q": {"00": 1}}, np.array([[1.0, 2.0]]), vectors, "RR", ties=ties, **options)
        for ties in ("docid_asc", "docid_desc")
    ]
    assert [float(each) for each in values] == [1.0, 1 / 16]
