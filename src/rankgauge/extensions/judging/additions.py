"""The effect of further judgments on scores; the runs are read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from rankgauge.campaigns.campaign import Campaign
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.extensions.judging.assessors import look_up
from rankgauge.formats.columns import concatenated
from rankgauge.measures import Measure
from rankgauge.model.qrels import Qrels
from rankgauge.model.scores import Scores


class Additions:
    """A campaign and documents that may be judged later; the runs are read once more, with these.

    >>> campaign = Campaign({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 0.2, "d2": 0.1}}})
    >>> additions = Additions(campaign, {"q1": ["d2"]})
    >>> additions.scores({}, "P@2").mean(), additions.scores({"q1": {"d2": 1}}, "P@2").mean()
    ({'a': {'P@2': 0.5}}, {'a': {'P@2': 1.0}})
    """

    def __init__(self, campaign: Campaign, documents: Mapping[str, Iterable[str]]) -> None:
        judged, further = campaign.qrels, {topic: dict.fromkeys(docs, 0) for topic, docs in documents.items()}
        parts = [judged.columns()] if len(judged) else []
        if any(further.values()):
            parts.append(Qrels.from_dict(further).columns())
        whole = judged
        if parts:
            whole = Qrels.from_columns(concatenated(parts), judged.name, duplicates="first")
        self._campaign = campaign.read_again(whole)
        _, self._topic, judgment = look_up(whole, judged)
        self._grades = np.where(judgment >= 0, whole.sorted_grades, np.nan)  # NaN: not judged yet
        topics = (whole.sorted_topics[number] for number in self._topic.tolist())
        pairs = zip(topics, whole.sorted_docs.texts(), strict=True)
        self._places = {pair: place for place, pair in enumerate(pairs)}

    def covers(self, topic: str, document: str) -> bool:
        """Whether a document can be judged: it was judged before, or is a further one."""
        return (topic, document) in self._places

    def scores(
        self,
        judgments: Mapping[str, Mapping[str, float]],
        measures: str | Measure | Iterable[str | Measure],
    ) -> Scores:
        """Scores by the judgments of the campaign, replaced and completed by these.

        Topics without judgments are included, but do not count.
        """
        campaign, judged = self._judged_by(judgments)
        scores = campaign.scores(measures)
        return scores._replace(counted=scores.counted & judged)

    def _judged_by(
        self, judgments: Mapping[str, Mapping[str, float]]
    ) -> tuple[Campaign, npt.NDArray[np.bool_]]:
        grades = self._grades.copy()
        for topic, by_document in judgments.items():
            for document, grade in by_document.items():
                if not self.covers(topic, document):
                    raise InputError(
                        f"document {document!r} of topic {topic!r} was not looked up in the runs"
                    )
                grades[self._places[topic, document]] = grade
        whole, kept = self._campaign.qrels, np.flatnonzero(~np.isnan(grades))
        topic_of, docs = self._topic[kept], whole.sorted_docs.take(kept)
        topics = Ids.of(whole.sorted_topics)
        qrels = Qrels(topics, topic_of, docs, grades[kept], name=whole.name)
        return self._campaign.judged_as(qrels), np.bincount(topic_of, minlength=len(topics)) > 0
