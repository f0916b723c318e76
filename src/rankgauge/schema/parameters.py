"""Kinds of parameter a measure may have: what they accept, and how they are written back.

A measure's signature names its parameters; `Annotated` types tie each to its kind:

    def rbp(j: "JudgedRankings", p: Annotated[float, Number(0, 1), "persistence"] = 0.8) -> "Curve": ...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol, get_args

from rankgauge.errors import MeasureError, RankgaugeError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import format_number


class Kind(Protocol):
    """What a parameter accepts."""

    @property
    def words(self) -> str:
        """What is allowed, as help and errors say it."""

    def read(self, value: Any) -> Any:
        """The parameter's value from what the language or a caller gave; ValueError if it is not allowed."""

    def write(self, value: Any) -> str:
        """The value as the language writes it."""


def is_number(value: Any) -> bool:
    """Whether this is a real number (True and False are not)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Number(Frozen):
    """A real number in a range."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False  # the lower end itself is not allowed
    below: bool = False  # the upper end itself is not allowed

    @property
    def words(self) -> str:
        """The range in words."""
        if self.low == -math.inf:
            return "a number"
        least = (
            f"a number above {format_number(self.low)}"
            if self.above
            else f"a number from {format_number(self.low)}"
        )
        if self.high == math.inf:
            return least
        return f"{least} to {'below ' if self.below else ''}{format_number(self.high)}"

    def read(self, value: Any) -> float:
        """The number, if it is one and lies in the range."""
        if not is_number(value) or not math.isfinite(value):
            raise ValueError
        if not self.low <= value <= self.high:
            raise ValueError
        if (self.above and value == self.low) or (self.below and value == self.high):
            raise ValueError
        return float(value)

    def write(self, value: Any) -> str:
        """The number without a needless point."""
        return format_number(value)


class Word(Frozen):
    """One of a few words."""

    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        """The choices."""
        return "one of " + ", ".join(self.choices)

    def read(self, value: Any) -> str:
        """The word, if it is one of the choices."""
        if value not in self.choices:
            raise ValueError
        return str(value)

    def write(self, value: Any) -> str:
        """The word itself."""
        return str(value)


class Flag(Frozen):
    """True or false."""

    words = "true or false"

    def read(self, value: Any) -> bool:
        """The truth value, spelled in any of the usual ways."""
        if isinstance(value, bool):
            return value
        spelled = {"true": True, "false": False, "yes": True, "no": False}
        if isinstance(value, str) and value.lower() in spelled:
            return spelled[value.lower()]
        raise ValueError

    def write(self, value: Any) -> str:
        """Lower case, as in the language."""
        return "true" if value else "false"


class Whole(Frozen):
    """A whole number from some number on."""

    low: int = 1

    @property
    def words(self) -> str:
        """The range in words."""
        return f"a whole number from {self.low}"

    def read(self, value: Any) -> int:
        """The number, if it is whole and large enough."""
        if not is_number(value) or not float(value).is_integer() or not self.low <= value < 1 << 53:
            raise ValueError
        return int(value)

    def write(self, value: Any) -> str:
        """All its digits."""
        return str(value)


class Numbers(Frozen):
    """Some real numbers in a range, ascending."""

    low: float
    high: float

    @property
    def words(self) -> str:
        """The range in words."""
        ends = f"from {format_number(self.low)} to {format_number(self.high)}"
        return f"numbers {ends} such as {{0.25,0.5}}, ascending"

    def read(self, value: Any) -> tuple[float, ...]:
        """The numbers, if they are in the range, each larger than the one before."""
        given = [value] if is_number(value) else value
        numbers = tuple(Number(self.low, self.high).read(each) for each in given)
        if isinstance(value, Mapping) or not numbers or sorted(set(numbers)) != list(numbers):
            raise ValueError
        return numbers

    def write(self, value: Any) -> str:
        """The numbers in braces."""
        return "{" + ",".join(map(format_number, value)) + "}"


REQUIRED: Any = object()  # the default of what has to be given


class Parameter(Frozen):
    """One parameter of a measure."""

    name: str
    kind: Kind
    help: str
    default: Any  # REQUIRED if it has to be given

    @property
    def required(self) -> bool:
        """Whether it has to be given."""
        return self.default is REQUIRED

    @property
    def written_default(self) -> str | None:
        """The default as the language writes it, if there is one."""
        return None if self.required or self.default is None else self.kind.write(self.default)

    def read(self, owner: str, value: Any, error: type[RankgaugeError] = MeasureError) -> Any:
        """The value, checked; an error names whose parameter it is, what is allowed and what was given."""
        try:
            return self.kind.read(value)
        except (ValueError, TypeError, OverflowError):
            raise error(f"{owner}: {self.name} must be {self.kind.words}, not {value!r}") from None


def signature(function: Callable[..., Any]) -> dict[str, Any]:
    """{parameter: its default}, as `inspect` would tell it, which takes a while to import."""
    function = getattr(function, "__wrapped__", function)
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    first = code.co_argcount - len(defaults)  # with a default
    given = dict(zip(names[first:], defaults, strict=False)) | (function.__kwdefaults__ or {})
    return {name: given.get(name, REQUIRED) for name in names}


def parameters_of(function: Callable[..., Any], behind: int = 1) -> tuple[Parameter, ...]:
    """The parameters in a function's signature behind the first few, which are what it works on."""
    parameters = list(signature(function).items())[behind:]
    types = function.__annotations__
    return tuple(Parameter(name, *_kind_and_help(types.get(name)), default) for name, default in parameters)


def _kind_and_help(annotation: Any) -> tuple[Kind, str]:
    """The kind and the words in Annotated[type, kind, words], also inside `... | None`."""
    for candidate in (annotation, *get_args(annotation)):
        match getattr(candidate, "__metadata__", ()):
            case (kind, str(words)):
                return kind, words
            case (kind,):
                return kind, ""
    raise TypeError(f"{annotation!r} names no kind of parameter; write Annotated[type, kind, help]")
