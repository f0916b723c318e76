"""Two runs side by side: topics that changed, documents that moved, and their effect on the measures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from rankgauge.comparison import compare
from rankgauge.comparison.gate import Condition, check, margins, parse_condition
from rankgauge.comparison.inputs import measure_places
from rankgauge.core.ids import Ids
from rankgauge.engines.assembly import longest, pool_of_topic
from rankgauge.engines.local.document_ranks import RankedFile, RankedRun, documents_of_topic, ranked
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.local.reading import read_runs
from rankgauge.errors import OptionError
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.explanation.contributions import TwoRankings
from rankgauge.explanation.diff_report import Diff, Moved, TopicChange, comment
from rankgauge.explanation.run_diff import (
    RankingDiff,
    RunDiff,
    TextsLike,
    diff_rankings,
    document_moves,
    resolve_pair,
)
from rankgauge.explanation.topic_diff import Change, DocumentMove, TopicDiff
from rankgauge.explanation.ways import place_of_topic
from rankgauge.formats.columns import joined_ids
from rankgauge.measures import Measure
from rankgauge.measures.language import several
from rankgauge.measures.named_sets import ONE
from rankgauge.measures.rankings.arrays import BLOCK
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.notes import on_data
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import Inputs, OfQrels, TopicRules
from rankgauge.model.score_values import topic_values
from rankgauge.model.scores import Scores
from rankgauge.model.segments import Segments
from rankgauge.model.texts import Texts
from rankgauge.schema.options import setting, whole_number
from rankgauge.schema.text import described

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

    from rankgauge.comparison.registry import Family, TestName
    from rankgauge.engines.threads import Progress

__all__ = [
    "Change",
    "Diff",
    "DocumentMove",
    "Moved",
    "TopicChange",
    "TopicDiff",
    "comment",
    "diff",
    "diff_rankings",
    "diff_runs",
    "diff_scores",
    "diff_topic",
]
# The options of all topics, of tests between runs, and those that need judgments.
OF_ALL = ("by", "fail_if", "margin")
OF_TESTS = ("test", "family", "alpha", "samples", "seed")
OF_JUDGMENTS = ("measures", *OF_ALL, *OfQrels.__annotations__)
OF_WORK = ("threads", "progress")


class Options(Inputs, total=False):
    """The options of every diff."""

    documents: TextsLike
    topics: TextsLike
    depth: int | None
    threads: int | None
    progress: Progress | None


class AllOptions(Options, total=False):
    """Those of a diff of all topics, too."""

    by: Any
    fail_if: str | Sequence[str]
    margin: float | Mapping[str, float] | None
    test: TestName
    family: Family
    alpha: float
    samples: int | None
    seed: int


@overload
def diff(
    qrels: Any,
    old: Any,
    new: Any,
    measures: Measures | None = None,
    *,
    topic: str | bytes | int,
    **options: Unpack[Options],
) -> TopicDiff: ...


@overload
def diff(
    qrels: Any,
    old: Any,
    new: Any,
    measures: Measures | None = None,
    *,
    topic: None = None,
    **options: Unpack[AllOptions],
) -> Diff: ...


@overload
def diff(old: Any, new: Any, /, *, topic: str | bytes | int, **options: Unpack[Options]) -> RankingDiff: ...


@overload
def diff(old: Any, new: Any, /, *, topic: None = None, **options: Unpack[Options]) -> RunDiff: ...


def diff(
    qrels: Any,
    old: Any,
    new: Any = None,
    measures: Measures | None = None,
    *,
    topic: str | bytes | int | None = None,
    **options: Any,
) -> Diff | TopicDiff | RunDiff | RankingDiff:
    """The changes between an old and a new run: topic by topic, or document by document for one topic.

    Judgments, runs and rules are those of `evaluate`, tests those of `compare`; the measure is nDCG@10 unless
    others are named, and topics are ordered by the first. Each measure is tested on its own; with
    `family="all"` p is corrected for all of them. Moves are counted down to the cutoff of the first
    measure, or to `depth`. `fail_if` has the conditions of a check, such as "nDCG@10 drops by 2%"; a `margin`
    tests equivalence; `by` has attributes of topics, whose segments are compared, too, as in `compare`.
    `documents` and `topics` are files of titles and texts to show: JSON lines, TSV, Parquet, TREC's topics.
    Instead of judgments you can pass `Scores`, and the names of two of its runs. Without judgments,
    `diff(old, new)` compares the rankings alone, by their overlap.

    >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    >>> old, new = {"q1": ["d1", "d2"], "q2": ["d1"]}, {"q1": ["d3", "d1"], "q2": ["d1"]}
    >>> changed = diff(qrels, old, new, "RR")
    >>> [(each.topic, each.difference) for each in changed.topics]
    [('q1', -0.5), ('q2', 0.0)]
    >>> [(each.document, each.move, each.shares["RR"]) for each in changed.topic("q1").documents]
    [('d3', 'new', -0.5), ('d1', '↓1', 0.0), ('d2', 'lost', 0.0)]
    >>> [(each.topic, each.overlap) for each in diff(old, new).topics]
    [('q1', 0.5), ('q2', 1.0)]
    """
    if new is None:
        needs = "{} needs judgments; pass diff(qrels, old, new, ...), or leave it out"
        _refuse({"measures": measures, **options}, OF_JUDGMENTS, needs)
        kept = _without(options, *OF_JUDGMENTS, *OF_TESTS, *OF_WORK)
        return diff_rankings(qrels, old, topic=topic, **kept)
    if topic is not None:
        _refuse(options, OF_ALL, "{} is for all topics; leave it out, or leave out the topic")
    if isinstance(qrels, Scores):
        found = diff_scores(qrels, old, new, measures, **options)
        return found if topic is None else found.topic(str(topic))
    if topic is not None:
        return diff_topic(qrels, old, new, topic, measures, **_without(options, *OF_ALL, *OF_TESTS))
    return diff_runs(qrels, old, new, measures, **options)


def _refuse(options: Mapping[str, Any], names: Sequence[str], why: str) -> None:
    for name in names:
        value = options.get(name)
        if value is not None and not (isinstance(value, (str, list, tuple)) and not value):
            raise OptionError(why.format(name))


def _without(options: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}


def diff_scores(
    scores: Scores,
    old: str,
    new: str,
    measures: Measures | None = None,
    *,
    topics: TextsLike = None,
    by: Any = None,
    fail_if: str | Sequence[str] = (),
    margin: float | Mapping[str, float] | None = None,
    **options: Any,
) -> Diff:
    """The changes between two runs of scores, by name."""
    conditions, wanted = _wanted(measures, fail_if)
    for name, given in _without(options, *OF_TESTS, *OF_WORK).items():
        if given is not None:
            what = "is for judgments and runs, and these are scores; leave it out"
            raise OptionError(f"{setting(name)} {what}")
    for run in (old, new):
        if not isinstance(run, str):
            raise OptionError(f"with scores, pass the names of two runs, not {described(run)}")
    named = [scores.measures[place] for place in measure_places(scores, wanted or None)]
    pair = scores.only(runs=[old, new], measures=named)
    return _of_all_topics(
        pair,
        conditions,
        topic_changes(pair, [None] * len(pair.topics), Texts.of(topics)),
        by=by,
        margin=margin,
        topic=_no_documents,
        **{name: options[name] for name in (*OF_TESTS, "threads") if name in options},
    )


def _no_documents(topic: str) -> NoReturn:
    raise OptionError(f"scores have no documents of topic {topic}; pass judgments and runs to see them")


def diff_runs(
    qrels: Any,
    old: Any,
    new: Any,
    measures: Measures | None = None,
    *,
    depth: int | None = None,
    by: Any = None,
    fail_if: str | Sequence[str] = (),
    margin: float | Mapping[str, float] | None = None,
    **options: Any,
) -> Diff:
    """The changes between two runs, by topic."""
    conditions, wanted = _wanted(measures, fail_if)
    pair = Pair(qrels, old, new, wanted, **_without(options, *OF_TESTS))
    down_to = pair.depth(depth)
    testing = {name: options[name] for name in (*OF_TESTS, "threads") if name in options}
    return _of_all_topics(
        pair.scores,
        conditions,
        topic_changes(pair.scores, pair.moves(down_to), pair.queries),
        by=by,
        margin=margin,
        depth=down_to,
        notes=() if pair.queries is None else tuple(pair.queries.unmatched(pair.scores.topics)),
        topic=partial(pair.topic_diff, depth=down_to),
        **testing,
    )


def diff_topic(
    qrels: Any,
    old: Any,
    new: Any,
    topic: str | bytes | int,
    measures: Measures | None = None,
    *,
    depth: int | None = None,
    **options: Any,
) -> TopicDiff:
    """The changes between two runs for one topic, by document."""
    pair = Pair(qrels, old, new, _wanted(measures)[1], **options)
    return pair.topic_diff(topic, pair.depth(depth))


def _wanted(
    measures: Measures | None, fail_if: str | Sequence[str] = ()
) -> tuple[list[Condition], list[str | Measure]]:
    """(conditions of a check, measures asked for and those of conditions)."""
    conditions = [parse_condition(text) for text in ([fail_if] if isinstance(fail_if, str) else fail_if)]
    wanted = [] if measures is None else several(measures)
    return conditions, [*wanted, *(condition.measure for condition in conditions)]


def _of_all_topics(
    scores: Scores,
    conditions: Sequence[Condition],
    topics: Sequence[TopicChange],
    *,
    by: Any,
    margin: float | Mapping[str, float] | None,
    topic: Any,
    depth: int | None = None,
    notes: tuple[str, ...] = (),
    **testing: Any,
) -> Diff:
    segments = None if by is None else Segments.of(by, scores.topics)
    comparison = compare(
        scores,
        baseline=scores.runs[0],
        margin=margins(conditions, scores.measures, margin),
        by=segments,
        **testing,
    )
    return Diff(
        old_run=scores.runs[0],
        new_run=scores.runs[1],
        comparison=comparison,
        direction=comparison.compared[0].direction,
        topics=tuple(topics),
        checks=check(conditions, scores, comparison, segments),
        depth=depth,
        notes=(*dict.fromkeys([*on_data(scores.provenance, one_order=True), *comparison.remarks]), *notes),
        topic=topic,
    )


def topic_changes(scores: Scores, moves: Sequence[Moved | None], queries: Texts | None) -> list[TopicChange]:
    """The topics of two runs by the difference of the first measure, the worst first."""
    topics, names = scores.topics, scores.measures
    texts = {} if queries is None else queries.get_many(topics)
    values = [counting_values(scores, n).tolist() for n in range(len(names))]
    changes = [
        TopicChange(
            topic=topic,
            old={name: of_measure[0][n] for name, of_measure in zip(names, values, strict=True)},
            new={name: of_measure[1][n] for name, of_measure in zip(names, values, strict=True)},
            difference=values[0][1][n] - values[0][0][n],
            moves=moves[n],
            query=texts[topic].heading if topic in texts else "",
        )
        for n, topic in enumerate(topics)
    ]
    way = scores.direction(names[0]) or 1
    changes.sort(key=lambda each: (math.isnan(each.difference), way * each.difference))
    return changes


def counting_values(scores: Scores, measure: int) -> Floats:
    """(runs, topics): the values of a measure as they count, or NaN."""
    return topic_values(scores, measure, scores.direction(scores.measures[measure]))[0]


class Pair:
    """An old and a new run with their judgments and values."""

    def __init__(
        self,
        qrels: Any,
        old: Any,
        new: Any,
        measures: Sequence[str | Measure],
        *,
        documents: TextsLike = None,
        topics: TextsLike = None,
        threads: int | None = None,
        progress: Progress | None = None,
        **options: Unpack[Inputs],
    ) -> None:
        evaluator = Evaluator(qrels, measures or [ONE], **options)
        self._order, self._rules = evaluator.order, evaluator.rules
        self._order.require_one_order("a diff shows")
        runs = resolve_pair(old, new, evaluator.reading, evaluator.qrels)
        of_documents, of_topics = Texts.of(documents), Texts.of(topics)
        self.measures, self.inputs = evaluator.measures, runs  # topics are ordered by the first measure
        self.qrels = evaluator.qrels
        engine = LocalEngine(self.qrels, self._order, detail=True)  # every judged document, with its ties
        retrieved = read_runs(engine, runs, threads, progress)
        self._texts, self.queries = Texts.of_runs(of_documents, of_topics, [run.file for run in runs])
        self.scores = evaluator.evaluate_retrieved(runs, retrieved)
        self._longest = longest(retrieved)
        self._rows = sum(run.retrieved for run in retrieved)  # (topics,) of both runs
        self._ranked: list[RankedRun | RankedFile] = []  # both runs, once all topics were looked at

    def depth(self, given: int | None) -> int | None:
        """The depth given, or that of the first measure; None if unlimited."""
        measure = self.measures[0]
        if given is not None:
            return whole_number("depth", given, 1)
        if measure.settings.get("judged_only"):  # its cutoff counts judged documents alone
            return None
        return measure.reach if measure.inner is None else measure.inner.reach

    def moves(self, depth: int | None) -> Sequence[Moved | None]:
        """How the documents of each topic moved."""
        self._ranked = [ranked(run, self._order) for run in self.inputs]
        files = [run for run in self._ranked if isinstance(run, RankedFile)]
        parts = split_topics(self._rows) if len(files) == len(self._ranked) else [slice(0, len(self._rows))]
        return [moved for part in parts for moved in count_moves(self.qrels, part, self._ranked, depth)]

    def topic_diff(self, topic: Any, depth: int | None) -> TopicDiff:
        """The diff of one topic."""
        place = place_of_topic(topic, self.qrels.sorted_topics)
        name = self.qrels.sorted_topics[place]
        old, new = [run.documents(name) for run in self._ranked] or [
            documents_of_topic(run.open(), name, self._order) for run in self.inputs
        ]
        values = {
            measure: counting_values(self.scores, number)[:, place].tolist()
            for number, measure in enumerate(self.measures)
        }
        changes, moves = document_changes(
            self.qrels, place, old, new, values, self._longest, self._rules, self._texts
        )
        query = None if self.queries is None else self.queries.get(name)
        return TopicDiff(
            topic=name,
            old_run=self.inputs[0].name,
            new_run=self.inputs[1].name,
            changes=changes,
            documents=moves,
            depth=depth,
            query="" if query is None else query.heading,
        )


def document_changes(
    qrels: Qrels,
    place: int,
    old: Sequence[str],
    new: Sequence[str],
    values: Mapping[Measure, tuple[float, float]],
    longest: int,
    rules: TopicRules,
    texts: Texts | None = None,
    depth: int | None = None,
) -> tuple[dict[str, Change], tuple[DocumentMove, ...]]:
    """The changes of measures between two rankings of a topic, and the documents with their shares in them.

    `values` has the old and the new value of each measure, `longest` the length of the longest list. With a
    `depth`, documents without a share are left out below it.
    """
    judged = qrels.grades_of(qrels.sorted_topics[place])
    two = TwoRankings(old, new, [*judged], pool_of_topic(qrels, place), longest, rules)
    shares = {str(measure): found for measure, found in two.shares(values).items()}
    changes = {
        str(measure): Change(before, after, after - before, found.way, found.rest)
        for (measure, (before, after)), found in zip(values.items(), shares.values(), strict=True)
    }
    return changes, tuple(document_moves(old, new, texts, judged, shares, depth))


def split_topics(rows: Ints) -> list[slice]:
    """Blocks of consecutive topics with few rows each; rows (topics,)."""
    starts = np.flatnonzero(np.diff(np.cumsum(rows) // BLOCK, prepend=-1)).tolist()
    return [slice(*block) for block in pairwise([*starts, len(rows)])]


def count_moves(
    qrels: Qrels, part: slice, runs: Sequence[RankedRun | RankedFile], depth: int | None
) -> Iterator[Moved]:
    """The moves of documents within a depth, for some judged topics."""
    names, starts = qrels.sorted_topics[part], qrels.starts[part.start : part.stop + 1]
    rows = (run.of_topics(names) if isinstance(run, RankedFile) else run for run in runs)
    tops = [run.first(depth) for run in rows]
    judged_docs = qrels.sorted_docs.part(slice(int(starts[0]), int(starts[-1])))
    docs = joined_ids([judged_docs, *(top[1] for top in tops)])
    codes, known = docs.encode()
    sizes = np.cumsum([0, len(judged_docs), *(len(top[1]) for top in tops)])
    of_qrels, of_old, of_new = (codes[a:b] for a, b in pairwise(sizes))
    topics = len(names)
    judged = np.repeat(np.arange(topics), np.diff(starts)) * len(known) + of_qrels
    (old_keys, old_rank), (new_keys, new_rank) = (
        _keys(names, top[0], of_run, top[2], len(known))
        for top, of_run in zip(tops, (of_old, of_new), strict=True)
    )
    _, in_old, in_new = np.intersect1d(old_keys, new_keys, assume_unique=True, return_indices=True)
    differ = old_rank[in_old] != new_rank[in_new]
    changes = (
        old_keys[in_old][differ],
        np.delete(new_keys, in_new),
        np.delete(old_keys, in_old),
    )
    counts = [np.bincount(keys // max(1, len(known)), minlength=topics).tolist() for keys in changes]
    counts += [
        np.bincount(keys[np.isin(keys, judged)] // max(1, len(known)), minlength=topics).tolist()
        for keys in changes
    ]
    return (Moved(*row) for row in zip(*counts, strict=True))


def _keys(topics: Sequence[str], topic: Ids, doc: Ints, rank: Ints, docs: int) -> tuple[Ints, Ints]:
    places = {name: place for place, name in enumerate(topics)}
    code, names = topic.encode()
    place = np.array([places.get(name, -1) for name in names.texts()], dtype=np.int64)[code]
    kept = place >= 0
    return (place * docs + doc)[kept], rank[kept]
