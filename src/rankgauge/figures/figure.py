"""Figures: a specification in Vega-Lite with its data, and what can be made of it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankgauge.errors import MissingDependency, OptionError
from rankgauge.model.tables import Cell, Table, printable, to_json
from rankgauge.schema.checks import whole_number

PPI = 300  # points an inch of a PNG, as printers want them
MOST_PPI = 2400  # no printer has more, and a picture with more fills the memory


def needed(library: str) -> Any:
    """A library that only figures need, or an error that says how to get it."""
    import importlib

    names = {"altair": "altair", "vl_convert": "vl-convert-python"}
    try:
        return importlib.import_module(library)
    except ImportError:
        raise MissingDependency("a figure", names[library], "plot") from None


@dataclass(frozen=True, eq=False)
class Drawing:
    """What the function of a figure returns: a chart that refers to its data by name, and the words to it."""

    chart: Any  # of Altair
    data: Mapping[str, Table]
    title: str
    subtitle: str
    sentences: Sequence[str]  # of its caption; empty ones are none
    legend: list[str] = field(default_factory=list)  # the entries of its legend, if it has one
    fits: bool = True  # one plot, which takes whatever width its axes leave

    @property
    def caption(self) -> str:
        """The sentences as one text."""
        return " ".join(filter(None, self.sentences))


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A figure: its specification, its data, and files of either.

    `spec` is Vega-Lite, complete with the data; `data` are the same numbers as tables, by name. Whatever
    speaks Vega-Lite can show it: a notebook, a page, Altair (`chart()`).
    """

    name: str
    title: str
    caption: str
    spec: dict[str, Any]
    data: Mapping[str, Table]

    def save(self, path: str | os.PathLike[str], *, ppi: int = PPI) -> None:
        """Write a picture (.svg, .png, .pdf), a page (.html) or the specification (.json)."""
        from rankgauge.formats.target import writing

        made = self.rendered(form_of(path), ppi=ppi)  # before the file is opened: it may fail
        with writing(path) as stream:
            stream.write(made)

    def rendered(self, form: str, *, ppi: int = PPI) -> bytes:
        """The bytes of a file in one of the FORMS; `ppi` is for png."""
        return FORMS[form](self, whole_number("ppi", ppi, most=MOST_PPI))

    def chart(self) -> Any:
        """The figure as a chart of Altair, for changing what is not an option here."""
        return needed("altair").Chart.from_dict(self.spec)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        # A picture needs no script from elsewhere, so a notebook shows it offline, and years later.
        try:
            return {"image/svg+xml": self.rendered("svg").decode(), "text/plain": repr(self)}
        except MissingDependency as error:
            return {"text/plain": f"{self!r}\n{error}"}

    def __repr__(self) -> str:
        return f"Figure {self.name}: {printable(self.title)}\n{printable(self.caption)}"


def _svg(figure: Figure, ppi: int) -> bytes:
    return str(needed("vl_convert").vegalite_to_svg(to_json(figure.spec))).encode()


def _png(figure: Figure, ppi: int) -> bytes:
    return bytes(needed("vl_convert").vegalite_to_png(to_json(figure.spec), ppi=ppi))


def _pdf(figure: Figure, ppi: int) -> bytes:
    return bytes(needed("vl_convert").vegalite_to_pdf(to_json(figure.spec)))


def _html(figure: Figure, ppi: int) -> bytes:
    from rankgauge.figures.page import page

    return page(figure).encode()


def _json(figure: Figure, ppi: int) -> bytes:
    return f"{to_json(figure.spec, indent=1)}\n".encode()


FORMS: dict[str, Callable[[Figure, int], bytes]] = {
    "svg": _svg,
    "png": _png,
    "pdf": _pdf,
    "html": _html,
    "json": _json,
}


def form_of(path: str | os.PathLike[str]) -> str:
    """The form that the ending of a file stands for."""
    form = os.fspath(path).lower().rpartition(".")[2]
    if form in FORMS:
        return form
    raise OptionError(
        f"the ending of {os.fspath(path)} stands for no kind of figure; end it in .{', .'.join(FORMS)}"
    )


def records(table: Table) -> list[dict[str, Cell]]:
    """The rows of a table as JSON has them: what is undefined or infinite is null."""
    return [
        {
            name: None if isinstance(cell, float) and not math.isfinite(cell) else cell
            for name, cell in zip(table.headers, row, strict=True)
        }
        for row in table.rows
    ]
