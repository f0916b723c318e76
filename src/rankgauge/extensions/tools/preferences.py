"""Preferences between documents instead of grades, and the share of them that a ranking fulfils.

    {topic: {group: {subgroup: {document: level}}}}

The preferences of one assessor for a topic are a *group*; each *subgroup* is a list of documents with levels,
of which higher ones are preferred. Preferences are transitive across the subgroups of a group; groups may
contradict each other. These are trec_eval's preferences (`-R prefs`, `-R qrels_prefs`) and its fourteen
measures.

A preference is fulfilled when the preferred document is ranked above the other one, or is the only one of the
two that was retrieved. The measures differ in what they count (preferences, pairs of documents, groups) and
in how they treat documents that were not retrieved:

    prefs_simp, ...      all preferences are possible; those between documents not retrieved are failures
    ..._imp              preferences between two documents that were not retrieved are left out
    ..._ret              only preferences between two documents that were retrieved count

Documents are numbered by place: retrieved ones first, in rank order. Pairs are counted in blocks of rows, so
that memory does not grow with the square of the pool.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankgauge import formats
from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines.facts import gathered, no_common_topic, run_facts, source_of, versions
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import first_topics, resolve_runs
from rankgauge.engines.threads import available
from rankgauge.errors import InputError, MeasureError
from rankgauge.formats import problems
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import fields_of_lines, first_line
from rankgauge.measures.language import several
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.model.provenance import MeasureFacts, Provenance, QrelsFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder, Reading, RunInputs
from rankgauge.model.scores import Scores
from rankgauge.schema.registry import Index
from rankgauge.schema.text import brief, unknown_name

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

__all__ = ["MEASURES", "OFFICIAL", "evaluate", "from_qrels", "read"]

BLOCK = 1 << 22  # pairs counted at once
NONE, ONE, BOTH = 0, 1, 2  # how many documents of a pair were retrieved


class Tally(NamedTuple):
    """Preferences by how many of their two documents were retrieved."""

    kept: list[int]
    broken: list[int]


class Group:
    """The preferences of one assessor for a topic; documents are in the order of their places."""

    def __init__(self, places: Ints, levels: Floats, partial: Bools | None, retrieved: int) -> None:
        self.places = places  # (n,) ascending
        self.levels = levels  # (n,)
        self.partial = (
            partial  # (n, n): which document is preferred to which; None: the one with the higher level
        )
        self.retrieved = int(np.searchsorted(places, retrieved))  # number of documents retrieved

    def better(self, rows: Ints) -> Bools:
        """(rows, n): whether a row's document is preferred to a column's."""
        higher: Bools = self.levels[rows, None] > self.levels if self.partial is None else self.partial[rows]
        return higher

    def worse(self, rows: Ints) -> Bools:
        """(rows, n): whether a column's document is preferred to a row's."""
        lower: Bools = (
            self.levels[rows, None] < self.levels if self.partial is None else self.partial[:, rows].T
        )
        return lower

    @cached_property
    def tally(self) -> Tally:
        """The numbers of preferences kept and broken."""
        tally = Tally([0, 0, 0], [0, 0, 0])
        columns = np.arange(len(self.places))
        for rows in _blocks(len(self.places)):
            later = columns > rows[:, None]
            top = int(np.searchsorted(rows, self.retrieved))  # number of retrieved rows
            for counts, pairs in ((tally.kept, self.better(rows)), (tally.broken, self.worse(rows))):
                pairs = pairs & later
                counts[BOTH] += int(np.count_nonzero(pairs[:top, : self.retrieved]))
                counts[ONE] += int(np.count_nonzero(pairs[:top, self.retrieved :]))
                counts[NONE] += int(np.count_nonzero(pairs[top:]))
        return tally

    @property
    def relevant(self) -> Bools:
        """(n,): whether the level of a document is above 0."""
        return self.levels > 0

    def only(self, kept: Bools) -> Group:
        """The group with some of its documents (a mask)."""
        partial = None if self.partial is None else self.partial[np.ix_(kept, kept)]
        group = Group(self.places[kept], self.levels[kept], partial, 0)
        group.retrieved = int(np.count_nonzero(kept[: self.retrieved]))
        return group


def _blocks(size: int) -> Iterator[Ints]:
    step = max(1, BLOCK // max(1, size))
    return (np.arange(first, min(first + step, size)) for first in range(0, size, step))


class Counts:
    """The preferences of all groups for a topic, and the number of its documents retrieved."""

    def __init__(self, groups: Sequence[Group], retrieved: int, size: int) -> None:
        self.groups = groups
        self.retrieved = retrieved
        self.size = size  # documents of the topic

    @cached_property
    def pairs(self) -> list[Counter[tuple[int, int]]]:
        """Pairs by (groups whose preference is kept, broken), for each number of documents retrieved."""
        if len(self.groups) == 1:
            tally = self.groups[0].tally
            return [Counter({(1, 0): tally.kept[n], (0, 1): tally.broken[n]}) for n in (NONE, ONE, BOTH)]
        pairs: list[Counter[tuple[int, int]]] = [Counter(), Counter(), Counter()]
        columns, most = np.arange(self.size), len(self.groups) + 1
        for rows in _blocks(self.size):
            kept, broken = np.zeros((2, len(rows), self.size), dtype=np.int64)
            for group in self.groups:
                mine = np.flatnonzero((group.places >= rows[0]) & (group.places <= rows[-1]))
                where = np.ix_(group.places[mine] - rows[0], group.places)
                kept[where] += group.better(mine)
                broken[where] += group.worse(mine)
            codes = np.where(columns > rows[:, None], kept * most + broken, 0)
            top = int(np.searchsorted(rows, self.retrieved))
            parts = {
                BOTH: codes[:top, : self.retrieved],
                ONE: codes[:top, self.retrieved :],
                NONE: codes[top:],
            }
            for number, part in parts.items():
                for code, count in enumerate(np.bincount(part.ravel(), minlength=1).tolist()):
                    if code and count:
                        pairs[number][divmod(code, most)] += count
        return pairs


def count_preferences(
    groups: Mapping[str, Mapping[str, Mapping[str, float]]], places: Mapping[str, int], retrieved: int
) -> Counts:
    """The preferences of a topic, counted by the places of its documents."""
    return Counts([_group(groups[name], places, retrieved, name) for name in groups], retrieved, len(places))


def _group(
    subgroups: Mapping[str, Mapping[str, float]], places: Mapping[str, int], retrieved: int, name: str
) -> Group:
    docs = sorted({doc for levels in subgroups.values() for doc in levels}, key=places.__getitem__)
    place = np.array([places[doc] for doc in docs], dtype=np.int64)
    if len(subgroups) == 1:
        (levels,) = subgroups.values()
        return Group(place, np.array([levels[doc] for doc in docs], dtype=np.float64), None, retrieved)
    number = {doc: i for i, doc in enumerate(docs)}
    level = np.full(len(docs), np.nan)
    better = np.zeros((len(docs), len(docs)), dtype=bool)
    for levels in subgroups.values():
        mine = np.array([number[doc] for doc in levels])
        own = np.array(list(levels.values()), dtype=np.float64)
        before = level[mine]
        contradicted = ~np.isnan(before) & ((before == 0) != (own == 0))
        if contradicted.any():
            doc = docs[mine[int(contradicted.argmax())]]
            raise InputError(
                f"document {quote(doc)} has level 0 in one subgroup of group {quote(name)} and another level "
                "in a second one; 0 means not relevant: correct one of the two"
            )
        level[mine] = own
        better[np.ix_(mine, mine)] |= own[:, None] > own[None, :]
    _add_transitive(better)
    np.fill_diagonal(better, False)  # so that a cycle is reported by two documents
    both_ways = np.argwhere(better & better.T)
    if len(both_ways):
        one, other = (docs[int(i)] for i in both_ways[0])
        raise InputError(
            f"in group {quote(name)} document {quote(one)} is preferred to {quote(other)} and vice "
            "versa; a group must be consistent: correct it, or split it into two groups"
        )
    return Group(place, level, better, retrieved)


def _add_transitive(better: Bools) -> None:
    """Add the preferences that follow by transitivity."""
    for middle in range(len(better)):
        above = better[:, middle]
        if above.any() and better[middle].any():
            better[above] |= better[middle]


class Scope(NamedTuple):
    """The pairs whose preferences can be fulfilled, and are possible, by the number retrieved."""

    fulfilled: tuple[int, ...]
    possible: tuple[int, ...]


SCOPES = {
    "": Scope((BOTH, ONE), (BOTH, ONE, NONE)),
    "_ret": Scope((BOTH,), (BOTH,)),
    "_imp": Scope((BOTH, ONE), (BOTH, ONE)),
}


def fulfilled(group: Group, scope: Scope) -> int:
    """The number of a group's preferences that the ranking fulfils."""
    return sum(group.tally.kept[number] for number in scope.fulfilled)


def possible(group: Group, scope: Scope) -> int:
    """The number of preferences of a group."""
    return sum(group.tally.kept[number] + group.tally.broken[number] for number in scope.possible)


def simple(counts: Counts, scope: Scope) -> float:
    """Preferences fulfilled over preferences possible, over all groups together."""
    return _ratio(
        sum(fulfilled(group, scope) for group in counts.groups),
        sum(possible(group, scope) for group in counts.groups),
    )


def by_pair(counts: Counts, scope: Scope) -> float:
    """The mean over pairs of documents of the share of groups whose preference is fulfilled."""
    pairs = sum(sum(counts.pairs[number].values()) for number in scope.possible)
    shares = [
        count * (kept / (kept + broken))
        for number in scope.fulfilled
        for (kept, broken), count in sorted(counts.pairs[number].items())
    ]
    return _ratio(math.fsum(shares), pairs)


def by_group(counts: Counts, scope: Scope) -> float:
    """The mean over groups of preferences fulfilled over preferences possible."""
    return _mean(_ratio(fulfilled(group, scope), possible(group, scope)) for group in counts.groups)


def balanced(counts: Counts, scope: Scope) -> float:
    """The mean over groups, as if each had as many non-relevant as relevant documents."""
    shares = [_balanced(group, scope) for group in counts.groups]
    return math.nan if any(map(math.isnan, shares)) else _mean(shares)


def _balanced(group: Group, scope: Scope) -> float:
    """A group's share of preferences, with the number of non-relevant documents set to R.

    Missing ones are taken to be ranked last; of more, only the first R count. trec_eval compares these R with
    every document of the group, also with other non-relevant ones, and its expected values depend on that.
    """
    retrieved_only = scope.possible == (BOTH,)
    seen = group.retrieved if retrieved_only else len(group.levels)
    relevant = group.relevant
    wanted = int(np.count_nonzero(relevant[:seen]))
    unwanted = seen - wanted
    if wanted >= unwanted:
        more = wanted - unwanted
        relevant_retrieved = int(np.count_nonzero(relevant[: group.retrieved]))
        kept = fulfilled(group, scope) + relevant_retrieved * more
        return _ratio(kept, possible(group, scope) + int(np.count_nonzero(relevant)) * more)
    if group.partial is not None:
        nth = np.cumsum(~relevant)
        left = group.only(relevant | (nth <= np.count_nonzero(relevant)))
        return _ratio(fulfilled(left, scope), possible(left, scope))
    last = group.levels == group.levels.min()
    others = group.only(~last)
    first = np.flatnonzero(last)[:wanted]
    first = first[first < seen]
    above = int(
        np.minimum(first, group.retrieved).sum()
    )  # pairs of one of these and a document ranked above it
    return _ratio(fulfilled(others, scope) + above, possible(others, scope) + len(first) * seen)


def _ratio(part: float, whole: int) -> float:
    return part / whole if whole else math.nan


def _mean(shares: Iterable[float]) -> float:
    """The mean over groups; a group without a preference counts as 0, unless none has one."""
    values = list(shares)
    if all(map(math.isnan, values)):
        return math.nan
    return sum(0.0 if math.isnan(share) else share for share in values) / len(values)


@dataclass(frozen=True)
class PreferenceMeasure:
    """A measure of preferences."""

    name: str
    title: str
    value: Callable[[Counts], float]
    count: bool = False  # a number of preferences, which trec_eval adds up over topics


def _families() -> Iterable[PreferenceMeasure]:
    whole, retrieved = SCOPES[""], SCOPES["_ret"]
    counting: dict[str, tuple[str, Callable[[Group], int]]] = {
        "poss": ("Preferences", lambda group: possible(group, whole)),
        "ful": ("Preferences fulfilled", lambda group: fulfilled(group, whole)),
        "ful_ret": ("Preferences fulfilled, both retrieved", lambda group: fulfilled(group, retrieved)),
    }
    for name, (title, number) in counting.items():
        yield PreferenceMeasure(
            f"prefs_num_prefs_{name}",
            title,
            lambda counts, number=number: float(sum(map(number, counts.groups))),  # type: ignore[misc]
            count=True,
        )
    shares: dict[str, tuple[str, Callable[[Counts, Scope], float]]] = {
        "simp": ("Share of preferences fulfilled", simple),
        "pair": ("Share of preferences fulfilled, over pairs", by_pair),
        "avgjg": ("Share of preferences fulfilled, over groups", by_group),
        "avgjg_Rnonrel": ("Share of preferences fulfilled, over balanced groups", balanced),
    }
    suffixes = {"": "", "_ret": ", both retrieved", "_imp": ", one or both retrieved"}
    for suffix, scope in SCOPES.items():
        for name, (title, share) in shares.items():
            if (name, suffix) != ("avgjg_Rnonrel", "_imp"):  # not a measure of trec_eval
                yield PreferenceMeasure(
                    f"prefs_{name}{suffix}",
                    title + suffixes[suffix],
                    lambda counts, share=share, scope=scope: share(counts, scope),  # type: ignore[misc]
                )


MEASURES = {measure.name: measure for measure in _families()}  # in trec_eval's order
OFFICIAL = tuple(MEASURES)[:6]


def find(name: str) -> PreferenceMeasure:
    """The measure with this name, in any spelling; an error suggests the nearest."""
    if not isinstance(name, str):
        raise MeasureError(f"a measure of preferences is a text such as 'prefs_simp', not {brief(name)}")
    match = Index((measure, [known], [measure.title]) for known, measure in MEASURES.items()).match(name)
    if match is None:
        raise MeasureError(unknown_name("measure of preferences", name, MEASURES))
    return match[0]


LAYOUT = "topic group subgroup document level"
WHOLE = "0"  # the one subgroup of a group that has no others

# {topic: {group: {subgroup: {document: level}}}}
Nested = Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]
Row = tuple[str, str, str, str, float]


def evaluate(
    preferences: Nested | str | os.PathLike[str],
    runs: Any,
    measures: str | Iterable[str] = OFFICIAL,
    *,
    depth: int | None = None,
    threads: int | None = None,
    **options: Unpack[RunInputs],
) -> Scores:
    """The share of preferences that runs fulfil, for every run and topic.

    `preferences` is a file or {topic: {group: {subgroup: {document: level}}}}; `measures` are names of
    `MEASURES`. Everything else is as in `rankgauge.evaluate`. A share is undefined if there are no
    preferences.

    >>> preferred = {"q1": {"anna": {"0": {"d1": 2, "d2": 1, "d3": 0}}, "ben": {"0": {"d2": 1, "d1": 0}}}}
    >>> evaluate(preferred, {"q1": {"d1": 0.9, "d2": 0.5}}, "prefs_simp prefs_pair").mean()
    {'run': {'prefs_simp': 0.75, 'prefs_pair': 0.8333333333333334}}
    """
    given = measures.replace(",", " ").split() if isinstance(measures, str) else several(measures)
    parsed = [*dict.fromkeys(find(name) for name in given)]
    reading = Reading.of(options, RunInputs)
    order, topic_rules = reading.order, reading.topics
    judges = Judges(preferences, order.require_one_order("preferences are counted in"), depth)
    values, documents, of_runs = [], [], {}
    for run in resolve_runs(runs, reading):
        retrieved = judges.retrieve(run.open(), available(threads))
        if not retrieved.retrieved.any():
            raise no_common_topic(run.name, judges.topics, first_topics(run), retrieved.assumed)
        of_topics = [[measure.value(counts) for measure in parsed] for counts in judges.counts(retrieved)]
        values.append(np.array(of_topics).T)
        documents.append(retrieved.retrieved)
        of_runs[run.name] = run_facts(run, retrieved)
    provenance = Provenance(
        versions=versions(),
        options=order.as_dict() | topic_rules.as_dict(),
        measures={m.name: MeasureFacts(m.title, share=not m.count) for m in parsed},
        qrels=QrelsFacts(source_of(preferences), len(judges.topics)),
        runs=of_runs,
    )
    counted = topic_rules.counts(np.array(documents))
    return gathered(judges.topics, np.array(values), counted, topic_rules, provenance)


class Judges:
    """Preferences, prepared for run after run."""

    def __init__(
        self, preferences: Nested | str | os.PathLike[str], order: DocumentOrder, depth: int | None = None
    ) -> None:
        nested = read(preferences) if isinstance(preferences, (str, os.PathLike)) else preferences
        self._groups = _checked(nested)
        self._depth = depth
        # For the engine, any document in a preference is a judged document.
        self._qrels = Qrels.from_dict(
            {topic: dict.fromkeys(_documents(groups), 1) for topic, groups in self._groups.items()}
        )
        self._engine = LocalEngine(self._qrels, order)
        self.topics = self._qrels.sorted_topics

    def retrieve(self, run: Any, threads: int = 1) -> RetrievedJudgments:
        """The ranks of the documents of the preferences in a run."""
        return self._engine.retrieve(run, threads)

    def counts(self, retrieved: RetrievedJudgments) -> Iterator[Counts]:
        """Preferences kept and broken, topic by topic."""
        for number, topic in enumerate(self.topics):
            docs = _documents(self._groups[topic])
            hits = retrieved.within(number, number + 1)
            judgments = retrieved.judgment[hits] - self._qrels.starts[number]
            if self._depth is not None:
                judgments = judgments[retrieved.rank[hits] <= self._depth]
            ranked = [docs[judgment] for judgment in judgments.tolist()]
            rest = dict.fromkeys(docs)
            for doc in ranked:
                del rest[doc]
            places = {doc: place for place, doc in enumerate([*ranked, *rest])}
            yield count_preferences(self._groups[topic], places, len(ranked))


def _documents(groups: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[str]:
    docs = {doc for subgroups in groups.values() for levels in subgroups.values() for doc in levels}
    return sorted(docs, key=to_bytes)


def _checked(nested: Any) -> Nested:
    try:
        checked = {
            str(topic): {
                str(group): {
                    str(subgroup): {str(doc): float(level) for doc, level in levels.items()}
                    for subgroup, levels in subgroups.items()
                }
                for group, subgroups in sorted(groups.items())
            }
            for topic, groups in nested.items()
        }
        levels = [v for g in checked.values() for s in g.values() for x in s.values() for v in x.values()]
    except (AttributeError, TypeError, ValueError):
        raise InputError(
            "preferences must be {topic: {group: {subgroup: {document: level}}}} with numbers as levels"
        ) from None
    if not levels or not np.isfinite(levels).all():
        raise InputError(
            "preferences need at least one level, and all must be finite numbers, such as 2 or 0.5"
        )
    return checked


def read(path: str | os.PathLike[str] | Source, format: str | None = None) -> Nested:
    """The preferences in a file; `format` is prefs (five columns) or qrels (four), by default detected."""
    source = path if isinstance(path, Source) else Source(path)
    if format not in (None, "prefs", "qrels"):
        raise InputError(f"preferences are read from prefs or qrels files, not from {format!r}")
    if format == "qrels" or (format is None and len(first_line(source.head).split()) == 4):
        return from_qrels(source)
    return nested(_lines(source), source.path)


def from_qrels(path: str | os.PathLike[str] | Source) -> Nested:
    """Judgments as preferences for the higher grade; the second column is the group."""
    columns = formats.read(path, "qrels", "trec").checked()
    rows = zip(
        columns.topic.texts(),
        ["0"] * len(columns) if columns.label is None else columns.label.texts(),
        [WHOLE] * len(columns),
        columns.doc.texts(),
        columns.value.tolist(),
        strict=True,
    )
    lines = range(1, len(columns) + 1) if columns.line is None else columns.line.tolist()
    return nested(zip(lines, rows, strict=True), columns.path(0))


def nested(rows: Iterable[tuple[int, Row]], path: str | None = None) -> Nested:
    """Nested dicts of rows (line, (topic, group, subgroup, document, level)) without duplicates."""
    by_topic: dict[str, Any] = {}
    for line, (topic, group, subgroup, doc, level) in rows:
        levels = by_topic.setdefault(topic, {}).setdefault(group, {}).setdefault(subgroup, {})
        if doc in levels:
            raise InputError(
                f"document {problems.quote(doc)} is in subgroup {problems.quote(subgroup)} of group "
                f"{problems.quote(group)} of topic {problems.quote(topic)} twice; "
                "once is allowed: correct it, or put it into another subgroup",
                path=path,
                line=line,
            )
        levels[doc] = level
    if not by_topic:
        raise InputError("the file is empty; preferences must have at least one row", path=path)
    return by_topic


def _lines(source: Source) -> Iterable[tuple[int, Row]]:
    for number, fields in fields_of_lines(source, LAYOUT):
        level = problems.parse_number(fields[4])
        if level is None or not math.isfinite(level):
            raise InputError(
                f"the level is not a finite number: {problems.quote(fields[4])}; a level is a number such as "
                "0, 2 or 0.5",
                path=source.path,
                line=number,
            )
        topic, group, subgroup, doc = map(to_text, fields[:4])
        yield number, (topic, group, subgroup, doc, level)
