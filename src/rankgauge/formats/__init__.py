"""File formats of runs and judgments: detection, reading, writing.

Every format has a module, listed in `files`, that registers a `Format`. Readers return `Columns`; they record
what is wrong with a line, and stop there unless all problems are to be counted.
"""

from typing import TYPE_CHECKING

from rankgauge.schema.lazy import lazy_names

if TYPE_CHECKING:
    from rankgauge.formats.columns import Columns
    from rankgauge.formats.files import (
        FORMATS,
        Format,
        Request,
        by_extension,
        by_name,
        detect,
        guess_kind,
        read,
        register,
        write,
    )
    from rankgauge.formats.source import Source

_HOMES = {"Columns": "columns", "Source": "source"}  # the others are in `files`

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

__getattr__ = lazy_names(__name__, {name: f"{__name__}.{_HOMES.get(name, 'files')}" for name in __all__})
