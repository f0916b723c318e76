"""Decisions of people who judge documents, and which of them count.

A decision grades a document, or skips it. An assessor's latest decision on a document counts; undoing it
makes the one before count again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError, OptionError
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import majority
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import choice
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import format_number

MAX_CHARACTERS = {"assessor": 100, "topic": 10_000, "document": 10_000, "comment": 10_000}
KINDS = ("grade", "skip", "undo")
RESOLVE = {
    "majority": "the grade that most assessors gave; of several such grades, the lowest",
    "latest": "the grade that was given last",
    "highest": "the highest grade",
    "lowest": "the lowest grade",
    "agreed": "the grade if all gave the same one; other documents are left out",
}


class Decision(Frozen):
    """A decision of an assessor on a document, with its time."""

    time: str  # ISO 8601, UTC
    assessor: str
    topic: str
    document: str
    kind: str = "grade"  # one of KINDS
    grade: float | None = None  # if `kind` is grade
    comment: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """The topic and the document."""
        return self.topic, self.document

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Decision:
        """The decision in a line of a journal; unknown names are ignored."""
        kinds = [kind for kind in KINDS if kind in values]
        if len(kinds) != 1 or any(values[kind] is not True for kind in kinds if kind != "grade"):
            raise OptionError('a decision has one of "grade": NUMBER, "skip": true and "undo": true')
        texts = {name: _text(name, values.get(name, "")) for name in ("time", *MAX_CHARACTERS)}
        grade = _grade(values["grade"]) if kinds == ["grade"] else None
        return cls(kind=kinds[0], grade=grade, **texts)

    def as_dict(self) -> dict[str, Any]:
        """The decision as in a line of a journal."""
        first = {name: getattr(self, name) for name in ("time", "assessor", "topic", "document")}
        number = None if self.grade is None else float(self.grade)
        whole = number is not None and number.is_integer() and abs(number) < 1e15
        value: Any = True if number is None else int(number) if whole else number
        return first | {self.kind: value} | ({"comment": self.comment} if self.comment else {})


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{name} is a text, not {type(value).__name__}")
    most = MAX_CHARACTERS.get(name, 100)
    if len(value) > most:
        raise OptionError(f"{name} has {len(value):,} characters; the most is {most:,}")
    if name == "comment":
        return value.encode("utf-8", "replace").decode()
    if not value.strip():
        raise OptionError(f"{name} is missing")
    if name in ("topic", "document"):
        try:
            to_bytes(value)
        except InputError:
            raise OptionError(f"{name} is no valid id: {value[:50]!r}") from None
    elif not value.isprintable() or value != value.strip():
        raise OptionError(f"{name} is printable text without space at its ends, not {value[:50]!r}")
    return value


def _grade(value: Any) -> float:
    try:
        if is_number(value) and math.isfinite(value):
            return float(value)
    except OverflowError:  # of a whole number
        value = "one with hundreds of digits"
    raise OptionError(f"a grade is a finite number, not {value!r}")


class Decisions:
    """Decisions in the order in which they were made, with what counts of them.

    >>> made = [Decision("2026-11-16T10:00:00Z", "Ann", "q1", "d1", grade=2)]
    >>> Decisions(made).qrels().to_dict()
    {'q1': {'d1': 2}}
    """

    def __init__(self, made: Iterable[Decision] = ()) -> None:
        self.made = list(made)  # all of them, also those that do not count any more

    @cached_property  # a journal has new `Decisions` after each line, and few of them are asked
    def _standing(self) -> dict[str, dict[tuple[str, str], list[int]]]:
        """{assessor: {(topic, document): the places in `made` of what was not undone, ascending}}."""
        standing: dict[str, dict[tuple[str, str], list[int]]] = {}
        for number, decision in enumerate(self.made):
            documents = standing.setdefault(decision.assessor, {})
            places = documents.setdefault(decision.place, [])
            if decision.kind != "undo":
                places.append(number)
            else:
                del places[-1:]
            if not places:
                del documents[decision.place]
        return standing

    def __len__(self) -> int:
        return len(self.made)

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.made)

    def first(self, number: int) -> Decisions:
        """The first so many decisions."""
        return Decisions(self.made[:number])

    @property
    def assessors(self) -> tuple[str, ...]:
        """The assessors, in the order of their first decisions."""
        return tuple(self._standing)

    def latest(self, assessor: str, topic: str, document: str) -> Decision | None:
        """An assessor's counting decision on a document, if any."""
        places = self._standing.get(assessor, {}).get((topic, document))
        return self.made[places[-1]] if places else None

    def last(self, assessor: str) -> Decision | None:
        """The last decision of an assessor, which undoing takes back."""
        return self.before(assessor, None)

    def decided(self, assessor: str) -> Iterable[tuple[str, str]]:
        """Topics and documents of an assessor's counting decisions, in any order."""
        return self._standing.get(assessor, {}).keys()

    def before(self, assessor: str, place: tuple[str, str] | None) -> Decision | None:
        """An assessor's counting decision before that on a document, or the last of all."""
        documents = self._standing.get(assessor, {})
        end = documents[place][-1] if place in documents else len(self.made)
        earlier = [places[-1] for places in documents.values() if places[-1] < end]
        return self.made[max(earlier)] if earlier else None

    def counting(self, assessor: str | None = None) -> list[Decision]:
        """The counting decisions, of one assessor or all, as they were made."""
        chosen = self.assessors if assessor is None else [assessor]
        latest = [places[-1] for name in chosen for places in self._standing.get(name, {}).values()]
        return [self.made[number] for number in sorted(latest)]

    def grades(self) -> dict[tuple[str, str], dict[str, float]]:
        """{(topic, document): {assessor: grade}}; assessors in the order of their decisions."""
        by_place: dict[tuple[str, str], dict[str, float]] = {}
        for decision in self.counting():
            if decision.grade is not None:
                by_place.setdefault(decision.place, {})[decision.assessor] = decision.grade
        return by_place

    def conflicts(self) -> dict[tuple[str, str], dict[str, float]]:
        """The `grades` on which assessors differ: furthest apart first, then by topic and id."""
        found = {place: given for place, given in self.grades().items() if len({*given.values()}) > 1}

        def order(place: tuple[str, str]) -> tuple[Any, ...]:
            given = found[place].values()
            return (min(given) - max(given), *map(to_bytes, place))

        return {place: found[place] for place in sorted(found, key=order)}

    def judgments(
        self, assessor: str | None = None, resolve: str = "majority"
    ) -> dict[str, dict[str, float]]:
        """{topic: {document: grade}} of one assessor, or of all with RESOLVE where several judged."""
        decide = _RESOLVING[choice("resolve", resolve, RESOLVE)]
        nested: dict[str, dict[str, float]] = {}
        by_place = self.grades()
        for topic, document in sorted(by_place, key=lambda place: tuple(map(to_bytes, place))):
            given = by_place[topic, document]
            grade = given.get(assessor) if assessor is not None else decide([*given.values()])
            if grade is not None:
                nested.setdefault(topic, {})[document] = grade
        return nested

    def qrels(self, assessor: str | None = None, resolve: str = "majority") -> Qrels:
        """The `judgments`, sorted by topic and document; an error if there are none."""
        nested = self.judgments(assessor, resolve)
        if not nested:
            who = "nobody has given a" if assessor is None else f"{assessor} has given no"
            raise InputError(f"there are no judgments: {who} grade that counts")
        return Qrels.from_dict(nested, assessor or "journal")

    def table(self, assessor: str | None = None, resolve: str = "majority") -> Table:
        """A row for each of the `judgments`."""
        by_topic = self.judgments(assessor, resolve).items()
        rows = [(topic, document, grade) for topic, docs in by_topic for document, grade in docs.items()]
        return Table(("topic", "document", "grade"), [(t, d, _shown(grade)) for t, d, grade in rows])

    def made_table(self, assessor: str | None = None) -> Table:
        """A row for each decision, as they were made."""
        rows: list[tuple[Cell, ...]] = [
            (d.time, d.assessor, *d.place, d.kind if d.grade is None else _shown(d.grade), d.comment)
            for d in self.made
            if assessor in (None, d.assessor)
        ]
        return Table(("time", "assessor", "topic", "document", "decision", "comment"), rows)

    def counts(self, assessor: str) -> tuple[int, int]:
        """(judged, skipped) documents of an assessor."""
        judged = [decision.grade is not None for decision in self.counting(assessor)]
        return sum(judged), len(judged) - sum(judged)

    def assessors_table(self, assessor: str | None = None) -> Table:
        """Documents judged and skipped by each assessor."""
        names = [name for name in self.assessors if assessor in (None, name)]
        return Table(("assessor", "judged", "skipped"), [(name, *self.counts(name)) for name in names])

    def conflicts_table(self, assessor: str | None = None) -> Table:
        """A row for each conflict, of one assessor or all: the grade of each."""
        rows: list[tuple[Cell, ...]] = [
            (*place, *(_shown(given[name]) if name in given else "" for name in self.assessors))
            for place, given in self.conflicts().items()
            if assessor is None or assessor in given
        ]
        return Table(("topic", "document", *self.assessors), rows)


def _shown(grade: float) -> int | float:
    return int(grade) if grade.is_integer() else grade


_RESOLVING: dict[str, Callable[[Sequence[float]], float | None]] = {
    "majority": majority,
    "latest": lambda grades: grades[-1],
    "highest": max,
    "lowest": min,
    "agreed": lambda grades: grades[0] if len({*grades}) == 1 else None,
}


def read_grades(text: str) -> tuple[float, ...]:
    """The grades in a text such as `0,1,2,3`, ascending."""
    try:
        grades = {_grade(float(word)) for word in text.split(",")}
    except (ValueError, OptionError):
        raise OptionError(f"grades are numbers separated by commas, such as 0,1,2,3, not {text!r}") from None
    if not 2 <= len(grades) <= 20:
        raise OptionError(f"there are 2 to 20 grades to choose from, not {len(grades)} ({text!r})")
    return tuple(sorted(grades))


def grades_for(levels: Iterable[float]) -> tuple[float, ...]:
    """The grades to choose from by those given: 0 to the highest, if all are whole."""
    levels = sorted({*map(float, levels)})
    highest = max([1.0, *levels])
    if highest <= 9 and all(level.is_integer() for level in levels):
        return tuple(map(float, range(int(min([0.0, *levels])), int(highest) + 1)))
    return tuple(levels) if 2 <= len(levels) <= 20 else (0.0, 1.0)


def shown_grades(grades: Iterable[float]) -> str:
    """Grades as in messages."""
    return ", ".join(map(format_number, grades))
