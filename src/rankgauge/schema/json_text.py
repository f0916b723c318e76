"""JSON text, and what NaN and infinity become, for which JSON has no numbers.

NaN, an undefined value, is always null. An infinite value is null as well where a result is only reported,
and "inf" or "-inf" where a program may want it back (`infinity="text"`): tables, files of scores,
explanations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, isnan
from typing import Any

PLAIN = {str, int, float, bool, type(None)}  # types of values that JSON writes as they are
BREAK = "\0"  # where a line ends; JSON text never contains it


def to_json(
    value: object,
    indent: int | None = None,
    *,
    infinity: str = "null",
    ascii_only: bool = False,
    compact: bool = False,
) -> str:
    """A value as JSON text, on one line or indented; `compact` leaves out spaces after commas and colons.

    Text that is not valid Unicode is escaped; with `ascii_only`, all that is not ASCII.
    """
    import json

    comma = ", " if not compact else ","

    def dump(value: object, *, ascii_only: bool) -> str:
        write = json.JSONEncoder(
            ensure_ascii=ascii_only,
            allow_nan=False,
            separators=(comma if indent is None else f",{BREAK}", ":" if compact else ": "),
            default=_plain,
        ).encode
        return write(value) if indent is None else _indented(value, "\n", " " * indent, write)

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


def _indented(value: Any, line: str, step: str, write: Callable[[Any], str]) -> str:
    """The same text as Python's own encoder has it, which takes more than twice as long.

    `line` begins a line; `write` has everything on one line, with a BREAK after each comma.
    """
    if not isinstance(value, (dict, list, tuple, str, int, float, type(None))):
        value = _plain(value)
    if not isinstance(value, (dict, list, tuple)) or not value:
        return write(value)
    inner, deeper = line + step, line + 2 * step
    is_dict = isinstance(value, dict)
    parts = value.values() if isinstance(value, dict) else value
    kinds = {*map(type, parts)}
    if kinds <= PLAIN:
        body = write(value)[1:-1].replace(BREAK, inner)
    elif (
        not is_dict
        and kinds == {dict}
        and all(each and {*map(type, each.values())} <= PLAIN for each in parts)
    ):
        body = write(value)[2:-2].replace(f"}},{BREAK}{{", f"{inner}}},{inner}{{{deeper}")
        body = f"{{{deeper}{body.replace(BREAK, deeper)}{inner}}}"
    elif isinstance(value, dict):
        body = f",{inner}".join(
            f"{write({key: 0})[1:-2]}{_indented(each, inner, step, write)}" for key, each in value.items()
        )
    else:
        body = f",{inner}".join(_indented(each, inner, step, write) for each in parts)
    return f"{'{' if is_dict else '['}{inner}{body}{line}{'}' if is_dict else ']'}"


def json_value(value: Any, *, infinity: str = "null", other: Callable[[Any], Any] | None = None) -> Any:
    """A value as JSON can hold it; `other` converts what it cannot."""
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
    """A scalar or array as plain numbers, without importing NumPy."""
    try:
        return value.tolist()
    except AttributeError:
        raise TypeError(f"{type(value).__name__} cannot be written as JSON") from None
