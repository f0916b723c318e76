"""Labels: the names of runs, measures, topics, collections and teams in print."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from rankgauge.errors import InputError, OptionError
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import delimited_rows
from rankgauge.measures.language import canonical
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import repeated

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    LabelsLike: TypeAlias = "Mapping[str, str] | str | os.PathLike[str] | Labels | None"

HEADER = ("name", "label")
SOME = 5  # names that are listed
LAYOUT = "a JSON object {name: label}, or two columns, name and label, separated by a tab, comma or semicolon"


class Labels(Frozen):
    """Labels of names; a name without one is its own."""

    by_name: Mapping[str, str] = {}
    written: tuple[str, ...] = ()  # the names as they were given, without other spellings

    @classmethod
    def read(cls, source: LabelsLike) -> Labels:
        """Labels from {name: label}, or from a file of such an object in JSON, or of two columns; None has
        none.

        A measure may be named in any spelling.
        """
        if isinstance(source, Labels):
            return source
        rows: Iterable[tuple[int | None, Any, Any]]
        if source is None or isinstance(source, Mapping):
            path, rows = None, ((None, name, label) for name, label in (source or {}).items())
        elif isinstance(source, (str, os.PathLike)):
            path, rows = os.fspath(source), _rows(Source(source))
        else:
            raise OptionError(f"labels are {{name: label}}, or the path of a file of them, not {source!r}")
        written: dict[str, str] = {}
        measures: dict[str, tuple[str, str]] = {}  # {canonical text: (name as written, label)}
        for line, name, label in rows:
            if not all(isinstance(text, str) and text.strip() for text in (name, label)):
                message = f"the label of {name!r} is {label!r}; both must be texts that are not empty"
                raise InputError(message, path=path, line=line)
            if not (_is_writable(name) and _is_writable(label)):
                message = f"the label of {name!r} is {label!r}; half of a surrogate pair is no character"
                raise InputError(message, path=path, line=line)
            if name in written:
                message = f"{quote(name)} has two labels, {quote(written[name])} and {quote(label)}; keep one"
                raise InputError(message, path=path, line=line)
            written[name] = label
            measure = canonical(name)
            other, its_label = measures.setdefault(measure, (name, label))
            if its_label != label and measure not in (name, other):
                message = f"{quote(other)} and {quote(name)} are the same measure, with two labels; keep one"
                raise InputError(message, path=path, line=line)
        in_full = {measure: label for measure, (_, label) in measures.items()}
        return cls({**in_full, **written}, tuple(written))

    def __call__(self, name: str) -> str:
        """The label of a name, or the name itself."""
        return self.by_name.get(name, name)

    def distinct(self, noun: str, names: Iterable[str]) -> tuple[str, ...]:
        """The labels of names, which must differ."""
        shown = tuple(map(self, names))
        for twice in repeated(shown):
            raise OptionError(f"two {noun} have the label {twice!r}; each needs one of its own")
        return shown

    def unmatched(self, names: Iterable[str]) -> list[str]:
        """A sentence on labels of none of these names, if any."""
        known = {*names}
        unused = [name for name in self.written if not {name, canonical(name)} & known]
        if not unused:
            return []
        few = ", ".join(map(quote, unused[:SOME]))
        more = f" and {len(unused) - SOME} more" if len(unused) > SOME else ""
        what = "the label is" if len(unused) == 1 else "these labels are"
        return [f"no run, measure or topic named {few}{more}; {what} not used"]


def _is_writable(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _rows(source: Source) -> Iterator[tuple[int | None, Any, Any]]:
    if source.head.lstrip().startswith(b"{"):
        yield from ((None, *pair) for pair in _json(source))
        return
    is_first = True
    for line, cells in delimited_rows(source):
        names = tuple(cell.strip() for cell in cells)
        if names[0].startswith("#"):
            continue
        if len(names) != 2 or not all(names):
            found = quote(", ".join(cells))
            message = f"expected a name and its label, found {found}; labels are {LAYOUT}"
            raise InputError(message, path=source.path, line=line)
        if not (is_first and tuple(map(str.casefold, names)) == HEADER):
            yield line, *names
        is_first = False


def _json(source: Source) -> list[tuple[Any, Any]]:
    """The names and labels of an object, in which a name may occur twice."""
    import json

    try:
        text = b"".join(source.chunks()).decode("utf-8", "surrogateescape")
        pairs: list[tuple[Any, Any]] = json.loads(text, object_pairs_hook=list)
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg}; labels are {LAYOUT}"
        raise InputError(message, path=source.path, line=error.lineno) from None
    except (RecursionError, ValueError) as error:  # Python refuses integers of thousands of digits
        reason = "the JSON is too deep" if isinstance(error, RecursionError) else "a number is too long"
        raise InputError(f"{reason}; labels are {LAYOUT}", path=source.path) from None
    return pairs
