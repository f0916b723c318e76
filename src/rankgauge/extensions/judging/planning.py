"""What judgments buy: how wide intervals will be if people judge whole topics, or documents of each topic.

Labels of a language model are corrected by human judgments of a sample. How far these are from the labels is
taken from a pilot: human judgments of some documents that have labels. By a sum over documents such as P@10,
the variance of a mean over T topics is (1/n - 1/T) s² of the topics' sums of residuals with n whole topics,
and the sum of squared residuals, each times (size of its stratum / documents drawn - 1), with documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rankgauge.campaigns.findings import Findings
from rankgauge.errors import InputError
from rankgauge.extensions.judging.corrected_means import MIN_HUMAN
from rankgauge.extensions.judging.deciding import sum_over_documents, worth
from rankgauge.extensions.judging.pooling import DocumentPool
from rankgauge.extensions.judging.samples import sample, stratum_sizes
from rankgauge.measures.settings import Measure
from rankgauge.model.output.tables import Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.numbers.differences import Floats, all_pairs
from rankgauge.numbers.intervals import LEVEL, NORMAL, t_quantile
from rankgauge.schema.options import whole_number
from rankgauge.schema.text import counted

MEASURE = "P@10"
COMPLETE = 0.9  # share of a topic's documents that a pilot has, at least, for its sum
DESIGNS = ("design", "option", "judgments", "±mean", "±difference")


def plan(
    documents: DocumentPool, budget: int, llm_qrels: Any, pilot: Any, measure: str | Measure = MEASURE
) -> Findings:
    """How wide intervals of means and differences will be with so many judgments, by design.

    Half the width of 95 % intervals for these topics, the median over runs or their pairs. `pilot` is human
    judgments of some documents of the pool, which `llm_qrels` labels.

    >>> from rankgauge.extensions.judging import pool
    >>> orders = {"a": "vwxyz", "b": "zyxwv"}
    >>> ranked = {run: {f"q{n}": list(order) for n in range(20)} for run, order in orders.items()}
    >>> llm = {f"q{n}": {doc: k % 2 for k, doc in enumerate("vwxyz")} for n in range(20)}
    >>> human = {f"q{n}": {doc: (k + n) % 3 % 2 for k, doc in enumerate("vwxyz")} for n in range(10)}
    >>> found = plan(pool(ranked, depth=2), 40, llm, human, "P@2")
    >>> [row["option"] for row in found.records("designs")]
    ['--topics 10', '--sample 2']
    """
    read, llm = sum_over_documents(measure), Qrels.of(llm_qrels)
    documents = documents.of_topics(llm.sorted_topics)
    count = len(documents.topics)
    whole_number("plan", budget, max(1, count))
    errors = _Errors(documents, read, llm, Qrels.of(pilot))
    sizes = np.diff(documents.starts)
    drawn, each = min(count, int(budget * count / len(documents))), budget // count
    found = [
        (
            counted(drawn, "whole topic"),
            f"--topics {drawn}",
            round(drawn * sizes.mean()),
            errors.of_topics(drawn),
        ),
        (
            f"{counted(each, 'document')} of each topic",
            f"--sample {each}",
            int(np.minimum(each, sizes).sum()),
            errors.of_documents(sample(documents, each, llm_qrels=llm)),
        ),
    ]
    first, second = all_pairs(len(documents.runs))
    rows = [
        (
            *names,
            float(np.median(half(errors.weights))),
            _median(half(errors.weights[first] - errors.weights[second])),
        )
        for *names, half in found
    ]
    best = min((row for row in rows if not math.isnan(row[-2])), key=lambda row: row[-2])
    return Findings(
        sentences=[
            f"{best[0]} give the narrower intervals of means: `rankgauge pool {best[1]}`; for a single "
            "difference, `rankgauge decide` needs fewer"
        ],
        tables={"designs": Table(DESIGNS, rows)},
        captions={
            "designs": f"Half the width of {100 * LEVEL:g} % intervals of {read} for these topics, the "
            f"median over {counted(len(documents.runs), 'run')} or their pairs, if the labels err as in the "
            f"pilot ({counted(errors.judged, 'judgment')})."
        },
        title="Designs for human judgments",
        settings={"budget": budget, "measure": str(read)},
    )


class _Errors:
    """How far a pilot is from the labels."""

    def __init__(self, documents: DocumentPool, measure: Measure, llm: Qrels, pilot: Qrels) -> None:
        grades: Floats = np.unique([0.0, *llm.levels, *pilot.levels])
        by_rank, gains = worth(measure, int(documents.rank.max()), grades)
        self.weights: Floats = np.zeros((len(documents.runs), len(documents)))
        self.weights[documents.run, documents.doc] = by_rank[documents.rank - 1]
        self.topic, self.sizes = documents.topic, np.diff(documents.starts)
        names = zip(documents.topic.tolist(), documents.docs.texts(), strict=True)
        of_topic = [(llm.grades_of(topic), pilot.grades_of(topic)) for topic in documents.topics]
        pairs = [(of_topic[t][0].get(doc, 0.0), of_topic[t][1].get(doc, math.nan)) for t, doc in names]
        labels, human = np.array(pairs).T
        self.known = ~np.isnan(human)
        self.judged = int(self.known.sum())
        share = np.bincount(self.topic[self.known], minlength=len(self.sizes)) / self.sizes
        self.complete = share >= COMPLETE
        if self.complete.sum() < MIN_HUMAN:
            raise InputError(
                f"the pilot judges the pool of {counted(int(self.complete.sum()), 'topic')} completely, and "
                f"it takes {MIN_HUMAN}: judge more, or make the pool smaller with --depth"
            )
        self.label = np.searchsorted(grades, labels)
        self.by_llm, self.by_human = gains[self.label], np.where(self.known, 0.0, math.nan)
        self.by_human[self.known] = gains[np.searchsorted(grades, human[self.known])]

    def of_topics(self, drawn: int) -> Callable[[Floats], Floats]:
        """Half the width with so many whole topics, for rows of weights of documents."""

        def sums(weights: Floats, gains: Floats) -> Floats:
            """(rows, complete topics)."""
            places = np.flatnonzero(self.complete[self.topic] & self.known)
            of_topic = [
                np.bincount(self.topic[places], each[places] * gains[places], len(self.sizes))
                for each in weights
            ]
            found: Floats = np.array(of_topic, dtype=np.float64)[:, self.complete]
            return found

        llm, human = (sums(self.weights, gains) for gains in (self.by_llm, self.by_human))
        far_l, far_h = (each - each.mean(axis=1, keepdims=True) for each in (llm, human))
        k = (far_l * far_h).sum() / (far_l * far_l).sum() if far_l.any() else 0.0
        scale = max(0.0, 1 / drawn - 1 / len(self.sizes)) if drawn >= MIN_HUMAN else math.nan
        reach = t_quantile(1 - LEVEL, drawn - 1)
        return lambda rows: (
            reach
            * np.sqrt(scale * (sums(rows, self.by_human) - k * sums(rows, self.by_llm)).var(axis=1, ddof=1))
        )

    def of_documents(self, drawn: SubtopicQrels) -> Callable[[Floats], Floats]:
        """Half the width with these documents drawn from their strata."""
        label, known = self.label[self.known], self.known
        residual = self.by_human[known] - self.by_llm[known]
        counts = np.maximum(1, np.bincount(label, minlength=self.label.max() + 1))
        residual -= (np.bincount(label, residual, len(counts)) / counts)[label]
        squares = (np.bincount(label, residual**2, len(counts)) / counts)[self.label]  # if not judged
        squares[known] = residual**2
        chosen, sizes = stratum_sizes(drawn)
        each = squares * (sizes / chosen - 1) * sizes / np.maximum(1, sizes - 1) / len(self.sizes) ** 2

        def half(rows: Floats) -> Floats:
            found: Floats = NORMAL * np.sqrt((rows**2 * each).sum(axis=1))
            return found

        return half


def _median(values: Floats) -> float:
    return float(np.median(values)) if len(values) else math.nan
