"""Judgments with the costs of documents, for TBG and U_measure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.problems import parse_number, quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import fields_of_lines
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.parameters import Number, declared, is_number

LAYOUT = "document cost"


def with_costs(
    qrels: Any,
    costs: Any,
    runs: Iterable[Any] = (),
    *,
    fixed: Annotated[float, Number(0), "the cost of any document, beside that of its length"] = 0.0,
    per_unit: Annotated[float, Number(0, above=True), "the cost of each unit of its length"] = 1.0,
) -> SubtopicQrels:
    """Judgments in which documents have a cost, from {document: length or cost}, or a file of such lines.

    A document costs `fixed + per_unit * length`. Costs are grades below 0 for the subtopic `cost`, so that
    other measures have the values they had, but for infAP, to which such documents are pooled and not judged.
    They are kept for documents judged or retrieved by these runs.
    """
    known = declared(with_costs)
    fixed, per_unit = (
        known[name].read("costs of documents", value, OptionError)
        for name, value in (("fixed", fixed), ("per_unit", per_unit))
    )
    table = {doc: fixed + per_unit * length for doc, length in _lengths(costs).items()}
    judged = Qrels.of(qrels).to_dict()
    seen = {topic: dict.fromkeys(grades) for topic, grades in judged.items()}
    for each in runs:
        for topic, results in Run.of(each).to_dict().items():
            if topic in seen:
                seen[topic] |= dict.fromkeys(results)
    nested = {
        topic: {
            "relevance": grades,
            "cost": {doc: -table[doc] for doc in seen[topic] if table.get(doc, 0) > 0},
        }
        for topic, grades in judged.items()
    }
    if not any(each["cost"] for each in nested.values()):
        raise InputError("no document that is judged or retrieved has a cost; are they the same documents?")
    return SubtopicQrels.of(nested)


def _lengths(costs: Any) -> dict[str, float]:
    if isinstance(costs, Mapping):
        named: Iterator[tuple[str, Any, int | None]] = (
            (str(doc), value, None) for doc, value in costs.items()
        )
    else:
        lines = fields_of_lines(Source(costs), LAYOUT, loose=True)
        named = ((to_text(doc), parse_number(text), number) for number, (doc, text) in lines)
    table: dict[str, float] = {}
    for doc, value, line in named:
        if not is_number(value) or not 0 <= value < math.inf:
            message = f"the cost of document {quote(doc)} is no number from 0 on; a line is: {LAYOUT}"
            raise InputError(message, path=None if line is None else Source(costs).path, line=line)
        table[doc] = float(value)
    return table
