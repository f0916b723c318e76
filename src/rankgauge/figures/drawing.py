"""Drawings, which the functions of figures return, with their tooltips and the points that are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankgauge.errors import MissingDependency
from rankgauge.model.output.tables import Table

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves
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


def require(library: str) -> Any:
    """Import a plotting library, or raise an error that says how to install it."""
    import importlib

    names = {"altair": "altair", "vl_convert": "vl-convert-python"}
    try:
        return importlib.import_module(library)
    except ImportError:
        raise MissingDependency("a figure", names[library], "plot") from None


class _Altair:
    """Altair, which is imported when it is first used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(require("altair"), name)


alt: Any = _Altair()


def chart(data: str) -> Any:
    """An Altair chart of the table with this name."""
    return alt.Chart(alt.NamedData(name=data))


@dataclass(frozen=True, eq=False)
class Drawing:
    """A chart that refers to its data by name, with its title and caption."""

    chart: Any  # an Altair chart
    data: Mapping[str, Table]
    title: str
    subtitle: str
    sentences: Sequence[str]  # of the caption; empty ones are skipped
    legend: list[str] = field(default_factory=list)  # the entries of the legend, if there is one
    fits: bool = True  # a single plot, as wide as its axes allow


def tooltip(*fields: str | tuple[str, ...]) -> list[Any]:
    """The tooltip of a mark: fields that have their own names as titles, or with a title, or also a format.

    tooltip("run", "rank", ("value", "nDCG at 10"))
    """
    result = []
    for each in fields:
        field, title, *chosen = (each, each) if isinstance(each, str) else each
        shown = {} if field in NAMES else {"format": chosen[0] if chosen else FORMATS.get(field, VALUE)}
        result.append(alt.Tooltip(f"{field}:{'N' if field in NAMES else 'Q'}", title=title, **shown))
    return result


def longest_list(curves: Curves, runs: Sequence[str], topics: Sequence[str]) -> int:
    """The last rank at which one of these runs has a document for one of the topics; at least 1."""
    if curves.retrieved is None:
        return curves.depth
    rows, columns = [curves.runs.index(run) for run in runs], [curves.topics.index(each) for each in topics]
    return min(curves.depth, max(1, int(curves.retrieved[rows][:, columns].max(initial=0))))


def thin_ranks(depth: int, lines: int) -> list[int]:
    """The ranks at which to draw this number of lines: all, or the first ones and then evenly spaced ones."""
    room = max(60, MAX_POINTS // max(1, lines))
    if depth <= room:
        return [*range(1, depth + 1)]
    first = room // 3  # where curves bend
    spaced = {first + round(step * (depth - first) / (room - first)) for step in range(room - first + 1)}
    return sorted({*range(1, first + 1), *spaced})


def ranks_drawn(last: int) -> str:
    """The ranks of a figure, in words."""
    return f"ranks 1 to {last:,}" if last > 1 else "rank 1"
