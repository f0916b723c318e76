"""The values of every column for every topic; those of TREC files are computed without NumPy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rankgauge.compat.trec_eval.columns import ANY, QRELS, Column, Options
from rankgauge.compat.trec_eval.formulas import RELEVANT, formula, measures
from rankgauge.engines.programs import FASTER
from rankgauge.errors import RankgaugeError
from rankgauge.evaluation.program_back_end import ProgramBackEnd, is_small
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


def compute_small(options: Options, columns: Sequence[Column]) -> Values | None:
    """The values of all columns; None if `arrays` has to compute or refuse them."""
    numbers = [column for column in columns if column.entry.source != ANY]
    supported = options.rel_format == "qrels" and options.depth is None and all(map(_is_supported, numbers))
    if not numbers or not supported:
        return None
    try:
        if not (FASTER and is_small(options.qrels)):
            return None
        used = dict.fromkeys(each for column in numbers for each in measures(column, options, ()))
        formulas = [formula(column, options, ()) for column in numbers]
        back_end = ProgramBackEnd(tuple(used), options.order, options.qrels, formulas=formulas)
        retrieved = back_end.retrieve(Source(options.run))
        rows = back_end.rows(retrieved)
    except (RankgaugeError, OSError):
        return None
    return Values(
        back_end.topics,
        retrieved.retrieved.tolist(),
        {column: row.tolist() for column, row in zip(numbers, rows, strict=True)},
        relevant=sum(grade >= RELEVANT for grade in back_end.grades),
        notes=tuple(notes_on(back_end.levels, columns)),
    )


def _is_supported(column: Column) -> bool:
    """Whether a column's numbers do not depend on the grades in the judgments."""
    return column.entry.source == QRELS and column.entry.name != "relstring" and not column.pairs
