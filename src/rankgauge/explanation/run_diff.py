"""Two runs compared without judgments: topics by the similarity of their rankings, moves of documents."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankgauge.core.ids import to_text
from rankgauge.engines.local.document_ranks import RankedRun, in_parts
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.errors import InputError
from rankgauge.explanation.contributions import Shares
from rankgauge.explanation.report import SCREEN_TITLE, SHOWN, TITLE, Report, begun, shortened
from rankgauge.explanation.topic_diff import DocumentMove, move_between
from rankgauge.explanation.ways import single_run
from rankgauge.model.notes import on_runs
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import PLACES, Cell, Table, number
from rankgauge.model.provenance import RunFacts
from rankgauge.model.rules import Reading, RunInputs
from rankgauge.model.run import Run
from rankgauge.model.texts import Texts
from rankgauge.numbers.rank_correlation import rbo_of_rankings
from rankgauge.schema.options import whole_number
from rankgauge.schema.text import counted, unknown_name

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

P = 0.9  # persistence of RBO
DEPTH = 10  # of overlap and moves
SHOWN_TOPICS = 5
NAMES = ("old", "new")  # of runs in memory that have none
TextsLike = Texts | str | os.PathLike[str] | None


@dataclass(frozen=True)
class RankingChange:
    """The similarity of a topic's rankings, and the moves of documents."""

    topic: str
    rbo: float  # rank-biased overlap of the whole rankings
    overlap: float  # the share of documents within the depth that both have; of the longer ranking
    moved: int  # documents that both have within the depth, at another rank
    came: int
    went: int
    query: str = ""  # the text of the topic; empty if there is none


@dataclass(frozen=True, repr=False)
class RunDiff(Report):
    """What changed between two runs without judgments, for better or worse."""

    old_run: str
    new_run: str
    depth: int
    rbo: float  # means over topics
    overlap: float
    topics: tuple[RankingChange, ...]  # the least similar first
    notes: tuple[str, ...] = ()
    on_screen = {"titles": SCREEN_TITLE}  # noqa: RUF012  # never changed

    def document(self, *, limit: int = SHOWN_TOPICS, places: int = PLACES, titles: int = TITLE) -> Document:
        """The diff as a document to print, with at most `limit` topics."""
        same = sum(each.rbo == 1 for each in self.topics)
        sentences = (
            f"{counted(len(self.topics), 'topic')}, {same} with the same ranking. Mean overlap of the first "
            f"{self.depth} documents {number(self.overlap, places)}, mean rank-biased overlap (RBO, p = {P}) "
            f"{number(self.rbo, places)}; 1 is the same.",
            f"moved, came, went: documents within the first {self.depth} ranks.",
        )
        rows = [
            (
                shortened(each.topic),
                each.rbo,
                each.overlap,
                each.moved,
                each.came,
                each.went,
                begun(each.query, titles),
            )
            for each in self.topics[:limit]
        ]
        headers = ["topic", "RBO", f"overlap@{self.depth}", "moved", "came", "went", "query"]
        table = Table(headers, rows)
        if not any(each.query for each in self.topics):
            table = table.columns(range(len(headers) - 1))
        title = f"{shortened(self.new_run)} against {shortened(self.old_run)}, without judgments"
        return Document(title, (Section("Topics, the most changed first", sentences, table),))


@dataclass(frozen=True, repr=False)
class RankingDiff(Report):
    """The rankings of one topic by two runs."""

    old_run: str
    new_run: str
    depth: int
    change: RankingChange
    documents: tuple[DocumentMove, ...]  # of either ranking: by new rank, then those lost by their old rank

    def document(self, *, limit: int = SHOWN, places: int = PLACES, titles: int = TITLE) -> Document:
        """Both rankings side by side, down to the depth and at most `limit` ranks."""
        change = self.change
        old = {each.old: each for each in self.documents}
        new = {each.new: each for each in self.documents}
        last = min(self.depth, limit, len(self.documents))
        rows = [
            (rank, *_shown(old.get(rank), titles), *_shown(new.get(rank), titles))
            for rank in range(1, last + 1)
            if rank in old or rank in new
        ]
        title = (
            f"Topic {shortened(change.topic)}: RBO {number(change.rbo, places)}, overlap@{self.depth} "
            f"{number(change.overlap, places)}, from {shortened(self.old_run)} to {shortened(self.new_run)}"
        )
        query = [Section("Query", (change.query,))] if change.query else []
        table = Table(("rank", "old", "move", "new", "move"), rows)
        return Document(title, (*query, Section("Rankings side by side", (), table)))


def _shown(each: DocumentMove | None, titles: int) -> tuple[Cell, Cell]:
    if each is None:
        return "", ""
    return f"{shortened(each.document, 32)} {begun(each.title, titles)}".rstrip(), each.move


def diff_rankings(
    old: Any,
    new: Any,
    *,
    topic: str | bytes | int | None = None,
    documents: TextsLike = None,
    topics: TextsLike = None,
    depth: int | None = None,
    **options: Unpack[RunInputs],
) -> RunDiff | RankingDiff:
    """The changes between two runs without judgments: by topic, or by document for one `topic`.

    Runs, texts and rules are those of `diff`. Overlap and moves are counted down to `depth`, 10 by default.

    >>> found = diff_rankings({"q": ["a", "b"], "r": ["a"]}, {"q": ["b", "c"], "r": ["a"]})
    >>> [(each.topic, round(each.rbo, 4), each.overlap, each.came) for each in found.topics]
    [('q', 0.45, 0.5, 1), ('r', 1.0, 1.0, 0)]
    """
    reading = Reading.of(options, RunInputs)
    order = reading.order.require_one_order("a diff shows")
    inputs = resolve_pair(old, new, reading)
    of_documents, queries = Texts.of(documents), Texts.of(topics)
    down_to = DEPTH if depth is None else whole_number("depth", depth, 1)
    wanted = to_text(topic) if isinstance(topic, bytes) else None if topic is None else str(topic)
    held: tuple[set[str], set[str]] = set(), set()
    unmapped: dict[str, RunFacts] = {}
    shown: list[tuple[list[str], list[str]]] = []  # of the last topic

    def changes(runs: Sequence[Run]) -> Iterator[RankingChange]:
        names = [{*map(to_text, run.topics)} for run in runs]
        for given, run, own, some in zip(inputs, runs, held, names, strict=True):
            unmapped[given.name] = RunFacts(unmapped=run.unmapped)
            own.update(some)
        before, after = (RankedRun(run, order) for run in runs)
        for name in names[0] | names[1]:
            if wanted in (None, name):
                shown[:] = [(before.documents(name), after.documents(name))]
                yield ranking_change(name, *shown[0], down_to)

    parts = in_parts(inputs, order, lambda runs, _: [*changes(runs)])
    found = [each for part in parts for each in part]
    of_documents, queries = Texts.of_runs(of_documents, queries, [run.file for run in inputs])
    if wanted is not None and not found:
        raise InputError(unknown_name("topic of the runs", wanted, sorted(held[0] | held[1])))
    if queries is not None:
        texts = queries.get_many([each.topic for each in found])
        found = [replace(e, query=texts[e.topic].heading) if e.topic in texts else e for e in found]
    if wanted is not None:
        moves = document_moves(*shown[0], of_documents, {}, {})
        return RankingDiff(inputs[0].name, inputs[1].name, down_to, found[0], tuple(moves))
    found.sort(key=lambda each: (each.rbo, each.topic))
    notes = [*on_runs(unmapped)]
    notes += [
        f"{run.name} has no results for {counted(len(other - own), 'topic')}, whose overlap counts as 0"
        for run, own, other in zip(inputs, held, reversed(held), strict=True)
        if other - own
    ]
    return RunDiff(
        inputs[0].name,
        inputs[1].name,
        down_to,
        math.fsum(each.rbo for each in found) / len(found),
        math.fsum(each.overlap for each in found) / len(found),
        tuple(found),
        tuple(notes),
    )


def resolve_pair(old: Any, new: Any, reading: Reading, judged: Any = None) -> tuple[RunInput, RunInput]:
    """The two runs, named by their paths, or old and new, if names are equal."""
    first, second = (
        single_run(resolve_runs(run, reading, judged), f"the {what} run must be one")
        for run, what in zip((old, new), NAMES, strict=True)
    )
    if first.name == second.name:
        paths = (first.source, second.source)
        in_files = not (first.in_memory or second.in_memory) and first.source != second.source
        names = paths if in_files else NAMES
        first, second = (run._replace(name=name) for run, name in zip((first, second), names, strict=True))
    return first, second


def document_moves(
    old: Sequence[str],
    new: Sequence[str],
    texts: Texts | None,
    grades: Mapping[str, float],
    shares: Mapping[str, Shares],
    depth: int | None = None,
) -> Iterator[DocumentMove]:
    """The documents of both rankings by new rank, then the lost ones by old rank.

    Below a depth, those without a share are left out.
    """
    was = {doc: rank for rank, doc in enumerate(old, 1)}
    now = {doc: rank for rank, doc in enumerate(new, 1)}
    shown = {*old[:depth], *new[:depth]}.union(*(each.shares for each in shares.values()))
    docs = [doc for doc in (*new, *(doc for doc in old if doc not in now)) if doc in shown]
    found = {} if texts is None else texts.get_many(docs)
    for doc in docs:
        yield DocumentMove(
            document=doc,
            grade=grades.get(doc),
            old=was.get(doc),
            new=now.get(doc),
            title=found[doc].heading if doc in found else "",
            shares={text: each.shares.get(doc, 0.0) if each.way else None for text, each in shares.items()},
            move=move_between(was.get(doc), now.get(doc)),
        )


def ranking_change(
    topic: str, old: Sequence[str], new: Sequence[str], depth: int, query: str = ""
) -> RankingChange:
    """The similarity of two rankings of a topic, and the moves of documents."""
    was, now = ({doc: rank for rank, doc in enumerate(docs[:depth], 1)} for docs in (old, new))
    both = was.keys() & now.keys()
    return RankingChange(
        topic=topic,
        # 1 for the same ranking alone, whatever rounding makes of a difference far below
        rbo=1.0 if old == new else min(rbo_of_rankings(old, new, P), math.nextafter(1, 0)),
        overlap=len(both) / max(len(was), len(now), 1),
        moved=sum(was[doc] != now[doc] for doc in both),
        came=len(now) - len(both),
        went=len(was) - len(both),
        query=query,
    )
