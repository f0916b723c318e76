"""Options that are a choice between named rules, and how a message tells its reader to set an option."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from rankgauge.schema.checks import choice
from rankgauge.schema.frozen import Frozen

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
    def default(self) -> str:
        """The rule that holds by default."""
        return next(iter(self.rules))

    def check(self, value: object) -> str:
        """Return the value if it is one of the rules, otherwise raise an error that lists them."""
        return choice(self.name, value, self.rules)

    def set_to(self, rule: str) -> str:
        """The text that chooses a rule, in Python or on the command line."""
        return setting(self.name, rule)


@contextmanager
def command_with(flags: Container[str]) -> Iterator[None]:
    """A context whose messages name the flags of a command rather than Python's keywords."""
    token = _FLAGS.set(flags)
    try:
        yield
    finally:
        _FLAGS.reset(token)


def setting(name: str, value: str = "", *, kind: str = "", python: str | None = None) -> str:
    """The text that sets an option: `missing=skip` in Python, `--missing skip` on the command line.

    `kind` is run or qrels if what reads both has an option for each (`--run-columns`); `python` is the value
    in Python if it is written differently there.
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
    """A text that means something in Python alone; empty on the command line."""
    return "" if in_command() else text
