"""Checks of the values of options, and of what files hold; errors say what is allowed."""

from collections.abc import Callable, Iterable

from rankgauge.errors import OptionError
from rankgauge.schema.text import nearest

LARGEST = (1 << 63) - 1  # the compiled code counts up to this
MAX_DIGITS = 30  # of a number; Python refuses to read thousands


def whole_number(option: str, value: object, least: int = 1, most: int = LARGEST) -> int:
    """Return `value` if it is a whole number from `least` to `most`, otherwise raise an OptionError."""
    whole = value if isinstance(value, int) and not isinstance(value, bool) else None
    if whole is not None and least <= whole <= most:
        return whole
    end = most if most < LARGEST or (whole or 0) > most else None
    raise OptionError(f"{option} must be {whole_words(least, end)}, not {value!r}")


def read_whole_number(option: str, text: str, least: int = 1, most: int = LARGEST) -> int:
    """The whole number that a text holds, from `least` to `most`; otherwise raise an OptionError."""
    digits = text.strip().lstrip("0") or "0"
    return whole_number(option, int(digits[:MAX_DIGITS]) if text.strip().isdecimal() else text, least, most)


def whole_words(least: int, most: int | None = None) -> str:
    """The range of whole numbers as errors and help name it: 'a whole number from 1 to 10'."""
    return f"a whole number from {least}{'' if most is None else f' to {most}'}"


def keywords(function: Callable[..., object]) -> tuple[str, ...]:
    """The names of the options that a function takes."""
    from inspect import signature  # slow to import

    return tuple(signature(function).parameters)


def choice(option: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the allowed words, otherwise raise an OptionError that lists them."""
    allowed = tuple(allowed)
    if isinstance(value, str) and value in allowed:
        return value
    hint = nearest(value, allowed) if isinstance(value, str) else ""
    raise OptionError(f"{option} must be one of {', '.join(allowed)}, not {value!r}{hint}")


def expect(condition: object, what: str, expected: str, value: object) -> None:
    """Raise a ValueError if the condition does not hold: this value of something is not as expected."""
    if not condition:
        from reprlib import repr as shortened

        raise ValueError(f"expected {what} to be {expected}, not {shortened(value)}")
