"""Files of counts and of judged vectors: arrays in a .npz file with a record of facts; nothing is pickled."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge._version import VERSION
from rankgauge.errors import InputError
from rankgauge.formats.target import writing
from rankgauge.schema.json_text import to_json

ABOUT = "about"  # the array with the record, as JSON
FORMAT = 1  # of files that are written


def save(
    path: str | os.PathLike[str], kind: str, about: Mapping[str, Any], arrays: Mapping[str, Any]
) -> None:
    """Write a file of this kind, atomically."""
    record = {"kind": kind, "format": FORMAT, "rankgauge": VERSION, **about}
    text = np.frombuffer(to_json(record, ascii_only=True).encode("ascii"), dtype=np.uint8)
    with writing(path) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in {ABOUT: text, **arrays}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


def load(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the record, the arrays) of a file of this kind."""
    name = os.fspath(path)
    try:
        with Path(name).open("rb") as file:  # NumPy would leave a damaged file open
            opened = np.load(file, allow_pickle=False)
            if not isinstance(opened, np.lib.npyio.NpzFile) or ABOUT not in opened:
                raise _refused(name, kind, "it is another file of NumPy's")
            with opened:
                arrays = {each: opened[each] for each in opened.files}
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    except (ValueError, EOFError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise _refused(name, kind, str(error)) from None
    try:
        about: dict[str, Any] = json.loads(bytes(arrays.pop(ABOUT)))
        found, number = str(about["kind"]), int(about["format"])
    except (ValueError, TypeError, KeyError):
        raise _refused(name, kind, "its record is damaged") from None
    if found != kind:
        raise InputError(f"this file holds {found}, not {kind}", path=name)
    if number > FORMAT:
        raise InputError(
            f"this file was saved by rankgauge {about.get('rankgauge')}, and this is {VERSION}, which cannot "
            "read it; use one version on all machines",
            path=name,
        )
    return about, arrays


def damaged(path: str | os.PathLike[str], kind: str) -> InputError:
    """The error for a file whose parts do not fit together."""
    return _refused(os.fspath(path), kind, "its parts do not fit together")


def _refused(path: str, kind: str, reason: str) -> InputError:
    return InputError(f"this is no file of saved {kind} ({reason}); save it again", path=path)
