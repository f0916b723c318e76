"""A simulated campaign, and its files, written in one of three orders with bounded memory.

Topics, systems, judgments and runs are generated on request. A block of lines is a record array whose fields
are the columns of the text, padded with NUL.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.studies.simulation.results import (
    MICRO,
    Judgments,
    Results,
    System,
    judgments,
    results,
    subtopic_judgments,
    system,
)
from rankgauge.extensions.studies.simulation.topics import (
    INDEX_BITS,
    Floats,
    Ints,
    Kind,
    Sizes,
    Streams,
    Topics,
)
from rankgauge.formats.target import writing
from rankgauge.schema.options import Option, setting
from rankgauge.schema.text import unknown_name

Records = npt.NDArray[np.void]
Texts = npt.NDArray[np.bytes_]

_LARGEST = 10_000  # no score reaches 100.00
SHUFFLE = Option(
    "shuffle",
    "order of the lines of a run",
    {
        "none": "by topic and rank",
        "lines": "by topic, in random order within a topic",
        "topics": "in random order, topics interleaved",
    },
)
_BUCKET = 100_000  # lines shuffled at once
_MAX_BUCKETS = 200  # files open at once


def text(records: Records) -> bytes:
    """The lines as the text of a file."""
    return records.tobytes().replace(b"\0", b"")


def document_ids(topics: Topics, rows: Ints, documents: Ints) -> Texts:
    """Document ids like those of web collections: web-00123-45-6789."""
    ids = np.empty(documents.shape, dtype=[("front", "S13"), ("back", "S4")])
    front, back = _split(topics.names(rows, documents))
    ids["front"] = _fronts().take(front)
    ids["back"] = _last_digits().take(back)
    return ids.view("S17")


def scores(results: Results) -> Floats:
    """(topics, depth) scores, exactly as they are read back from a file."""
    return np.divide(results.scores, MICRO, dtype=np.float64)


@dataclass(frozen=True)
class RunLines:
    """Lines of a run for some topics, by rank."""

    numbers: range  # of the topics
    records: Records  # (topics, depth)
    returned: npt.NDArray[np.bool_]  # (topics, depth) false where there is no such line


def run_lines(topics: Topics, system: System, results: Results) -> RunLines:
    """The lines of a system's run for these topics."""
    sizes = topics.sizes
    tag = f" {system.name}\n".encode()
    # Columns are as narrow as possible: removing a NUL takes time.
    fields: Any = [
        ("topic", f"S{len(topics.ids[0])}"),
        ("Q0", "S4"),
        ("document", "S17"),
        ("rank", f"S{len(str(sizes.depth)) + 2}"),
        ("score", "S6"),
        ("fraction", "S4"),
        ("tag", f"S{len(tag)}"),
    ]
    records = np.empty(results.documents.shape, dtype=fields)
    records["topic"] = np.array(topics.ids, dtype="S")[:, None]
    records["Q0"] = b" Q0 "
    records["document"] = document_ids(topics, np.arange(len(records))[:, None], results.documents)
    records["rank"] = _ranks(sizes.depth)[1:]
    front, back = _split(np.abs(results.scores))
    front[results.scores < 0] += _LARGEST
    records["score"] = _wholes().take(front)
    records["fraction"] = _last_digits().take(back)
    records["tag"] = tag
    return RunLines(topics.numbers, records, results.returned)


def judgment_lines(topics: Topics, judged: Judgments) -> Records:
    """Lines of judgments: topic, subtopic (0 for none, like an iteration), document, grade."""
    fields: Any = [("topic", "S7"), ("subtopic", "S4"), ("document", "S17"), ("grade", "S3")]
    records = np.empty(len(judged.rows), dtype=fields)
    records["topic"] = np.array(topics.ids, dtype="S").take(judged.rows)
    records["subtopic"] = _ranks(topics.sizes.subtopics).take(judged.subtopics)
    records["document"] = document_ids(topics, judged.rows, judged.documents)
    records["grade"] = np.array([b" %d\n" % grade for grade in range(10)]).take(judged.grades)
    return records


def _split(numbers: Ints) -> tuple[Ints, Ints]:
    front = numbers // 10_000
    return front, numbers - front * 10_000


@lru_cache(maxsize=1)
def _last_digits() -> Texts:
    return np.array([b"%04d" % number for number in range(10_000)])


@lru_cache(maxsize=1)
def _fronts() -> Texts:
    return np.array(
        [b"web-%05d-%02d-" % divmod(number, 100) for number in range(2**INDEX_BITS // 10_000 + 1)]
    )


@lru_cache(maxsize=1)
def _wholes() -> Texts:
    """Scores without their last four digits: non-negative ones, then negative ones."""
    texts = [b"%d.%02d" % divmod(number, 100) for number in range(_LARGEST)]
    return np.array(texts + [b"-" + text for text in texts])


@lru_cache(maxsize=2)
def _ranks(largest: int) -> Texts:
    return np.array([b" %d " % number for number in range(largest + 1)])


@dataclass(frozen=True)
class Written:
    """A file and its number of lines."""

    path: Path
    rows: int


def refuse_occupied(directory: Path) -> None:
    """Refuse a directory with files of a campaign."""
    for pattern in ("qrels.txt*", "qrels.diversity.txt*", "runs/*.run", "runs/*.run.gz"):
        for path in sorted(directory.glob(pattern)):
            raise InputError(
                f"{path} already exists; use a directory without a campaign, "
                f"or overwrite this one ({setting('force', python='True')})"
            )


def write_lines(path: Path, blocks: Iterable[Records]) -> Written:
    """Write blocks of lines to a file, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = 0
    with writing(path) as out:
        for block in blocks:
            out.write(text(block))
            rows += len(block)
            del block  # or it would stay in memory until the next one is made
    return Written(path, rows)


@dataclass(frozen=True)
class Arrangement:
    """The order of lines in a system's run."""

    shuffle: str
    seed: int
    system: int
    rows: int  # approximate number of lines
    scratch: Path  # directory for temporary files

    def __call__(self, blocks: Iterable[RunLines]) -> Iterator[Records]:
        """The lines in the chosen order."""
        if self.shuffle == "topics":
            return self._interleave(blocks)
        return (self._within(block) for block in blocks)

    def _within(self, block: RunLines) -> Records:
        if self.shuffle == "none":
            return block.records.ravel() if block.returned.all() else block.records[block.returned]
        order = self._streams(Kind.LINES, block.numbers).permutation(block.records.shape[1])
        order += np.arange(0, order.size, order.shape[1])[:, None]
        order = order.ravel()
        return block.records.ravel()[order][block.returned.ravel()[order]]

    def _interleave(self, blocks: Iterable[RunLines]) -> Iterator[Records]:
        """All lines in random order: distributed to buckets on disk, then shuffled one by one."""
        count = min(_MAX_BUCKETS, self.rows // _BUCKET + 1)
        layout: Any = None
        with TemporaryDirectory(prefix=".shuffle-", dir=self.scratch) as scratch:
            paths = [Path(scratch, str(bucket)) for bucket in range(count)]
            with ExitStack() as stack:
                files = [stack.enter_context(path.open("wb")) for path in paths]
                for block in blocks:
                    layout = block.records.dtype
                    chance = self._streams(Kind.BUCKETS, block.numbers).uniform(block.records.shape[1])
                    bucket = (chance * count).astype(np.uint8)[block.returned]
                    dealt = block.records[block.returned][np.argsort(bucket, kind="stable")]
                    ends = np.cumsum(np.bincount(bucket, minlength=count)).tolist()
                    for file, begin, end in zip(files, [0, *ends], ends, strict=False):
                        file.write(dealt[begin:end].tobytes())
            for number, path in enumerate(paths):
                yield self._shuffled(number, np.fromfile(path, dtype=layout))

    def _shuffled(self, bucket: int, lines: Records) -> Records:
        """The lines of a bucket in random order (a method of its own, so that their copy is freed)."""
        shuffled: Records = lines[self._streams(Kind.LINES, [bucket]).permutation(len(lines))[0]]
        return shuffled

    def _streams(self, kind: Kind, places: Iterable[int]) -> Streams:
        return Streams(self.seed, kind, places, self.system)


class Campaign:
    """A simulated campaign, stored as its parameters."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes

    def __repr__(self) -> str:
        return f"Campaign({self.sizes})"

    @property
    def topics(self) -> list[str]:
        """The ids of the topics."""
        return [self.sizes.topic_id(number) for number in range(self.sizes.topics)]

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return [system(number, self.sizes.seed).name for number in range(self.sizes.systems)]

    def qrels_dict(self) -> dict[str, dict[str, int]]:
        """Judgments, `{topic: {document: grade}}`."""
        qrels: dict[str, dict[str, int]] = {topic: {} for topic in self.topics}
        for topics in self._batches():
            for topic, _, document, grade in _rows(topics, judgments(topics)):
                qrels[topic][document] = grade
        return qrels

    def subtopics_dict(self) -> dict[str, dict[str, dict[str, int]]]:
        """Judgments by subtopic, `{topic: {subtopic: {document: grade}}}`."""
        qrels: dict[str, dict[str, dict[str, int]]] = {topic: {} for topic in self.topics}
        for topics in self._batches() if self.sizes.subtopics else ():
            for topic, subtopic, document, grade in _rows(topics, subtopic_judgments(topics)):
                qrels[topic].setdefault(str(subtopic), {})[document] = grade
        return qrels

    def run_dict(self, name: str) -> dict[str, dict[str, float]]:
        """A system's run, `{topic: {document: score}}`, without topics that have no results."""
        run = {}
        chosen = self._system(name)
        for topics in self._batches():
            retrieved = results(topics, chosen)
            rows = np.arange(len(topics.ids))[:, None]
            ids = document_ids(topics, rows, retrieved.documents).astype(str).tolist()
            values = scores(retrieved).tolist()
            for row, length in enumerate(retrieved.lengths.tolist()):
                if length:
                    run[topics.ids[row]] = dict(zip(ids[row][:length], values[row][:length], strict=True))
        return run

    def write(
        self,
        directory: str | os.PathLike[str],
        *,
        shuffle: str = "none",
        gz: bool = False,
        force: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Written]:
        """Write TREC files; returns the judgments, then a run for each system.

        The files are `qrels.txt`, `qrels.diversity.txt` (with subtopics) and `runs/<system>.run`. `shuffle`
        is the order of the lines of a run: "none", "lines" or "topics". A directory with such files is an
        error unless `force` is true. `progress` is called with the steps done and their total.
        """
        shuffle = SHUFFLE.check(shuffle)
        root, sizes = Path(directory), self.sizes
        if not force:
            refuse_occupied(root)
        root.mkdir(parents=True, exist_ok=True)
        suffix = ".gz" if gz else ""
        total = sizes.topics * (1 + bool(sizes.subtopics) + sizes.systems)
        done = 0

        def batches() -> Iterator[Topics]:
            nonlocal done
            for topics in self._batches():
                yield topics
                done += len(topics.numbers)
                if progress is not None:
                    progress(done, total)

        judged = (judgment_lines(topics, judgments(topics)) for topics in batches())
        written = [write_lines(root / f"qrels.txt{suffix}", judged)]
        if sizes.subtopics:
            judged = (judgment_lines(topics, subtopic_judgments(topics)) for topics in batches())
            written.append(write_lines(root / f"qrels.diversity.txt{suffix}", judged))
        for number, name in enumerate(self.systems):
            of_run = system(number, sizes.seed)
            lines = (run_lines(topics, of_run, results(topics, of_run)) for topics in batches())
            arranged = Arrangement(shuffle, sizes.seed, number, sizes.topics * sizes.depth, root)(lines)
            written.append(write_lines(root / "runs" / f"{name}.run{suffix}", arranged))
        return written

    def _batches(self) -> Iterator[Topics]:
        return (Topics(self.sizes, numbers) for numbers in self.sizes.batches())

    def _system(self, name: str) -> System:
        if name not in self.systems:
            raise OptionError(unknown_name("system", name, self.systems))
        return system(self.systems.index(name), self.sizes.seed)


def _rows(topics: Topics, judged: Judgments) -> Iterator[tuple[str, int, str, int]]:
    ids = document_ids(topics, judged.rows, judged.documents).astype(str).tolist()
    names = [topics.ids[row] for row in judged.rows.tolist()]
    return zip(names, judged.subtopics.tolist(), ids, judged.grades.tolist(), strict=True)
