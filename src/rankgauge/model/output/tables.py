"""Tables as text, in every output format.

Formats for people round, and where type can be bold the best values are; tsv only rounds; csv, json and jsonl
keep every digit. NaN, an undefined value, is a dash in formats for people, `nan` in tsv and csv, and null in
JSON; infinity is `inf`.
"""

from __future__ import annotations

import io
import itertools
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from rankgauge.core.ids import to_bytes
from rankgauge.errors import OptionError
from rankgauge.model.output.table_cells import (
    MAX_PLACES,
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
    texts,
    width,
)
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.options import choice, whole_number
from rankgauge.schema.text import notebook, printable, unknown_option

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas
    import polars
    import pyarrow

__all__ = ["FORMATS", "PLACES", "Cell", "Format", "NumberText", "Position", "Rendered", "Shown", "Signed"]
__all__ += ["Framed", "LongTable", "ids_for_frames"]
__all__ += ["PROGRAMS", "Table", "capital", "default_places", "is_for_people", "lines", "number"]
__all__ += ["plain_texts", "printable", "render", "texts", "width"]

Path = str | os.PathLike[str]


def aligned_lines(table: TableContent, places: int) -> Iterator[str]:
    """Columns that line up. The best values have no mark: a star would be one of significance."""
    numeric, headers, body = plain_texts(table, places)
    lines = [headers, *body]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        gaps = [" " * (w - width(cell)) for cell, w in zip(line, widths, strict=True)]
        cells = (gap + c if right else c + gap for c, gap, right in zip(line, gaps, numeric, strict=True))
        yield "  ".join(cells).rstrip()
    if legend := table._replace(emphasis="").legend:
        yield ""
        yield printable(legend)


_TAB_ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def tsv_lines(table: TableContent, places: int) -> Iterator[str]:
    """Tab-separated values, rounded."""

    def line(row: Sequence[Cell]) -> str:
        cells = (c.translate(_TAB_ESCAPES) if isinstance(c, str) else number(c, places) for c in row)
        return "\t".join(cells)

    yield line(table.headers)
    rows = iter(table.rows)
    while block := list(itertools.islice(rows, 1000)):
        # A table may have a million rows: blocks of only text and floats are formatted at once.
        yield _tsv_block(block, places) or "\n".join(map(line, block))


def _tsv_block(rows: list[Sequence[Cell]], places: int) -> str | None:
    """Rows as tab-separated lines; None if a cell is no text or float, or needs escaping."""
    cells, columns = tuple(itertools.chain.from_iterable(rows)), len(rows[0])
    patterns = {str: "%s", float: f"%.{places}f"}
    kinds = [{*map(type, cells[column::columns])} for column in range(columns)]
    if not all(len(kind) == 1 and kind <= patterns.keys() for kind in kinds):
        return None
    pattern = "\t".join(patterns[kind.pop()] for kind in kinds)
    text = "\n".join([pattern] * len(rows)) % cells
    unescaped = text.count("\t") == len(rows) * (columns - 1) and text.count("\n") == len(rows) - 1
    return text if unescaped and "\r" not in text else None


def csv_lines(table: TableContent, places: int) -> Iterator[str]:
    """Comma-separated values with every digit, which no spreadsheet takes for formulas."""
    import csv

    from rankgauge.model.output.markup import RISKY, guarded

    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\r\n")  # so that cells with either character are quoted
    for row in itertools.chain([table.headers], table.rows):
        writer.writerow(
            [
                c  # which is written with every digit
                if type(c) is float
                else (guarded(c) if c[:1] in RISKY else c)
                if isinstance(c, str)
                else number(c, None)
                for c in row
            ]
        )
        yield line.getvalue()[:-2]
        line.seek(0)
        line.truncate()


def jsonl_lines(table: TableContent, places: int) -> Iterator[str]:
    """An object for each row."""
    from rankgauge.schema.json_text import to_json  # which the other formats do without

    for row in table.rows:
        yield to_json(dict(zip(table.headers, row, strict=True)), infinity="text")


def json_lines(table: TableContent, places: int) -> Iterator[str]:
    """A list of objects."""
    yield "["
    before = ""
    for line in jsonl_lines(table, places):
        if before:
            yield f" {before},"
        before = line
    if before:
        yield f" {before}"
    yield "]"


class Format(Frozen):
    """An output format: name, title, file extensions, and writer."""

    name: str
    title: str
    extensions: tuple[str, ...]
    lines: Callable[[TableContent, int], Iterator[str]] | None = None  # None: one of those in `markup`


FORMATS = {
    form.name: form
    for form in (
        Format("table", "aligned columns, for reading", (".txt",), aligned_lines),
        Format("tsv", "tab-separated values", (".tsv",), tsv_lines),
        Format("csv", "comma-separated values, every digit", (".csv",), csv_lines),
        Format("json", "a list of objects", (".json",), json_lines),
        Format("jsonl", "one object per line", (".jsonl", ".ndjson"), jsonl_lines),
        Format("markdown", "a Markdown table", (".md",)),
        Format("latex", "a LaTeX table with booktabs, for a column of a paper", (".tex",)),
        Format("siunitx", "a LaTeX table with booktabs and siunitx, which aligns decimals", ()),
        Format("typst", "a Typst table", (".typ",)),
        Format("html", "an HTML table", (".html", ".htm")),
    )
}

SHOWN_ROWS = 20  # of a table on a screen
PROGRAMS = ("tsv", "csv", "json", "jsonl")  # formats for programs: no marks, no captions


def is_for_people(form: str) -> bool:
    """Whether a format of tables is meant for reading."""
    return form in FORMATS and form not in PROGRAMS


def lines(table: TableContent, name: str, places: int = PLACES) -> Iterator[str]:
    """The lines of a table in one of the FORMATS, one or several at a time, without the last line ending.

    tsv, csv, json and jsonl read rows one by one.
    """
    form = FORMATS[choice("format", name, FORMATS)]
    if form.lines is not None:
        return form.lines(table, places)
    from rankgauge.model.output.markup import WRITERS

    return WRITERS[name](table, places)


def render(table: TableContent, name: str = "table", places: int = PLACES) -> str:
    """A table as text in one of the FORMATS."""
    return "".join(f"{line}\n" for line in lines(table, name, places))


def default_places(percent: bool = False) -> int:
    """The decimal places where none are chosen."""
    return PLACES - 2 if percent else PLACES


class Rendered(ABC):
    """Results that write their table in formats for papers, pages and spreadsheets.

    Each method returns the text, or writes it to the file `path`, which is never left half-written. Numbers
    have `places` decimals, by default 4, or 2 in per cent.
    """

    @abstractmethod
    def _options(self, form: str) -> Iterable[str]:
        """The options of the table that a format shows."""

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
        shown = usual if places is None else whole_number("places", places, 0, MAX_PLACES)
        text = render(self._table_in(form, shown, **options), form, shown)
        if path is None:
            return text
        from rankgauge.formats.target import write_text

        write_text(path, text)
        return None


class LongTable(Frozen, eq=False):
    """Rows of labels with one value each."""

    names: Mapping[str, list[Any]]  # {column: its distinct labels}
    codes: Mapping[str, npt.NDArray[np.int64]]  # {column: (rows,) index of the row's label}
    values: npt.NDArray[np.float64]  # (rows,)


class Framed(ABC):
    """Results that convert to frames."""

    @abstractmethod
    def _long(self) -> LongTable:
        """All values, with their labels."""

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow table: one column per label and `value`, one row per value."""
        pa = optional_module("pyarrow", "an Arrow table", "arrow")
        long = self._long()
        labels = {n: pa.array(names).take(pa.array(long.codes[n])) for n, names in long.names.items()}
        return pa.table({**labels, "value": long.values})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame: one column per label and `value`, one row per value."""
        pd = optional_module("pandas", "a pandas frame", "pandas")
        long = self._long()
        labels = {n: _labels(names)[long.codes[n]] for n, names in long.names.items()}
        return pd.DataFrame({**labels, "value": long.values})

    def to_polars(self) -> polars.DataFrame:
        """A polars frame: one column per label and `value`, one row per value."""
        pl = optional_module("polars", "a polars frame", "polars")
        long = self._long()
        labels = {n: pl.Series(names).gather(long.codes[n]) for n, names in long.names.items()}
        frame: polars.DataFrame = pl.DataFrame({**labels, "value": long.values})
        return frame


def _labels(names: list[Any]) -> npt.NDArray[Any]:
    import numpy as np

    return np.array(names, dtype=np.int64 if names and isinstance(names[0], int) else object)


def ids_for_frames(identifiers: Sequence[str]) -> list[Any]:
    """Ids for a frame: text, or bytes if some are not UTF-8."""
    try:
        "".join(identifiers).encode()
    except UnicodeEncodeError:
        return [to_bytes(i) for i in identifiers]
    return list(identifiers)


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

    def __repr__(self) -> str:
        return str(self._shown())

    def _repr_html_(self) -> str:
        return notebook(render(self._shown(), "html"))

    def _shown(self) -> Table:
        """The table, or its beginning with a line on the rest."""
        rows = [*self.rows]
        if len(rows) <= SHOWN_ROWS:
            return self
        rest = f"… {len(rows) - SHOWN_ROWS:,} more", *[None] * (len(self.headers) - 1)
        return self._replace(rows=[*rows[:SHOWN_ROWS], rest])
