"""Output files: written atomically, and compressed by their extension."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from rankgauge.errors import InputError
from rankgauge.formats.source import suffixes, zstd


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream for the bytes of a new file; `-` is standard output.

    The bytes go to a temporary file next to the target, which replaces the target at the end. So a partial
    file is never visible, and an existing file survives a failure.
    """
    if os.fspath(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from pathlib import Path

    target = Path(path)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        if target.exists() and not target.is_file():  # such as /dev/stdout: it cannot be replaced
            with target.open("wb") as file:
                yield file
            return
        try:
            with part.open("xb") as file, _compressor(file, target.name) as stream:
                yield stream
            part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror or error}", path=str(path)) from None


def _compressor(file: IO[bytes], path: str) -> Any:
    """The stream that compresses into the file, as the suffix of its path demands."""
    suffix = suffixes(path)[1]
    if suffix == ".gz":
        import gzip

        # Without the name and time, equal data makes equal files.
        return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0)
    if suffix == ".bz2":
        import bz2

        return bz2.BZ2File(file, "wb")
    if suffix == ".xz":
        import lzma

        return lzma.LZMAFile(file, "wb")
    return zstd().ZstdFile(file, "wb") if suffix == ".zst" else file
