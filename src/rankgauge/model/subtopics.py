"""SubtopicQrels: judgments by subtopic, as novelty and diversity are measured with."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import Ids, to_text
from rankgauge.errors import InputError
from rankgauge.formats import topic_parameters as files
from rankgauge.formats.columns import Columns, Floats, Ints
from rankgauge.formats.problems import quote
from rankgauge.formats.row_reader import identifier
from rankgauge.formats.source import Source
from rankgauge.model.qrels import Qrels, comparable, in_bytes
from rankgauge.model.rows import distinct
from rankgauge.schema.text import counted, nearest


@dataclass(frozen=True, eq=False, repr=False)
class SubtopicQrels(Qrels):
    """Judgments by subtopic: a document has a grade for each subtopic (nugget, intent) it was judged for.

    To measures that know of no subtopics, a document's grade is the highest it has for any. Subtopics may
    have probabilities (`with_intents`), and topics an alpha of their own (`with_alphas`).
    """

    intents: Mapping[str, Mapping[str, float]] | None = None  # {topic: {subtopic: probability}}
    alphas: Mapping[str, float] | None = None  # {topic: alpha}

    @classmethod
    def of(
        cls,
        source: Any,
        name: str | None = None,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: str = "error",
    ) -> SubtopicQrels:
        """The judgments of whatever holds some; of a Qrels, the second column is the subtopic."""
        if isinstance(source, Qrels) and not isinstance(source, cls):
            found = cls.from_columns(source.columns(), source.name, duplicates)
            return replace(found, dropped=found.dropped + source.dropped)
        return super().of(source, name, format, columns, duplicates)

    @classmethod
    def from_columns(
        cls, columns: Columns, name: str | None = None, duplicates: str = "error"
    ) -> SubtopicQrels:
        """The judgments in these columns, checked."""
        if columns.checked().label is None:
            raise InputError(
                "these judgments have no subtopics, which novelty and diversity are measured by; "
                "give files with the columns topic, subtopic, document and grade, frames with a column "
                "called subtopic, or a dict {topic: {subtopic: {document: grade}}}",
                path=columns.path(0),
            )
        columns, topic, topics, dropped = distinct(columns, duplicates, by_label=True)
        return cls(topics, topic, columns.doc, columns.value, columns.label, name or "qrels", dropped)

    def with_intents(self, intents: Any) -> SubtopicQrels:
        """The same judgments, with the probability of each subtopic.

        They come as {topic: {subtopic: probability}}, or in a file whose lines are topic, subtopic,
        probability (NTCIR's; what follows on a line is of no account).
        """
        given = _table(intents, files.read_subtopic_probabilities, "{topic: {subtopic: probability}}")
        for topic, probabilities in given.items():
            if not isinstance(probabilities, Mapping):
                raise InputError(
                    f"the intents of topic {topic!r} are {probabilities!r}; give {{subtopic: probability}}"
                )
        checked = {
            topic: {_name(s): _probability(p, f"topic {topic!r}, subtopic {s!r}") for s, p in found.items()}
            for topic, found in given.items()
        }
        weighed = replace(self, intents=checked)
        _ = weighed.by_subtopic  # says at once what is missing
        return weighed

    def with_alphas(self, alphas: Any) -> SubtopicQrels:
        """The same judgments, with an alpha for each topic, which `alpha=topic` then is.

        They come as {topic: alpha}, or in a file whose lines are topic and alpha.
        """
        given = _table(alphas, files.read_alphas, "{topic: alpha}")
        checked = {topic: _probability(alpha, f"topic {topic!r}, alpha") for topic, alpha in given.items()}
        for topic in self.sorted_topics:
            if topic not in checked:
                raise InputError(f"no alpha is given for the judged topic {topic!r}{nearest(topic, checked)}")
        return replace(self, alphas=checked)

    def __repr__(self) -> str:
        subtopics = int(self.by_subtopic["subtopic_starts"][-1])
        return f"Subtopic{super().__repr__()}, {counted(subtopics, 'subtopic')}"

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """`{topic: {subtopic: {document: grade}}}`."""
        nested: list[dict[str, dict[str, int | float]]] = [{} for _ in range(len(self.topics))]
        labels = self.iterations.texts() if self.iterations is not None else []
        rows = zip(self.topic.tolist(), labels, self.docs.texts(), self.columns().numbers(), strict=True)
        for topic, subtopic, doc, value in rows:
            nested[topic].setdefault(subtopic, {})[doc] = value
        return dict(zip(self.topics.texts(), nested, strict=True))

    def only(self, kept: npt.NDArray[np.bool_]) -> SubtopicQrels:
        """The judgments of some documents, numbered as in `sorted_grades`; a topic stays if none is kept."""
        super().only(kept)  # says what is wrong with them
        _, order, _, first = self._rows
        rows = order[np.repeat(kept, np.diff(np.append(first, len(order))))]
        assert self.iterations is not None
        return replace(
            self,
            topic=self.topic[rows],
            docs=self.docs.take(rows),
            grades=self.grades[rows],
            iterations=self.iterations.take(rows),
        )

    @cached_property
    def levels(self) -> Floats:
        """The distinct grades of documents, ascending: of each the highest it has."""
        return _unique(self.sorted_grades)

    @cached_property
    def _rows(self) -> tuple[Ids, Ints, Ints, Ints]:
        """(topics, rows, number of the topic of each, where documents begin), by topic, document, subtopic.

        All by bytes ascending; a document's judgments stand together.
        """
        by_bytes, topic = in_bytes(self.topics, self.topic)
        assert self.iterations is not None
        docs = comparable(self.docs)
        order = np.argsort(comparable(self.iterations), kind="stable")
        order = order[np.argsort(docs[order], kind="stable")]
        order = order[np.argsort(topic[order], kind="stable")]
        topic, docs = topic[order], docs[order]
        new = np.concatenate(([True], (topic[1:] != topic[:-1]) | (docs[1:] != docs[:-1])))
        return self.topics.take(by_bytes), order, topic, np.flatnonzero(new)

    @cached_property
    def _in_order(self) -> tuple[Ids, Ints, Ids, Floats]:
        """(topics, where each one's documents begin, documents, their highest grades), all by bytes."""
        topics, order, topic, first = self._rows
        starts = np.searchsorted(topic[first], np.arange(len(topics) + 1)).astype(np.int64)
        return topics, starts, self.docs.take(order[first]), np.maximum.reduceat(self.grades[order], first)

    @cached_property
    def subtopics(self) -> tuple[tuple[str, ...], ...]:
        """The subtopics of each of `sorted_topics`, ascending as bytes."""
        topics, order, topic, _ = self._rows
        assert self.iterations is not None
        found: list[set[bytes]] = [set() for _ in range(len(topics))]
        for number, label in zip(topic.tolist(), self.iterations.take(order), strict=True):
            found[number].add(label)
        return tuple(tuple(map(to_text, sorted(each))) for each in found)

    @cached_property
    def by_subtopic(self) -> dict[str, Any]:
        """What `judged.Subtopics` is made of: who is judged for what, by the numbers of `sorted_grades`."""
        _, order, topic, first = self._rows
        assert self.iterations is not None
        code, labels = self.iterations.encode()
        _, code = in_bytes(labels, code)
        keys = topic * len(labels) + code[order]
        pairs = np.unique(keys)
        grade = self.grades[order]
        intent = np.searchsorted(pairs, keys)
        useful = np.unique(intent[grade > 0])
        weights, listed = self._weights(useful)
        return {
            "starts": np.append(first, len(order)),
            "subtopic": intent,
            "grade": grade,
            "subtopic_starts": np.searchsorted(pairs, np.arange(len(self.topics) + 1) * len(labels)),
            "levels": _unique(grade),
            "weights": weights,
            "listed": listed,
            "alphas": self._alphas(),
        }

    def _weights(self, useful: Ints) -> tuple[Floats | None, Ints | None]:
        """(probability of each subtopic, how many are named for each topic), where there are any."""
        if self.intents is None:
            return None, None
        named = [(topic, subtopic) for topic, of in self._named() for subtopic in of]
        weights = [self.intents.get(topic, {}).get(subtopic) for topic, subtopic in named]
        for number in useful.tolist():
            if weights[number] is None:
                topic, subtopic = named[number]
                raise InputError(
                    f"subtopic {quote(subtopic)} of topic {quote(topic)} has relevant documents "
                    "and no probability; name every such subtopic in the intents"
                )
        listed = [len(self.intents.get(topic, {})) for topic, _ in self._named()]
        return np.array([weight or 0.0 for weight in weights]), np.array(listed)

    def _named(self) -> zip[tuple[str, tuple[str, ...]]]:
        return zip(self.sorted_topics, self.subtopics, strict=True)

    def _alphas(self) -> Floats | None:
        return None if self.alphas is None else np.array([self.alphas[topic] for topic in self.sorted_topics])


def _unique(values: Floats) -> Floats:
    ordered = np.sort(values)  # np.unique would do, and import half of NumPy for it
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))]


def _table(given: Any, read: Any, allowed: str) -> dict[str, Any]:
    """{topic: …} from a dict or a file."""
    if isinstance(given, (str, os.PathLike, Source)):
        return dict(read(given if isinstance(given, Source) else Source(given)))
    if not isinstance(given, Mapping):
        raise InputError(f"a {type(given).__name__} was given; a path or a dict {allowed} is allowed")
    return {_name(topic): value for topic, value in given.items()}


def _name(value: Any) -> str:
    found = identifier(value)
    if found is None:
        raise InputError(f"{value!r} is no id; ids are str, bytes or int")
    return to_text(found)


def _probability(value: Any, of: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InputError(f"{of}: {value!r} is no probability; give a number from 0 to 1")
    return math.fabs(float(value))
