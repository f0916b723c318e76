"""Recoding of grades, before anything else sees the judgments.

Papers merge grades before they measure: 1=0,2=1,3=1 makes a scale from 0 to 3 binary and strict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.problems import LARGEST_GRADE, parse_number
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import setting
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import format_number, repeated

if TYPE_CHECKING:
    from rankgauge.formats.columns import Columns

UNJUDGED = "unjudged"  # in place of a grade: the judgment is left out
EXAMPLE = "1=0,2=1,3=1"
MAX_SHOWN = 8  # grades of the judgments in a message


class Recoding(Frozen):
    """A new grade for some grades; the others stay."""

    table: tuple[tuple[float, float | None], ...]  # (grade, new grade; None: unjudged), by grade

    @classmethod
    def of(cls, value: Any) -> Recoding:
        """The recoding of {grade: new grade or None}, or of a text such as 1=0,3=unjudged."""
        if isinstance(value, Recoding):
            return value
        pairs = _pairs_of_text(value) if isinstance(value, str) else _pairs_of_mapping(value)
        if not pairs:
            raise OptionError(f"grades names no grade; {_allowed()}")
        for grade in repeated(grade for grade, _ in pairs):
            raise OptionError(f"grades names grade {format_number(grade)} twice; give it one new grade")
        return cls(tuple(sorted(pairs, key=lambda pair: pair[0])))

    def __str__(self) -> str:
        return ",".join(
            f"{format_number(grade)}={UNJUDGED if new is None else format_number(new)}"
            for grade, new in self.table
        )

    @property
    def setting(self) -> str:
        """The setting of the option, as a message shows it."""
        return setting("grades", str(self), python=repr(str(self)))

    @property
    def grades(self) -> list[float]:
        """The grades that are changed, ascending."""
        return [grade for grade, _ in self.table]

    @property
    def unjudged(self) -> list[float]:
        """The grades whose judgments are left out."""
        return [grade for grade, new in self.table if new is None]

    def recode(self, columns: Columns) -> Columns:
        """The judgments in these columns with their new grades."""
        import numpy as np

        columns = columns.checked()
        value, path = columns.value.copy(), columns.path(0)
        kept = np.ones(len(value), dtype=bool)
        for grade, new in self.table:
            rows = columns.value == grade
            if new is None:
                kept &= ~rows
            else:
                value[rows] = new
        self.require_some(bool(np.isin(columns.value, self.grades).any()), columns.value.tolist(), path)
        self.require_left(bool(kept.any()), path)
        return columns.with_values(value, kept)

    def require_some(self, present: bool, levels: Iterable[float], path: str | None = None) -> None:
        """Raise an error if none of the grades is among `levels`."""
        if not present:
            shown = [format_number(level) for level in sorted({*levels})]
            listed = ", ".join([*shown[:MAX_SHOWN], *["..."][: len(shown) > MAX_SHOWN]])
            raise InputError(
                f"{self.setting} changes none of the judgments, "
                f"whose grades are {listed}; name some of these, or leave the option out",
                path=path,
            )

    def require_left(self, left: bool, path: str | None = None) -> None:
        """Raise an error if no judgment is left."""
        if not left:
            raise InputError(
                f"{self.setting} leaves no judgment; keep at least one grade",
                path=path,
            )


def _pairs_of_text(text: str) -> list[tuple[float, float | None]]:
    pairs = []
    for part in text.split(",") if text.strip() else []:
        grade, equals, new = (piece.strip() for piece in part.partition("="))
        if not (grade and equals and new):
            raise OptionError(f"grades cannot be read at {part.strip()!r}; {_allowed()}")
        pairs.append((_grade(_number(grade), part), None if new == UNJUDGED else _grade(_number(new), part)))
    return pairs


def _pairs_of_mapping(value: Any) -> list[tuple[float, float | None]]:
    if not isinstance(value, Mapping):
        raise OptionError(f"grades must be a text or a dict, not {value!r}; {_allowed()}")
    return [
        (_grade(grade, f"{grade!r}: {new!r}"), None if new is None else _grade(new, f"{grade!r}: {new!r}"))
        for grade, new in value.items()
    ]


def _number(text: str) -> float | None:
    return parse_number(to_bytes(text))


def _grade(value: Any, part: str) -> float:
    if not is_number(value) or not abs(value) <= LARGEST_GRADE:
        raise OptionError(f"grades cannot be read at {part.strip()!r}; {_allowed()}")
    return float(value) + 0.0  # -0 is 0


def _allowed() -> str:
    return (
        "use old=new with finite numbers, such as "
        f"{setting('grades', EXAMPLE, python='{1: 0, 2: 1, 3: 1}')}; "
        f"{setting('grades', f'1={UNJUDGED}', python='{1: None}')} leaves the judgments of a grade out"
    )
