"""Pages for participants: one per run, which names no other run, and an index for the organisers."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import numpy as np

from rankgauge.errors import InputError
from rankgauge.explorer import Session
from rankgauge.explorer.session import Standing
from rankgauge.formats.target import writing
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.output.tables import PLACES, number
from rankgauge.model.validation import Report as FileReport
from rankgauge.reports.static_page import Markup, escaped, listed, paragraphs, rows, static_page
from rankgauge.schema.text import counted
from rankgauge.studies.matrices import LEVEL, SAMPLES, place_intervals

INDEX = "index.html"
LONGEST_NAME = 80  # characters of the name of a file
LONGEST_QUERY = 120
STRIP = (170, 14)  # the size of a picture in a table
KEY = "The bar goes from the worst run of the topic to the best; its line is the median, the dot this run."


def write_participants(
    session: Session, directory: str | os.PathLike[str], checked: Mapping[str, FileReport] | None = None
) -> list[str]:
    """Write the pages into a directory, which is made; the paths of the index and of the pages.

    `checked` are the reports on the files of runs, by the names of the runs.
    """
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", path=os.fspath(directory)) from None
    reports, by_measure = checked or {}, fields(session)
    names = file_names(session.runs)
    pages = {INDEX: index_page(session, by_measure, names, reports)}
    for place, (shown, run) in enumerate(session.runs.items()):
        pages[names[shown]] = run_page(session, by_measure, place, shown, reports.get(run))
    for name, text in pages.items():
        with writing(folder / name) as stream:
            stream.write(text.encode())
    return [str(folder / name) for name in pages]


def file_names(runs: Iterable[str]) -> dict[str, str]:
    """{run: a name for its file}: plain letters, and no two alike, also where case does not count.

    >>> file_names(["bm25", "../BM25", "a b"])
    {'bm25': 'run-bm25.html', '../BM25': 'run-.._BM25.html', 'a b': 'run-a_b.html'}
    """
    taken: set[str] = set()
    names = {}
    for run in runs:
        stem = f"run-{re.sub(r'[^A-Za-z0-9._-]', '_', run)[:LONGEST_NAME]}"
        name, more = stem, 2
        while name.lower() in taken:
            name, more = f"{stem}-{more}", more + 1
        taken.add(name.lower())
        names[run] = f"{name}.html"
    return names


def index_page(
    session: Session, by_measure: list[Field], names: Mapping[str, str], reports: Mapping[str, FileReport]
) -> str:
    """The page of organisers: all runs, the best first, with links to their pages."""
    note = "The page of a run names no other run, so that it can be handed out."
    body = [*paragraphs([note]), *leaderboard(session, by_measure, names, reports)]
    return static_page(f"{session.title}: participants", body)


def leaderboard(
    session: Session, by_measure: list[Field], names: Mapping[str, str], reports: Mapping[str, FileReport]
) -> Iterator[str]:
    """All runs, the best first, with their means and places; `names` are those of their pages, if any."""
    main = by_measure[0]
    order = [main.standing.scores.runs.index(run) for run in main.standing.order]
    if main.places is not None:  # which leave out topics without a value for all runs
        order.sort(key=main.places[0].__getitem__)
    labels = session.shown_runs
    headers = ["place", f"{100 * LEVEL:g} % interval", "run", *(field.label for field in by_measure)]
    headers += ["problems", "remarks"] if reports else []
    lines = []
    for place in order:
        run = main.standing.scores.runs[place]
        shown, found = labels[run], reports.get(run)
        link = Markup(f'<a href="{quote(names[shown])}">{escaped(shown)}</a>') if names else shown
        counts = [_count(len(found.problems)), _count(len(found.remarks))] if found else ["", ""]
        means = [number(float(field.means[place]), PLACES, undefined="–") for field in by_measure]
        lines.append([*_place(main, place), link, *means, *(counts if reports else [])])
    yield from paragraphs(
        [
            f"Runs by {main.label}, with the {100 * LEVEL:g} % interval of their place over {SAMPLES:,} "
            f"bootstrap samples of the {counted(len(session.topics), 'topic')}."
        ]
    )
    yield from rows(headers, lines, texts=(2,))


def _count(count: int) -> str:
    return str(count) if count else "–"


def _place(field: Field, run: int) -> tuple[str, str]:
    """The place of a run and its interval, as texts."""
    if field.places is None:
        return "–", "–"
    place, low, high = (int(each[run]) for each in field.places)
    return str(place), f"{low} to {high}" if low < high else str(low)


def run_page(
    session: Session, by_measure: list[Field], run: int, shown: str, found: FileReport | None
) -> str:
    """The page of one run."""
    body = [
        *paragraphs(_summary(session, by_measure[0], run)),
        "<h2>Means</h2>",
        *_means(by_measure, run),
        *_file(found),
    ]
    queries = session.queries([*session.topics.values()], LONGEST_QUERY)
    for place, field in enumerate(by_measure):
        title = f"<summary><h2>{escaped(field.label)} by topic</h2></summary>"
        body += [
            f"<details{' open' if not place else ''}>{title}",
            *paragraphs([f"Topics on which this run is farthest below the median come first. {KEY}"]),
            *_topics(session, field, run, queries),
            "</details>",
        ]
    return static_page(shown, body)


def _summary(session: Session, field: Field, run: int) -> Iterator[str]:
    """Where the run stands, and how often it is above the median."""
    runs, topics = counted(len(session.runs), "run"), counted(len(session.topics), "topic")
    mean = number(float(field.means[run]), PLACES, undefined="no value")
    if field.places is None:
        yield f"One of {runs} on {topics}, with {field.label} {mean}."
        return
    place, interval = _place(field, run)
    yield (
        f"Place {place} of {runs} by {field.label}, with {mean}. Over {SAMPLES:,} bootstrap samples of the "
        f"{topics}, {100 * LEVEL:g} % of its places are {interval}."
    )
    median, best, _ = field.by_topic
    above = (field.values[run] - median) * (field.standing.direction or 1)
    at_best = int((field.values[run] == best).sum())
    counts = ((above > 0).sum(), (above == 0).sum(), (above < 0).sum())
    better, same, worse = (counted(int(count), "topic") for count in counts)
    yield (
        f"Better than the median of the runs on {better}, the same on {same}, worse on {worse}; as good as "
        f"the best on {counted(at_best, 'topic')}. Other runs are not named."
    )


def _means(by_measure: list[Field], run: int) -> Iterator[str]:
    headers = (
        "measure",
        "this run",
        "95 % interval",
        "median of runs",
        "best of runs",
        "place",
        "interval of place",
    )
    lines = []
    for field in by_measure:
        low, high = list(field.standing.intervals.values())[run]
        interval = "–" if math.isnan(low) else f"{low:.{PLACES}f} to {high:.{PLACES}f}"
        median, best, _ = (number(each, PLACES, undefined="–") for each in field.of_means)
        own = number(float(field.means[run]), PLACES, undefined="–")
        lines.append((field.label, own, interval, median, best, *_place(field, run)))
    return rows(headers, lines)


def _topics(session: Session, field: Field, run: int, queries: Mapping[str, str]) -> Iterator[str]:
    """The value of each topic beside the median and the best."""
    own, (median, best, worst) = field.values[run], field.by_topic
    known = field.values[~np.isnan(field.values)]
    low, high = (min(0.0, float(known.min())), float(known.max())) if len(known) else (0.0, 1.0)
    direction = field.standing.direction or 1
    order = np.argsort((own - median) * direction, kind="stable")  # undefined ones come last
    labels = session.shown_topics
    lines = []
    for place in order.tolist():
        topic = field.standing.scores.topics[place]
        values = [float(each[place]) for each in (own, median, best)]
        difference = values[0] - values[1]
        texts = [number(value, PLACES, undefined="–") for value in values]
        mark = "worse" if difference * direction < 0 else ""
        shown = "–" if math.isnan(difference) else f"{difference:+.{PLACES}f}".replace("-", "−")
        picture = _strip(values[0], values[1], float(worst[place]), values[2], low, high)
        name = [labels[topic], *([queries.get(topic, "")] if queries else [])]
        lines.append([*name, *texts, Markup(f'<span class="{mark}">{shown}</span>'), picture])
    headers = ["topic", *(["query"] if queries else []), "this run", "median", "best", "− median", "all runs"]
    return rows(headers, lines, texts=(0, 1, len(headers) - 1) if queries else (0, len(headers) - 1))


def _strip(own: float, median: float, worst: float, best: float, low: float, high: float) -> Markup:
    """A picture of the values of a topic, whose numbers are beside it."""
    if math.isnan(best):
        return Markup("")
    width, height = STRIP

    def x(value: float) -> str:
        return f"{6 + (width - 12) * (value - low) / ((high - low) or 1.0):.1f}"

    dot = "" if math.isnan(own) else f'<circle class="own" cx="{x(own)}" cy="{height / 2:g}" r="4.5"/>'
    return Markup(
        f'<svg class="strip" viewBox="0 0 {width} {height}" aria-hidden="true">'
        f'<line class="range" x1="{x(worst)}" x2="{x(best)}" y1="{height / 2:g}" y2="{height / 2:g}"/>'
        f'<line class="median" x1="{x(median)}" x2="{x(median)}" y1="1" y2="{height - 1}"/>{dot}</svg>'
    )


def _file(found: FileReport | None) -> Iterator[str]:
    """What is wrong with the file of the run, without the directory in which organisers keep it."""
    if found is None:
        return
    yield "<h2>The file</h2>"
    # The lines of the report, of which the first begins with the path.
    _, *lines = str(found).splitlines()
    yield from listed(line.strip() for line in lines)


@dataclass(frozen=True)
class Field:
    """The runs of a campaign by one measure; arrays are by run, or by topic."""

    standing: Standing
    label: str  # of the measure

    @cached_property
    def values(self) -> Floats:
        """(runs, topics), as those of the standing."""
        return self.standing.values

    @property
    def means(self) -> Floats:
        """(runs,) the means."""
        return np.array(list(self.standing.means.values()))

    @cached_property
    def places(self) -> tuple[Ints, Ints, Ints] | None:
        """(place, low, high) of each run; None for a measure without better or worse, or without values."""
        if not self.standing.direction:
            return None
        try:
            places, low, high = place_intervals(self.standing.scores)
        except InputError:  # no topic has a value for all runs
            return None
        return places[0], low[0], high[0]

    @cached_property
    def by_topic(self) -> tuple[Floats, Floats, Floats]:
        """(median, best, worst) of the runs on each topic; NaN where no run has a value."""
        return self._middle_and_ends(self.values)

    @cached_property
    def of_means(self) -> tuple[float, float, float]:
        """(median, best, worst) of the means."""
        median, best, worst = self._middle_and_ends(self.means[:, None])
        return float(median[0]), float(best[0]), float(worst[0])

    def _middle_and_ends(self, values: Floats) -> tuple[Floats, Floats, Floats]:
        some = ~np.isnan(values).all(axis=0)
        median, low, high = (np.full(values.shape[1], np.nan) for _ in range(3))
        median[some] = np.nanmedian(values[:, some], axis=0)
        low[some], high[some] = np.nanmin(values[:, some], axis=0), np.nanmax(values[:, some], axis=0)
        return (median, low, high) if self.standing.direction < 0 else (median, high, low)


def fields(session: Session) -> list[Field]:
    """The runs by each measure of the session."""
    return [Field(standing, session.labels(text)) for text, standing in session.standings().items()]
