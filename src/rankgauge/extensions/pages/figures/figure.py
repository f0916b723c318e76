"""A figure: a Vega-Lite specification with its data, and the files made from it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankgauge.errors import MissingDependency, OptionError
from rankgauge.extensions.pages.figures.drawing import Drawing, Spec, alt, as_spec, require
from rankgauge.extensions.pages.figures.offline import page
from rankgauge.extensions.pages.figures.specs import break_lines, parts, with_hover
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.model.output.tables import Cell, Table, printable
from rankgauge.schema.json_text import json_value, to_json
from rankgauge.schema.options import whole_number

FORMS = ("svg", "png", "pdf", "html", "json")
PPI = 300  # pixels per inch of a PNG, a usual resolution for print
MAX_PPI = 2400  # beyond any printer; a larger image would fill the memory


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A figure: its specification and its data, which can be saved in several formats.

    `spec` is a Vega-Lite specification that includes the data; `data` holds the same numbers as tables, by
    name. Anything that reads Vega-Lite can show it: a notebook, a web page, Altair (`chart()`).
    """

    name: str
    title: str
    caption: str
    spec: dict[str, Any]
    data: Mapping[str, Table]
    style: Style = field(default_factory=Style)  # how it looks
    sentences: tuple[str, ...] = ()  # of the caption
    legend: tuple[str, ...] = ()  # its entries, if there is one

    @classmethod
    def of(cls, name: str, drawing: Drawing, style: Style, *, headed: bool = True) -> Figure:
        """The figure of a drawing; `headed=False` leaves out title and subtitle."""
        spec = _spec(drawing, style, headed)
        cut = break_lines(spec, style, drawing.legend)
        sentences = tuple(dict.fromkeys(filter(None, (*drawing.sentences, cut))))
        caption = spec["description"] = " ".join(sentences)
        return cls(name, drawing.title, caption, spec, drawing.data, style, sentences, tuple(drawing.legend))

    def save(self, path: str | os.PathLike[str], *, ppi: int = PPI) -> None:
        """Write an image (.svg, .png, .pdf), a web page (.html) or the specification (.json)."""
        from rankgauge.formats.target import writing

        content = self.render(form_of(path), ppi=ppi)  # may fail, so before the file is opened
        with writing(path) as stream:
            stream.write(content)

    def render(self, form: str, *, ppi: int = PPI) -> bytes:
        """The bytes of a file in one of the FORMS; `ppi` is the resolution of a png."""
        whole_number("ppi", ppi, most=MAX_PPI)
        if form == "json":
            return f"{to_json(self.spec, indent=1)}\n".encode()
        if form == "html":
            return page(self.title, self.caption, self.live_spec).encode()
        convert = getattr(require("vl_convert"), f"vegalite_to_{form}")
        image: str | bytes = convert(to_json(self.spec), **({"ppi": ppi} if form == "png" else {}))
        return image.encode() if isinstance(image, str) else image

    @property
    def live_spec(self) -> Spec:
        """The specification for a web page: the nearest point of a line shows its values at the pointer."""
        return with_hover(self.spec)

    def chart(self) -> Any:
        """The figure as an Altair chart, to change what is not an option here."""
        return alt.Chart.from_dict(self.spec)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        # An image needs no script from the network, so a notebook shows it offline, and years later.
        try:
            return {"image/svg+xml": self.render("svg").decode(), "text/plain": repr(self)}
        except MissingDependency as error:
            return {"text/plain": f"{self!r}\n{error}"}

    def __repr__(self) -> str:
        return f"Figure {self.name}: {printable(self.title)}\n{printable(self.caption)}"


def form_of(path: str | os.PathLike[str]) -> str:
    """The form of a figure by the extension of its file."""
    form = os.fspath(path).lower().rpartition(".")[2]
    if form in FORMS:
        return form
    raise OptionError(
        f"cannot infer the format of a figure from {os.fspath(path)}; use the extension .{', .'.join(FORMS)}"
    )


def _spec(drawing: Drawing, style: Style, headed: bool) -> dict[str, Any]:
    """The Vega-Lite specification of a drawing, with its titles, its style and its data."""
    spec: dict[str, Any] = {"$schema": alt.SCHEMA_URL, "description": ""}  # it is known in the end
    if headed:
        subtitle = style.wrap(drawing.subtitle)
        spec["title"] = {"text": style.wrap(drawing.title, large=True), "subtitle": subtitle}
    chart = as_spec(drawing.chart)
    if not parts(chart):  # a single plot, as wide as its axes allow
        spec |= {"width": style.total_width, "autosize": {"type": "fit-x", "contains": "padding"}}
    spec |= chart
    spec["config"] = style.config(style.legend_columns(drawing.legend))
    spec["datasets"] = {name: records(table) for name, table in drawing.data.items()}
    return spec


def records(table: Table) -> list[dict[str, Cell]]:
    """The rows of a table as JSON objects; undefined and infinite values are null."""
    rows = ([json_value(cell) for cell in row] for row in table.rows)
    return [dict(zip(table.headers, row, strict=True)) for row in rows]
