"""What if a ranking or its judgments were different: the values of a topic and of its run.

The changed topic takes the path of any other: its documents are joined with the judgments and measured by the
kernel, together with the other topics of the run, whose values may depend on the highest grade or on the
length of the longest list. So the values are those of `rankgauge.evaluate` for the changed files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankgauge.core.ids import to_bytes
from rankgauge.engines.assembly import assemble
from rankgauge.engines.judgments import blocks, judgments_for, numbers_in_topics
from rankgauge.engines.kernel import measure_rankings
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.errors import MeasureError, OptionError
from rankgauge.measures import Measure, parse, parse_all
from rankgauge.measures.rankings.arrays import JudgedRankings, Ties
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.measures.rankings.arrays.suppositions import insert_each, move_each
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import counted
from rankgauge.studies.campaign import Campaign

MOST_HELPS = 1000  # documents whose move is measured


class Change(Frozen):
    """A changed ranking, and changed judgments; documents are numbers in `WhatIf.documents`."""

    ranking: Sequence[int] | None = None  # best first; None if it is as it was
    grades: Mapping[int, float | None] = {}  # None for a document that is not judged any more


class Values(Frozen):
    """The value of each measure for the topic, and its mean over topics."""

    topic: tuple[float, ...]
    mean: tuple[float, ...]


class Move(NamedTuple):
    """A document, and where the ideal ranking has those of its grade."""

    document: int
    rank: int | None  # None if it is not retrieved
    place: int  # the nearest rank of the interval that the ideal ranking has for its grade
    effort: int | None  # its relative position RP: how far it is below that interval, or above (negative)


class Help(NamedTuple):
    """What it would bring to move a relevant document to where it belongs."""

    document: int
    rank: int | None
    place: int
    effort: int | None
    value: float  # the measure, with the document at that place
    difference: float


class WhatIf:
    """One topic of one run, whose ranking and judgments can be changed.

    `added` are documents that are neither retrieved nor judged, to be put somewhere or judged.

    >>> campaign = Campaign({"q1": {"d1": 1}}, {"a": {"q1": {"d2": 3, "d3": 2, "d1": 1}}})
    >>> what_if = WhatIf(campaign, "a", "q1")
    >>> what_if.documents
    ['d2', 'd3', 'd1']
    >>> what_if.values("RR", Change(ranking=[2, 0, 1])).topic
    (1.0,)
    """

    def __init__(self, campaign: Campaign, run: str, topic: str, added: Sequence[str] = ()) -> None:
        self._campaign, self.run, self.topic = campaign, run, topic
        self._added = added
        self._run = campaign.runs.index(run)
        self._place = campaign.topics.index(topic)
        self.ranking = campaign.ranking(run, topic)
        self._ranked = self.ranking.texts

    @property
    def retrieved(self) -> int:
        """The number of documents retrieved: the first of `documents`."""
        return len(self._ranked)

    @cached_property
    def scores(self) -> Floats:
        """The scores of the documents retrieved."""
        return self.ranking.scores

    @cached_property
    def documents(self) -> list[str]:
        """The documents retrieved, in rank order, then the judged ones that were not, and those added."""
        return [*dict.fromkeys((*self._ranked, *self.grades_of_topic, *self._added))]

    @cached_property
    def grades_of_topic(self) -> dict[str, float]:
        """{document: grade} of all judged documents of the topic."""
        return self._campaign.qrels.grades_of(self.topic)

    @property
    def grades(self) -> list[float | None]:
        """The grade of each of `documents`; None if it is not judged."""
        return [self.grades_of_topic.get(document) for document in self.documents]

    def values(self, measures: Any, change: Change = Change()) -> Values:  # noqa: B008  # frozen
        """The values of measures after a change."""
        parsed = parse_all(measures)
        qrels, hits, longest = self._after(parsed, change)
        values = np.empty((len(parsed), len(qrels.sorted_topics)))
        weights = np.empty((sum(measure.is_weighed for measure in parsed), values.shape[1]))
        docs = numbers_in_topics(qrels)
        for first, last, pool in blocks(qrels):
            judged = assemble([hits], first, last, qrels.sorted_grades, pool, longest, docs)
            results = measure_rankings(parsed, judged, self._campaign.order)
            values[:, first:last], weights[:, first:last] = results.values, results.weights
        rules, of_weighed = self._campaign.rules, iter(weights)
        counts = rules.counts(hits.retrieved)
        means = (
            rules.average(
                row[counts].tolist(),
                measure.average,
                weights=next(of_weighed)[counts].tolist() if measure.is_weighed else (),
                direction=measure.spec.direction,
            )
            for measure, row in zip(parsed, values, strict=True)
        )
        return Values(tuple(values[:, self._place].tolist()), tuple(means))

    def curves(self, measures: Any, depth: int, change: Change = Change()) -> list[list[float]]:  # noqa: B008
        """Each measure at every rank down to a depth, after a change."""
        parsed = parse_all(measures)
        judged = self._judged_ranking(parsed, change)
        return [measure.vector(judged, depth)[0].tolist() for measure in parsed]

    def helps(self, measure: Any, change: Change = Change()) -> tuple[list[Help], int]:  # noqa: B008
        """(what moving each relevant document would bring, most first; how many documents were left out).

        Documents that are where they belong are not listed. At most MOST_HELPS are measured, of the highest
        grades.
        """
        parsed = parse(measure)
        if parsed.spec.needs.scores:
            raise MeasureError(
                f"{parsed} looks at scores, and a document that moves has none; use another measure"
            )
        judged = self._judged_ranking([parsed], change)
        grades = self._grades_after(change)
        ranking = range(self.retrieved) if change.ranking is None else change.ranking
        rank_of = {document: rank for rank, document in enumerate(ranking, 1)}
        relevant = {n: g for n, g in grades.items() if parsed.is_relevant(g)}
        ordered = np.sort(np.array([*relevant.values()]))
        moves: list[Move] = []
        for document, grade in sorted(relevant.items(), key=lambda each: -each[1]):
            first = len(ordered) - int(np.searchsorted(ordered, grade, "right")) + 1
            last = len(ordered) - int(np.searchsorted(ordered, grade))
            rank = rank_of.get(document)
            place = last if rank is None else min(max(rank, first), last)
            if rank != place:
                within = min(place, len(rank_of) + (rank is None))  # the list may end before
                moves.append(Move(document, rank, within, None if rank is None else rank - place))
        values = self._moved(parsed, judged, grades, moves[:MOST_HELPS])
        before = float(parsed.value(judged)[0])
        found = [
            Help(*move, values[move.document], values[move.document] - before) for move in moves[:MOST_HELPS]
        ]
        direction = parsed.spec.direction or 1
        found.sort(key=lambda each: (np.isnan(each.difference), -each.difference * direction, each.place))
        return found, len(moves) - len(found)

    def _moved(
        self, measure: Measure, judged: JudgedRankings, grades: Mapping[int, float], moves: Sequence[Move]
    ) -> dict[int, float]:
        """{document: the value of a measure after its move}."""
        numbers = {document: number for number, document in enumerate(_in_bytes(self.documents, grades))}
        moved = [move for move in moves if move.rank is not None]
        added = [move for move in moves if move.rank is None]
        rankings = [
            *move_each(judged, _ints(move.rank for move in moved), _ints(move.place for move in moved)),
            *insert_each(
                judged,
                _ints(move.place for move in added),
                np.array([grades[move.document] for move in added]),
                _ints(numbers[move.document] for move in added),
            ),
        ]
        values = [value for each in rankings for value in measure.value(each).tolist()]
        return {move.document: value for move, value in zip((*moved, *added), values, strict=True)}

    def _judged_ranking(self, measures: Sequence[Measure], change: Change) -> JudgedRankings:
        """The judged ranking of the topic after a change."""
        qrels, hits, longest = self._after(measures, change)
        docs = numbers_in_topics(qrels)
        for first, last, pool in blocks(qrels):
            if first <= self._place < last:
                only, at = pool.only(self._place - first), self._place
                return assemble([hits], at, at + 1, qrels.sorted_grades, only, longest, docs)
        raise AssertionError("every topic is in a block")

    def _after(self, measures: Sequence[Measure], change: Change) -> tuple[Qrels, RetrievedJudgments, int]:
        """(judgments, retrieved judgments of the run, length of the longest list) after a change."""
        campaign = self._campaign
        qrels = self._rejudged(change)
        hits = campaign.hits[self._run]
        if change.ranking is not None or change.grades:
            hits = self._spliced(qrels, change)
        others = [run for number, run in enumerate(campaign.hits) if number != self._run]
        longest = max(int(run.retrieved.max(initial=0)) for run in (hits, *others))
        return judgments_for(measures, qrels), hits, longest

    def _rejudged(self, change: Change) -> Qrels:
        qrels = self._campaign.qrels
        self._check(change)
        if not change.grades:
            return qrels
        grades = {self.documents[number]: grade for number, grade in change.grades.items()}
        return qrels.rejudged(self.topic, grades)

    def _check(self, change: Change) -> None:
        numbers = [*(change.ranking or ()), *change.grades]
        if any(not 0 <= number < len(self.documents) for number in numbers):
            wrong = next(number for number in numbers if not 0 <= number < len(self.documents))
            raise OptionError(
                f"topic {self.topic!r} has {counted(len(self.documents), 'document')}, numbered from 0, and "
                f"none is number {wrong}"
            )
        if change.ranking is not None and len(set(change.ranking)) < len(change.ranking):
            raise OptionError("a document is in the changed ranking twice")

    def _grades_after(self, change: Change) -> dict[int, float]:
        grades = {n: grade for n, grade in enumerate(self.grades) if grade is not None}
        merged = {**grades, **change.grades}
        return {number: float(grade) for number, grade in merged.items() if grade is not None}

    def _spliced(self, qrels: Qrels, change: Change) -> RetrievedJudgments:
        """The retrieved judgments of the run, with those of the changed topic in their place."""
        run, place = self._campaign.hits[self._run], self._place
        begin, end = run.starts[place : place + 2].tolist()
        shift = np.diff(qrels.starts) - np.diff(self._campaign.qrels.starts)
        moved = np.repeat(np.concatenate(([0], np.cumsum(shift)))[:-1], np.diff(run.starts))
        judgment = run.judgment + moved
        new = self._retrieve(qrels, change)
        sizes = np.diff(run.starts)
        sizes[place] = len(new.rank)

        def spliced(old: Any, replacement: Any) -> Any:
            return np.concatenate((old[:begin], replacement, old[end:]))

        def replaced(old: Any, value: Any) -> Any:
            column = old.copy()
            column[place] = value
            return column

        return run._replace(
            retrieved=replaced(run.retrieved, new.retrieved[0]),
            tied=replaced(run.tied, new.tied[0]),
            decisive=replaced(run.decisive, new.decisive[0]),
            starts=np.concatenate(([0], np.cumsum(sizes))),
            rank=spliced(run.rank, new.rank),
            judgment=spliced(judgment, new.judgment + qrels.starts[place]),
            ties=Ties(
                spliced(run.ties.first, new.ties.first),
                spliced(run.ties.last, new.ties.last),
                spliced(run.ties.score, new.ties.score),
                replaced(run.ties.squares, new.ties.squares[0]),
            ),
        )

    def _retrieve(self, qrels: Qrels, change: Change) -> RetrievedJudgments:
        """The retrieved judgments of the changed topic alone."""
        judged = Qrels.from_dict({self.topic: qrels.grades_of(self.topic)})
        engine = LocalEngine(judged, self._campaign.order, detail=True)
        if change.ranking is None:
            run = self._campaign.topic_rankings.rows(self.run, self.topic)
        elif change.ranking:
            run = Run.from_dict({self.topic: [self.documents[number] for number in change.ranking]})
        else:
            run = None
        return engine.retrieve(run or Run.from_dict({f"not {self.topic}": {"": 0}}))


def _in_bytes(documents: Sequence[str], numbers: Mapping[int, float]) -> list[int]:
    """Numbers of documents, in the order of their ids."""
    return sorted(numbers, key=lambda number: to_bytes(documents[number]))


def _ints(numbers: Iterable[Any]) -> Ints:
    return np.array([*numbers], dtype=np.int64)
