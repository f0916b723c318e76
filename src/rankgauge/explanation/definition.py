"""The definition of a value: the measure with its source and settings, and the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rankgauge.explanation.variants import ACROSS_TOPICS
from rankgauge.measures import Measure
from rankgauge.measures.framework import JUDGED_ONLY, NEGATIVES, REL
from rankgauge.measures.rankings.gains import GAINS, SCHEMES
from rankgauge.model import document_order, topic_rules
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.options import AVERAGES, Option
from rankgauge.schema.text import format_number

MOST_GRADES = 12  # whose gains are listed; there may be many more if grades are not whole numbers


def definition(
    measure: Measure,
    levels: Sequence[float],
    order: DocumentOrder,
    longest: int | None,
    topics: TopicRules | None = None,
    *,
    recoding: str = "",
) -> Iterator[tuple[str, str]]:
    """(what, how) of a measure and the rules; those for topics only if topics are averaged.

    `levels` are the grades of the judgments, `recoding` is how they were changed, and `longest` is the length
    of the longest list.
    """
    spec = measure.spec
    yield "title", spec.title
    yield "formula", spec.formula
    yield "source", spec.cite
    if spec.shows.caution:
        yield "caution", spec.shows.caution
    if spec.has("gains"):
        name = GAINS.write(measure.gains)
        yield "gains", f"{name} ({SCHEMES[name]})" if name in SCHEMES else name
        worth = [
            f"grade {format_number(grade)}: {format_number(measure.worth(grade, levels))}" for grade in levels
        ]
        yield "worth", ", ".join([*worth[:MOST_GRADES], *["..."][: len(worth) > MOST_GRADES]])
    if measure.discount is not None:
        yield "discount", measure.discount.words
    for parameter in spec.parameters:
        if parameter.name in ("gains", "discount", "base", *ACROSS_TOPICS):
            continue
        value = measure.settings.get(parameter.name, parameter.default)
        if parameter in (JUDGED_ONLY, NEGATIVES) and parameter.name not in measure.settings:
            continue
        if parameter == REL and measure.rel != value:  # grades are probabilities
            yield REL.name, "any grade above 0 counts as relevant"
            continue
        if value is not None:
            yield parameter.name, f"{parameter.kind.write(value)} ({parameter.help})"
        elif parameter.name == "N" and measure.of_lists:
            yield "N", f"{longest} (the length of the longest list of this run; N= sets another)"
    if spec.curve:
        yield "cutoff", "none" if measure.cutoff is None else str(measure.cutoff)
    if topics is not None:
        yield "average", f"{measure.average} ({AVERAGES[measure.average]})"
    if recoding:
        yield "grades", f"{recoding} (changed before anything else)"
    yield from _rules(document_order.OPTIONS, order, ("order", "ties"))
    if topics is not None:
        yield from _rules(topic_rules.OPTIONS, topics, ("missing", "undefined"))


def _rules(
    options: Iterable[Option], rules: DocumentOrder | TopicRules, always: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """(option, rule) of those options that are always shown, or are not at their defaults."""
    for option in options:
        rule = getattr(rules, option.name)
        if rule != option.default or option.name in always:
            yield option.name, f"{rule} ({option.rules[rule]})"
