"""The rules of an evaluation: how documents are ordered, and which topics count.

Functions take them as keywords: `**rules: Unpack[Rules]`.
`model.document_order` and `model.topic_rules` list the choices.
"""

# Without `from __future__ import annotations`: a TypedDict compiles annotations that are texts, and the first
# thing that a program compiles takes 2 ms.

from collections.abc import Mapping
from typing import Any, TypedDict

from rankgauge.errors import OptionError
from rankgauge.model import document_order, topic_rules
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.recoding import Grades
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.text import unknown_option

OPTIONS = (*document_order.OPTIONS, *topic_rules.OPTIONS)


class Rules(TypedDict, total=False):
    """All rules; one that is left out has its default."""

    order: str
    ties: str
    score_precision: str
    duplicates: str
    missing: str
    undefined: str


class Judging(Rules, total=False):
    """All rules, and how files or frames of judgments are read."""

    qrels_format: str | None
    qrels_columns: Mapping[str, str] | None
    grades: Grades


class Inputs(Judging, total=False):
    """All rules, and how files or frames of judgments and runs are read, as `evaluate` takes them."""

    run_format: str | None
    run_columns: Mapping[str, str] | None


def split_rules(rules: Mapping[str, Any]) -> tuple[DocumentOrder, TopicRules]:
    """The order of documents and the rules for topics from `Rules`."""
    names = [option.name for option in OPTIONS]
    for name in rules.keys() - {*names}:
        raise OptionError(unknown_option("an evaluation", "rule", name, names))
    of_topics = {option.name for option in topic_rules.OPTIONS}
    return (
        DocumentOrder(**{name: rule for name, rule in rules.items() if name not in of_topics}),
        TopicRules(**{name: rule for name, rule in rules.items() if name in of_topics}),
    )
