"""The command itself: options in, lines and notes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rankgauge.compat.trec_eval import output, zscores
from rankgauge.compat.trec_eval.columns import requested
from rankgauge.compat.trec_eval.options import Options
from rankgauge.compat.trec_eval.values import found
from rankgauge.errors import NoCommonTopic


@dataclass
class Report:
    """The lines of the output, and what there is to say beside them."""

    lines: Iterator[str]
    notes: list[str]


def report(options: Options) -> Report:
    """Evaluate, and say it as trec_eval does."""
    columns, notes = requested(options.measures, options.rules)
    norms = None if options.norms is None else zscores.read(options.norms)
    values = found(options, columns)
    evaluated = [
        number
        for number, (topic, retrieved) in enumerate(zip(values.topics, values.retrieved, strict=True))
        if options.topic in (None, topic) and (retrieved or options.complete)
    ]
    if not evaluated:
        raise NoCommonTopic(
            f"-D names topic {options.topic!r}, which has no judgments or no results; name one that has both"
        )
    missing = sum(retrieved == 0 for retrieved in values.retrieved)
    if missing and not options.complete:
        one = "1 judged topic has no results and is left out (-c counts it as 0)"
        many = f"{missing} judged topics have no results and are left out (-c counts them as 0)"
        notes.append(f"{one if missing == 1 else many}; trec_eval 10 stops here")
    return Report(output.lines(options, columns, values, evaluated, norms), notes + values.notes)
