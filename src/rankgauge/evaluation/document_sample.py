"""Estimates from human judgments of a sample of documents, with the help of LLM judgments of all of them."""

from __future__ import annotations

from typing import Any

from rankgauge.evaluation.evaluator import Measures, evaluate
from rankgauge.measures import MEASURES, parse_all
from rankgauge.measures.settings import build
from rankgauge.model.document_sample import regraded
from rankgauge.model.scores import Scores


def evaluate_sample(llm_qrels: Any, sample: Any, runs: Any, measures: Measures, **options: Any) -> Scores:
    """Difference estimates: the value by LLM judgments, plus an estimate of the difference of human ones.

    `sample` is human judgments of documents drawn from strata; `llm_qrels` has judgments of all documents in
    it, and those that it lacks have grade 0. The difference is that of two estimates by `HT` from the sample,
    of human and of LLM judgments: unbiased where these are. LLM judgments reduce the variance as far as they
    agree with people. Documents that are not in the sample do not count. `options` are those of `evaluate`.
    """
    estimates = [build(MEASURES["HT"], {"measure": each}, None) for each in parse_all(measures)]
    by_llm = regraded(sample, llm_qrels, lambda _, grade: max(0.0, grade or 0.0))
    drawn = regraded(sample, llm_qrels, lambda own, grade: own if own < 0 else max(0.0, grade or 0.0))
    scores, of_all, of_drawn = (
        evaluate(judged, runs, estimates, **options) for judged in (sample, by_llm, drawn)
    )
    return scores._replace(values=scores.values + (of_all.values - of_drawn.values))
