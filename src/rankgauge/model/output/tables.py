"""Tables as text, in every output format.

    print(render(Table(("run", "AP"), [("bm25", 0.25), ("ql", 0.125)], best={(0, 1)}), "markdown"))

Formats for people round to `places` decimals and mark the best values; tsv rounds, but has no marks. Formats
for programs (csv, json, jsonl) keep every digit. NaN, an undefined value, is a dash in formats for people,
`nan` in tsv and csv, and null in JSON. Infinity is `inf`, as text in JSON.

Modules that only one format needs are imported there, so that small commands start quickly. Formats for print
have modules of their own: `latex_tables`, `typst_tables`, `html_tables`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, overload

from rankgauge.errors import OptionError
from rankgauge.model.output.plain_tables import (
    aligned_lines,
    csv_lines,
    json_lines,
    jsonl_lines,
    markdown_lines,
    tsv_lines,
)
from rankgauge.model.output.table_cells import (
    MOST_PLACES,
    PLACES,
    Cell,
    NumberText,
    Position,
    Shown,
    Signed,
    TableContent,
    capital,
    number,
    plain_texts,
    printable,
    texts,
    width,
)
from rankgauge.schema.checks import choice, whole_number
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import unknown_option

__all__ = ["FORMATS", "PLACES", "Cell", "Format", "NumberText", "Position", "Rendered", "Shown", "Signed"]
__all__ += ["PROGRAMS", "Table", "capital", "default_places", "is_for_people", "lines", "number"]
__all__ += ["plain_texts", "printable", "render", "texts", "width"]

Path = str | os.PathLike[str]


def _latex(table: TableContent, places: int) -> Iterator[str]:
    from rankgauge.model.output.latex_tables import latex_lines

    return latex_lines(table, places)


def _siunitx(table: TableContent, places: int) -> Iterator[str]:
    from rankgauge.model.output.latex_tables import latex_lines

    return latex_lines(table, places, siunitx=True)


def _typst(table: TableContent, places: int) -> Iterator[str]:
    from rankgauge.model.output.typst_tables import typst_lines

    return typst_lines(table, places)


def _html(table: TableContent, places: int) -> Iterator[str]:
    from rankgauge.model.output.html_tables import html_lines

    return html_lines(table, places)


def _word(table: TableContent, places: int) -> Iterator[str]:
    from rankgauge.model.output.html_tables import word_lines

    return word_lines(table, places)


class Format(Frozen):
    """An output format: its name, title and file extensions, and the function that writes it."""

    name: str
    title: str
    extensions: tuple[str, ...]
    lines: Callable[[TableContent, int], Iterator[str]]


FORMATS = {
    form.name: form
    for form in (
        Format("table", "aligned columns, for reading", (".txt",), aligned_lines),
        Format("tsv", "tab-separated values", (".tsv",), tsv_lines),
        Format("csv", "comma-separated values, every digit", (".csv",), csv_lines),
        Format("json", "a list of objects", (".json",), json_lines),
        Format("jsonl", "one object per line", (".jsonl", ".ndjson"), jsonl_lines),
        Format("markdown", "a Markdown table", (".md",), markdown_lines),
        Format("latex", "a LaTeX table with booktabs, for a column of a paper", (".tex",), _latex),
        Format("siunitx", "a LaTeX table with booktabs and siunitx, which aligns decimals", (), _siunitx),
        Format("typst", "a Typst table", (".typ",), _typst),
        Format("html", "an HTML table", (".html", ".htm"), _html),
        Format("word", "an HTML table that keeps its looks in Word", (".doc",), _word),
    )
}

PROGRAMS = ("tsv", "csv", "json", "jsonl")  # formats for programs: no marks, no captions


def is_for_people(form: str) -> bool:
    """Whether a format of tables is meant for reading."""
    return form in FORMATS and form not in PROGRAMS


def lines(table: TableContent, name: str, places: int = PLACES) -> Iterator[str]:
    """The lines of a table in one of the FORMATS, one or several at a time, without the last line ending.

    tsv, csv, json and jsonl read rows one by one, so a table may be larger than memory.
    """
    return FORMATS[choice("format", name, FORMATS)].lines(table, places)


def render(table: TableContent, name: str = "table", places: int = PLACES) -> str:
    """A table as text in one of the FORMATS; every line ends in a newline."""
    return "".join(f"{line}\n" for line in lines(table, name, places))


def default_places(percent: bool = False) -> int:
    """The decimal places where none are chosen: as many digits in per cent as without."""
    return PLACES - 2 if percent else PLACES


class Rendered(ABC):
    """Results that write their table in formats for papers, pages and spreadsheets.

    Each method returns the text, or writes it to the file `path`, which is never left half-written. Numbers
    have `places` decimals, by default 4, or 2 in per cent.
    """

    @abstractmethod
    def _options(self, form: str) -> Iterable[str]:
        """The names of the options of the table that a format shows."""

    @abstractmethod
    def _table_in(self, form: str, places: int, **options: Any) -> TableContent:
        """The table that a format shows."""

    @overload
    def to_latex(self, path: None = None, *, places: int | None = None, **options: Any) -> str: ...

    @overload
    def to_latex(self, path: Path, *, places: int | None = None, **options: Any) -> None: ...

    def to_latex(
        self, path: Path | None = None, *, places: int | None = None, siunitx: bool = False, **options: Any
    ) -> str | None:
        """A LaTeX table with booktabs, which fits a column of a paper; `siunitx` aligns its decimals."""
        return self._rendered("siunitx" if siunitx else "latex", path, places, options)

    @overload
    def to_markdown(self, path: None = None, *, places: int | None = None, **options: Any) -> str: ...

    @overload
    def to_markdown(self, path: Path, *, places: int | None = None, **options: Any) -> None: ...

    def to_markdown(
        self, path: Path | None = None, *, places: int | None = None, **options: Any
    ) -> str | None:
        """A Markdown table."""
        return self._rendered("markdown", path, places, options)

    @overload
    def to_html(self, path: None = None, *, places: int | None = None, **options: Any) -> str: ...

    @overload
    def to_html(self, path: Path, *, places: int | None = None, **options: Any) -> None: ...

    def to_html(self, path: Path | None = None, *, places: int | None = None, **options: Any) -> str | None:
        """An HTML table."""
        return self._rendered("html", path, places, options)

    @overload
    def to_csv(self, path: None = None, **options: Any) -> str: ...

    @overload
    def to_csv(self, path: Path, **options: Any) -> None: ...

    def to_csv(self, path: Path | None = None, **options: Any) -> str | None:
        """Comma-separated values with every digit."""
        return self._rendered("csv", path, None, options)

    def _rendered(
        self, form: str, path: Path | None, places: int | None, options: dict[str, Any]
    ) -> str | None:
        known = [*self._options(form), *(["places"] if form != "csv" else [])]
        for name in options:
            if name == "places" and form == "csv":
                raise OptionError("csv has every digit, for programs; omit places, or write another format")
            if name not in known:
                raise OptionError(unknown_option(f"a table in {form}", "option", name, known))
        usual = default_places(bool(options.get("percent")))
        shown = usual if places is None else whole_number("places", places, 0, MOST_PLACES)
        text = render(self._table_in(form, shown, **options), form, shown)
        if path is None:
            return text
        from rankgauge.formats.target import writing

        with writing(path) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))
        return None


class Table(Rendered, TableContent):
    """Headers and rows of equal length, with what print adds, in every format.

    `to_latex` and the others take labels, and any of its fields: `table.to_latex(caption="Means.")`.
    """

    def _options(self, form: str) -> Iterable[str]:
        return "labels", *type(self).__dataclass_fields__

    def _table_in(self, form: str, places: int, *, labels: Any = None, **fields: Any) -> TableContent:
        from rankgauge.model.output.labels import Labels

        table = self._replace(**fields)
        return table if labels is None else table.labelled(Labels.read(labels))

    def __str__(self) -> str:
        return render(self).rstrip("\n")
