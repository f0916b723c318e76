"""The guide of people who judge: what the grades mean, the rubric, and who judges which topics."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from rankgauge.errors import InputError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.formats.source import Source
from rankgauge.schema.frozen import Frozen

LAYOUT = (
    'a guide is an object {"grades": {"0": "irrelevant", ...}, "rubric": "...", '
    '"topics": {"Ann": ["101", ...]}}, each part of which may be left out'
)


class Guide(Frozen):
    """Instructions for people who judge.

    >>> guide = Guide({0.0: "irrelevant", 1.0: "relevant"}, topics={"Ann": ["q1"]})
    >>> guide.assigns("Ann", "q2"), guide.assigns("Bo", "q2")
    (False, True)
    """

    labels: Mapping[float, str] = {}  # of grades
    rubric: str = ""
    topics: Mapping[str, Collection[str]] = {}  # {assessor: topics to judge}; others judge all

    def assigns(self, assessor: str, topic: str) -> bool:
        """Whether an assessor is to judge a topic."""
        return topic in self.topics.get(assessor, (topic,))

    @classmethod
    def read(cls, path: str) -> Guide:
        """The guide in a file of JSON."""
        try:
            given: Any = json.loads(b"".join(Source(path).chunks()))
            labels = {float(grade): str(label) for grade, label in given.pop("grades", {}).items()}
            topics = given.pop("topics", {})
            if not all(isinstance(ids, list) for ids in topics.values()):  # a text would be one of characters
                raise TypeError
            topics = {name: [*map(str, ids)] for name, ids in topics.items()}
            rubric = given.pop("rubric", "")
            if given or not isinstance(rubric, str) or not all(map(math.isfinite, labels)):
                raise ValueError
        except (AttributeError, TypeError, ValueError, RecursionError):
            raise InputError(LAYOUT, path=path) from None
        return cls(labels, rubric, topics)


def guide_in(path: str) -> Callable[[Session], None]:
    """A function that gives the guide in a file to a session, whose topics must be those of the guide."""
    guide = Guide.read(path)

    def add(session: Session) -> None:
        named = {topic for topics in guide.topics.values() for topic in topics}
        for topic in sorted(named - {*session.campaign.topics}):
            raise InputError(f"topic {topic!r} of the guide is in no file", path=path)
        session.parts[Guide] = guide

    return add
