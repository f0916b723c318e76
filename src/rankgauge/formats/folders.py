"""Folders of BEIR, MTEB and Hugging Face; datasets of ir_datasets on this computer, by name (irds:NAME)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats import mapping, objects
from rankgauge.formats.columns import Columns, concatenated
from rankgauge.formats.files import Format, Request, read, register
from rankgauge.formats.problems import quote
from rankgauge.formats.source import IRDS, PREDICTIONS, SPLITS, STATE, Source
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.text import nearest

USUAL = "test.tsv"  # the judgments of a BEIR folder with several splits
META = "mteb_model_meta"  # the first key of predictions; subsets follow


@contextmanager
def _layout(source: Source, expected: str) -> Iterator[None]:
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError):
        raise InputError(f"this is not {expected}", path=source.path) from None


def _json(source: Source) -> Any:
    try:
        return json.loads(b"".join(source.chunks()))
    except (ValueError, RecursionError) as error:
        raise InputError(f"invalid JSON: {error}", path=source.path) from None


def _beir(source: Source) -> list[Path]:
    return sorted(Path(source.path, "qrels").glob("*.tsv")) if source.is_collection else []


def read_beir(source: Source, request: Request) -> Columns:
    """The judgments in qrels/test.tsv, or in the only other file there."""
    with _layout(source, f"a folder with qrels/{USUAL}"):
        files = {file.name: file for file in _beir(source)}
        first, *_ = files.values()
    if len(files) > 1 and USUAL not in files:
        names = ", ".join(map(quote, files))
        raise InputError(f"qrels/ has {names} and no {USUAL}; pass one of these files", path=source.path)
    return read(Source(files.get(USUAL, first)), "qrels", None, request.columns, request.keep)


def _mteb(source: Source) -> list[Source]:
    if not source.is_collection:
        return [source] if source.head.lstrip(b"{ \r\n\t").startswith(f'"{META}"'.encode()) else []
    return [*map(Source, sorted(Path(source.path).glob(f"*{PREDICTIONS}")))]


def read_mteb(source: Source, request: Request) -> Columns:
    """The scores of the only task, subset and split."""
    with _layout(source, f"a file of predictions, TASK{PREDICTIONS}, or a folder of them"):
        file, *others = _mteb(source)
    if others:
        names = ", ".join(quote(Path(each.path).name) for each in (file, *others))
        raise InputError(f"the folder has {1 + len(others)} tasks, {names}; pass a file", path=source.path)
    with _layout(file, "{model: ..., subset: {split: {topic: {document: score}}}}"):
        content = _json(file)
        if META not in content:  # written by a version before 2
            return mapping.read(content, "run", file.path)
        del content[META]
        parts = {
            (subset, split): scores for subset, splits in content.items() for split, scores in splits.items()
        }
    if len(parts) != 1:
        names = ", ".join(f"[{subset!r}][{split!r}]" for subset, split in parts)
        raise InputError(
            f"the file has {len(parts)} subsets and splits, {names}; load it with json, and pass one of them "
            "from Python",
            path=file.path,
        )
    with _layout(file, "{topic: {document: score}} in the split"):
        return mapping.read(next(iter(parts.values())), "run", file.path)


def dataset_files(folder: str) -> list[str]:
    """The Arrow files of a dataset that `save_to_disk` wrote, or none."""
    place = Path(folder)
    if (place / SPLITS).is_file():
        source = Source(place / SPLITS)
        with _layout(source, 'a list of splits, {"splits": [name, ...]}'):
            splits = _json(source)["splits"]
            if not isinstance(splits, list):
                raise TypeError
            place /= splits[-1]
            names = ", ".join(map(quote, splits))
        if len(splits) > 1:
            message = f"the dataset has {len(splits)} splits, {names}; pass one, such as {place}"
            raise InputError(message, path=folder)
    if not (place / STATE).is_file():
        return []
    source = Source(place / STATE)
    with _layout(source, "the state of a dataset"):
        return [str(place / each["filename"]) for each in _json(source)["_data_files"]]


def read_dataset(source: Source, request: Request) -> Columns:
    """The rows of all files of a dataset."""
    files = [Source(file) for file in dataset_files(source.path)]
    parts = [read(file, request.kind, "arrow", request.columns, request.keep) for file in files]
    with _layout(source, "a folder that save_to_disk wrote"):
        return concatenated(parts) if len(parts) > 1 else parts[0]


register(
    Format(
        "beir",
        "a folder of BEIR, with judgments in qrels/test.tsv; read only",
        ("qrels",),
        (),
        lambda source, kind: bool(_beir(source)),
        read_beir,
        example="rankgauge evaluate datasets/scifact bm25.run",
    )
)
register(
    Format(
        "mteb",
        "predictions of MTEB: TASK_predictions.json, or a folder with one of them; read only",
        ("run",),
        (),
        lambda source, kind: bool(_mteb(source)),
        read_mteb,
        example="rankgauge evaluate datasets/scifact predictions/SciFact_predictions.json",
    )
)
register(
    Format(
        "dataset",
        "a folder that save_to_disk of Hugging Face's datasets wrote; read only",
        ("run", "qrels"),
        (),
        lambda source, kind: source.is_collection and bool(dataset_files(source.path)),
        read_dataset,
        example="rankgauge evaluate saved/qrels/test saved/run",
    )
)


_LOCK = threading.Lock()  # runs are read in several threads
EXPORTED = {"run": "scoreddocs", "qrels": "qrels"}  # what the command of ir_datasets calls them


class _Download(BaseException):
    """A download was about to begin; ir_datasets catches every Exception."""


@contextmanager
def _offline(library: Any) -> Iterator[None]:
    """Keep the library, which has no setting for it, from downloading."""

    def refuse() -> Any:
        raise _Download

    with _LOCK:
        requests, library.lazy_libs.requests = library.lazy_libs.requests, refuse
        try:
            yield
        finally:
            library.lazy_libs.requests = requests


def read_irds(source: Source, request: Request) -> Columns:
    """The judgments, or the scored documents, of a dataset."""
    library = optional_module("ir_datasets", f"{IRDS}NAME", "", "ir-datasets")
    name = source.path.removeprefix(IRDS)
    try:
        dataset = library.load(name)
    except KeyError:
        near = nearest(name, library.registry)
        raise InputError(f"ir_datasets has no {name!r}{near}", path=source.path) from None
    try:
        with _offline(library):
            return replace(objects.read(dataset, request.kind), files=((0, source.path),))
    except _Download:
        what = EXPORTED[request.kind]
        raise InputError(
            "the dataset is not on this computer, and rankgauge downloads nothing; "
            f"`ir_datasets export {name} {what} > {what}.txt` does",
            path=source.path,
        ) from None
    except RankgaugeError as error:
        raise InputError(str(error), path=source.path) from None
    except Exception as error:  # such as instructions to get a copy by hand
        raise InputError(f"ir_datasets cannot read it: {error}", path=source.path) from None


register(
    Format(
        "irds",
        "a dataset of ir_datasets that is already on this computer, as irds:NAME; read only",
        ("run", "qrels"),
        (),
        lambda source, kind: source.path.startswith(IRDS),
        read_irds,
        example="rankgauge evaluate irds:vaswani bm25.run",
    )
)
