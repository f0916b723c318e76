"""Files of vectors or ids by path, list of paths, pattern or directory."""

from __future__ import annotations

import os
import re
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats.patterns import files_below
from rankgauge.formats.source import expand, is_pattern


def is_path(value: Any) -> bool:
    """Whether this is the path of a file or directory, or a pattern."""
    return isinstance(value, (str, os.PathLike))


def is_paths(value: Any) -> bool:
    """Whether this is a list of paths."""
    return isinstance(value, (list, tuple)) and bool(value) and all(map(is_path, value))


def paths_of(given: Any) -> list[str]:
    """The files that are meant: of a list in its order, of a pattern by the numbers in names (d2, d10)."""
    if not is_path(given):
        return [path for each in given for path in paths_of(each)]
    name = os.fspath(given)
    if not isinstance(name, str):
        raise InputError(f"expected the path of a file as text, not {given!r}")
    if not is_pattern(name) and os.path.isdir(name):  # noqa: PTH112
        files = sorted(files_below(name), key=natural)
        if not files:
            raise InputError("the directory has no files; name the files of vectors", path=name)
        return files
    return sorted(expand(name), key=natural)


def natural(path: str) -> list[tuple[int, str]]:
    """Sorts numbers in names by their value; other text as it is."""
    parts = re.split(r"([0-9]+)", path)
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in parts]
