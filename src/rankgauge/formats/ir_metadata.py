"""The header of ir_metadata: YAML in comments before a TREC run, on how the run was made and evaluated.

T. Breuer, J. Keller, P. Schaer: ir_metadata: An Extensible Metadata Schema for IR Experiments. SIGIR 2022.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def header(metadata: Mapping[str, Any]) -> bytes:
    """The lines before a run, from a mapping of mappings, lists and values."""
    lines = ["ir_metadata.start", *_yaml(metadata), "ir_metadata.end"]
    return "".join(f"# {line}\n" for line in lines).encode()


def _yaml(metadata: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for key, value in metadata.items():
        name = key if key.replace(" ", "").replace("-", "").isidentifier() else json.dumps(key)
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _yaml(value, f"{indent}  ")
        elif isinstance(value, (list, tuple)):
            yield f"{indent}{name}:"
            yield from (f"{indent}- {json.dumps(each)}" for each in value)  # JSON is YAML
        else:
            yield f"{indent}{name}: {json.dumps(value)}"
