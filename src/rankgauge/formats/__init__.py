"""Data coming in and going out: the table of formats, finding out which one a file has, reading, writing.

A format is one record (`Format`) in a module of its own, listed in `catalogue`. Readers hand over plain
`Columns`; they note what is wrong with a line and go on, and `Columns.checked()` makes the first
problem an error. The catalogue is imported when it is asked for, since it takes NumPy.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.formats.catalogue import FORMATS, by_extension, detect, guess_kind, named, read, write
    from rankgauge.formats.columns import Columns
    from rankgauge.formats.registry import Format
    from rankgauge.formats.source import Source

__all__ = [
    "FORMATS",
    "Columns",
    "Format",
    "Source",
    "by_extension",
    "detect",
    "guess_kind",
    "named",
    "read",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'rankgauge.formats' has no attribute {name!r}")
    from rankgauge.formats import catalogue

    value = getattr(catalogue, name)
    globals()[name] = value  # found once, it is there
    return value
