"""The command itself: from options to lines and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankgauge.compat.trec_eval import output, zscores
from rankgauge.compat.trec_eval.columns import requested
from rankgauge.compat.trec_eval.options import Options
from rankgauge.compat.trec_eval.scalars import compute_small
from rankgauge.errors import NoCommonTopic
from rankgauge.schema.frozen import Frozen


class Report(Frozen, eq=False):
    """The lines of the output, and notes on them."""

    lines: Iterator[str]
    notes: Sequence[str]


def report(options: Options) -> Report:
    """Evaluate, and report the values as trec_eval does."""
    columns, notes = requested(options.measures, options.rules)
    norms = None if options.norms is None else zscores.read(options.norms)
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
    return Report(output.lines(options, columns, values, evaluated, norms), [*notes, *values.notes])
