from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import Ids, to_text
from rankgauge.errors import InputError
from rankgauge.formats.columns import Columns, Floats, Ints
from rankgauge.formats.mapping import by_subtopic as is_by_subtopic
from rankgauge.formats.objects import is_known
from rankgauge.formats.problems import parse_number, quote
from rankgauge.formats.row_reader import identifier
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import fields_of_lines
from rankgauge.model.qrels import Qrels, comparable, in_bytes, unique
from rankgauge.model.run import distinct
from rankgauge.schema.options import in_python
from rankgauge.schema.text import counted, nearest

if TYPE_CHECKING:
    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.model.rules import Duplicates


@dataclass(frozen=True, eq=False, repr=False)
class SubtopicQrels(Qrels):
    """Judgments by subtopic: a document has one grade per subtopic it was judged for.

    For measures without subtopics, the grade of a document is the highest it has for any. Subtopics may have
    probabilities (`with_subtopic_probabilities`), and topics their own alpha (`with_alphas`).
    """

    # {topic: {subtopic: probability}}
    subtopic_probabilities: Mapping[str, Mapping[str, float]] | None = None
    alphas: Mapping[str, float] | None = None  # {topic: alpha}

    @classmethod
    def of(
        cls,
        source: Any,
        name: str | None = None,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: Duplicates = "error",
        grades: Any = None,
    ) -> Self:
        """The judgments of a path, nested dict, frame or Qrels, whose second column is the subtopic."""
        if isinstance(source, Qrels) and not isinstance(source, cls):
            qrels = cls.from_columns(source.columns(), source.name, duplicates)
            source = replace(qrels, dropped=qrels.dropped + source.dropped, recoding=source.recoding)
        return super().of(source, name, format, columns, duplicates, grades)

    @classmethod
    def from_spans(cls, spans: Any, chunks: Any, overlap: float = 0.5, name: str = "spans") -> Self:
        """Judgments of chunks from those of spans: a subtopic is a span, and a document a chunk.

        Spans are a file or frame with columns such as query_id, doc_id, start, end and relevance; chunks have
        chunk_id, doc_id, start and end. A chunk has the grade of a span if they share at least `overlap` of
        the shorter one. A span that no chunk has is judged under its own name, as not retrieved.

        >>> spans = {"query_id": ["q1"], "doc_id": ["d1"], "start": [90], "end": [150]}
        >>> chunks = {"chunk_id": ["a", "b"], "doc_id": ["d1", "d1"], "start": [0, 100], "end": [100, 200]}
        >>> SubtopicQrels.from_spans(spans, chunks).to_dict()
        {'q1': {'d1:90-150': {'b': 1}}}
        """
        from rankgauge.model.spans import span_columns  # which nothing else needs

        return cls.from_columns(span_columns(spans, chunks, overlap), name)

    @classmethod
    def _thinned(cls, columns: Columns, duplicates: str) -> Columns:
        return distinct(columns, duplicates, by_label=True)[0]

    @classmethod
    def from_columns(cls, columns: Columns, name: str | None = None, duplicates: str = "error") -> Self:
        """The judgments in these columns, checked."""
        if columns.checked().label is None:
            raise InputError(
                "these judgments have no subtopics, which measures of novelty and diversity need, and no "
                "strata, which those of sampled pools need; use a file with the columns topic, subtopic, "
                "document and grade, or topic, 0, document, stratum and grade"
                + in_python(
                    ", a frame with a column called subtopic or stratum, or a dict "
                    "{topic: {subtopic: {document: grade}}}"
                ),
                path=columns.path(0),
            )
        columns, topic, topics, dropped = distinct(columns, duplicates, by_label=True)
        return cls(topics, topic, columns.doc, columns.value, columns.label, name or "qrels", dropped)

    def with_subtopic_probabilities(self, probabilities: Any) -> SubtopicQrels:
        """The same judgments, with the probability of each subtopic.

        `probabilities` is {topic: {subtopic: probability}}, or a file with lines of topic, subtopic and
        probability (as NTCIR has them; anything else on a line is ignored).
        """
        weighed = replace(self, subtopic_probabilities=subtopic_probabilities_of(probabilities))
        _ = weighed.by_subtopic  # an error if a probability is missing
        return weighed

    def with_alphas(self, alphas: Any) -> SubtopicQrels:
        """The same judgments, with an alpha for each topic, to be used by `alpha=topic`.

        `alphas` is {topic: alpha}, or a file with lines of topic and alpha.
        """
        checked = alphas_of(alphas)
        for topic in self.sorted_topics:
            if topic not in checked:
                raise InputError(f"there is no alpha for the judged topic {topic!r}{nearest(topic, checked)}")
        return replace(self, alphas=checked)

    def rejudged(self, topic: str, grades: Mapping[str, float | None]) -> Self:
        """Refused: a document has a grade for each subtopic."""
        raise InputError(
            "a document has a grade for each subtopic here, and one grade cannot replace them; use judgments "
            "without subtopics"
        )

    def __repr__(self) -> str:
        subtopics = int(self.by_subtopic["subtopic_starts"][-1])
        return f"Subtopic{super().__repr__()}, {counted(subtopics, 'subtopic')}"

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """`{topic: {subtopic: {document: grade}}}`."""
        nested: list[dict[str, dict[str, int | float]]] = [{} for _ in range(len(self.topics))]
        labels = self._labels.texts()
        rows = zip(self.topic.tolist(), labels, self.docs.texts(), self.columns().numbers(), strict=True)
        for topic, subtopic, doc, value in rows:
            nested[topic].setdefault(subtopic, {})[doc] = value
        return dict(zip(self.topics.texts(), nested, strict=True))

    def only(self, kept: npt.NDArray[np.bool_]) -> SubtopicQrels:
        """The judgments of some documents (a mask of `sorted_grades`); a topic stays even if none is kept."""
        super().only(kept)  # checks the mask
        _, order, _, first = self._rows
        rows = order[np.repeat(kept, np.diff(np.append(first, len(order))))]
        return replace(
            self,
            topic=self.topic[rows],
            docs=self.docs.take(rows),
            grades=self.grades[rows],
            iterations=self._labels.take(rows),
        )

    @cached_property
    def levels(self) -> Floats:
        """The distinct grades of documents, ascending; the grade of a document is its highest."""
        return unique(self.sorted_grades)

    @property
    def _labels(self) -> Ids:
        assert self.iterations is not None  # `from_columns` refuses judgments without subtopics
        return self.iterations

    @cached_property
    def _rows(self) -> tuple[Ids, Ints, Ints, Ints]:
        """(topics, rows, topic of each row, first row of each document)."""
        by_bytes, topic = in_bytes(self.topics, self.topic)
        docs = comparable(self.docs)
        order = np.argsort(comparable(self._labels), kind="stable")
        order = order[np.argsort(docs[order], kind="stable")]
        order = order[np.argsort(topic[order], kind="stable")]
        topic, docs = topic[order], docs[order]
        new = np.concatenate(([True], (topic[1:] != topic[:-1]) | (docs[1:] != docs[:-1])))
        return self.topics.take(by_bytes), order, topic, np.flatnonzero(new)

    @cached_property
    def _in_order(self) -> tuple[Ids, Ints, Ids, Floats]:
        """(topics, first document of each, documents, their highest grades)."""
        topics, order, topic, first = self._rows
        starts = np.searchsorted(topic[first], np.arange(len(topics) + 1)).astype(np.int64)
        return topics, starts, self.docs.take(order[first]), np.maximum.reduceat(self.grades[order], first)

    @cached_property
    def sorted_kinds(self) -> Floats:
        """A number for each of `sorted_grades`, the same for documents with the same grades by subtopic."""
        subtopics = self.by_subtopic
        pairs = list(zip(subtopics["subtopic"].tolist(), subtopics["grade"].tolist(), strict=True))
        numbers: dict[Any, int] = {}
        places = pairwise(subtopics["starts"].tolist())
        judged = (tuple(pairs[begin:end]) for begin, end in places)
        return np.array([numbers.setdefault(each, len(numbers)) for each in judged], dtype=np.float64)

    @property
    def kinds(self) -> tuple[list[float], list[float]]:
        """(the distinct `sorted_kinds`, ascending; the grade of each, which is its highest)."""
        levels, first = np.unique(self.sorted_kinds, return_index=True)
        return levels.tolist(), self.sorted_grades[first].tolist()

    @cached_property
    def subtopics(self) -> tuple[tuple[str, ...], ...]:
        """The subtopics of each of `sorted_topics`, ascending as bytes."""
        topics, order, topic, _ = self._rows
        by_topic: list[set[bytes]] = [set() for _ in range(len(topics))]
        for number, label in zip(topic.tolist(), self._labels.take(order), strict=True):
            by_topic[number].add(label)
        return tuple(tuple(map(to_text, sorted(labels))) for labels in by_topic)

    @cached_property
    def by_subtopic(self) -> dict[str, Any]:
        """The fields of `rankings.arrays.Subtopics`; documents are numbered as in `sorted_grades`."""
        _, order, topic, first = self._rows
        code, labels = self._labels.encode()
        _, code = in_bytes(labels, code)
        keys = topic * len(labels) + code[order]
        pairs = np.unique(keys)
        grade = self.grades[order]
        subtopic = np.searchsorted(pairs, keys)
        useful = np.unique(subtopic[grade > 0])
        weights, listed = self._weights(useful)
        alphas = self.alphas
        return {
            "starts": np.append(first, len(order)),
            "subtopic": subtopic,
            "grade": grade,
            "subtopic_starts": np.searchsorted(pairs, np.arange(len(self.topics) + 1) * len(labels)),
            "levels": unique(grade),
            "weights": weights,
            "listed": listed,
            "alphas": None if alphas is None else np.array([alphas[topic] for topic in self.sorted_topics]),
        }

    def _weights(self, useful: Ints) -> tuple[Floats | None, Ints | None]:
        """(probability of each subtopic, number of those with one per topic), if any."""
        if self.subtopic_probabilities is None:
            return None, None
        pairs = [(topic, subtopic) for topic, names in self._named() for subtopic in names]
        weights = [self.subtopic_probabilities.get(topic, {}).get(subtopic) for topic, subtopic in pairs]
        for number in useful.tolist():
            if weights[number] is None:
                topic, subtopic = pairs[number]
                raise InputError(
                    f"subtopic {quote(subtopic)} of topic {quote(topic)} has relevant documents "
                    "and no probability; every such subtopic needs one"
                )
        listed = [len(self.subtopic_probabilities.get(topic, {})) for topic, _ in self._named()]
        return np.array([weight or 0.0 for weight in weights]), np.array(listed)

    def _named(self) -> zip[tuple[str, tuple[str, ...]]]:
        return zip(self.sorted_topics, self.subtopics, strict=True)


def subtopic_probabilities_of(source: Any) -> dict[str, dict[str, float]]:
    """{topic: {subtopic: probability}} from such a dict or a file, checked."""
    by_topic = _by_topic(source, "topic subtopic probability", "{topic: {subtopic: probability}}")
    for topic, of_topic in by_topic.items():
        if not isinstance(of_topic, Mapping):
            raise InputError(
                f"the subtopic probabilities of topic {topic!r} are {of_topic!r}; "
                "expected {subtopic: probability}"
            )
    return {
        topic: {_name(s): _probability(p, f"topic {topic!r}, subtopic {s!r}") for s, p in each.items()}
        for topic, each in by_topic.items()
    }


def alphas_of(source: Any) -> dict[str, float]:
    """{topic: alpha} from such a dict or a file, checked."""
    by_topic = _by_topic(source, "topic alpha", "{topic: alpha}")
    return {topic: _probability(alpha, f"topic {topic!r}, alpha") for topic, alpha in by_topic.items()}


def _by_topic(source: Any, layout: str, allowed: str) -> dict[str, Any]:
    if isinstance(source, (str, os.PathLike, Source)):
        return _read_parameters(source if isinstance(source, Source) else Source(source), layout)
    if not isinstance(source, Mapping):
        raise InputError(f"expected a path or a dict {allowed}, not a {type(source).__name__}")
    return {_name(topic): value for topic, value in source.items()}


def _name(value: Any) -> str:
    name = identifier(value)
    if name is None:
        raise InputError(f"{value!r} is not an id; ids are str, bytes or int")
    return to_text(name)


def _probability(value: Any, of: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InputError(f"{of}: {value!r} is not a probability; use a number from 0 to 1")
    return math.fabs(float(value))


def _read_parameters(source: Source, layout: str) -> dict[str, Any]:
    *nouns, _ = layout.split()
    parameters: dict[str, Any] = {}
    for number, (*ids, text) in fields_of_lines(source, layout, loose=True):
        value = parse_number(text)
        if value is None or not 0 <= value <= 1:
            message = f"{quote(text)} is not a number from 0 to 1; a line is: {layout}"
            raise InputError(message, path=source.path, line=number)
        *outer, last = map(to_text, ids)
        within = parameters
        for id in outer:
            within = within.setdefault(id, {})
        if last in within:
            names = [f"{noun} {quote(id)}" for noun, id in zip(nouns, ids, strict=True)]
            message = f"{' of '.join(reversed(names))} occurs twice; remove one line"
            raise InputError(message, path=source.path, line=number)
        within[last] = value
    return parameters


def read_judgments(source: Any, *, by_subtopic: bool = False, **reading: Any) -> Qrels:
    """The judgments of a path, dict or frame; by subtopic if requested or nested that way."""
    if isinstance(source, Mapping):
        by_subtopic = by_subtopic or (not is_known(source) and is_by_subtopic(source))
    return (SubtopicQrels if by_subtopic else Qrels).of(source, **reading)
