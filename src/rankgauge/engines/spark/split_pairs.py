"""Which pairs of a run and a topic have rows in several tasks: by hashes, so that little is collected.

Two pairs with one hash count as split, which costs time but changes nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import Ids
from rankgauge.engines.spark.blocks import error_from, problem_text
from rankgauge.engines.spark.library import failures
from rankgauge.engines.spark.pieces import Unreadable
from rankgauge.engines.spark.tables import Rows, numbered
from rankgauge.errors import RankgaugeError
from rankgauge.measures.rankings.arrays.curves import Ints

if TYPE_CHECKING:
    import pyarrow as pa

Hashes = npt.NDArray[np.uint64]
# What tasks read: (number, rows), with columns for the topic and, if there are several, the run.
Reads = Callable[[Iterable[int]], Iterator[tuple[int, Iterable["pa.RecordBatch"]]]]

MOST = 1 << 24  # hashes that are collected, 8 bytes each
MIX = np.uint64(0x9E3779B97F4A7C15)  # odd
COLLECTED = 1 << 20  # rows hashed at once
SPREAD = 0.5  # share of pairs that are split, above which all rows are moved


def pair_hashes(table: pa.Table) -> tuple[Ints, Hashes]:
    """(the number of each row's pair, the hash of each pair)."""
    rows = Rows(table)
    topic, topics = rows.numbered_ids("topic")
    run, runs = rows.runs("")
    hashes = _hashes(topics)
    if len(runs) < 2:
        return topic, hashes * MIX + _hashes(runs).sum()  # as `_of_one_run`, if no column names it
    present, number = numbered(topic.astype(np.int64) * len(runs) + run, len(topics) * len(runs))
    mixed = hashes[present // len(runs)] * MIX + _hashes(runs)[present % len(runs)]
    return number, mixed


def split_in_order(bounds: Sequence[tuple[bytes, bytes] | None]) -> list[Hashes] | None:
    """What `split_hashes` returns, for the topics of one run in parts that have topics within these bounds.

    None if parts are not known to be in the order of topics; if they are, a topic in two is a bound of both.
    """
    known = [bound for bound in bounds if bound is not None]
    order = sorted(range(len(bounds)), key=lambda part: known[part]) if len(known) == len(bounds) else []
    pairs = [*itertools.pairwise(order)]
    if not order or any(known[one][1] > known[other][0] for one, other in pairs):
        return None
    split: list[set[bytes]] = [set() for _ in bounds]
    for one, other in pairs:
        if known[one][1] == known[other][0]:
            split[one].add(known[one][1])
            split[other].add(known[one][1])
    return [_of_one_run(_hashes(Ids.of(sorted(topics)))) for topics in split]


def _of_one_run(topics: Hashes) -> Hashes:
    hashes: Hashes = topics * MIX + _hashes(Ids.of([""])).sum()
    return hashes


def _hashes(ids: Ids) -> Hashes:
    digests = b"".join(blake2b(each, digest_size=8).digest() for each in ids)
    return np.frombuffer(digests, dtype=np.uint64)


class _Outline(NamedTuple):
    """The hashes of pairs in some rows, or None if they are too many; or what is wrong."""

    number: int
    hashes: bytes | None = None
    problem: str | None = None
    unreadable: str | None = None


def collect_hashes(source: Any, reads: Reads) -> list[Hashes] | None:
    """The hashes of the pairs of what each number stands for, ascending; None if they are too many.

    `source` is an RDD of numbers of what tasks read. Raises `Unreadable` if a task cannot read its file.
    """

    def outlines(numbers: Any) -> Any:
        return (_outline(number, rows) for number, rows in reads(numbers))

    with failures():
        found: list[_Outline] = source.mapPartitions(outlines).collect()
    if failed := [outline.problem for outline in found if outline.problem is not None]:
        raise error_from(min(failed))
    if reasons := [outline.unreadable for outline in found if outline.unreadable is not None]:
        raise Unreadable(min(reasons))
    hashes = [outline.hashes for outline in sorted(found) if outline.hashes is not None]
    if len(hashes) < len(found) or sum(map(len, hashes)) > 8 * MOST:
        return None
    return [np.frombuffer(some, dtype=np.uint64) for some in hashes]


def _outline(number: int, batches: Iterable[pa.RecordBatch]) -> _Outline:
    try:
        hashes = _distinct(batches)
    except RankgaugeError as error:
        return _Outline(number, problem=problem_text(error))
    except Unreadable as reason:
        return _Outline(number, unreadable=str(reason))
    return _Outline(number, None if hashes is None else hashes.tobytes())


def _distinct(batches: Iterable[pa.RecordBatch]) -> Hashes | None:
    import pyarrow as pa

    found: Hashes = np.empty(0, dtype=np.uint64)
    for some in _collected(batches):
        rows = pa.Table.from_batches(some).drop_null()  # a null id is an error of the evaluation
        found = np.union1d(found, pair_hashes(rows)[1])
        if len(found) > MOST:
            return None
    return found


def _collected(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """The batches, several at once, so that an id that is in many of them is hashed but a few times."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) > COLLECTED:
            yield held
            held = []
    if held:
        yield held


def split_hashes(of_tasks: list[Hashes]) -> list[Hashes] | None:
    """For each task, the hashes of its pairs that other tasks have as well; None if that is most of all."""
    every, count = np.unique(np.concatenate([*of_tasks, np.empty(0, dtype=np.uint64)]), return_counts=True)
    split = every[count > 1]
    if len(split) > SPREAD * len(every):
        return None
    return [np.intersect1d(hashes, split, assume_unique=True) for hashes in of_tasks]
