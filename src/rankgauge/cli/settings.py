"""Settings of a project: options of reading in `[tool.rankgauge]` of pyproject.toml, or in rankgauge.toml."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rankgauge.errors import InputError, OptionError
from rankgauge.formats import FORMATS
from rankgauge.model.collapse import Collapse
from rankgauge.model.recoding import Recoding
from rankgauge.schema.options import choice
from rankgauge.schema.text import unknown_name


def _format(text: str) -> object:
    return choice("the format", text, FORMATS)


# {option: a check beyond that of the command line}
KEYS: dict[str, Callable[[str], object] | None] = {
    "qrels-format": _format,
    "qrels-columns": None,
    "run-format": _format,
    "run-columns": None,
    "grades": Recoding.of,
    "collapse": Collapse.of,
    "order": None,
    "ties": None,
    "score-precision": None,
    "duplicates": None,
    "missing": None,
    "undefined": None,
    "names": None,
}
# A command without these reads in its own way: it converts a file, or stands in for another program.
READING = ("--qrels-format", "--run-format")


class Settings:
    """The settings of a file, checked against the options of a command."""

    def __init__(self, path: str, parser: argparse.ArgumentParser) -> None:
        self.path = path
        self.values: dict[str, Any] = {}  # of options that the command has, by their names in `args`
        reading = [
            each for each in _parsers(parser) if not {*READING}.isdisjoint(each._option_string_actions)
        ]
        given = _read(path) if reading else {}
        for key, text in given.items():
            if key.replace("_", "-") not in KEYS:
                raise OptionError(f"{path}: {unknown_name('setting', key, KEYS)}")
            if not isinstance(text, str):
                raise OptionError(f"{path}: {key} must be a text, as after --{key}, not {text!r}")
        for each in reading:
            for key, text in given.items():
                self._set(each, key.replace("_", "-"), text)

    def _set(self, parser: argparse.ArgumentParser, key: str, text: str) -> None:
        """Make a text the default of an option."""
        action = parser._option_string_actions.get(f"--{key}")
        if action is None:
            return
        with self._named(key):
            value = parser._get_value(action, text)
            if action.choices is not None:
                choice(key, value, action.choices)
            if check := KEYS[key]:
                check(text)
        self.values[action.dest] = action.default = value

    @contextmanager
    def _named(self, key: str) -> Iterator[None]:
        """A context whose errors name the file and the key."""
        try:
            yield
        except (OptionError, argparse.ArgumentError) as error:
            raise OptionError(f"{self.path}: {key}: {error}") from None

    def notes(self, args: argparse.Namespace) -> list[str]:
        """A sentence on the settings that the command line has not replaced."""
        used = {name: value for name, value in self.values.items() if getattr(args, name, None) == value}
        texts = (
            f"{name.replace('_', '-')} = {value if isinstance(value, str) else _columns(value)}"
            for name, value in used.items()
        )
        return [f"from {self.path}: {', '.join(texts)}"] if used else []


def _columns(names: dict[str, str]) -> str:
    return ",".join(f"{role}={name}" for role, name in names.items())


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser, and those of the commands below it."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _parsers(each)


def _read(path: str) -> dict[str, Any]:
    """The settings in a file; those of pyproject.toml are in a table."""
    name = next((each for each in ("tomllib", "tomli") if find_spec(each)), None)
    if name is None:
        version = ".".join(map(str, sys.version_info[:2]))
        raise OptionError(f"{path}: Python {version} reads no TOML; pip install tomli, or use Python 3.11")
    toml: Any = import_module(name)
    with open(path, "rb") as file:  # noqa: PTH123
        try:
            found = toml.load(file)
        except (toml.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"this is not TOML: {error}", path=path) from None
    if path.endswith("pyproject.toml"):
        found = found.get("tool", {}).get("rankgauge", {})
    if not isinstance(found, dict):
        raise OptionError(f"{path}: tool.rankgauge must be a table of settings, not {found!r}")
    return found
