"""Estimates from human judgments of a sample of documents, helped by LLM judgments of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.evaluation.evaluator import Measures, evaluate
from rankgauge.extensions.judging.corrected_scores import CorrectedScores
from rankgauge.extensions.judging.samples import regraded
from rankgauge.measures import MEASURES, parse_all
from rankgauge.measures.settings import build
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import Grades
from rankgauge.model.scores import Scores
from rankgauge.model.subtopics import SubtopicQrels


def evaluate_sample(
    llm_qrels: Any,
    sample: Any,
    runs: Any,
    measures: Measures,
    *,
    qrels_format: str | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    **options: Any,
) -> Scores:
    """Difference estimates: the value by LLM judgments, plus an estimate of the difference of human ones.

    `sample` is human judgments of documents drawn from strata; `llm_qrels` has judgments of all documents in
    it, and those that it lacks have grade 0. The difference is that of two estimates by `HT` from the sample,
    of human and of LLM judgments: unbiased where these are. LLM judgments reduce the variance as far as they
    agree with people; where they have no estimate, such as nDCG if none drawn is relevant by them, that of
    human judgments stands alone. Documents that are not in the sample do not count. Options are those of
    `evaluate`, and formats and grades those of `llm_qrels`.
    """
    drawn = SubtopicQrels.of(sample)
    llm = Qrels.of(llm_qrels, format=qrels_format, columns=qrels_columns, grades=grades)
    if not (drawn.grades >= 0).any():
        raise InputError(
            "no document of the sample is judged; replace the grade -2 of those drawn, or fill in judgments "
            "with `rankgauge pool --sample N --judged QRELS`"
        )
    CorrectedScores.check(llm, drawn)
    estimates = [
        each if each.spec.name == "HT" else build(MEASURES["HT"], {"measure": each}, None)
        for each in parse_all(measures)
    ]
    by_llm = regraded(drawn, llm, lambda _, grade: max(0.0, grade or 0.0))
    drawn_by_llm = regraded(drawn, llm, lambda own, grade: own if own < 0 else max(0.0, grade or 0.0))
    scores, of_all, of_drawn = (
        evaluate(judged, runs, estimates, **options) for judged in (drawn, by_llm, drawn_by_llm)
    )
    return scores._replace(values=scores.values + np.nan_to_num(of_all.values - of_drawn.values))
