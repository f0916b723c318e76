"""trec_eval's output: the values of every topic, and their summary."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rankgauge.compat.trec_eval import zscores
from rankgauge.compat.trec_eval.columns import Column
from rankgauge.compat.trec_eval.options import Options
from rankgauge.compat.trec_eval.sources import last_tag
from rankgauge.compat.trec_eval.values import Values
from rankgauge.model.topic_rules import LEAST_OF_GEOMETRIC

SUMMARY = "all"
# Measures that have a value for a topic without results, by version; all others are 0 there.
WITHOUT_RESULTS = {9: ("num_rel",), 10: ("num_rel", "ideal_dcg", "prefs_num_prefs_poss", "yaap")}


def lines(
    options: Options,
    columns: Sequence[Column],
    values: Values,
    evaluated: Sequence[int],
    norms: zscores.Norms | None,
) -> Iterator[str]:
    """The lines of every topic, then those of the summary."""
    sums = dict.fromkeys(columns, 0.0)
    for number in evaluated:
        topic = values.topics[number]
        # Version 9 counts a topic without results (-c), and has no lines for it.
        shown = options.per_topic and (options.rules >= 10 or values.retrieved[number] > 0)
        for column in columns:
            if column in values.numbers:
                value = _value(options, column, values, number)
                if norms is not None:
                    value = zscores.score(value, norms.get((topic, column.label)), options.rules)
                sums[column] += value
                if shown and column.entry.shown == "both":
                    yield _line(column, topic, value, norms is not None)
            elif shown and column in values.texts:
                yield f"{column.label:<22}\t{topic}\t'{values.texts[column][number]}'"
    for column in columns if options.summary else ():
        if column.entry.name == "runid":
            yield f"{column.label:<22}\t{SUMMARY}\t{last_tag(options.run)}"
        elif column.entry.shown != "topics":
            total = sums[column]
            if options.complete and column.entry.name == "num_rel":
                total = values.relevant  # in trec_eval, -c pays no attention to -l, -D and -Z here
            yield _line(column, SUMMARY, _summary(column, total, len(evaluated)), norms is not None)


def _value(options: Options, column: Column, values: Values, number: int) -> float:
    """A column's value for one topic, as trec_eval prints it."""
    value = values.numbers[column][number]
    alone = column.entry.name in WITHOUT_RESULTS[options.rules]
    if math.isnan(value) or not (values.retrieved[number] or alone):  # undefined is 0 in trec_eval
        value = 0.0
    return math.log(max(value, LEAST_OF_GEOMETRIC)) if _geometric(column) else value


def _geometric(column: Column) -> bool:
    return column.entry.name.startswith("gm_")


def _summary(column: Column, total: float, topics: int) -> float:
    """The summary of a column over topics; `total` is added up in topic order, as in trec_eval."""
    if column.entry.name == "num_q":
        return float(topics)
    if column.entry.count:
        return total
    mean = total / topics if topics else 0.0
    return math.exp(mean) if _geometric(column) else mean


def _line(column: Column, topic: str, value: float, normed: bool) -> str:
    if normed:
        return f"Z{column.label:<22}\t{topic}\t{value:6.4f}"
    shown = str(int(value)) if column.entry.count else f"{value:6.4f}"
    return f"{column.label:<22}\t{topic}\t{shown}"
