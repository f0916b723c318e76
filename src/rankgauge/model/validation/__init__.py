"""Everything that is wrong with a file at once, and what the file looks like."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankgauge import formats
from rankgauge.errors import InputError
from rankgauge.formats.columns import KEEP, KINDS
from rankgauge.formats.source import Source
from rankgauge.model.qrels import Qrels
from rankgauge.model.validation import checks
from rankgauge.model.validation.report import Group, Report
from rankgauge.schema.checks import choice

__all__ = ["Group", "Report", "validate"]


def validate(
    path: str | os.PathLike[str],
    qrels: Any = None,
    kind: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    limit: int = KEEP,
) -> Report:
    """A report on a run or judgments: every problem, with lines and counts, and what the file looks like.

    `kind` is run or qrels and, like the format, found out if not given. With `qrels` the topics of a
    run are compared with the judged ones. All problems are counted; `limit` says how many of each kind
    are told one by one.
    """
    judgments = None if qrels is None else Qrels.of(qrels)
    source, name = Source(path), format or "format unknown"
    try:
        kind = choice("kind", kind, KINDS) if kind else formats.guess_kind(source, format)
        name = formats.detect(source, kind, format).name
        found = formats.read(source, kind, format, columns, limit)
    except InputError as error:
        place = "".join(f"{part}:" for part in (error.path, error.line) if part is not None)
        unread = Group("it cannot be read", 1, ((error.line, str(error).removeprefix(f"{place} ")),))
        return Report(source.path, kind or "run", name, (unread,))
    problems = [*checks.found_while_reading(found), *checks.no_numbers(found, limit)]
    remarks: list[str] = []
    facts: dict[str, Any] = {"lines": found.lines, "rows": 0}
    if len(found):
        topic, topics = found.topic.encode()
        problems += checks.duplicates(found, topic, limit)
        facts |= checks.facts(found, topic)
        remark = checks.remarks_on_run if kind == "run" else checks.remarks_on_judgments
        remarks += remark(found, topic)
        if judgments is not None and kind == "run":
            apart, absent = checks.against(topics, judgments)
            problems, remarks = problems + apart, remarks + absent
    return Report(source.path, kind, name, tuple(problems), tuple(remarks), facts)
