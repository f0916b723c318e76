"""A figure: a Vega-Lite specification with its data, and the files made from it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from rankgauge.errors import MissingDependency, OptionError
from rankgauge.extensions.pages.figures.drawing import (
    NUMBERS,
    Drawing,
    Spec,
    alt,
    as_spec,
    concatenate,
    require,
)
from rankgauge.extensions.pages.figures.offline import page
from rankgauge.extensions.pages.figures.specs import (
    break_lines,
    layers_of,
    parts,
    plots_of,
    rename_data,
    share_axes,
    share_looks,
    with_hover,
)
from rankgauge.extensions.pages.figures.theme import GAP, LINE, PANEL_TITLE, WIDTH, Style
from rankgauge.model.output.tables import Cell, Table, printable
from rankgauge.schema.json_text import json_value, to_json
from rankgauge.schema.options import whole_number
from rankgauge.schema.text import letters as letters_of

FORMS = ("svg", "png", "pdf", "html", "json")
PPI = 300  # pixels per inch of a PNG, a usual resolution for print
MAX_PPI = 2400  # beyond any printer; a larger image would fill the memory


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A figure, which can be saved in several formats.

    `spec` is a Vega-Lite specification that includes the data, for anything that reads Vega-Lite; `data`
    holds the same numbers as tables, by name.
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
        """The specification for a web page: the nearest point of a line shows its values."""
        return with_hover(self.spec)

    def chart(self) -> Any:
        """The figure as an Altair chart, to change further."""
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
    """Rows as JSON objects; undefined and infinite values are null."""
    rows = ([json_value(cell) for cell in row] for row in table.rows)
    return [dict(zip(table.headers, row, strict=True)) for row in rows]


AXES = ("x", "y")
MAX_COLUMNS = 6
_OF_A_WHOLE = ("$schema", "config", "datasets", "description", "autosize", "title", "width")


def compose(
    figures: Sequence[Figure],
    titles: Sequence[str] | None = None,
    *,
    title: str | None = None,
    letters: bool = True,
    columns: int | None = None,
    shared: Sequence[str] = AXES,
    width: str = "page",
    headed: bool = True,
) -> Figure:
    """Several figures as panels of one, with letters, titles, common axes and one legend.

    `titles` of panels default to the figures' own if they differ. `shared` names the axes (x, y) with the
    same range in all panels of a kind, if they show the same quantity. `columns` is the number of panels side
    by side (default: as many as fit). A run has the same colour in every panel. The tables of panel (a) have
    names that begin with `a`, and so on.
    """
    style, across = _check(figures, titles, columns, shared, width)
    heading = title if title is not None else _if_same([each.title for each in figures])
    if titles is None:
        differ = _if_same([each.title for each in figures]) is None
        titles = [each.title if differ else "" for each in figures]
    names = letters_of(len(figures))
    marked = [f"({name})" if letters and len(figures) > 1 else "" for name in names]
    panels = [_panel(figure, name) for figure, name in zip(figures, names, strict=True)]
    plots = [plots_of(panel) for panel in panels]
    data = {
        f"{name} {of}": table
        for name, figure in zip(names, figures, strict=True)
        for of, table in figure.data.items()
    }
    legend = share_looks([plot for own in plots for plot in own], style)
    alike: dict[tuple[str, int], list[Spec]] = {}  # plots at the same place of the same kind of figure
    for figure, own in zip(figures, plots, strict=True):
        for place, plot in enumerate(own):
            alike.setdefault((figure.name, place), []).append(plot)
    for group in alike.values():
        share_axes(group, shared, data)
    for panel, figure, mark, text in zip(panels, figures, marked, titles, strict=True):
        _resize(panel, figure.style, style, style.panel_width(len(panels), across))
        if words := " ".join(filter(None, (mark, text))):
            panel["title"] = {
                "text": style.wrap(words, large=True, width=style.total_width / across - GAP),
                "frame": "group",
                "fontSize": PANEL_TITLE,
            }
    drawing = Drawing(
        concatenate(panels, across),
        data,
        heading or "",
        "",
        _sentences(figures, marked, titles),
        legend or [*dict.fromkeys(label for figure in figures for label in figure.legend)],
    )
    name = _if_same([each.name for each in figures]) or "panels"
    return Figure.of(name, drawing, style, headed=headed and bool(heading))


def _check(
    figures: Sequence[Figure],
    titles: Sequence[str] | None,
    columns: int | None,
    shared: Sequence[str],
    width: str,
) -> tuple[Style, int]:
    """(style, number of columns), checked."""
    if not figures:
        raise OptionError("a figure with panels needs at least one figure")
    if titles is not None and len(titles) != len(figures):
        raise OptionError(f"each panel has a title: give {len(figures)} titles, not {len(titles)}")
    if unknown := [axis for axis in shared if axis not in AXES]:
        raise OptionError(f"panels can share the axes {' and '.join(AXES)}, not {unknown[0]!r}")
    theme = _if_same([each.style.theme for each in figures])
    if theme is None:
        raise OptionError("the panels of a figure have one theme; draw all of them with the same theme")
    style = Style(theme, WIDTH.check(width))
    fitting = style.columns(len(figures))
    return style, fitting if columns is None else min(
        len(figures), whole_number("columns", columns, most=MAX_COLUMNS)
    )


def _panel(figure: Figure, name: str) -> Spec:
    """A copy of a figure's plots; the names of its data begin with the panel's."""
    panel = {key: deepcopy(value) for key, value in figure.spec.items() if key not in _OF_A_WHOLE}
    rename_data(panel, f"{name} ")
    return panel


def _resize(panel: Spec, drawn: Style, style: Style, width: float) -> None:
    if "concat" in panel:
        panel["columns"] = 1
    if "hconcat" in panel:
        panel["vconcat"] = panel.pop("hconcat")
    for part in parts(panel):
        _resize(part, drawn, style, width)
    if not parts(panel):
        before = panel.get("width") or drawn.panel_width(1)
        # What the plot left free for names beside it.
        widths = [drawn.panel_width(columns, columns) for columns in range(1, MAX_COLUMNS + 1)]
        free = min((each - before for each in widths if each >= before), default=0.0)
        names = _row_names(panel)
        width -= max(0.0, style.label_width(names) - NUMBERS) if names else free
        panel["width"] = width
        if not names or not _is_list(panel):  # narrow panels would be flat at the same proportions
            least = min(panel["height"], (LINE + 2) * len(names))  # names of rows stay apart
            panel["height"] = max(least, panel["height"] * (width / before) ** (0.5 if width < before else 1))


def _row_names(plot: Spec) -> list[str]:
    positions = (layer["encoding"].get("y", {}) for _, layer in layers_of(plot))
    domains = (y.get("scale", {}).get("domain") for y in positions if y.get("type") == "nominal")
    return next(([*map(str, domain)] for domain in domains if domain), [])


def _is_list(plot: Spec) -> bool:
    """Whether the rows of a plot are names, which need the same room at any width."""
    positions = [
        (layer["encoding"].get("x", {}), layer["encoding"].get("y", {})) for _, layer in layers_of(plot)
    ]
    return any(x.get("type") == "quantitative" and y.get("type") == "nominal" for x, y in positions)


def _sentences(figures: Sequence[Figure], marks: Sequence[str], titles: Sequence[str]) -> list[str]:
    """Titles, sentences that all captions share, and the others behind the marks of their panels."""
    named = [" ".join(filter(None, pair)) for pair in zip(marks, titles, strict=True)]
    sentences = [f"{'; '.join(filter(None, named))}."] if any(titles) else []
    panels: dict[str, list[int]] = {}
    for place, figure in enumerate(figures):
        for sentence in figure.sentences:
            panels.setdefault(sentence, []).append(place)
    own: dict[str, list[str]] = {}
    for sentence, places in panels.items():
        if len(places) == len(figures):
            sentences.append(sentence)
        else:
            own.setdefault(", ".join(filter(None, (marks[place] for place in places))), []).append(sentence)
    return [*sentences, *(" ".join(filter(None, (mark, *some))) for mark, some in own.items())]


def _if_same(words: Sequence[str]) -> str | None:
    return words[0] if len({*words}) == 1 else None
