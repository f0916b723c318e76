"""The twin of `core/program.hpp`: formulas of measures as instructions, run a topic at a time."""

from __future__ import annotations

import math
import operator
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise, repeat
from typing import Any

from rankgauge.core.buffers import integers, numbers
from rankgauge.core.pure.join import Join

INPUTS = 4  # registers that a topic fills; the third holds a single number


class Stopped(Exception):
    """A topic has no values: it needs tables down to a deeper rank, or (0) no program will do."""

    def __init__(self, depth: int = 0) -> None:
        self.depth = depth


def _wrapped(combine: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda one, other: (combine(one, other) + (1 << 63)) % (1 << 64) - (1 << 63)


def _quotient(over: float, under: float) -> float:
    """The quotient as IEEE 754 defines it: 0/0 is NaN, x/0 is infinite."""
    if under:
        return over / under
    if not over or math.isnan(over):
        return math.nan
    return math.copysign(math.inf, over) * math.copysign(1.0, under)


def _smaller(one: float, other: float) -> float:
    return one if one <= other or math.isnan(one) else other


def _larger(one: float, other: float) -> float:
    return one if one >= other or math.isnan(one) else other


def _divided(one: int, other: int) -> int:
    if other in (0, -1):
        raise Stopped
    return one // other


def _truncated(value: float) -> int:
    if not abs(value) < 9e18:
        raise Stopped
    return int(value)


def _logarithm(function: Callable[[float], float]) -> Callable[[float], float]:
    def of(value: float) -> float:
        if value <= 0:
            raise Stopped
        return function(value)

    return of


EACH: dict[str, Callable[..., Any]] = {  # operations of single numbers
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _quotient,
    "min": _smaller,
    "max": _larger,
    "whole add": _wrapped(operator.add),
    "whole sub": _wrapped(operator.sub),
    "whole mul": _wrapped(operator.mul),
    "whole div": _divided,
    "whole min": min,
    "whole max": max,
    "less": operator.lt,
    "at most": operator.le,
    "equal": operator.eq,
    "unequal": operator.ne,
    "to number": float,
    "to whole": _truncated,
    "log": _logarithm(math.log),
    "log2": _logarithm(math.log2),
    "choose": lambda condition, then, otherwise: then if condition else otherwise,
}
ALL: dict[str, Callable[..., Iterable[Any]]] = {  # operations of all numbers of registers
    "fill": lambda a, b: [a[0]] * len(b),
    "size": lambda a: [len(a)],
    "nth": lambda a: range(1, len(a) + 1),
    "keep": lambda a: [place for place, holds in enumerate(a) if holds],
    "order": lambda a, b: sorted(range(len(a)), key=lambda place: (-a[place], -b[place])),
    "take": lambda a, b: [a[place] for place in b],
    "previous": lambda a, b: [b[0], *a][: len(a)],
    "last equal": lambda a: [*map(operator.ne, a, a[1:]), True][: len(a)],
    "merge": lambda a, b: sorted({*a, *b}),
    "sums": lambda a: [*accumulate(a, initial=0.0)][1:],
    "products": lambda a: accumulate(a, operator.mul),
    "highest": lambda a: accumulate(a, max),
    "best to come": lambda a: [*accumulate(reversed(a), lambda best, here: _larger(here, best))][::-1],
    "count": lambda a, b: [bisect_right(a, rank) for rank in b],
    "get": lambda a, b, c: [a[nth - 1] if 0 < nth <= len(a) else c[0] for nth in b],
}
LIKE_SECOND = ("count", "get")  # with one number where their second operand has one


class Program:
    """Formulas of measures, to be run a topic at a time."""

    def __init__(
        self,
        judgments: Any,
        rules: tuple[str, str, str, str],
        keys: tuple[str, ...],
        instructions: list[tuple[Any, ...]],
        constants: list[float | int],
        tables: list[Any],
        outputs: list[int],
        starts: Any,
        grades: Any,
        lowest: float,
    ) -> None:
        self._judgments, self._rules, self._keys = judgments, rules, keys
        self._instructions, self._outputs = instructions, outputs
        self._constants = [[value] for value in constants]
        self._tables = [numbers(table, "d") for table in tables]
        self._grades = numbers(grades, "d")
        parts = (self._grades[begin:end] for begin, end in pairwise(integers(starts)))
        self._judged = [[grade for grade in part if grade >= lowest] for part in parts]

    def measure(self, starts: Any, rank: Any, judgment: Any, retrieved: Any) -> bytes | int:
        """The outputs for all topics, one after the other; an int as in `Stopped`."""
        ranks, judged = integers(rank), integers(judgment)
        parts = enumerate(zip(pairwise(integers(starts)), integers(retrieved), strict=True))
        try:
            rows = [
                self._run(t, size, ranks[begin:end], judged[begin:end]) for t, ((begin, end), size) in parts
            ]
        except Stopped as stopped:
            return stopped.depth
        return array("d", (value for column in zip(*rows, strict=True) for value in column)).tobytes()

    def of_mapping(self, mapping: Any) -> dict[Any, dict[str, float]] | int | None:
        """{topic: {key: output}} of {topic: {document: score}}; None if that is not of exact types."""
        join = Join(self._judgments, *self._rules, False, False)
        if not join.mapping(mapping):
            return None
        hits: Any = join.finish()
        found, sizes, starts, rank, judgment = (
            numbers(hits[name], "q") for name in ("topic", "retrieved", "starts", "rank", "judgment")
        )
        values = {}
        try:
            for topic in mapping:
                number = self._judgments.numbers.get(topic.encode("utf-8"))
                if number is not None:
                    place = found.index(number) if number in found else None
                    part = slice(0) if place is None else slice(starts[place], starts[place + 1])
                    retrieved = 0 if place is None else sizes[place]
                    row = self._run(number, retrieved, rank[part], judgment[part])
                    values[topic] = dict(zip(self._keys, row, strict=False))
        except Stopped as stopped:
            return stopped.depth
        return values

    def _run(self, topic: int, retrieved: int, rank: list[int], judgment: list[int]) -> list[float]:
        grade = [self._grades[each] for each in judgment]
        registers: list[Sequence[Any]] = [rank, grade, [retrieved], self._judged[topic], *self._constants]
        single = [place == INPUTS - 2 or place >= INPUTS for place in range(len(registers))]
        for name, *arguments in self._instructions:
            if name in ("by rank", "look up"):
                place, table = arguments
                look_up = self._by_rank if name == "by rank" else self._look_up
                registers.append(look_up(registers[place], table))
                single.append(single[place])
                continue
            operands = [registers[place] for place in arguments]
            if name in EACH:
                alone = [single[place] for place in arguments]
                single.append(all(alone))
                size = 1 if single[-1] else len(operands[alone.index(False)])
                columns = (repeat(o[0], size) if one else o for o, one in zip(operands, alone, strict=True))
                registers.append([EACH[name](*row) for row in zip(*columns, strict=True)])
            elif name == "refuse":
                if any(operands[0]):
                    raise Stopped
                registers.append([0])
                single.append(True)
            else:
                registers.append([*ALL[name](*operands)])
                single.append(name == "size" or (name in LIKE_SECOND and single[arguments[1]]))
        return [registers[place][0] for place in self._outputs]

    def _by_rank(self, ranks: Sequence[int], table: int) -> list[float]:
        if min(ranks, default=0) < 0:
            raise Stopped
        if max(ranks, default=0) >= len(self._tables[table]):
            raise Stopped(max(ranks))
        return [self._tables[table][rank] for rank in ranks]

    def _look_up(self, values: Sequence[float], table: int) -> list[float]:
        known = dict(zip(*self._tables[table : table + 2], strict=True))
        return [known[value] for value in values]
