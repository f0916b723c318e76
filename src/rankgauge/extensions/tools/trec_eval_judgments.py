"""Judgments of groups of assessors, and preferences, for the command `trec_eval`."""

from __future__ import annotations

from collections.abc import Sequence

from rankgauge.compat.trec_eval.arrays import reading
from rankgauge.compat.trec_eval.columns import Column, Options
from rankgauge.compat.trec_eval.formulas import measure
from rankgauge.compat.trec_eval.values import Values
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.run_inputs import RunInput, first_topics
from rankgauge.extensions.tools import assessor_groups as groups
from rankgauge.extensions.tools import preferences
from rankgauge.extensions.tools.preferences import Judges
from rankgauge.model.rules import DocumentOrder, TopicRules


def from_groups(options: Options, columns: Sequence[Column]) -> Values:
    """Mean values over groups of assessors (-R qrels_jg)."""
    by_group = groups.read(options.qrels)
    levels = sorted({level for qrels in by_group.values() for level in qrels.levels.tolist()})
    measures = {column: measure(column, options, levels) for column in columns}
    chosen = list(measures.values())
    values, retrieved, _ = reading(
        options.run,
        lambda run: groups.evaluate_run(
            run,
            by_group,
            chosen,
            options.order,
            TopicRules(),
            options.depth,
            needs_results=options.needs_results,
        ),
    )
    rows = dict(zip(measures, values.tolist(), strict=True))
    return Values(groups.judged_topics(by_group), retrieved.tolist(), rows)


def from_preferences(options: Options, columns: Sequence[Column]) -> Values:
    """Values by preferences (-R prefs and qrels_prefs)."""
    form = "qrels" if options.rel_format == "qrels_prefs" else "prefs"
    # Here, and only here, trec_eval orders documents of equal score by ascending id.
    order = DocumentOrder(ties="docid_asc", score_precision=options.order.score_precision)
    judges = Judges(preferences.read(options.qrels, form), order, options.depth)

    def work(run: RunInput) -> Values:
        retrieved = judges.retrieve(run.open())
        if options.needs_results and not retrieved.retrieved.any():
            raise no_common_topic(run.name, judges.topics, first_topics(run), retrieved.assumed)
        values: dict[Column, list[float]] = {column: [] for column in columns}
        for counts in judges.counts(retrieved):
            for column, numbers in values.items():
                numbers.append(preferences.MEASURES[column.entry.name].value(counts))
        return Values(judges.topics, retrieved.retrieved.tolist(), values)

    return reading(options.run, work)


def title(name: str) -> str:
    """The title of a measure of preferences."""
    return preferences.MEASURES[name].title
