"""Drawings, as functions of figures return them: charts side by side, tooltips, series in colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.labels import (
    averaging_note,
    check_name,
    counted,
    definitions,
    unique_labels,
)
from rankgauge.extensions.pages.figures.theme import (
    DASHES,
    DOTTED,
    GAP,
    MAX_COLOURS,
    MAX_HIGHLIGHTED,
    MAX_SERIES,
    SHAPES,
    Style,
)
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.lazy import optional_module

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves
    from rankgauge.model.scores import Scores
NAMES = ("run", "topic", "series", "name", "label", "member", "row", "column", "effort", "gain", "effect")
FORMATS = {"rank": ",d", "position": ",d", "count": ",d", "points": ",d", "share": ".1%"}
VALUE = ".4f"
EXACT = ",.4~f"  # of numbers that were chosen, such as 0.5 or 100: no digits that say nothing
QUARTILES = {
    "low": "lowest",
    "q1": "first quartile",
    "median": "median",
    "q3": "third quartile",
    "high": "highest",
}
MAX_POINTS = 25_000  # more are slow to draw in a browser, and cannot be seen
NUMBERS = 30.0  # the width of numbers and a title left of a vertical axis
LOOKS = ("color", "strokeDash", "strokeWidth", "shape")  # what distinguishes series, by Vega-Lite's names
Spec = dict[str, Any]  # of Vega-Lite
Look = dict[str, Any]  # {channel: value} of a series


def require(library: str) -> Any:
    """Import a plotting library, or say how to install it."""
    installed = {"altair": "altair", "vl_convert": "vl-convert-python"}
    return optional_module(library, "a figure", "plot", installed[library])


class _Altair:
    """Altair, imported at first use."""

    def __getattr__(self, name: str) -> Any:
        return getattr(require("altair"), name)


alt: Any = _Altair()


def chart(data: str) -> Any:
    """An Altair chart of a table."""
    return alt.Chart(alt.NamedData(name=data))


@dataclass(frozen=True, eq=False)
class Drawing:
    """A chart that names its data, with title and caption."""

    chart: Any  # of Altair, or a specification
    data: Mapping[str, Table]
    title: str
    subtitle: str
    sentences: Sequence[str]  # of the caption; empty ones are skipped
    legend: list[str] = field(default_factory=list)  # the entries of the legend, if there is one

    @classmethod
    def of(
        cls,
        results: Scores | Curves,
        style: Style,
        series: Series,
        chart: Any,
        data: Mapping[str, Table],
        *,
        title: str = "",
        subtitle: str = "",
        sentences: Sequence[str] | None = None,
    ) -> Drawing:
        """A drawing of runs by measures, with the words common to all figures.

        The caption defines the measures and names runs in grey; between these come the `sentences`, by
        default on how means were made.
        """
        if sentences is None:
            sentences = [averaging_note(len(results.topics), results.rules)]
        return cls(
            chart,
            data,
            title or style.measures(results.measures),
            subtitle or f"Mean of {counted(len(results.topics), 'topic')}",
            [definitions(results.measures, style.labels), *sentences, series.sentence],
            series.labels,
        )


def tooltip(*fields: str | tuple[str, ...]) -> list[Any]:
    """The fields of a tooltip: a name, or a name with a title and a format.

    tooltip("run", "rank", ("value", "nDCG@10"))
    """
    result = []
    for each in fields:
        field, title, *chosen = (each, each) if isinstance(each, str) else each
        shown = {} if field in NAMES else {"format": chosen[0] if chosen else FORMATS.get(field, VALUE)}
        result.append(alt.Tooltip(f"{field}:{'N' if field in NAMES else 'Q'}", title=title, **shown))
    return result


def arrange(plots: Sequence[Any], style: Style, *, height: float, names: Sequence[str] = ()) -> Any:
    """One plot as it is; several in rows as wide as the style allows, with one legend.

    `names` are labels of vertical axes, if these are not numbers.
    """
    if len(plots) == 1:
        return plots[0].properties(height=height)
    width = style.panel_width(len(plots)) - max(0.0, style.label_width(names) - NUMBERS)
    if not names:  # which need their height at any width
        height = min(height, width * 0.75)
    sized = [plot.properties(width=width, height=height) for plot in plots]
    return concatenate(sized, style.columns(len(plots)))


def concatenate(plots: Sequence[Any], columns: int) -> Spec:
    """Plots of known sizes in rows, with one legend; a shorter last row is centred."""
    parts = [*map(as_spec, plots)]
    shared = {"resolve": {"scale": dict.fromkeys(LOOKS, "shared")}, "spacing": GAP}
    if len(parts) <= columns or len(parts) % columns == 0:
        return {"concat": parts, "columns": columns, **shared}
    rows = [parts[start : start + columns] for start in range(0, len(parts), columns)]
    return {"vconcat": [{"hconcat": row, **shared} for row in rows], "center": True, **shared}


def as_spec(chart: Any) -> Spec:
    """The specification of a chart, which may be one already."""
    if isinstance(chart, dict):
        return chart
    # As a part of a larger chart, it takes nothing from a theme that a notebook may have set.
    spec: Spec = chart.to_dict(validate=False, context={"top_level": False})
    return spec


def longest_list(curves: Curves, runs: Sequence[str], topics: Sequence[str]) -> int:
    """The last rank with a document in these runs and topics; at least 1."""
    if curves.retrieved is None:
        return curves.depth
    rows, columns = [curves.runs.index(run) for run in runs], [curves.topics.index(each) for each in topics]
    return min(curves.depth, max(1, int(curves.retrieved[rows][:, columns].max(initial=0))))


def thin_ranks(depth: int, lines: int) -> list[int]:
    """The ranks at which to draw lines: all, or the first and then evenly spaced ones."""
    room = max(60, MAX_POINTS // max(1, lines))
    if depth <= room:
        return [*range(1, depth + 1)]
    first = room // 3  # where curves bend
    spaced = {first + round(step * (depth - first) / (room - first)) for step in range(room - first + 1)}
    return sorted({*range(1, first + 1), *spaced})


def ranks_drawn(last: int) -> str:
    """The ranks of a figure, in words."""
    return f"ranks 1 to {last:,}" if last > 1 else "rank 1"


@dataclass(frozen=True)
class Series:
    """Runs, or other things that colours distinguish, as series of a figure."""

    names: Mapping[str, str]  # {run: its label}
    entry_of: Mapping[str, str]  # {run: the label of its legend entry}
    coloured: tuple[str, ...]  # the runs with an entry of their own
    entries: Mapping[str, Look]  # {label: how its runs are drawn} of the legend
    ideal: str = ""  # the label of the ideal, if there is one
    noun: str = "run"
    always_legend: bool = False  # show a legend even with a single entry
    highlighted: bool = False  # those in colour were chosen

    @classmethod
    def assign(
        cls,
        values: Mapping[str, float],
        style: Style,
        highlight: Sequence[str] = (),
        *,
        ideal: bool = False,
        noun: str = "run",
        always_legend: bool = False,
        results: Scores | Curves | None = None,
    ) -> Series:
        """Series for {run: how good it is}: all in colour if few, else the highlighted or the best.

        Runs with the same values throughout `results` share a line and an entry of the legend. A single
        series has a legend only with `always_legend`.
        """
        names, c = unique_labels(values, call=style.name), style.colours
        first = _originals(results) if results is not None else {}
        alike: dict[str, list[str]] = {}
        for run in values:
            alike.setdefault(first.get(run, run), []).append(run)
        highlighted = [first.get(check_name(noun, run, [*values]), run) for run in highlight]
        coloured = _coloured({run: values[run] for run in alike}, highlighted, noun)
        joined = {run: _joined([names[each] for each in alike[run]]) for run in coloured}
        entries = {label: look(place, style) for place, label in enumerate(joined.values())}
        entry_of = {each: label for run, label in joined.items() for each in alike[run]}
        (ideal_label,) = unique_labels(["ideal"], names.values()).values()
        if ideal:
            entries[ideal_label] = _look(c.ink, DOTTED, "stroke")
        if others := len(values) - len(entry_of):
            name = f"{others} other {noun}{'s' if others > 1 else ''}"
            (label,) = unique_labels([name], [*names.values(), ideal_label]).values()
            entries[label] = _look(c.muted, DASHES[0], "circle", 0.5)
            entry_of |= {run: label for run in values if run not in entry_of}
        return cls(
            names,
            entry_of,
            tuple(coloured),
            entries,
            ideal_label if ideal else "",
            noun,
            always_legend,
            bool(highlight),
        )

    @property
    def labels(self) -> list[str]:
        """The labels of all entries."""
        return [*self.entries]

    @property
    def repeats_colours(self) -> bool:
        """Whether lines need marks, since colours repeat."""
        return len(self.coloured) > MAX_COLOURS

    @property
    def back_to_front(self) -> list[str]:
        """The runs in drawing order: grey ones first, the first coloured one on top."""
        return [run for run in self.entry_of if run not in self.coloured] + [*reversed(self.coloured)]

    def table(self, columns: Sequence[str], rows: Mapping[str, Iterable[Sequence[Cell]]]) -> Table:
        """The rows of {run: rows} in drawing order, behind the name and the series of the run."""
        own = {run: [self.names[run], self.entry_of[run]] for run in self.back_to_front}
        return Table(("run", "series", *columns), [[*own[run], *row] for run in own for row in rows[run]])

    @property
    def sentence(self) -> str:
        """Caption sentences on runs in grey, and on runs that share an entry."""
        in_colour = {self.entry_of[run] for run in self.coloured}
        shown = sum(label in in_colour for label in self.entry_of.values())
        same = f"{self.noun.capitalize()}s joined by = have the same values." * (shown > len(in_colour))
        if shown == len(self.entry_of):
            return same
        best = "best" if self.noun == "run" else "highest"
        which = "highlighted ones" if self.highlighted else f"{shown} {best}"
        grey = f"Of {len(self.entry_of)} {self.noun}s, the {which} are in colour, the others in grey."
        return f"{grey} {same}".rstrip()

    def looks(self, *channels: str, points: bool = False) -> dict[str, Any]:
        """Encodings of series by these channels; with `points`, the legend shows points for lines."""
        encodings = {}
        for channel in channels:
            hidden = points and channel.startswith("stroke")
            # Vega-Lite merges legends whose scales have the same domain, also hidden ones; so it is another.
            labels = self.labels[:: -1 if hidden else 1]
            values = [self.entries[label][channel] for label in labels]
            shown = not hidden and (self.always_legend or len(labels) > 1)
            encodings[channel] = getattr(alt, channel[0].upper() + channel[1:])(
                "series:N",
                # By default, widths would be spaced evenly between the first and the last.
                scale=alt.Scale(type="ordinal", domain=labels, range=values),
                legend=alt.Legend(**legend(points=points)) if shown else None,
                sort=self.labels,
            )
        return encodings


def legend(*, points: bool) -> dict[str, Any]:
    """The legend of series: points, or lines even where areas have the same colour."""
    return {"title": None} | (
        {"symbolSize": 45, "rowPadding": 2, "symbolStrokeWidth": 0.5} if points else {"symbolType": "stroke"}
    )


def look(place: int, style: Style) -> Look:
    """The look of a series; when colours repeat, dashes and shapes differ."""
    other = place + place // len(DASHES) * 3
    colour = style.colours.series[place % MAX_COLOURS]
    return _look(colour, DASHES[other % len(DASHES)], SHAPES[other % len(SHAPES)])


def _look(colour: str, dash: Sequence[float], shape: str, weight: float = 1.3) -> Look:
    return dict(zip(LOOKS, (colour, [*dash], weight, shape), strict=True))


def _originals(results: Scores | Curves) -> dict[str, str]:
    """{run: the first run with the same values throughout, perhaps itself}."""
    seen: dict[bytes, str] = {}
    return {
        run: seen.setdefault(sha256(values.tobytes()).digest(), run)
        for run, values in zip(results.runs, results.values, strict=True)
    }


def _joined(labels: Sequence[str], most: int = 3) -> str:
    """The entry of runs that share a line."""
    return " = ".join([*labels[:most], *([f"{len(labels) - most} more"] if len(labels) > most else [])])


def _coloured(values: Mapping[str, float], highlight: Sequence[str], noun: str) -> list[str]:
    highlighted = [check_name(noun, run, [*values]) for run in dict.fromkeys(highlight)]
    if len(highlighted) > MAX_HIGHLIGHTED:
        raise OptionError(f"at most {MAX_HIGHLIGHTED} {noun}s can be highlighted, not {len(highlighted)}")
    limit = MAX_SERIES if noun == "run" else MAX_HIGHLIGHTED  # all lines of a table are there to be read
    if len(values) <= limit:
        return [*values]
    # Sorting is stable: equally good runs keep their order.
    best = sorted(values, key=lambda run: math.inf if math.isnan(values[run]) else -values[run])
    return highlighted or best[:MAX_COLOURS]
