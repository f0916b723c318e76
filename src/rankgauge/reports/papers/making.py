"""How a folder was made: command, settings, seeds, versions, and the files that were read."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge._version import VERSION
from rankgauge.schema.json_text import json_value, to_json
from rankgauge.schema.text import format_number

LIBRARIES = ("numpy", "scipy", "altair", "vl-convert-python", "pyarrow")


class Making:
    """The making of a folder; equal stamps are of equal results."""

    def __init__(
        self, experiment: str, settings: Mapping[str, Any], inputs: Mapping[str, Any], command: str
    ) -> None:
        self._facts: dict[str, Any] = {
            "experiment": experiment,
            "settings": dict(settings),
            "collections": json_value(inputs, other=str),
            "versions": {"rankgauge": VERSION, "python": platform.python_version(), **_libraries()},
        }
        self._command = command

    @property
    def stamp(self) -> str:
        """A digest of all that results depend on; where the files are does not count."""
        return hashlib.sha256(to_json(_without_paths(self._facts), compact=True).encode()).hexdigest()

    @property
    def sentences(self) -> list[str]:
        """How the results were made, for the page."""
        settings = ", ".join(
            f"{name} {format_number(value)}" for name, value in self._facts["settings"].items()
        )
        sentences = [
            f"Made by rankgauge {VERSION} with {settings}.",
            "The file made-with.json lists the versions, the files that were read, and the commands.",
        ]
        return [self._command, *sentences] if self._command else sentences

    def as_dict(self, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """All of it, with the commands of each part and the seconds that it took."""
        parts = {
            record["part"]: {"commands": record["commands"], "seconds": record["seconds"]}
            for record in records
        }
        return {"command": self._command, **self._facts, "parts": parts}


def _libraries() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _without_paths(value: Any) -> Any:
    if isinstance(value, Mapping):  # a collection or a run may be called path, too; it is no text
        return {
            key: _without_paths(each)
            for key, each in value.items()
            if key != "path" or not isinstance(each, str)
        }
    return [_without_paths(each) for each in value] if isinstance(value, list) else value
