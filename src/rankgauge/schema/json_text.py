"""JSON text: the one place that writes it, and that decides what NaN and infinity become.

JSON has numbers for neither. NaN, an undefined value, is always null. An infinite value is null as well where
a result is only reported, and the text "inf" or "-inf" where a program may want it back (`infinity="text"`):
tables, files of scores and explanations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import isfinite, isnan
from typing import Any

_SCALARS = {str, int, float, bool, type(None)}


def to_json(
    value: object,
    indent: int | None = None,
    *,
    infinity: str = "null",
    ascii_only: bool = False,
    compact: bool = False,
) -> str:
    """A value as JSON text, on one line or indented; `compact` leaves out spaces after commas and colons.

    Text is written as it is, or escaped where `ascii_only` asks for it or where it is not valid Unicode.
    """
    import json

    def dump(value: object, *, ascii_only: bool) -> str:
        @cache
        def encoder(separator: str) -> Callable[[object], str]:
            return json.JSONEncoder(
                ensure_ascii=ascii_only,
                allow_nan=False,
                separators=(separator, ":" if compact else ": "),
                default=_plain,
            ).encode

        if indent is None:
            return encoder("," if compact else ", ")(value)
        return "".join(_indented(value, " " * indent, "\n", encoder))

    try:
        text = dump(value, ascii_only=ascii_only)
    except ValueError:  # some number is NaN or infinite
        value = json_value(value, infinity=infinity)
        text = dump(value, ascii_only=ascii_only)
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        return dump(value, ascii_only=True)
    return text


def _indented(
    value: Any, indent: str, newline: str, encoder: Callable[[str], Callable[[object], str]]
) -> Iterator[str]:
    """The text of a value as the json module indents it, in pieces; `newline` has the indentation so far.

    Only text on one line is written by compiled code there. So lists and dicts of numbers and texts alone,
    which are most of a large text, are written as such a line, with line breaks between the items.
    """
    is_dict = isinstance(value, dict)
    within = newline + indent
    if not is_dict and not isinstance(value, (list, tuple)):
        if isinstance(value, (str, int, float, type(None))):
            yield encoder(", ")(value)
        else:
            yield from _indented(_plain(value), indent, newline, encoder)
    elif not value:
        yield "{}" if is_dict else "[]"
    elif {*map(type, value.values() if is_dict else value)} <= _SCALARS:
        text = encoder(f",{within}")(value)
        yield f"{text[0]}{within}{text[1:-1]}{newline}{text[-1]}"
    else:
        before = f"{'{' if is_dict else '['}{within}"
        for key in value if is_dict else range(len(value)):
            yield before
            if is_dict:
                yield encoder(", ")({key: 0})[1:-2]  # the key and its colon
            yield from _indented(value[key], indent, within, encoder)
            before = f",{within}"
        yield f"{newline}{'}' if is_dict else ']'}"


def json_value(value: Any, *, infinity: str = "null", other: Callable[[Any], Any] | None = None) -> Any:
    """A value as JSON can hold it: dicts, lists, texts, numbers and None; `other` converts anything else."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if isfinite(value):
            return value
        return str(value) if infinity == "text" and not isnan(value) else None
    if isinstance(value, Mapping):
        return {
            str(key): each
            if type(each) is str or (type(each) is float and isfinite(each))  # most are, and need no call
            else json_value(each, infinity=infinity, other=other)
            for key, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [json_value(each, infinity=infinity, other=other) for each in value]
    return other(value) if other else json_value(_plain(value), infinity=infinity)


def _plain(value: Any) -> Any:
    """A scalar or an array of NumPy as plain numbers, without importing NumPy to recognise it."""
    try:
        return value.tolist()
    except AttributeError:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON") from None
