"""Titles and texts of documents and topics, read from their file when they are asked for.

What stays in memory is a hash and a place for each record, 16 bytes; the id is compared when the record is
read.
"""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError
from rankgauge.formats import text_files, texts
from rankgauge.formats.arrow_columns import pyarrow
from rankgauge.formats.problems import quote
from rankgauge.formats.source import BOM, Source, open_file
from rankgauge.formats.texts import Text

__all__ = ["Text", "Texts"]

BUFFER = 1 << 20  # bytes that are read at once
BATCH = 1 << 12  # rows of a Parquet file that are read at once


class Texts(ABC):
    """The titles and texts in a file: JSON lines, tab-separated values, Parquet, or TREC's topics.

    If an id occurs more than once, its first text counts. May be used from several threads.
    """

    path: str
    kind: str  # the format: jsonl, tsv, trec or parquet

    def __init__(self, path: str, hashes: array[int]) -> None:
        self.path = path
        unsorted = np.frombuffer(hashes, dtype=np.int64) if hashes else np.zeros(0, np.int64)
        self._order: npt.NDArray[np.int64] = np.argsort(unsorted, kind="stable")
        self._hashes = unsorted[self._order]
        self._lock = threading.Lock()

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Texts:
        """The texts in a file, which may be compressed."""
        source = Source(path)
        if text_files.is_parquet(source):
            return _ParquetTexts(source)
        return _TextFile(source, texts.detect(source))

    @staticmethod
    def of(given: Any) -> Texts | None:
        """The texts in a file, those that are already open or in a dict {id: text}, or None."""
        if given is None or isinstance(given, Texts):
            return given
        if isinstance(given, Mapping):
            return _TextsInMemory(given)
        if not isinstance(given, (str, os.PathLike)):
            raise InputError(f"expected a file of texts or a dict {{id: text}}, not {type(given).__name__}")
        return Texts.open(given)

    @staticmethod
    def of_runs(
        documents: Any, topics: Any, files: Iterable[Source | None]
    ) -> tuple[Texts | None, Texts | None]:
        """(texts of documents, of topics) as given; for those not given, what JSON files of runs contain."""
        given = Texts.of(documents), Texts.of(topics)
        found: tuple[dict[bytes, Text], dict[bytes, Text]] = ({}, {})
        for file in files if None in given else ():
            for known, new in zip(found, texts.in_results(file) if file else (), strict=False):
                known.update({name: text for name, text in new.items() if name not in known})
        of_documents, of_topics = (
            _TextsInMemory(known, "the JSON of the runs") if each is None and known else each
            for each, known in zip(given, found, strict=True)
        )
        return of_documents, of_topics

    def __len__(self) -> int:
        return len(self._hashes)

    def __repr__(self) -> str:
        return f"<Texts: {len(self):,} records of {self.path}>"

    def get(self, identifier: str | bytes) -> Text | None:
        """The text with this id; None if there is none."""
        return self.get_many([identifier]).get(identifier)

    def get_many(self, identifiers: Iterable[str | bytes]) -> dict[Any, Text]:
        """{id: text} of those ids that have one."""
        asked = {each: to_bytes(each) for each in identifiers}
        wanted = set(asked.values())
        candidates = {record for name in wanted for record in self._candidates(name)}
        found: dict[bytes, Text] = {}
        with self._lock:
            for identifier, text in self._read(sorted(candidates)):
                if identifier in wanted:
                    found.setdefault(identifier, text.cleaned())
        return {each: found[name] for each, name in asked.items() if name in found}

    def unmatched(self, ids: Iterable[str | bytes], noun: str = "topic") -> list[str]:
        """A sentence if the file has a text for none of these topics, or documents."""
        names = [*map(to_bytes, ids)]
        if not names or any(self._candidates(name) for name in names):
            return []
        return [f"{self.path} has a text for no {noun} of the judgments, such as {quote(names[0])}"]

    def _candidates(self, identifier: bytes) -> list[int]:
        begin, end = (np.searchsorted(self._hashes, hash(identifier), side) for side in ("left", "right"))
        records: list[int] = self._order[begin:end].tolist()
        return records

    @abstractmethod
    def _read(self, records: list[int]) -> Iterator[tuple[bytes, Text]]:
        """The ids and texts of some records, whose numbers ascend."""


class _TextsInMemory(Texts):
    kind = "dict"

    def __init__(self, given: Mapping[Any, str | Text], path: str = "a dict") -> None:
        self._records = [
            (to_bytes(name), text if isinstance(text, Text) else Text("", str(text)))
            for name, text in given.items()
        ]
        super().__init__(path, array("q", [hash(name) for name, _ in self._records]))

    def _read(self, records: list[int]) -> Iterator[tuple[bytes, Text]]:
        return (self._records[record] for record in records)


class _TextFile(Texts):
    def __init__(self, source: Source, form: texts.TextFormat) -> None:
        self.kind = form.kind
        self._source, self._format = source, form
        self._file = open_file(source.file, source.path) if source.in_place else _decompressed(source)
        weakref.finalize(self, self._file.close)
        hashes, self._begins, self._ends = array("q"), array("q"), array("q")
        with open(self._file.fileno(), "rb", buffering=BUFFER, closefd=False) as buffered:
            buffered.seek(0)
            for place, data in form.places(buffered, source.path):
                try:
                    identifier, _ = form.record(data)
                except texts.Unreadable as error:
                    raise InputError(str(error), path=source.path, line=place.line) from None
                hashes.append(hash(identifier))
                self._begins.append(place.begin)
                self._ends.append(place.end)
        super().__init__(source.path, hashes)
        self._check()
        if not len(self):
            raise InputError(f"the file has no texts; {texts.ALLOWED}", path=source.path)

    def _check(self) -> None:
        if self._source.in_place:
            self._source.refuse_changed(self._file)

    def _read(self, records: list[int]) -> Iterator[tuple[bytes, Text]]:
        self._check()
        for record in records:
            self._file.seek(self._begins[record])
            data = self._file.read(self._ends[record] - self._begins[record])
            yield self._format.record(data.removeprefix(BOM))


def _decompressed(source: Source) -> IO[bytes]:
    """A temporary file with the data of a compressed one."""
    file = tempfile.TemporaryFile(prefix="rankgauge-")  # noqa: SIM115 it stays open
    try:
        for chunk in source.chunks():
            file.write(chunk)
        file.flush()
    except BaseException:
        file.close()
        raise
    return file


class _ParquetTexts(Texts):
    """The rows of a Parquet file, read by row group."""

    kind = "parquet"

    def __init__(self, source: Source) -> None:
        pyarrow()
        from pyarrow import parquet

        self._path = source.path
        opened = source.file if source.in_place else _decompressed(source)
        hashes = array("q")
        try:
            self._file = parquet.ParquetFile(opened, buffer_size=BUFFER, pre_buffer=False)
            names = self._file.schema_arrow.names
            self._columns = [name for name in texts.roles(tuple(names)) if name is not None]
            identifier = texts.roles(tuple(names))[0]
            if identifier is None:
                raise texts.Unreadable(texts.no_id(names))
            groups = [self._file.metadata.row_group(i).num_rows for i in range(self._file.num_row_groups)]
            self._starts = np.cumsum([0, *groups])
            for batch in self._file.iter_batches(1 << 16, columns=[identifier]):
                for value in batch.column(0).to_pylist():
                    hashes.append(hash(texts.text_of({identifier: value})[0]))
        except texts.Unreadable as error:
            raise InputError(f"row {len(hashes)} (counted from 0): {error}", path=source.path) from None
        except (pyarrow().ArrowException, OSError, ValueError) as error:
            message = f"not a readable Parquet file: {quote(str(error), 200)}; check how it was written"
            raise InputError(message, path=source.path) from None
        super().__init__(source.path, hashes)

    def _read(self, records: list[int]) -> Iterator[tuple[bytes, Text]]:
        cuts = np.searchsorted(records, self._starts)
        for group in np.flatnonzero(np.diff(cuts)).tolist():
            first, wanted = int(self._starts[group]), records[cuts[group] : cuts[group + 1]]
            for batch in self._file.iter_batches(BATCH, row_groups=[group], columns=self._columns):
                begin, end = np.searchsorted(wanted, (first, first + len(batch)))
                rows = [record - first for record in wanted[begin:end]]
                for row in batch.take(pyarrow().array(rows, "int64")).to_pylist() if rows else ():
                    yield texts.text_of(row)
                first += len(batch)
                if first > wanted[-1]:
                    break
