"""The command itself: options in, lines and notes out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rankgauge.errors import NoCommonTopic
from rankgauge.trec_eval import zscores
from rankgauge.trec_eval.columns import Column, requested
from rankgauge.trec_eval.sources import last_tag
from rankgauge.trec_eval.table import DEFAULT
from rankgauge.trec_eval.values import Values, found, plainly

SUMMARY = "all"
LEAST_OF_GEOMETRIC = 1e-5  # no value counts as less in a geometric mean
# What the judgments alone say of a topic without results; everything else is 0 there.
WITHOUT_RESULTS = {9: ("num_rel",), 10: ("num_rel", "ideal_dcg", "prefs_num_prefs_poss")}


@dataclass(frozen=True)
class Options:
    """What the command was told."""

    qrels: str
    run: str
    measures: Sequence[str] = (DEFAULT,)
    per_topic: bool = False  # -q
    summary: bool = True  # not -n
    complete: bool = False  # -c
    level: int = 1  # -l
    judged_only: bool = False  # -J
    docs: int | None = None  # -N
    depth: int | None = None  # -M
    rel_format: str = "qrels"  # -R
    norms: str | None = None  # -Z
    topic: str | None = None  # -D n.TOPIC
    rules: int = 10


@dataclass
class Report:
    """The lines of the output, and what there is to say beside them."""

    lines: Iterator[str]
    notes: list[str] = field(default_factory=list)


def report(options: Options) -> Report:
    """Evaluate, and say it as trec_eval does."""
    columns, notes = requested(options.measures, options.rules)
    norms = zscores.read(options.norms) if options.norms is not None else None
    values = found(options, columns)
    notes += values.notes
    notes += _notes_on(columns)
    numbers = {topic: number for number, topic in enumerate(values.topics)}
    evaluated = [
        number
        for topic, number in numbers.items()
        if options.topic in (None, topic) and (options.complete or values.retrieved[number])
    ]
    if not evaluated:
        raise NoCommonTopic(
            f"-D names topic {options.topic!r}, which has no judgments or no results; name one that has both"
        )
    missing = sum(count == 0 for count in values.retrieved)
    if missing and not options.complete:
        topics = "1 judged topic has" if missing == 1 else f"{missing} judged topics have"
        notes.append(
            f"{topics} no results and {'is' if missing == 1 else 'are'} left out (-c counts them as 0); "
            "trec_eval 10 stops here"
        )
    return Report(_lines(options, columns, values, evaluated, norms), notes)


def _notes_on(columns: Sequence[Column]) -> Iterator[str]:
    for column in columns:
        if any(value % 1 for name, value in column.pairs if name != "p"):
            yield (
                f"{column.label}: the best ranking is sorted by gain; trec_eval takes gains that differ by "
                "less than 1 for equal, and may have another value"
            )


def _lines(
    options: Options,
    columns: Sequence[Column],
    values: Values,
    evaluated: Sequence[int],
    norms: zscores.Norms | None,
) -> Iterator[str]:
    """The lines: every topic's, then the summary."""
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
            yield _line(column, SUMMARY, _summary(column, sums[column], len(evaluated)), norms is not None)


def _value(options: Options, column: Column, values: Values, number: int) -> float:
    """A column's value for one topic, as trec_eval has it."""
    value = plainly(values.numbers[column][number])
    if not values.retrieved[number] and column.entry.name not in WITHOUT_RESULTS[options.rules]:
        value = 0.0
    return math.log(max(value, LEAST_OF_GEOMETRIC)) if _geometric(column) else value


def _geometric(column: Column) -> bool:
    return column.entry.name.startswith("gm_")


def _summary(column: Column, total: float, topics: int) -> float:
    """What all topics are together: trec_eval adds up one after the other."""
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
