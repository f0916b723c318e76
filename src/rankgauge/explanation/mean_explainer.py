"""From the values of a run's topics to the explanation of their mean."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rankgauge.explanation.definition import definition
from rankgauge.explanation.mean import Alternative, MeanExplanation, TopicValue
from rankgauge.explanation.tools import other_tools
from rankgauge.explanation.variants import variants
from rankgauge.explanation.ways import OneRun, Way, set_to


def explain_mean(one: OneRun, asked: Way) -> MeanExplanation:
    """The explanation of the value of a run."""
    measure = asked.measure
    values = one.values(measure, asked.order)  # an error if the measure cannot be used
    retrieved = one.retrieved(asked.order)
    value = one.value(asked)
    assert value is not None
    counts = asked.topics.counts(retrieved.retrieved).tolist()
    parts = _contributions(asked, values.values, values.weights, counts)
    rows = zip(
        one.qrels.sorted_topics, values.values, retrieved.retrieved.tolist(), counts, parts, strict=True
    )
    topics = [TopicValue(*row) for row in rows]
    best = -1 if measure.spec.direction >= 0 else 1
    topics.sort(key=lambda each: (math.isnan(each.value), best * each.value, each.topic))
    levels = one.qrels.levels.tolist()
    return MeanExplanation(
        run=one.run.name,
        measure=str(measure),
        average=measure.average,
        value=value,
        definition=dict(
            definition(
                measure,
                levels,
                asked.order,
                int(retrieved.retrieved.max()),
                asked.topics,
                recoding=one.qrels.recoding,
            )
        ),
        topics=tuple(topics),
        missing=int((retrieved.retrieved == 0).sum()),
        undefined=sum(math.isnan(each.value) for each in topics if each.counts),
        variants=dict(_variants(one, asked, levels)),
        rules=tuple(_under_other_rules(one, asked)),
        tools=tuple(_by_other_tools(one, asked)),
        decisive_ties=int(one.decisive_ties(asked).sum()),
        ties=asked.order.ties,
        notes=one.notes(asked.order),
    )


def _contributions(
    way: Way, values: Sequence[float], weights: Sequence[float], counts: Sequence[bool]
) -> list[float | None]:
    """What each topic adds to the value; None for averages that are not sums, and for topics left out."""
    average = way.measure.average
    if average not in ("mean", "sum", "micro"):
        return [None] * len(values)
    of_none = way.topics.known([math.nan], way.measure.spec.direction)  # 0, or left out
    known = [
        count and (not math.isnan(value) or bool(of_none))
        for value, count in zip(values, counts, strict=True)
    ]
    if average == "micro":
        total = math.fsum(weight for weight, count in zip(weights, counts, strict=True) if count)
        each = [weight / total if total else math.nan for weight in weights]
    else:
        each = [1.0 if average == "sum" else 1 / max(1, sum(known))] * len(values)
    return [
        (0.0 if math.isnan(value) else value * part) if is_known else None
        for value, part, is_known in zip(values, each, known, strict=True)
    ]


def _variants(one: OneRun, asked: Way, levels: Sequence[float]) -> Iterator[tuple[str, float]]:
    """(measure, value) of other definitions of the same name."""
    others = list(dict.fromkeys(variants(asked.measure, levels, averages=True)))
    one.measure(others, asked.order)
    for measure in others:
        value = one.value(asked._replace(measure=measure))
        if measure != asked.measure and value is not None:
            yield str(measure), value


def _under_other_rules(one: OneRun, asked: Way) -> Iterator[Alternative]:
    for rule in one.other_rules(asked):
        value = one.value(asked.under(**rule))
        if value is not None:
            yield Alternative(set_to(rule), str(asked.measure), rule, value)


def _by_other_tools(one: OneRun, asked: Way) -> Iterator[Alternative]:
    for name, way in other_tools(asked):
        value = one.value(way)
        if value is not None:
            yield Alternative(name, str(way.measure), way.rules_unlike(asked), value)
