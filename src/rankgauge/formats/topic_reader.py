"""Reads topics with their results inside (`nested`), as JSON has them; a result is as in `topic_lists`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError
from rankgauge.formats import assumptions
from rankgauge.formats.columns import NAMES, guess
from rankgauge.formats.nested import LIST_OF, is_response, list_inside, name_of_list, topic_name
from rankgauge.formats.problems import MALFORMED, VALUE, looks_like, quote
from rankgauge.formats.registry import Request
from rankgauge.formats.row_reader import RowCollector, identifier, number_or_text
from rankgauge.formats.source import Source, stem
from rankgauge.formats.topic_lists import Results, names_of, results_of


class Topics:
    """Collects the rows of topics with their results."""

    def __init__(self, rows: RowCollector, source: Source, request: Request) -> None:
        self._rows, self._source, self._request = rows, source, request
        self._sizes: dict[bytes, int] = {}  # results so far, for topics that come in several pages
        self.assumed = ""

    def add_all(self, topics: Iterable[tuple[int, Any]], alone: bool = False) -> str:
        """Add all topics, each with its line; what was assumed comes back. `alone`: there is one."""
        if self._request.columns:
            raise InputError(
                "column names are for rows of one document each, and these are topics with their results; "
                "leave the column names out, and call what is inside query_id, results, id and score",
                path=self._source.path,
            )
        for order, (line, row) in enumerate(topics, 1):
            problem = self._add(line, row, order, alone)
            if problem:
                text = quote(repr(row))
                self._rows.problem(MALFORMED, line, text.encode("utf-8", "replace"), f"{problem}: {text}")
        return self.assumed

    def _add(self, line: int, row: Any, order: int, alone: bool) -> str | None:
        """Add a topic; what is wrong with it, if anything."""
        if not isinstance(row, dict):
            return "expected an object with a topic and its results, found something else"
        if "error" in row and not name_of_list(row):
            return "this is an error of the search engine, and no results; search again"
        name = topic_name(row)
        if name is None and not is_response(row):
            return f"the topic is missing; call it one of {_some('topic')}"
        topic = identifier(row[name]) if name else self._assumed_topic(order, alone)
        if topic is None:
            return "the topic is not a text or a whole number"
        kind = self._rows.kind
        listed = name_of_list(row, kind)
        if listed is None:
            if guess(list(row), LIST_OF[kind]):
                return "the results of a topic must be a list of documents"
            return f"there is no list of documents; call it one of {_some(LIST_OF[kind])}"
        held = list_inside(row, kind)
        results = results_of(held, kind)
        judged = guess([listed], "judged") is not None
        if kind == "run" and judged:
            return looks_like("qrels")
        if kind == "qrels" and (is_response(row[listed]) or not (judged or _has_grades(row, held, results))):
            return looks_like("run")
        self._add_results(line, topic, results)
        return None

    def _assumed_topic(self, order: int, alone: bool) -> bytes:
        self.assumed = assumptions.FILE if alone else assumptions.NUMBERED
        return to_bytes(stem(self._source.path)) if alone else b"%d" % order

    def _add_results(self, line: int, topic: bytes, results: Results) -> None:
        kind, before = self._rows.kind, self._sizes.get(topic, 0)
        places = results.places(before)
        values = results.values(places, kind)
        ids, numbers = list(map(identifier, results.documents)), list(map(number_or_text, values))
        good = None not in ids and None not in numbers
        troubles = repeat(None, len(places)) if good else results.troubles(topic, kind, places)
        for id, value, place, given, trouble in zip(ids, numbers, places, values, troubles, strict=True):
            if trouble or id is None:
                assert trouble is not None
                self._rows.problem(trouble.code, line, trouble.text, trouble.message)
            else:
                rank = float(place) if kind == "run" else None
                self._rows.add(line, topic, id, value, repr(given).encode("utf-8", "replace"), rank)
        self._sizes[topic] = before + len(places)


def _has_grades(row: dict[str, Any], held: Any, results: Results) -> bool:
    """Whether a list that is not called judged has grades, by their name; a score is that of a run."""
    first = next(iter(held), None)
    if isinstance(first, dict):
        name = names_of(tuple(first), "qrels")[1]
        return name is not None and guess([name], VALUE["run"]) is None
    return results.numbers is not None and not is_response(row)


def _some(role: str) -> str:
    return ", ".join(NAMES[role].split()[:4])
