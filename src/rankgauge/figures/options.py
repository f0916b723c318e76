"""Kinds of option that only figures have, and options that several figures share."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from rankgauge.schema.parameters import Flag


@dataclass(frozen=True)
class Name:
    """The name of something in the results."""

    words = "a name"

    def read(self, value: Any) -> str:
        """The name; whether it exists is checked against the results."""
        if not isinstance(value, str):
            raise ValueError
        return value

    def write(self, value: Any) -> str:
        """The name itself."""
        return str(value)


@dataclass(frozen=True)
class Names:
    """Several names; on the command line the option is repeated."""

    words = "a name; may be repeated"

    def read(self, value: Any) -> tuple[str, ...]:
        """The names, from one text or several."""
        names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
        if names is None or not all(isinstance(name, str) for name in names):
            raise ValueError
        return names

    def write(self, value: Any) -> str:
        """The names, separated by commas."""
        return ", ".join(value)


Highlight = Annotated[tuple[str, ...], Names(), "a run to show in colour if there are too many to colour all"]
Topic = Annotated[str | None, Name(), "a topic to show instead of the mean over all"]
Title = Annotated[str | None, Name(), "the title of the figure"]
Log = Annotated[bool, Flag(), "use a logarithmic rank axis"]
