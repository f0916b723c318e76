"""The header of ir_metadata: YAML in comments before a TREC run, on how the run was made and evaluated.

T. Breuer, J. Keller, P. Schaer: ir_metadata: An Extensible Metadata Schema for IR Experiments. SIGIR 2022.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.schema.json_text import json_value

_PLAIN = re.compile(
    r"(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z](?:[\w -]*\w)?", re.ASCII | re.IGNORECASE
)


def header(metadata: Mapping[str, Any]) -> bytes:
    """The lines before a run, from a mapping of mappings, lists and values."""
    content = json_value(metadata, other=_plain)
    lines = ["ir_metadata.start", *_yaml(content), "ir_metadata.end"]
    return "".join(f"# {line}\n" for line in lines).encode()


def _plain(value: Any) -> Any:
    """A date as text, a value of NumPy as plain numbers."""
    if isinstance(value, date):
        return value.isoformat()
    if not hasattr(value, "tolist"):
        kind = type(value).__name__
        raise OptionError(f"metadata have a {kind}, {value!r}; use text, numbers, dates, lists and dicts")
    return json_value(value.tolist())


def _yaml(content: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for key, value in content.items():
        name = f"{indent}{key if _PLAIN.fullmatch(key) else _flow(key)}:"
        if value and isinstance(value, Mapping):
            yield name
            yield from _yaml(value, f"{indent}  ")
        elif value and isinstance(value, list):
            yield name
            yield from (f"{indent}- {_flow(each)}" for each in value)
        else:
            yield f"{name} {_flow(value)}"


def _flow(value: Any) -> str:
    """A value on one line: JSON is YAML, except that YAML escapes a code point, and JSON halves of it."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in text)
