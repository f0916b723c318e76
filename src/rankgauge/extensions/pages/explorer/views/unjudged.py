"""Documents that nobody has judged, and how far they could move the difference between two runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters
from rankgauge.measures import parse
from rankgauge.model.qrels import Qrels

DEPTH = 10  # for measures without a cutoff


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
    depth = parse(measure).cutoff or DEPTH
    topic = session.topic_called(parameters.text("topic")) if parameters.text("topic", "") else None
    pair = session.campaign.only(runs)
    topics = pair.topics if topic is None else (topic,)
    top = max(1.0, float(session.campaign.qrels.levels[-1]))
    further: list[dict[str, dict[str, float]]] = [{}, {}]
    number = places = 0
    for name in topics:
        grades = pair.qrels.grades_of(name)
        ranks = [
            {doc: rank for rank, doc in enumerate(pair.ranking(run, name).texts[:depth], 1)} for run in runs
        ]
        places += sum(map(len, ranks))
        new = [{doc: rank for doc, rank in each.items() if doc not in grades} for each in ranks]
        number += sum(map(len, new))
        for doc in {**new[0], **new[1]}:
            first = new[0].get(doc, depth + 1) <= new[1].get(doc, depth + 1)
            for side, docs in enumerate(further):
                docs.setdefault(name, {})[doc] = top if first == (side == 0) else 0.0
    found = {"unjudged": number, "of": places, "depth": depth, "grade": top}
    if not number:
        return found
    judged = pair.qrels.to_dict()
    cases = [pair] + [
        pair.read_again(Qrels.from_dict(judged | {name: judged[name] | new for name, new in docs.items()}))
        for docs in further
    ]
    known, low, high = (_difference(case, measure, topic) for case in cases)
    return {**found, "known": known, "low": min(low, high), "high": max(low, high)}


def _difference(campaign: Any, measure: str, topic: str | None) -> float:
    scores = campaign.scores([measure])
    if topic is None:
        first, second = (mean[measure] for mean in scores.mean().values())
        return float(second - first)
    values = np.asarray(scores.values)[:, 0, scores.topics.index(topic)]
    return float(values[1] - values[0])
