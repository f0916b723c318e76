"""trec_eval's output: the values of every topic, and their summary."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rankgauge.compat.trec_eval import zscores
from rankgauge.compat.trec_eval.columns import Column
from rankgauge.compat.trec_eval.formulas import is_geometric, shown
from rankgauge.compat.trec_eval.options import Options
from rankgauge.compat.trec_eval.sources import last_tag
from rankgauge.compat.trec_eval.values import Values

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
    numbers = {column: _of_topics(options, column, values) for column in values.numbers}
    for number in evaluated:
        topic = values.topics[number]
        # Version 9 counts a topic without results (-c), and has no lines for it.
        printed = options.per_topic and (options.rules >= 10 or values.retrieved[number] > 0)
        for column in columns:
            if column in numbers:
                value = numbers[column][number]
                if norms is not None:
                    value = zscores.score(value, norms.get((topic, column.label)), options.rules)
                sums[column] += value
                if printed and column.entry.shown == "both":
                    yield _line(column, topic, value, norms is not None)
            elif printed and column in values.texts:
                yield f"{column.label:<22}\t{topic}\t'{values.texts[column][number]}'"
    for column in columns if options.summary else ():
        if column.entry.name == "runid":
            yield f"{column.label:<22}\t{SUMMARY}\t{last_tag(options.run)}"
        elif column.entry.shown != "topics":
            total = sums[column]
            if options.complete and column.entry.name == "num_rel":
                total = values.relevant  # in trec_eval, -c pays no attention to -l, -D and -Z here
            yield _line(column, SUMMARY, _summary(column, total, len(evaluated)), norms is not None)


def _of_topics(options: Options, column: Column, values: Values) -> list[float]:
    """A column's value for every topic, as trec_eval has it."""
    numbers = values.numbers[column]
    if column.entry.name not in WITHOUT_RESULTS[options.rules]:
        pairs = zip(numbers, values.retrieved, strict=True)
        numbers = [number if retrieved else 0.0 for number, retrieved in pairs]
    return shown(column, numbers)


def _summary(column: Column, total: float, topics: int) -> float:
    """The summary of a column over topics; `total` is added up in topic order, as in trec_eval."""
    if column.entry.name == "num_q":
        return float(topics)
    if column.entry.count:
        return total
    mean = total / topics if topics else 0.0
    return math.exp(mean) if is_geometric(column) else mean


def _line(column: Column, topic: str, value: float, normed: bool) -> str:
    if normed:
        return f"Z{column.label:<22}\t{topic}\t{value:6.4f}"
    shown = str(int(value)) if column.entry.count else f"{value:6.4f}"
    return f"{column.label:<22}\t{topic}\t{shown}"
