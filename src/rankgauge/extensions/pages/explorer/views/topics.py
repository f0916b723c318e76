"""Topics by runs: the values of one measure."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.explanation.run_diff import DEPTH as OVERLAP_DEPTH
from rankgauge.explanation.run_diff import ranking_change
from rankgauge.extensions.pages.explorer.session import LONGEST_QUERY, Session
from rankgauge.extensions.pages.explorer.views import (
    Address,
    Parameters,
    Shown,
    View,
    add_view,
    by_topic,
    chosen_measure,
    chosen_runs,
    command_line,
    needed,
)
from rankgauge.extensions.pages.explorer.views.measures import described
from rankgauge.extensions.pages.figures.registry import FIGURES
from rankgauge.model.provenance import is_share
from rankgauge.schema.options import choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from rankgauge.extensions.pages.explorer.session import Standing
    from rankgauge.extensions.pages.figures.figure import Figure

    Floats = npt.NDArray[np.float64]

PAGE = 100  # topics of an answer
MAX_ALIKE = 1000  # topics whose rankings are compared: each takes a millisecond
MAX_RUNS = 100  # runs of an answer: the best, or the first that were chosen
# What comes first: by the mean over all runs, their standard deviation, the loss against a run, or the name.
ORDERS = ("hardest", "easiest", "spread", "difference", "topic")


def topics(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The values of runs on a page of topics; lists are by topic, then by run.

    The order by difference needs `run` and `against`; `topic` asks for its page, `find` for topics with all
    of these words in their names or queries, `segment` for its topics.
    """
    standing = _standing(session, parameters)
    scores, values = standing.scores, standing.values
    chosen = [session.run_called(name) for name in parameters.texts("runs")] or list(standing.order)
    rows = [scores.runs.index(run) for run in chosen[:MAX_RUNS]]
    against = parameters.text("against", "")
    mean, _ = mean_and_spread(values)
    places = _ordered(session, standing, parameters)
    inside = {*asked_topics(session, scores.topics, parameters)}
    places = places[[scores.topics[place] in inside for place in places]]
    first = parameters.number("first", 0, 0, max(len(places) - 1, 0)) // PAGE * PAGE
    topic = parameters.text("topic", "")
    if topic:
        at = np.flatnonzero(places == scores.topics.index(session.topic_called(topic)))
        first = int(at[0]) // PAGE * PAGE if len(at) else first
    page = places[first : first + PAGE]
    return {
        "measure": described(session, standing.measure),
        "runs": [session.shown_runs[run] for run in chosen[:MAX_RUNS]],
        "means": [standing.means[run] for run in chosen[:MAX_RUNS]],
        "runs_left_out": len(chosen) - len(rows),
        "topics": [session.shown_topics[scores.topics[place]] for place in page],
        "difficulty": mean[page].tolist(),
        "values": values[rows][:, page].T.tolist(),
        "base": _values_of(session, standing, against)[page].tolist() if against else None,
        "first": first,
        "total": len(places),
        "domain": _domain(standing.measure, values),
    }


def asked_topics(session: Session, topics: Sequence[str], parameters: Parameters) -> list[str]:
    """The topics of a `segment` that have all words to `find` in their names or queries."""
    words = parameters.text("find", "").lower().split()  # as the page does
    if words:
        queries = session.queries(topics, LONGEST_QUERY)
        texts = {name: f"{session.shown_topics[name]} {queries.get(name, '')}".lower() for name in topics}
        topics = [name for name in topics if all(word in texts[name] for word in words)]
    segment = parameters.text("segment", "")
    if segment and session.segments:
        inside = {*session.segments.find(segment).topics}
        topics = [name for name in topics if name in inside]
    return list(topics)


def topic_order(session: Session, parameters: Parameters) -> dict[str, Any]:
    """All topics in an order, as in `topics`, or the least `alike` rankings of two runs first."""
    if parameters.text("order", "") == "alike":
        return {"topics": _by_similarity(session, parameters)}
    standing = _standing(session, parameters)
    names = standing.scores.topics
    return {"topics": [session.shown_topics[names[at]] for at in _ordered(session, standing, parameters)]}


def _by_similarity(session: Session, parameters: Parameters) -> list[str]:
    runs = [session.run_called(parameters.text(name)) for name in ("run", "against")]

    def rbo(topic: str) -> float:
        first, second = (session.campaign.ranking(run, topic).texts for run in runs)
        return ranking_change(topic, first, second, OVERLAP_DEPTH).rbo

    shown = list(session.topics)
    return sorted(shown, key=lambda name: rbo(session.topics[name])) if len(shown) <= MAX_ALIKE else shown


def _ordered(session: Session, standing: Standing, parameters: Parameters) -> npt.NDArray[np.intp]:
    """Places of topics in an order; undefined values come last, ties by name."""
    order, way = choice("order", parameters.text("order", "hardest"), ORDERS), standing.direction or 1
    mean, spread = mean_and_spread(standing.values)
    key = {"hardest": mean * way, "easiest": mean * -way, "spread": -spread}.get(order, np.zeros(len(mean)))
    if order == "difference":
        run, against = (_values_of(session, standing, parameters.text(name)) for name in ("run", "against"))
        key = (run - against) * way
    return np.argsort(key, kind="stable")


def _values_of(session: Session, standing: Standing, shown: str) -> Floats:
    values: Floats = standing.values[standing.scores.runs.index(session.run_called(shown))]
    return values


def scatter(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The values of two runs on all topics of the session."""
    standing = _standing(session, parameters)
    return {name: _values_of(session, standing, parameters.text(name)).tolist() for name in ("x", "y")}


def _standing(session: Session, parameters: Parameters) -> Standing:
    session.campaign.require_topics("a view of topics")
    return session.standing(parameters.text("measure", ""))


def mean_and_spread(values: Floats) -> tuple[Floats, Floats]:
    """(topics,) mean over the runs that have a value, and their standard deviation."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = filled.sum(axis=0) / count
        spread = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / count)
    return mean, spread


def _domain(text: str, values: Floats) -> list[float]:
    """The ends of the scale of colours: 0 and 1, or the extreme values."""
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    if is_share(text) and low >= 0 and high <= 1:
        return [0.0, 1.0]
    return [low, high] if low < high else [low, math.nextafter(low, math.inf) if low else 1.0]


def _saved(session: Session, address: Address) -> Shown:
    runs, measure = chosen_runs(session, address), chosen_measure(session, address)
    scores = session.campaign.scores(measure).only(runs=runs)

    def figure() -> Figure:
        if len(runs) == 2:
            return FIGURES["differences"](scores, run=runs[1], baseline=runs[0], labels=session.labels)
        return FIGURES["difficulty"](scores, labels=session.labels)

    command = command_line(
        session, "evaluate", needed(session, runs, measure), m=measure, q=True, format="csv"
    )
    return Shown(command, figure, partial(by_topic, scores))


add_view(
    View(
        "topics",
        {"topics": topics, "topic-order": topic_order, "scatter": scatter},
        offered=lambda session: bool(session.topics) and session.campaign.is_judged,  # means alone have none
        saved=_saved,
    )
)
