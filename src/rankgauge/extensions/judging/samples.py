"""Samples for human judgment: documents of a pool, drawn from strata, and topics.

A sample of documents is judgments with strata: documents not drawn have grade -1, those still to judge -2.
The probability with which one was drawn is the share of its stratum. A sample of topics is a file with lines
of topic, stratum and whether it was drawn, separated by commas; the first names the columns.
"""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.evaluator import evaluate
from rankgauge.extensions.judging.pooling import DocumentPool
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import delimited_rows
from rankgauge.measures.named_sets import ONE
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.output.tables import Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import choice, whole_number
from rankgauge.schema.text import counted

NOT_DRAWN, TO_JUDGE = -1.0, -2.0
BANDS = {10: "1-10", 30: "11-30"}  # {last rank: name}, of the best rank in any run
DEEP, UNJUDGED, ALL = "31+", "none", "all"
HEADER = ("topic", "stratum", "drawn")
DRAWN = {"yes": True, "no": False}
STRATA = ("relevant", "difficulty")
MIN_DRAWN, MAX_STRATA = 4, 4  # topics drawn from a stratum, at least; strata, at most


def judged_sample(sample: Any, judgments: Any) -> SubtopicQrels:
    """The sample with the grades of `judgments` for the documents drawn; the others count as not drawn."""
    return regraded(sample, judgments, lambda own, grade: own if own == NOT_DRAWN or grade is None else grade)


def regraded(sample: Any, judgments: Any, grade: Callable[[float, float | None], float]) -> SubtopicQrels:
    """The sample with grades by a function of its own and of the one in `judgments`, if any."""
    drawn, others = SubtopicQrels.of(sample), Qrels.of(judgments)
    known = {topic: others.grades_of(topic) for topic in drawn.sorted_topics}
    rows = zip(drawn.columns().topic.texts(), drawn.docs.texts(), drawn.grades.tolist(), strict=True)
    grades = [grade(own, known[topic].get(doc)) for topic, doc, own in rows]
    return replace(drawn, grades=np.array(grades, dtype=np.float64))


def sample_table(sample: SubtopicQrels) -> Table:
    """Topic, stratum, probability and grade of each document."""
    columns = sample.columns()
    assert columns.label is not None  # of judgments with strata
    texts = (each.texts() for each in (columns.topic, columns.doc, columns.label))
    drawn, sizes = stratum_sizes(sample)
    rows = zip(*texts, (drawn / sizes).tolist(), columns.numbers(), strict=True)
    return Table(("topic", "document", "stratum", "probability", "grade"), list(rows))


def stratum_sizes(sample: SubtopicQrels) -> tuple[Ints, Ints]:
    """((documents,) how many documents were drawn from the stratum of each, and how many it has)."""
    strata = sample.columns().label
    assert strata is not None  # of judgments with strata
    label, labels = strata.encode()
    stratum = sample.topic * len(labels) + label
    drawn = np.bincount(stratum[sample.grades != NOT_DRAWN], minlength=stratum.max(initial=-1) + 1)
    return drawn[stratum], np.bincount(stratum)[stratum]


def sample(pool: DocumentPool, size: int, *, llm_qrels: Any = None, seed: int = 0) -> SubtopicQrels:
    """The documents of a pool with their strata, of which `size` per topic are drawn at random.

    Strata are defined by the grade in `llm_qrels`, the best rank in any run, and whether the runs disagree:
    more than a quarter and fewer than three quarters of them have the document. They are joined, the last
    criterion first, until at least two documents can be drawn from each on average. At least two are, and
    more by the square root of its size. The seed and the topic decide which.

    Documents to judge have grade -2, others -1.

    >>> from rankgauge.extensions.judging import pool
    >>> drawn = sample(pool({"bm25": {"q1": {"d1": 0.9, "d2": 0.5}}}), 1)
    >>> drawn.to_dict()
    {'q1': {'all': {'d1': -1, 'd2': -2}}}
    """
    whole_number("sample", size)
    whole_number("seed", seed, 0)
    facets = _facets(pool, None if llm_qrels is None else Qrels.of(llm_qrels))
    strata, grades = [""] * len(pool), np.full(len(pool), NOT_DRAWN)
    for topic, (begin, end) in zip(pool.topics, pairwise(pool.starts.tolist()), strict=True):
        strata[begin:end] = _joined(facets[begin:end], size)
        members: dict[str, list[int]] = {}
        for place in range(begin, end):
            members.setdefault(strata[place], []).append(place)
        draw = random.Random(f"{seed} {topic}")
        for stratum, count in _allocation(
            {each: len(members[each]) for each in sorted(members)}, size
        ).items():
            grades[draw.sample(members[stratum], count)] = TO_JUDGE
    return SubtopicQrels(Ids.of(pool.topics), pool.topic, pool.docs, grades, Ids.of(strata), name="sample")


def _facets(pool: DocumentPool, llm: Qrels | None) -> list[tuple[str, str, str]]:
    """(grade, band of ranks, whether runs disagree) of each document."""
    topics = (pool.topics[number] for number in pool.topic.tolist())
    known = {topic: {} if llm is None else llm.grades_of(topic) for topic in pool.topics}
    found = (known[topic].get(doc) for topic, doc in zip(topics, pool.docs.texts(), strict=True))
    grades = (UNJUDGED if grade is None else f"{grade:g}" for grade in found)
    names = (*BANDS.values(), DEEP)
    bands = (names[place] for place in np.searchsorted([*BANDS], pool.best).tolist())
    share = pool.votes / len(pool.runs)
    split = np.where((share > 0.25) & (share < 0.75), "split", "agreed").tolist()
    return [*zip(grades, bands, split, strict=True)]


def _joined(facets: Sequence[tuple[str, ...]], size: int) -> list[str]:
    """The finest strata of which there are at most half as many as documents to draw."""
    for depth in (3, 2, 1):
        strata = ["/".join(facet[:depth]) for facet in facets]
        if len({*strata}) <= size / 2:
            return strata
    return [ALL] * len(facets)


def _allocation(sizes: dict[str, int], size: int) -> dict[str, int]:
    """Documents to draw from each stratum: two, and then by the square root of its size."""
    counts = {each: min(2, size, of) for each, of in sizes.items()}  # pairs are needed to estimate AP
    for _ in range(min(size, sum(sizes.values())) - sum(counts.values())):
        left = (each for each in sizes if counts[each] < sizes[each])
        counts[max(left, key=lambda each: math.sqrt(sizes[each]) / counts[each])] += 1
    return counts


def draw_topics(
    qrels: Any,
    size: int,
    *,
    seed: int = 0,
    strata: str | None = None,
    runs: Any = None,
    measure: str = ONE,
    **options: Any,
) -> TopicSample:
    """Topics drawn at random for human judgment, of those that a language model judged.

    With `strata`, topics are grouped first, and drawn from each group by its size: by "relevant", the number
    of relevant documents, or by "difficulty", the mean of a `measure` over the `runs`. Options are those of
    `rankgauge.evaluate`.

    >>> qrels = {str(topic): {"d1": topic % 3} for topic in range(40)}
    >>> sorted(draw_topics(qrels, 4, seed=1).drawn)
    ['24', '26', '35', '8']
    """
    if strata == "difficulty":
        scores = evaluate(qrels, runs, measure, **options)
        means = np.nan_to_num(scores.values[:, 0]).mean(axis=0)
        return TopicSample.draw(
            scores.topics, size, seed, dict(zip(scores.topics, means.tolist(), strict=True))
        )
    judged = Qrels.of(qrels)
    if strata is None:
        return TopicSample.draw(judged.sorted_topics, size, seed)
    choice("strata", strata, STRATA)
    relevant = np.add.reduceat(judged.sorted_grades > 0, judged.starts[:-1]).tolist()
    return TopicSample.draw(
        judged.sorted_topics, size, seed, dict(zip(judged.sorted_topics, relevant, strict=True))
    )


class TopicSample(Frozen):
    """The stratum of every topic, and the topics that were drawn."""

    strata: Mapping[str, str]  # {topic: stratum}
    drawn: frozenset[str]

    @classmethod
    def of(cls, source: Any) -> TopicSample:
        """A sample from a file, or from {topic: stratum}, of which any topic may be drawn."""
        if isinstance(source, cls):
            return source
        if isinstance(source, Mapping):
            return cls({str(t): str(s) for t, s in source.items()}, frozenset(map(str, source)))
        if not isinstance(source, (str, os.PathLike)):
            raise OptionError(f"topics drawn are {{topic: stratum}}, or the path of a file, not {source!r}")
        strata, drawn, file = {}, set(), Source(source)
        for line, cells in delimited_rows(file):
            row = tuple(cell.strip() for cell in cells)
            if tuple(map(str.casefold, row)) == HEADER:
                continue
            if len(row) != len(HEADER) or row[2] not in DRAWN or row[0] in strata:
                raise InputError(
                    f"expected a new topic, its stratum, and yes or no for whether it was drawn, found "
                    f"{quote(', '.join(cells))}; `rankgauge pool --topics` writes such a file",
                    path=file.path,
                    line=line,
                )
            strata[row[0]] = row[1]
            if DRAWN[row[2]]:
                drawn.add(row[0])
        return cls(strata, frozenset(drawn))

    @classmethod
    def draw(
        cls, topics: Iterable[str], size: int, seed: int, by: Mapping[str, float] | None = None
    ) -> TopicSample:
        """Topics drawn at random; with `by`, from strata of similar values, by their sizes.

        >>> sample = TopicSample.draw(["a", "b", "c"], 2, seed=1)
        >>> len(sample.drawn), {*sample.strata.values()}
        (2, {'all'})
        """
        names = sorted({*topics})
        whole_number("topics", size, 1, len(names))
        generator = np.random.default_rng(whole_number("seed", seed, 0))
        count = 1 if by is None else max(1, min(MAX_STRATA, size // MIN_DRAWN))
        ordered = names if by is None else sorted(names, key=lambda topic: (by.get(topic, 0.0), topic))
        groups = np.array_split(np.array(ordered, dtype=object), count)
        shares = np.diff(np.round(np.cumsum([0, *map(len, groups)]) * size / len(names))).astype(int)
        chosen = [
            generator.choice(group, share, replace=False) for group, share in zip(groups, shares, strict=True)
        ]
        titles = ["all"] if count == 1 else [str(number) for number in range(1, count + 1)]
        strata = {topic: title for title, group in zip(titles, groups, strict=True) for topic in group}
        return cls({topic: strata[topic] for topic in names}, frozenset(np.concatenate(chosen).tolist()))

    def check(self, topics: Iterable[str], judged: Iterable[str]) -> None:
        """Refuse topics without a stratum, and topics judged but not drawn."""
        topics, judged = [*topics], [*judged]
        unknown = [topic for topic in topics if topic not in self.strata]
        others = [topic for topic in judged if topic not in self.drawn]
        for some, what in ((unknown, "no stratum"), (others, "human judgments, and was not drawn")):
            if some:
                raise InputError(
                    f"topic {some[0]!r} has {what} ({counted(len(some), 'such topic')}); pass the file that "
                    "`rankgauge pool --topics` wrote for these judgments"
                )
        empty = {self.strata[topic] for topic in topics} - {self.strata[topic] for topic in judged}
        if empty:
            raise InputError(
                f"no topic of stratum {min(empty)!r} has human judgments; judge some of each, or leave out "
                "the strata"
            )

    def notes(self, judged: Iterable[str]) -> Iterator[str]:
        """Notes on topics drawn and not judged, and on strata with one judged topic."""
        judged = [*judged]
        missing = len(self.drawn - {*judged})
        if missing and len(self.drawn) < len(self.strata):
            yield (
                f"{counted(missing, 'topic')} drawn for human judgment without any; the others are a random "
                "sample only if chance decides which"
            )
        counts = Counter(self.strata[topic] for topic in judged)
        single = sorted(stratum for stratum, count in counts.items() if count == 1)
        if single and len(counts) > 1:
            yield (
                f"stratum {single[0]!r} has only 1 topic with human judgments, and intervals need 2 of each "
                "stratum; judge another topic drawn from it, or join it with a similar stratum"
            )

    def table(self) -> Table:
        """A row for each topic, as a file has it."""
        words = {drawn: word for word, drawn in DRAWN.items()}
        return Table(HEADER, [(t, s, words[t in self.drawn]) for t, s in self.strata.items()], keys=1)
