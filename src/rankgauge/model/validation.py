"""Validation of a file: every problem at once, and a summary of its contents."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from rankgauge import formats
from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_text
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.columns import Columns, Ints
from rankgauge.formats.problems import KEEP, KINDS, assumption, quote
from rankgauge.formats.source import Source
from rankgauge.formats.trec import parts_of_topics
from rankgauge.model.id_differences import MAX_TOPICS, document_difference, topic_difference
from rankgauge.model.provenance import hardly_any
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DUPLICATES, MISSING
from rankgauge.model.run import listing_of, repeated_rows
from rankgauge.model.run_counts import Looked, RunCounts, listings, per_topic
from rankgauge.model.subtopics import alphas_of, subtopic_probabilities_of
from rankgauge.model.validation_report import Findings, Group, Report, SubmissionRules, some
from rankgauge.schema.options import choice
from rankgauge.schema.text import counted, format_number

__all__ = ["Group", "Report", "SubmissionRules", "note_copy", "validate"]

TITLES = {
    codes.COLUMNS: "wrong number of columns",
    codes.BAD_SCORE: "score is not a number",
    codes.BAD_GRADE: "grade is not a finite number",
    codes.NOT_A_NUMBER: "value is NaN",
    codes.BAD_RANK: "rank is not a whole number below 2^53",
    codes.BINARY: "NUL bytes",
    codes.LONG_LINE: "line too long",
    problems.MALFORMED: "line cannot be read",
    problems.MISSING: "missing value",
    problems.UNREAD: "reading stopped",
}


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
        in_parts = kind == "run" and name == "trec" and source.in_place and not columns
        if in_parts and (report := _in_parts(source, judgments, rules, limit)):
            return report
        rows = formats.read(source, kind, format, columns, limit)
    except InputError as error:
        place = "".join(f"{part}:" for part in (error.path, error.line) if part is not None)
        unread = Group("cannot be read", 1, ((error.line, str(error).removeprefix(f"{place} ")),))
        return Report(source.path, kind or "run", name, (unread,))
    found, documents, tags = Findings(limit), "", tuple[str, ...]()
    check_values(rows, found)
    if rows.assumed:
        found.remarks.append(assumption(rows.assumed, kind))
    numbers: dict[str, Any] = {"lines": rows.lines, "rows": 0}
    if len(rows):
        topic, topics = rows.topic.encode()
        expected = probabilities is not None or alphas is not None
        subtopic = subtopics(rows, topic, expected)
        check_duplicates(rows, topic, subtopic, found)
        if kind == "run":
            counts = RunCounts.of(rows, topic)
            numbers |= counts.facts()
            found.remarks += counts.remarks()
            if judgments is not None:
                compare_topics(topics, judgments, found)
                looked = Looked(rows, topic, topics, judgments)
                if looked.counts[1] and hardly_any(*looked.counts):
                    found.remarks.append(compare_documents(rows, looked, judgments))
            documents = "" if found.problems else listing_of(listings(rows, topic, topics))
            tags = counts.tags
            if rules is not None:
                rules.check(topics.texts(), counts.sizes, tags, found)
        else:
            numbers |= facts(rows, topic, subtopic)
            found.remarks += remarks_on_judgments(rows, topic, subtopic)
            if expected and subtopic is None:
                found.problem("no subtopics", ["the judgments have no column of subtopics"])
            if probabilities is not None and subtopic is not None:
                check_probabilities(rows, probabilities, found)
            if alphas is not None:
                check_alphas(rows, alphas, found)
    problems, remarks = tuple(found.problems), tuple(found.remarks)
    return Report(source.path, kind, name, problems, remarks, numbers, documents, tags)


def _in_parts(
    source: Source, judgments: Qrels | None, rules: SubmissionRules | None, limit: int
) -> Report | None:
    """The report on a run of one topic after the other, read in parts.

    None if there is something to say about single lines, which are then looked for in the whole run.
    """
    parts, listed, looked, lines = list[RunCounts](), dict[bytes, bytes](), np.zeros(3, dtype=np.int64), 0
    with suppress(InputError):
        for rows in parts_of_topics(source):
            topic, topics = rows.checked().topic.encode()
            if len(repeated_rows(rows, topic)[0]):
                return None
            parts.append(RunCounts.of(rows, topic))
            listed |= listings(rows, topic, topics)
            lines += rows.lines
            if judgments is not None:
                looked += Looked(rows, topic, topics, judgments).counts
        counts, found = RunCounts.together(parts), Findings(limit)
        found.remarks += counts.remarks()
        if judgments is not None:
            compare_topics(Ids.of(listed), judgments, found)
            if found.problems or hardly_any(*looked.tolist()):
                return None
        if rules is not None:
            rules.check(Ids.of(listed).texts(), counts.sizes, counts.tags, found)
        problems, remarks = tuple(found.problems), tuple(found.remarks)
        numbers = {"lines": lines, **counts.facts()}
        return Report(source.path, "run", "trec", problems, remarks, numbers, listing_of(listed), counts.tags)
    return None


def note_copy(report: Report, paths: dict[str, str]) -> Report:
    """The report, with a remark on a copy of an earlier run; `paths` has {listing: path}."""
    if not report.listing or paths.setdefault(report.listing, report.path) == report.path:
        return report
    remark = f"a copy of {paths[report.listing]}: the same documents in the same order in all topics"
    return replace(report, remarks=(*report.remarks, remark))


def check_values(columns: Columns, found: Findings) -> None:
    """Add the problems found while reading, and values that are not numbers."""
    for code, count in sorted(columns.counts.items()):
        if count:
            alike = [p for p in columns.problems if p.code == code]
            messages = [problem.sentence(columns.kind) for problem in alike]
            title = TITLES.get(code, f"problem {code}")
            found.problem(title, messages, [problem.line or None for problem in alike], count)
    if not len(columns) and not any(columns.counts.values()):
        found.problem("no rows", [problems.empty(columns.kind)])
    bad = np.flatnonzero(columns.bad_values())
    title = TITLES[codes.BAD_GRADE]
    if columns.kind == "run":
        title = "score is NaN"
    elif np.isfinite(columns.value[bad]).all():
        title = f"grade is beyond ±{problems.LARGEST_GRADE:g}"
    shown = bad[: found.limit].tolist()
    messages = [f"{_place(columns, row)}: {columns.value[row]}" for row in shown]
    found.problem(title, messages, [_line(columns, row) for row in shown], len(bad))


def subtopics(columns: Columns, topic: Ints, expected: bool = False) -> Ints | None:
    """The subtopic of each row, numbered over all topics, if these are judgments by subtopic.

    They are if that is `expected`, or if some document of a topic occurs with several second columns.
    """
    if columns.kind != "qrels" or columns.label is None:
        return None
    label, labels = columns.label.encode()
    if not expected:
        again, first = repeated_rows(columns, topic)
        if (label[again] == label[first]).all():
            return None
    return topic * len(labels) + label


def check_duplicates(columns: Columns, topic: Ints, subtopic: Ints | None, found: Findings) -> None:
    """Add documents that a topic, or a subtopic, repeats."""
    again, first = repeated_rows(columns, topic if subtopic is None else subtopic)
    shown = again[: found.limit].tolist()
    messages = [
        f"{_place(columns, row)}, first {columns.where(before, row)}"
        for row, before in zip(shown, first.tolist(), strict=False)
    ]
    group = "topic" if subtopic is None else "subtopic"
    lines = [_line(columns, row) for row in shown]
    found.problem(f"document more than once in a {group}", messages, lines, len(again))


def _line(columns: Columns, row: int) -> int | None:
    return None if columns.line is None else int(columns.line[row])


def _place(columns: Columns, row: int) -> str:
    return f"topic {quote(columns.topic[row])}, document {quote(columns.doc[row])}"


def facts(columns: Columns, topic: Ints, subtopic: Ints | None) -> dict[str, Any]:
    """A summary of judgments in numbers."""
    counts, by_subtopic = Counter(columns.numbers()), dict[str, Any]()
    if subtopic is not None:
        by_subtopic = statistics(columns, topic, subtopic)
    grades = {repr(grade): counts[grade] for grade in sorted(counts)}
    return {"rows": len(columns), **per_topic(np.bincount(topic).tolist()), **by_subtopic, "grades": grades}


def remarks_on_judgments(columns: Columns, topic: Ints, subtopic: Ints | None) -> Iterator[str]:
    """Remarks on judgments."""
    if subtopic is not None:
        yield (
            "documents are judged by subtopic, for measures of diversity; others need "
            f"{DUPLICATES.set_to('max')}, the highest grade of each document"
        )
        assert columns.label is not None
        judged = zip(columns.topic.texts(), columns.label.texts(), strict=True)
        if empty := dict.fromkeys(judged).keys() - _relevant(columns).keys():
            names = some(sorted(f"{topic} {subtopic}" for topic, subtopic in empty))
            yield f"{counted(len(empty), 'subtopic')} without a relevant document: {names}"
    elif columns.label is not None and (several := _second_column(columns, topic)):
        yield several
    negative = int((columns.value < 0).sum())
    if negative:
        yield f"{counted(negative, 'judgment')} below 0: not relevant, and unjudged for bpref"
    finite = columns.value[np.isfinite(columns.value)]
    fractional = int((finite % 1 != 0).sum())
    if fractional:
        yield f"{counted(fractional, 'judgment')} with a fraction, which trec_eval would truncate"
    best = np.full(int(topic.max()) + 1, -np.inf)
    with np.errstate(invalid="ignore"):  # NaN, a problem that is reported by itself
        np.maximum.at(best, topic, columns.value)
    without = int((best < 1).sum())
    if without:
        yield f"{counted(without, 'topic')} without a document of grade 1 or higher"


def _second_column(columns: Columns, topic: Ints) -> str:
    """A remark on a second column that tells relevant documents of a topic apart; empty if it does not."""
    assert columns.label is not None
    label, labels = columns.label.encode()
    relevant = columns.value > 0
    pairs = np.unique(topic[relevant] * len(labels) + label[relevant])
    topics = len(np.unique(pairs // len(labels)))
    if len(pairs) == topics:
        return ""
    return (
        f"the second column has {len(pairs) / topics:.1f} values per topic with relevant documents, one "
        "for each document: subtopics, for measures of diversity, or rounds of judging"
    )


def compare_topics(topics: Ids, qrels: Qrels, found: Findings) -> None:
    """Compare the topics of a run with the judged ones."""
    run, judged = set(topics), set(qrels.topics)
    if not run & judged:
        message = f"the run has {some(topics)}, the judgments have {some(qrels.topics)}"
        if different := topic_difference(topics.texts(), qrels.sorted_topics):
            message += f"; they differ {different}"
        found.problem("no topic in common with the judgments", [message])
        return
    if missing := [t for t in qrels.topics if t not in run]:
        count = counted(len(missing), "judged topic")
        found.remarks.append(
            f"{count} without results, scoring 0 unless {MISSING.set_to('skip')}: {some(missing)}"
        )
    if unjudged := [t for t in topics if t not in judged]:
        found.remarks.append(
            f"{counted(len(unjudged), 'topic')} without judgments, left out: {some(unjudged)}"
        )


def compare_documents(columns: Columns, looked: Looked, qrels: Qrels) -> str:
    """A remark on a run with hardly any judged document, with the likely cause."""
    number, judgment, results, docs = looked.number, looked.judgment, looked.results, columns.doc
    firsts = results[np.unique(number[results], return_index=True)[1]]  # one of each topic
    documents = {
        to_text(columns.topic[row]): docs.take(np.flatnonzero(number == number[row])).texts()
        for row in firsts[:MAX_TOPICS].tolist()
    }
    different = document_difference(documents, qrels.documents)
    judged, count = int(looked.counts[0]), counted(len(results), "result")
    share = f"only {judged:,} of the {count}" if judged else f"none of the {count}"
    if different:
        cause = f"document ids differ {different}"
    else:
        first = int(np.flatnonzero((number >= 0) & (judgment < 0))[0])
        known = qrels.sorted_docs[int(qrels.starts[number[first]])]
        cause = (
            f"topic {quote(columns.topic[first])} has {quote(docs[first], 40)}, and {quote(known, 40)} is "
            "judged; check that run and judgments use the same document ids"
        )
    return f"{share} of judged topics {'are' if judged > 1 else 'is'} judged: {cause}"


SUM = 1e-3  # how far from 1 probabilities may add up: files round them


def statistics(columns: Columns, topic: Ints, subtopic: Ints) -> dict[str, Any]:
    """The distribution of subtopics and their relevant documents."""
    relevant = columns.value > 0
    useful, first, documents = np.unique(subtopic[relevant], return_index=True, return_counts=True)
    per_topic = np.bincount(topic[relevant][first], minlength=int(topic.max()) + 1)
    doc, docs = columns.doc.encode()
    _, per_document = np.unique(topic[relevant] * len(docs) + doc[relevant], return_counts=True)
    return {
        "subtopics": len(useful),
        "subtopics_per_topic": _spread(per_topic),
        "relevant_per_subtopic": _spread(documents),
        "subtopics_per_relevant": _spread(per_document),
        "topics_with_one_subtopic": int((per_topic == 1).sum()),
        "subtopics_with_one_relevant": int((documents == 1).sum()),
        "subtopics_without_relevant": len(np.unique(subtopic)) - len(useful),
    }


def _spread(counts: Ints) -> dict[str, Any] | None:
    if not len(counts):
        return None
    return {
        "min": int(counts.min()),
        "mean": float(counts.mean()),
        "median": float(np.median(counts)),
        "max": int(counts.max()),
    }


def check_probabilities(
    columns: Columns, probabilities: Mapping[str, Mapping[str, float]], found: Findings
) -> None:
    """Compare the probabilities of subtopics with the judgments."""
    judged, relevant = {*columns.topic.encode()[1].texts()}, _relevant(columns)
    missing = [(t, s) for t, s in relevant if s not in probabilities.get(t, {})]
    messages = [f"topic {quote(topic)}, subtopic {quote(subtopic)}" for topic, subtopic in missing]
    found.problem("subtopic with relevant documents and no probability", messages)
    if others := [topic for topic in probabilities if topic not in judged]:
        topics = counted(len(others), "topic")
        found.remarks.append(f"{topics} with probabilities and no judgments, left out: {some(others)}")
    sums = {t: math.fsum(each.values()) for t, each in probabilities.items() if t in judged}
    if odd := [topic for topic, total in sums.items() if abs(total - 1) > SUM]:
        found.remarks.append(
            f"the probabilities of {counted(len(odd), 'topic')} do not add up to 1 (topic {quote(odd[0])}: "
            f"{format_number(round(sums[odd[0]], 6))}), which intent-aware means such as ERR_IA expect"
        )
    empty = [(t, s) for t in sums for s in probabilities[t] if (t, s) not in relevant]
    if empty:
        found.remarks.append(
            f"{counted(len(empty), 'subtopic')} with a probability and no relevant document, which StRecall "
            f"counts: {some([f'{topic} {subtopic}' for topic, subtopic in empty])}"
        )


def check_alphas(columns: Columns, alphas: Mapping[str, float], found: Findings) -> None:
    """Compare the alphas of topics with the judgments."""
    judged = dict.fromkeys(columns.topic.encode()[1].texts())
    missing = [f"topic {quote(topic)}" for topic in judged if topic not in alphas]
    found.problem("topic without an alpha", missing)
    if others := [topic for topic in alphas if topic not in judged]:
        topics = counted(len(others), "topic")
        found.remarks.append(f"{topics} with an alpha and no judgments, left out: {some(others)}")


def _relevant(columns: Columns) -> dict[tuple[str, str], None]:
    assert columns.label is not None
    rows = np.flatnonzero(columns.value > 0)
    return dict.fromkeys(zip(columns.topic.take(rows).texts(), columns.label.take(rows).texts(), strict=True))
