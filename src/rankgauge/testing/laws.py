"""Laws: what holds for every entry of a registry, checked on random examples."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Generic, TypeVar

from rankgauge.errors import OptionError

T = TypeVar("T")
Law = Callable[[T, random.Random], None]  # raises an AssertionError where the law does not hold
EXAMPLES = 25

# Where the laws of each kind of entry are, as LAWS of a module.
KINDS = {
    "measure": "rankgauge.testing.measures",
    "test": "rankgauge.testing.comparisons",
    "format": "rankgauge.testing.formats",
    "study": "rankgauge.testing.studies",
    "figure": "rankgauge.figures.laws",  # of an extension
}


class BrokenLaw(AssertionError):
    """An entry of a registry does not obey a law; the message names the law and shows the example."""


class Laws(Generic[T]):
    """The laws of one kind of entry."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._laws: dict[str, tuple[Law[T], Callable[[T], bool], bool]] = {}

    def law(
        self, text: str, applies: Callable[[T], bool] = lambda _: True, *, random: bool = True
    ) -> Callable[[Law[T]], Law[T]]:
        """A decorator that adds a law; one that is not `random` is checked once."""

        def add(check: Law[T]) -> Law[T]:
            self._laws[text] = check, applies, random
            return check

        return add

    def names(self, entry: T | None = None) -> list[str]:
        """The names of all laws, or of those that apply to an entry."""
        return [text for text, (_, applies, _) in self._laws.items() if entry is None or applies(entry)]

    def check(self, name: str, entry: T, laws: Iterable[str] | None, examples: int, seed: int) -> None:
        """Check an entry against laws that apply to it."""
        chosen = [*laws] if laws is not None else self.names()
        for text in chosen:
            if text not in self._laws:
                raise OptionError(f"no law of a {self.kind} named {text!r}; choose of {self.names()}")
            check, applies, is_random = self._laws[text]
            for number in range((examples if is_random else 1) * applies(entry)):
                try:
                    check(entry, random.Random(f"{seed} {number}"))
                except Exception as error:
                    found = str(error) if isinstance(error, AssertionError) else repr(error)
                    raise BrokenLaw(
                        f"the {self.kind} {name} breaks a law: {text}\n{found or repr(error)}\n"
                        f"(example {number + 1} of seed {seed})"
                    ) from error


def laws_of(kind: str, entry: Any = None) -> list[str]:
    """The names of the laws of a kind of entry: measure, test, format, study or figure.

    With an entry, those that apply to it.
    """
    if kind not in KINDS:
        raise OptionError(f"there are laws of {', '.join(KINDS)}, not of {kind!r}")
    laws: Laws[Any] = import_module(KINDS[kind]).LAWS
    return laws.names(entry)
