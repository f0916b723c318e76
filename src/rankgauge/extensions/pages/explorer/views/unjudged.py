"""Documents that nobody has judged, and how far they could move the difference between two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters
from rankgauge.measures import parse
from rankgauge.model.qrels import Qrels
from rankgauge.model.scores import Scores

DEPTH = 10  # for measures without a cutoff


@dataclass(frozen=True)
class Bounds:
    """What unjudged documents at the top of two runs could do to a measure, on all topics at once."""

    depth: int
    grade: float  # that they may have
    counts: Mapping[str, tuple[int, int]]  # {topic: (unjudged, all)}
    cases: tuple[Scores, ...]  # as it is; if only those of the first run, or of the second, were relevant

    @classmethod
    def of(cls, session: Session, runs: Sequence[str], measure: str) -> Bounds:
        """The bounds of two runs, by names in the files."""
        depth = parse(measure).cutoff or DEPTH
        pair = session.campaign.only(runs)
        top = max(1.0, float(session.campaign.qrels.levels[-1]))
        further: list[dict[str, dict[str, float]]] = [{}, {}]
        counts = {}
        for name in pair.topics:
            grades = pair.qrels.grades_of(name)
            ranks = [
                {doc: rank for rank, doc in enumerate(pair.ranking(run, name).texts[:depth], 1)}
                for run in runs
            ]
            new = [{doc: rank for doc, rank in each.items() if doc not in grades} for each in ranks]
            counts[name] = sum(map(len, new)), sum(map(len, ranks))
            for doc in {**new[0], **new[1]}:
                first = new[0].get(doc, depth + 1) <= new[1].get(doc, depth + 1)
                for side, docs in enumerate(further):
                    docs.setdefault(name, {})[doc] = top if first == (side == 0) else 0.0
        judged = pair.qrels.to_dict()
        more = [judged | {name: judged[name] | new for name, new in docs.items()} for docs in further if docs]
        cases = [pair, *(pair.read_again(Qrels.from_dict(each)) for each in more)]
        return cls(depth, top, counts, tuple(case.scores([measure]) for case in cases))

    def difference(self, case: Scores, topic: str | None) -> float:
        """The second run less the first, of a topic or in the mean."""
        if topic is None:
            first, second = (mean[case.measures[0]] for mean in case.mean().values())
            return float(second - first)
        values = np.asarray(case.values)[:, 0, case.topics.index(topic)]
        return float(values[1] - values[0])


def unjudged(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Unjudged documents at the top of two runs, of a `topic` or in all.

    `known` is the difference of the second from the first; `low` and `high` are those if only the unjudged
    documents of the first, or of the second, had the highest grade. Where both have a document, it is that
    of the run that ranks it higher.
    """
    if not session.has_judged_rankings:
        raise OptionError("there are no judgments, so no measure has a difference")
    runs = [session.run_called(name) for name in parameters.texts("runs")]
    measure = parameters.text("measure", "") or session.measures[0]
    topic = session.topic_called(parameters.text("topic")) if parameters.text("topic", "") else None
    bounds = session.bounds.get((*runs, measure), lambda: Bounds.of(session, runs, measure))
    counts = bounds.counts.values() if topic is None else [bounds.counts[topic]]
    number, places = (sum(each) for each in zip(*counts, strict=True))
    found = {"unjudged": number, "of": places, "depth": bounds.depth, "grade": bounds.grade}
    if not number:
        return found
    known, low, high = (bounds.difference(case, topic) for case in bounds.cases)
    return {**found, "known": known, "low": min(low, high), "high": max(low, high)}
