"""Pages for participants, one per run without the names of others, and an index for the organisers."""

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np

from rankgauge._version import VERSION
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.session import Standing
from rankgauge.formats.target import make_folder, write_text
from rankgauge.model.output.documents import Document, Section, document_lines
from rankgauge.model.output.tables import PLACES, Cell, Shown, Table, number
from rankgauge.model.score_cells import lower_notes
from rankgauge.model.validation import Report as FileReport
from rankgauge.numbers.intervals import LEVEL
from rankgauge.numbers.matrices import SAMPLES
from rankgauge.schema.text import counted

INDEX = "index.html"
MADE_BY = "Made by rankgauge"  # at the end of every page
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # no script, and nothing is loaded
MAX_NAME = 80  # characters of the name of a file
MAX_QUERY = 120
# What one run has to do with another: {title of the problem: what to say where the other is not named}
RELATIONS = {
    "same results as another run": "another run has the same documents in the same order in all topics",
    "same tag as another run": "tags of runs differ",
}
COPY, SAME_TAG = RELATIONS


def page(document: Document, links: Mapping[str, str] | None = None) -> str:
    """A page without scripts that loads nothing; a list of links comes last."""
    *lines, end_main, end = document_lines(document, "html")
    lines.insert(2, f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">')
    items = [
        f'<li><a href="{quote(file)}">{html.escape(file)}</a>: {html.escape(text)}</li>'
        for file, text in (links or {}).items()
    ]
    listed = ["<ul>", *items, "</ul>"] if items else []
    return "\n".join([*lines, *listed, end_main, f"<footer>{MADE_BY} {VERSION}.</footer>", end, ""])


def write_participants(
    session: Session, directory: str | os.PathLike[str], checked: Mapping[str, FileReport] | None = None
) -> list[str]:
    """Write the pages into a new or existing directory; the paths of the index and of the pages.

    `checked` has reports on the files of runs, by run.
    """
    folder = Path(directory)
    make_folder(folder)
    reports, standings = checked or {}, [*session.standings().values()]
    names = file_names(session.runs)
    board = leaderboard(session, standings, reports)
    note = "The page of a run names no other run, so that it can be handed out."
    pages = {INDEX: page(Document(f"{session.title}: participants", (Section("Pages", (note,)), board)))}
    for place, (shown, run) in enumerate(session.runs.items()):
        sections = run_sections(session, standings, place, reports.get(run))
        pages[names[shown]] = page(Document(shown, tuple(sections)))
    for name, text in pages.items():
        write_text(folder / name, text)
    return [str(folder / name) for name in pages]


def file_names(runs: Iterable[str]) -> dict[str, str]:
    """{run: a name for its file}: plain letters, unique also where case does not count.

    >>> file_names(["bm25", "../BM25", "a b"])
    {'bm25': 'run-bm25.html', '../BM25': 'run-.._BM25.html', 'a b': 'run-a_b.html'}
    """
    taken: set[str] = set()
    names = {}
    for run in runs:
        stem = f"run-{re.sub(r'[^A-Za-z0-9._-]', '_', run)[:MAX_NAME]}"
        name, more = stem, 2
        while name.lower() in taken:
            name, more = f"{stem}-{more}", more + 1
        taken.add(name.lower())
        names[run] = f"{name}.html"
    return names


def leaderboard(
    session: Session, standings: Sequence[Standing], reports: Mapping[str, FileReport], folder: str = ""
) -> Section:
    """All runs, the best first, with means, places, problems, and links to pages in a folder."""
    main, runs = standings[0], standings[0].scores.runs
    order = [runs.index(run) for run in main.order]
    if main.places is not None:  # which leave out topics without a value for all runs
        order.sort(key=main.places[0].__getitem__)
    rows: list[list[Cell]] = []
    links, files = {}, file_names(session.runs)
    some = any(found.problems for found in reports.values())
    for place in order:
        found = reports.get(runs[place])
        problems = "; ".join(group.title for group in found.problems) if found else ""
        means = [each.means[runs[place]] for each in standings]
        shown = session.shown_runs[runs[place]]
        links[len(rows), 2] = f"{folder}{files[shown]}"
        rows.append([*_place(main, place), shown, *means, *([problems and f"⚠ {problems}"] if some else [])])
    labels = [session.labels(each.measure) for each in standings]
    headers = ["place", f"{100 * LEVEL:g} % interval", "run", *labels]
    headers += ["problems"] if some else []
    note = (
        f"Runs by {labels[0]}, with the {100 * LEVEL:g} % interval of their place over {SAMPLES:,} "
        f"bootstrap samples of the {counted(len(session.topics), 'topic')}."
    )
    return Section("Runs", (note, *_lower(session, standings)), Table(headers, rows, links=links))


def run_sections(
    session: Session, standings: Sequence[Standing], run: int, found: FileReport | None
) -> Iterator[Section]:
    """The page of one run."""
    yield Section("Summary", tuple(_summary(session, standings[0], run)))
    yield Section("Means", tuple(_lower(session, standings)), _means(session, standings, run))
    if found is not None:
        # The lines of the report, without the first, which begins with the organisers' path.
        lines = str(anonymous(found)).splitlines()[1:]
        yield Section("The file", tuple(line.strip() for line in lines))
    note = "Topics on which this run is farthest below the median come first."
    for place, standing in enumerate(standings):
        title = f"{session.labels(standing.measure)} by topic"
        yield Section(title, (note,), _topics(session, standing, run), folded=place > 0)


def _lower(session: Session, standings: Sequence[Standing]) -> list[str]:
    return lower_notes({session.labels(each.measure): each.direction for each in standings})


def _place(standing: Standing, run: int) -> tuple[float, str]:
    """(place, NaN if there is none; its interval as text)."""
    if standing.places is None:
        return math.nan, "–"
    place, low, high = (int(each[run]) for each in standing.places)
    return place, f"{low} to {high}" if low < high else str(low)


def _summary(session: Session, standing: Standing, run: int) -> Iterator[str]:
    runs, topics = counted(len(session.runs), "run"), counted(len(session.topics), "topic")
    label, mean = session.labels(standing.measure), [*standing.means.values()][run]
    value = number(mean, PLACES, undefined="no value")
    if standing.places is None:
        yield f"One of {runs} on {topics}, with {label} {value}."
        return
    place, interval = _place(standing, run)
    yield (
        f"Place {place} of {runs} by {label}, with {value}. Over {SAMPLES:,} bootstrap samples of the "
        f"{topics}, {100 * LEVEL:g} % of its places are {interval}."
    )
    own, (median, best) = standing.values[run], standing.by_topic
    above = (own - median) * (standing.direction or 1)
    at_best = int((own == best).sum())
    counts = ((above > 0).sum(), (above == 0).sum(), (above < 0).sum())
    better, same, worse = (counted(int(count), "topic") for count in counts)
    yield (
        f"Better than the median of the runs on {better}, the same on {same}, worse on {worse}; as good as "
        f"the best on {counted(at_best, 'topic')}. Other runs are not named."
    )


def _means(session: Session, standings: Sequence[Standing], run: int) -> Table:
    rows: list[list[Cell]] = []
    for each in standings:
        means = np.array([*each.means.values()])
        low, high = [*each.intervals.values()][run]
        interval = "–" if math.isnan(low) else f"{low:.{PLACES}f} to {high:.{PLACES}f}"
        median, best = (float(of[0]) for of in each.median_and_best(means[:, None]))
        label = session.labels(each.measure)
        rows.append([label, float(means[run]), interval, median, best, *_place(each, run)])
    of_runs = ("median of runs", "best of runs", "place", "interval of place")
    return Table(("measure", "this run", "95 % interval", *of_runs), rows)


def _topics(session: Session, standing: Standing, run: int) -> Table:
    queries = session.queries([*session.topics.values()], MAX_QUERY)
    own, (median, best) = standing.values[run], standing.by_topic
    order = np.argsort((own - median) * (standing.direction or 1), kind="stable")  # undefined ones last
    rows: list[list[Cell]] = []
    for place in order.tolist():
        topic = standing.scores.topics[place]
        difference = float(own[place] - median[place])
        shown = Shown(difference, f"{difference:+.{PLACES}f}".replace("-", "−"))
        values = [float(each[place]) for each in (own, median, best)]
        query = [queries.get(topic, "")] if queries else []
        rows.append(
            [session.shown_topics[topic], *query, *values, difference if np.isnan(difference) else shown]
        )
    return Table(("topic", *(["query"] if queries else []), "this run", "median", "best", "− median"), rows)


def anonymous(report: FileReport) -> FileReport:
    """The report without the names of other runs, for the owner of this one."""
    groups = (
        replace(group, first=((None, RELATIONS[group.title]),)) if group.title in RELATIONS else group
        for group in report.problems
    )
    return replace(report, problems=tuple(groups))
