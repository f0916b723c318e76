"""The report on a validated file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rankgauge.formats.problems import HOLDS
from rankgauge.schema.json_text import json_value
from rankgauge.schema.text import counted


@dataclass(frozen=True)
class Group:
    """Problems of one kind: their number, and the first of them as (line, message)."""

    title: str
    count: int
    first: tuple[tuple[int | None, str], ...]
    is_rule: bool = False  # of a campaign; the run can be evaluated all the same


@dataclass(frozen=True)
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
    """How subtopics and relevant documents are spread."""
    alone, single, empty = (
        facts[key]
        for key in ("topics_with_one_subtopic", "subtopics_with_one_relevant", "subtopics_without_relevant")
    )
    few = f"; {counted(alone, 'topic')} with only one" if alone else ""
    yield f"{_spread(facts['subtopics_per_topic'], 'subtopic', 'topic')}{few}"
    if facts["relevant_per_subtopic"] is not None:
        few = f"; {counted(single, 'subtopic')} with only one" if single else ""
        few += f"; {counted(empty, 'subtopic')} with none" if empty else ""
        yield f"{_spread(facts['relevant_per_subtopic'], 'relevant document', 'subtopic')}{few}"
        yield _spread(facts["subtopics_per_relevant"], "subtopic", "relevant document")


def _spread(counts: dict[str, Any], noun: str, each: str) -> str:
    least, most = counts["min"], counts["max"]
    if least == most:
        return f"{counted(most, noun)} per {each}"
    middle = f"mean {counts['mean']:,.2f}, median {counts['median']:,g}"
    return f"{least:,} to {counted(most, noun)} per {each} ({middle})"
