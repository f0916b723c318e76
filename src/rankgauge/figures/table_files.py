"""Tables from files: what a study, a spreadsheet or `--format csv` wrote."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from rankgauge.errors import InputError
from rankgauge.model.tables import Cell, Table

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
    reader = csv.reader(io.StringIO(text), delimiter="\t" if ending == ".tsv" else ",")
    headers: list[str] = []
    rows = []
    try:
        for row in filter(None, reader):
            headers = headers or row
            if len(row) != len(headers):
                said = f"expected {len(headers)} columns, found {len(row)}"
                raise InputError(said, path=path, line=reader.line_num)
            rows.append(row)
    except csv.Error as error:
        raise InputError(f"the line cannot be read: {error}", path=path, line=reader.line_num) from None
    columns = [_numbers(column) for column in zip(*rows[1:], strict=True)]
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
    except RecursionError:
        raise InputError("the JSON is nested too deeply", path=path) from None
    except ValueError as error:
        raise InputError(f"this is no JSON: {error}", path=path) from None
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise InputError("a table in JSON is a list of objects, [{...}, ...]", path=path)
    headers = [*dict.fromkeys(name for row in found for name in row)]
    try:
        return Table(headers, [[_cell(row.get(name)) for name in headers] for row in found])
    except TypeError:
        said = "a table holds words and numbers; a cell of this one is a list or an object"
    except OverflowError:
        said = "a number in this table is larger than any that can be drawn, about 1.8e308"
    raise InputError(said, path=path)


def _cell(found: Any) -> Any:
    """What stands in a cell, if that is a word or a number."""
    if found is not None and not isinstance(found, str):
        float(found)  # an error for what is none, or too large for one
    return found
