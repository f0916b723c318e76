"""Saved scores as a baseline: runs are compared with an earlier one, without its file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.comparison import compare
from rankgauge.comparison.gate import check, margins, parse_condition, spelled
from rankgauge.comparison.registry import TestName
from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.evaluator import evaluate
from rankgauge.formats.source import Source
from rankgauge.measures import parse
from rankgauge.model.output.tables import lines
from rankgauge.model.score_values import KIND
from rankgauge.model.scores import Scores
from rankgauge.model.segments import Segments

RENAMED = "baseline"  # a saved run whose name is also that of a new one
SAVED = f'"{KIND.rpartition(" ")[0]} '.encode()  # of any version
LOSSES = 5  # topics that a failure shows


def is_saved(path: Any) -> bool:
    """Whether this is a file of scores in JSON, as `evaluate -q -o FILE.json` writes them."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    is_json = name.lower().endswith(".json") and Path(name).is_file()
    return is_json and SAVED in Source(name).head


def with_baseline(scores: Scores, saved: Scores) -> Scores:
    """The scores of a baseline and, after it, of runs, for the measures of the runs.

    An error if the baseline lacks a measure, or was evaluated with other judgments or options.
    """
    remedy = "save the baseline again: rankgauge evaluate QRELS RUN -m MEASURES -q -o FILE.json"
    if len(saved.runs) != 1 or scores.correction or saved.correction:
        raise InputError(f"a baseline has plain scores of one run, not of {len(saved.runs)}; {remedy}")
    lacking = [measure for measure in scores.measures if measure not in saved.measures]
    if lacking:
        raise InputError(f"the baseline has no {lacking[0]}, only {', '.join(saved.measures)}; {remedy}")
    for name, (now, before) in _settings(scores, saved).items():
        if now != before:
            raise InputError(
                f"the baseline was evaluated with {before} {name}, and the run with {now}; {remedy}"
            )
    others = (RENAMED if number == 1 else f"{RENAMED}-{number}" for number in count(1))
    name = next(each for each in chain(saved.runs, others) if each not in scores.runs)
    facts = saved.provenance.runs.get(saved.runs[0])
    saved = saved.only(measures=scores.measures)
    topics = sorted({*saved.topics, *scores.topics}, key=to_bytes)
    places = {topic: place for place, topic in enumerate(topics)}
    values = np.full((1 + len(scores.runs), len(scores.measures), len(topics)), np.nan)
    counted = np.zeros((len(values), len(topics)), dtype=np.bool_)
    weights = {measure: np.zeros(counted.shape) for measure in scores.weights}
    for rows, part in ((slice(0, 1), saved), (slice(1, None), scores)):
        columns = [places[topic] for topic in part.topics]
        values[rows, :, columns] = part.values
        counted[rows, columns] = part.counted
        for measure, each in weights.items():
            each[rows, columns] = part.weights[measure]
    known = scores.provenance
    return scores._replace(
        runs=(name, *scores.runs),
        topics=tuple(topics),
        values=values,
        counted=counted,
        weights=weights,
        provenance=known._replace(runs={**({name: facts} if facts else {}), **known.runs}),
    )


def _settings(scores: Scores, saved: Scores) -> dict[str, tuple[Any, Any]]:
    now, before = scores.provenance, saved.provenance
    digests = {now.qrels.digest, before.qrels.digest} - {""}  # which earlier versions did not save
    return {
        "judgments": (now.qrels.judgments, before.qrels.judgments),
        "judged topics": (now.qrels.topics, before.qrels.topics),
        "changes of grades": (now.qrels.grades or "no", before.qrels.grades or "no"),
        "judged documents or grades": ("these", "other" if len(digests) > 1 else "these"),
        **{f"for {name}": (value, before.options.get(name, value)) for name, value in now.options.items()},
        "rules for topics": (scores.rules, saved.rules),
    }


def failures(
    qrels: Any,
    run: Any,
    *,
    fail_if: str | Sequence[str],
    baseline: Any = None,
    test: TestName = "t",
    alpha: float = 0.05,
    by: Any = None,
    **options: Any,
) -> tuple[Scores, list[str]]:
    """(scores, why a gate fails; empty if it passes), with the topics that lost most.

    `baseline` is a file written by `rankgauge evaluate -q -o FILE.json`, `Scores`, or another run; only
    conditions on changes need one. `by` has attributes of topics, for conditions on segments. Options are
    those of `evaluate`.
    """
    conditions = [parse_condition(text) for text in ([fail_if] if isinstance(fail_if, str) else fail_if)]
    if not conditions:
        raise OptionError("there is no condition; pass fail_if, such as 'nDCG@10 drops by 2% significantly'")
    measures = [*spelled(conditions, parse)]
    scores, comparison = evaluate(qrels, run, measures, **options), None
    if baseline is not None:
        if is_saved(baseline):
            baseline = Scores.load(baseline)
        elif not isinstance(baseline, Scores):
            baseline = evaluate(qrels, baseline, measures, **options)
        scores = with_baseline(scores, baseline)
    segments = None if by is None else Segments.of(by, scores.topics)
    if baseline is not None:
        margin = margins(conditions, scores.measures)
        comparison = compare(
            scores, baseline=scores.runs[0], test=test, alpha=alpha, margin=margin, by=segments
        )
    found = []
    for condition in conditions:
        for text, reasons in check([condition], scores, comparison, segments).items():
            found += [f"{text}; {reason}" for reason in reasons]
            if reasons and comparison and condition.verb == "drops":
                part, measure = scores, scores.find_measure(condition.measure)
                if segments and condition.segment:
                    part = scores.of_topics(segments.find(condition.segment).topics)
                table = part.by_topic(measure, baseline=scores.runs[0], worst=LOSSES)
                found += ["", *lines(table, "table"), ""]
    return scores, found
