"""Pools: the documents at the top of several runs, to be judged, with the votes of the runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.engines.local.document_ranks import RankedRun, in_parts
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.engines.threads import available, in_threads
from rankgauge.formats.columns import joined_ids
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.notes import on_runs
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.provenance import RunFacts
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import OrderInputs, Reading
from rankgauge.model.run import Run
from rankgauge.model.texts import Texts
from rankgauge.schema.options import choice, whole_number
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

DEPTH = 100  # TREC's depth for many years
ORDERS = {
    "id": "documents by their ids, which hides the runs and ranks",
    "votes": "documents that most runs have at their top first, then by their ids",
    "effect": "documents that could change the differences between runs most first",
}


def pool(
    runs: Any,
    *,
    depth: int | None = DEPTH,
    judged: Any = None,
    threads: int | None = None,
    **options: Unpack[OrderInputs],
) -> DocumentPool:
    """The first `depth` documents of each run and topic, each once; all of them if `depth` is None.

    Runs and the options for the order of documents are those of `rankgauge.evaluate`. Documents with a
    judgment in `judged` are left out: the rest still has to be judged.

    >>> runs = {"bm25": {"q1": {"d1": 0.9, "d2": 0.5}}, "ql": {"q1": {"d2": 0.9, "d3": 0.5}}}
    >>> pool(runs, depth=2).to_dict()
    {'q1': {'d1': 1, 'd2': 2, 'd3': 1}}
    """
    if depth is not None:
        whole_number("depth", depth)
    reading = Reading.of(options, OrderInputs)
    rules = reading.order.require_one_order("a pool needs")
    inputs = resolve_runs(runs, reading)

    unmapped: dict[str, int] = {}

    def first(run: RunInput) -> tuple[Ids, Ids, Ints]:
        def top(loaded: Sequence[Run], _: int) -> tuple[Ids, Ids, Ints]:
            unmapped[run.name] = loaded[0].unmapped
            return RankedRun(loaded[0], rules).first(depth)

        topics, docs, ranks = zip(*in_parts([run], rules, top), strict=True)
        return joined_ids(topics), joined_ids(docs), np.concatenate(ranks)

    retrieved = in_threads(first, inputs, available(threads))
    union = replace(_union([run.name for run in inputs], depth, retrieved), unmapped=unmapped)
    return union if judged is None else union.without(Qrels.of(judged, duplicates=rules.duplicates))


def _union(
    names: Sequence[str], depth: int | None, retrieved: Sequence[tuple[Ids, Ids, Ints]]
) -> DocumentPool:
    """The pool of the (topics, documents, ranks) that each run retrieved."""
    topic, topics = joined_ids([topics for topics, _, _ in retrieved]).encode()
    docs = joined_ids([docs for _, docs, _ in retrieved])
    again, first = (np.frombuffer(b, dtype=np.int64) for b in core.duplicates(topic, docs.data, docs.offsets))
    row = np.arange(len(docs))
    row[again] = first  # the first row of a document stands for it
    rows, number = np.unique(row, return_inverse=True)
    # Qrels sort judgments by topic and document: with its number as the grade, so is every document.
    listed = Qrels(topics, topic[rows], docs.take(rows), np.arange(len(rows), dtype=np.float64))
    order = listed.sorted_grades.astype(np.int64)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return DocumentPool(
        runs=tuple(names),
        depth=depth,
        topics=listed.sorted_topics,
        starts=listed.starts,
        docs=listed.sorted_docs,
        doc=place[number],
        run=np.repeat(np.arange(len(retrieved)), [len(ranks) for _, _, ranks in retrieved]),
        rank=np.concatenate([ranks for _, _, ranks in retrieved]),
    )


@dataclass(frozen=True, eq=False, repr=False)
class DocumentPool:
    """The documents at the top of at least one run, sorted by topic and id, which hides their ranks."""

    runs: tuple[str, ...]
    depth: int | None
    topics: tuple[str, ...]  # ascending as bytes
    starts: Ints  # (topics + 1,) where the documents of each topic begin
    docs: Ids  # (documents,) ascending as bytes within a topic
    doc: Ints  # (votes,) number of the document; a vote is a document at the top of a run
    run: Ints  # (votes,) number of the run
    rank: Ints  # (votes,)
    left_out: int = 0  # documents that were judged before
    unmapped: Mapping[str, int] = field(default_factory=dict)  # {run: passages without a document}

    def __len__(self) -> int:
        return len(self.docs)

    def __repr__(self) -> str:
        down = "all ranks" if self.depth is None else f"depth {self.depth}"
        size = f"{counted(len(self), 'document')} of {counted(len(self.topics), 'topic')}"
        return f"Pool of {counted(len(self.runs), 'run')} to {down}: {size}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on topics, ranks or documents of passages that some runs lack."""
        notes = [*on_runs({name: RunFacts(unmapped=self.unmapped.get(name, 0)) for name in self.runs})]
        if self.left_out:
            judged = f"left out because they were judged before: {counted(self.left_out, 'document')}"
            return (*notes, judged)
        present = self.sizes > 0
        lacking = int((~present.all(axis=1)).sum())
        if lacking and not present.all(axis=0).any():
            notes.append("the runs have no topic in common, so their pools do not overlap")
        elif lacking:
            notes.append(f"runs that lack results for some topics: {lacking} of {len(self.runs)}")
        short = int((present & (self.sizes < (self.depth or 0))).any(axis=1).sum())
        if short:
            notes.append(
                f"runs that end before depth {self.depth} on some topics: {short} of {len(self.runs)}"
            )
        return tuple(notes)

    @cached_property
    def votes(self) -> Ints:
        """(documents,) how many runs have the document at their top."""
        return np.bincount(self.doc, minlength=len(self))

    @cached_property
    def best(self) -> Ints:
        """(documents,) the best rank in any run."""
        ranks = np.full(len(self), np.iinfo(np.int64).max)
        np.minimum.at(ranks, self.doc, self.rank)
        return ranks

    @property
    def spread(self) -> Floats:
        """(documents,) variance over runs of nDCG's discount of their ranks (0 beyond).

        Where it is large, a relevant document changes the differences between runs most.
        """
        discount = 1 / np.log2(self.rank + 1.0)
        mean, square = (
            np.bincount(self.doc, weights=each, minlength=len(self)) / len(self.runs)
            for each in (discount, discount * discount)
        )
        variance: Floats = square - mean * mean
        return np.round(variance, 12)  # so that rounding errors break no tie

    @cached_property
    def topic(self) -> Ints:
        """(documents,) the number of its topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    def qrels(self) -> Qrels:
        """Votes as judgments, to compare systems before anybody judged (`AP(rel=5)`: 5 votes or more)."""
        grades = self.votes.astype(np.float64)
        return Qrels(Ids.of(self.topics), self.topic, self.docs, grades, name="votes")

    def to_dict(self) -> dict[str, dict[str, int]]:
        """{topic: {document: votes}}."""
        names, votes, starts = self.docs.texts(), self.votes.tolist(), self.starts.tolist()
        return {
            topic: dict(zip(names[begin:end], votes[begin:end], strict=True))
            for topic, begin, end in zip(self.topics, starts, starts[1:], strict=False)
        }

    def in_order(self, order: str = "id") -> dict[str, list[str]]:
        """{topic: its documents} in one of ORDERS, for assessors."""
        keys = {"id": np.zeros(len(self)), "votes": self.votes, "effect": self.spread}
        key = keys[choice("order", order, ORDERS)]
        names, starts = self.docs.texts(), self.starts.tolist()
        return {
            topic: [names[begin + place] for place in np.argsort(-key[begin:end], kind="stable").tolist()]
            for topic, begin, end in zip(self.topics, starts, starts[1:], strict=False)
        }

    def requests(self, documents: Any, queries: Any) -> Iterator[dict[str, Any]]:
        """A row for each document, with the texts of both and an empty grade, for any program to fill in.

        `documents` and `queries` are `Texts`, their files, or dicts {id: text}.

        >>> found = pool({"a": {"q1": ["d1"]}}).requests({"d1": "The tea is hot."}, {"q1": "hot tea"})
        >>> list(found)
        [{'query_id': 'q1', 'query': 'hot tea', 'doc_id': 'd1', 'text': 'The tea is hot.', 'grade': None}]
        """
        return requests(self.in_order(), documents, queries)

    def without(self, judged: Qrels) -> DocumentPool:
        """The pool without documents judged before, and without topics that have no others."""
        numbers = {topic: number for number, topic in enumerate(judged.sorted_topics)}
        topic = np.array([numbers.get(name, -1) for name in self.topics], dtype=np.int64)[self.topic]
        judgment = judged.judgments().lookup(topic, self.docs.data, self.docs.offsets)
        kept = np.frombuffer(judgment, dtype=np.int64) < 0
        return replace(self._only(kept), left_out=self.left_out + int(np.count_nonzero(~kept)))

    def of_topics(self, topics: Iterable[str]) -> DocumentPool:
        """The pool of some topics."""
        return self._only(np.isin(self.topics, [*topics])[self.topic])

    def _only(self, kept: npt.NDArray[np.bool_]) -> DocumentPool:
        place, votes = np.cumsum(kept) - 1, kept[self.doc]
        sizes = np.bincount(self.topic[kept], minlength=len(self.topics))
        return replace(
            self,
            topics=tuple(name for name, size in zip(self.topics, sizes, strict=True) if size),
            starts=np.concatenate(([0], np.cumsum(sizes[sizes > 0]))),
            docs=self.docs.take(np.flatnonzero(kept)),
            doc=place[self.doc[votes]],
            run=self.run[votes],
            rank=self.rank[votes],
        )

    def overlap(self) -> Floats:
        """(runs, runs) the share of documents in common, |A∩B| / |A∪B|, mean over topics; NaN without any."""
        order = np.argsort(self.doc, kind="stable")
        doc, run = self.doc[order], self.run[order]
        cuts = np.searchsorted(doc, self.starts).tolist()
        total, topics = np.zeros((2, len(self.runs), len(self.runs)))
        for first, begin, end in zip(self.starts.tolist(), cuts, cuts[1:], strict=False):
            present, number = np.unique(run[begin:end], return_inverse=True)
            has = np.zeros((len(present), int(doc[begin:end].max(initial=first)) - first + 1))
            has[number, doc[begin:end] - first] = 1
            common = has @ has.T
            sizes = common.diagonal()
            total[np.ix_(present, present)] += common / (sizes[:, None] + sizes - common)
            topics[np.ix_(present, present)] += 1
        with np.errstate(invalid="ignore"):
            return total / topics

    @cached_property
    def sizes(self) -> Ints:
        """(runs, topics) the documents of each run in the pool."""
        place = self.run * len(self.topics) + self.topic[self.doc]
        return np.bincount(place, minlength=len(self.runs) * len(self.topics)).reshape(len(self.runs), -1)

    def table(self) -> Table:
        """Topic, votes and best rank in any run of each document."""
        topics = (self.topics[number] for number in self.topic.tolist())
        rows = zip(topics, self.docs.texts(), self.votes.tolist(), self.best.tolist(), strict=True)
        return Table(("topic", "document", "votes", "best rank"), list(rows))

    def topics_table(self) -> Table:
        """Documents of each topic, and how many only one run has."""
        alone = np.bincount(self.topic[self.votes == 1], minlength=len(self.topics)).tolist()
        rows = zip(self.topics, np.diff(self.starts).tolist(), alone, strict=True)
        return Table(("topic", "documents", "of one run alone"), list(rows))

    def runs_table(self) -> Table:
        """Topics and documents of each run, and how many no other run has."""
        runs, topics = len(self.runs), np.count_nonzero(self.sizes, axis=1).tolist()
        documents = self.sizes.sum(axis=1).tolist()
        alone = np.bincount(self.run[self.votes[self.doc] == 1], minlength=runs).tolist()
        rows = zip(self.runs, topics, documents, alone, strict=True)
        return Table(("run", "topics", "documents", "no other run's"), list(rows))

    def overlap_table(self) -> Table:
        """The overlap of every two runs."""
        rows: list[list[Cell]] = [
            [run, *values] for run, values in zip(self.runs, self.overlap().tolist(), strict=True)
        ]
        return Table(("run", *self.runs), rows)


def requests(to_judge: Mapping[str, Sequence[str]], documents: Any, queries: Any) -> Iterator[dict[str, Any]]:
    """A row for each of {topic: documents}, as `DocumentPool.requests` has it."""
    of_documents, of_queries = Texts.of(documents), Texts.of(queries)
    for topic, names in to_judge.items():
        (query,) = _joined(of_queries, [topic])
        for name, text in zip(names, _joined(of_documents, names), strict=True):
            yield {"query_id": topic, "query": query, "doc_id": name, "text": text, "grade": None}


def _joined(texts: Texts | None, ids: Sequence[str]) -> list[str]:
    known = {} if texts is None else texts.get_many(ids)
    return ["\n".join(filter(None, known.get(each, ()))) for each in ids]
