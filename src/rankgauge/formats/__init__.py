"""File formats of runs and judgments: detection, reading, writing.

Every format has a module, listed in `registry`, that registers a `Format` record. Readers return `Columns`.
They record what is wrong with a line, and stop there unless all problems are to be counted;
`Columns.checked()` raises the first problem as an error.

Names are imported when they are first used: columns need NumPy, and evaluating small TREC files does not.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.formats.columns import Columns
    from rankgauge.formats.files import detect, guess_kind, read, write
    from rankgauge.formats.registry import FORMATS, Format, Request, by_extension, by_name, register
    from rankgauge.formats.source import Source

_HOMES = {
    "FORMATS": "registry",
    "Columns": "columns",
    "Format": "registry",
    "Request": "registry",
    "Source": "source",
    "by_extension": "registry",
    "by_name": "registry",
    "detect": "files",
    "guess_kind": "files",
    "read": "files",
    "register": "registry",
    "write": "files",
}

__all__ = [
    "FORMATS",
    "Columns",
    "Format",
    "Request",
    "Source",
    "by_extension",
    "by_name",
    "detect",
    "guess_kind",
    "read",
    "register",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rankgauge.formats' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"rankgauge.formats.{_HOMES[name]}"), name)
    globals()[name] = value  # the next access does not come here
    return value
