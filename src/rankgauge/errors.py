"""Everything that can go wrong and be told to a person.

    RankgaugeError            never shown as a traceback by the command line (exit code 2)
    ├── InputError            a file, frame or dict that cannot be taken as it is
    │   └── NoCommonTopic     a run and judgments that have nothing to do with each other
    ├── MeasureError          a measure's text that cannot be understood
    ├── OptionError           an option with a value it does not have
    └── MissingDependency     a feature whose optional library is not installed

A message says what was given, what is allowed and what to do.
"""

from collections.abc import Iterable


class RankgaugeError(Exception):
    """The root: whatever a caller may want to catch from this package."""


class InputError(RankgaugeError):
    """Input that cannot be taken as it is; knows its place (path and line) where there is one."""

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        place = "".join(f"{part}:" for part in (path, line) if part is not None)
        super().__init__(f"{place} {message}" if place else message)
        self.path = path
        self.line = line


class NoCommonTopic(InputError):
    """A run none of whose topics is judged."""


class MeasureError(RankgaugeError):
    """A measure's name, parameter or value that does not exist."""


class OptionError(RankgaugeError):
    """An option of the library or the command line with a value it does not have."""


class MissingDependency(RankgaugeError):
    """A feature that needs a library which is not installed."""

    def __init__(self, feature: str, library: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs {library}, which is not installed; pip install 'rankgauge[{extra}]'"
        )


def nearest(word: str, known: Iterable[str]) -> str:
    """' (did you mean X?)' for the nearest of the known words, or nothing when none is near."""
    from difflib import get_close_matches  # costs more than all the rest of this module

    by_folded = {name.casefold(): name for name in known}
    matches = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return f" (did you mean {by_folded[matches[0]]}?)" if matches else ""


def whole_number(option: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Return `value` when it is a whole number from `least` to `most`; otherwise say that it must be."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= (most or value):
        return value
    raise OptionError(f"{option} must be {whole_words(least, most)}, not {value!r}")


def whole_words(least: int, most: int | None = None) -> str:
    """Which whole numbers are allowed."""
    return f"a whole number from {least}{'' if most is None else f' to {most}'}"


def choice(option: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` when it is one of the allowed words; otherwise say which are."""
    allowed = tuple(allowed)
    if isinstance(value, str) and value in allowed:
        return value
    hint = nearest(value, allowed) if isinstance(value, str) else ""
    raise OptionError(f"{option} must be one of {', '.join(allowed)}, not {value!r}{hint}")
