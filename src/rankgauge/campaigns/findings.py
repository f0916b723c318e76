"""The findings of a study: sentences and named tables, with the settings used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankgauge.model.output.documents import Document, Section, notebook, screen_lines
from rankgauge.model.output.tables import Cell, Shown, Table
from rankgauge.schema.json_text import json_value
from rankgauge.schema.options import choice
from rankgauge.schema.text import counted, format_number

SHOWN = 20  # rows shown of a long table


@dataclass(frozen=True, repr=False, eq=False)
class Findings:
    """The findings of a study. The study sets sentences and tables; its name and settings are added later.

    `tables` and the `captions` that describe them are by name. A study with more results than tables returns
    a subclass with further fields.
    """

    sentences: Sequence[str] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)  # {table: a sentence about it}
    data: Sequence[str] = ()  # tables for programs and figures, which a document only mentions
    study: str = ""
    title: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the study and of the campaign

    def __post_init__(self) -> None:
        tables = {name: _with_keys(table) for name, table in self.tables.items()}
        object.__setattr__(self, "tables", tables)

    def table(self, name: str) -> Table:
        """A table by its name."""
        return self.tables[choice("table", name, self.tables)]

    def records(self, name: str) -> list[dict[str, Any]]:
        """The rows of a table as dicts."""
        table = self.table(name)
        return [dict(zip(table.headers, row, strict=True)) for row in table.rows]

    def as_dict(self) -> dict[str, Any]:
        """The findings as dicts and lists, ready for JSON; None is undefined, or not set."""
        return {
            "study": self.study,
            "title": self.title,
            "settings": json_value(self.settings, other=str),
            "sentences": list(self.sentences),
            "tables": {
                name: [
                    dict(zip(table.headers, json_value(row, other=str), strict=True)) for row in table.rows
                ]
                for name, table in self.tables.items()
            },
        }

    def document(self, *, limit: int | None = SHOWN) -> Document:
        """The findings for reading; of a long table, the first rows and the number of all."""
        settings = [
            (name, _setting_text(value)) for name, value in self.settings.items() if value is not None
        ]
        sections = [Section("Findings", tuple(self.sentences))] if self.sentences else []
        shown = {name: table for name, table in self.tables.items() if name not in self.data}
        sections += [self._section(name, table, limit) for name, table in shown.items()]
        sections += [Section("Data", tuple(map(self._mention, self.data)))] if self.data else []
        return Document(
            self.title, (*sections, Section("Settings", (), Table(("setting", "value"), settings)))
        )

    def _mention(self, name: str) -> str:
        caption = self.captions.get(name, "A table.")
        return f"{name} ({counted(len(list(self.tables[name].rows)), 'row')}): {caption}"

    def _section(self, name: str, table: Table, limit: int | None) -> Section:
        sentences = [self.captions[name]] if name in self.captions else []
        rows: list[Sequence[Cell]] = list(table.rows)
        if limit is not None and len(rows) > limit:
            sentences.append(f"The first {limit} of {len(rows)} rows; the table {name} alone has them all.")
            table = table._replace(rows=rows[:limit], best={(r, c) for r, c in table.best if r < limit})
        return Section(name, tuple(sentences), table)

    def __repr__(self) -> str:
        return "\n".join(screen_lines(self.document()))

    def _repr_html_(self) -> str:
        return notebook(self.document())


def _with_keys(table: Table) -> Table:
    """The table with its rows kept, and as many key columns as tell them apart."""
    rows = list(table.rows)
    for keys in range(table.keys, len(table.headers)):
        if any(isinstance(row[keys - 1], float) and not isinstance(row[keys - 1], Shown) for row in rows):
            break  # a value names nothing, unless it is a setting, such as alpha
        if len({tuple(row[:keys]) for row in rows}) == len(rows):
            return table._replace(rows=rows, keys=keys)
    return table._replace(rows=rows)


def _setting_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_setting_text(each)}" for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(_setting_text, value))
    if isinstance(value, float):
        return format_number(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
