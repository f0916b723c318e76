"""Counts of parts of a corpus: they add up, travel, and are not mixed up."""

import io
import json
import pickle
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.devices.dense.shards import Corpus, assert_same
from rankgauge import Evaluator
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.devices import dense
from rankgauge.measures import MEASURES, parse

TIES = ["docid_desc", "docid_asc", "average", "best", "worst"]


@st.composite
def divided(draw):
    """A corpus and a division of its rows, which may leave parts of one document."""
    documents = draw(st.integers(1, 12))
    corpus = Corpus(draw(st.integers(0, 999)), documents, judged=draw(st.integers(1, 8)))
    rows = draw(st.permutations(range(documents)))
    cuts = sorted(draw(st.sets(st.integers(1, max(1, documents - 1)), max_size=documents)))
    parts = [list(rows[begin:end]) for begin, end in zip([0, *cuts], [*cuts, documents], strict=True)]
    return corpus, [part for part in parts if part]


@given(divided(), st.sampled_from(TIES), st.sampled_from(["dot", "cosine", "euclidean"]), st.data())
def test_the_sum_of_parts_is_the_whole(case, ties, similarity, data):
    corpus, parts = case
    options = {"ties": ties, "similarity": similarity}
    options["depth"] = data.draw(st.sampled_from([None, 1, 3, 100]))
    options["score_precision"] = data.draw(st.sampled_from(["double", "single"]))
    if data.draw(st.booleans()):
        excluded = data.draw(st.lists(st.sampled_from(corpus.ids), max_size=5))
        options["exclude"] = dict.fromkeys(corpus.query_ids[:3], excluded)
    counts = corpus.counts(parts, block=data.draw(st.sampled_from([None, 1, 2])), **options)
    counts = data.draw(st.permutations(counts))
    assert_same(sum(counts).scores(), corpus.whole(**options))


@pytest.mark.parametrize("ties", TIES)
def test_every_measure_that_counts_allow(ties):
    corpus, allowed = Corpus(3), []
    for spec in MEASURES.values():
        measure = parse(spec.example)
        if not spec.needs.subtopics and not measure.spec.needs.scores:
            with suppress(OptionError, MeasureError):  # not every measure has a best order, or all of them
                Evaluator(corpus.qrels, [measure], ties=ties)
                allowed.append(measure)
    assert len(allowed) > len(MEASURES) / 2
    parts = np.array_split(np.random.default_rng(1).permutation(40), 7)
    counts = corpus.counts(parts, measures=allowed, ties=ties)
    assert_same(sum(counts).scores(), corpus.whole(allowed, ties=ties))


def test_parts_have_no_common_order():
    with pytest.raises(OptionError, match="parts of a corpus have no common order; use ties=docid_desc"):
        Corpus(3).counts([range(40)], ties="input")


def test_counts_add_in_any_grouping():
    corpus = Corpus(4)
    a, b, c, d = corpus.counts(np.array_split(np.arange(40), 4))
    assert_same(((a + b) + (c + d)).scores(), corpus.whole())
    assert_same((d + (c + (b + a))).scores(), corpus.whole())


@pytest.fixture
def counts():
    return Corpus(5).counts(np.array_split(np.arange(40), 3))


def test_counts_can_be_pickled(counts):
    again = [pickle.loads(pickle.dumps(part)) for part in counts]
    assert_same(sum(again).scores(), Corpus(5).whole())


@pytest.mark.parametrize("options", [{}, {"ties": "average", "undefined": "skip", "depth": 5}])
def test_counts_are_the_same_when_loaded(options, tmp_path):
    corpus = Corpus(5)
    counts = corpus.counts(np.array_split(np.arange(40), 3), **options)
    for number, part in enumerate(counts):
        part.save(tmp_path / f"{number}.npz")
    loaded = [dense.Counts.load(tmp_path / f"{number}.npz", corpus.qrels) for number in range(3)]
    assert_same(sum(loaded).scores(), corpus.whole(**options))
    assert_same((loaded[0] + counts[1] + loaded[2]).scores(), corpus.whole(**options))


def test_counts_serve_other_measures(counts, tmp_path):
    sum(counts).save(tmp_path / "all.npz")
    loaded = dense.Counts.load(tmp_path / "all.npz", Corpus(5).qrels, "P@1 ERR@5", missing="skip")
    assert_same(loaded.scores(), Corpus(5).whole("P@1 ERR@5", missing="skip"))


TOPIC, JUDGED = next(iter(Corpus(5).qrels.items()))
DOCUMENT = next(iter(JUDGED))


@pytest.mark.parametrize(
    ("judgments", "options", "message"),
    [
        ({}, {"measures": "Bpref"}, "these counts were made for RR, and .*lower grades"),
        ({}, {"ties": "average"}, "made with ties=docid_desc, not average; leave ties out"),
        ({TOPIC: {**JUDGED, DOCUMENT: 7}}, {}, "these counts were made with other judgments"),
        ({TOPIC: {**JUDGED, "more": 1}}, {}, "these counts were made with other judgments"),
        ({"q99": {DOCUMENT: 1}}, {}, "these counts were made with other judgments"),
    ],
)
def test_counts_are_loaded_with_what_they_were_made_with(judgments, options, message, tmp_path):
    corpus = Corpus(5)
    corpus.counts([range(40)], measures="RR")[0].save(tmp_path / "part.npz")
    with pytest.raises((InputError, OptionError), match=rf"part\.npz: .*{message}"):
        dense.Counts.load(tmp_path / "part.npz", {**corpus.qrels, **judgments}, **options)


def test_judged_vectors_are_the_same_when_loaded(tmp_path):
    corpus = Corpus(5)
    parts = np.array_split(np.arange(40), 3)
    for number, (vectors, ids) in enumerate(map(corpus.part, parts)):
        dense.judged(corpus.qrels, vectors, doc_ids=ids).save(tmp_path / f"{number}.npz")
    judged = sum(dense.JudgedVectors.load(tmp_path / f"{number}.npz") for number in range(3))
    assert_same(sum(corpus.count(rows, judged) for rows in parts).scores(), corpus.whole())


def test_vectors_of_bfloat16_and_ids_of_any_bytes(tmp_path, torch):
    ids = ("é", "日本", "\udcff", "a b")
    vectors = torch.arange(8, dtype=torch.bfloat16).reshape(4, 2)
    dense.judged({"q": dict.fromkeys(ids, 1)}, vectors, doc_ids=ids).save(tmp_path / "j.npz")
    loaded = dense.JudgedVectors.load(tmp_path / "j.npz")
    assert loaded.vectors.dtype == torch.bfloat16
    assert loaded.vectors.tolist() == vectors.tolist()
    assert (loaded.ids, loaded.corpus) == (ids, 4)


def content(change):
    """A change of the bytes of a file."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


def arrays(**changed):
    """A change of the arrays in a file."""
    return lambda path: np.savez(path, **dict(np.load(path)) | changed)


def record(**changed):
    """A change of the record in a file; None leaves out."""

    def change(path):
        about = json.loads(bytes(np.load(path)["about"])) | changed
        text = json.dumps({name: value for name, value in about.items() if value is not None})
        arrays(about=np.frombuffer(text.encode(), dtype=np.uint8))(path)

    return change


NPY = io.BytesIO()
np.save(NPY, np.eye(2))


def judged_vectors(path):
    dense.JudgedVectors(("a",), np.eye(1)).save(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *((content(lambda _, data=data: data), "this is no file of saved counts .*save it again")
          for data in (b"", b"no archive", b"PK\x03\x04broken", b"\x93NUMPY")),
        (content(lambda data: data[: len(data) // 2]), "this is no file of saved counts"),
        (content(lambda data: data[:900] + b"\xff" * 40 + data[940:]), "this is no file of saved counts"),
        (content(lambda _: NPY.getvalue()), "another file of NumPy's"),
        (lambda path: np.savez(path, a=np.eye(2)), "another file of NumPy's"),
        (judged_vectors, "holds judged vectors, not counts"),
        (lambda path: path.unlink(), "cannot be read: No such file"),
        (arrays(better=np.array([print], dtype=object)), "Object arrays cannot be loaded"),
        (record(format=99, rankgauge="9.0"), r"saved by rankgauge 9\.0, .*use one version on all machines"),
        (record(format="x"), "its record is damaged"),
        *((record(**{name: None}), "its parts do not fit together")
          for name in ("identity", "rules", "source", "documents", "measures")),
        (arrays(judgment=np.arange(43) + 9), "its parts do not fit together"),
        (arrays(judgment=np.arange(43) - 1), "its parts do not fit together"),
        (arrays(better=np.zeros(42, dtype=np.int64)), "its parts do not fit together"),
        (arrays(equal=np.zeros(43)), "its parts do not fit together"),
        (arrays(score=np.zeros((43, 1))), "its parts do not fit together"),
        (arrays(excluded=np.zeros(43, dtype=np.int64)), "its parts do not fit together"),
        (arrays(searched=np.array(1)), "its parts do not fit together"),
    ],
)  # fmt: skip
def test_files_that_are_no_counts_are_refused(change, message, counts, tmp_path):
    path = tmp_path / "part.npz"
    counts[0].save(path)
    change(path)
    with pytest.raises(InputError, match=rf"part\.npz: .*{message}") as caught:
        dense.Counts.load(path, Corpus(5).qrels)
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("judged", "given", "message"),
    [
        (9, lambda parts: parts[:1], "each for a query, were not counted: a part of the corpus is missing"),
        (9, lambda parts: [*parts, parts[0]], "were counted more than once: parts of the corpus have"),
        (2, lambda parts: parts[:1], "30 documents of 40 were counted: a part of the corpus is missing"),
        (2, lambda parts: [*parts, parts[1]], "50 documents of 40 were counted: .* more than once"),
    ],
)
def test_a_part_is_missing_or_there_twice(judged, given, message):
    corpus = Corpus(6, judged=judged)
    known = {doc for of_query in corpus.qrels.values() for doc in of_query}
    rows = sorted(range(40), key=lambda row: corpus.ids[row] in known and judged == 2, reverse=True)
    parts = corpus.counts([rows[:30], rows[30:]])  # the second has none that is judged, if few are
    with pytest.raises(InputError, match=message):
        sum(given(parts)).scores()


@pytest.mark.parametrize(
    ("options", "differing"),
    [
        ({"measures": "RR"}, "measures and judged vectors"),
        ({"measures": "Bpref"}, "measures"),
        ({"depth": 10}, "depths"),
        ({"similarity": "cosine"}, "judged vectors and similarities"),
        ({"ties": "docid_asc"}, "rules"),
        ({"score_precision": "single"}, "rules"),
        ({"exclude": {"q0": ["d1"]}}, "exclusions"),
        ({"queries": Corpus(5).queries + 1}, "judged vectors"),
        ({"query_ids": ["other", *Corpus(5).query_ids[1:-1], "last"]}, "queries and judged vectors"),
        ({"qrels": {**Corpus(5).qrels, TOPIC: dict.fromkeys(JUDGED, 1)}}, "judgments"),
    ],
)
def test_counts_made_with_other_arguments_do_not_add_up(options, differing):
    corpus = Corpus(5)
    judged = corpus.judged(np.array_split(np.arange(40), 3))
    other = corpus.count(range(20, 30), judged, **{"measures": "nDCG@3 AP RR Bpref"} | options)
    mine = corpus.count(range(10), judged, "nDCG@3 AP RR Bpref")
    with pytest.raises(InputError, match=f"they differ in their {differing}"):
        mine + other


@pytest.mark.parametrize(
    ("qrels", "vectors", "message"),
    [
        ({TOPIC: JUDGED}, 0, "is judged, and the judged vectors lack it; they must be the sum"),
        (Corpus(5).qrels, 1, "is not the one among the judged vectors; collect those anew"),
    ],
)
def test_judged_vectors_of_other_judgments_or_of_another_model(qrels, vectors, message):
    corpus = Corpus(5)
    judged = dense.judged(qrels, corpus.documents + vectors, doc_ids=corpus.ids)
    with pytest.raises(InputError, match=message):
        corpus.count(range(40), judged)


def test_documents_without_ids():
    judged = dense.judged({"0": {"1": 1}}, np.eye(3))
    for documents in (np.eye(3), lambda: iter([np.eye(3)])):
        with pytest.raises(OptionError, match=r"a part of a corpus need ids, .*pass doc_ids"):
            dense.count({"0": {"1": 1}}, np.eye(3), documents, judged=judged)


def test_what_does_not_add_up(counts):
    judged = Corpus(5).judged([range(40)])
    with pytest.raises(InputError, match="is in both parts; a document has one vector"):
        judged + judged
    for one, other in ((counts[0], 1), (1, counts[0])):
        with pytest.raises(TypeError):
            one + other
    assert repr(counts[0]) == "Counts of 14 of 40 documents, for the ranks of 43 judged documents"


def test_documents_are_counted_where_they_are(torch):
    corpus = Corpus(5)
    # NumPy has no bfloat16: what the judged vectors are does not decide about the documents.
    judged = dense.judged(corpus.qrels, corpus.documents, doc_ids=corpus.ids)
    corpus.documents = torch.from_numpy(corpus.documents).bfloat16()
    counts = [corpus.count(rows, judged) for rows in ([*range(9)], [*range(9, 40)])]
    assert sum(counts).scores().mean() == corpus.whole().mean()


@pytest.mark.parametrize("first", ["array", "tensor"])
def test_parts_of_several_libraries_add_up(first, torch):
    corpus = Corpus()
    make = {"array": np.asarray, "tensor": torch.as_tensor}
    kinds = [make[first], *(kind for name, kind in make.items() if name != first)]
    parts = [
        (kind(corpus.documents[rows]), [corpus.ids[row] for row in rows])
        for kind, rows in zip(kinds, (range(17), range(17, 40)), strict=True)
    ]
    judged = sum(dense.judged(corpus.qrels, vectors, doc_ids=ids) for vectors, ids in parts)
    arguments = {"qrels": corpus.qrels, "queries": corpus.queries, "query_ids": corpus.query_ids}
    counts = [
        dense.count(documents=vectors, doc_ids=ids, judged=judged, measures="AP", **arguments)
        for vectors, ids in parts
    ]
    assert_same(sum(counts).scores(), corpus.whole("AP"))
