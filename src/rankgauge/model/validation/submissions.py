"""What a campaign asks of runs beyond that they can be read: depth, tag, topics, and to be nobody's copy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import OptionError
from rankgauge.formats.columns import Columns, Ints
from rankgauge.formats.problems import quote
from rankgauge.model.validation.report import Group, Report


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

    def broken(self, rows: Columns, topic: Ints, topics: Ids, limit: int) -> Iterator[Group]:
        """The rules that a run breaks, as problems."""
        names = topics.texts()
        if self.max_depth is not None:
            sizes = np.bincount(topic, minlength=len(names))
            deep = [
                (
                    None,
                    f"topic {quote(names[place])} has {sizes[place]:,}; {self.max_depth:,} are allowed",
                )
                for place in np.flatnonzero(sizes > self.max_depth).tolist()
            ]
            yield from _group("more results than the rules allow", deep, limit)
        if self.topics is not None:
            has, asked = set(names), set(self.topics)
            missing = [(None, f"topic {quote(name)}") for name in self.topics if name not in has]
            yield from _group("topic without results", missing, limit)
            others = [(None, f"topic {quote(name)}") for name in names if name not in asked]
            yield from _group("topic that was not asked for", others if self.only_topics else [], limit)
        yield from self._tags(tags_of(rows), limit)

    def _tags(self, tags: Sequence[str], limit: int) -> Iterator[Group]:
        if self.tag is None and not self.one_tag:
            return
        if not tags:
            yield Group("no tag", 1, ((None, "the lines have no column with the name of the run"),), True)
        if len(tags) > 1:
            listed = ", ".join(map(quote, tags[:3])) + (", …" if len(tags) > 3 else "")
            yield Group("several tags", 1, ((None, f"{listed}; all lines of a run have the same"),), True)
        if self.tag is not None:
            wrong = [
                (None, f"{quote(tag)} does not match {self.tag}")
                for tag in tags
                if not re.fullmatch(self.tag, tag)
            ]
            yield from _group("tag against the rules", wrong, limit)


def tags_of(rows: Columns) -> tuple[str, ...]:
    """The different tags of a run."""
    return () if rows.label is None else tuple(rows.label.encode()[1].texts())


def _group(title: str, found: Sequence[tuple[None, str]], limit: int) -> Iterator[Group]:
    if found:
        yield Group(title, len(found), tuple(found[:limit]), True)


# What one run has to do with another: {title of the problem: what to say where the other is not named}
RELATIONS = {
    "a copy of another run": "another run has the same documents in the same order in all topics",
    "the tag of another run": "tags of runs differ",
}
COPY, SAME_TAG = RELATIONS


def anonymous(report: Report) -> Report:
    """The report without the names of other runs, for the people whose run it is."""
    groups = (
        replace(group, first=((None, RELATIONS[group.title]),)) if group.title in RELATIONS else group
        for group in report.problems
    )
    return replace(report, problems=tuple(groups))


def compared(reports: Iterable[Report]) -> list[Report]:
    """The reports on all runs of a campaign, with problems where one is a copy, or has another's tag."""
    listings: dict[str, str] = {}
    tags: dict[str, str] = {}
    result = []
    for report in reports:
        found = []
        if report.listing and listings.setdefault(report.listing, report.path) != report.path:
            same = f"{listings[report.listing]} has the same documents in the same order in all topics"
            found.append(Group(COPY, 1, ((None, same),), True))
        taken = [tag for tag in report.tags if tags.setdefault(tag, report.path) != report.path]
        found += [Group(SAME_TAG, 1, ((None, f"{quote(tag)}: {tags[tag]}"),), True) for tag in taken]
        result.append(replace(report, problems=(*report.problems, *found)))
    return result
