"""What came of judging: the decisions of an assessor, agreement, and the leaderboard as judgments come in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session
from rankgauge.measures import parse_all
from rankgauge.model.output.tables import Table, printable
from rankgauge.model.provenance import direction_by_name
from rankgauge.schema.checks import choice
from rankgauge.studies.judging import Decisions, agreement
from rankgauge.studies.judging.decisions import RESOLVE
from rankgauge.studies.matrices import places

MOST_ROWS = 500
MOST_POINTS = 10


def judged(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The decisions that count: those of an assessor, the latest first, and how many everybody made."""
    if (judging := session.judging) is None:
        return {"journal": None, "command": session.command}
    decisions, assessor = judging.journal.decisions(), parameters.text("assessor", "")
    own = decisions.counting(assessor)[::-1] if assessor else []
    return {
        "journal": judging.journal.path,
        "total": len(own),
        "decisions": [
            [judging.shown_topic(d.topic), d.document, printable(d.document), d.grade, d.comment, d.time]
            for d in own[:MOST_ROWS]
        ],
    }


def judged_agreement(session: Session, parameters: Parameters) -> dict[str, Any]:
    """How far assessors agree on the documents that several of them judged, and where they differ."""
    if (judging := session.judging) is None:
        return {"journal": None, "command": session.command}
    decisions = judging.journal.decisions()
    conflicts = decisions.conflicts()
    sentences, tables = _agreement(decisions, parameters.real("rel"))
    return {
        "journal": judging.journal.path,
        "assessors": [[name, *decisions.counts(name)] for name in decisions.assessors],
        "sentences": sentences,
        "tables": tables,
        "conflicts": [
            [
                judging.shown_topic(topic),
                document,
                printable(document),
                [given.get(name) for name in decisions.assessors],
            ]
            for (topic, document), given in list(conflicts.items())[:MOST_ROWS]
        ],
        "of": len(conflicts),
    }


def _agreement(decisions: Decisions, rel: float | None) -> tuple[list[str], list[dict[str, Any]]]:
    sets = [decisions.qrels(name) for name in decisions.assessors if decisions.counts(name)[0]]
    if len(sets) < 2:
        return ["Agreement needs judgments of at least two people."], []
    try:
        first, *others = sets
        findings = agreement(first, others, rel=1 if rel is None else rel)
    except InputError as error:
        return [f"{str(error)[:1].upper()}{str(error)[1:]}."], []
    names = [name for name in ("agreement", "pairs", "grades", "topics") if name in findings.tables]
    return list(findings.sentences), [
        _table(name, findings.tables[name], findings.captions.get(name, "")) for name in names
    ]


def _table(name: str, table: Table, caption: str) -> dict[str, Any]:
    return {
        "name": name,
        "headers": list(table.headers),
        "rows": [list(row) for row in table.rows],
        "caption": caption,
    }


def judged_effect(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The means and places of the runs as judgments came in: at some points, or only before and now."""
    if (judging := session.judging) is None:
        return {"journal": None, "command": session.command}
    measure = parse_all(parameters.text("measure", session.measures[0]))[0]
    resolve = choice("resolve", parameters.text("resolve", "majority"), RESOLVE)
    most = parameters.number("points", MOST_POINTS, 1, MOST_POINTS)
    decisions = judging.journal.decisions()
    direction = direction_by_name(str(measure))
    points = [
        (judgments, judging.means(decisions.first(number), resolve, str(measure)))
        for number, judgments in _points(decisions, resolve, most)
    ]
    return {
        "journal": judging.journal.path,
        "measure": str(measure),
        "direction": direction,
        "runs": list(session.runs),
        "points": [judgments for judgments, _ in points],
        "means": [means for _, means in points],
        "places": [_places(means, direction) for _, means in points],
    }


def _points(decisions: Decisions, resolve: str, most: int) -> list[tuple[int, int]]:
    """[(decisions, judged documents)] at the beginning, and at `most` points with ever more of them.

    Between the ends they are multiples of a round number, so that most are the same after another decision.
    """
    steps = (base * 10**power for power in range(12) for base in (1, 2, 5))
    step = next(step for step in steps if len(decisions) <= step * most)
    points: list[tuple[int, int]] = []
    for number in sorted({*range(0, len(decisions), step), len(decisions)}):
        judged = sum(map(len, decisions.first(number).judgments(resolve=resolve).values()))
        while points and points[-1][1] >= judged:  # later decisions took judgments back
            points.pop()
        points.append((number, judged))
    return points


def _places(means: list[float], direction: int) -> list[int | None]:
    """The place of each run, 1 for the best; equal means have the same place."""
    oriented = np.array(means) * (direction or 1)
    found = places(np.where(np.isnan(oriented), -np.inf, oriented)).tolist()
    return [None if math.isnan(mean) else place for mean, place in zip(means, found, strict=True)]
