"""Ratings of answers by ragas, DeepEval and TruLens, as scores: a topic is a question, a measure a column.

These tools ask a language model; here their results are compared, tested, and corrected by ratings of people.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from rankgauge.core.ids import to_bytes
from rankgauge.engines.facts import gathered, source_of, versions
from rankgauge.errors import InputError, MeasureError
from rankgauge.extensions.judging.corrected_scores import CorrectedScores
from rankgauge.formats.columns import guess
from rankgauge.formats.json import object_lines
from rankgauge.formats.problems import quote
from rankgauge.formats.source import NamedPath, Source, expand, run_name
from rankgauge.formats.text_files import is_json
from rankgauge.measures.language import several
from rankgauge.model.provenance import MeasureFacts, Provenance, QrelsFacts, RunFacts
from rankgauge.model.rules import ESTIMATOR, TARGET, Estimator, Target, TopicRules, refuse_correction
from rankgauge.model.score_tables import TableColumns, cell_number, cell_text, is_absent, is_number
from rankgauge.model.scores import Scores
from rankgauge.schema.registry import fold
from rankgauge.schema.text import brief, joined, unknown_name

__all__ = ["evaluate", "holds_ratings", "parse", "parse_given"]

NAMES = {
    "topic": "user_input question query input name",
    "answer": "response answer output actual_output",
    "run": "run run_name experiment app_id app_name",
    "version": "app_version",
}
# Columns of numbers that rate no answer.
OTHERS = {*map(fold, ("ts", "latency", "cost", "total_cost", "total_tokens", "index", "record_id", "type"))}
# Ratings of DeepEval and ragas of which lower ones are better; ragas adds a mode to the name.
LOWER_IS_BETTER = {*map(fold, ("hallucination", "bias", "toxicity"))}
NOISE = fold("noise_sensitivity")
CASES = ("testCases", "test_cases")  # of DeepEval's file
CITE = "ratings by a language model, read from its tool"

Ratings = dict[str, dict[str, dict[str, float]]]  # {run: {topic: {measure: value}}}


def evaluate(
    ratings: Any,
    measures: str | Iterable[str] | None = None,
    *,
    human_qrels: Any = None,
    human_topics: Any = None,
    estimator: Estimator = ESTIMATOR.default,
    target: Target = TARGET.default,
) -> Scores:
    """The ratings of every run and question, as scores.

    `ratings` is a file of ragas, DeepEval or TruLens (CSV, JSON, JSON lines, Parquet), a frame or dataset,
    several of them, or {run: one of these}; a table without a column of runs is a run, called by its file.
    `measures` are names of columns, by default all that have ratings. A missing rating is unknown, and left
    out of the mean. With `human_qrels`, ratings of some questions by people in the same form, the result is
    `CorrectedScores`.

    >>> rows = [{"user_input": "Who?", "response": "Z", "faithfulness": 0.5}]
    >>> evaluate({"new": rows}).mean()
    {'new': {'faithfulness': 0.5}}
    """
    scores = _scores(ratings, measures)
    if human_qrels is None:
        refuse_correction(human_topics, estimator, target)
        return scores
    human = _scores(human_qrels, scores.measures)
    return CorrectedScores.of(scores, human, human_topics=human_topics, estimator=estimator, target=target)


def holds_ratings(path: str) -> bool:
    """Whether a file has a question, an answer and ratings in its first record."""
    try:
        table = next(iter(_tables(expand(path)[0])))[1]
        return bool(_role(table, "answer") and _role(table, "topic") and _rated(table))
    except (InputError, StopIteration):
        return False


def parse(text: str) -> str:
    """A measure is the name of a column."""
    return text


def parse_given(measures: str | Iterable[str]) -> dict[str, str]:
    """{given name: name}; names may have spaces, so a comma separates several."""
    texts = several(measures)
    if wrong := [text for text in texts if not isinstance(text, str)]:
        raise MeasureError(f"a rating is named by the text of its column, not {brief(wrong[0])}")
    given = {name.strip(): name.strip() for text in texts for name in text.split(",") if name.strip()}
    if not given:
        raise MeasureError("no ratings are named; name at least one column of them, or none to have all")
    return given


def _scores(given: Any, measures: str | Iterable[str] | None) -> Scores:
    found, source, rules = _read(given), source_of(given), TopicRules(missing="skip", undefined="skip")
    known = [*dict.fromkeys(name for run in found.values() for of_topic in run.values() for name in of_topic)]
    wanted = known if measures is None else (_known(name, known) for name in parse_given(measures))
    names = [*dict.fromkeys(wanted)]
    topics = sorted({topic for of_run in found.values() for topic in of_run}, key=to_bytes)
    values = np.array(
        [
            [[run.get(topic, {}).get(name, math.nan) for topic in topics] for name in names]
            for run in found.values()
        ]
    )
    rated = np.array([[topic in of_run for topic in topics] for of_run in found.values()])
    provenance = Provenance(
        versions=versions(),
        options=rules.as_dict(),
        measures={name: MeasureFacts(name, cite=CITE, direction=_direction(name)) for name in names},
        qrels=QrelsFacts(source, len(topics)),
        runs={
            run: RunFacts(source, topics=int(has.sum()), missing=int((~has).sum()))
            for run, has in zip(found, rated, strict=True)
        },
    )
    return gathered(topics, np.array(values), rules.counts(rated), rules, provenance)


def _direction(name: str) -> int:
    return -1 if fold(name) in LOWER_IS_BETTER or fold(name).startswith(NOISE) else 1


def _known(name: str, known: Iterable[str]) -> str:
    for each in known:
        if fold(each) == fold(name):
            return each
    raise MeasureError(unknown_name("rating", name, known))


def _read(given: Any) -> Ratings:
    """The ratings in files, tables, or several of them."""
    found: Ratings = {}
    for run, table in _tables(given):
        topic, answer, rated = _role(table, "topic"), _role(table, "answer"), _rated(table)
        if topic is None or not rated:
            has = joined([*map(quote, [*table.columns][:9])] or ["none"])
            raise table.error(
                "holds no ratings of answers; expected a column of questions (user_input, input) and columns "
                f"of numbers, found {has}"
            )
        for row, question in enumerate(map(_text, table.columns[topic])):
            if not question:
                raise table.error(f"row {row + 1} has no question in column {quote(topic)}; name each", row)
            of_run = found.setdefault(_run_of(table, row) or run, {})
            if question in of_run:
                raise table.error(f"question {quote(question)} is rated twice in a run; keep one", row)
            cells = {name: cell_number(table.columns[name][row], name) for name in rated if name != answer}
            of_run[question] = {name: math.nan if cell is None else cell for name, cell in cells.items()}
    if not found:
        raise InputError("there are no ratings; pass at least one file or table")
    return found


def _run_of(table: TableColumns, row: int) -> str:
    parts = (_role(table, "run"), _role(table, "version"))
    return " ".join(filter(None, (_text(table.columns[name][row]) for name in parts if name is not None)))


def _text(cell: Any) -> str:
    return "" if is_absent(cell) else cell_text(cell).strip()


def _role(table: TableColumns, role: str) -> str | None:
    return guess([*table.columns], role, NAMES)


def _rated(table: TableColumns) -> list[str]:
    """The columns of ratings: of numbers, some of which are there. A text among more numbers is an error."""
    roles = {_role(table, role) for role in NAMES}
    found = []
    for name, cells in table.columns.items():
        numbers = [is_number(cell) for cell in cells]
        known = sum(
            number and cell_number(cell, name) is not None
            for number, cell in zip(numbers, cells, strict=True)
        )
        if name in roles or fold(name) in OTHERS or not known:
            continue
        texts = len(cells) - sum(numbers)
        if texts < known:
            if texts:
                table.number(name, numbers.index(False))  # raises the error
            found.append(name)
    return found


def _tables(given: Any) -> Iterator[tuple[str, TableColumns]]:
    """(name of the run, table) of each file or object."""
    if isinstance(given, (str, os.PathLike)):
        paths = [given] if isinstance(given, NamedPath) else expand(given)
        yield from ((run_name(path), _table_of_file(path)) for path in paths)
    elif isinstance(given, Mapping) and not _is_column(next(iter(given.values()), None)):
        yield from ((str(run), table) for run, each in given.items() for _, table in _tables(each))
    elif isinstance(given, (list, tuple)) and given and all(isinstance(each, Mapping) for each in given):
        yield "run", _of_records(given, "records")
    elif isinstance(given, (list, tuple)):
        for each in given:
            yield from _tables(each)
    else:
        given = given.to_pandas() if hasattr(given, "to_pandas") else given
        yield "run", TableColumns.of(given)


def _is_column(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and not any(isinstance(each, Mapping) for each in value)


def _table_of_file(path: str | os.PathLike[str]) -> TableColumns:
    source = Source(path)
    if not is_json(source, ""):
        return TableColumns.of(path)
    text = b"".join(source.chunks()).decode("utf-8", "surrogateescape")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = [row for _, row in object_lines(source)]
    if isinstance(document, Mapping):
        document = next((_of_cases(document[name]) for name in CASES if name in document), [document])
    if not (isinstance(document, list) and all(isinstance(row, Mapping) for row in document)):
        raise InputError("holds no list of records with ratings", path=source.path)
    return _of_records(document, source.path, source.path)


def _of_records(rows: Iterable[Mapping[str, Any]], source: str, path: str | None = None) -> TableColumns:
    rows = [*rows]
    names = dict.fromkeys(str(name) for row in rows for name in row)
    return TableColumns({name: [row.get(name) for row in rows] for name in names}, source, path)


def _of_cases(cases: Any) -> list[dict[str, Any]]:
    """The test cases of DeepEval as rows; its ratings are in a list of metrics."""
    rows = []
    for case in cases if isinstance(cases, list) else ():
        if not isinstance(case, Mapping):
            raise InputError(f"a test case of DeepEval is an object, not {brief(case)}")
        metrics = case.get("metricsData") or case.get("metrics_data") or ()
        if not (isinstance(metrics, (list, tuple)) and all(isinstance(each, Mapping) for each in metrics)):
            raise InputError(f"the metrics of a test case of DeepEval are objects, not {brief(metrics)}")
        rated = {each["name"]: each.get("score") for each in metrics if "name" in each}
        question = case.get("input") or case.get("name")
        rows.append(
            {"input": question, "output": case.get("actualOutput", case.get("actual_output", "")), **rated}
        )
    return rows
