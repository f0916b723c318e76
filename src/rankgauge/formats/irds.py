"""Datasets of ir_datasets by name, irds:NAME, if they are on this computer: nothing is downloaded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats import objects
from rankgauge.formats.columns import Columns
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.source import IRDS, Source
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.text import nearest

_LOCK = threading.Lock()  # runs are read in several threads
EXPORTED = {"run": "scoreddocs", "qrels": "qrels"}  # what the command of ir_datasets calls them


class _Download(BaseException):
    """A download was about to begin; ir_datasets catches every Exception, and would try a mirror."""


@contextmanager
def _offline(library: Any) -> Iterator[None]:
    """A context in which the library, which has no setting for it, downloads nothing."""

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
