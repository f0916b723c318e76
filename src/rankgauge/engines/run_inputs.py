"""What people give as runs: paths, patterns, objects, dicts, frames; one, several, or by name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats import detect, read
from rankgauge.formats.arrow import ARROW, PARQUET, Batches
from rankgauge.formats.source import Source, expand, run_name
from rankgauge.model.rows import Rows
from rankgauge.model.run import Run

READ_WHOLE = 1 << 25  # bytes of a Parquet or Arrow file below which it is read at once


@dataclass(frozen=True)
class RunInput:
    """One run as it was given: nothing is read before `open`."""

    name: str
    source: str  # where it came from, in words
    size: int = 0  # bytes to read, for progress
    open: Callable[[], Any] = lambda: None  # a Source (TREC text), Columns, Batches, a Run or a dict


def resolve_runs(
    runs: Any, format: str | None = None, columns: Mapping[str, str] | None = None
) -> list[RunInput]:
    """All runs that were given, with names that tell them apart."""
    if isinstance(runs, Mapping) and not is_results(runs) and not _is_frame(runs):
        found = [
            replace(given, name=str(name) if len(group) == 1 else given.name)
            for name, run in runs.items()
            for group in [_given(run, format, columns)]
            for given in group
        ]
    elif isinstance(runs, (list, tuple)):
        found = [given for run in runs for given in _given(run, format, columns)]
    else:
        found = _given(runs, format, columns)
    if not found:
        raise InputError("no run was given; give a file, a dict {topic: {document: score}}, or several")
    return with_unique_names(found)


def is_results(mapping: Mapping[Any, Any]) -> bool:
    """Whether this is one run, {topic: {document: score}}, rather than several by name."""
    for results in mapping.values():
        if not isinstance(results, Mapping):
            return False
        for score in results.values():  # the first will do: a single thing is a score, be it a wrong one
            return isinstance(score, (str, bytes)) or not hasattr(score, "__len__")
    return bool(mapping)  # topics, none of which has results


def _is_frame(mapping: Mapping[Any, Any]) -> bool:
    """Whether this is a dict of columns rather than of runs."""
    return bool(mapping) and all(
        isinstance(column, (list, tuple)) or hasattr(column, "dtype") for column in mapping.values()
    )


def _given(run: Any, format: str | None, columns: Mapping[str, str] | None) -> list[RunInput]:
    if isinstance(run, (str, os.PathLike)):
        return [_file(path, format, columns) for path in expand(run)]
    if isinstance(run, Run):
        return [RunInput(run.name, "Run", 0, lambda: run)]
    if isinstance(run, Rows):
        raise InputError(f"a run must be given here, not {run!r}")
    if isinstance(run, Mapping) and (is_results(run) or not run):
        return [RunInput("run", type(run).__name__, 0, lambda: run)]
    return [RunInput("run", type(run).__name__, 0, lambda: _columns(run, columns))]


def _columns(frame: Any, columns: Mapping[str, str] | None) -> Any:
    from rankgauge.formats import frames  # with what it takes to speak Arrow, which files do without

    return frames.read(frame, "run", columns)


def _file(path: str, format: str | None, columns: Mapping[str, str] | None) -> RunInput:
    parts = _parts(path)
    if parts:
        return RunInput(
            run_name(path), path, sum(part.size for part in parts), lambda: Batches(parts, columns)
        )
    source = Source(path)

    def open_() -> Any:
        found = detect(source, "run", format)
        if found.name in ("parquet", "arrow") and source.uncompressed and source.size > READ_WHOLE:
            return Batches([source], columns)
        return source if found.name == "trec" and not columns else read(source, "run", found.name, columns)

    return RunInput(run_name(path), source.path, source.size, open_)


def _parts(path: str) -> list[Source]:
    """The Parquet and Arrow files of a directory, which are the parts of one run."""
    if not os.path.isdir(path):  # noqa: PTH112
        return []
    if os.path.isdir(os.path.join(path, "_delta_log")):  # noqa: PTH112, PTH118
        raise InputError(
            "this is a Delta table: only Delta knows which files count; read it on Spark (--engine spark)",
            path=path,
        )
    import glob

    endings = (*PARQUET.extensions, *ARROW.extensions)
    found = sorted(glob.glob(os.path.join(glob.escape(path), "**"), recursive=True))  # noqa: PTH118, PTH207
    return [Source(file) for file in found if file.lower().endswith(endings)]


def with_unique_names(found: list[RunInput]) -> list[RunInput]:
    """Files of one name in different directories are called by their paths."""
    names = Counter(given.name for given in found)
    apart = [replace(given, name=given.source) if names[given.name] > 1 else given for given in found]
    twice = [name for name, count in Counter(given.name for given in apart).items() if count > 1]
    if twice:
        raise InputError(f"run {twice[0]!r} is given twice; give it once, or as {{name: run, ...}}")
    return apart
