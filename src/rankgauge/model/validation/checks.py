"""The checks themselves: functions from columns to problems, remarks and facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.formats import problems
from rankgauge.formats.columns import Columns, Ints
from rankgauge.formats.problems import quote
from rankgauge.model.qrels import Qrels
from rankgauge.model.validation.report import Group
from rankgauge.schema.text import counted

TITLES = {
    codes.COLUMNS: "wrong number of columns",
    codes.BAD_SCORE: "a score that is no number",
    codes.BAD_GRADE: "a grade that is no finite number",
    codes.NOT_A_NUMBER: "a number that is NaN",
    codes.BAD_RANK: "a rank that is no whole number",
    codes.BINARY: "NUL bytes",
    codes.LONG_LINE: "a line that is too long",
    problems.MALFORMED: "a line that cannot be read",
    problems.MISSING: "a value that is missing",
}


def found_while_reading(columns: Columns) -> Iterator[Group]:
    """The problems that the reader noted, by kind."""
    for code, count in sorted(columns.counts.items()):
        noted = [p for p in columns.problems if p.code == code]
        if count:
            first = tuple((problem.line or None, problem.sentence(columns.kind)) for problem in noted)
            yield Group(TITLES.get(code, f"problem {code}"), count, first)
    if not len(columns) and not any(columns.counts.values()):
        yield Group("nothing in it", 1, ((None, problems.empty(columns.kind)),))


def no_numbers(columns: Columns, limit: int) -> Iterator[Group]:
    """Values that are no numbers, in formats that can hold such."""
    bad = np.flatnonzero(np.isnan(columns.value) if columns.kind == "run" else ~np.isfinite(columns.value))
    if len(bad):
        first = tuple(
            (_line(columns, row), f"{_place(columns, row)}: {columns.value[row]}")
            for row in bad[:limit].tolist()
        )
        yield Group(
            "a score that is NaN" if columns.kind == "run" else TITLES[codes.BAD_GRADE], len(bad), first
        )


def duplicates(columns: Columns, topic: Ints, limit: int) -> Iterator[Group]:
    """Documents that are there more than once in a topic."""
    found = core.duplicates(topic, columns.doc.data, columns.doc.offsets)
    again, first = (np.frombuffer(rows, dtype=np.int64) for rows in found)
    if not len(again):
        return
    title = "a document more than once in a topic"
    if columns.kind == "qrels" and _labels_differ(columns, again, first):
        title += ", each time with another second column (subtopics, as in diversity judgments?)"
    pairs = list(zip(again[:limit].tolist(), first[:limit].tolist(), strict=True))
    shown = tuple(
        (_line(columns, row), f"{_place(columns, row)}, first {columns.where(before, row)}")
        for row, before in pairs
    )
    yield Group(title, len(again), shown)


def _labels_differ(columns: Columns, again: Ints, first: Ints) -> bool:
    if columns.label is None:
        return False
    label, _ = columns.label.encode()
    return bool((label[again] != label[first]).all())


def _line(columns: Columns, row: int) -> int | None:
    return None if columns.line is None else int(columns.line[row])


def _place(columns: Columns, row: int) -> str:
    return f"topic {quote(columns.topic[row])}, document {quote(columns.doc[row])}"


def facts(columns: Columns, topic: Ints) -> dict[str, Any]:
    """What the file looks like, in numbers."""
    sizes = np.bincount(topic)
    known: dict[str, Any] = {
        "rows": len(columns),
        "topics": len(sizes),
        "per_topic": {"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())},
    }
    if columns.kind == "qrels":
        counts = Counter(columns.numbers())
        return known | {"grades": {repr(grade): counts[grade] for grade in sorted(counts)}}
    ranks = None if columns.rank is None else columns.rank[columns.rank != codes.NO_RANK]
    return known | {
        "scores": {"min": float(columns.value.min()), "max": float(columns.value.max())},
        "first_rank": int(ranks.min()) if ranks is not None and len(ranks) else None,
        "ties": int(_tied(columns, topic).sum()),
    }


def _tied(columns: Columns, topic: Ints) -> np.typing.NDArray[np.bool_]:
    """Which rows share their score with another row of their topic."""
    order = np.lexsort((columns.value, topic))
    same = np.diff(topic[order]) == 0
    same &= columns.value[order][1:] == columns.value[order][:-1]
    tied = np.zeros(len(order), dtype=bool)
    tied[order[1:]] |= same
    tied[order[:-1]] |= same
    return tied


def remarks_on_run(columns: Columns, topic: Ints) -> Iterator[str]:
    """What is worth knowing about a run."""
    tied = _tied(columns, topic)
    if tied.any():
        many, where = counted(int(tied.sum()), "result"), counted(len(np.unique(topic[tied])), "topic")
        yield f"{many} with the score of another, in {where}: ties= decides their order"
    if columns.rank is not None:
        yield from _remarks_on_ranks(columns, topic, columns.rank)
    if columns.label is not None:
        tags = columns.label.encode()[1]
        if len(tags) > 1:
            yield f"{len(tags):,} different tags: {_some(tags)}"
    changes = int((np.diff(topic) != 0).sum())
    if changes >= len(np.unique(topic)):
        yield "the lines of a topic do not stand together, which makes reading slower"


def _remarks_on_ranks(columns: Columns, topic: Ints, rank: Ints) -> Iterator[str]:
    unknown = int((rank == codes.NO_RANK).sum())
    if unknown:
        yield f"{counted(unknown, 'result')} whose rank is no whole number, which order=rank would refuse"
        return
    order = np.lexsort((rank, topic))
    same, score = np.diff(topic[order]) == 0, columns.value[order]
    odd = same & (score[1:] > score[:-1])
    if odd.any():
        where = counted(len(np.unique(topic[order][1:][odd])), "topic")
        yield f"rank and score are at odds in {where}: the score decides, unless order=rank is chosen"
    twice = same & (np.diff(rank[order]) == 0)
    if twice.any():
        yield f"{counted(int(twice.sum()), 'result')} with the rank of another of the same topic"


def remarks_on_judgments(columns: Columns, topic: Ints) -> Iterator[str]:
    """What is worth knowing about judgments."""
    negative = int((columns.value < 0).sum())
    if negative:
        yield f"{counted(negative, 'judgment')} below 0: not relevant, and to bpref as good as unjudged"
    broken = int((columns.value % 1 != 0).sum())
    if broken:
        yield f"{counted(broken, 'judgment')} between whole numbers: trec_eval would cut the fraction"
    best = np.full(int(topic.max()) + 1, -np.inf)
    np.maximum.at(best, topic, columns.value)
    poor = int((best < 1).sum())
    if poor:
        yield f"{counted(poor, 'topic')} without a document of grade 1 or higher"


def against(topics: Ids, qrels: Qrels) -> tuple[list[Group], list[str]]:
    """(problems, remarks) of a run's topics beside those that are judged."""
    run, judged = set(topics), set(qrels.topics)
    if not run & judged:
        message = f"the run has {_some(topics)}, the judgments have {_some(qrels.topics)}"
        return [Group("no topic in common with the judgments", 1, ((None, message),))], []
    remarks = []
    if absent := [t for t in qrels.topics if t not in run]:
        many = counted(len(absent), "judged topic")
        remarks.append(f"{many} without results, scoring 0 unless missing=skip: {_some(absent)}")
    if strange := [t for t in topics if t not in judged]:
        remarks.append(f"{counted(len(strange), 'topic')} without judgments, left out: {_some(strange)}")
    return [], remarks


def _some(ids: Ids | list[bytes]) -> str:
    """The first few ids."""
    shown = ", ".join(quote(ids[index], 40) for index in range(min(3, len(ids))))
    return shown + (", …" if len(ids) > 3 else "")
