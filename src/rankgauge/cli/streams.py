"""Standard output and standard error, where either may be closed or full.

What a command computes must not depend on whether its messages can be written, so these are dropped. Results
that cannot be written are an error.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO


def replace_closed() -> None:
    """Put a stream in the place of each that is closed, which drops messages and refuses results.

    Otherwise the next file that is opened would be standard output, and `print` would add messages to it.
    """
    for name, number, mode in (("stdout", 1, os.O_RDONLY), ("stderr", 2, os.O_WRONLY)):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, mode), number)
            setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def print_message(text: str) -> None:
    """Print text on standard error, with control characters escaped."""
    from rankgauge.model.output.tables import printable

    try:
        print("\n".join(map(printable, text.splitlines())), file=sys.stderr, flush=True)
    except OSError:
        drop_rest(sys.stderr)


def drop_rest(stream: TextIO) -> None:
    """Drop what a stream cannot write, or Python would try again when it closes the stream."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
