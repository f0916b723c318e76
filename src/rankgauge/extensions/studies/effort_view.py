"""The view of effort and gain: a point for each topic of each run, in sixteen quadrants.

The page computes CRP and DCG from ranks and grades of relevant documents: a few bytes instead of thousands of
values per curve.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import (
    Address,
    Parameters,
    Shown,
    View,
    add_view,
    by_topic,
    chosen_runs,
    command_line,
    first_of,
    needed,
)
from rankgauge.extensions.pages.explorer.views.measures import described
from rankgauge.extensions.pages.figures.registry import FIGURES
from rankgauge.extensions.studies.effort import (
    ARCHETYPES,
    EFFORTS,
    GAINS,
    TWIST_CUTS,
    archetype_of,
    quadrants,
)
from rankgauge.measures import parse
from rankgauge.model.qrels import Qrels

GAIN = "nDCG(base=10)"
MAX_POINTS = 5000  # a page with more is slow, and shows a cloud
DEPTH = 1000  # ranks that are drawn


def effort(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Twist and a gain for each topic of the chosen runs, and shares of the quadrants.

    Without a choice, these are as many of the best runs as MAX_POINTS allows.
    """
    gain = parameters.text("gain", GAIN)
    names = [session.run_called(shown) for shown in parameters.texts("runs")]
    campaign = session.campaign
    bases, text = _bases(campaign.qrels), str(parse(gain))
    all_twists, all_gains = campaign.values(["Twist", text]).swapaxes(0, 1)
    if names:
        places = [campaign.runs.index(name) for name in names]
    else:
        best = np.argsort(-np.nan_to_num(all_gains).mean(axis=1), kind="stable")
        places = sorted(best[: max(1, MAX_POINTS // len(campaign.topics))].tolist())
    twist, gains = all_twists[places], all_gains[places]
    shares = quadrants(twist, gains)
    labels = list(session.runs)
    return {
        "measure": described(session, text),
        "runs": [labels[place] for place in places],
        "runs_in_all": len(campaign.runs),
        "N": campaign.longest,
        "depth": DEPTH,
        "bases": bases,
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
    bases = _bases(campaign.qrels)
    for _, block, rankings in campaign.rankings():
        found = rankings.found
        steps = (found.rank - found.previous(found.rank, 0)).tolist()
        names = [*ARCHETYPES, None]  # -1 is none
        archetypes += [names[number] for number in archetype_of(rankings).tolist()]
        grades = found.grade.tolist()
        for base, (begin, end) in zip(bases[block], pairwise(found.starts.tolist()), strict=True):
            number = {grade: n for n, (grade, _) in enumerate(base)}
            pairs = zip(steps[begin:end], grades[begin:end], strict=True)
            hits.append([each for step, grade in pairs for each in (step, number[grade])])
    return {"archetypes": archetypes, "hits": hits}


def _bases(qrels: Qrels) -> list[list[list[float]]]:
    """For each topic [[grade, number of documents], ...] of its recall base, best grade first."""
    grades, ends = qrels.sorted_grades.tolist(), qrels.starts.tolist()
    counts = (Counter(grade for grade in grades[begin:end] if grade >= 1) for begin, end in pairwise(ends))
    return [[[grade, of_topic[grade]] for grade in sorted(of_topic, reverse=True)] for of_topic in counts]


def _saved(session: Session, address: Address) -> Shown:
    runs = chosen_runs(session, address)
    gain = first_of(address, "gain") or GAIN
    measures = f"Twist {gain}"
    scores = session.campaign.scores(measures).only(runs=runs)
    figure = partial(FIGURES["effort-gain"], scores, labels=session.labels)
    files = needed(session, runs, measures)
    command = command_line(session, "figure effort-gain", files, m=gain, o="effort-gain.svg")
    return Shown(command, figure, partial(by_topic, scores))


def _offered(session: Session) -> bool:
    """Whether there is Twist: it is undefined where no document is relevant."""
    return session.has_judged_rankings and bool((session.campaign.qrels.levels >= 1).any())


add_view(
    View(
        "effort",
        {"effort": effort, "effort-hits": effort_hits},
        offered=_offered,
        # The plot, and what the curves of its points are drawn from.
        held=lambda session: [("effort", {}), *(("effort-hits", {"run": run}) for run in session.runs)],
        saved=_saved,
        package=__package__,
    )
)
