"""Values of ir_measures' measures, computed by rankgauge.

Any object with the `NAME`, the `params` and the `aggregator` of a measure will do: those of this package, and
those of ir_measures itself, for which `provider` answers.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from rankgauge.compat.ir_measures.records import CalcResults, Metric
from rankgauge.compat.ir_measures.translation import SKIPPING, translate
from rankgauge.errors import InputError, NoCommonTopic
from rankgauge.evaluation.evaluator import Evaluator as Evaluation
from rankgauge.model.rules import Rules
from rankgauge.model.scores import Scores
from rankgauge.model.subtopics import read_judgments

# As pytrec_eval compares scores and orders ties; topics without results are added below.
RULES: Rules = {"missing": "skip", "score_precision": "single"}
COLUMNS = {
    "qrels": {"topic": "query_id", "doc": "doc_id", "grade": "relevance"},
    "run": {"topic": "query_id", "doc": "doc_id", "score": "score"},
}


class Evaluator:
    """Judgments and measures, prepared for run after run."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        self.measures = list(dict.fromkeys(measures))
        for measure in self.measures:
            measure.validate_params()
        qrels = _some(qrels)
        self._evaluation: Evaluation | None = None
        self._ours: dict[Any, str] = {}
        self.qrel_qids: tuple[str, ...] = ()
        if qrels is None:
            return
        by_subtopic = any(translate(measure).spec.needs_subtopics for measure in self.measures)
        judgments = read_judgments(qrels, by_subtopic=by_subtopic, columns=_columns(qrels, "qrels"))
        levels = judgments.levels.tolist()
        self._ours = {measure: str(translate(measure, levels)) for measure in self.measures}
        self._evaluation = Evaluation(judgments, self._ours.values(), **RULES)
        self.qrel_qids = judgments.sorted_topics

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """The value of every measure for every judged topic, topic by topic."""
        values = self._values(run)
        for row, topic in enumerate(self.qrel_qids):
            for measure in self.measures:
                value = values[measure][row]
                if not math.isnan(value):
                    yield Metric(topic, measure, value)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """{measure: its mean over all judged topics}; counts are added up."""
        return self.calc(run).aggregated  # type: ignore[no-any-return]

    def calc(self, run: Any) -> CalcResults:
        """Aggregated values, and the value of every measure for every judged topic."""
        per_query = list(self.iter_calc(run))
        aggregators = {measure: measure.aggregator() for measure in self.measures}
        for _, measure, value in per_query:
            aggregators[measure].add(value)
        return CalcResults({measure: each.result() for measure, each in aggregators.items()}, per_query)

    def _values(self, run: Any) -> dict[Any, list[float]]:
        """{measure: its value for each topic}; NaN where the topic does not count."""
        run = _some(run)
        found: Mapping[str, Mapping[str, float]] = {}
        if self._evaluation is not None and run is not None:
            try:
                scores = self._evaluation.evaluate(run, run_columns=_columns(run, "run"))
            except NoCommonTopic as error:
                warnings.warn(f"all values are 0: {error}", stacklevel=4)
            else:
                found = _of_one_run(scores)
        return {
            measure: [
                _defined(found.get(ours, {}).get(topic, math.nan), skipped=measure.NAME in SKIPPING)
                for topic in self.qrel_qids
            ]
            for measure, ours in self._ours.items()
        }


def _of_one_run(scores: Scores) -> Mapping[str, Mapping[str, float]]:
    """{measure: {topic: value}} of the only run."""
    if len(scores.runs) > 1:
        raise InputError(f"expected one run, found {len(scores.runs)}: {', '.join(scores.runs[:3])}, ...")
    return scores.to_dict()[scores.runs[0]]


def _defined(value: float, *, skipped: bool) -> float:
    """The value of a topic; 0 where it has none, unless such topics are skipped."""
    return 0.0 if math.isnan(value) and not skipped else value


def _some(source: Any) -> Any:
    """The judgments or the run as given; None if a dict, a list, a frame or an iterator has no rows."""
    if isinstance(source, Iterator):
        first = list(islice(source, 1))
        return chain(first, source) if first else None
    sized = hasattr(source, "__len__") and not isinstance(source, str)
    return None if sized and len(source) == 0 else source


def _columns(frame: Any, kind: str) -> Mapping[str, str] | None:
    """The columns of a frame that has ir_measures' names; PyTerrier's have `docid`, a number, beside them."""
    names = getattr(frame, "columns", ())
    known = set() if callable(names) else {name for name in names if isinstance(name, str)}
    return COLUMNS[kind] if {*COLUMNS[kind].values()} <= known else None
