"""Helpers for figures of studies."""

from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError
from rankgauge.figures.labels import counted

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings


def require_one_collection(findings: "Findings") -> None:
    """Refuse findings on several collections, whose tables have rows of each."""
    if collections := getattr(findings, "collections", None):
        raise InputError(
            "a figure draws the findings on one collection; "
            f"choose one of collections: {', '.join(collections)}"
        )


def campaign_size(findings: "Findings") -> str:
    """The numbers of runs and topics that a study covers, as text; of runs alone if it had only means."""
    settings = findings.settings
    nouns = [noun for noun in ("run", "topic") if settings[f"{noun}s"] is not None]
    return ", ".join(counted(settings[f"{noun}s"], noun) for noun in nouns)


def topic_count(findings: "Findings") -> str:
    """The number of topics that a study covers, as text."""
    return counted(findings.settings["topics"], "topic")


def table_rows(findings: "Findings", table: str) -> list[dict[str, Any]]:
    """The rows of a table of a study, as dicts."""
    headers, rows = findings.table(table).headers, findings.table(table).rows
    return [dict(zip(headers, row, strict=True)) for row in rows]
