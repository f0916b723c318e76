"""Topics by runs: the values of one measure, a page of topics at a time, and of two runs for all topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.explorer.session import Session
from rankgauge.explorer.views import Parameters
from rankgauge.explorer.views.measures import described
from rankgauge.model.provenance import is_share
from rankgauge.schema.options import choice

if TYPE_CHECKING:
    import numpy.typing as npt

    from rankgauge.explorer.session import Standing

    Floats = npt.NDArray[np.float64]

PAGE = 100  # topics of an answer
MOST_RUNS = 100  # runs of an answer: the best, or the first that were chosen
LONGEST_TEXT = 300
# {order: what comes first}
ORDERS = {
    "hardest": "the hardest first, by the mean over all runs",
    "easiest": "the easiest first, by the mean over all runs",
    "spread": "those first on which runs differ most, by the standard deviation",
    "difference": "those first on which the run loses most against the other",
    "topic": "by name",
}


def topics(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The values of runs on a page of topics, in an order; lists are by topic, then by run.

    `run` and `against` are needed for the order by difference; `topic` asks for the page that has it.
    """
    standing = _standing(session, parameters)
    text, scores = standing.measure, standing.scores
    values = standing.values
    order = choice("order", parameters.text("order", "hardest"), ORDERS)
    shown = parameters.texts("runs")
    chosen = [session.run_called(name) for name in shown] or list(standing.order)
    rows = [scores.runs.index(run) for run in chosen[:MOST_RUNS]]
    against = parameters.text("against", "")
    base = values[scores.runs.index(session.run_called(against))] if against else None
    difficulty, spread = _mean_and_spread(values)
    keys = {
        "hardest": difficulty * (standing.direction or 1),
        "easiest": difficulty * -(standing.direction or 1),
        "spread": -spread,
        "topic": np.zeros(len(scores.topics)),
    }
    if order == "difference":
        run = session.run_called(parameters.text("run"))
        other = session.run_called(parameters.text("against"))
        difference = values[scores.runs.index(run)] - values[scores.runs.index(other)]
        keys[order] = difference * (standing.direction or 1)
    places = np.argsort(keys[order], kind="stable")  # undefined ones come last, ties by name
    first = parameters.number("first", 0, 0, max(len(places) - 1, 0)) // PAGE * PAGE
    if topic := parameters.text("topic", ""):
        place = scores.topics.index(session.topic_called(topic))
        first = int(np.flatnonzero(places == place)[0]) // PAGE * PAGE
    page = places[first : first + PAGE]
    names, runs = session.shown_topics, session.shown_runs
    shown_topics = [scores.topics[place] for place in page]
    queries = session.queries(shown_topics, LONGEST_TEXT)
    return {
        "measure": described(session, text),
        "order": order,
        "orders": list(ORDERS.items()),
        "runs": [runs[scores.runs[row]] for row in rows],
        "means": [standing.means[scores.runs[row]] for row in rows],
        "runs_left_out": len(chosen) - len(rows),
        "topics": [names[topic] for topic in shown_topics],
        "texts": None if session.topic_texts is None else [queries.get(name, "") for name in shown_topics],
        "difficulty": difficulty[page].tolist(),
        "spread": spread[page].tolist(),
        "values": values[rows][:, page].T.tolist(),
        "base": None if base is None else base[page].tolist(),
        "first": first,
        "total": len(scores.topics),
        "domain": _domain(text, values),
    }


def scatter(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The values of two runs on all topics, in the order of the session's topics."""
    standing = _standing(session, parameters)
    text, scores = standing.measure, standing.scores
    values = standing.values
    x, y = (session.run_called(parameters.text(name)) for name in ("x", "y"))
    return {
        "measure": described(session, text),
        "x": values[scores.runs.index(x)].tolist(),
        "y": values[scores.runs.index(y)].tolist(),
        "domain": _domain(text, values),
    }


def _standing(session: Session, parameters: Parameters) -> Standing:
    session.campaign.require_topics("a view of topics")
    measure = parameters.text("measure", "") or [session.measures[0]]
    return next(iter(session.standings(measure).values()))


def _mean_and_spread(values: Floats) -> tuple[Floats, Floats]:
    """(topics,) the mean over the runs that have a value, and their standard deviation."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = filled.sum(axis=0) / count
        spread = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / count)
    return mean, spread


def _domain(text: str, values: Floats) -> list[float]:
    """The ends of the scale of colours: 0 and 1, or the least and the largest value."""
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    if is_share(text) and low >= 0 and high <= 1:
        return [0.0, 1.0]
    return [low, high] if low < high else [low, math.nextafter(low, math.inf) if low else 1.0]
