"""Helpers for figures of studies."""

from typing import TYPE_CHECKING, Any

from rankgauge.figures.labels import counted

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings


def campaign_size(findings: "Findings") -> str:
    """The numbers of runs and topics that a study covers, as text."""
    settings = findings.settings
    return f"{counted(settings['runs'], 'run')}, {topic_count(findings)}"


def topic_count(findings: "Findings") -> str:
    """The number of topics that a study covers, as text."""
    return counted(findings.settings["topics"], "topic")


def table_rows(findings: "Findings", table: str) -> list[dict[str, Any]]:
    """The rows of a table of a study, as dicts."""
    headers, rows = findings.table(table).headers, findings.table(table).rows
    return [dict(zip(headers, row, strict=True)) for row in rows]
