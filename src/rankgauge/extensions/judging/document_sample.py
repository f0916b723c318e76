"""Samples of documents for human judgment: a pool with strata, some documents of which are drawn.

A sample is judgments with strata: documents not drawn have grade -1, those still to judge -2. The probability
with which a document was drawn is the share of its stratum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rankgauge.model.output.tables import Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels

NOT_DRAWN, TO_JUDGE = -1.0, -2.0


def judged_sample(sample: Any, judgments: Any) -> SubtopicQrels:
    """The sample with the grades of `judgments` for the documents drawn.

    Other documents do not count. Documents drawn without a judgment count as not drawn.
    """
    return regraded(sample, judgments, lambda own, grade: own if own == NOT_DRAWN or grade is None else grade)


def regraded(sample: Any, judgments: Any, grade: Callable[[float, float | None], float]) -> SubtopicQrels:
    """The sample with grades by a function of its own and of the one in `judgments`, or None."""
    drawn, others = SubtopicQrels.of(sample), Qrels.of(judgments)
    known = {topic: others.grades_of(topic) for topic in drawn.sorted_topics}
    rows = zip(drawn.columns().topic.texts(), drawn.docs.texts(), drawn.grades.tolist(), strict=True)
    grades = [grade(own, known[topic].get(doc)) for topic, doc, own in rows]
    return replace(drawn, grades=np.array(grades, dtype=np.float64))


def sample_table(sample: SubtopicQrels) -> Table:
    """A row for each document: topic, stratum, probability with which it was drawn, and grade."""
    columns = sample.columns()
    assert columns.label is not None  # of judgments with strata
    label, labels = columns.label.encode()
    stratum = sample.topic * len(labels) + label
    shares = np.bincount(stratum, sample.grades != NOT_DRAWN) / np.maximum(np.bincount(stratum), 1)
    texts = (each.texts() for each in (columns.topic, columns.doc, columns.label))
    rows = zip(*texts, shares[stratum].tolist(), columns.numbers(), strict=True)
    return Table(("topic", "document", "stratum", "probability", "grade"), list(rows))
