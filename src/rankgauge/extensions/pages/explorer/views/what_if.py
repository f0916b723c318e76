"""What if: values of a topic and of its run if its ranking or its judgments were different.

The changed topic is joined and measured with the other topics, whose values may depend on the highest grade
or the longest list: values are those of `rankgauge.evaluate` for the changed files.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.core.ids import to_bytes
from rankgauge.engines.assembly import (
    assemble,
    blocks,
    judgments_for,
    longest,
    numbers_in_topics,
    pool_of_topic,
)
from rankgauge.engines.kernel import measure_rankings
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.errors import MeasureError, OptionError
from rankgauge.explanation.contributions import TopicRankings, moved
from rankgauge.explanation.one_run import subtopics_by_rank
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters, View, add_view
from rankgauge.extensions.pages.explorer.views.measures import described
from rankgauge.extensions.pages.explorer.views.ranking import BY_SUBTOPIC, DEPTH, about_topic
from rankgauge.measures import Measure, parse, parse_all
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import counted, printable

MAX_TRIED = 10_000  # moves that are measured
MAX_STEPS = 10  # towards the ideal ranking
CURVES = ("DCG", "P", "CRP")
MATRIX_DEPTH = 20  # of rankings by subtopics
MAX_LISTED = 10  # documents that are listed as helping most, of those retrieved and of the others
SMALLEST = 1e-12  # difference that is not one of rounding


class Change(Frozen):
    """A changed ranking and changed judgments; documents are numbers in `WhatIf.documents`."""

    ranking: Sequence[int] | None = None  # best first; None if it is as it was
    grades: Mapping[int, float | None] = {}  # None for a document that is not judged any more


class Values(Frozen):
    """The values of measures for the topic, and their means over topics."""

    topic: tuple[float, ...]
    mean: tuple[float, ...]


class Help(NamedTuple):
    """The best move of a relevant document."""

    document: int
    rank: int | None  # None if it is not retrieved
    place: int
    value: float  # the measure, with the document at that place
    difference: float


class MatrixSide(NamedTuple):
    """A ranking by subtopics."""

    value: float
    rows: list[tuple[str, dict[str, float | None]]]  # (document, {subtopic: worth}), by rank


class Matrix(NamedTuple):
    """A ranking and the ideal one by subtopics."""

    names: tuple[str, ...]
    run: MatrixSide
    ideal: MatrixSide


class Halfway(NamedTuple):
    """Moves that close half of the gap between a value and that of the ideal ranking."""

    moves: tuple[tuple[int, int], ...]  # (document, rank)
    before: float
    after: float
    ideal: float


class WhatIf:
    """One topic of one run, whose ranking and judgments can be changed.

    `added` are documents neither retrieved nor judged.

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
        """Documents retrieved, in rank order, then judged ones that were not, and those added."""
        return [*dict.fromkeys((*self._ranked, *self.grades_of_topic, *self._added))]

    @cached_property
    def grades_of_topic(self) -> dict[str, float]:
        """{document: grade}."""
        return self._campaign.qrels.grades_of(self.topic)

    @property
    def grades(self) -> list[float | None]:
        """The grade of each of `documents`; None if unjudged."""
        return [self.grades_of_topic.get(document) for document in self.documents]

    def values(self, measures: Any, change: Change = Change()) -> Values:  # noqa: B008  # frozen
        """Values after a change."""
        parsed = parse_all(measures)
        qrels, hits, judged = self._after(parsed, change)
        values = np.empty((len(parsed), len(qrels.sorted_topics)))
        weights = np.empty((sum(measure.is_weighed for measure in parsed), values.shape[1]))
        docs, order = numbers_in_topics(qrels), self._campaign.order
        measured = [
            (first, last, assemble([hits], first, last, qrels.sorted_grades, pool, judged.longest, docs))
            for first, last, pool in blocks(qrels)
        ]
        for first, last, rankings in (*measured, (self._place, self._place + 1, judged)):
            results = measure_rankings(parsed, rankings, order)
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
        _, _, judged = self._after(parsed, change)
        return [measure.vector(judged, depth)[0].tolist() for measure in parsed]

    def ideal_curve(self, measure: Measure, depth: int, change: Change) -> list[float]:
        """The measure at every rank of the ideal ranking."""
        _, _, judged = self._after([measure], change)
        curve: list[float] = measure.vector(measure.ideal(judged.pool, depth), depth)[0].tolist()
        return curve

    def matrix(self, measure: Measure, depth: int, change: Change = Change()) -> Matrix:  # noqa: B008
        """Subtopics by rank, of the ranking after a change and of the ideal one."""
        qrels, _, judged = self._after([measure], change)
        assert isinstance(qrels, SubtopicQrels)
        ideal, names = measure.ideal(judged.pool, depth), qrels.subtopics[self._place]
        docs = qrels.sorted_docs.part(slice(*qrels.starts[self._place : self._place + 2])).texts()
        assert ideal.doc is not None
        best = {rank: docs[doc] for rank, doc in zip(ideal.rank.tolist(), ideal.doc.tolist(), strict=True)}
        ranking = range(self.retrieved) if change.ranking is None else change.ranking
        ranked = dict(enumerate((self.documents[number] for number in ranking), 1))
        return Matrix(
            names,
            *(
                MatrixSide(
                    float(measure.value(of)[0]),
                    [
                        (documents[rank], {each.name: each.worth for each in covered.get(rank, ())})
                        for rank in range(1, depth + 1)
                        if rank in documents
                    ],
                )
                for of, documents in ((judged, ranked), (ideal, best))
                for covered in [subtopics_by_rank(measure, of, names)]
            ),
        )

    def helps(self, measure: Any, change: Change = Change()) -> tuple[list[Help], int]:  # noqa: B008
        """(the best move of each relevant document, those that gain most first; the number left out).

        A document is tried at every rank above its own, down to the last that matters or to DEPTH.
        """
        parsed = parse(measure)
        if parsed.spec.needs.scores:
            raise MeasureError(
                f"{parsed} looks at scores, and a document that moves has none; use another measure"
            )
        _, _, judged = self._after([parsed], change)
        grades = self._grades_after(change)
        ranking = range(self.retrieved) if change.ranking is None else change.ranking
        rank_of = {document: rank for rank, document in enumerate(ranking, 1)}
        is_condensed = parsed.settings.get("judged_only")
        deepest = DEPTH if parsed.reach is None or is_condensed else parsed.reach
        above = [grades.get(document, -math.inf) for document in ranking[:deepest]]
        relevant = sorted((n for n, g in grades.items() if parsed.is_relevant(g)), key=lambda n: -grades[n])
        tried: dict[int, list[int]] = {}  # documents: their ranks
        alike: dict[int, int] = {}  # documents: others whose moves bring the same
        first_of: dict[float, int] = {}
        left_out = 0
        by_grade = parsed.is_monotone and "gains" not in parsed.settings and judged.pool.subtopics is None
        for document in relevant:
            if document not in rank_of and judged.pool.subtopics is None:
                first = first_of.setdefault(grades[document], document)
                if first != document:
                    alike[document] = first
                    continue
            last = min(deepest, len(rank_of) + 1, rank_of.get(document, math.inf) - 1)
            ranks = [*range(1, int(last) + 1)]
            if by_grade:  # only passing a better one may hurt
                better = [place for place, grade in enumerate(above, 2) if grade > grades[document]]
                ranks = [rank for rank in ranks if rank in {1, last, *better}]
            if sum(map(len, tried.values())) + len(ranks) > MAX_TRIED:
                left_out += 1
            elif ranks:
                tried[document] = ranks
        before = float(parsed.value(judged)[0])
        best = self._best(parsed, judged, grades, rank_of, tried)
        best |= {document: best[first] for document, first in alike.items() if first in best}
        found = [
            Help(document, rank_of.get(document), *best[document], best[document][1] - before)
            for document in relevant
            if document in best
        ]
        way = parsed.spec.direction or 1
        found.sort(key=lambda each: (np.isnan(each.difference), -each.difference * way, each.place))
        return found, left_out

    def _best(
        self,
        measure: Measure,
        judged: JudgedRankings,
        grades: Mapping[int, float],
        rank_of: Mapping[int, int],
        tried: Mapping[int, Sequence[int]],
    ) -> dict[int, tuple[int, float]]:
        """{document: (the lowest of the ranks with the best value, that value)}."""
        pooled = sorted(grades, key=lambda number: to_bytes(self.documents[number]))
        column = {document: place for place, document in enumerate(pooled)}
        ranks = np.array([rank_of.get(document, 0) for document in column], dtype=np.int64)
        length, way = int(judged.retrieved[0, 0]), measure.spec.direction or 1
        best: dict[int, tuple[int, float]] = {}
        for added in (False, True):
            some = [
                (n, place) for n, places in tried.items() if (n not in rank_of) == added for place in places
            ]
            rankings = TopicRankings(judged.pool, np.arange(len(column)), max(judged.longest, length + added))
            moves = ((moved(ranks, column[number], place), length + added) for number, place in some)
            for (number, place), value in zip(some, *rankings.values([measure], moves), strict=True):
                known = best.get(number)
                if known is None or math.isnan(known[1]) or (value - known[1]) * way >= -SMALLEST:
                    best[number] = place, value
        return best

    def halfway(self, measure: Any, change: Change = Change()) -> Halfway | None:  # noqa: B008
        """The fewest of the best moves, one after the other, that close half of the gap to the ideal.

        None without a gap, or where MAX_STEPS do not close half of it.
        """
        parsed = parse(measure)
        _, _, judged = self._after([parsed], change)
        before = float(parsed.value(judged)[0])
        ideal = float(parsed.value(parsed.ideal(judged.pool, judged.longest))[0])
        moves: list[tuple[int, int]] = []
        value, way = before, parsed.spec.direction or 1
        if not (ideal - before) * way > SMALLEST:
            return None
        while (value - (before + ideal) / 2) * way < -SMALLEST:
            helps, _ = self.helps(parsed, change)
            if len(moves) == MAX_STEPS or not helps or not helps[0].difference * way > SMALLEST:
                return None
            document, _, place, value, _ = helps[0]
            ranking = range(self.retrieved) if change.ranking is None else change.ranking
            others = [number for number in ranking if number != document]
            change = change._replace(ranking=[*others[: place - 1], document, *others[place - 1 :]])
            moves.append((document, place))
        return Halfway(tuple(moves), before, value, ideal)

    def _after(
        self, measures: Sequence[Measure], change: Change
    ) -> tuple[Qrels, RetrievedJudgments, JudgedRankings]:
        """(judgments, retrieved judgments of the run, judged ranking of the topic) after a change.

        If there is a change, the retrieved judgments lack those of the topic.
        """
        campaign, place = self._campaign, self._place
        qrels, hits = judgments_for(measures, self._rejudged(change)), campaign.hits[self._run]
        topic, first = hits, place
        if change.ranking is not None or change.grades:
            topic, first = self._retrieve(qrels, change), 0
            topic = topic._replace(judgment=topic.judgment + qrels.starts[place])
            sizes = np.diff(campaign.qrels.starts)
            number = np.arange(sizes.sum()) + np.repeat((qrels.starts - campaign.qrels.starts)[:-1], sizes)
            others = np.repeat(np.arange(len(sizes)) != place, np.diff(hits.starts))
            retrieved = hits.retrieved.copy()
            retrieved[place] = topic.retrieved[0]
            hits = hits.only(others, number)._replace(retrieved=retrieved)
        most = longest([hits, *(run for n, run in enumerate(campaign.hits) if n != self._run)])
        pool, docs = pool_of_topic(qrels, place), numbers_in_topics(qrels)
        judged = assemble([topic], first, first + 1, qrels.sorted_grades, pool, most, docs)
        return qrels, hits, judged

    def _rejudged(self, change: Change) -> Qrels:
        numbers = [*(change.ranking or ()), *change.grades]
        wrong = [number for number in numbers if not 0 <= number < len(self.documents)]
        if wrong:
            raise OptionError(
                f"topic {self.topic!r} has {counted(len(self.documents), 'document')}, numbered from 0, and "
                f"none is number {wrong[0]}"
            )
        if change.ranking is not None and len(set(change.ranking)) < len(change.ranking):
            raise OptionError("a document is in the changed ranking twice")
        grades = {self.documents[number]: grade for number, grade in change.grades.items()}
        return self._campaign.qrels.rejudged(self.topic, grades) if grades else self._campaign.qrels

    def _grades_after(self, change: Change) -> dict[int, float]:
        grades = {n: grade for n, grade in enumerate(self.grades) if grade is not None}
        merged = {**grades, **change.grades}
        return {number: float(grade) for number, grade in merged.items() if grade is not None}

    def _retrieve(self, qrels: Qrels, change: Change) -> RetrievedJudgments:
        judged = Qrels.from_dict({self.topic: qrels.grades_of(self.topic)})
        engine = LocalEngine(judged, self._campaign.order, detail=True)
        if change.ranking is None:
            run = self._campaign.topic_rankings.rows(self.run, self.topic)
        elif change.ranking:
            run = Run.from_dict({self.topic: [self.documents[number] for number in change.ranking]})
        else:
            run = None
        return engine.retrieve(run or Run.from_dict({f"not {self.topic}": {"": 0}}))


def curves(session: Session, asked: WhatIf, by: Measure, depth: int, changed: Change) -> list[dict[str, Any]]:
    """A measure (with its ideal) and CURVES at every rank down to a depth, before and after a change."""
    own = (
        {by._replace(cutoff=None): session.measure_name(str(by._replace(cutoff=None)))}
        if by.spec.curve
        else {}
    )
    named = {parse(text): parse(text).spec.title for text in CURVES if parse(text) not in own}
    measures = [*own, *named]
    both = [asked.curves(measures, depth, change) for change in (Change(), changed)]
    return [
        {
            "title": f"{own[each]} by rank" if each in own else named[each],
            "before": before,
            "after": after,
            "ideal": asked.ideal_curve(each, depth, changed) if each in own else None,
        }
        for each, before, after in zip(measures, *both, strict=True)
    ]


def matrix(session: Session, asked: WhatIf, by: Measure, changed: Change) -> dict[str, Any] | None:
    """Documents by subtopics, after a change and in the ideal ranking; None without subtopics."""
    if not session.has_subtopics:
        return None
    measure = by if by.spec.needs.subtopics else parse(BY_SUBTOPIC)
    found = asked.matrix(measure, min(measure.cutoff or MATRIX_DEPTH, MATRIX_DEPTH), changed)
    documents = [document for side in (found.run, found.ideal) for document, _ in side.rows]
    texts = session.document_texts.get_many(documents) if session.document_texts is not None else {}

    def row(document: str, worth: Mapping[str, float | None]) -> list[Any]:
        cells = [1.0 if name in worth and worth[name] is None else worth.get(name) for name in found.names]
        title = texts[document].title if document in texts else ""
        return [printable(title or document), cells, None]

    return {
        "measure": described(session, str(measure)),
        "names": [printable(name) for name in found.names],
        "sides": [
            {"value": side.value, "rows": [row(*each) for each in side.rows]}
            for side in (found.run, found.ideal)
        ],
    }


def what_if(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The possible changes, and values before any.

    Documents are those retrieved, in rank order, then the judged ones that were not, and those added.
    """
    asked = _asked(session, parameters)
    listed = (*asked.documents[:DEPTH], *asked.documents[asked.retrieved :])
    texts = session.document_texts.get_many(listed) if session.document_texts is not None else {}
    return {
        **about_topic(session, asked.topic),
        "retrieved": asked.retrieved,
        "documents": [printable(document) for document in asked.documents],
        "titles": [texts[document].title if document in texts else "" for document in asked.documents],
        "grades": asked.grades,
        **_values(session, parameters, asked, Change()),
    }


def change(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Values, curves and subtopics after a change; unless it is still `dragged`, what helps most then."""
    asked, changed = _asked(session, parameters), _changed(parameters)
    by = parse(parameters.text("by", str(_measures(session, parameters)[0])))
    length = asked.retrieved if changed.ranking is None else len(changed.ranking)
    found = {
        **_values(session, parameters, asked, changed),
        "curves": curves(session, asked, by, max(1, min(DEPTH, length)), changed),
        "matrix": matrix(session, asked, by, changed),
    }
    return found if parameters.number("dragged", 0, 0, 1) else {**found, "helps": _helps(asked, by, changed)}


def halfway(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Moves that close half of the gap to the ideal ranking, or none."""
    asked, by = _asked(session, parameters), parse(parameters.text("by"))
    found = asked.halfway(by, _changed(parameters))
    return {"halfway": found and found._asdict()}


def _changed(parameters: Parameters) -> Change:
    grades = dict(_grade(each) for each in parameters.objects("grades"))
    return Change(ranking=parameters.numbers("ranking"), grades=grades)


def _measures(session: Session, parameters: Parameters) -> tuple[Measure, ...]:
    return parse_all(parameters.text("measures", " ".join(session.measures)))


def _values(session: Session, parameters: Parameters, asked: WhatIf, changed: Change) -> dict[str, Any]:
    measures = _measures(session, parameters)
    values = asked.values(measures, changed)
    return {
        "measures": [described(session, str(each)) for each in measures],
        "topic": list(values.topic),
        "mean": list(values.mean),
    }


def _asked(session: Session, parameters: Parameters) -> WhatIf:
    run, topic = parameters.text("run"), parameters.text("topic")
    added = parameters.texts("added")
    return WhatIf(session.campaign, session.run_called(run), session.topic_called(topic), added)


def _grade(given: Any) -> tuple[int, float | None]:
    number = given.get("document")
    if type(number) is not int:
        raise OptionError("a changed judgment names its document by number")
    return number, Parameters(given).real("grade")


def _helps(asked: WhatIf, by: Measure, changed: Change) -> dict[str, Any]:
    """The gain from moving each relevant document, or the reason why there is none."""
    try:
        helps, left_out = asked.helps(by, changed)
    except MeasureError as error:
        return {"by": str(by), "error": str(error), "rows": [], "left_out": 0, "in_vain": 0}
    useful = [each for each in helps if each.difference * (by.spec.direction or 1) >= SMALLEST]
    retrieved, others = ([each for each in useful if (each.rank is None) == new] for new in (False, True))
    listed = {*retrieved[:MAX_LISTED], *others[:MAX_LISTED]}
    return {
        "by": str(by),
        "rows": [[*each[:3], each.difference] for each in useful if each in listed],
        "left_out": left_out + len(useful) - len(listed),
        "in_vain": len(helps) - len(useful),
    }


add_view(
    View(
        "what-if",
        {"what-if": what_if},
        {"what-if": change, "what-if-halfway": halfway},
        offered=lambda session: session.has_judged_rankings,
    )
)
