"""Vectors in a Spark DataFrame: the scores of one machine."""

import numpy as np
import pytest

from extensions.devices.dense.shards import MEASURES, Corpus, assert_same
from rankgauge.errors import InputError, MissingDependency, OptionError

pytest.importorskip("pyspark")
from rankgauge.extensions.devices.dense import spark as on_spark


def frame_of(spark, corpus, schema="docno string, embedding array<float>", ids=None, vectors=None):
    vectors = corpus.documents.tolist() if vectors is None else vectors
    return spark.createDataFrame(list(zip(ids or corpus.ids, vectors, strict=True)), schema).repartition(5)


def evaluate(corpus, frame, measures=MEASURES, **options):
    given = {"query_ids": corpus.query_ids, **options}
    return on_spark.evaluate(corpus.qrels, corpus.queries, frame, measures, **given)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ties": "average", "similarity": "cosine", "depth": 7},
        {"ties": "docid_asc", "similarity": "euclidean", "exclude": {"q1": ["d1", "d2", "d3", "d4"]}},
    ],
)
def test_scores_are_those_of_one_machine(spark, options):
    corpus = Corpus(9)
    assert_same(evaluate(corpus, frame_of(spark, corpus), **options), corpus.whole(**options))


def test_columns_and_judgments_of_other_kinds(spark):
    corpus = Corpus(9, documents=9)
    corpus.ids = [doc.removeprefix("d") for doc in corpus.ids]
    corpus.qrels = {
        query: {doc.removeprefix("d"): grade for doc, grade in judged.items()}
        for query, judged in corpus.qrels.items()
    }
    corpus.documents = corpus.documents.astype(np.float64)
    frame = frame_of(spark, corpus, "number int, `my vector` array<double>", ids=[int(i) for i in corpus.ids])
    rows = [(q, d, g) for q, judged in corpus.qrels.items() for d, g in judged.items()]
    qrels = spark.createDataFrame(rows, "query_id string, doc_id string, relevance int")
    expected = corpus.whole()
    corpus.qrels = qrels
    columns = {"doc": "number", "vector": "my vector"}
    scores = evaluate(corpus, frame.repartition(12), doc_columns=columns)  # some partitions are empty
    np.testing.assert_array_equal(scores.values, expected.values)


def test_no_judged_document_is_there(spark):
    corpus = Corpus(9)
    corpus.qrels = {query: {"elsewhere": 1} for query in corpus.qrels}
    assert_same(evaluate(corpus, frame_of(spark, corpus)), corpus.whole())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vectors": [[float("nan"), 0.0, 0.0]] * 40}, "has numbers that are not finite"),
        ({"vectors": [[1.0, 0.0, 0.0]] * 39 + [[1.0]]}, "numbers"),
        ({"vectors": [[1.0, 0.0, 0.0]] * 39 + [None]}, "is null"),
        ({"vectors": [[1.0, 0.0]] * 40}, "vectors must have as many numbers each"),
        ({"ids": ["d1"] * 40}, 'both have the id "d1"'),
        ({"schema": "title string, embedding array<float>"}, "no column for the ids; there are title"),
        ({"schema": "docno string, vector array<string>", "vectors": [["a"]] * 40}, "arrays of numbers"),
        ({"schema": "docno string, vector string", "vectors": ["a"] * 40}, "no column for the vectors"),
    ],
)
def test_what_is_wrong_is_in_the_message(spark, change, message):
    corpus = Corpus(9)
    with pytest.raises(InputError, match=message):
        evaluate(corpus, frame_of(spark, corpus, **change))


def test_arguments_that_cannot_be_used(spark):
    corpus = Corpus(9)
    frame = frame_of(spark, corpus)
    with pytest.raises(InputError, match="documents must be a Spark DataFrame, not a ndarray; for other"):
        evaluate(corpus, corpus.documents)
    with pytest.raises(OptionError, match="needs an order of lines, and a DataFrame has none"):
        evaluate(corpus, frame, ties="input")
    with pytest.raises(InputError, match="and not 'title': 'docno'; there are docno, embedding"):
        evaluate(corpus, frame, doc_columns={"title": "docno"})
    with pytest.raises(InputError, match="there are no documents: the DataFrame has no rows"):
        evaluate(corpus, frame.where("docno = 'x'"))


def test_pyspark_is_needed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyspark", None)
    with pytest.raises(MissingDependency, match=r"pip install 'rankgauge\[spark\]'"):
        on_spark.evaluate({"q": {"d": 1}}, [[1.0]], None)
