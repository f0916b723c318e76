"""Validation of a file: every problem at once, and a summary of its contents."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge import core, formats
from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_text
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.columns import Columns, Ints
from rankgauge.formats.problems import KEEP, KINDS, assumption, quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import MORE_RISES
from rankgauge.model.id_differences import MAX_TOPICS, document_difference, topic_difference
from rankgauge.model.notes import rising_scores
from rankgauge.model.provenance import hardly_any
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DUPLICATES, MISSING, ORDER, DocumentOrder
from rankgauge.model.run import listing, repeated_rows
from rankgauge.model.subtopics import alphas_of, subtopic_probabilities_of
from rankgauge.model.validation_report import Findings, Group, Report, SubmissionRules, some, tags_of
from rankgauge.schema.options import choice, setting
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
        tied = _tied(rows, topic) if kind == "run" else np.zeros(0, dtype=np.bool_)
        numbers |= facts(rows, topic, subtopic, tied)
        if kind == "run":
            found.remarks += remarks_on_run(rows, topic, tied)
            if judgments is not None:
                compare_topics(topics, judgments, found)
                found.remarks += compare_documents(rows, topic, topics, judgments)
            documents = "" if found.problems else listed(rows, topic, topics)
            tags = tags_of(rows)
            if rules is not None:
                rules.check(rows, topic, topics, found)
        else:
            found.remarks += remarks_on_judgments(rows, topic, subtopic)
            if expected and subtopic is None:
                found.problem("no subtopics", ["the judgments have no column of subtopics"])
            if probabilities is not None and subtopic is not None:
                check_probabilities(rows, probabilities, found)
            if alphas is not None:
                check_alphas(rows, alphas, found)
    problems, remarks = tuple(found.problems), tuple(found.remarks)
    return Report(source.path, kind, name, problems, remarks, numbers, documents, tags)


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


def facts(
    columns: Columns, topic: Ints, subtopic: Ints | None, tied: npt.NDArray[np.bool_]
) -> dict[str, Any]:
    """A summary of the file in numbers."""
    sizes = np.bincount(topic)
    common: dict[str, Any] = {
        "rows": len(columns),
        "topics": len(sizes),
        "per_topic": {"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())},
    }
    if columns.kind == "qrels":
        counts = Counter(columns.numbers())
        if subtopic is not None:
            common |= statistics(columns, topic, subtopic)
        return common | {"grades": {repr(grade): counts[grade] for grade in sorted(counts)}}
    ranks = None if columns.rank is None else columns.rank[columns.rank != codes.NO_RANK]
    return common | {
        "scores": {"min": float(columns.value.min()), "max": float(columns.value.max())},
        "first_rank": int(ranks.min()) if ranks is not None and len(ranks) else None,
        "ties": int(tied.sum()),
    }


def _tied(columns: Columns, topic: Ints) -> npt.NDArray[np.bool_]:
    """(rows,): whether another row of the topic has the same score."""
    order = np.lexsort((columns.value, topic))
    same = np.diff(topic[order]) == 0
    same &= columns.value[order][1:] == columns.value[order][:-1]
    tied = np.zeros(len(order), dtype=bool)
    tied[order[1:]] |= same
    tied[order[:-1]] |= same
    return tied


def remarks_on_run(columns: Columns, topic: Ints, tied: npt.NDArray[np.bool_]) -> Iterator[str]:
    """Remarks on a run."""
    if tied.any():
        results, topics = counted(int(tied.sum()), "result"), counted(len(np.unique(topic[tied])), "topic")
        yield f"{results} with tied scores, in {topics}; {setting('ties')} decides their order"
    if columns.rank is not None:
        yield from _remarks_on_ranks(columns, topic, columns.rank)
    if columns.label is not None:
        tags = columns.label.encode()[1]
        if len(tags) > 1:
            yield f"{len(tags):,} different tags: {some(tags)}"
    changes = int((np.diff(topic) != 0).sum())
    if changes >= len(np.unique(topic)):
        yield "the lines are not grouped by topic, which makes reading slower"


def _remarks_on_ranks(columns: Columns, topic: Ints, rank: Ints) -> Iterator[str]:
    unknown = int((rank == codes.NO_RANK).sum())
    if unknown:
        result = counted(unknown, "result")
        yield f"{result} whose rank is not a whole number below 2^53, an error with {ORDER.set_to('rank')}"
        return
    order = np.lexsort((rank, topic))
    same, score, ordered = np.diff(topic[order]) == 0, columns.value[order], topic[order][1:]
    rising, falling = same & (score[1:] > score[:-1]), same & (score[1:] < score[:-1])
    rises, falls = (np.bincount(ordered[each], minlength=int(topic.max()) + 1) for each in (rising, falling))
    contradicted, opposed = int((rises > 0).sum()), int(((rises > 0) & (rises >= MORE_RISES * falls)).sum())
    if 2 * opposed > int((rises + falls > 0).sum()):
        yield rising_scores(counted(opposed, "topic"))
    elif contradicted:
        yield (
            f"ranks contradict scores in {counted(contradicted, 'topic')}; scores decide, "
            f"unless {ORDER.set_to('rank')}"
        )
    twice = same & (np.diff(rank[order]) == 0)
    if twice.any():
        yield f"{counted(int(twice.sum()), 'result')} with the same rank as another of the topic"


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


def compare_documents(columns: Columns, topic: Ints, topics: Ids, qrels: Qrels) -> Iterator[str]:
    """A remark if hardly any result of a judged topic is judged, with the likely cause."""
    numbers = {judged: number for number, judged in enumerate(qrels.sorted_topics)}
    number = np.array([numbers.get(name, -1) for name in topics.texts()], dtype=np.int64)[topic]
    docs = columns.doc
    judgment = np.frombuffer(qrels.judgments().lookup(number, docs.data, docs.offsets), dtype=np.int64)
    results = np.flatnonzero(number >= 0)
    judged = int((judgment >= 0).sum())
    firsts = results[np.unique(number[results], return_index=True)[1]]  # one of each topic
    if not len(results) or not hardly_any(judged, len(results), len(firsts)):
        return
    documents = {
        to_text(columns.topic[row]): docs.take(np.flatnonzero(topic == topic[row])).texts()
        for row in firsts[:MAX_TOPICS].tolist()
    }
    different = document_difference(documents, qrels.documents)
    count = counted(len(results), "result")
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
    yield f"{share} of judged topics {'are' if judged > 1 else 'is'} judged: {cause}"


def listed(columns: Columns, topic: Ints, topics: Ids) -> str:
    """A digest of the documents of a run in order."""
    rules = DocumentOrder().core_rules()
    rank = core.ranks(topic, columns.doc.data, columns.doc.offsets, columns.value, None, *rules)
    return listing(topics, topic, columns.doc, np.frombuffer(rank, dtype=np.int64))


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
