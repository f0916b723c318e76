"""Functions over the values of `Scores`: as tests compare them, as arrays, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError
from rankgauge.schema.text import unknown_name

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

KIND = "rankgauge scores 2"  # the number changes when older versions could not read the file
BY_NAME = "name"  # the order of runs by their names


def topic_values(
    scores: Any, place: int, direction: int, topics: slice = slice(None)
) -> tuple[npt.NDArray[np.float64], list[str]]:
    """(runs, topics) of one measure, NaN where a topic does not count; and notes on what was left out.

    The only place that decides how undefined and infinite values enter a comparison.
    """
    import numpy as np

    measure = scores.measures[place]
    unsolved = scores.provenance.measure(measure).unsolved
    solved = np.array([topic not in unsolved for topic in scores.topics[topics]], dtype=np.bool_)
    counted = scores.counted[:, topics]
    values: npt.NDArray[np.float64] = np.where(counted, scores.values[:, place, topics], np.nan)
    notes = []
    undefined = np.isnan(values) & counted & solved
    if undefined.any():
        effect = "are left out"
        if scores.rules.undefined == "zero" and direction >= 0:
            values[undefined] = 0.0
            effect = "count as 0"
        if not any(facts.undefined.get(measure) for facts in scores.provenance.runs.values()):
            notes.append(f"{measure}: undefined values {effect} ({int(undefined.sum())})")
    if np.isinf(values).any():
        notes.append(f"{measure}: infinite values are left out ({int(np.isinf(values).sum())})")
        values[np.isinf(values)] = np.nan
    if (average := scores.average(measure)) != "mean":
        notes.append(f"{measure}: tests compare the means of topic values, not average={average}")
    return values, notes


def header(scores: Any) -> dict[str, Any]:
    """All that files of scores hold beside the values."""
    return {
        "kind": KIND,
        "runs": scores.runs,
        "measures": scores.measures,
        "topics": scores.topics,
        "values": len(scores.measures) * sum(sum(row.tolist()) for row in scores.counted),
        "rules": scores.rules.as_dict(),
        "provenance": scores.provenance.as_dict(),
        **(
            {"weights": {m: [row.tolist() for row in w] for m, w in scores.weights.items()}}
            if scores.weights
            else {}
        ),
    }


def json_text(
    scores: Any,
    *,
    topics: bool = True,
    interval: bool = False,
    by: Any = None,
    indent: int | None = None,
) -> str:
    """Scores as JSON; without topics the means, perhaps with intervals and by segment."""
    from rankgauge.schema.json_text import to_json

    values: dict[str, Any] = {"interval": scores.interval()} if interval else {}
    if by is not None:
        values["segments"] = {
            name: {"topics": part.topics, "mean": part.mean(), "interval": part.interval()}
            for name, part in scores.by_segment(by).items()
        }
    values |= scores.json_fields()
    if topics:
        values["scores"] = scores.to_dict()
    return to_json({**header(scores), "mean": scores.mean(), **values}, indent, infinity="text")


def plain_name(text: str) -> str:
    """A name of ASCII letters, digits and _ for a program."""
    import re

    name = re.sub("[^A-Za-z0-9]+", "_", text.replace("@", "_at_")).strip("_")
    return name if name and not name[0].isdigit() else f"_{name}"


def as_array(table: Any) -> npt.NDArray[Any]:
    """A table as an array, also where it is a list."""
    import numpy as np

    def plain(part: Any) -> Any:
        part = part if type(part) is list else part.tolist()
        return [*map(plain, part)] if part and hasattr(part[0], "__len__") else part

    return np.array(plain(table)) if isinstance(table, list) else table


def take(table: Any, rows: list[int], columns: list[int] | None = None) -> Any:
    """Some rows and columns of an array or list."""
    if isinstance(table, list):
        chosen = [table[row] for row in rows]
        return chosen if columns is None else [[row[column] for column in columns] for row in chosen]
    return table[rows] if columns is None else table[rows][:, columns]


def find_places(what: str, names: Iterable[str], known: Sequence[str]) -> list[int]:
    """The indices of known names; an unknown name is an error."""
    places = {name: place for place, name in enumerate(known)}
    indices = []
    for name in names:
        if name not in places:
            raise InputError(unknown_name(f"{what} here", name, known))
        indices.append(places[name])
    if not indices:
        raise InputError(f"no {what} is selected; choose at least one of {len(known)}")
    return indices
