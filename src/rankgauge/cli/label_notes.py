"""A note on labels that name nothing, which are misspelt or of other files."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankgauge.cli.streams import print_message
from rankgauge.model.output.tables import Table, printable

if TYPE_CHECKING:
    from rankgauge.model.output.labels import Labels


def note_unmatched(labels: Labels, args: argparse.Namespace, *results: Any) -> None:
    """Name the labels that belong to nothing in the results, nor in what they were made from."""
    if labels.by_name and not getattr(args, "quiet", False):
        names = {name for each in results for name in names_in(each)}
        for sentence in labels.unmatched(names):
            print_message(f"note: {printable(sentence)}")


def names_in(results: Any) -> Iterator[str]:
    """The names of runs, measures and topics in results, and all texts in tables."""
    for kind in ("runs", "measures", "topics"):
        names = getattr(results, kind, ())
        yield from names if isinstance(names, Iterable) else ()
    tables = results.tables.values() if hasattr(results, "tables") else [results]
    for table in tables:
        if isinstance(table, Table):
            yield from table.headers
            yield from (cell for row in table.rows for cell in row if isinstance(cell, str))
