"""Measures as programs: recorded once, and run by the compiled core on the hits of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Any

from rankgauge import core
from rankgauge.measures import Measure
from rankgauge.measures.rankings.discounts import DEEPEST
from rankgauge.measures.rankings.programs import Number, Program, Tape, Unsupported
from rankgauge.measures.rankings.recorded import JudgedRankings
from rankgauge.model.rules import DocumentOrder

# The pure core, which evaluates where there is no NumPy, takes longer than arrays.
FASTER = core.NAME == "compiled"
DEPTH = 1 << 11  # of tables by rank, to begin with
Formula = Callable[[JudgedRankings], Sequence[Any]]


def record(formulas: Sequence[Formula], levels: Sequence[float]) -> tuple[Program, tuple[int, ...]]:
    """The program of those formulas that can be recorded, and their places.

    A formula returns one or several results; the first of all formulas come first, then the second, and so
    on. `levels` are the grades of all judgments, ascending.
    """
    tape = Tape()
    rankings = JudgedRankings.on(tape, levels)
    outputs: dict[int, list[Number]] = {}
    for place, formula in enumerate(formulas):
        tape.refused = False
        # Whatever goes wrong here, arrays meet it again, or can do it.
        with suppress(Exception):
            results = [tape.number(result).of_topic() for result in formula(rankings)]
            if not tape.refused:
                outputs[place] = results
    in_turn = (result for results in zip_longest(*outputs.values()) for result in results)
    return tape.program([result for result in in_turn if result is not None]), tuple(outputs)


def alone(formula: Callable[[Any], Any]) -> Formula:
    """A formula with one result, as `record` takes it."""
    return lambda rankings: [formula(rankings)]


def record_measures(
    measures: tuple[Measure, ...], levels: tuple[float, ...]
) -> tuple[Program, tuple[int, ...]]:
    """The program of the measures that can be recorded, and their places; weights come after all values."""
    if all(measure.spec.is_own for measure in measures):
        return _recorded(measures, levels)
    return _recorded.__wrapped__(measures, levels)  # others may be defined anew under the same name


@lru_cache(maxsize=64)  # evaluators are made often
def _recorded(measures: tuple[Measure, ...], levels: tuple[float, ...]) -> tuple[Program, tuple[int, ...]]:
    able = [place for place, measure in enumerate(measures) if can_record(measure)]
    program, recorded = record([partial(_values, measures[place]) for place in able], levels)
    return program, tuple(able[place] for place in recorded)


def _values(measure: Measure, rankings: Any) -> list[Any]:
    return [measure.value(rankings), *([measure.weight(rankings)] if measure.is_weighed else [])]


def can_record(measure: Measure) -> bool:
    """Whether a measure looks at the ranks and grades of one topic alone."""
    needs = measure.spec.needs
    return (
        not (needs.ties_or_scores or needs.subtopics or needs.pads_to_longest) and measure.unclipped is None
    )


class Programmed:
    """A program on some judgments, in the compiled core.

    `names` are those of its first outputs. `starts` and `grades` are those of all judgments, sorted by topic
    and document; documents graded below `lowest` are like unjudged.
    """

    def __init__(
        self,
        program: Program,
        names: Sequence[str],
        judgments: Any,
        order: DocumentOrder,
        starts: Any,
        grades: Any,
        lowest: float,
    ) -> None:
        self._program, self._judgments = program, judgments
        self._fixed = judgments, (*order.core_rules(), order.run_duplicates), tuple(names)
        self._of_judgments = starts, grades, lowest
        self._core = self._made(DEPTH)

    def _made(self, depth: int) -> Any:
        program = self._program
        return core.Program(
            *self._fixed,
            program.instructions,
            program.constants,
            program.filled_tables(depth),
            program.outputs,
            *self._of_judgments,
        )

    def measure(self, starts: Any, rank: Any, judgment: Any, retrieved: Any) -> bytes:
        """The outputs for all topics, one after the other."""
        values: bytes = self._run(lambda made: made.measure(starts, rank, judgment, retrieved))
        return values

    def of_mapping(self, run: Mapping[Any, Any]) -> dict[Any, dict[str, float]] | None:
        """{topic: {name: output}} of the judged topics of a dict; None if it is not of Python's own types."""
        values: dict[Any, dict[str, float]] | None = self._run(lambda made: made.of_mapping(run))
        return values

    def _run(self, work: Callable[[Any], Any]) -> Any:
        result = work(self._core)
        while type(result) is int:
            if not 0 < result < DEEPEST:
                raise Unsupported("these rankings")
            self._core = self._made(2 * result)
            result = work(self._core)
        return result
