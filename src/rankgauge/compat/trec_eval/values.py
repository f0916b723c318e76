"""The values of every column for every topic; those of small TREC files are computed without NumPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rankgauge.compat.trec_eval.columns import ANY, QRELS, Column, Options
from rankgauge.compat.trec_eval.formulas import RELEVANT, formulas, measures
from rankgauge.errors import RankgaugeError
from rankgauge.evaluation.scalar_back_end import ScalarBackEnd, are_small
from rankgauge.formats.source import Source
from rankgauge.schema.frozen import Frozen


class Values(Frozen, eq=False):
    """The values of all topics."""

    topics: Sequence[str]  # ascending as bytes
    retrieved: Sequence[int]  # number of results of each
    numbers: Mapping[Column, list[float]]  # NaN where a measure is undefined
    relevant: int = 0  # number of judgments graded 1 or higher, of all topics
    texts: Mapping[Column, list[str]] = {}
    notes: Sequence[str] = ()


def notes_on(levels: Sequence[float], columns: Iterable[Column]) -> Iterator[str]:
    """Notes on where trec_eval reads these grades differently."""
    if any(level % 1 for level in levels):
        yield "some grades are not whole numbers; they are used as they are, trec_eval truncates them"
    if levels[-1] > 1 and any(column.entry.name == "rbp" for column in columns):
        yield (
            "rbp: gains are relative to the largest gain; trec_eval compares them with uninitialised memory, "
            "and may print any other value"
        )


class _BackEnd(ScalarBackEnd):
    """The scalar back end for trec_eval's measures, often one at several levels."""

    sharing = 5


def compute_small(options: Options, columns: Sequence[Column]) -> Values | None:
    """The values of all columns; None if `arrays` has to compute or refuse them."""
    numbers = [column for column in columns if column.entry.source != ANY]
    supported = options.rel_format == "qrels" and options.depth is None and all(map(_is_supported, numbers))
    if not numbers or not supported:
        return None
    try:
        if not are_small([options.qrels, options.run]):
            return None
        computed = list(formulas(numbers, options, ()))
        # of columns that differ in the cutoff, one decides what is kept of judgments
        used = dict.fromkeys(each for some, _ in computed for each in measures(some[0], options, ()))
        back_end = _BackEnd(tuple(used), options.order, options.qrels)
        retrieved = back_end.retrieve(Source(options.run))
        rankings = back_end.rankings(retrieved)
        values: dict[Column, list[float]] = {}
        for some, values_of in computed:
            values |= zip(some, values_of(rankings), strict=True)
    except (RankgaugeError, OSError):
        return None
    return Values(
        back_end.topics,
        retrieved.retrieved.tolist(),
        values,
        relevant=sum(grade >= RELEVANT for grade in back_end.grades),
        notes=tuple(notes_on(back_end.levels, columns)),
    )


def _is_supported(column: Column) -> bool:
    """Whether a column's numbers do not depend on the grades in the judgments."""
    return column.entry.source == QRELS and column.entry.name != "relstring" and not column.pairs
