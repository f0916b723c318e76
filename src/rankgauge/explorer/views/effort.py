"""Effort and gain: a point for each topic of each run, in sixteen quadrants.

CRP and DCG of a point follow from the ranks and grades of the relevant documents retrieved and from the
recall base, so the page gets these: a few bytes per document instead of thousands of values per curve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session
from rankgauge.measures import parse
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.effort import ARCHETYPES, EFFORTS, GAINS, archetype_of, quadrants
from rankgauge.studies.effort.gain_plots import TWIST_CUTS

GAIN = "nDCG(base=10)"
MOST_POINTS = 5000  # a page with more is slow, and shows a cloud
DEPTH = 1000  # ranks that are drawn


def effort(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Twist and a gain for each topic of the chosen runs, and the shares of the quadrants.

    Without a choice, these are all runs, or as many of the best as MOST_POINTS allows.
    """
    gain = parameters.text("gain", GAIN)
    names = [session.run_called(shown) for shown in parameters.texts("runs")]
    campaign = session.campaign
    text = str(parse(gain))
    by_twist, by_gain = (session.scores([measure])[measure] for measure in ("Twist", text))
    if not names:
        means, most = by_gain.mean(), max(1, MOST_POINTS // len(campaign.topics))
        order = sorted(campaign.runs, key=lambda run: -_number(means[run][text]))
        best = set(order[:most])
        names = [run for run in campaign.runs if run in best]
    places = [campaign.runs.index(name) for name in names]
    twist, gains = (scores.values[places, 0] for scores in (by_twist, by_gain))
    shares = quadrants(twist, gains)
    labels = {name: label for label, name in session.runs.items()}
    return {
        "gain": text,
        "runs": [labels[name] for name in names],
        "runs_in_all": len(campaign.runs),
        "N": by_twist.provenance.measure("Twist").N,
        "depth": DEPTH,
        "bases": [_base(campaign, topic) for topic in campaign.topics],
        "twist": twist.tolist(),
        "values": gains.tolist(),
        "efforts": list(EFFORTS),
        "gains": list(GAINS),
        "cuts": [list(TWIST_CUTS), list(shares.cuts)],
        "counts": shares.counts.tolist(),
        "shares": shares.shares.tolist(),
        "diagonal": shares.diagonal,
        "high_high": shares.high_high,
    }


def effort_hits(session: Session, parameters: Parameters) -> dict[str, Any]:
    """For each topic of a run: its archetype, and its relevant documents retrieved.

    These are [step, grade, step, grade, ...]: steps to the next rank, and numbers of grades in its base.
    """
    campaign = session.campaign.only([session.run_called(parameters.text("run"))])
    archetypes: list[str | None] = []
    hits: list[list[int]] = []
    for _, block, rankings in campaign.rankings():
        found = rankings.found
        steps = (found.rank - found.previous(found.rank, 0)).tolist()
        names = [*ARCHETYPES, None]  # -1 is none
        archetypes += [names[number] for number in archetype_of(rankings).tolist()]
        for place, topic in enumerate(campaign.topics[block]):
            number = {grade: n for n, (grade, _) in enumerate(_base(campaign, topic))}
            some = slice(*found.starts[place : place + 2].tolist())
            pairs = zip(steps[some], found.grade[some].tolist(), strict=True)
            hits.append([each for step, grade in pairs for each in (step, number[grade])])
    return {"archetypes": archetypes, "hits": hits}


def _base(campaign: Campaign, topic: str) -> list[list[float]]:
    """[[grade, number of documents], ...] of the recall base of a topic, best grade first."""
    grades = np.array([*campaign.qrels.grades_of(topic).values()])
    levels, counts = np.unique(grades[grades >= 1], return_counts=True)
    return [list(each) for each in zip(levels[::-1].tolist(), counts[::-1].tolist(), strict=True)]


def _number(value: float) -> float:
    return value if value == value else -np.inf
