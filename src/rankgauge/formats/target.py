"""Output files: written atomically, and compressed by their extension."""

# Importing pathlib takes longer than writing a small table.
# ruff: noqa: PTH101, PTH105, PTH108, PTH112, PTH116, PTH118, PTH120, PTH123

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from rankgauge.errors import InputError
from rankgauge.formats.source import suffixes, zstd
from rankgauge.schema.text import printable


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream for the bytes of a new file; `-` is standard output.

    The bytes go to a temporary file, which replaces the target at the end: a partial file is never visible,
    and an existing one survives a failure. Permissions are kept; a link is followed.
    """
    name = os.fspath(path)
    status = None if name == "-" else status_of(name)
    if name == "-" or (status is not None and _is_stdout(status)):  # which may hold something already
        with _stdout() as stream:
            yield stream
        return
    try:
        if status is not None and not stat.S_ISREG(status.st_mode):  # such as a pipe: it cannot be replaced
            with open(name, "wb") as device:
                yield device
        else:
            with _replacing(os.path.realpath(name), status) as file, _compressor(file, name) as compressed:
                yield compressed
    except OSError as error:
        raise _refused(name, error) from None


def is_replaced(path: str) -> bool:
    """Whether `writing` makes a new file, which is seen when it is complete."""
    status = None if path == "-" else status_of(path)
    return path != "-" and (status is None or (stat.S_ISREG(status.st_mode) and not _is_stdout(status)))


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file, as `writing` does; ids that are no UTF-8 stay."""
    with writing(path) as stream:
        stream.write(text.encode("utf-8", "surrogateescape"))


def make_folder(folder: str | os.PathLike[str]) -> None:
    """Make a folder, if it is not there."""
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103  # pathlib is slow to import
    except OSError as error:
        raise InputError(f"the folder cannot be made: {error.strerror}", path=os.fspath(folder)) from None


def status_of(path: str) -> os.stat_result | None:
    """The status of a file to write, None if it is new."""
    folder, name = os.path.split(path)
    if not name or "\0" in path:
        raise InputError(f"expected the name of a file to write, not {path!r}")
    try:
        status = os.stat(path)
    except FileNotFoundError:
        if not os.path.isdir(folder or "."):
            raise _refused(path, f"there is no directory {folder!r}; create it first") from None
        return None
    except OSError as error:  # such as links that lead back to themselves
        raise _refused(path, error) from None
    if stat.S_ISDIR(status.st_mode):
        raise _refused(path, "this is a directory; name a file in it")
    return status


def _refused(path: str, reason: OSError | str) -> InputError:
    return InputError(f"the file cannot be written: {getattr(reason, 'strerror', None) or reason}", path=path)


@contextmanager
def _replacing(target: str, status: os.stat_result | None) -> Iterator[IO[bytes]]:
    # The name is random, since threads and processes may write the same file; and short, since that of the
    # target may be as long as names can be. `tempfile` would ignore the umask.
    part = os.path.join(os.path.dirname(target), f".{os.urandom(8).hex()}.part")
    try:
        with open(part, "xb") as file:
            if status is not None:
                if not os.access(target, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
                os.chmod(part, stat.S_IMODE(status.st_mode) & 0o777)
            yield file
        _replace(part, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise


def _replace(part: str, target: str) -> None:
    """Replace the target, which Windows refuses while virus scanners have it open."""
    if os.name != "nt":
        return os.replace(part, target)
    for pause in (0.01, 0.1, 0.5):
        with suppress(PermissionError):
            return os.replace(part, target)
        time.sleep(pause)
    raise PermissionError(errno.EACCES, "another program has it open; close it there")


@contextmanager
def _stdout() -> Iterator[IO[bytes]]:
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:  # it is closed, or something like the output of a notebook
        raise InputError("standard output takes no bytes here; name a file to write")
    sys.stdout.flush()
    if sys.stdout.isatty():  # which would obey control characters in ids
        held = io.BytesIO()
        yield held
        stream.write(printable(held.getvalue().decode("utf-8", "surrogateescape"), "\t\n").encode())
    else:
        yield stream
    stream.flush()


def _is_stdout(status: os.stat_result) -> bool:
    try:
        return os.path.samestat(status, os.fstat(sys.stdout.fileno()))
    except (AttributeError, OSError, ValueError):  # it is closed, or no file
        return False


def _compressor(file: IO[bytes], path: str) -> Any:
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
