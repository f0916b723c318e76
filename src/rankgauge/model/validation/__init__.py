"""Validation of a file: every problem at once, and a summary of its contents."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rankgauge import formats
from rankgauge.errors import InputError
from rankgauge.formats.problems import KEEP, KINDS, assumption
from rankgauge.formats.source import Source
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import alphas_of, subtopic_probabilities_of
from rankgauge.model.validation import checks
from rankgauge.model.validation.report import Findings, Group, Report, SubmissionRules, tags_of
from rankgauge.schema.options import choice

__all__ = ["Group", "Report", "SubmissionRules", "note_copy", "validate"]


def validate(
    path: str | os.PathLike[str],
    qrels: Any = None,
    kind: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    limit: int = KEEP,
    *,
    subtopic_probabilities: Any = None,
    topic_alphas: Any = None,
    rules: SubmissionRules | None = None,
) -> Report:
    """A report on a run or judgments: every problem with its line, their counts, and a summary of the file.

    `kind` is run or qrels; like the format, it is detected by default. With `qrels`, the topics and documents
    of a run are compared with the judged ones. With `subtopic_probabilities` or `topic_alphas`, in any form
    that `SubtopicQrels` takes, judgments are by subtopic, and these are compared with them. Problems are
    counted up to a million, and `limit` of each kind are listed. `rules` are those of a campaign for runs.
    """
    # Which documents are judged is all that counts here, so one may be judged for several subtopics.
    judgments = None if qrels is None else Qrels.of(qrels, duplicates="first")
    probabilities = (
        None if subtopic_probabilities is None else subtopic_probabilities_of(subtopic_probabilities)
    )
    alphas = None if topic_alphas is None else alphas_of(topic_alphas)
    source, name = Source(path), format or "format unknown"
    try:
        kind = choice("kind", kind, KINDS) if kind else formats.guess_kind(source, format)
        name = formats.detect(source, kind, format).name
        rows = formats.read(source, kind, format, columns, limit)
    except InputError as error:
        place = "".join(f"{part}:" for part in (error.path, error.line) if part is not None)
        unread = Group("cannot be read", 1, ((error.line, str(error).removeprefix(f"{place} ")),))
        return Report(source.path, kind or "run", name, (unread,))
    found, listed, tags = Findings(limit), "", tuple[str, ...]()
    checks.check_values(rows, found)
    if rows.assumed:
        found.remarks.append(assumption(rows.assumed, kind))
    facts: dict[str, Any] = {"lines": rows.lines, "rows": 0}
    if len(rows):
        topic, topics = rows.topic.encode()
        expected = probabilities is not None or alphas is not None
        subtopic = checks.subtopics(rows, topic, expected)
        checks.check_duplicates(rows, topic, subtopic, found)
        facts |= checks.facts(rows, topic, subtopic)
        if kind == "run":
            found.remarks += checks.remarks_on_run(rows, topic)
            if judgments is not None:
                checks.compare_topics(topics, judgments, found)
                found.remarks += checks.compare_documents(rows, topic, topics, judgments)
            listed = "" if found.problems else checks.listed(rows, topic, topics)
            tags = tags_of(rows)
            if rules is not None:
                rules.check(rows, topic, topics, found)
        else:
            found.remarks += checks.remarks_on_judgments(rows, topic, subtopic)
            if expected and subtopic is None:
                found.problem("no subtopics", ["the judgments have no column of subtopics"])
            if probabilities is not None and subtopic is not None:
                checks.check_probabilities(rows, probabilities, found)
            if alphas is not None:
                checks.check_alphas(rows, alphas, found)
    problems, remarks = tuple(found.problems), tuple(found.remarks)
    return Report(source.path, kind, name, problems, remarks, facts, listed, tags)


def note_copy(report: Report, paths: dict[str, str]) -> Report:
    """The report, with a remark if it is on a copy of an earlier run; `paths` has {listing: path}."""
    if not report.listing or paths.setdefault(report.listing, report.path) == report.path:
        return report
    remark = f"a copy of {paths[report.listing]}: the same documents in the same order in all topics"
    return replace(report, remarks=(*report.remarks, remark))
