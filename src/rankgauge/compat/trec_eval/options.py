"""The options of the command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankgauge.compat.trec_eval.table import DEFAULT


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options that change how measures are defined."""

    level: int = 1  # -l
    judged_only: bool = False  # -J
    docs: int | None = None  # -N
    rules: int = 10


@dataclass(frozen=True)
class Options(Settings):
    """The options of a command line."""

    qrels: str
    run: str
    measures: Sequence[str] = (DEFAULT,)
    per_topic: bool = False  # -q
    summary: bool = True  # not -n
    complete: bool = False  # -c
    depth: int | None = None  # -M
    rel_format: str = "qrels"  # -R
    norms: str | None = None  # -Z
    topic: str | None = None  # -D n.TOPIC
