"""Writing blocks of lines to files, in one of three orders, with bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.formats.target import writing
from rankgauge.schema.options import Option
from rankgauge.schema.surface import setting
from rankgauge.studies.simulation.lines import Records, RunLines, text
from rankgauge.studies.simulation.streams import Kind, Streams

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
_MOST_BUCKETS = 200  # files open at once


@dataclass(frozen=True)
class Written:
    """A file and its number of lines."""

    path: Path
    rows: int


def refuse_occupied(directory: Path) -> None:
    """Raise an error if the directory already contains files of a campaign."""
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
        """All lines in random order: distributed to buckets on disk, then shuffled bucket by bucket."""
        count = min(_MOST_BUCKETS, self.rows // _BUCKET + 1)
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
