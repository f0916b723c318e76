"""pytrec_eval's classes and functions on this engine: `from rankgauge.compat import pytrec_eval`.

Names, keys and values are those of pytrec_eval 0.5, which computes as trec_eval 9.0.8 does.
`docs/how-to/from-python-tools.md` lists where this differs, and why.

>>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg_cut.1,10"})
>>> evaluator.evaluate({"q1": {"d1": 1.5, "d2": 1.0}})
{'q1': {'map': 0.5, 'ndcg_cut_1': 0.0, 'ndcg_cut_10': 0.6309297535714575}}
"""

from __future__ import annotations

import math
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np

from rankgauge._version import VERSION as __version__
from rankgauge.compat.trec_eval.columns import MEASURES, NICKNAMES, Column, Settings, known, requested
from rankgauge.compat.trec_eval.formulas import Formula, as_shown, formula, measures
from rankgauge.engines.assembly import blocks
from rankgauge.engines.local.dict_rankings import DictRankings
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.programs import FASTER, Programmed, alone, record
from rankgauge.engines.requirements import lowest_grade
from rankgauge.errors import InputError, MeasureError
from rankgauge.formats import problems
from rankgauge.measures.rankings.programs import Program, Unsupported
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder
from rankgauge.schema.text import nearest

__all__ = [
    "RelevanceEvaluator",
    "UnsupportedMeasure",
    "UnusableInput",
    "__version__",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

N = TypeVar("N", int, float)
RUN, QREL = "topic Q0 document rank score run", "topic 0 document grade"


class UnreadableLine(InputError, ValueError):
    """A line of a run or of judgments that cannot be read."""


def parse_run(f_run: Iterable[str]) -> defaultdict[str, dict[str, float]]:
    """`{topic: {document: score}}` of a run's lines, such as an open file.

    >>> dict(parse_run(["q1 Q0 d1 1 2.5 bm25"]))
    {'q1': {'d1': 2.5}}
    """
    return _parse(f_run, RUN, 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> defaultdict[str, dict[str, int]]:
    """`{topic: {document: grade}}` of the lines of judgments, such as an open file.

    >>> dict(parse_qrel(["q1 0 d1 1"]))
    {'q1': {'d1': 1}}
    """
    return _parse(f_qrel, QREL, 3, int)


def _parse(
    lines: Iterable[str], layout: str, place: int, number: Callable[[str], N]
) -> defaultdict[str, dict[str, N]]:
    parsed: defaultdict[str, dict[str, N]] = defaultdict(dict)
    columns = layout.count(" ") + 1
    for count, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != columns:
            if not fields:
                continue
            raise UnreadableLine(problems.wrong_columns(layout, line.encode()), line=count)
        documents = parsed[fields[0]]
        if fields[2] in documents:
            raise UnreadableLine(
                f"document {fields[2]!r} occurs twice in topic {fields[0]!r}; remove one of the lines",
                line=count,
            )
        try:
            documents[fields[2]] = number(fields[place])
        except ValueError:
            kind = "whole number" if number is int else "number"
            raise UnreadableLine(
                f"the {layout.split()[place]} is not a {kind}: {fields[place]!r}", line=count
            ) from None
    return parsed


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """The sum of counts (`num_...`), the geometric mean (`gm_...`) or the mean of the values of topics.

    The value of a topic for `gm_map` and `gm_bpref` is a logarithm.

    >>> compute_aggregated_measure("map", [0.5, 1.0]), compute_aggregated_measure("num_ret", [10.0, 20.0])
    (0.75, 30.0)
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return math.exp(np.sum(values) / len(values))
    return float(np.mean(values))


class UnsupportedMeasure(MeasureError, ValueError):
    """A measure that pytrec_eval does not have, or parameters that its measure does not take."""


class UnusableInput(InputError, TypeError):
    """Judgments, a run or an argument that cannot be used as it is."""


RULES = 9  # the version of trec_eval inside pytrec_eval

supported_nicknames = {name: {*members} & {*known(RULES)} for name, members in NICKNAMES.items()}
supported_measures = supported_nicknames["all_trec"]


@lru_cache(maxsize=64)
def _columns_of(texts: tuple[str, ...]) -> Mapping[str, Column]:
    dotted = [each for text in texts for each in _dotted(text)]
    try:
        found, _ = requested(dotted, RULES)
    except MeasureError as error:
        raise UnsupportedMeasure(str(error)) from None
    by_key: dict[str, Column] = {}
    for column in found:
        key = column.label if column.entry.takes in ("cutoffs", "levels") else column.entry.name
        if key in by_key:
            raise UnsupportedMeasure(
                f"{by_key[key].label} and {column.label} would both be {key!r} in the result; "
                "ask for one of them"
            )
        by_key[key] = column
    return by_key


def _texts_of(measures: Iterable[str]) -> tuple[str, ...]:
    """The measures, sorted; one alone is accepted, too."""
    alone = isinstance(measures, str) or not isinstance(measures, Iterable)
    texts: list[Any] = [measures] if alone else [*measures]
    for text in texts:
        if not isinstance(text, str):
            raise UnusableInput(
                f"measures are a set of names such as {{'map', 'ndcg_cut_10'}}, not {text!r} "
                f"({type(text).__name__})"
            )
    return tuple(sorted(texts))


def _dotted(text: str) -> Iterator[str]:
    """The measures of a text as trec_eval writes them: `ndcg_cut_10` is `ndcg_cut.10`."""
    if text in supported_nicknames:
        for member in sorted(supported_nicknames[text]):
            yield from _dotted(member)
        return
    parts = None if text in MEASURES else re.fullmatch(r"(.+?)[._]([-+.0-9].*)", text)
    name, parameters = parts.groups() if parts else (text, "")
    if name not in supported_measures:
        raise UnsupportedMeasure(f"unsupported measure {text}: {_why_not(name)}")
    if MEASURES[name].takes in ("cutoffs", "levels"):
        parameters = ",".join(dict.fromkeys(parameters.split(",")))  # each once
    yield f"{name}.{parameters}" if parameters else name


def _why_not(name: str) -> str:
    entry = MEASURES.get(name)
    if entry is None:
        known_names = sorted([*supported_measures, *supported_nicknames], key=str.lower)
        return (
            f"pytrec_eval has no measure {name!r}{nearest(name, known_names)}; "
            f"it has {', '.join(known_names)} (rankgauge.evaluate has others)"
        )
    if entry.since > RULES:
        return (
            f"pytrec_eval has the measures of trec_eval {RULES}, and {name} is newer; use rankgauge.evaluate"
        )
    return f"pytrec_eval does not have {name}; `rankgauge trec_eval -m {name}` does"


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
        texts = _texts_of(measures)
        self._keys = tuple(_columns_of(texts))
        settings = Settings(
            level=_level(relevance_level), judged_only=bool(judged_docs_only_flag), rules=RULES
        )
        judged = _plain(query_relevance, "query_relevance", "grade")
        self._rankings: DictRankings | None = None
        self._programmed: Programmed | None = None
        if not any(judged.values()):
            return
        try:
            qrels = Qrels.from_dict(judged)
        except InputError as error:
            raise UnusableInput(f"query_relevance: {error}") from None
        self._formulas, lowest, program = _prepared(texts, settings, (*qrels.levels.tolist(),))
        order = DocumentOrder(score_precision="single")  # as trec_eval 9 stores scores
        engine = LocalEngine(qrels, order, lowest)
        self._rankings = DictRankings(engine, lowest, [*blocks(qrels, lowest)])
        self._programmed = None if program is None else engine.programmed(program, self._keys)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """`{topic: {key: value}}` for the topics of a run, `{topic: {document: score}}`, that are judged."""
        run = _plain(scores, "scores", "score")
        if self._rankings is None:
            return {}
        if self._programmed is not None:
            with suppress(Unsupported):
                values: dict[str, dict[str, float]] | None = self._programmed.of_mapping(run)
                if values is not None:
                    return values
        return self._by_arrays(self._rankings, run)

    def _by_arrays(
        self, rankings: DictRankings, run: dict[Any, dict[Any, Any]]
    ) -> dict[str, dict[str, float]]:
        topics = rankings.judged(run)
        ordered = sorted(topics.values())
        rows: list[dict[str, float]] = []
        try:
            for judged in rankings.of(run, ordered) if self._keys else ():
                columns = [formula(judged).tolist() for formula in self._formulas]
                rows += (dict(zip(self._keys, row, strict=True)) for row in zip(*columns, strict=True))
        except InputError as error:
            raise UnusableInput(f"scores: {error}") from None
        by_row = dict(zip(ordered, rows or [{}] * len(ordered), strict=True))
        return {topic: by_row[row] for topic, row in topics.items()}


@lru_cache(maxsize=64)  # some build an evaluator per topic
def _prepared(
    texts: tuple[str, ...], settings: Settings, levels: tuple[float, ...]
) -> tuple[list[Formula], float, Program | None]:
    """(formulas of columns, the lowest grade that any of them distinguishes from unjudged, their program)."""
    columns = [*_columns_of(texts).values()]
    computed = [column for column in columns if column.entry.name not in CONSTANTS]
    used = [each for column in computed for each in measures(column, settings, levels)]
    lowest = lowest_grade(used) if used else math.inf
    formulas = [
        as_shown(column, formula(column, settings, levels))
        if column.entry.name not in CONSTANTS
        else partial(_constant, CONSTANTS[column.entry.name])
        for column in columns
    ]
    program = None
    if FASTER:
        program, recorded = record([*map(alone, formulas)], levels)
        program = program if len(recorded) == len(formulas) else None
    return formulas, lowest, program


def _constant(value: float, judged: Any) -> Any:
    return (judged.retrieved * 0.0 + value).reshape(-1)


def _level(level: Any) -> int:
    try:
        number = operator.index(level)
    except TypeError:
        number = 0
    if number < 1:
        raise UnusableInput(f"relevance_level must be a whole number from 1 on, not {level!r}")
    return number


def _plain(nested: Any, argument: str, number: str) -> dict[Any, dict[Any, Any]]:
    """The argument as a dict of dicts, which the core takes."""
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
