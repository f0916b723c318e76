"""Input files, by path or pattern, compressed or not, and standard input.

Standard input and pipes are copied to a temporary file, so that every source can be read twice: to detect its
format, and to read it.
"""

# Importing pathlib takes longer than reading a small run.
# ruff: noqa: PTH112, PTH116, PTH118, PTH119, PTH122, PTH123, PTH208

from __future__ import annotations

import functools
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import IO, Any

from rankgauge.errors import InputError
from rankgauge.formats.problems import quote
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.stopping import checkpoint
from rankgauge.schema.text import described, nearest

EXTENSIONS = (
    *(".run", ".txt", ".trec", ".res", ".rel", ".qrels", ".csv", ".tsv", ".json", ".jsonl", ".ndjson"),
    *(".parquet", ".pq", ".arrow", ".feather", ".ipc"),
)
HEAD = 1 << 16  # bytes that formats are detected from
BOM = b"\xef\xbb\xbf"
IRDS = "irds:"  # the name of a dataset of ir_datasets follows
# Files by which folders of Hugging Face's datasets and of MTEB are recognised
SPLITS, STATE, PREDICTIONS = "dataset_dict.json", "state.json", "_predictions.json"

Opener = Callable[[IO[bytes]], Any]


def _gzip() -> tuple[Opener, type[Exception]]:
    import gzip
    import zlib

    return (lambda file: gzip.GzipFile(fileobj=file)), zlib.error


def _bz2() -> tuple[Opener, type[Exception]]:
    import bz2

    return partial(Streams, new=bz2.BZ2Decompressor), OSError


def _xz() -> tuple[Opener, type[Exception]]:
    import lzma

    return partial(Streams, new=partial(lzma.LZMADecompressor, lzma.FORMAT_XZ), padded=True), lzma.LZMAError


def zstd() -> Any:
    """The module for Zstandard."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return optional_module(name, "reading or writing a .zst file", "zstd")


def _zst() -> tuple[Opener, type[Exception]]:
    return zstd().ZstdFile, zstd().ZstdError


OPENERS = {".gz": _gzip, ".bz2": _bz2, ".xz": _xz, ".zst": _zst}
UNSUPPORTED = {
    b"PK\x03\x04": "zip",
    b"\x1f\x9d": ".Z",
    b"\x04\x22\x4d\x18": "lz4",
    b"7z\xbc\xaf\x27\x1c": "7z",
}


def compression(head: bytes) -> str | None:
    """The suffix of the compression that first bytes indicate."""
    if head.startswith(b"\x1f\x8b"):
        return ".gz"
    if head.startswith(b"BZh") and head[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return ".bz2"
    if head.startswith(b"\xfd7zXZ\x00"):
        return ".xz"
    return ".zst" if head.startswith(b"\x28\xb5\x2f\xfd") else None


class Source:
    """A file that can be read any number of times, decompressed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise InputError(f"{described(path)} is not a file; pass its path")
        name = os.fspath(path)
        self.path = "stdin" if name == "-" else name  # for messages
        self.file = _seekable(name)  # the path to open: that of a copy if the input is a pipe
        self.size, self._state, self._raw_head = 0, None, b""
        self.is_collection = is_collection(name)
        if not self.is_collection:
            with open_file(self.file, self.path) as file:
                self.size = os.fstat(file.fileno()).st_size
                self._state = _state(file)
                self._raw_head = file.read(HEAD)
        self.compression = compression(self._raw_head)

    @property
    def uncompressed(self) -> bool:
        """Whether the file is not compressed: its bytes are the data."""
        return self.compression is None

    @property
    def in_place(self) -> bool:
        """Whether the bytes from `start` to `size` of the file are the data.

        Not so if it is compressed, nor if the system reports a size of 0, as for /proc, devices and some
        network file systems.
        """
        return self.uncompressed and (self.size > 0 or not self._raw_head)

    @property
    def start(self) -> int:
        """Where the data begins in an uncompressed file."""
        return len(BOM) if self.uncompressed and self._raw_head.startswith(BOM) else 0

    @functools.cached_property
    def head(self) -> bytes:
        """The first bytes of the data, to detect its format from."""
        return self._raw_head[self.start :] if self.uncompressed else next(self.chunks(HEAD), b"")

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The file as it is on disk, open from its beginning; an error if it is written to meanwhile.

        A file that is replaced meanwhile is read to its end: what is open is still the old one.
        """
        with open_file(self.file, self.path) as file:
            self.refuse_changed(file)
            try:
                yield file
            except Exception:
                self.refuse_changed(file)  # the likely reason
                raise
            self.refuse_changed(file)

    def refuse_changed(self, file: IO[bytes]) -> None:
        """Raise an error if the open file was written to meanwhile."""
        if self._state is not None and _state(file) != self._state:
            size = os.fstat(file.fileno()).st_size
            sizes = "" if size == self.size else f" (it had {self.size:,} bytes, and has {size:,} now)"
            message = (
                f"the file changed while it was read, or since{sizes}; read it when nothing writes to it"
            )
            raise InputError(message, path=self.path)

    def chunks(self, size: int = 1 << 20, tick: Callable[[int], None] | None = None) -> Iterator[bytes]:
        """The data, without byte order mark; `tick` gets the bytes of the file read since its last call."""
        self._refuse_other_archives()
        what = "file" if self.uncompressed else f"{self.compression} archive"
        done = reported = 0
        with self.opened() as file:
            opener, broken = OPENERS[self.compression]() if self.compression else (nullcontext, OSError)
            try:
                with opener(file) as stream:
                    while chunk := stream.read(size):
                        checkpoint()
                        chunk = chunk if done else chunk.removeprefix(BOM)
                        done += len(chunk)
                        yield chunk
                        if tick:
                            reported, before = file.tell(), reported
                            tick(reported - before)
            except (EOFError, broken, OSError) as error:
                state = "truncated" if isinstance(error, EOFError) else f"damaged ({error})"
                place = f" after about {done:,} bytes" if done else ""  # 0 if not even the first chunk came
                raise InputError(f"the {what} is {state}{place}; get a new copy", path=self.path) from None

    def refuse_foreign(self) -> None:
        """Raise an error if the file is certainly something else."""
        self._refuse_other_archives()
        head = self.head
        start = head[:64].lstrip().lower()
        what = next((what for begin, what in FOREIGN.items() if start.startswith(begin)), "")
        if not what and not head.startswith(UTF_16) and CONTROL * sum(map(head.count, CONTROLS)) > len(head):
            what = "a binary file; runs and judgments are text, or one of the formats of `rankgauge convert`"
        if what:
            raise InputError(f"this is {what}", path=self.path)

    def _refuse_other_archives(self) -> None:
        if self._raw_head.startswith(b"PK") and self.path.lower().endswith((".xlsx", ".ods", ".xlsm")):
            raise InputError("this is a spreadsheet; save it as CSV", path=self.path)
        for magic, archive in UNSUPPORTED.items():
            if self._raw_head.startswith(magic):
                message = f"{archive} archives are not supported; use one of {' '.join(OPENERS)}"
                raise InputError(message, path=self.path)


# {how a file begins that is neither a run nor judgments: what it is}
FOREIGN = {
    **dict.fromkeys((b"<!doctype", b"<html"), "an HTML page, perhaps an error message; get the file itself"),
    b"version https://git-lfs": "a pointer of Git LFS, not the file; `git lfs pull` gets it",
}
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
CONTROLS = bytes((*range(9), *range(14, 32)))  # characters that text has none of
CONTROL = 20  # one in so many bytes makes a file binary


def is_collection(path: str) -> bool:
    """Whether this is irds:NAME, or a folder of a format."""
    if path.startswith(IRDS) or not os.path.isdir(path):
        return path.startswith(IRDS)
    try:
        names = os.listdir(path)
    except OSError:  # opening it says why
        return False
    return any(name in ("qrels", SPLITS, STATE) or name.endswith(PREDICTIONS) for name in names)


def open_file(file: str, path: str) -> IO[bytes]:
    """The file, open for reading; if that fails, raise an InputError."""
    try:
        return open(file, "rb", buffering=0)
    except FileNotFoundError:
        if len(path.splitlines()) > 1 or path != path.strip("\r\n"):
            message = (
                f"this text is not the path of a file: {quote(path)}; write it to a file, and pass its path"
            )
            raise InputError(message) from None
        folder, name = os.path.split(file)
        near = nearest(name, os.listdir(folder or ".")) if os.path.isdir(folder or ".") else ""
        raise InputError(f"no such file{near}", path=path) from None
    except (OSError, ValueError) as error:
        if os.path.isdir(file):  # Windows calls it a matter of permissions
            message = f"this is a directory; use a file, or a pattern such as '{os.path.join(path, '*')}'"
            raise InputError(message, path=path) from None
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"the file cannot be opened: {reason}", path=path) from None


def _state(file: IO[bytes]) -> tuple[int, int] | None:
    """The size and time of a file; None for devices and /proc."""
    status = os.fstat(file.fileno())
    is_known = stat.S_ISREG(status.st_mode) and status.st_size > 0
    return (status.st_size, status.st_mtime_ns) if is_known else None


def _seekable(path: str) -> str:
    """The path, or that of a copy if it can be read only once."""
    if path == "-":
        return _stdin(sys.stdin)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return path  # opening it raises the error
    return _copy(path) if stat.S_ISFIFO(status.st_mode) else path


@functools.cache  # it can be read once, but may be requested again
def _stdin(_stream: object) -> str:
    return _copy("-")


COPIES: list[str] = []  # paths of copies of what can be read only once


def remove_copies() -> None:
    """Remove the copies, at the end of the process."""
    while COPIES:
        os.unlink(COPIES.pop())  # noqa: PTH108  # pathlib is slow to import


def _copy(path: str) -> str:
    import atexit
    import shutil
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="rankgauge-", delete=False) as file:
        if not COPIES:
            atexit.register(remove_copies)
        COPIES.append(file.name)
        with nullcontext(_binary_stdin()) if path == "-" else open_file(path, path) as stream:
            shutil.copyfileobj(stream, file, 1 << 20)
    return file.name


def _binary_stdin() -> IO[bytes]:
    stream: IO[bytes] | None = getattr(sys.stdin, "buffer", None)  # sys.stdin itself is None if it is closed
    if stream is None:
        raise InputError("standard input is closed; pass a file, or pipe the data in", path="stdin")
    return stream


class NamedPath(str):
    """A path with the name that its run is to have."""

    __slots__ = ("given", "run")
    run: str
    given: str  # what was written: NAME=path, which may be a path itself where files are not looked up here

    def __new__(cls, path: str, run: str = "", given: str = "") -> NamedPath:
        """The path of a run with this name."""
        self = super().__new__(cls, path)
        self.run, self.given = run, given
        return self


def named(text: str) -> str:
    """The path in NAME=path, with its name; any other text, or the path of an existing file, as it is.

    A directory such as run=bm25 is a partition, and what precedes a / is a directory.
    """
    run, _, path = text.partition("=")
    if not run.strip() or not path or os.sep in run or os.path.lexists(text):
        return text
    if is_pattern(text):
        from rankgauge.formats.patterns import matches

        if matches(text):
            return text
    return NamedPath(path, run.strip(), text)


def is_pattern(path: str | os.PathLike[str]) -> bool:
    """Whether this is a glob pattern and no existing file."""
    name = os.fspath(path)
    return any(c in name for c in "*?[") and not os.path.lexists(name)


def expand(pattern: str | os.PathLike[str]) -> list[str]:
    """The files that match a pattern, sorted."""
    name = os.fspath(pattern)
    if not is_pattern(name):
        return [name]
    from rankgauge.formats.patterns import matches

    files = matches(name)
    if not files:
        raise InputError("no file matches; * matches any characters, ** any directories", path=name)
    return one_named(name, files)


def one_named(pattern: str, files: list[str]) -> list[str]:
    """The files or runs of a pattern; if it has a name, there must be one."""
    if not isinstance(pattern, NamedPath):
        return files
    if len(files) > 1:
        raise InputError(
            f"{pattern} stands for {len(files)} runs, and a name is for one; name each of them, "
            f"or leave out {pattern.run}=",
            path=pattern.given,
        )
    return [NamedPath(file, pattern.run, pattern.given) for file in files]


def suffixes(path: str) -> tuple[str, str]:
    """(extension, suffix of the compression) of a path, in lower case."""
    stem, extension = os.path.splitext(path.lower())
    return (os.path.splitext(stem)[1], extension) if extension in OPENERS else (extension, "")


def run_name(path: str | os.PathLike[str]) -> str:
    """The given name of a run, or that of its file."""
    return path.run if isinstance(path, NamedPath) else stem(path)


def stem(path: str | os.PathLike[str]) -> str:
    """The name of a file without directories and known extensions."""
    name = os.path.basename(os.fspath(path))
    for known in (OPENERS, EXTENSIONS):
        stem, extension = os.path.splitext(name)
        name = stem if extension.lower() in known else name
    return "stdin" if name == "-" else name


BLOCK = 1 << 16  # compressed bytes read at once
PADDING = 4  # xz streams may be followed by zeros, in groups of this many


class Streams:
    """The decompressed data of all streams of a file, one after the other, as bzip2 and xz allow.

    Python's own readers ignore whatever follows a stream; here it is an error, since it may be a damaged
    stream. `new` makes a decompressor of one stream.
    """

    def __init__(self, file: IO[bytes], new: Callable[[], Any], *, padded: bool = False) -> None:
        self._file, self._new, self._padded = file, new, padded
        self._stream = new()

    def __enter__(self) -> Streams:
        return self

    def __exit__(self, *_error: object) -> None:
        pass  # the file belongs to the caller

    def read(self, size: int) -> bytes:
        """The next `size` bytes of data; fewer only at the end of the file."""
        parts = []
        while size > 0:
            if self._stream.eof:
                block = self._next_stream()
                if not block:
                    break
                self._stream = self._new()
            else:
                block = self._file.read(BLOCK) if self._stream.needs_input else b""
                if not block and self._stream.needs_input:
                    raise EOFError
            parts.append(self._stream.decompress(block, size))
            size -= len(parts[-1])
        return b"".join(parts)

    def _next_stream(self) -> bytes:
        block: bytes = self._stream.unused_data or self._file.read(BLOCK)
        zeros = 0
        while self._padded and block.startswith(b"\0"):
            rest = block.lstrip(b"\0")
            zeros += len(block) - len(rest)
            block = rest or self._file.read(BLOCK)
        if zeros % PADDING:
            raise OSError(f"{zeros} zero bytes after a stream, not a multiple of {PADDING}")
        return block
