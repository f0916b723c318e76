"""Runs as series of a figure: what they are called, and which of them are in colour."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.figures.figure import needed
from rankgauge.figures.labels import legible
from rankgauge.figures.theme import DASHES, DOTTED, MOST, SHAPES, Style
from rankgauge.schema.text import nearest

BEST = 3  # runs in colour, where there are too many for all and none was chosen


def labels(ids: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """{id: what it is called in a figure}: printable, and never two alike."""
    used, found = set(taken), {}
    for each in ids:
        label = legible(each)
        while label in used:
            label += "′"
        used.add(label)
        found[each] = label
    return found


def known(what: str, name: str, names: Sequence[str]) -> str:
    """The name, if it is one of these; otherwise an error with the nearest."""
    if name in names:
        return name
    shown = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    raise OptionError(f"no {what} is called {name!r}{nearest(name, names)}; there are {shown}")


@dataclass(frozen=True)
class Entry:
    """An entry of a legend, and how what belongs to it is drawn."""

    label: str
    colour: str
    dash: Sequence[float]
    shape: str
    weight: float  # of a line


@dataclass(frozen=True)
class Series:
    """Runs, or whatever is told apart by colour, as series of a figure."""

    names: Mapping[str, str]  # {run: what it is called}
    of: Mapping[str, str]  # {run: the label of its entry}
    coloured: tuple[str, ...]  # the runs with an entry of their own
    entries: tuple[Entry, ...]
    ideal: str = ""  # the label of the ideal, if it is there
    what: str = "run"
    told: bool = False  # a legend also of one alone

    @classmethod
    def cast(
        cls,
        values: Mapping[str, float],
        style: Style,
        highlight: Sequence[str] = (),
        *,
        ideal: bool = False,
        what: str = "run",
        told: bool = False,
    ) -> Series:
        """The runs of {run: how good it is}: all in colour if they are few, else the chosen and the best.

        One alone has no legend, unless it is to be `told`.
        """
        names, coloured = labels(values), _in_colour(values, highlight, what)
        c = style.colours
        entries = [Entry(names[run], *_look(place, style), 1.3) for place, run in enumerate(coloured)]
        of = {run: names[run] for run in coloured}
        (ideals,) = labels(["ideal"], names.values()).values()
        if ideal:
            entries.append(Entry(ideals, c.ink, DOTTED, "stroke", 1.3))
        if others := len(values) - len(coloured):
            said = f"{others} other {what}{'s' if others > 1 else ''}"
            (rest,) = labels([said], [*names.values(), ideals]).values()
            entries.append(Entry(rest, c.rest, DASHES[0], "circle", 0.35))
            of |= {run: rest for run in values if run not in of}
        return cls(names, of, tuple(coloured), tuple(entries), ideals if ideal else "", what, told)

    @property
    def labels(self) -> list[str]:
        """The labels of all entries."""
        return [entry.label for entry in self.entries]

    @property
    def back_to_front(self) -> list[str]:
        """The runs in the order in which they are drawn: those in grey first, the first one on top."""
        return [run for run in self.of if run not in self.coloured] + [*reversed(self.coloured)]

    @property
    def sentence(self) -> str:
        """What a caption says of runs that are in grey."""
        if len(self.of) == len(self.coloured):
            return ""
        best = "best" if self.what == "run" else "highest"
        return f"Of {len(self.of)} {self.what}s the {best} and the chosen are in colour, the others in grey."

    def colour(self, *, points: bool = False) -> Any:
        """The encoding that gives each series its colour; in a legend of points if that is what it has."""
        return self._encoding("Color", [entry.colour for entry in self.entries], points)

    def dash(self) -> Any:
        """The encoding that gives each series its dash."""
        return self._encoding("StrokeDash", [[*entry.dash] for entry in self.entries])

    def weight(self) -> Any:
        """The encoding that gives each series its weight of line."""
        return self._encoding("StrokeWidth", [entry.weight for entry in self.entries])

    def shape(self) -> Any:
        """The encoding that gives each series its shape."""
        return self._encoding("Shape", [entry.shape for entry in self.entries], True)

    def _encoding(self, channel: str, values: list[Any], points: bool = False) -> Any:
        alt = needed("altair")
        # A line is shown as a line, also where there are areas and points of its colour.
        looks = {"symbolSize": 45, "rowPadding": 2} if points else {"symbolType": "stroke"}
        legend = alt.Legend(title=None, **looks) if self.told or len(self.entries) > 1 else None
        scale = alt.Scale(domain=self.labels, range=values)
        return getattr(alt, channel)("series:N", scale=scale, legend=legend, sort=self.labels)


def _look(place: int, style: Style) -> tuple[str, Sequence[float], str]:
    """Colour, dash and shape of a series; colours come again with other dashes and shapes."""
    other = place + place // len(DASHES) * 3
    return style.colours.series[place % MOST], DASHES[other % len(DASHES)], SHAPES[other % len(SHAPES)]


def _in_colour(values: Mapping[str, float], highlight: Sequence[str], what: str) -> list[str]:
    chosen = [known(what, run, [*values]) for run in dict.fromkeys(highlight)]
    most = MOST if what == "run" else 2 * MOST  # lines of a table are all there to be read
    if len(chosen) >= most:
        raise OptionError(f"at most {most - 1} {what}s can be highlighted, not {len(chosen)}")
    if len(values) <= most:
        return [*values]
    # sorting is stable: of equals it is the one that was given first
    best = sorted(values, key=lambda run: math.inf if math.isnan(values[run]) else -values[run])
    return [*dict.fromkeys([*chosen, *best[: 1 if chosen else BEST]])]
