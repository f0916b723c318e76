"""Compressed files of several streams, one after the other, as bzip2 and xz allow.

Parallel compressors write such files, and so does concatenation. Python's own readers of these formats ignore
whatever follows a stream and is not another one. If that is a damaged stream, the rest of the file is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any

BLOCK = 1 << 16  # compressed bytes read at once
PADDING = 4  # xz streams may be followed by zeros, in groups of this many


class Streams:
    """The decompressed data of all streams of a file; anything else in the file is an error.

    `new` makes a decompressor of one stream. An end of file inside a stream raises an EOFError.
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
        """The first bytes of the next stream; none at the end of the file."""
        block: bytes = self._stream.unused_data or self._file.read(BLOCK)
        zeros = 0
        while self._padded and block.startswith(b"\0"):
            rest = block.lstrip(b"\0")
            zeros += len(block) - len(rest)
            block = rest or self._file.read(BLOCK)
        if zeros % PADDING:
            raise OSError(f"{zeros} zero bytes after a stream, not a multiple of {PADDING}")
        return block
