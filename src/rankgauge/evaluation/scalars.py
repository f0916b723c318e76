"""The road without NumPy, for what is small: importing NumPy would take longer than all the rest.

This is the one place that decides what is small and plain enough: TREC files, packed or not, of judgments
and runs with nothing wrong about them, and measures whose words `plain` has. Whatever else comes up is left
to `evaluation`, which also finds the words for what is wrong; the answer is then None.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, pairwise
from typing import Any

from rankgauge import core
from rankgauge.core.buffers import column, numbers, offsets, strings
from rankgauge.core.ids import to_text
from rankgauge.engines import facts
from rankgauge.errors import RankgaugeError
from rankgauge.formats import sniffing
from rankgauge.formats.source import Source, expand, run_name
from rankgauge.measures import Measure, parse_all
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.provenance import Provenance
from rankgauge.model.scores import Scores
from rankgauge.model.topic_rules import TopicRules
from rankgauge.rankings.scalars import JudgedRankings, Pool, Unsupported, Vector
from rankgauge.schema.frozen import Frozen

MOST_BYTES = 1 << 23  # of all files; larger ones are worth several threads
# How many judged documents are looked at, over all runs and measures. Each takes about a microsecond, and
# importing NumPy as long as so many; a topic takes as long as some documents, even if it has none.
MOST_WORK = 100_000
WORK_OF_TOPIC = 30


def scores(
    qrels: str,
    runs: Iterable[str],
    measures: str | Iterable[str],
    *,
    order: str,
    ties: str,
    score_precision: str,
    duplicates: str,
    missing: str,
    undefined: str,
    **inputs: Any,
) -> Scores | None:
    """What `rankgauge.evaluate` returns for files, or None where that has to be asked."""
    if any(inputs.values()):  # formats or the names of columns were given
        return None
    rules = DocumentOrder(order, ties, score_precision, duplicates), TopicRules(missing, undefined)
    try:
        return _scores(qrels, [path for run in runs for path in expand(run)], parse_all(measures), *rules)
    except (_Elsewhere, Unsupported, RankgaugeError):
        return None


class _Elsewhere(Exception):
    """Something that is not for here."""


def _scores(
    qrels: str, runs: Sequence[str], measures: tuple[Measure, ...], order: DocumentOrder, rules: TopicRules
) -> Scores:
    names, texts = tuple(map(run_name, runs)), tuple(map(str, measures))
    _need(len({*names}) == len(names) and not order.over_orders and all(map(_is_plain, measures)))
    judged, *sources = _source(qrels, "qrels"), *(_source(path, "run") for path in runs)
    _need(sum(source.size for source in (judged, *sources)) <= MOST_BYTES)
    most = MOST_WORK // (len(runs) * len(measures))
    judgments = _Judgments(judged, facts.least(measures), most)
    said = facts.judgments(qrels, len(judgments.topics), judgments.size)
    provenance = facts.basis(measures, order, rules, judgments.pools, said)
    values, counted, run_facts = [], [], {}
    weights: dict[str, Any] = {str(measure): [] for measure in measures if measure.is_weighed}
    for name, source in zip(names, sources, strict=True):
        hits = _hits(source, judgments, order)
        rankings = list(judgments.rankings(hits))
        found = [[_number(measure.value(j)) for j in rankings] for measure in measures]
        counts = rules.counts(hits.retrieved)
        undefined = (sum(map(math.isnan, compress(row, counts))) for row in found)
        run_facts[name] = facts.run_facts(
            source.path,
            facts.counts(hits),
            facts.by_measure(texts, undefined),
            facts.unjudged(measures, hits),
        )
        values.append(Vector(found))
        counted.append(counts)
        for text, measure in zip(texts, measures, strict=True):
            if text in weights:
                weights[text].append(Vector(_number(measure.weight(j)) for j in rankings))
    # Vectors stand for arrays: what the command asks of scores, they can do.
    columns: dict[str, Any] = {"values": values, "counted": counted, "weights": weights}
    return Scores(
        names,
        judgments.topics,
        texts,
        rules=rules,
        provenance=Provenance(**provenance, runs=run_facts),
        **columns,
    )


def _need(fits: bool) -> None:
    if not fits:
        raise _Elsewhere


def _is_plain(measure: Measure) -> bool:
    """Whether a measure is for here: of one topic and its ranks alone, and one that the tests compare."""
    spec = measure.spec
    apart = spec.needs.ties_or_scores or spec.needs_subtopics or spec.pads_to_longest
    return spec.function.__module__.startswith("rankgauge.") and not apart


def _number(value: Any) -> float:
    (number,) = value
    return float(number)


def _source(path: str, kind: str) -> Source:
    """A TREC file that can be read twice and is small."""
    _need(path == "-" or os.path.isfile(path))  # noqa: PTH113 (importing pathlib takes too long)
    source = Source(path)
    _need(source.size <= MOST_BYTES and sniffing.first_trec(source, kind))
    return source


def _chunks(source: Source) -> Iterator[bytes]:
    """The data, as long as there is not too much of it."""
    size = 0
    for chunk in source.chunks():
        size += len(chunk)
        _need(size <= MOST_BYTES)
        yield chunk


class _Hits(Frozen, eq=False):
    """The judged documents one run retrieved; see `RetrievedJudgments`."""

    retrieved: Vector
    tied: Vector
    decisive: Vector
    starts: list[int]
    rank: Vector
    judgment: list[int]
    unjudged_topics: int
    dropped: int


class _Judgments:
    """Judgments in order: by topic and then by document, both ascending as bytes; see `model.qrels.Qrels`.

    Only those of at least the grade `least` are told: measures look at no others. They may be `most` work.
    """

    def __init__(self, source: Source, least: float, most: int) -> None:
        reader = core.Table(sniffing.TREC_FIELDS["qrels"], 1)
        for chunk in _chunks(source):
            reader.feed(chunk)
        found = reader.finish()
        grades = numbers(found["value"], "d")
        _need(bool(grades) and not found["problems"])
        topic, firsts = core.encode(*found["topic"])
        twice, _ = core.duplicates(topic, *found["doc"])
        _need(not len(twice))
        rows = [row for row, grade in enumerate(grades) if grade >= least]
        names = strings(*core.take(*found["topic"], firsts))
        _need(len(rows) + len(names) * WORK_OF_TOPIC <= most)
        docs = strings(*core.take(*found["doc"], array("q", rows)))
        topics = numbers(topic, "q")
        told = sorted((names[topics[row]], doc, grades[row]) for row, doc in zip(rows, docs, strict=True))
        sizes = dict.fromkeys(sorted(names), 0)
        for name, _, _ in told:
            sizes[name] += 1
        starts = offsets(sizes.values())
        self.topics = tuple(map(to_text, sizes))
        self.size = len(grades)
        self.grades = [grade for _, _, grade in told]
        self.looked_up = core.Judgments(
            *column([*sizes]), starts, *column([doc for _, doc, _ in told]), array("d", self.grades), least
        )
        levels = Vector(sorted({*grades}))
        self.pools = [Pool(Vector(self.grades[begin:end]), levels) for begin, end in pairwise(starts)]

    def rankings(self, hits: _Hits) -> Iterator[Any]:
        """The judged ranking of each topic."""
        places = pairwise(hits.starts)
        for pool, retrieved, (begin, end) in zip(self.pools, hits.retrieved, places, strict=True):
            yield JudgedRankings(
                rank=Vector(hits.rank.numbers[begin:end]),
                grade=Vector([self.grades[judgment] for judgment in hits.judgment[begin:end]]),
                retrieved=Vector([retrieved]),
                pool=pool,
            )


def _hits(source: Source, judgments: _Judgments, order: DocumentOrder) -> _Hits:
    """The hits of a run; topics that are spread over the file are collected."""
    for collect in (False, True):
        join = core.Join(judgments.looked_up, *order.codes(), collect, False)
        if source.uncompressed:
            with source.opened() as file:
                join.scan(file.fileno(), source.start, source.size)
        else:
            for chunk in _chunks(source):
                join.feed(chunk)
        if collect:
            join.regroup([])
        found = join.finish()
        if isinstance(found, dict):
            break
    _need(isinstance(found, dict) and found["rows"] > 0)
    return _in_order(found, len(judgments.topics))


def _in_order(found: dict[str, Any], topics: int) -> _Hits:
    """The hits, topics in the order of the judgments; see `engines.hits.gathered`."""
    topic, retrieved, tied, decisive, starts, rank, judgment = (
        numbers(found[name], "q")
        for name in ("topic", "retrieved", "tied", "decisive", "starts", "rank", "judgment")
    )
    _need(any(retrieved))
    places = {number: place for place, number in enumerate(topic)}
    order = [places.get(number) for number in range(topics)]  # None where the run has no results

    def by_topic(values: list[int]) -> Vector:
        return Vector([0 if place is None else values[place] for place in order])

    def by_hit(values: list[int]) -> list[int]:
        cuts = [slice(starts[place], starts[place + 1]) for place in order if place is not None]
        return [value for cut in cuts for value in values[cut]]

    return _Hits(
        retrieved=by_topic(retrieved),
        tied=by_topic(tied),
        decisive=by_topic(decisive),
        starts=[*offsets(by_topic([end - begin for begin, end in pairwise(starts)]))],
        rank=Vector(by_hit(rank)),
        judgment=by_hit(judgment),
        unjudged_topics=found["unjudged_topics"],
        dropped=found["dropped"],
    )
