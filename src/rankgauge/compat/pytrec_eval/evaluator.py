"""RelevanceEvaluator: judgments as a dict, then run after run as a dict."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from rankgauge.compat.pytrec_eval import names
from rankgauge.compat.pytrec_eval.names import UnusableInput
from rankgauge.compat.trec_eval.columns import Column, Settings
from rankgauge.compat.trec_eval.formulas import Formula, formulas, measures, shown
from rankgauge.engines.assembly import blocks
from rankgauge.engines.local.dict_rankings import DictRankings
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.requirements import lowest_grade
from rankgauge.errors import InputError
from rankgauge.measures.rankings.vector import Unsupported
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder

# Values that say nothing of a topic; pytrec_eval has them, too.
CONSTANTS = {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}


class RelevanceEvaluator:
    """Judgments and measures, prepared for evaluating run after run, as in pytrec_eval.

    `query_relevance` is `{topic: {document: grade}}`; `measures` are names such as `map`, `ndcg_cut_10`,
    `P.5,10` and `official`. Documents of at least `relevance_level` are relevant to measures that do not use
    grades. With `judged_docs_only_flag`, documents without a judgment are removed from rankings first.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        texts = names.texts(measures)
        self._keys = tuple(names.columns(texts))
        settings = Settings(
            level=_level(relevance_level), judged_only=bool(judged_docs_only_flag), rules=names.RULES
        )
        judged = _plain(query_relevance, "query_relevance", "grade")
        self._rankings: DictRankings | None = None
        if not any(judged.values()):
            return
        try:
            qrels = Qrels.from_dict(judged)
        except InputError as error:
            raise UnusableInput(f"query_relevance: {error}") from None
        self._columns, self._formulas, lowest = _prepared(texts, settings, (*qrels.levels.tolist(),))
        order = DocumentOrder(score_precision="single")  # as trec_eval 9 stores scores
        self._rankings = DictRankings(LocalEngine(qrels, order, lowest), lowest, [*blocks(qrels, lowest)])

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """`{topic: {key: value}}` for the topics of a run, `{topic: {document: score}}`, that are judged."""
        run = _plain(scores, "scores", "score")
        rankings = self._rankings
        rows = {} if rankings is None else rankings.judged(run)
        if not (rankings and rows and self._keys):
            return {topic: {} for topic in rows}
        ordered = sorted(rows.values())
        of_columns = self._values(rankings, run, ordered)
        values = [dict(zip(self._keys, of_topic)) for of_topic in zip(*of_columns)]  # noqa: B905
        by_row = dict(zip(ordered, values, strict=True))
        return {topic: by_row[row] for topic, row in rows.items()}

    def _values(
        self, rankings: DictRankings, run: dict[Any, dict[Any, Any]], rows: list[int]
    ) -> list[list[float]]:
        """The values of all columns for some topics, in ascending order of their numbers."""
        try:
            return self._numbers(rankings.of(run, rows), len(rows))
        except InputError as error:
            raise UnusableInput(f"scores: {error}") from None
        except Unsupported:  # one of the measures needs arrays
            rankings.scalar = False
            return self._values(rankings, run, rows)

    def _numbers(self, rankings: Iterable[Any], topics: int) -> list[list[float]]:
        numbers: dict[Column, list[float]] = {column: [] for column in self._columns}
        for judged in rankings:
            for columns, values_of in self._formulas:
                for column, values in zip(columns, values_of(judged), strict=True):
                    numbers[column] += values
        return [
            shown(column, values) if values else [CONSTANTS[column.entry.name]] * topics
            for column, values in numbers.items()
        ]


@lru_cache(maxsize=64)  # some build an evaluator per topic
def _prepared(
    texts: tuple[str, ...], settings: Settings, levels: tuple[float, ...]
) -> tuple[list[Column], list[tuple[list[Column], Formula]], float]:
    """(columns, their formulas, the lowest grade that any of them distinguishes from unjudged)."""
    columns = [*names.columns(texts).values()]
    computed = [column for column in columns if column.entry.name not in CONSTANTS]
    used = [each for column in computed for each in measures(column, settings, levels)]
    lowest = lowest_grade(used) if used else math.inf
    return columns, list(formulas(computed, settings, levels)), lowest


def _level(level: Any) -> int:
    try:
        number = operator.index(level)
    except TypeError:
        number = 0
    if number < 1:
        raise UnusableInput(f"relevance_level must be a whole number from 1 on, not {level!r}")
    return number


def _plain(nested: Any, argument: str, number: str) -> dict[Any, dict[Any, Any]]:
    """The argument as a dict of dicts, which is what the core takes; other mappings are copied."""
    if type(nested) is not dict and not isinstance(nested, Mapping):
        raise UnusableInput(
            f"{argument} must be a dict {{topic: {{document: {number}}}}}, not {type(nested).__name__}"
        )
    if {*map(type, nested.values())} <= {dict}:
        return nested if type(nested) is dict else dict(nested)
    for topic, documents in nested.items():
        if not isinstance(documents, Mapping):
            raise UnusableInput(
                f"{argument}: topic {topic!r} has a {type(documents).__name__}; it must be a dict "
                f"{{document: {number}}}"
            )
    return {topic: dict(documents) for topic, documents in nested.items()}
