"""What a study found: sentences and named tables, with the settings they were made by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from rankgauge.model.documents import Document, Section, body, written
from rankgauge.model.tables import PLACES, Cell, Table
from rankgauge.schema.checks import choice
from rankgauge.schema.text import counted, format_number

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.registry import Study

SHOWN = 20  # rows of a table before the rest is told as a number
F = TypeVar("F", bound="Findings")


@dataclass(frozen=True, repr=False, eq=False)
class Findings:
    """What a study found. A study makes sentences and tables; who it is and its settings are filled in.

    `tables` are by name: {"power": Table(...)}; `captions` say what is in them. A study that has more to
    hand out than tables returns a subclass with fields of its own.
    """

    sentences: Sequence[str] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)  # {table: a sentence on it}
    data: Sequence[str] = ()  # tables that are for programs and figures: eyes are told that they are there
    study: str = ""
    title: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the study and of the campaign

    def __post_init__(self) -> None:
        listed = {name: replace(table, rows=list(table.rows)) for name, table in self.tables.items()}
        object.__setattr__(self, "tables", listed)  # rows may have come one by one

    def of(self: F, study: Study, campaign: Campaign, chosen: Mapping[str, Any]) -> F:
        """The same, with the study it is of and the settings that it was made by."""
        settings = {**chosen, **self.settings, **campaign.settings}
        return replace(self, study=study.name, title=study.title, settings=settings)

    def table(self, name: str) -> Table:
        """A table by its name."""
        return self.tables[choice("table", name, self.tables)]

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON has it: null is undefined, or was not asked for."""
        return {
            "study": self.study,
            "title": self.title,
            "settings": {name: _as_json(value) for name, value in self.settings.items()},
            "sentences": list(self.sentences),
            "tables": {
                name: [dict(zip(table.headers, map(_as_json, row), strict=True)) for row in table.rows]
                for name, table in self.tables.items()
            },
        }

    def sheet(self, *, limit: int | None = SHOWN) -> Document:
        """The findings for eyes; of long tables the beginning, and how much more there is."""
        settings = [(name, _in_words(value)) for name, value in self.settings.items() if value is not None]
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
        said = [self.captions[name]] if name in self.captions else []
        rows: list[Sequence[Cell]] = list(table.rows)
        if limit is not None and len(rows) > limit:
            said.append(f"The first {limit} of {len(rows)} rows; the table {name} by itself has them all.")
            table = Table(table.headers, rows[:limit], {(r, c) for r, c in table.best if r < limit})
        return Section(name, tuple(said), table)

    def __repr__(self) -> str:
        return "\n".join(written(self.sheet()))

    def _repr_html_(self) -> str:
        return "\n".join(body(self.sheet(), PLACES))


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _as_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int)) else str(value)


def _in_words(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(map(_in_words, value))
    if isinstance(value, float):
        return format_number(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
