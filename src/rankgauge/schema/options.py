"""Options that are a choice between named rules: one record each, read by the library, help and docs."""

from __future__ import annotations

from collections.abc import Mapping

from rankgauge.schema.checks import choice
from rankgauge.schema.frozen import Frozen


class Option(Frozen):
    """A choice between named rules; the first is the default."""

    name: str
    title: str
    rules: Mapping[str, str]  # word -> what it does

    @property
    def default(self) -> str:
        """The rule that holds when nothing is said."""
        return next(iter(self.rules))

    def check(self, value: object) -> str:
        """Return the value when it is one of the rules; otherwise an error that lists them."""
        return choice(self.name, value, self.rules)
