"""Counting by vectors has the values of the run that holds all scores, for every measure and rule."""

import random

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

import rankgauge
from cases import by_subtopic, identical, seeds, settings_of, with_all_measures, written
from rankgauge.extensions.devices import dense
from rankgauge.extensions.devices.vectors import NumPyArithmetic
from rankgauge.extensions.devices.vectors.counting import SIMILARITIES, exact_scores, similarity_of
from rankgauge.measures import MEASURES
from rankgauge.model.rules import TIES

RULES = [rule for rule in TIES.rules if rule != "rank"]
TEXTS = [
    written(name, settings_of(MEASURES[name], seed))
    for name in MEASURES
    for seed in range(2)
    if not MEASURES[name].needs.scores  # which need those of all documents: refused
]


class Corpus:
    """Small vectors, many of them equal, with judgments."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.size, dim, queries = rng.randint(1, 30), rng.choice([1, 2, 3, 70]), rng.randint(1, 4)
        numbers = np.random.default_rng(seed)
        kind = rng.choice(["float16", "float32", "float64", "int8"])
        self.queries, self.documents = (
            (
                numbers.integers(-2, 3, (n, dim)) if rng.random() < 0.7 else numbers.normal(0, 2, (n, dim))
            ).astype(kind)
            for n in (queries, self.size)
        )
        self.topics = [f"q{n}" for n in range(queries)]
        self.ids = [f"d{n}" for n in rng.sample(range(100), self.size)]
        self.qrels = {
            topic: {
                doc: rng.choice([-1, 0, 0, 1, 1, 2])
                for doc in rng.sample([*self.ids, "elsewhere"], rng.randint(1, min(self.size + 1, 8)))
            }
            for topic in [*rng.sample(self.topics, rng.randint(1, queries)), "unsearched"]
        }
        self.exclude = {
            topic: rng.sample(self.ids, rng.randint(0, self.size - 1))
            for topic in self.topics
            if rng.random() < 0.3
        }
        self.similarity = rng.choice([*SIMILARITIES])
        self.block, self.parts = rng.randint(1, self.size), rng.randint(1, min(4, self.size))

    def run(self):
        """{topic: {document: score}} of all documents that are not excluded."""
        arithmetic = NumPyArithmetic(self.queries, self.documents.dtype)
        every = np.arange(self.size)
        run = {}
        for number, topic in enumerate(self.topics):
            scores = exact_scores(
                arithmetic, similarity_of(self.similarity), np.full(self.size, number), self.documents, every
            )
            left_out = self.exclude.get(topic, ())
            run[topic] = {d: s for d, s in zip(self.ids, scores.tolist(), strict=True) if d not in left_out}
        return run

    def options(self, **rules):
        return {"query_ids": self.topics, "similarity": self.similarity, "exclude": self.exclude, **rules}


@with_all_measures
@given(seed=seeds(), ties=st.sampled_from(RULES), score_precision=st.sampled_from(["double", "single"]))
@example(seed=15931497, ties="docid_desc", score_precision="double")  # no result is judged
def test_counting_has_the_values_of_the_run_with_all_scores(seed, ties, score_precision):
    corpus = Corpus(seed)
    qrels = by_subtopic(corpus.qrels)
    rules = {"ties": ties, "score_precision": score_precision}
    expected = rankgauge.evaluate(qrels, corpus.run(), TEXTS, **rules)
    options = corpus.options(block=corpus.block, **rules)
    found = dense.evaluate(qrels, corpus.queries, corpus.documents, TEXTS, doc_ids=corpus.ids, **options)
    assert identical(found.values, expected.values)
    facts, wanted = found.provenance.runs["run"], expected.provenance.runs["run"]
    assert facts._replace(source=wanted.source) == wanted


@with_all_measures
@given(seed=seeds())
def test_parts_add_up_to_the_whole(seed):
    corpus = Corpus(seed)
    qrels = by_subtopic(corpus.qrels)
    options = corpus.options()
    whole = dense.evaluate(qrels, corpus.queries, corpus.documents, TEXTS, doc_ids=corpus.ids, **options)
    parts = [
        (corpus.documents[some], [corpus.ids[row] for row in some])
        for some in np.array_split(np.random.default_rng(seed).permutation(corpus.size), corpus.parts)
    ]
    judged = sum(dense.judged(qrels, vectors, TEXTS, doc_ids=ids) for vectors, ids in parts)
    counts = sum(
        dense.count(qrels, corpus.queries, vectors, TEXTS, judged=judged, doc_ids=ids, **options)
        for vectors, ids in parts
    )
    assert identical(counts.scores().values, whole.values)
