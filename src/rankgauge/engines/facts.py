"""The facts of a provenance, collected alike by every back end and engine."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

from rankgauge import core
from rankgauge._version import VERSION
from rankgauge.engines.requirements import counted_cutoffs
from rankgauge.engines.run_inputs import RunInput
from rankgauge.errors import NoCommonTopic
from rankgauge.formats import problems
from rankgauge.measures import Measure
from rankgauge.measures.language import note_on
from rankgauge.model import notes
from rankgauge.model.provenance import (
    MeasureFacts,
    OtherReading,
    Provenance,
    QrelsFacts,
    RandomOrders,
    RunFacts,
)
from rankgauge.model.rules import DocumentOrder, TopicRules
from rankgauge.model.scores import Scores

# Fields of MeasureFacts that add up over topics.
TOPIC_COUNTS = ("small_base", "out_of_reach", "beyond_base", "one_subtopic", "overlapping", "short")
NO_WEIGHTS: Mapping[str, Any] = {}
_BOUND_BY_CUTOFF: dict[Measure, bool] = {}  # answers of `_bound_by_cutoff`


def before_reading(
    measures: Mapping[str, Measure],
    order: DocumentOrder,
    rules: TopicRules,
    pools: Sequence[Any],
    qrels: QrelsFacts,
) -> Provenance:
    """The provenance as known before any run is read; of measures {text as given: measure}."""
    on_names = {str(m): note for text, m in measures.items() if (note := note_on(text, m))}
    return Provenance(
        versions=versions(),
        options=order.as_dict() | rules.as_dict(),
        measures={
            str(m): MeasureFacts.of(m)._replace(name_note=on_names.get(str(m), ""), **topic_counts(m, pools))
            for m in dict.fromkeys(measures.values())
        },
        qrels=qrels,
    )


def versions() -> dict[str, str]:
    """The versions of rankgauge, its core, NumPy and Python."""
    numpy = sys.modules.get("numpy")  # not used unless something has imported it
    return {
        "rankgauge": VERSION,
        "core": core.NAME,
        **({"numpy": numpy.__version__} if numpy else {}),
        "python": sys.version.split()[0],
    }


def topic_counts(measure: Measure, pools: Iterable[Any]) -> dict[str, float]:
    """The numbers of topics with too few relevant documents for the base or the cutoff, or too many for it.

    Also the highest grade without a gain, being below the default of rel; for measures of novelty, the number
    of topics with a single subtopic; for sampled pools, that of documents in several strata.
    """
    if measure.spec.needs.strata:
        starts = [pool.subtopics.starts for pool in pools]
        return {"overlapping": sum(int((each[1:] - each[:-1] > 1).sum()) for each in starts)}
    if measure.spec.needs.subtopics:
        starts = [pool.subtopics.subtopic_starts for pool in pools]
        return {"one_subtopic": sum(int((each[1:] - each[:-1] == 1).sum()) for each in starts)}
    base, cutoff = measure.settings.get("base", 0.0), measure.cutoff or math.inf
    small_base = out_of_reach = beyond_base = 0
    below_rel, levels = 0.0, None
    few = cutoff / measure.spec.shows.beyond_times if measure.spec.shows.beyond and measure.cutoff else 0.0
    for pool in pools:
        if pool.levels is not levels:  # one for all topics at once, where topics come one by one
            levels = pool.levels
            below_rel = max([below_rel, *measure.without_gain(levels.tolist())])
        if not base and not few and pool.sizes.max(initial=0) <= cutoff:
            continue
        relevant = measure.recall_base(pool).reshape(-1)
        small_base += int(((relevant > 0) & (relevant < base)).sum()) if base else 0
        beyond_base += int(((relevant > 0) & (relevant < few)).sum()) if few else 0
        many = relevant > cutoff
        if many.any() and _bound_by_cutoff(measure, pool, many.tolist().index(True)):
            out_of_reach += int(many.sum())
    return {
        "small_base": small_base,
        "out_of_reach": out_of_reach,
        "beyond_base": beyond_base,
        "below_rel": below_rel,
    }


def other_reading(
    reading: str, values: Any, others: Any, means: Sequence[float], other_means: Sequence[float]
) -> OtherReading:
    """Differences in values and in the order of runs from another reading."""
    import numpy as np

    def order(of: Sequence[float]) -> Any:
        column = np.array(of)
        return (column[:, None] > column) * 1 - (column[:, None] < column)

    known = ~np.isnan(values) & ~np.isnan(others)
    return OtherReading(
        reading=reading,
        differing=int((known & (values != others)).sum()),
        values=int(known.sum()),
        swapped=int((order(means) != order(other_means)).sum()) // 2,
        pairs=len(means) * (len(means) - 1) // 2,
    )


def list_lengths(measure: Measure, longest: int, pools: Iterable[Any]) -> dict[str, Any]:
    """N of a measure that pads lists to N documents, and the number of topics for which it is too short."""
    if not measure.spec.needs.pads_to_longest:
        return {}
    length = measure.settings.get("N", longest)
    short = sum(int((2 * measure.recall_base(pool) > length).sum()) for pool in pools)
    return {"N": length, "longest": measure.of_lists, "short": short}


def without_exact_ideal(measure: Measure, pools: Iterable[Any], topics: Sequence[str]) -> tuple[str, ...]:
    """The topics that have a value with ideal=greedy but none with ideal=exact."""
    if measure.settings.get("ideal") != "exact":
        return ()
    ideals = [measure.ideal(pool, measure.cutoff) for pool in pools]
    exact, greedy = ([x for j in ideals for x in m.value(j)] for m in (measure, measure(ideal="greedy")))
    missing = [math.isnan(x) and not math.isnan(y) for x, y in zip(exact, greedy, strict=True)]
    return tuple(compress(topics, missing))


def _bound_by_cutoff(measure: Measure, pool: Any, topic: int) -> bool:
    """Whether the cutoff keeps the ideal from the best value, as for recall."""
    if measure not in _BOUND_BY_CUTOFF:  # one answer serves all topics, and evaluators are made often
        cut, uncut = pool.values_of_ideal((measure, measure._replace(cutoff=None)), topic)
        _BOUND_BY_CUTOFF[measure] = cut < uncut == measure.spec.bounds[1]
    return _BOUND_BY_CUTOFF[measure]


def source_of(qrels: Any) -> str:
    """The path of judgments, the name of a `Qrels`, or the type of an object."""
    if isinstance(qrels, (str, os.PathLike)):
        return str(qrels)
    return str(qrels.name) if getattr(type(qrels), "kind", "") == "qrels" else type(qrels).__name__


def run_facts(run: RunInput, retrieved: Any, **more: Any) -> RunFacts:
    """The facts of a run, counted from its `RetrievedJudgments`."""
    return RunFacts(
        source=run.source,
        collapse=run.collapse,
        topics=int((retrieved.retrieved > 0).sum()),
        retrieved=int(retrieved.retrieved.sum()),
        missing=int((retrieved.retrieved == 0).sum()),
        none_relevant=not len(retrieved.rank),
        **retrieved.warnings._asdict(),
        unjudged_topics=retrieved.unjudged_topics,
        tied_topics=int((retrieved.tied > 0).sum()),
        tied_documents=int(retrieved.tied.sum()),
        decisive_ties=int(retrieved.decisive.sum()),
        duplicates_dropped=retrieved.dropped,
        assumed=retrieved.assumed,
        **more,
    )


def gathered(
    topics: Sequence[str],
    values: Any,
    counted: Any,
    rules: TopicRules,
    provenance: Provenance,
    weights: Mapping[str, Any] = NO_WEIGHTS,
) -> Scores:
    """The scores of the runs and measures of a provenance, which gets the numbers of undefined values.

    `values` are [run][measure][topic], `counted` is [run][topic], both arrays or vectors; `weights` are those
    of a micro average.
    """
    measures, runs = provenance.measures, {}
    gaps_of_runs = count_undefined(values, counted)
    for (run, facts), gaps, counts in zip(provenance.runs.items(), gaps_of_runs, counted, strict=True):
        for place, measure in enumerate(measures.values()):
            for topic in measure.unsolved:  # which a note names
                gaps[place] -= int(counts[topics.index(topic)])
        runs[run] = facts._replace(undefined=by_measure(measures, gaps))
    provenance = provenance._replace(runs=runs)
    return Scores(tuple(runs), tuple(topics), tuple(measures), values, counted, rules, provenance, weights)


def count_undefined(values: Any, counted: Any) -> list[list[int]]:
    """[run][measure]: topics that count and have no value."""
    if isinstance(values, list):  # of the back end without NumPy
        return [
            [sum(map(math.isnan, compress(row, counts))) for row in of_run]
            for of_run, counts in zip(values, counted, strict=True)
        ]
    gaps: list[list[int]] = ((values != values) & counted[:, None, :]).sum(axis=2).tolist()  # NaN alone
    return gaps


def notes_on(runs: Sequence[RunInput], retrieved: Sequence[Any]) -> tuple[str, ...]:
    """Warnings about runs, in sentences, from their `RetrievedJudgments`."""
    pairs = zip(runs, retrieved, strict=True)
    return notes.on_runs({run.name: run_facts(run, of_run) for run, of_run in pairs})


def by_measure(measures: Iterable[Measure | str], topics: Iterable[int]) -> dict[str, int]:
    """{measure: number of topics}, without measures that have none."""
    return {str(measure): count for measure, count in zip(measures, topics, strict=True) if count}


def value_facts(measures: Sequence[Measure], random: Sequence[int], above: Sequence[int]) -> dict[str, Any]:
    """Fields of `RunFacts` about values; `random` and `above` count topics by measure."""
    topics = by_measure(measures, random)
    orders = RandomOrders()
    if topics:
        from rankgauge.engines.tie_orders import RANDOM_ORDERS, SEED  # imports NumPy

        orders = RandomOrders(topics, RANDOM_ORDERS, SEED)
    return {"random_orders": orders, "above_ideal": by_measure(measures, above)}


def unjudged(measures: Sequence[Measure], retrieved: Any) -> Mapping[str, int]:
    """{cutoff: number of unjudged documents above it}."""
    return {
        str(k): int(retrieved.retrieved.clip(max=k).sum()) - retrieved.hits_within(k)
        for k in counted_cutoffs(measures)
    }


def no_common_topic(
    name: str, topics: Sequence[str], of_run: Sequence[str] = (), assumed: str = ""
) -> NoCommonTopic:
    """The error for a run without results for any judged topic; `of_run` has some that it has.

    `assumed` is what reading the run took for granted, which may be the cause.
    """
    from rankgauge.model.id_differences import topic_difference  # needed here alone

    def some(topics: Sequence[str]) -> str:
        return ", ".join([*map(repr, topics[:3]), *(["..."] if len(topics) > 3 else [])])

    others = f", only for {some(of_run)}" if of_run else ""
    difference = topic_difference(of_run, topics)
    return NoCommonTopic(
        f"run {name!r} has no results for any judged topic ({some(topics)}){others}; "
        + (
            f"topic ids differ {difference}"
            if difference
            else problems.assumption(assumed, "run")
            if {problems.NUMBERED, problems.FILE} & {*assumed.split()}
            else "check that run and judgments belong together and use the same topic ids"
        )
    )
