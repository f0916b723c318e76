"""Runs as users pass them: paths, patterns and objects in memory; one, several, or by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats.source import NamedPath, Source, expand, is_collection, one_named, run_name
from rankgauge.model.rules import DocumentOrder, Reading
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.lazy import dependencies
from rankgauge.schema.options import in_python
from rankgauge.schema.text import repeated

if TYPE_CHECKING:
    from rankgauge.model.run import Run

MAX_TOPICS = 500  # that a message about them looks at
# A Parquet or Arrow file is read at once up to this many bytes and rows: equal values take hardly any bytes.
READ_WHOLE = 1 << 25
READ_WHOLE_ROWS = 1 << 22


class RunInput(Frozen, eq=False):
    """One run to be read; nothing is read before `open`."""

    name: str
    source: str  # the path, or the type of an object in memory
    size: int = 0  # bytes to read, for progress
    # Returns a Source (TREC text), Columns, Batches, a Run or a dict.
    open: Callable[[], Any] = lambda: None
    file: Source | None = None
    in_memory: bool = False
    collapse: str = ""  # how passages become documents when it is opened: see `model.collapse`


CUT = 1 << 10  # bytes that the first two fields of a line hardly exceed
UNNAMED = "run"
DEFAULT = Reading()
OUTSIDE = (str, os.PathLike, RunInput)  # what is not in memory, or not yet


def resolve_runs(runs: Any, reading: Reading = DEFAULT, judged: Any = None) -> list[RunInput]:
    """The runs to evaluate, with unique names.

    `judged` are judgments by which to read arrays of integers, and which may not look like a run themselves.

    With `collapse`, they are opened as runs of documents; the rule for duplicates applies to passages.
    """
    format, columns = reading.run_format, reading.run_columns
    resolved = [
        run._replace(name=name) if name is not None and len(group) == 1 else run
        for name, value in _separate(runs, columns)
        for group in [_resolve(value, format, columns, judged)]
        for run in group
    ]
    if not resolved:
        raise InputError(
            "there is no run; pass a file, a dict {topic: {document: score}}, or several of them"
        )
    if reading.collapse is not None:
        resolved = _collapsed(resolved, reading)
    named = with_unique_names(_numbered(resolved))
    refuse_swapped(judged, named, reading.order)
    return named


def _collapsed(runs: list[RunInput], reading: Reading) -> list[RunInput]:
    with dependencies():
        from rankgauge.model.collapse import Collapse

    rule = Collapse.of(reading.collapse)

    def opener(run: RunInput) -> Callable[[], Any]:
        return lambda: rule.documents(load_run(run.open(), reading.order))

    return [run if run.collapse else run._replace(open=opener(run), collapse=rule.text) for run in runs]


def load_run(run: Any, order: DocumentOrder) -> Run:
    """The result of `RunInput.open` as a `Run` in memory."""
    from rankgauge.formats.arrow_batches import Batches
    from rankgauge.formats.columns import Columns
    from rankgauge.model.run import Run

    if isinstance(run, Batches):
        run = run.read()
    if isinstance(run, Columns):
        return Run.from_columns(run, duplicates=order.duplicates)
    return Run.of(run, duplicates=order.duplicates)


SWAPPED = 10  # different fractions at least among judgments, and different whole numbers at most in a run


def refuse_swapped(qrels: Any, runs: Iterable[RunInput], order: DocumentOrder) -> None:
    """Raise an error if the judgments have the numbers of a run, and a run in memory those of judgments.

    Judgments in an array are taken as they are: their shape is that of the scores.
    """
    in_memory = [run for run in runs if run.in_memory]
    if not in_memory or qrels is None or qrels.shape is not None:
        return
    fractions = int((qrels.levels % 1 != 0).sum())
    for run in in_memory if fractions >= max(SWAPPED, qrels.judged_documents / 2) else ():
        loaded = load_run(run.open(), order)
        scores = loaded.scores.tolist()
        # as grades do, and ranks do not, most repeat within a topic
        repeat = 2 * len({*zip(loaded.topic.tolist(), scores, strict=True)}) <= len(scores)
        if repeat and len({*scores}) <= SWAPPED and not (loaded.scores % 1).any():
            raise InputError(
                f"the judgments have {fractions:,} different fractions as grades, and {run.name} has whole "
                "numbers as scores, as if they were swapped; judgments come first, then runs"
            )


def _separate(runs: Any, columns: Mapping[str, str] | None) -> list[tuple[str | None, Any]]:
    if isinstance(runs, (list, tuple)) and all(isinstance(run, OUTSIDE) for run in runs):
        return [(None, run) for run in runs]
    if isinstance(runs, OUTSIDE):
        return [(None, runs)]
    from rankgauge.formats import objects  # imports NumPy, which small files do without

    separate = objects.separate(runs, columns)
    iterators = [id(run) for _, run in separate if isinstance(run, Iterator)]
    if len(set(iterators)) < len(iterators):
        raise InputError("the same iterator is given as two runs, and can be read only once; pass a list")
    return separate


def _numbered(runs: list[RunInput]) -> list[RunInput]:
    """The runs; several in memory without names are run1, run2, ..."""
    unnamed = [place for place, run in enumerate(runs) if run.in_memory and run.name == UNNAMED]
    if len(unnamed) > 1:
        for number, place in enumerate(unnamed, 1):
            runs[place] = runs[place]._replace(name=f"{UNNAMED}{number}")
    return runs


def _resolve(run: Any, format: str | None, columns: Mapping[str, str] | None, judged: Any) -> list[RunInput]:
    if isinstance(run, RunInput):
        return [run]
    if isinstance(run, (str, os.PathLike)):
        return [file for path in expand(run) for file in _files(path, format, columns)]
    from rankgauge.formats import objects
    from rankgauge.model.run import Rows, Run

    if isinstance(run, Run):
        return [RunInput(run.name, "Run", 0, lambda: run, in_memory=True)]
    if isinstance(run, Rows):
        raise InputError(f"expected a run, not {run!r}")
    name, source = objects.name_of(run), type(run).__name__

    def open_() -> Any:
        known = isinstance(run, Mapping) and objects.is_results(run)
        with objects.READING:
            return run if known else objects.read(run, "run", columns, judged)

    with suppress(RankgaugeError):  # opening the run raises the error
        if several := _by_tag(objects.names_of_table(run), open_, columns, source, in_memory=True):
            return several
    # An iterator can be read only once, and some callers open a run twice.
    opener = cache(open_) if isinstance(run, Iterator) else open_
    return [RunInput(name or UNNAMED, source, 0, opener, in_memory=True)]


def _by_tag(
    names: Sequence[str],
    read: Callable[[], Any],
    columns: Mapping[str, str] | None,
    source: str,
    *,
    in_memory: bool = False,
) -> list[RunInput]:
    """The runs of a table that has several, by a column such as run, tag or system; none if it has one."""
    from dataclasses import replace

    from rankgauge.formats.columns import guess

    if not ((columns or {}).get("tag") or guess(names, "tag")):
        return []
    rows = read()
    if rows.label is None or rows.problems:
        return []
    label, labels = rows.label.encode()
    if len(labels) < 2:
        return []
    parts = (replace(rows.take((label == number).nonzero()[0]), first=None) for number in range(len(labels)))
    named = zip(labels.texts(), parts, strict=True)
    return [RunInput(name, source, 0, partial(replace, part), in_memory=in_memory) for name, part in named]


def _files(path: str, format: str | None, columns: Mapping[str, str] | None) -> list[RunInput]:
    if os.path.isdir(path):  # noqa: PTH112
        runs = _by_run(path, _parts(path))
        if runs:
            one_named(path, [path for name in runs])
            return [
                _directory(run_name(path), path, files, columns)
                if name is None or isinstance(path, NamedPath)
                else _directory(name, os.path.commonpath(map(os.path.dirname, files)), files, columns)
                for name, files in runs.items()
            ]
        if files := _runs_in(path):
            return [run for file in one_named(path, files) for run in _file(file, format, columns)]
    return _file(path, format, columns)


def _runs_in(folder: str) -> list[str]:
    """The files in a folder, unless they are one run together, or judgments."""
    import glob

    from rankgauge.formats import guess_kind
    from rankgauge.formats.patterns import matches

    if is_collection(folder):
        return []
    files = matches(os.path.join(glob.escape(folder), "*"))  # noqa: PTH118
    return [file for file in files if not os.path.isdir(file) and guess_kind(Source(file)) == "run"]  # noqa: PTH112


def _directory(name: str, path: str, files: list[str], columns: Mapping[str, str] | None) -> RunInput:
    from rankgauge.formats.arrow_batches import Batches

    parts = [Source(file) for file in files]
    size = sum(part.size for part in parts)
    return RunInput(name, path, size, lambda: Batches(parts, columns, path))


def _file(path: str, format: str | None, columns: Mapping[str, str] | None) -> list[RunInput]:
    source = Source(path)

    def open_() -> Any:
        from rankgauge.formats import detect, read
        from rankgauge.formats.arrow import count_rows
        from rankgauge.formats.arrow_batches import Batches

        name = detect(source, "run", format).name
        can_be_large = name in ("parquet", "arrow") and source.uncompressed
        if can_be_large and (source.size > READ_WHOLE or count_rows(source) > READ_WHOLE_ROWS):
            return Batches([source], columns)
        return source if name == "trec" and not columns else read(source, "run", format, columns)

    lines_of_trec = source.head[:CUT].split(None, 2)[1:2] in (
        [b"Q0"],
        [b"0"],
    )  # detecting a format takes longer
    can_have_several = not lines_of_trec and source.size <= READ_WHOLE
    if can_have_several and (several := _in_file(source, format, columns)):
        return several
    return [RunInput(run_name(path), source.path, source.size, open_, source)]


def _in_file(source: Source, format: str | None, columns: Mapping[str, str] | None) -> list[RunInput]:
    """The runs of a file with a table of several."""
    from rankgauge.formats import detect, read

    with suppress(RankgaugeError):  # opening the file raises the error
        found = detect(source, "run", format)
        names = found.names(source) if found.names else ()
        return _by_tag(names, lambda: read(source, "run", format, columns), columns, source.path)
    return []


def _parts(path: str) -> list[str]:
    if os.path.isdir(os.path.join(path, "_delta_log")):  # noqa: PTH112, PTH118
        raise InputError(
            "this is a Delta table, and only Delta knows which of its files are current; "
            "read it on Spark (--engine spark)",
            path=path,
        )
    from rankgauge.formats.arrow import ARROW, PARQUET
    from rankgauge.formats.folders import dataset_files
    from rankgauge.formats.patterns import files_below

    extensions = (*PARQUET.extensions, *ARROW.extensions)
    return dataset_files(path) or [file for file in files_below(path) if file.lower().endswith(extensions)]


def _by_run(path: str, files: list[str]) -> dict[str | None, list[str]]:
    """The files of each run in a directory partitioned as in run=bm25/, or all as None."""
    from pathlib import Path
    from urllib.parse import unquote

    from rankgauge.formats.columns import guess

    runs: dict[str | None, list[str]] = {}
    for file in files:
        pairs = [folder.partition("=") for folder in Path(file).parent.relative_to(path).parts]
        names = [unquote(value) for key, equals, value in pairs if equals and guess([key], "tag")]
        runs.setdefault(names[-1] if names else None, []).append(file)
    if None in runs and len(runs) > 1:
        raise InputError(
            f"some files are in directories such as run=NAME, and {runs[None][0]} is not; move it, or pass "
            "the directories one by one",
            path=path,
        )
    return runs


def first_topics(run: RunInput) -> list[str]:
    """A few topics of a run in memory, for a message."""
    opened = run.open()
    if isinstance(opened, Source):
        lines = (line.split() for line in opened.head.splitlines())
        topics = [to_text(fields[0]) for fields in lines if fields]
    elif isinstance(opened, Mapping):
        topics = [str(topic) for topic, results in islice(opened.items(), MAX_TOPICS) if results]
    else:
        ids: Iterable[bytes] = getattr(opened, "topics", ())  # a Run, or Columns, which have a topic per row
        topics = [to_text(id) for id in (opened.topic if hasattr(opened, "value") else ids)]
    return list(dict.fromkeys(topics))[:MAX_TOPICS]


def with_unique_names(runs: list[RunInput]) -> list[RunInput]:
    """The runs; equal names of files become paths."""
    shared = {*repeated(run.name for run in runs)}
    unique = [
        run._replace(name=run.source)
        if run.name in shared and not (run.in_memory or isinstance(run.source, NamedPath))
        else run
        for run in runs
    ]
    for name in repeated(run.name for run in unique):
        named = in_python(", or name the runs: {name: run, ...}") or ", or give each a name: NAME=FILE"
        raise InputError(f"run {name!r} occurs twice; pass it once{named}")
    return unique
