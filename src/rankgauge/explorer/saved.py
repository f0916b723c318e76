"""The page as a file: with the answers to what readers may ask, as far as there is room."""

from __future__ import annotations

import base64
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankgauge.explorer.page import Bundle, Request, saved_page
from rankgauge.explorer.session import Session
from rankgauge.explorer.views import Parameters, answer
from rankgauge.explorer.views.ranking import CURVES, rankings
from rankgauge.explorer.views.topics import MOST_RUNS, ORDERS, PAGE
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.schema.text import counted

MOST_BYTES = 6_000_000  # of bundles: with scripts and the other answers, a page has less than 10 MB
FOR_TOPICS = 2_000_000  # of these, at most
DEPTHS = (100, 50, 20, 10)  # of rankings, the deepest that there is room for
MOST_RANKINGS = 5000  # more take minutes
MOST_BASELINES = 12
MOST_MISSED = 25  # relevant documents that are listed below a ranking
CELLS = 1 << 22  # values of curves that are held at once
ALWAYS: tuple[Request, ...] = (("overview", {}), ("about", {}))
OF_RANKINGS: tuple[Request, ...] = (("curves", {}), ("effort", {}))


@dataclass
class Contents:
    """What a page holds, and sentences on what it does not."""

    bundles: list[Bundle] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The bytes of the bundles."""
        return sum(bundle.size for bundle in self.bundles)


def page_file(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The page as a file that a browser keeps, with the measures and the baseline that a person chose."""
    chosen = session.chosen(parameters.text("measures", "") or None, parameters.text("baseline", "") or None)
    content = page(chosen).encode("utf-8", "surrogateescape")
    return {"name": "report.html", "type": "text/html", "content": base64.b64encode(content).decode()}


def page(session: Session) -> str:
    """The HTML of the page, which loads nothing."""
    session = copy.copy(session)  # whose rankings may be cut; a server of the session shows more
    contents = Contents()
    contents.bundles.append(Bundle.of(session, _overviews(session)))
    if session.topics:
        _add_topics(session, contents)
    ranked = session.campaign.has_judgments
    if ranked:
        _add_efforts(session, contents)
        _add_rankings(session, contents)
    contents.left_out.append(
        "Other measures, baselines and tests, texts of documents, and what if: `rankgauge explore` has them."
    )
    always = ALWAYS + OF_RANKINGS if ranked else ALWAYS
    return saved_page(session, always, contents.bundles, contents.left_out)


def _overviews(session: Session) -> Iterator[Request]:
    """The leaderboard again, for what a reader may choose by name; with few runs, each as the baseline."""
    shown = answer(session, "overview", {})
    for name in ("test", "correction"):
        if shown[name]:
            yield "overview", {name: shown[name]}
    few = len(session.runs) <= MOST_BASELINES
    for run in session.runs if few else filter(None, [shown["baseline"]]):
        yield "overview", {"baseline": run}


def _add_topics(session: Session, contents: Contents) -> None:
    """The values of topics by every measure and in every order, a page of topics at a time."""
    pages = range(0, len(session.topics), PAGE)
    orders = [order for order in ORDERS if order != "difference"]  # which needs two runs
    for order in orders:
        for measure in (None, *session.measures):
            if contents.size > FOR_TOPICS:
                contents.left_out.append("Some orders of topics, of which there are many.")
                return
            parameters = {"measure": measure, "order": None if order == "hardest" else order}
            given = {name: value for name, value in parameters.items() if value is not None}
            requests = [("topics", {**given, **({"first": first} if first else {})}) for first in pages]
            contents.bundles.append(Bundle.of(session, requests))
    if len(session.runs) > MOST_RUNS:
        contents.left_out.append(f"Values of topics of all but the {MOST_RUNS} best runs by each measure.")


def _add_efforts(session: Session, contents: Contents) -> None:
    """What the curves of points in the plot of effort and gain are drawn from."""
    contents.bundles.append(Bundle.of(session, [("effort-hits", {"run": run}) for run in session.runs]))


def _add_rankings(session: Session, contents: Contents) -> None:
    """The rankings of all runs, or of the best, down to a depth that there is room for."""
    room, topics = MOST_BYTES - contents.size, list(session.topics)
    if not topics:
        return
    runs = _first_runs(session, max(1, MOST_RANKINGS // len(topics)))
    deepest = min(DEPTHS[0], session.campaign.longest)
    vectors = _vectors(session, runs, max(1, deepest))
    middle = topics[len(topics) // 2]
    for depth in _depths(deepest):
        session.ranking_depth = depth
        size = _bundle(session, runs, middle, depth, vectors).size
        if size * len(topics) <= room:
            break
    else:
        runs = runs[: max(1, int(len(runs) * room / (size * len(topics))))]
    held = 0
    for topic in topics:
        bundle = _bundle(session, runs, topic, depth, vectors)
        if held + bundle.size > room:
            contents.left_out.append(f"Rankings of topics from {topic} on.")
            break
        contents.bundles.append(bundle)
        held += bundle.size
    if session.campaign.longest > depth:
        contents.left_out.append(f"Documents beyond rank {depth} of a ranking.")
    if len(runs) < len(session.runs):
        left = counted(len(session.runs) - len(runs), "run")
        contents.left_out.append(f"Rankings of {left}: those of the best are here.")


def _depths(deepest: int) -> list[int]:
    """The depths to try, of which the first holds all rankings if these are no deeper than DEPTHS[0]."""
    return [depth for depth, less in zip(DEPTHS, (*DEPTHS[1:], -1), strict=True) if less < deepest]


def _first_runs(session: Session, most: int) -> list[str]:
    """The names in the files of the runs whose rankings are held: all, or the baseline and the best."""
    if len(session.runs) <= most:
        return list(session.runs.values())
    (standing,) = session.standings(session.measures[:1]).values()
    baseline = [] if session.baseline is None else [session.run_called(session.baseline)]
    return list(dict.fromkeys([*baseline, *standing.order]))[:most]


def _vectors(session: Session, runs: Sequence[str], depth: int) -> Floats:
    """(topics, runs, CURVES, ranks), computed for some runs at a time."""
    campaign = session.campaign
    several = max(1, CELLS // (len(CURVES) * depth * len(campaign.topics)))

    def parts() -> Iterator[Floats]:
        for begin in range(0, len(runs), several):
            yield campaign.only(runs[begin : begin + several]).curves(CURVES, depth=depth).values

    return np.concatenate([values.transpose(2, 0, 1, 3) for values in parts()], axis=1)


def _bundle(session: Session, runs: Sequence[str], topic: str, depth: int, vectors: Floats) -> Bundle:
    """The rankings of a topic, by its name to show."""
    requests = [("ranking", {"topic": topic, "run": session.shown_runs[run], "depth": depth}) for run in runs]
    name = session.topic_called(topic)
    curves = vectors[session.campaign.topics.index(name), : len(runs)]
    return Bundle.holding(requests, rankings(session, name, runs, depth, MOST_MISSED, curves))
