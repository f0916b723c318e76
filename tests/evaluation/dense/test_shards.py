"""Counts of parts of a corpus: they add up, travel, and are not mixed up."""

import json
import multiprocessing
import pickle
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.dense.shards import Corpus, assert_same
from rankgauge import Evaluator
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.evaluation import dense
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
        if not spec.needs_subtopics and not measure.spec.needs.scores:
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


def _count_in_process(rows):
    corpus = Corpus(5)
    return corpus.count(rows, corpus.judged(np.array_split(np.arange(40), 3)))


def test_processes_count_parts():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        parts = pool.map(_count_in_process, np.array_split(np.arange(40), 3))
    assert_same(sum(parts).scores(), Corpus(5).whole())


class TestSaved:
    def test_counts_are_the_same_when_loaded(self, counts, tmp_path):
        corpus = Corpus(5)
        for number, part in enumerate(counts):
            part.save(tmp_path / f"{number}.npz")
        loaded = [dense.Counts.load(path, corpus.qrels) for path in sorted(tmp_path.glob("*.npz"))]
        assert_same(sum(loaded).scores(), corpus.whole())
        assert_same((loaded[0] + counts[1] + loaded[2]).scores(), corpus.whole())

    def test_rules_are_kept(self, tmp_path):
        corpus = Corpus(5)
        options = {"ties": "average", "undefined": "skip", "depth": 5}
        for number, part in enumerate(corpus.counts(np.array_split(np.arange(40), 2), **options)):
            part.save(tmp_path / f"{number}.npz")
        parts = [dense.Counts.load(tmp_path / f"{number}.npz", corpus.qrels) for number in range(2)]
        assert_same(sum(parts).scores(), corpus.whole(**options))

    def test_counts_serve_other_measures(self, counts, tmp_path):
        sum(counts).save(tmp_path / "all.npz")
        loaded = dense.Counts.load(tmp_path / "all.npz", Corpus(5).qrels, "P@1 ERR@5", missing="skip")
        assert_same(loaded.scores(), Corpus(5).whole("P@1 ERR@5", missing="skip"))

    def test_measures_that_need_more_are_refused(self, tmp_path):
        corpus = Corpus(5)
        corpus.counts([range(40)], measures="RR")[0].save(tmp_path / "rr.npz")
        with pytest.raises(OptionError, match=r"rr\.npz: these counts were made for RR, and .*lower grades"):
            dense.Counts.load(tmp_path / "rr.npz", corpus.qrels, "Bpref")

    def test_other_judgments_are_refused(self, counts, tmp_path):
        counts[0].save(tmp_path / "part.npz")
        qrels = Corpus(5).qrels
        topic, judged = next(iter(qrels.items()))
        document = next(iter(judged))
        for other in (
            {**qrels, topic: {**judged, document: 7}},
            {**qrels, topic: {**judged, "more": 1}},
            {**qrels, "q99": {document: 1}},
        ):
            with pytest.raises(InputError, match=r"part\.npz: these counts were made with other judgments"):
                dense.Counts.load(tmp_path / "part.npz", other)

    def test_another_rule_for_ties_is_refused(self, counts, tmp_path):
        counts[0].save(tmp_path / "part.npz")
        with pytest.raises(OptionError, match="made with ties=docid_desc, not average; leave ties out"):
            dense.Counts.load(tmp_path / "part.npz", Corpus(5).qrels, ties="average")

    def test_judged_vectors(self, tmp_path):
        corpus = Corpus(5)
        parts = np.array_split(np.arange(40), 3)
        for number, (vectors, ids) in enumerate(map(corpus.part, parts)):
            dense.judged(corpus.qrels, vectors, doc_ids=ids).save(tmp_path / f"{number}.npz")
        judged = sum(dense.JudgedVectors.load(tmp_path / f"{number}.npz") for number in range(3))
        assert_same(sum(corpus.count(rows, judged) for rows in parts).scores(), corpus.whole())

    def test_vectors_of_bfloat16(self, tmp_path, torch):
        vectors = torch.arange(6, dtype=torch.bfloat16).reshape(3, 2)
        dense.judged({"q": {"b": 1}}, vectors, doc_ids=["a", "b", "c"]).save(tmp_path / "j.npz")
        loaded = dense.JudgedVectors.load(tmp_path / "j.npz")
        assert loaded.vectors.dtype == torch.bfloat16
        assert loaded.vectors.tolist() == [[2.0, 3.0]]
        assert loaded.ids == ("b",)
        assert loaded.corpus == 3

    def test_ids_of_any_bytes(self, tmp_path):
        ids = ["é", "日本", "\udcff", "a b"]
        judged = dense.JudgedVectors(tuple(ids), np.eye(4))
        judged.save(tmp_path / "j.npz")
        assert dense.JudgedVectors.load(tmp_path / "j.npz").ids == judged.ids

    @pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04broken", b"\x93NUMPY"])
    def test_other_files_are_refused(self, content, tmp_path):
        (tmp_path / "x.npz").write_bytes(content)
        with pytest.raises(InputError, match=r"x\.npz: this is no file of saved counts .*save it again"):
            dense.Counts.load(tmp_path / "x.npz", {"q": {"d": 1}})

    def test_arrays_and_other_kinds_are_refused(self, counts, tmp_path):
        np.save(tmp_path / "a.npy", np.eye(2))
        np.savez(tmp_path / "b.npz", a=np.eye(2))
        dense.JudgedVectors(("a",), np.eye(1)).save(tmp_path / "j.npz")
        for name in ("a.npy", "b.npz"):
            with pytest.raises(InputError, match="another file of NumPy's"):
                dense.Counts.load(tmp_path / name, {"q": {"d": 1}})
        with pytest.raises(InputError, match="holds judged vectors, not counts"):
            dense.Counts.load(tmp_path / "j.npz", {"q": {"d": 1}})
        with pytest.raises(InputError, match=r"nowhere\.npz: cannot be read: No such file"):
            dense.Counts.load(tmp_path / "nowhere.npz", {"q": {"d": 1}})

    def test_nothing_is_unpickled(self, counts, tmp_path):
        path = tmp_path / "part.npz"
        counts[0].save(path)
        np.savez(path, **dict(np.load(path)) | {"better": np.array([print], dtype=object)}, allow_pickle=True)
        with pytest.raises(InputError, match=r"no file of saved counts \(Object arrays cannot be loaded"):
            dense.Counts.load(path, Corpus(5).qrels)

    def test_damaged_files_are_refused(self, counts, tmp_path):
        path = tmp_path / "part.npz"
        counts[0].save(path)
        whole = path.read_bytes()
        middle = len(whole) // 2
        for damaged in (whole[:middle], whole[:middle] + b"\xff" * 40 + whole[middle + 40 :]):
            path.write_bytes(damaged)
            with pytest.raises(InputError, match=r"part\.npz: this is no file of saved counts"):
                dense.Counts.load(path, Corpus(5).qrels)

    def test_files_of_later_versions_are_refused(self, counts, tmp_path):
        _rewrite(counts[0], tmp_path / "part.npz", lambda record: record | {"format": 99, "rankgauge": "9.0"})
        with pytest.raises(InputError, match=r"saved by rankgauge 9\.0, .*use one version on all machines"):
            dense.Counts.load(tmp_path / "part.npz", Corpus(5).qrels)

    def test_records_that_lack_something_are_refused(self, counts, tmp_path):
        for name in ("identity", "rules", "source", "documents", "measures"):
            path = tmp_path / f"{name}.npz"
            _rewrite(
                counts[0], path, lambda record, name=name: {n: v for n, v in record.items() if n != name}
            )
            with pytest.raises(InputError, match="its parts do not fit together"):
                dense.Counts.load(path, Corpus(5).qrels)

    @pytest.mark.parametrize(
        ("name", "array"),
        [
            ("judgment", np.arange(43) + 9),
            ("judgment", np.arange(43) - 1),
            ("better", np.zeros(42, dtype=np.int64)),
            ("equal", np.zeros(43)),
            ("score", np.zeros((43, 1))),
            ("excluded", np.zeros(43, dtype=np.int64)),
            ("searched", np.array(1)),
        ],
    )
    def test_arrays_that_do_not_fit_are_refused(self, name, array, counts, tmp_path):
        path = tmp_path / "part.npz"
        counts[0].save(path)
        np.savez(path, **dict(np.load(path)) | {name: array})
        with pytest.raises(InputError, match=r"part\.npz: .*its parts do not fit together"):
            dense.Counts.load(path, Corpus(5).qrels)


def _rewrite(counts, path, change):
    """Save counts with another record."""
    counts.save(path)
    arrays = dict(np.load(path))
    record = change(json.loads(bytes(arrays["about"])))
    arrays["about"] = np.frombuffer(json.dumps(record).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    assert zipfile.is_zipfile(path)


class TestMixedUp:
    def test_a_missing_part(self, counts):
        with pytest.raises(
            InputError,
            match="judged documents, each for a query, were not counted: a part of the corpus is missing",
        ):
            (counts[0] + counts[1]).scores()

    def test_a_missing_part_without_judged_documents(self):
        corpus = Corpus(6, judged=2)
        known = {doc for judged in corpus.qrels.values() for doc in judged}
        other = [row for row, doc in enumerate(corpus.ids) if doc not in known]
        rest = [row for row in range(40) if row not in other[:10]]
        first, _ = corpus.counts([rest, other[:10]])
        with pytest.raises(
            InputError, match="30 documents of 40 were counted: a part of the corpus is missing"
        ):
            first.scores()

    def test_a_part_twice(self, counts):
        with pytest.raises(
            InputError, match="each for a query, were counted more than once: parts of the corpus have"
        ):
            (sum(counts) + counts[0]).scores()

    def test_a_part_without_judged_documents_twice(self):
        corpus = Corpus(6, judged=2)
        known = {doc for judged in corpus.qrels.values() for doc in judged}
        other = [row for row, doc in enumerate(corpus.ids) if doc not in known][:10]
        parts = corpus.counts([[row for row in range(40) if row not in other], other])
        with pytest.raises(InputError, match=r"50 documents of 40 were counted: .* more than once"):
            (sum(parts) + parts[1]).scores()

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
        ],
    )
    def test_other_arguments(self, options, differing, counts):
        corpus = Corpus(5)
        judged = corpus.judged(np.array_split(np.arange(40), 3))
        other = corpus.count(range(20, 30), judged, **{"measures": "nDCG@3 AP RR Bpref"} | options)
        mine = corpus.count(range(10), judged, "nDCG@3 AP RR Bpref")
        with pytest.raises(InputError, match=f"they differ in their {differing}; count every part"):
            mine + other

    def test_other_judgments(self, counts):
        corpus = Corpus(5)
        judged = corpus.judged(np.array_split(np.arange(40), 3))
        topic = next(iter(corpus.qrels))
        changed = {**corpus.qrels, topic: dict.fromkeys(corpus.qrels[topic], 1)}
        with pytest.raises(InputError, match="they differ in their judgments"):
            counts[0] + corpus.count(range(5), judged, qrels=changed)

    def test_judged_vectors_of_other_judgments(self):
        corpus = Corpus(5)
        topic = next(iter(corpus.qrels))
        judged = dense.judged({topic: corpus.qrels[topic]}, corpus.documents, doc_ids=corpus.ids)
        with pytest.raises(
            InputError, match="is judged, and the judged vectors lack it; they must be the sum"
        ):
            corpus.count(range(40), judged)

    def test_judged_vectors_of_another_model(self):
        corpus = Corpus(5)
        judged = dense.judged(corpus.qrels, corpus.documents + 1, doc_ids=corpus.ids)
        with pytest.raises(InputError, match="is not the one among the judged vectors; collect those anew"):
            corpus.count(range(40), judged)

    def test_documents_without_ids(self):
        judged = dense.judged({"0": {"1": 1}}, np.eye(3))
        for documents in (np.eye(3), lambda: iter([np.eye(3)])):
            with pytest.raises(OptionError, match=r"a part of a corpus need ids, .*pass doc_ids"):
                dense.count({"0": {"1": 1}}, np.eye(3), documents, judged=judged)

    def test_a_document_in_two_parts(self):
        corpus = Corpus(5)
        judged = corpus.judged([range(40)])
        with pytest.raises(InputError, match="is in both parts; a document has one vector"):
            judged + judged

    def test_a_part_in_words(self, counts):
        assert repr(counts[0]) == "Counts of 14 of 40 documents, for the ranks of 43 judged documents"

    def test_something_else(self, counts):
        with pytest.raises(TypeError):
            counts[0] + 1
        with pytest.raises(TypeError):
            1 + counts[0]


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
