"""Options: checks of their values, choices between named rules, and the text that sets an option."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import nearest

LARGEST = (1 << 63) - 1  # the compiled code counts up to this
MAX_DIGITS = 30  # of a number; Python refuses to read thousands
AVERAGES = {
    "mean": "the arithmetic mean",
    "geometric": "the geometric mean; values below 0.00001 count as 0.00001, as in trec_eval",
    "median": "the median",
    "sum": "the sum",
    "micro": "one ratio over all topics: the mean weighted by the denominators",
}
OTHER_FLAGS = {"format": "--from"}  # options whose flag has another name in some commands
# The flags of the command whose work this is (`--missing`, ...); None for a call from Python.
_FLAGS: ContextVar[Container[str] | None] = ContextVar("flags", default=None)


class Option(Frozen):
    """A choice between named rules; the first is the default."""

    name: str
    title: str
    rules: Mapping[str, str]  # {name: what it does}

    @property
    def default(self) -> Any:
        """The first rule; type checkers know the rules as a `Literal`."""
        return next(iter(self.rules))

    def check(self, value: object) -> str:
        """The value, if it is one of the rules; otherwise an error."""
        return choice(self.name, value, self.rules)

    def set_to(self, rule: str) -> str:
        """The text that chooses a rule."""
        return setting(self.name, rule)


@contextmanager
def command_with(flags: Container[str]) -> Iterator[None]:
    """A context whose messages name the flags of a command."""
    token = _FLAGS.set(flags)
    try:
        yield
    finally:
        _FLAGS.reset(token)


def setting(name: str, value: str = "", *, kind: str = "", python: str | None = None) -> str:
    """The text that sets an option: `missing=skip` in Python, `--missing skip` on the command line.

    `kind` is run or qrels where each has an option (`--run-columns`); `python` is the value in Python, if
    written differently there.
    """
    flags = _FLAGS.get()
    if flags is None:
        where = f" ({kind}_{name} in evaluate)" if kind else ""
        value = value if python is None else python
        return f"{name}={value}{where}" if value else f"{name}{where}"
    flag = name.replace("_", "-")
    spellings = [f"--{kind}-{flag}", f"--{flag}", OTHER_FLAGS.get(name, "")]
    flag = next((each for each in spellings if each in flags), spellings[1])
    return f"{flag} {value}" if value else flag


def in_command() -> bool:
    """Whether a command is running."""
    return _FLAGS.get() is not None


def in_python(text: str) -> str:
    """A text for Python alone; empty on the command line."""
    return "" if in_command() else text


def whole_number(option: str, value: object, least: int = 1, most: int = LARGEST) -> int:
    """A whole number from `least` to `most`, or an OptionError."""
    whole = value if isinstance(value, int) and not isinstance(value, bool) else None
    if whole is not None and least <= whole <= most:
        return whole
    end = most if most < LARGEST or (whole or 0) > most else None
    raise OptionError(f"{option} must be {whole_words(least, end)}, not {value!r}")


def read_whole_number(option: str, text: str, least: int = 1, most: int = LARGEST) -> int:
    """The same of a text."""
    digits = text.strip().lstrip("0") or "0"
    return whole_number(option, int(digits[:MAX_DIGITS]) if text.strip().isdecimal() else text, least, most)


def whole_words(least: int, most: int | None = None) -> str:
    """The range of whole numbers in words: 'a whole number from 1 to 10'."""
    return f"a whole number from {least}{'' if most is None else f' to {most}'}"


def keywords(function: Callable[..., object]) -> tuple[str, ...]:
    """The names of a function's options."""
    from inspect import signature  # slow to import

    return tuple(signature(function).parameters)


def choice(option: str, value: object, allowed: Iterable[str]) -> str:
    """One of the allowed words, or an OptionError."""
    allowed = tuple(allowed)
    if isinstance(value, str) and value in allowed:
        return value
    hint = nearest(value, allowed) if isinstance(value, str) else ""
    raise OptionError(f"{option} must be one of {', '.join(allowed)}, not {value!r}{hint}")


def expect(condition: object, what: str, expected: str, value: object) -> None:
    """Raise a ValueError unless the condition holds."""
    if not condition:
        from reprlib import repr as shortened

        raise ValueError(f"expected {what} to be {expected}, not {shortened(value)}")
