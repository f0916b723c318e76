"""The topics that a campaign asks for: ids in a file, one per line, or the ids of a file of queries."""

from __future__ import annotations

import io
import os

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats import texts
from rankgauge.formats.source import BOM, Source


def topic_ids(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """The ids of topics in a file, in its order, each once: TSV, JSON lines, TREC's topics, or bare ids."""
    source = Source(path)
    data = b"".join(source.chunks()).removeprefix(BOM)
    fields = [line.split() for line in data.splitlines()]
    if all(len(line) <= 1 for line in fields) and not data.lstrip().startswith((b"<", b"{")):
        ids = [line[0] for line in fields if line]
    else:
        form = texts.detect(source)
        ids = [form.record(record)[0] for _, record in form.places(io.BytesIO(data), source.path)]
    if not ids:
        raise InputError("has no topic; write one id per line, or a file of queries", path=source.path)
    return tuple(dict.fromkeys(map(to_text, ids)))
