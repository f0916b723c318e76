"""The options of trec_eval, and the columns of its output that the texts of `-m` name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rankgauge.compat.trec_eval.table import DEFAULT, MEASURES, NICKNAMES, Entry, known
from rankgauge.errors import MeasureError
from rankgauge.model.rules import DocumentOrder
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import nearest


class Settings(Frozen):
    """The options that change how measures are defined."""

    level: int = 1  # -l
    judged_only: bool = False  # -J
    docs: int | None = None  # -N
    rules: int = 10


class Options(Settings):
    """The options of a command line, each by its name."""

    qrels: str  # type: ignore[misc]  # follows fields with defaults
    run: str  # type: ignore[misc]
    measures: Sequence[str] = (DEFAULT,)
    per_topic: bool = False  # -q
    summary: bool = True  # not -n
    complete: bool = False  # -c
    depth: int | None = None  # -M
    rel_format: str = "qrels"  # -R
    norms: str | None = None  # -Z
    topic: str | None = None  # -D n.TOPIC

    @property
    def order(self) -> DocumentOrder:
        """The order of documents."""
        return DocumentOrder(score_precision="single" if self.rules == 9 else "double")


N = TypeVar("N", int, float)


class ParameterError(MeasureError):
    """Parameters that a measure does not take (exit code 2, as in trec_eval)."""


class Column(Frozen, eq=False):
    """One line of the output, per topic and in the summary."""

    entry: Entry
    label: str  # as printed
    parameters: tuple[float, ...] = ()  # a cutoff, a level, or all numbers
    pairs: tuple[tuple[str, float], ...] = ()


def requested(texts: Iterable[str], rules: int) -> tuple[list[Column], list[str]]:
    """(columns in trec_eval's order, notes) for the texts of all `-m`."""
    by_measure: dict[str, list[str]] = {}  # the lists of parameters of each measure; empty: the defaults
    for text in texts:
        for name, parameters in _named(text, rules):
            lists = by_measure.setdefault(name, [])
            if parameters is not None:
                lists.append(parameters)
    columns, notes = [], []
    for name, entry in known(rules).items():
        if name not in by_measure:
            continue
        lists = list(dict.fromkeys(by_measure[name]))
        columns += _columns(entry, lists)
        if len(lists) > 1:
            shown = " ".join(f"{name}.{parameters}" for parameters in lists)
            notes.append(f"{shown} are all evaluated; trec_eval evaluates only the first")
    notes += (
        f"{column.label}: the ideal ranking is sorted by gain; trec_eval treats gains that differ by less "
        "than 1 as equal, and may print another value"
        for column in columns
        if any(value % 1 for name, value in column.pairs if name != "p")
    )
    return columns, notes


def _named(text: str, rules: int) -> Iterator[tuple[str, str | None]]:
    """(measure, its parameters) of one `-m`; a nickname is several measures."""
    name, dot, parameters = text.partition(".")
    measures = known(rules)
    if name in NICKNAMES:
        if dot:
            raise MeasureError(f"{name} is a set of measures and takes no parameters, as in {text!r}")
        yield from ((member, None) for member in NICKNAMES[name] if member in measures)
        return
    if name not in measures:
        if name in MEASURES:
            raise MeasureError(f"{name} is new in version 10 of trec_eval; leave out --rules 9 to use it")
        raise MeasureError(
            f"trec_eval has no measure {name!r}{nearest(name, [*measures, *NICKNAMES])}; "
            f"it has {', '.join([*NICKNAMES, *measures])}"
        )
    if not dot:
        yield name, None
        return
    entry = measures[name]
    if not entry.takes:
        raise ParameterError(f"{name} takes no parameters; leave .{parameters} out")
    if not parameters:
        raise ParameterError(f"no parameters after the dot of {text!r}; write {_example(entry)}")
    yield name, parameters


def _columns(entry: Entry, lists: list[str]) -> list[Column]:
    """The columns of one measure with these lists of parameters."""
    if entry.takes == "cutoffs":
        cutoffs = {k for text in lists or [entry.default] for k in _cutoffs(entry, text)}
        return [Column(entry, f"{entry.name}_{k}", (k,)) for k in sorted(cutoffs)]
    if entry.takes == "levels":
        levels = {x for text in lists or [entry.default] for x in _numbers(entry, text, unique=True)}
        return [Column(entry, f"{entry.name}_{x:3.2f}", (x,)) for x in sorted(levels)]
    if not lists:
        return [Column(entry, entry.name)]
    if entry.takes == "numbers":
        return [Column(entry, f"{entry.name}_{text}", _numbers(entry, text)) for text in lists]
    return [Column(entry, f"{entry.name}_{text}", pairs=tuple(_pairs(entry, text))) for text in lists]


def _cutoffs(entry: Entry, text: str) -> Sequence[int]:
    """Ranks; trec_eval reads 23.4 as 23."""
    cutoffs: list[int] = []
    for part in text.split(","):
        number = re.fullmatch(r"\s*\+?(0*[1-9][0-9]{0,8})(\.[0-9]*)?\s*", part)
        if not number:
            raise ParameterError(
                f"{entry.name}: a cutoff is a whole number from 1 to {10**9 - 1}, not {part!r}; "
                f"write {_example(entry)}"
            )
        cutoffs.append(int(number[1]))
    return _each_once(entry, text, cutoffs)


def _numbers(entry: Entry, text: str, unique: bool = False) -> tuple[float, ...]:
    numbers = [_number(entry, part) for part in text.split(",")]
    return tuple(_each_once(entry, text, numbers) if unique else numbers)


def _each_once(entry: Entry, text: str, numbers: list[N]) -> list[N]:
    if len(set(numbers)) < len(numbers):
        raise ParameterError(f"{entry.name}: {text!r} repeats a number; write each once")
    return numbers


def _pairs(entry: Entry, text: str) -> Iterator[tuple[str, float]]:
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not (name.strip() and equals):
            raise ParameterError(
                f"{entry.name}: parameters are pairs such as 1=3 (the gain of a grade), not {part!r}; "
                f"write {_example(entry)}"
            )
        yield name.strip(), _number(entry, value)


def _number(entry: Entry, text: str) -> float:
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"{entry.name}: {text!r} is not a finite number; write {_example(entry)}")
    return number


def _example(entry: Entry) -> str:
    """An example of a measure's parameters."""
    examples = {
        "relstring": "relstring.20",
        "utility": "utility.1,-1,0,0",
        "11pt_avg": "11pt_avg.0,.5,1",
        "set_F": "set_F.0.5",
        "rbp": "rbp.p=0.9",
        "rbp_resid": "rbp_resid.p=0.9",
    }
    other = f"{entry.name}.1=3,2=9" if entry.takes == "pairs" else f"{entry.name}.{entry.default}"
    return examples.get(entry.name, other)
