"""RelevanceEvaluator: judgments as a dict, then run after run as a dict.

A run goes through the compiled core as it is, and only the ranks of judged documents come back. For a few
topics, measures are then computed with Python's own numbers: NumPy's calls on arrays of some documents would
take most of the time.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from rankgauge.compat.pytrec_eval import names
from rankgauge.compat.pytrec_eval.names import UnusableInput
from rankgauge.compat.trec_eval.columns import Column, Settings
from rankgauge.compat.trec_eval.formulas import Formula, formulas, measures, shown
from rankgauge.core.ids import to_text
from rankgauge.engines.assembly import assemble, blocks, longest
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.requirements import lowest_grade
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.errors import InputError
from rankgauge.formats.row_reader import identifier
from rankgauge.measures.rankings import arrays, scalars
from rankgauge.measures.rankings.array_types import Ints
from rankgauge.measures.rankings.vector import Unsupported, Vector
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder

# Values that say nothing of a topic; pytrec_eval has them, too.
CONSTANTS = {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}
# Up to so many hits, measuring topics one by one is faster than NumPy. A topic costs as much as some hits.
FEW_HITS = 500
HITS_PER_TOPIC = 150


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
        self._rows: dict[str, int] = {}  # {topic: its number}
        if not any(judged.values()):
            return
        try:
            self._qrels = Qrels.from_dict(judged)
        except InputError as error:
            raise UnusableInput(f"query_relevance: {error}") from None
        self._columns, self._formulas, self._lowest = _prepared(
            texts, settings, (*self._qrels.levels.tolist(),)
        )
        order = DocumentOrder(score_precision="single")  # as trec_eval 9 stores scores
        self._engine = LocalEngine(self._qrels, order, self._lowest)
        self._blocks = list(blocks(self._qrels, self._lowest))
        self._rows = {topic: row for row, topic in enumerate(self._qrels.sorted_topics)}
        self._pools: dict[int, scalars.Pool] = {}
        self._one_by_one = True

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """`{topic: {key: value}}` for the topics of a run, `{topic: {document: score}}`, that are judged."""
        run = _plain(scores, "scores", "score")
        rows = self._judged(run)
        if not (rows and self._keys):
            return {topic: {} for topic in rows}
        ordered = sorted(rows.values())
        values = [dict(zip(self._keys, of_topic)) for of_topic in zip(*self._values(run, ordered))]  # noqa: B905
        by_row = dict(zip(ordered, values, strict=True))
        return {topic: by_row[row] for topic, row in rows.items()}

    def _judged(self, run: dict[Any, dict[Any, Any]]) -> dict[Any, int]:
        """{topic: its number} for the topics of a run that are judged, in its order."""
        known = self._rows
        if {*map(type, run)} <= {str}:
            return {topic: known[topic] for topic in run if topic in known}
        ids = {topic: identifier(topic) for topic in run}
        texts = {topic: to_text(id) for topic, id in ids.items() if id is not None}
        return {topic: known[text] for topic, text in texts.items() if text in known}

    def _values(self, run: dict[Any, dict[Any, Any]], rows: list[int]) -> list[list[float]]:
        """The values of all columns for some topics, in ascending order of their numbers."""
        try:
            retrieved = self._engine.retrieve(run)
        except InputError as error:
            raise UnusableInput(f"scores: {error}") from None
        work = len(retrieved.rank) + HITS_PER_TOPIC * len(rows)
        if self._one_by_one and work <= FEW_HITS:
            try:
                return self._numbers([self._ranking(retrieved, row) for row in rows], len(rows))
            except Unsupported:  # one of the measures needs arrays
                self._one_by_one = False
        return self._numbers(self._rankings(retrieved, np.array(rows)), len(rows))

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

    def _rankings(self, retrieved: RetrievedJudgments, rows: Ints) -> Iterator[arrays.JudgedRankings]:
        """The judged rankings of some topics, a block at a time."""
        for first, last, pool in self._blocks:
            begin, end = np.searchsorted(rows, (first, last))
            if begin < end:
                grades, most = self._qrels.sorted_grades, longest([retrieved])
                judged = assemble([retrieved], first, last, grades, pool, most)
                yield judged if end - begin == last - first else judged.of_topics(rows[begin:end] - first)

    def _ranking(self, retrieved: RetrievedJudgments, row: int) -> scalars.JudgedRankings:
        """The judged ranking of one topic."""
        hits = retrieved.within(row, row + 1)
        return scalars.JudgedRankings(
            starts=[0, hits.stop - hits.start],
            rank=Vector(retrieved.rank[hits].tolist()),
            grade=Vector(self._qrels.sorted_grades[retrieved.judgment[hits]].tolist()),
            retrieved=Vector([int(retrieved.retrieved[row])]),
            pool=self._pool(row),
        )

    def _pool(self, row: int) -> scalars.Pool:
        if row not in self._pools:
            begin, end = self._qrels.starts[row : row + 2].tolist()
            grades = self._qrels.sorted_grades[begin:end]
            used = grades[grades >= self._lowest].tolist()
            levels = Vector(self._qrels.levels.tolist())
            self._pools[row] = scalars.Pool(Vector(used), [0, len(used)], levels)
        return self._pools[row]


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
    if not isinstance(nested, Mapping):
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
