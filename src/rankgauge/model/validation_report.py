"""The report on a validated file, and the rules of a campaign for runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import Any

from rankgauge.core.ids import Ids
from rankgauge.errors import OptionError
from rankgauge.formats.columns import Columns
from rankgauge.formats.problems import HOLDS, quote
from rankgauge.schema.json_text import json_value
from rankgauge.schema.pattern_matching import full_matches
from rankgauge.schema.text import are, counted, notebook


@dataclass(frozen=True)
class Group:
    """Problems of one kind: their number, and the first of them."""

    title: str
    count: int
    first: tuple[tuple[int | None, str], ...]
    is_rule: bool = False  # of a campaign; the run can be evaluated all the same


class Findings:
    """Problems and remarks, as found; `limit` problems of a kind are listed."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.problems: list[Group] = []
        self.remarks: list[str] = []

    def problem(
        self,
        title: str,
        messages: Sequence[str],
        lines: Sequence[int | None] = (),
        count: int | None = None,
        *,
        is_rule: bool = False,
    ) -> None:
        """Add the problems of a kind: messages, lines, their number in all."""
        total = len(messages) if count is None else count
        if total:
            first = tuple(zip(lines or [None] * len(messages), messages, strict=True))[: self.limit]
            self.problems.append(Group(title, total, first, is_rule))


@dataclass(frozen=True, repr=False)
class Report:
    """A summary of a file, its problems, and remarks on it.

    Problems are errors in evaluation; remarks are not.
    """

    path: str
    kind: str
    format: str
    problems: tuple[Group, ...] = ()
    remarks: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    listing: str = ""  # a digest of the documents of a run in order, which its copies have, too
    tags: tuple[str, ...] = ()  # of a run

    @property
    def ok(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    @property
    def can_be_read(self) -> bool:
        """Whether the file can be evaluated; it may break rules of a campaign."""
        return all(group.is_rule for group in self.problems)

    def as_dict(self) -> dict[str, Any]:
        """The report as dicts, lists, strings and numbers, ready for JSON."""
        groups = [
            {
                "title": group.title,
                "count": group.count,
                "first": [{"line": line, "message": message} for line, message in group.first],
            }
            for group in self.problems
        ]
        head = {"path": self.path, "ok": self.ok, "kind": self.kind, "format": self.format}
        known = dict(self.facts)
        if "scores" in known:
            known["scores"] = json_value(known["scores"])
        return {**head, **known, "problems": groups, "remarks": list(self.remarks)}

    def __str__(self) -> str:
        lines = [f"{self.path}: {HOLDS[self.kind]}, {self.format}", *map("  {}".format, self._summary())]
        for group in self.problems:
            lines.append(
                f"  problem: {group.title}" + (f", {group.count:,} times" if group.count > 1 else "")
            )
            for line, message in group.first:
                lines.append("    " + (f"line {line}: " if line is not None else "") + message)
            if group.count > len(group.first):
                lines.append(f"    … and {group.count - len(group.first):,} more")
        lines += [f"  remark: {remark}" for remark in self.remarks]
        count = sum(group.count for group in self.problems)
        found = [counted(count, "problem") if count else "no problems"]
        found += [counted(len(self.remarks), "remark")] if self.remarks else []
        return "\n".join([*lines, f"  {', '.join(found)}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return notebook(f"<pre>{escape(str(self))}</pre>")

    def _summary(self) -> list[str]:
        if not self.facts.get("rows"):
            return []
        noun = "result" if self.kind == "run" else "judgment"
        least, median, most = (self.facts["per_topic"][key] for key in ("min", "median", "max"))
        spread = (
            f"{least:,} to {most:,} per topic (median {median:,g})" if least < most else f"{most:,} per topic"
        )
        topics = counted(self.facts["topics"], "topic")
        if "subtopics" in self.facts:
            topics += f", {counted(self.facts['subtopics'], 'subtopic')}"
        summary = [f"{topics}, {counted(self.facts['rows'], noun)}, {spread}"]
        if self.kind == "run":
            low, high = self.facts["scores"]["min"], self.facts["scores"]["max"]
            ranks = self.facts["first_rank"]
            summary.append(
                f"scores {low:g} to {high:g}, " + (f"ranks from {ranks}" if ranks is not None else "no ranks")
            )
        else:
            levels = self.facts["grades"]
            shown = ", ".join(f"{grade}: {count:,}" for grade, count in list(levels.items())[:20])
            summary.append(f"grades {shown}{', …' if len(levels) > 20 else ''}")
        if "subtopics" in self.facts:
            summary += _by_subtopic(self.facts)
        return summary


def _by_subtopic(facts: dict[str, Any]) -> Iterator[str]:
    alone, single = facts["topics_with_one_subtopic"], facts["subtopics_with_one_relevant"]
    few = f"; {counted(alone, 'topic')} with only one" if alone else ""
    yield f"{_spread(facts['subtopics_per_topic'], 'subtopic', 'topic')}{few}"
    if facts["relevant_per_subtopic"] is not None:
        few = f"; {counted(single, 'subtopic')} with only one" if single else ""
        yield f"{_spread(facts['relevant_per_subtopic'], 'relevant document', 'subtopic')}{few}"
        yield _spread(facts["subtopics_per_relevant"], "subtopic", "relevant document")


def _spread(counts: dict[str, Any], noun: str, each: str) -> str:
    least, most = counts["min"], counts["max"]
    if least == most:
        return f"{counted(most, noun)} per {each}"
    middle = f"mean {counts['mean']:,.2f}, median {counts['median']:,g}"
    return f"{least:,} to {counted(most, noun)} per {each} ({middle})"


@dataclass(frozen=True)
class SubmissionRules:
    """The rules for runs; what is None is not asked for."""

    max_depth: int | None = None  # results per topic
    tag: str | None = None  # a regular expression that the whole tag matches
    topics: Sequence[str] | None = None  # all of them have results
    only_topics: bool = False  # and no others
    one_tag: bool = False

    def __post_init__(self) -> None:
        try:
            re.compile(self.tag or "")
        except re.error as error:
            raise OptionError(
                f"the pattern of tags, {self.tag!r}, is no regular expression: {error}"
            ) from None

    def check(self, names: Sequence[str], sizes: Sequence[int], tags: Sequence[str], found: Findings) -> None:
        """Add the rules that a run breaks, as problems: its topics, their numbers of results, its tags."""
        add = partial(found.problem, is_rule=True)
        if self.max_depth is not None:
            deep = [(name, size) for name, size in zip(names, sizes, strict=True) if size > self.max_depth]
            allowed = f"{are(self.max_depth)} allowed"
            add(
                "more results than the rules allow",
                [f"topic {quote(name)} has {size:,}; {allowed}" for name, size in deep],
            )
        if self.topics is not None:
            has, asked = set(names), set(self.topics)
            add("topic without results", [f"topic {quote(name)}" for name in self.topics if name not in has])
            others = [f"topic {quote(name)}" for name in names if name not in asked]
            add("topic that was not asked for", others if self.only_topics else [])
        if self.tag is None and not self.one_tag:
            return
        if not tags:
            add("no tag", ["the lines have no column with the name of the run"])
        if len(tags) > 1:
            add("several tags", [f"{some(tags, 80)}; all lines of a run have the same"])
        if self.tag is not None:
            matched = zip(tags, full_matches(self.tag, tags), strict=True)
            wrong = [tag for tag, found in matched if found is None]
            add("tag against the rules", [f"{quote(tag)} does not match {self.tag}" for tag in wrong])


def tags_of(rows: Columns) -> tuple[str, ...]:
    """The different tags of a run."""
    return () if rows.label is None else tuple(rows.label.encode()[1].texts())


def some(names: Sequence[str | bytes] | Ids, longest: int = 40) -> str:
    """The first few names or ids."""
    shown = ", ".join(quote(names[index], longest) for index in range(min(3, len(names))))
    return shown + (", …" if len(names) > 3 else "")
