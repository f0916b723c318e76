"""Parameters of measures, studies, figures and commands: what they accept, and how their values are written.

The signature of a function names its parameters; `Annotated` types tie each to its kind and its help:

    def rbp(j: "JudgedRankings", p: Annotated[float, Number(0, 1), "persistence"] = 0.8) -> "Curve": ...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, get_args

from rankgauge.errors import MeasureError, OptionError, RankgaugeError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import LARGEST, whole_words
from rankgauge.schema.text import format_number, unknown_option

MOST = (1 << 53) - 1  # of whole numbers that are exact as floats


class Kind(Protocol):
    """The values that a parameter accepts."""

    @property
    def words(self) -> str:
        """The allowed values, as help and errors describe them."""

    def read(self, value: Any) -> Any:
        """The value as read from a text or a caller; ValueError if it is not allowed."""

    def write(self, value: Any) -> str:
        """The value as the measure language writes it."""


class Refused(ValueError):
    """A value that a parameter does not accept, with a reason for its user."""


def check_options(
    owner: str, parameters: Iterable[Parameter], options: Iterable[str], others: Iterable[str] = ()
) -> None:
    """Refuse options that are neither parameters of their owner nor `others`."""
    known = [*(parameter.name for parameter in parameters), *others]
    for name in options:
        if name not in known:
            raise OptionError(unknown_option(owner, "option", name, known))


def is_number(value: Any) -> bool:
    """Whether a value is a real number and no bool."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Number(Frozen):
    """A real number in a range."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False  # the lower end itself is not allowed
    below: bool = False  # the upper end itself is not allowed

    @property
    def words(self) -> str:
        if self.low == -math.inf:
            return "a number"
        low = format_number(self.low)
        least = f"a number above {low}" if self.above else f"a number from {low}"
        if self.high == math.inf:
            return least
        if self.above and self.below:
            return f"a number between {low} and {format_number(self.high)} (exclusive)"
        return f"{least} to {'below ' if self.below else ''}{format_number(self.high)}"

    def read(self, value: Any) -> float:
        if not is_number(value) or not math.isfinite(value):
            raise ValueError
        if not self.low <= value <= self.high:
            raise ValueError
        if (self.above and value == self.low) or (self.below and value == self.high):
            raise ValueError
        return float(value)

    def write(self, value: Any) -> str:
        return format_number(value)


class Word(Frozen):
    """A choice between words."""

    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        return "one of " + ", ".join(self.choices)

    def read(self, value: Any) -> str:
        if value not in self.choices:
            raise ValueError
        return str(value)

    def write(self, value: Any) -> str:
        return str(value)


class Flag(Frozen):
    """True or false."""

    words = "true or false"

    def read(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        spelled = {"true": True, "false": False, "yes": True, "no": False}
        if isinstance(value, str) and value.lower() in spelled:
            return spelled[value.lower()]
        raise ValueError

    def write(self, value: Any) -> str:
        return "true" if value else "false"


class Whole(Frozen):
    """A whole number with a lower limit, perhaps an upper one."""

    low: int = 1
    high: int = LARGEST

    @property
    def words(self) -> str:
        return whole_words(self.low, None if self.high == LARGEST else self.high)

    def read(self, value: Any) -> int:
        if (
            not is_number(value)
            or not float(value).is_integer()
            or not self.low <= value <= min(self.high, MOST)
        ):
            raise ValueError
        return int(value)

    def write(self, value: Any) -> str:
        return str(value)


class Text(Frozen):
    """Any text, such as a name or the path of a file."""

    words = "a text"

    def read(self, value: Any) -> str:
        return str(value)

    def write(self, value: Any) -> str:
        return str(value)


class Numbers(Frozen):
    """Real numbers in a range, each larger than the one before."""

    low: float
    high: float

    @property
    def words(self) -> str:
        ends = f"from {format_number(self.low)} to {format_number(self.high)}"
        return f"numbers {ends} such as {{0.25,0.5}}, ascending"

    def read(self, value: Any) -> tuple[float, ...]:
        values = [value] if is_number(value) else value
        numbers = tuple(Number(self.low, self.high).read(each) for each in values)
        if isinstance(value, Mapping) or not numbers or sorted(set(numbers)) != list(numbers):
            raise ValueError
        return numbers

    def write(self, value: Any) -> str:
        return "{" + ",".join(map(format_number, value)) + "}"


REQUIRED: Any = object()  # the default of a parameter that has none


class Parameter(Frozen):
    """One parameter of a measure, study or figure."""

    name: str
    kind: Kind
    help: str
    default: Any  # REQUIRED if there is none

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is REQUIRED

    @property
    def written_default(self) -> str | None:
        """The default as the measure language writes it, if any."""
        return None if self.required or self.default is None else self.kind.write(self.default)

    def read(self, owner: str, value: Any, error: type[RankgaugeError] = MeasureError) -> Any:
        """The value, checked; an error names the owner."""
        try:
            return self.kind.read(value)
        except (ValueError, TypeError, OverflowError) as problem:
            why = f"; {problem}" if isinstance(problem, Refused) else ""
            raise error(f"{owner}: {self.name} must be {self.kind.words}, not {value!r}{why}") from None


def signature(function: Callable[..., Any]) -> dict[str, Any]:
    """{parameter: its default}, faster than `inspect`."""
    function = getattr(function, "__wrapped__", function)
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    first = code.co_argcount - len(defaults)  # with a default
    known = dict(zip(names[first:], defaults, strict=False)) | (function.__kwdefaults__ or {})
    return {name: known.get(name, REQUIRED) for name in names}


def parameters_of(function: Callable[..., Any], behind: int = 1) -> tuple[Parameter, ...]:
    """The parameters in a function's signature after the first few."""
    parameters = list(signature(function).items())[behind:]
    types = function.__annotations__
    return tuple(Parameter(name, *_kind_and_help(types.get(name)), default) for name, default in parameters)


def declared(function: Callable[..., Any]) -> dict[str, Parameter]:
    """{name: parameter} of those that a signature describes, perhaps as text."""
    found = {}
    for name, default in signature(function).items():
        annotation = function.__annotations__.get(name)
        if isinstance(annotation, str) and annotation.startswith("Annotated["):
            annotation = eval(annotation, function.__globals__)  # as `get_type_hints` does
        if hasattr(annotation, "__metadata__"):
            found[name] = Parameter(name, *_kind_and_help(annotation), default)
    return found


def _kind_and_help(annotation: Any) -> tuple[Kind, str]:
    """The kind and the help of Annotated[type, kind, help], perhaps `| None`."""
    for candidate in (annotation, *get_args(annotation)):
        match getattr(candidate, "__metadata__", ()):
            case (kind, str(words)):
                return kind, words
            case (kind,):
                return kind, ""
    raise TypeError(f"{annotation!r} names no kind of parameter; write Annotated[type, kind, help]")
