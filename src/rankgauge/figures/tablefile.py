"""Tables from files: what a study, a spreadsheet or `--format csv` wrote."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from rankgauge.errors import InputError
from rankgauge.tables import Cell, Table

ENDINGS = (".csv", ".tsv", ".json", ".jsonl")


def read(path: str) -> Table:
    """The table in a file: its first line, or the keys of its objects, name the columns."""
    from pathlib import Path

    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"a table is read from a file that ends in {', '.join(ENDINGS)}", path=path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror or error}", path=path) from None
    table = _objects(text, path, ending) if "json" in ending else _delimited(text, path, ending)
    if not table.headers:
        raise InputError("the file holds no table", path=path)
    return table


def _delimited(text: str, path: str, ending: str) -> Table:
    rows = [row for row in csv.reader(io.StringIO(text), delimiter="\t" if ending == ".tsv" else ",") if row]
    headers, *lines = rows or [[]]
    for number, line in enumerate(lines, 2):
        if len(line) != len(headers):
            raise InputError(f"expected {len(headers)} columns, found {len(line)}", path=path, line=number)
    columns = [_numbers(column) for column in zip(*lines, strict=True)]
    return Table(headers, [*zip(*columns, strict=True)])


def _numbers(column: tuple[str, ...]) -> list[Cell]:
    """A column as numbers, if every cell of it is one or empty; otherwise as words."""
    try:
        return [None if cell == "" else float(cell) for cell in column]
    except ValueError:
        return [*column]


def _objects(text: str, path: str, ending: str) -> Table:
    try:
        found: Any = (
            [json.loads(line) for line in text.splitlines() if line.strip()]
            if ending == ".jsonl"
            else json.loads(text)
        )
    except ValueError as error:
        raise InputError(f"this is no JSON: {error}", path=path) from None
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise InputError("a table in JSON is a list of objects, [{...}, ...]", path=path)
    headers = [*dict.fromkeys(name for row in found for name in row)]
    cells = (cell for row in found for cell in row.values())
    if not all(cell is None or isinstance(cell, (str, int, float)) for cell in cells):
        raise InputError(
            "a table holds words and numbers; a cell of this one is a list or an object", path=path
        )
    return Table(headers, [[row.get(name) for name in headers] for row in found])
