"""Ids that a text format cannot hold: writing them is an error, since they would be read back as others."""

from __future__ import annotations

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats.problems import quote
from rankgauge.formats.source import BOM

SEPARATORS = b" \t\n\r\x0b\x0c\0"


def refuse_whitespace(ids: Ids, what: str) -> None:
    """Raise an error if an id cannot be written to a file whose columns are separated by whitespace."""
    bad = _first_with(SEPARATORS, ids)
    if bad is not None:
        problem = "contains whitespace or NUL" if bad else "is empty"
        raise InputError(
            f"the {what} {quote(bad)} {problem}; this format separates columns by whitespace and cannot hold "
            "it: write csv, tsv or jsonl"
        )


def refuse_empty(ids: Ids, what: str) -> None:
    """Raise an error if an id is empty or contains NUL, which no reader of delimited text accepts."""
    bad = _first_with(b"\0", ids)
    if bad is not None:
        problem = "contains NUL" if bad else "is empty"
        raise InputError(f"the {what} {quote(bad)} {problem}; this format cannot hold it: write jsonl")


def refuse_comments(topics: Ids) -> None:
    """Raise an error if a line starting with its topic would be read back as something else.

    A line that starts with # is a comment, and U+FEFF at the beginning of a file is its byte order mark.
    """
    bad = next((topic for topic in topics.encode()[1] if topic.startswith(b"#")), None)
    if bad is not None:
        raise InputError(f"a line starting with {quote(bad)} would be a comment; write csv, tsv or jsonl")
    if len(topics) and topics[0].startswith(BOM):
        raise InputError(
            f"the first line would start with {quote(topics[0])}, and its U+FEFF would be taken for a byte "
            "order mark; write csv, tsv or jsonl"
        )


def _first_with(unfit: bytes, ids: Ids) -> bytes | None:
    """The first id that is empty or contains one of these bytes, if any."""
    held = np.frombuffer(ids.data, dtype=np.uint8)[ids.offsets[0] : ids.offsets[-1]]
    if not np.isin(held, list(unfit)).any() and (np.diff(ids.offsets) > 0).all():
        return None
    return next(id for id in ids if not id or any(byte in unfit for byte in id))
