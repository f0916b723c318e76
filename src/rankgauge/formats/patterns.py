"""The files that match a pattern. `**` follows links to directories, but visits no directory twice."""

# Importing pathlib takes longer than reading a small run.
# ruff: noqa: PTH112, PTH114, PTH116, PTH118, PTH206, PTH207, PTH208

from __future__ import annotations

import glob
import os
from collections import deque

from rankgauge.errors import InputError

ANY_DEPTH = "**"


def matches(pattern: str) -> list[str]:
    """The files and directories that match a pattern, sorted; `**` at its end stands for files."""
    if ANY_DEPTH not in _split(pattern):
        return sorted(glob.glob(pattern))
    by_place: dict[tuple[str, str], str] = {}
    for path in sorted(_expanded(pattern)):
        directory, name = os.path.split(path)
        by_place.setdefault((os.path.realpath(directory), name), path)
    return list(by_place.values())


def files_below(directory: str) -> list[str]:
    """The files in a directory and below, sorted, without hidden ones."""
    by_place: dict[str, str] = {}
    for path in matches(os.path.join(glob.escape(directory), ANY_DEPTH)):
        by_place.setdefault(os.path.realpath(path), path)
    return list(by_place.values())


def _split(pattern: str) -> list[str]:
    return pattern.replace(os.altsep or os.sep, os.sep).split(os.sep)


def _expanded(pattern: str) -> list[str]:
    parts = _split(pattern)
    if ANY_DEPTH not in parts:
        return glob.glob(pattern)
    place = parts.index(ANY_DEPTH)
    rest = parts[place:]
    while rest[:1] == [ANY_DEPTH]:
        del rest[0]
    # With an empty part after it, a path without name such as / stays a directory.
    tops = glob.glob(os.sep.join([*parts[:place], ""])) if place else [""]
    directories = [directory for top in tops for directory in _directories(top)]
    if not rest:
        return [path for directory in directories for path in _entries(directory) if not os.path.isdir(path)]
    return [
        path for directory in directories for path in _expanded(os.path.join(glob.escape(directory), *rest))
    ]


def _directories(top: str) -> list[str]:
    """A directory and those below it, each once."""
    visited: set[tuple[int, int]] = set()
    directories, real, links = [], deque([top]), deque[str]()
    while real or links:
        directory = (real or links).popleft()
        status = os.stat(directory or os.curdir)
        if (status.st_dev, status.st_ino) not in visited:
            visited.add((status.st_dev, status.st_ino))
            directories.append(directory)
            for path in filter(os.path.isdir, _entries(directory)):
                (links if os.path.islink(path) else real).append(path)
    return directories


def _entries(directory: str) -> list[str]:
    try:
        names = sorted(os.listdir(directory or os.curdir))
    except OSError as error:
        raise InputError(f"the directory cannot be read: {error.strerror}", path=directory) from None
    return [os.path.join(directory, name) for name in names if not name.startswith(".")]
