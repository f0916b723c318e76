"""Checks of option values: each returns the value, or raises an error that lists what is allowed."""

from collections.abc import Iterable

from rankgauge.errors import OptionError
from rankgauge.schema.text import nearest

MOST_DIGITS = 30  # of a number; Python refuses to read thousands


def whole_number(option: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Return `value` if it is a whole number from `least` to `most`, otherwise raise an OptionError."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= (most or value):
        return value
    raise OptionError(f"{option} must be {whole_words(least, most)}, not {value!r}")


def read_whole_number(option: str, text: str, least: int = 1, most: int | None = None) -> int:
    """The whole number that a text holds, from `least` to `most`; otherwise raise an OptionError."""
    digits = text.strip()
    if digits.isdecimal() and len(digits) <= MOST_DIGITS and least <= int(digits) <= (most or int(digits)):
        return int(digits)
    raise OptionError(f"{option} must be {whole_words(least, most)}, not {text!r}")


def whole_words(least: int, most: int | None = None) -> str:
    """The range of whole numbers as errors and help name it: 'a whole number from 1 to 10'."""
    return f"a whole number from {least}{'' if most is None else f' to {most}'}"


def choice(option: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the allowed words, otherwise raise an OptionError that lists them."""
    allowed = tuple(allowed)
    if isinstance(value, str) and value in allowed:
        return value
    hint = nearest(value, allowed) if isinstance(value, str) else ""
    raise OptionError(f"{option} must be one of {', '.join(allowed)}, not {value!r}{hint}")
