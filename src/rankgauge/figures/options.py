"""Kinds of option that figures have beside those of measures, and options that several of them share."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from rankgauge.schema.parameters import Flag


@dataclass(frozen=True)
class Name:
    """The name of something in the results."""

    words = "a name"

    def read(self, value: Any) -> str:
        """The name; whether there is something of that name, the results know."""
        if not isinstance(value, str):
            raise ValueError
        return value

    def write(self, value: Any) -> str:
        """The name itself."""
        return str(value)


@dataclass(frozen=True)
class Names:
    """Some names; the option is given once for each."""

    words = "a name; may be given several times"

    def read(self, value: Any) -> tuple[str, ...]:
        """The names; one alone will do."""
        names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
        if names is None or not all(isinstance(name, str) for name in names):
            raise ValueError
        return names

    def write(self, value: Any) -> str:
        """The names, parted by commas."""
        return ", ".join(value)


Highlight = Annotated[tuple[str, ...], Names(), "a run to show in colour, where there are too many for all"]
Topic = Annotated[str | None, Name(), "a topic, instead of the mean over all"]
Title = Annotated[str | None, Name(), "what stands above the figure"]
Log = Annotated[bool, Flag(), "a logarithmic axis of ranks"]
