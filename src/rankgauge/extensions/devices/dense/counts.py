"""Counts of parts of a corpus and vectors of judged documents: both add up, and are saved as .npz files."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge._version import VERSION
from rankgauge.core.ids import Ids
from rankgauge.engines.requirements import lowest_grade
from rankgauge.engines.retrieved import RetrievedJudgments, RunWarnings
from rankgauge.engines.run_inputs import RunInput
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.evaluator import Evaluator, Measures, Names
from rankgauge.extensions.devices.dense import arrays
from rankgauge.extensions.devices.dense.documents import Documents, check_dimensions
from rankgauge.extensions.devices.ids import IdIndex
from rankgauge.formats.problems import quote
from rankgauge.formats.target import writing
from rankgauge.measures import parse_all
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.measures.rankings.arrays import Ties
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.provenance import hardly_any
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import Judging
from rankgauge.model.scores import Scores
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.json_text import to_json
from rankgauge.schema.text import counted, joined

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

# Arrays that add up over the parts of a corpus, and those that all parts have in common.
SUMS = ("better", "equal", "before", "seen", "excluded")
COMMON = ("searched", "judgment", "score")
FACTS = ("name", "source", "depth", "unjudged_topics", "documents", "judged", "corpus")  # beside arrays
COUNTED_BY = ("ties", "score_precision")  # rules that decide what is counted, not how it is evaluated


class Counts(Frozen, eq=False):
    """The number of documents that score better than each judged one, and of those that tie with it.

    Counts of parts of a corpus add up, in any order; `scores` evaluates the sum. They can be pickled and
    saved.
    """

    evaluator: Evaluator
    name: str
    source: str  # what was counted, for the provenance of scores
    depth: int | None
    searched: Ints  # (topics,) 1 for topics with a query
    unjudged_topics: int  # queries without judgments
    judgment: Ints  # (pairs,) index of the judgment
    score: Floats  # (pairs,) the exact score of the judged document
    better: Ints  # (pairs,) documents that score better
    equal: Ints  # (pairs,) documents with its score, itself among them
    before: Ints  # (pairs,) those of them that come before it by the rule for ties
    seen: Ints  # (pairs,) how often the judged document itself was counted
    excluded: Ints  # (topics,) documents that were excluded
    documents: int
    judged: int  # documents that are judged with any grade, once for each query
    identity: Mapping[str, str]  # what counts that add up have in common
    corpus: int | None = None  # documents of all parts together, if that is known

    def __repr__(self) -> str:
        corpus = "" if self.corpus is None else f" of {self.corpus:,}"
        judged = counted(len(self.score), "judged document")
        return f"Counts of {self.documents:,}{corpus} documents, for the ranks of {judged}"

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        self.require_same(other.identity)
        corpus = self.corpus if self.corpus == other.corpus else None
        return self.with_sums(self.sums + other.sums)._replace(corpus=corpus)

    def __radd__(self, other: object) -> Counts:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # sum() begins with 0

    @property
    def sums(self) -> Ints:
        """Everything that adds up, in one array."""
        return np.concatenate([*(getattr(self, name) for name in SUMS), [self.documents, self.judged]])

    def with_sums(self, sums: Ints) -> Counts:
        """These counts with other `sums`."""
        *columns, totals = np.split(sums, np.cumsum([len(getattr(self, name)) for name in SUMS]))
        documents, judged = totals.tolist()
        return self._replace(documents=documents, judged=judged, **dict(zip(SUMS, columns, strict=True)))

    def require_same(self, identity: Mapping[str, str], where: str = "") -> None:
        """Raise an error unless this is the identity of counts on the same corpus."""
        differing = [name for name in self.identity if self.identity[name] != identity.get(name)]
        if differing:
            raise InputError(
                f"{where}these counts are not of parts of one corpus: they differ in their "
                f"{joined(differing)}; count every part with the same arguments, and with the "
                "`judged` vectors of all parts"
            )

    def scores(self) -> Scores:
        """The scores, once all documents are counted."""
        for wrong, problem in (
            (self.seen == 0, "not counted: a part of the corpus is missing"),
            (self.seen > 1, "counted more than once: parts of the corpus have documents in common"),
        ):
            if wrong.any():
                number = int(wrong.sum())
                was = "was" if number == 1 else "were"
                raise InputError(f"{counted(number, 'judged document')}, each for a query, {was} {problem}")
        if self.corpus is not None and self.documents != self.corpus:
            problem = "is missing" if self.documents < self.corpus else "was counted more than once"
            raise InputError(
                f"{counted(self.documents, 'document')} of {self.corpus:,} were counted: "
                f"a part of the corpus {problem}"
            )
        return self.evaluator.evaluate_retrieved([RunInput(self.name, self.source)], [self.retrieved()])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a file; `load` needs the judgments again."""
        about = {
            **{name: getattr(self, name) for name in FACTS},
            "identity": dict(self.identity),
            "measures": [str(measure) for measure in self.evaluator.measures],
            "rules": self.evaluator.order.as_dict() | self.evaluator.rules.as_dict(),
        }
        columns = {name: getattr(self, name) for name in (*COMMON, *SUMS)}
        save(path, "counts", about, columns)

    @staticmethod
    def load(
        path: str | os.PathLike[str],
        qrels: Any,
        measures: Measures | None = None,
        *,
        names: Names = "canonical",
        **judging: Unpack[Judging],
    ) -> Counts:
        """Saved counts, with the same judgments; others are an error.

        Other measures and rules may be given, as long as they need no lower grades.
        """
        about, columns = load(path, "counts")
        try:
            identity: dict[str, str] = dict(about["identity"])
            known_rules: Any = {**about["rules"], **judging}
            known = {name: about[name] for name in FACTS}
            known |= {name: columns[name] for name in (*COMMON, *SUMS)}
            counted_for = list(about["measures"])
        except (KeyError, TypeError, ValueError):
            raise damaged(path, "counts") from None
        evaluator = Evaluator(
            qrels, counted_for if measures is None else measures, names=names, **known_rules
        )
        _check(os.fspath(path), evaluator, about)
        if not _fit(known, evaluator):
            raise damaged(path, "counts")
        identity["measures"] = " ".join(map(str, evaluator.measures))
        return Counts(evaluator=evaluator, identity=identity, **known)

    def retrieved(self) -> RetrievedJudgments:
        """The judged documents at their ranks."""
        topics, starts = len(self.searched), self.evaluator.qrels.starts
        retrieved = self.searched * self.documents - self.excluded
        rank, last = self.better + self.before + 1, self.better + self.equal
        topic = np.repeat(np.arange(topics), np.diff(starts))[self.judgment]
        kept = np.ones(len(rank), dtype=np.bool_)
        if self.depth is not None:
            kept = rank <= self.depth
            retrieved, last = np.minimum(retrieved, self.depth), np.minimum(last, self.depth)
        order = np.argsort(topic * (self.documents + 1) + rank)
        order = order[kept[order]]
        found = RetrievedJudgments(
            retrieved=retrieved,
            tied=np.zeros(topics, dtype=np.int64),  # ties are counted by the evaluator
            decisive=np.zeros(topics, dtype=np.int64),
            starts=np.searchsorted(topic[order], np.arange(topics + 1)),
            rank=rank[order],
            judgment=self.judgment[order],
            unjudged_topics=self.unjudged_topics,
            ties=Ties(self.better[order] + 1, last[order], self.score[order], np.full(topics, np.nan)),
        )
        # Of documents that measures do not distinguish from unjudged ones, ranks are not known.
        judged = self.judged if self.depth is None else len(found.rank)
        if not len(found.rank) or hardly_any(judged, int(retrieved.sum()), int((retrieved > 0).sum())):
            return found._replace(warnings=RunWarnings(judged=judged))
        return found


def _fit(known: Mapping[str, Any], evaluator: Evaluator) -> bool:
    topics, judgments = len(evaluator.qrels.sorted_topics), len(evaluator.qrels.sorted_grades)
    pairs, judgment = known["score"].size, known["judgment"]
    return all(
        known[name].shape == ((topics,) if name in ("searched", "excluded") else (pairs,))
        and known[name].dtype.kind == ("f" if name == "score" else "i")
        for name in (*COMMON, *SUMS)
    ) and bool(((judgment >= 0) & (judgment < judgments)).all())


def _check(path: str, evaluator: Evaluator, about: Mapping[str, Any]) -> None:
    identity, order = about["identity"], evaluator.order.as_dict()
    if identity["judgments"] != _digest_of(evaluator.qrels):
        raise InputError(
            "these counts were made with other judgments; pass the same ones, read in the same way", path=path
        )
    for rule in COUNTED_BY:
        if order[rule] != about["rules"][rule]:
            raise OptionError(
                f"{path}: these counts were made with {rule}={about['rules'][rule]}, not {order[rule]}; "
                f"leave {rule} out, or count again"
            )
    if lowest_grade(evaluator.measures) < lowest_grade(parse_all(about["measures"])):
        raise OptionError(
            f"{path}: these counts were made for {identity['measures']}, and the measures that are asked for "
            "also look at documents of lower grades; count again with these measures"
        )


def identity_of(
    evaluator: Evaluator,
    exclusions: list[tuple[str, int]],  # documents and queries
    *,
    searched: Ints,
    unjudged_topics: int,
    judgment: Ints,
    score: Floats,
    source: str,
    depth: int | None,
) -> dict[str, str]:
    """{fact: text} that counts of parts of one corpus share."""
    rules = evaluator.order.as_dict()
    docs, queries = Ids.of(doc for doc, _ in exclusions), np.array([query for _, query in exclusions])
    return {
        "judgments": _digest_of(evaluator.qrels),
        "measures": " ".join(map(str, evaluator.measures)),
        "rules": ", ".join(f"{name}={rules[name]}" for name in COUNTED_BY),
        "queries": _digest([searched, np.array([unjudged_topics])]),
        "judged vectors": _digest([judgment, score]),
        "similarities": source,
        "depths": str(depth),
        "exclusions": _digest([docs.data, docs.offsets, queries]) if exclusions else "",
    }


def _digest_of(qrels: Qrels) -> str:
    topics, docs = qrels.sorted_topic_ids, qrels.sorted_docs
    columns = (topics.data, topics.offsets, qrels.starts, docs.data, docs.offsets)
    return _digest([*columns, qrels.sorted_grades, qrels.sorted_kinds])


def _digest(columns: Iterable[Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for column in columns:
        data = column if isinstance(column, np.ndarray) else np.frombuffer(column, dtype=np.uint8)
        little = data.astype(data.dtype.newbyteorder("<"), copy=False)  # the same text on every machine
        digest.update(len(data).to_bytes(8, "little") + little.tobytes())
    return digest.hexdigest()


KIND = "judged vectors"


class JudgedVectors(Frozen, eq=False):
    """Judged documents and their vectors; those of several parts of a corpus add up."""

    ids: tuple[str, ...]
    vectors: Any  # (documents, dimensions)
    corpus: int | None = None  # documents that were looked through, if that is known

    def __add__(self, other: JudgedVectors) -> JudgedVectors:
        if not isinstance(other, JudgedVectors):
            return NotImplemented
        twice = {*self.ids} & {*other.ids}
        if twice:
            raise InputError(
                f"the document {quote(min(twice))} is in both parts; a document has one vector: "
                "divide the documents into parts that have none in common"
            )
        filled = [part for part in (self, other) if part.ids]
        check_dimensions(**{f"part_{n}": part.vectors.shape[1] for n, part in enumerate(filled, 1)})
        vectors = arrays.concatenated([part.vectors for part in filled]) if filled else self.vectors
        known = self.corpus is not None and other.corpus is not None
        corpus = self.corpus + other.corpus if known else None  # type: ignore[operator]
        return JudgedVectors(self.ids + other.ids, vectors, corpus)

    def __radd__(self, other: object) -> JudgedVectors:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # sum() begins with 0

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write vectors and ids to a file."""
        ids = Ids.of(self.ids)
        numbers, dtype = arrays.stored(self.vectors)
        columns = {"ids": np.frombuffer(ids.data, dtype=np.uint8), "offsets": ids.offsets, "vectors": numbers}
        save(path, KIND, {"corpus": self.corpus, "dtype": dtype}, columns)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> JudgedVectors:
        """Saved vectors, as a NumPy array, or a tensor if NumPy lacks their type."""
        about, columns = load(path, KIND)
        try:
            ids = tuple(Ids(columns["ids"].tobytes(), columns["offsets"]).texts())
            vectors = arrays.restored(columns["vectors"], about["dtype"])
            corpus = about["corpus"]
        except (KeyError, TypeError, ValueError):
            raise damaged(path, KIND) from None
        if len(ids) != len(vectors):
            raise damaged(path, KIND)
        return JudgedVectors(ids, vectors, corpus)


def judged(
    qrels: Any,
    documents: Any,
    measures: Measures = SEVERAL,
    *,
    doc_ids: Any = None,
    **judging: Unpack[Judging],
) -> JudgedVectors:
    """The vectors of the judged documents among these, for counting documents in parts.

    Arguments are those of `count`.

    >>> import numpy as np
    >>> judged({"q1": {"b": 1, "z": 1}}, np.eye(3), doc_ids=["a", "b", "c"]).ids
    ('b',)
    """
    evaluator = Evaluator(qrels, measures, **judging)
    return judged_among(evaluator, Documents.of(documents, doc_ids))


def judged_among(evaluator: Evaluator, documents: Documents) -> JudgedVectors:
    """The vectors of all judged documents among these."""
    wanted = IdIndex(evaluator.qrels.sorted_docs.encode()[1])
    there, vectors = documents.find(wanted)
    return JudgedVectors(tuple(wanted.ids.take(there).texts()), vectors, documents.count)


ABOUT = "about"  # the array with the record, as JSON
FORMAT = 1  # of files that are written


def save(
    path: str | os.PathLike[str], kind: str, about: Mapping[str, Any], columns: Mapping[str, Any]
) -> None:
    """Write a file atomically."""
    record = {"kind": kind, "format": FORMAT, "rankgauge": VERSION, **about}
    text = np.frombuffer(to_json(record, ascii_only=True).encode("ascii"), dtype=np.uint8)
    with writing(path) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in {ABOUT: text, **columns}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


def load(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the record, the arrays) of a file."""
    name = os.fspath(path)
    try:
        with Path(name).open("rb") as file:  # NumPy would leave a damaged file open
            opened = np.load(file, allow_pickle=False)
            if not isinstance(opened, np.lib.npyio.NpzFile) or ABOUT not in opened:
                raise _refused(name, kind, "it is another file of NumPy's")
            with opened:
                columns = {each: opened[each] for each in opened.files}
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    except (ValueError, EOFError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise _refused(name, kind, str(error)) from None
    try:
        about: dict[str, Any] = json.loads(bytes(columns.pop(ABOUT)))
        found, number = str(about["kind"]), int(about["format"])
    except (ValueError, TypeError, KeyError):
        raise _refused(name, kind, "its record is damaged") from None
    if found != kind:
        raise InputError(f"this file holds {found}, not {kind}", path=name)
    if number > FORMAT:
        raise InputError(
            f"this file was saved by rankgauge {about.get('rankgauge')}, and this is {VERSION}, which cannot "
            "read it; use one version on all machines",
            path=name,
        )
    return about, columns


def damaged(path: str | os.PathLike[str], kind: str) -> InputError:
    """The error for a file whose parts do not fit together."""
    return _refused(os.fspath(path), kind, "its parts do not fit together")


def _refused(path: str, kind: str, reason: str) -> InputError:
    return InputError(f"this is no file of saved {kind} ({reason}); save it again", path=path)
