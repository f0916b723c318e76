"""The diff of one topic: both rankings side by side, and the shares of documents in the differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rankgauge.explanation.contributions import STEPS, TERMS
from rankgauge.explanation.report import (
    SCREEN_TITLE,
    SHOWN,
    TITLE,
    Report,
    begun,
    difference,
    grade,
    shortened,
)
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import PLACES, Cell, Table, number
from rankgauge.model.provenance import direction_by_name
from rankgauge.model.score_cells import lower_notes
from rankgauge.schema.text import counted, joined

ROUNDING = 1e-12  # of a share, which is no effect
HOW = {
    TERMS: "The value is a sum over documents: a share is a document's part of the new value, less its "
    "part of the old one.",
    STEPS: "The value is not a sum over documents, so shares depend on an order: documents are put in their "
    "new places one after another, from rank 1 down, which pushes the others down; a share is what that step "
    "changes.",
    "": "There are no shares: the value is undefined, or depends on scores or ties and not on ranks alone.",
}


@dataclass(frozen=True)
class DocumentMove:
    """A document of either ranking: its ranks, and its shares in the differences."""

    document: str
    grade: float | None  # None if it is not judged
    old: int | None  # its rank; None if it is not retrieved
    new: int | None
    title: str  # or how its text begins; empty if there are no texts
    shares: Mapping[str, float | None]  # {measure: share}; None if unknown
    move: str  # `new` or `lost`, `=`, or the ranks it rose or fell by, such as ↑3 and ↓12


def move_between(old: int | None, new: int | None) -> str:
    """The move of a document from one rank to another."""
    if old is None or new is None:
        return "new" if old is None else "lost"
    return f"↑{old - new}" if old > new else f"↓{new - old}" if old < new else "="


@dataclass(frozen=True)
class Change:
    """The values of a measure for the topic, as they count; NaN is undefined."""

    old: float
    new: float
    difference: float
    way: str = ""  # how shares were computed: by "terms" of a sum, or in "steps"; empty if there are none
    rest: float = 0.0  # of the difference, what is due to no document, but to how many there are


@dataclass(frozen=True, repr=False)
class TopicDiff(Report):
    """What changed for one topic between an old and a new run.

    For every measure whose change has a `way`, the shares of the `documents` and its `rest` add up to its
    `difference`, but for rounding.
    """

    topic: str
    old_run: str
    new_run: str
    changes: Mapping[str, Change]  # {measure: change}
    documents: tuple[DocumentMove, ...]  # of either ranking: by new rank, then those lost by their old rank
    depth: int | None  # down to which the rankings are shown; None: all of them
    query: str = ""  # the text of the topic; empty if there is none
    on_screen = {"titles": SCREEN_TITLE}  # noqa: RUF012  # never changed

    def document(self, *, limit: int = SHOWN, places: int = PLACES, titles: int = TITLE) -> Document:
        """The diff as a document to print; tables are cut at `limit` rows, titles at `titles` characters."""
        measure, change = next(iter(self.changes.items()))
        lower = " (lower is better)" if direction_by_name(measure) < 0 else ""
        title = (
            f"Topic {shortened(self.topic)}: {measure} {_from_to(change, places)}{lower}, "
            f"from {shortened(self.old_run)} to {shortened(self.new_run)}"
        )
        query = [Section("Query", (self.query,))] if self.query else []
        return Document(
            title,
            (
                *query,
                *self._values(),
                self._rankings(limit, titles),
                self.explained(limit=limit, titles=titles),
            ),
        )

    def _values(self) -> Iterator[Section]:
        if len(self.changes) > 1:
            rows = [
                (text, each.old, each.new, difference(each.difference)) for text, each in self.changes.items()
            ]
            lower = lower_notes({text: direction_by_name(text) for text in self.changes})
            table = Table(("measure", "old", "new", "difference"), rows)
            yield Section("Values", tuple(lower), table)

    def _rankings(self, limit: int, titles: int) -> Section:
        old = {each.old: each for each in self.documents if each.old is not None}
        new = {each.new: each for each in self.documents if each.new is not None}
        longest = max([*old, *new], default=0)
        depth = longest if self.depth is None else min(self.depth, longest)
        rows: list[tuple[Cell, ...]] = [
            (rank, *_ranked(old.get(rank), titles), *_ranked(new.get(rank), titles))
            for rank in range(1, min(depth, limit) + 1)
        ]
        sentences = [f"The first {limit} of {depth} ranks."] if depth > limit else []
        shown = (ranking.get(rank) for ranking in (old, new) for rank in range(1, len(rows) + 1))
        if any(each is not None and each.grade is None for each in shown):
            sentences.append("A document whose grade is a dash is not judged.")
        if not rows:
            sentences.append("Neither run has results for this topic.")
        headers = ("rank", "old", "grade", "move", "new", "grade", "move")
        return Section("Rankings side by side", tuple(sentences), Table(headers, rows) if rows else None)

    def explained(
        self,
        title: str = "What each document did",
        *,
        limit: int = SHOWN,
        titles: int = TITLE,
        brief: bool = False,
    ) -> Section:
        """The documents with the largest shares in the difference, and what the others add.

        `brief` leaves out how shares are computed.
        """
        shown = [each for each in self.documents if self._matters(each)]
        shown.sort(key=lambda each: (-self._size(each), each.grade is None))
        sentences = () if brief else (*self.ways(),)
        rests = {text: each.rest for text, each in self.changes.items()}
        if not shown and not any(rests.values()):
            none = "No document moved." if self.is_same else "No document changed the value."
            return Section(title, (none,))
        rows = [self._row(each, titles) for each in shown[:limit]]
        if len(shown) > limit:
            rows.append(self._sum(f"({counted(len(shown) - limit, 'more document')})", shown[limit:]))
        if any(rests.values()):
            rows.append(self._gap("(the number of documents)", rests))
        if any(each.way for each in self.changes.values()):
            totals = {text: each.difference if each.way else None for text, each in self.changes.items()}
            rows.append(self._gap("(all)", totals))
        headers = [name for name in rows[0] if name != "title" or any(each.title for each in self.documents)]
        return Section(title, sentences, Table(headers, [[row[name] for name in headers] for row in rows]))

    @property
    def is_same(self) -> bool:
        """Whether both rankings are the same."""
        return all(each.old == each.new for each in self.documents)

    def _share_headers(self) -> list[str]:
        return [f"share of {text}" if len(self.changes) > 1 else "share" for text in self.changes]

    def only(self, measure: str) -> TopicDiff:
        """The diff by one of its measures."""
        return replace(self, changes={measure: self.changes[measure]})

    def _size(self, each: DocumentMove) -> float:
        shares = (each.shares.get(text) for text in self.changes)
        return max((abs(share) for share in shares if share is not None), default=0.0)

    def _matters(self, each: DocumentMove) -> bool:
        """Whether a document is shown: it has a share, or else it moved."""
        if any(change.way for change in self.changes.values()):
            return self._size(each) > ROUNDING
        depth = math.inf if self.depth is None else self.depth
        within = any(rank is not None and rank <= depth for rank in (each.old, each.new))
        return within and each.old != each.new

    def ways(self) -> Iterator[str]:
        """The methods by which shares were computed."""
        ways: dict[str, list[str]] = {}
        for text, each in self.changes.items():
            ways.setdefault(each.way, []).append(text)
        for way, texts in ways.items():
            yield HOW[way] if len(ways) == 1 else f"{joined(texts)}: {HOW[way][0].lower()}{HOW[way][1:]}"

    def _row(self, each: DocumentMove, titles: int) -> dict[str, Cell]:
        shares = (difference(each.shares.get(text)) for text in self.changes)
        return {
            "document": shortened(each.document),
            "grade": grade(each.grade),
            "old rank": each.old,
            "new rank": each.new,
            "move": each.move,
            **dict(zip(self._share_headers(), shares, strict=True)),
            "title": begun(each.title, titles),
        }

    def _sum(self, name: str, documents: Sequence[DocumentMove]) -> dict[str, Cell]:
        totals: dict[str, float | None] = {}
        for text, change in self.changes.items():
            shares = (each.shares.get(text) for each in documents)
            totals[text] = math.fsum(share or 0.0 for share in shares) if change.way else None
        return self._gap(name, totals)

    def _gap(self, name: str, totals: Mapping[str, float | None]) -> dict[str, Cell]:
        shares = (difference(totals[text]) for text in self.changes)
        return {
            **{"document": name, "grade": None, "old rank": None, "new rank": None, "move": ""},
            **dict(zip(self._share_headers(), shares, strict=True)),
            "title": "",
        }


def _from_to(change: Change, places: int) -> str:
    old, new = (number(value, places, undefined="undefined") for value in (change.old, change.new))
    by = difference(change.difference)
    return f"{old} to {new} ({number(by, places)})" if not math.isnan(by) else f"{old} to {new}"


def _ranked(each: DocumentMove | None, titles: int) -> tuple[Cell, Cell, Cell]:
    if each is None:
        return "", None, ""
    return begun(each.title, titles) or shortened(each.document, 32), grade(each.grade), each.move
