"""Two runs that were read and evaluated, from which diffs are made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankgauge.comparison.differences import topic_values
from rankgauge.engines.assembly import longest
from rankgauge.engines.judgments import place_of_topic, pool_of_topic
from rankgauge.engines.local.document_ranks import RankedRun, documents_of_topic, load_run
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.local.reading import read_runs
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.engines.threads import Progress
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.explanation.diffs.moves import DocumentMove, count_moves
from rankgauge.explanation.diffs.result import TopicChange
from rankgauge.explanation.diffs.shares import TwoRankings
from rankgauge.explanation.diffs.topic import Change, TopicDiff
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.scores import Scores
from rankgauge.model.texts import Texts

NAMES = ("old", "new")  # of runs in memory that have none


def resolve_pair(
    old: Any, new: Any, format: str | None, columns: Mapping[str, str] | None
) -> tuple[RunInput, RunInput]:
    """The two runs; they are named by their paths, or old and new, if they would have the same name."""
    first, second = (
        _one(resolve_runs(run, format, columns), what) for run, what in zip((old, new), NAMES, strict=True)
    )
    if first.name == second.name:
        paths = (first.source, second.source)
        in_files = not (first.in_memory or second.in_memory) and first.source != second.source
        names = paths if in_files else NAMES
        first, second = (run._replace(name=name) for run, name in zip((first, second), names, strict=True))
    return first, second


def _one(runs: list[RunInput], what: str) -> RunInput:
    if len(runs) > 1:
        names = ", ".join([*(repr(each.name) for each in runs[:3]), *["..."][: len(runs) > 3]])
        raise InputError(f"the {what} run must be one; these are {len(runs)} ({names}); choose one")
    return runs[0]


class Pair:
    """An old and a new run with their judgments and values."""

    def __init__(
        self,
        evaluator: Evaluator,
        runs: tuple[RunInput, RunInput],
        threads: int | None,
        progress: Progress | None,
        documents: Texts | None,
        queries: Texts | None,
    ) -> None:
        self._evaluator, self.inputs = evaluator, runs
        self.qrels, self._order = evaluator.qrels, evaluator.order
        engine = LocalEngine(self.qrels, self._order, detail=True)  # every judged document, with its ties
        retrieved = read_runs(engine, runs, threads, progress)
        self.scores: Scores = evaluator.evaluate_retrieved(runs, retrieved)
        self._longest = longest(retrieved)
        self._texts, self._queries = documents, queries
        self._ranked: list[RankedRun] = []  # both runs in memory, once all topics were looked at

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures; topics are ordered by the first."""
        return self._evaluator.measures

    @property
    def unmatched(self) -> list[str]:
        """A sentence if the file of queries is of other topics."""
        return [] if self._queries is None else self._queries.unmatched(self.qrels.sorted_topics)

    @property
    def depth(self) -> int | None:
        """The depth that the first measure looks at; None if that is not limited."""
        measure = self.measures[0]
        if measure.settings.get("judged_only"):  # its cutoff counts judged documents alone
            return None
        return measure.reach if measure.inner is None else measure.inner.reach

    def _values(self, measure: int) -> Floats:
        """(runs, topics): the values as they count; NaN where they do not."""
        values, _ = topic_values(self.scores, measure, self.measures[measure].spec.direction)
        return values

    def changes(self, depth: int | None) -> list[TopicChange]:
        """The topics by the difference of the first measure, the worst first, undefined ones last."""
        self._ranked = [RankedRun(load_run(run.open(), self._order), self._order) for run in self.inputs]
        topics = self.qrels.sorted_topics
        moves = [*count_moves(self.qrels, self._ranked, depth)]
        texts = {} if self._queries is None else self._queries.get_many(topics)
        values = [self._values(n).tolist() for n in range(len(self.measures))]
        names = [*map(str, self.measures)]
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
        way = self.measures[0].spec.direction or 1
        changes.sort(key=lambda each: (math.isnan(each.difference), way * each.difference))
        return changes

    def topic_diff(self, topic: Any, depth: int | None) -> TopicDiff:
        """The diff of one topic."""
        place = place_of_topic(topic, self.qrels)
        name = self.qrels.sorted_topics[place]
        old, new = self._documents_of(name)
        begin, end = self.qrels.starts[place], self.qrels.starts[place + 1]
        judged = [*self.qrels.documents(name)]
        two = TwoRankings(old, new, judged, pool_of_topic(self.qrels, place), self._longest)
        changes, shares = {}, {}
        for number, measure in enumerate(self.measures):
            before, after = (float(value) for value in self._values(number)[:, place])
            found = two.shares(measure, self._evaluator.rules, before, after)
            way, rest = ("", 0.0) if found is None else (found.way, found.rest)
            changes[str(measure)] = Change(before, after, after - before, way, rest)
            shares[str(measure)] = None if found is None else found.shares
        grades = dict(zip(judged, self.qrels.sorted_grades[begin:end].tolist(), strict=True))
        query = None if self._queries is None else self._queries.get(name)
        return TopicDiff(
            topic=name,
            old_run=self.inputs[0].name,
            new_run=self.inputs[1].name,
            changes=changes,
            documents=tuple(self._moves(old, new, grades, shares)),
            depth=depth,
            query="" if query is None else query.heading,
        )

    def _documents_of(self, topic: str) -> tuple[list[str], list[str]]:
        """The documents that the old and the new run have for a topic, in rank order."""
        if self._ranked:
            old, new = (run.documents(topic) for run in self._ranked)
        else:
            old, new = (documents_of_topic(run.open(), topic, self._order) for run in self.inputs)
        return old, new

    def _moves(
        self,
        old: Sequence[str],
        new: Sequence[str],
        grades: Mapping[str, float],
        shares: Mapping[str, Mapping[str, float] | None],
    ) -> Iterator[DocumentMove]:
        """The documents of both rankings, by new rank, then those that are lost by their old rank."""
        was = {doc: rank for rank, doc in enumerate(old, 1)}
        now = {doc: rank for rank, doc in enumerate(new, 1)}
        docs = [*new, *(doc for doc in old if doc not in now)]
        texts = {} if self._texts is None else self._texts.get_many(docs)
        for doc in docs:
            yield DocumentMove(
                document=doc,
                grade=grades.get(doc),
                old=was.get(doc),
                new=now.get(doc),
                title=texts[doc].heading if doc in texts else "",
                shares={
                    text: None if of_measure is None else of_measure.get(doc, 0.0)
                    for text, of_measure in shares.items()
                },
            )
