"""Regular expressions that are compiled when they are first used, so that importing them takes no time."""

from __future__ import annotations

import re
from typing import Any


class _Pattern:
    """A regular expression, whose methods are those of the compiled one from its first use on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, value)  # next time without __getattr__
        return value


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` returns for this text, compiled when it is first used."""
    lazy: Any = _Pattern(text, flags)
    return lazy  # type: ignore[no-any-return]
