"""What all views read: a campaign, the texts of its documents and topics, and names to show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankgauge.explorer.judging import Judging
from rankgauge.figures.labels import unique_labels
from rankgauge.measures import Measure, parse_all
from rankgauge.model.labels import Labels
from rankgauge.schema.checks import choice
from rankgauge.schema.text import counted
from rankgauge.studies.campaign import Campaign

if TYPE_CHECKING:
    from rankgauge.model.labels import LabelsLike
    from rankgauge.studies.assessment import Journal

MEASURES = "nDCG@10 AP RR P@10 R@1000"


class Session:
    """Judgments and runs that people look at, with what they chose when they started.

    Views get and return names that are unique and printable: `runs` and `topics` lead from these to the
    names in the files, which may be anything.
    """

    def __init__(
        self,
        campaign: Campaign,
        measures: str | Measure | None = None,
        *,
        baseline: str | None = None,
        documents: Any = None,
        topics: Any = None,
        labels: LabelsLike = None,
        journal: Journal | None = None,
        grades_to_give: Sequence[float] | None = None,
        title: str = "",
        command: str = "",
    ) -> None:
        self.campaign = campaign
        self.measures = tuple(map(str, parse_all(measures or MEASURES)))
        if baseline is not None:
            choice("baseline", baseline, campaign.runs)
        self.labels = Labels.read(labels)
        self.document_texts, self.topic_texts = documents, topics
        # What people judge in the explorer; None if their decisions have no place to go.
        self.judging = None if journal is None else Judging(campaign, journal, grades_to_give, self.labels)
        self.command = command
        size = f"{counted(len(campaign.runs), 'run')} and {counted(len(campaign.topics), 'topic')}"
        self.title = title or size
        self._baseline = baseline

    @cached_property
    def runs(self) -> dict[str, str]:
        """{name to show: name in the files} of the runs."""
        return {label: name for name, label in unique_labels(self.campaign.runs, labels=self.labels).items()}

    @cached_property
    def topics(self) -> dict[str, str]:
        """{name to show: name in the files} of the topics."""
        labels = unique_labels(self.campaign.topics, labels=self.labels)
        return {label: name for name, label in labels.items()}

    @property
    def baseline(self) -> str | None:
        """The name to show of the run that others are compared with at first; None if nobody chose one."""
        shown = {name: label for label, name in self.runs.items()}
        return None if self._baseline is None else shown[self._baseline]

    def run_called(self, shown: str) -> str:
        """The name in the files of a run."""
        return self.runs[choice("run", shown, self.runs)]

    def topic_called(self, shown: str) -> str:
        """The name in the files of a topic."""
        return self.topics[choice("topic", shown, self.topics)]
