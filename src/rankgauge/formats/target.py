"""Where data goes: a file that is there whole or not at all, packed by its extension."""

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

    The bytes go to a temporary file beside the target, which takes the target's place at the
    end: nobody ever sees half a file, and an old one survives a failure.
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
            with part.open("xb") as file, _packed(file, target.name) as stream:
                yield stream
            part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror or error}", path=str(path)) from None


def _packed(file: IO[bytes], path: str) -> Any:
    """The stream that packs what goes into the file, as its name says."""
    suffix = suffixes(path)[1]
    if suffix == ".gz":
        import gzip

        # Without name and time in it, the same data is the same file.
        return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0)
    if suffix == ".bz2":
        import bz2

        return bz2.BZ2File(file, "wb")
    if suffix == ".xz":
        import lzma

        return lzma.LZMAFile(file, "wb")
    return zstd().ZstdFile(file, "wb") if suffix == ".zst" else file
