"""What validation finds out about a file."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from rankgauge.formats.problems import HOLDS
from rankgauge.schema.text import counted


@dataclass(frozen=True)
class Group:
    """Problems of one kind: how many there are, and the first of them as (line, sentence)."""

    title: str
    count: int
    first: tuple[tuple[int | None, str], ...]


@dataclass(frozen=True)
class Report:
    """What a file looks like, what is wrong with it, and what is worth knowing.

    Problems are what evaluation would refuse; remarks change nothing.
    """

    path: str
    kind: str
    format: str
    problems: tuple[Group, ...] = ()
    remarks: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data, such as JSON takes."""
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
        if "scores" in known:  # JSON has no word for infinity
            known["scores"] = {key: v if math.isfinite(v) else None for key, v in known["scores"].items()}
        return {**head, **known, "problems": groups, "remarks": list(self.remarks)}

    def __str__(self) -> str:
        lines = [f"{self.path}: {HOLDS[self.kind]}, {self.format}", *map("  {}".format, self._looks())]
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
        return "\n".join([*lines, f"  {counted(count, 'problem') if count else 'no problem'}"])

    def _looks(self) -> list[str]:
        if not self.facts.get("rows"):
            return []
        noun = "result" if self.kind == "run" else "judgment"
        least, median, most = (self.facts["per_topic"][key] for key in ("min", "median", "max"))
        spread = (
            f"{least:,} to {most:,} a topic (median {median:,g})" if least < most else f"{most:,} a topic"
        )
        looks = [f"{counted(self.facts['topics'], 'topic')}, {counted(self.facts['rows'], noun)}, {spread}"]
        if self.kind == "run":
            low, high = self.facts["scores"]["min"], self.facts["scores"]["max"]
            ranks = self.facts["first_rank"]
            looks.append(
                f"scores {low:g} to {high:g}, " + (f"ranks from {ranks}" if ranks is not None else "no ranks")
            )
        else:
            levels = self.facts["grades"]
            shown = ", ".join(f"{grade}: {count:,}" for grade, count in list(levels.items())[:20])
            looks.append(f"grades {shown}{', …' if len(levels) > 20 else ''}")
        return looks
