"""The options of the command."""

from __future__ import annotations

from collections.abc import Sequence

from rankgauge.compat.trec_eval.table import DEFAULT
from rankgauge.model.document_order import DocumentOrder
from rankgauge.schema.frozen import Frozen


class Settings(Frozen):
    """The options that change how measures are defined."""

    level: int = 1  # -l
    judged_only: bool = False  # -J
    docs: int | None = None  # -N
    rules: int = 10


class Options(Settings):
    """The options of a command line, each by its name."""

    qrels: str  # type: ignore[misc]  # follows fields with defaults
    run: str  # type: ignore[misc]
    measures: Sequence[str] = (DEFAULT,)
    per_topic: bool = False  # -q
    summary: bool = True  # not -n
    complete: bool = False  # -c
    depth: int | None = None  # -M
    rel_format: str = "qrels"  # -R
    norms: str | None = None  # -Z
    topic: str | None = None  # -D n.TOPIC

    @property
    def order(self) -> DocumentOrder:
        """The order of documents."""
        return DocumentOrder(score_precision="single" if self.rules == 9 else "double")
