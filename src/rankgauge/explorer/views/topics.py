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
MAX_RUNS = 100  # runs of an answer: the best, or the first that were chosen
LONGEST_TEXT = 300
# What comes first: by the mean over all runs, their standard deviation, the loss against a run, or the name.
ORDERS = ("hardest", "easiest", "spread", "difference", "topic")


def topics(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The values of runs on a page of topics, in an order; lists are by topic, then by run.

    `run` and `against` are needed for the order by difference; `topic` asks for the page that has it.
    """
    standing = _standing(session, parameters)
    scores, values, way = standing.scores, standing.values, standing.direction or 1

    def values_of(shown: str) -> Any:
        return values[scores.runs.index(session.run_called(shown))]

    order = choice("order", parameters.text("order", "hardest"), ORDERS)
    chosen = [session.run_called(name) for name in parameters.texts("runs")] or list(standing.order)
    rows = [scores.runs.index(run) for run in chosen[:MAX_RUNS]]
    against = parameters.text("against", "")
    mean, spread = _mean_and_spread(values)
    key = {"hardest": mean * way, "easiest": mean * -way, "spread": -spread}.get(order, np.zeros(len(mean)))
    if order == "difference":
        key = (values_of(parameters.text("run")) - values_of(parameters.text("against"))) * way
    places = np.argsort(key, kind="stable")  # undefined ones come last, ties by name
    first = parameters.number("first", 0, 0, max(len(places) - 1, 0)) // PAGE * PAGE
    topic = parameters.text("topic", "")
    if topic:
        place = scores.topics.index(session.topic_called(topic))
        first = int(np.flatnonzero(places == place)[0]) // PAGE * PAGE
    page = places[first : first + PAGE]
    names = [scores.topics[place] for place in page]
    queries = session.queries(names, LONGEST_TEXT)
    return {
        "measure": described(session, standing.measure),
        "runs": [session.shown_runs[run] for run in chosen[:MAX_RUNS]],
        "means": [standing.means[run] for run in chosen[:MAX_RUNS]],
        "runs_left_out": len(chosen) - len(rows),
        "topics": [session.shown_topics[name] for name in names],
        "texts": None if session.topic_texts is None else [queries.get(name, "") for name in names],
        "difficulty": mean[page].tolist(),
        "values": values[rows][:, page].T.tolist(),
        "base": values_of(against)[page].tolist() if against else None,
        "first": first,
        "total": len(scores.topics),
        "domain": _domain(standing.measure, values),
    }


def scatter(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The values of two runs on all topics, in the order of the session's topics."""
    standing = _standing(session, parameters)
    runs = {name: session.run_called(parameters.text(name)) for name in ("x", "y")}
    values = standing.values
    return {name: values[standing.scores.runs.index(run)].tolist() for name, run in runs.items()}


def _standing(session: Session, parameters: Parameters) -> Standing:
    session.campaign.require_topics("a view of topics")
    return session.standing(parameters.text("measure", ""))


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
