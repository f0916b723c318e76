"""trec_eval's output: the values of every topic, their summary, z-scores, and notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from rankgauge.compat.trec_eval.columns import Column, Options, requested
from rankgauge.compat.trec_eval.formulas import is_geometric, shown
from rankgauge.compat.trec_eval.values import Values, compute_small
from rankgauge.core.ids import to_text
from rankgauge.errors import InputError, NoCommonTopic
from rankgauge.formats import problems
from rankgauge.formats.source import Source, run_name
from rankgauge.formats.text_files import fields_of_lines

UNKNOWN = -1000000.0  # where there is no mean to compare with
LAYOUT = "topic measure mean deviation"

Norms = Mapping[tuple[str, str], tuple[float, float]]  # {(topic, measure): (mean, standard deviation)}


def read_norms(path: str) -> Norms:
    """Means and deviations from lines `topic measure mean deviation`."""
    source = Source(path)
    norms: dict[tuple[str, str], tuple[float, float]] = {}
    for number, fields in fields_of_lines(source, LAYOUT):
        mean, deviation = problems.parse_number(fields[2]), problems.parse_number(fields[3])
        if mean is None or deviation is None or not math.isfinite(mean) or not 0 <= deviation < math.inf:
            raise InputError(
                f"expected a mean and a standard deviation, found {problems.quote(b' '.join(fields[2:]))}; "
                "both are finite numbers, and a deviation is not below 0",
                path=source.path,
                line=number,
            )
        norms[to_text(fields[0]), to_text(fields[1])] = mean, deviation
    if not norms:
        raise InputError("the file has no rows; z-scores need at least one", path=source.path)
    return norms


def z_score(value: float, norm: tuple[float, float] | None, rules: int) -> float:
    """A value as a z-score; from version 10 on, 0 for the mean itself if the deviation is 0."""
    if norm is None:
        return UNKNOWN
    mean, deviation = norm
    if deviation:
        return (value - mean) / deviation
    return 0.0 if rules >= 10 and value == mean else UNKNOWN


TAIL = 1 << 16  # bytes that hold the last line
SUMMARY = "all"
# Measures that have a value for a topic without results, by version; all others are 0 there.
WITHOUT_RESULTS = {9: ("num_rel",), 10: ("num_rel", "ideal_dcg", "prefs_num_prefs_poss", "yaap")}


def lines(
    options: Options,
    columns: Sequence[Column],
    values: Values,
    evaluated: Sequence[int],
    norms: Norms | None,
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
                    value = z_score(value, norms.get((topic, column.label)), options.rules)
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


def last_tag(path: str) -> str:
    """The tag in the last line of a run's file."""
    source, tail = Source(path), b""
    if source.in_place:
        with source.opened() as file:
            file.seek(max(0, source.size - TAIL))
            tail = file.read(TAIL)
    else:
        for chunk in source.chunks():
            tail = (tail + chunk)[-TAIL:]
    for line in reversed(tail.split(b"\n")):
        columns = line.split()
        if len(columns) >= 6 and not columns[0].startswith(b"#"):
            return to_text(columns[5])
    return run_name(path)


def _of_topics(options: Options, column: Column, values: Values) -> list[float]:
    numbers = values.numbers[column]
    if column.entry.name not in WITHOUT_RESULTS[options.rules]:
        pairs = zip(numbers, values.retrieved, strict=True)
        numbers = [number if retrieved else 0.0 for number, retrieved in pairs]
    return shown(column, numbers)


def _summary(column: Column, total: float, topics: int) -> float:
    """The summary over topics; `total` is added up in topic order."""
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


def report(options: Options) -> tuple[Iterator[str], Sequence[str]]:
    """(the lines of trec_eval's output, notes on them)."""
    columns, notes = requested(options.measures, options.rules)
    norms = None if options.norms is None else read_norms(options.norms)
    values = compute_small(options, columns)
    if values is None:
        from rankgauge.compat.trec_eval.arrays import compute  # imports NumPy

        values = compute(options, columns)
    evaluated = [
        number
        for number, (topic, retrieved) in enumerate(zip(values.topics, values.retrieved, strict=True))
        if options.topic in (None, topic) and (retrieved or options.complete)
    ]
    if not evaluated:
        raise NoCommonTopic(
            f"topic {options.topic!r} of -D has no judgments or no results; use one that has both"
        )
    missing = sum(retrieved == 0 for retrieved in values.retrieved)
    if missing and not options.complete:
        one = "1 judged topic has no results and is left out (-c counts it as 0)"
        many = f"{missing} judged topics have no results and are left out (-c counts them as 0)"
        notes.append(f"{one if missing == 1 else many}; trec_eval 10 stops here")
    return lines(options, columns, values, evaluated, norms), [*notes, *values.notes]
