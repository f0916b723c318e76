"""Judgments of either kind: by document, or by document and subtopic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankgauge.formats.mapping import by_subtopic as is_by_subtopic
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels


def read_judgments(source: Any, *, by_subtopic: bool = False, **reading: Any) -> Qrels:
    """The judgments of a path, dict or frame; by subtopic if requested, or if a dict is nested that way."""
    if isinstance(source, Mapping):
        by_subtopic = by_subtopic or is_by_subtopic(source)
    return (SubtopicQrels if by_subtopic else Qrels).of(source, **reading)
