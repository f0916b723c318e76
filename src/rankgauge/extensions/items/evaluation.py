"""Evaluation of the lists of items that runs recommend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import Ids, to_bytes
from rankgauge.engines.facts import gathered, source_of, versions
from rankgauge.engines.local.document_ranks import RankedRun, in_parts
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.items.lists import KNOWLEDGE, Items, Lists
from rankgauge.extensions.items.spec import ItemMeasure, parse_given
from rankgauge.formats.columns import joined_ids
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.model.provenance import MeasureFacts, Provenance, QrelsFacts, RunFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import Reading, RunInputs
from rankgauge.model.run import Run
from rankgauge.model.scores import Scores
from rankgauge.schema.options import setting
from rankgauge.schema.text import brief

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

CAP = 10_000.0  # of inverse propensities, as in RecPack
Rows = tuple[Ids, Ids, Ints]  # topics, documents and ranks of a run


def evaluate(
    runs: Any,
    measures: str | Iterable[str],
    *,
    items: Any = None,
    interactions: Any = None,
    qrels: Any = None,
    targets: Mapping[str, Any] | None = None,
    repeats: str | None = None,
    **options: Unpack[RunInputs],
) -> Scores:
    """The value of every measure of recommended items, for every run and user.

    Measures are those of `MEASURES`, such as `"Coverage@10 MIUF@10 ILD(by=genre)@10"`. `items` is the
    catalogue: a file, frame or dict with a row per item, or a list of their ids. `interactions` are those of
    users with items before, in any form of judgments with grades above 0; `qrels` the items that users turned
    out to want. Users are those of `qrels`, or else of the runs. `targets` are shares of exposure, {group:
    share} or {topic: {group: share}}. With `repeats="."`, topics q1.1, q1.2, ... are several lists for q1.

    >>> lists = {"anna": ["i1", "i2"], "ben": ["i1", "i3"]}
    >>> evaluate(lists, "Coverage@1 Coverage@2", items=["i1", "i2", "i3", "i4"]).mean()
    {'run': {'Coverage@1': 0.25, 'Coverage@2': 0.75}}
    """
    parsed = {str(measure): measure for measure in parse_given(measures).values()}
    given = dict(zip(KNOWLEDGE, (items, interactions, qrels), strict=True))
    for measure in parsed.values():
        for need in measure.needs:
            if given[need] is None:
                raise MeasureError(f"{measure} needs {KNOWLEDGE[need]}; pass {setting(need)}")
    reading = Reading.of(options, RunInputs)
    order = reading.order.require_one_order("lists of items need")
    inputs = resolve_runs(runs, reading)
    judged = None if qrels is None else Qrels.of(qrels, duplicates=order.duplicates)
    seen = None if interactions is None else Qrels.of(interactions, duplicates="max")
    cutoffs = [measure.cutoff for measure in parsed.values()]
    depth = None if None in cutoffs else max(filter(None, cutoffs))
    rows = [_rows(run, reading, depth) for run in inputs]
    known = Items(items, seen, judged, [docs for _, docs, _ in rows])
    topics = _topics(judged, rows, repeats)
    share = None if targets is None else _targets(targets, topics, known, parsed.values())
    values, weights, counted, facts = [], [], [], {}
    for run, (of_rows, _, rank), item in zip(inputs, rows, known.of_runs, strict=True):
        known.check_catalogue(run.name, item)
        lists = _lists(known, topics, of_rows, item, rank, repeats)._replace(targets=share)
        values.append([_by_topic(measure, lists, len(topics)) for measure in parsed.values()])
        has_list = np.bincount(lists.topic[lists.of], minlength=len(topics)) > 0
        weights.append(np.bincount(lists.topic[lists.of], lists.wanted, len(topics)))
        counted.append(reading.topics.counts(has_list))
        facts[run.name] = RunFacts(
            run.source, topics=int(has_list.sum()), retrieved=len(item), missing=int((~has_list).sum())
        )
    provenance = Provenance(
        versions=versions(),
        options=order.as_dict() | reading.topics.as_dict(),
        measures={
            name: MeasureFacts(
                m.title, m.formula, m.cite, direction=m.direction, average=m.average, share=m.share
            )
            for name, m in parsed.items()
        },
        qrels=QrelsFacts("" if qrels is None else source_of(qrels), len(topics)),
        runs=facts,
    )
    found = np.array(values)
    micro = {  # of topics without a value, neither counts
        name: np.where(np.isnan(found[:, place]), 0.0, weights)
        for place, (name, measure) in enumerate(parsed.items())
        if measure.average == "micro"
    }
    return gathered(topics.texts(), found, np.array(counted), reading.topics, provenance, micro)


def _rows(run: RunInput, reading: Reading, depth: int | None) -> Rows:
    def first(loaded: Sequence[Run], _: int) -> Rows:
        return RankedRun(loaded[0], reading.order).first(depth)

    topics, docs, ranks = zip(*in_parts([run], reading.order, first), strict=True)
    return joined_ids(topics), joined_ids(docs), np.concatenate(ranks)


def _topics(judged: Qrels | None, rows: Sequence[Rows], repeats: str | None) -> Ids:
    """The topics that are evaluated, ascending as bytes."""
    if judged is not None:
        return Ids.of(map(to_bytes, judged.sorted_topics))
    names = {name for topics, _, _ in rows for name in topics.encode()[1]}
    return Ids.of(sorted({_without_number(name, repeats) for name in names}))


def _without_number(name: bytes, repeats: str | None) -> bytes:
    stem, mark, _ = name.rpartition(to_bytes(repeats)) if repeats else (name, b"", b"")
    return stem if mark else name


def _lists(known: Items, topics: Ids, of_rows: Ids, item: Ints, rank: Ints, repeats: str | None) -> Lists:
    code, names = of_rows.encode()
    place = {name: number for number, name in enumerate(topics)}
    of_lists = np.array([place.get(_without_number(name, repeats), -1) for name in names], dtype=np.int64)
    kept = np.flatnonzero(of_lists >= 0)  # lists of topics that are evaluated
    number = np.full(len(names), -1)
    number[kept] = np.arange(len(kept))
    rows = np.flatnonzero(number[code] >= 0)
    rows = rows[np.lexsort((rank[rows], number[code[rows]]))]
    topic, wanted = known.wanted(topics)
    size = len(known)
    of_lists, of, items = of_lists[kept], number[code[rows]], item[rows]
    is_wanted: Bools = np.isin(of_lists[of] * size + items, topic * size + wanted)
    return Lists(
        items=known,
        topic=of_lists,
        of=of,
        rank=rank[rows],
        item=items,
        wanted=is_wanted,
        relevant=np.bincount(topic, minlength=len(topics)),
        wanted_pairs=(topic, wanted),
    )


def _by_topic(measure: ItemMeasure, lists: Lists, topics: int) -> Floats:
    """(topics,) the values of lists, averaged over those of a topic; NaN for topics without one."""
    found = measure.values(lists)
    count = np.bincount(lists.topic, minlength=topics)
    total = np.bincount(lists.topic, found, topics)
    if measure.average == "sum":
        return np.where(count > 0, total, np.nan)
    values: Floats = np.divide(total, count, out=np.full(topics, np.nan), where=count > 0)
    return values


def _targets(
    targets: Mapping[str, Any], topics: Ids, known: Items, measures: Iterable[ItemMeasure]
) -> Floats:
    """(topics, groups) shares that sum up to 1, of the groups in the column of all measures."""
    columns = {measure.settings["by"] for measure in measures if measure.settings.get("by")}
    if len(columns) != 1:
        raise OptionError(
            "targets are shares of groups; name measures with one column by=, as in AWRF(by=group)"
        )
    groups, _ = known.memberships(columns.pop())
    if not (isinstance(targets, Mapping) and targets):
        raise OptionError(f"targets are shares such as {{{groups[0]!r}: 1}}, not {brief(targets)}")
    nested = all(isinstance(each, Mapping) for each in targets.values())
    of_topic = [targets.get(name, {}) if nested else targets for name in topics.texts()]
    for shares in of_topic:
        for group, share in shares.items():
            if group not in groups:
                raise InputError(f"targets name the group {group!r}, and there are {', '.join(groups)}")
            if not (isinstance(share, Real) and 0 <= float(share) < math.inf):
                given = f"the target of group {group!r} is {brief(share)}"
                raise InputError(f"{given}; expected a finite number, at least 0")
    found = np.array([[float(shares.get(group, 0)) for group in groups] for shares in of_topic])
    total = found.sum(axis=1, keepdims=True)
    parts: Floats = np.divide(found, total, out=np.full_like(found, np.nan), where=total > 0)
    return parts


def inverse_propensities(qrels: Any, interactions: Any = None, *, cap: float = CAP) -> Qrels:
    """Judgments whose gains are divided by how likely users were to see the item.

    With these, every sum of gains, such as `DCG@10` or `CG@10`, is corrected for that, and unbiased if the
    propensities are right. The propensity of an item is its share of all interactions, by default those in
    `qrels`; the gain per relevance is at most `cap`.

    >>> clicked = {"anna": {"i1": 1}, "ben": {"i1": 1, "i2": 1}}
    >>> inverse_propensities(clicked).to_dict()
    {'anna': {'i1': 1.5}, 'ben': {'i1': 1.5, 'i2': 3}}
    """
    judged = Qrels.of(qrels)
    seen = judged if interactions is None else Qrels.of(interactions, duplicates="max")
    code, _ = joined_ids([judged.docs, seen.docs]).encode()
    counts = np.bincount(code[len(judged.docs) :][seen.grades > 0], minlength=code.max(initial=0) + 1)
    of_each = counts[code[: len(judged.docs)]]
    inverse = np.divide(counts.sum(), of_each, out=np.full(len(of_each), float(cap)), where=of_each > 0)
    grades = judged.grades * np.where(judged.grades > 0, np.minimum(cap, inverse), 1.0)
    return Qrels(judged.topics, judged.topic, judged.docs, grades, name=judged.name)
