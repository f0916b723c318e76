"""Corpora with many ties, divided into parts, for the tests of counts."""

import numpy as np

from rankgauge.extensions.devices import dense

MEASURES = "nDCG@3 AP RR P@2 R@4 Bpref Twist infAP"


class Corpus:
    """Vectors of small whole numbers, so that many documents tie, and judgments of some of them."""

    def __init__(self, seed=0, documents=40, queries=6, judged=9, dim=3):
        rng = np.random.default_rng(seed)
        self.documents = rng.integers(-1, 2, size=(documents, dim)).astype(np.float32)
        self.queries = rng.integers(-2, 3, size=(queries, dim)).astype(np.float32)
        self.ids = [f"d{n}" for n in rng.permutation(documents)]
        self.query_ids = [f"q{n}" for n in range(queries)]
        self.qrels = {
            query: {
                str(doc): int(grade)
                for doc, grade in zip(
                    rng.choice([*self.ids, "absent"], min(judged, documents), replace=False),
                    rng.integers(0, 3, judged),
                    strict=False,
                )
            }
            for query in self.query_ids[1:]
        }

    def whole(self, measures=MEASURES, **options):
        return dense.evaluate(
            self.qrels,
            self.queries,
            self.documents,
            measures,
            query_ids=self.query_ids,
            doc_ids=self.ids,
            **options,
        )

    def part(self, rows):
        """(vectors, ids) of some documents."""
        return self.documents[rows], [self.ids[row] for row in rows]

    def judged(self, parts):
        """The judged vectors of all parts."""
        return sum(dense.judged(self.qrels, vectors, doc_ids=ids) for vectors, ids in map(self.part, parts))

    def count(self, rows, judged, measures=MEASURES, **options):
        vectors, ids = self.part(rows)
        arguments = {"qrels": self.qrels, "queries": self.queries, "query_ids": self.query_ids, **options}
        return dense.count(documents=vectors, measures=measures, doc_ids=ids, judged=judged, **arguments)

    def counts(self, parts, **options):
        judged = self.judged(parts)
        return [self.count(rows, judged, **options) for rows in parts]


def assert_same(scores, expected):
    """Equal values, and the same provenance."""
    np.testing.assert_array_equal(scores.values, expected.values)
    assert scores.mean() == expected.mean()
    assert scores.provenance == expected.provenance
