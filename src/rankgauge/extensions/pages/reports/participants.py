"""Pages for participants, one per run without the names of others, and an index for the organisers."""

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import numpy as np

from rankgauge._version import VERSION
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.session import Standing
from rankgauge.formats.target import make_folder, write_text
from rankgauge.measures.rankings.arrays.curves import Floats
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
    "same tag as another run": "each run has a tag of its own, and another run has that of this one",
}
COPY, SAME_TAG = RELATIONS
TAGS = {SAME_TAG, "several tags", "tag against the rules", "no tag"}  # problems that change no result
ADVICE = {  # {what a remark says of options of the evaluation: what it says to the owner of a run}
    r"; \S+ decides their order": "; if their order matters, give each result a score of its own",
    r", scoring 0 unless [^:]+": ", which score 0",
    r", unless \S+( rank)?$": "",
    r", an error with .*": "",
    r" \(\S+( rank)? goes by the ranks\)": " If so, write their negatives",
}


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


@dataclass(frozen=True)
class Board:
    """The runs of a session, and those that count: in places, medians and the best of topics."""

    session: Session
    reports: Mapping[str, FileReport]  # on the files of runs, by run

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """Runs whose only problems are their tags, and one of several copies; all, if none is left."""
        kept, known = [], set[str]()
        runs = self.session.campaign.runs
        for run in runs:
            found = self.reports.get(run)
            titles = {group.title for group in found.problems} - TAGS if found else set[str]()
            is_first = found is not None and found.listing not in known
            if not titles or (titles == {COPY} and is_first):
                kept.append(run)
                known.update(filter(None, [found.listing if found else ""]))
        return tuple(kept) or runs

    @cached_property
    def others(self) -> tuple[str, ...]:
        """The runs that do not count."""
        return tuple(run for run in self.session.campaign.runs if run not in self.counted)

    @cached_property
    def of_all(self) -> list[Standing]:
        """All runs, by each measure."""
        return [*self.session.standings().values()]

    @cached_property
    def standings(self) -> list[Standing]:
        """The runs that count, by each measure."""
        if not self.others:
            return self.of_all
        return [Standing(each.measure, each.scores.only(runs=self.counted)) for each in self.of_all]

    @cached_property
    def order(self) -> list[str]:
        """The runs that count, by their places, which leave out topics without a value for all runs."""
        main = self.standings[0]
        order = list(main.order)
        if main.places is not None:
            order.sort(key=lambda run: main.places[0][self.counted.index(run)])  # type: ignore[index]
        return order

    @property
    def labels(self) -> list[str]:
        """The names of the measures to show."""
        return [self.session.labels(each.measure) for each in self.standings]

    def place(self, measure: int, run: str) -> tuple[float, str]:
        """(place, NaN if there is none; its interval as text)."""
        places = self.standings[measure].places
        if places is None or run in self.others:
            return math.nan, "–"
        place, low, high = (int(each[self.counted.index(run)]) for each in places)
        return place, f"{low} to {high}" if low < high else str(low)

    def means(self, run: str) -> list[float]:
        """The means of a run."""
        return [each.means[run] for each in self.of_all]


def write_participants(board: Board, directory: str | os.PathLike[str]) -> list[str]:
    """Write the pages into a new or existing directory; the paths of the index and of the pages."""
    folder, session = Path(directory), board.session
    make_folder(folder)
    names = file_names(session.runs)
    note = "The page of a run names no other run, so that it can be handed out."
    sections = (Section("Pages", (note,)), *leaderboard(board))
    pages = {INDEX: page(Document(f"{session.title}: participants", sections))}
    for shown, run in session.runs.items():
        pages[names[shown]] = page(Document(shown, tuple(run_sections(board, run))))
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


def interval_title() -> str:
    """The title of the column of intervals of places."""
    return f"{100 * LEVEL:g} % interval of place"


def leaderboard(board: Board, folder: str | None = "") -> Iterator[Section]:
    """The runs, the best first, with means and places; unless `folder` is None, problems and links."""
    session = board.session
    note = (
        f"Runs by {board.labels[0]}, with the {100 * LEVEL:g} % interval of their place over {SAMPLES:,} "
        f"bootstrap samples of the {counted(len(session.topics), 'topic')}."
    )
    yield _listed("Runs", (note, *_lower(board)), board, board.order, folder)
    if board.others:
        note = "These runs have no place, and count neither in medians nor in the best values of topics."
        yield _listed("Not counted", (note,), board, board.others, folder)


def _listed(
    title: str, sentences: tuple[str, ...], board: Board, runs: Sequence[str], folder: str | None
) -> Section:
    rows: list[list[Cell]] = []
    links, files = {}, file_names(board.session.runs)
    some = folder is not None and any(run in board.reports and board.reports[run].problems for run in runs)
    for run in runs:
        shown, found = board.session.shown_runs[run], board.reports.get(run)
        problems = "; ".join(group.title for group in found.problems) if found else ""
        place, interval = board.place(0, run)
        if folder is not None:
            links[len(rows), 1] = f"{folder}{files[shown]}"
        rows.append([place, shown, *board.means(run), interval, *([problems and f"⚠ {problems}"] * some)])
    headers = ["place", "run", *board.labels, interval_title(), *["problems"] * some]
    return Section(title, sentences, Table(headers, rows, links=links), folded=runs is not board.order)


def run_sections(board: Board, run: str) -> Iterator[Section]:
    """The page of one run."""
    found = board.reports.get(run)
    yield Section("Summary", tuple(_summary(board, run)))
    yield Section("Means", tuple(_lower(board)), _means(board, run))
    if found is not None:
        # The lines of the report, without the first, which begins with the organisers' path.
        lines = str(addressed(found)).splitlines()[1:]
        yield Section("The file", tuple(line.strip() for line in lines))
    note = "Differences are from the median of the runs, bars to the right better; worst topics come first."
    for place, label in enumerate(board.labels):
        table = _topics(board, place, run)
        yield Section(f"{label} by topic", (note,), table, folded=place > 0)


def _lower(board: Board) -> list[str]:
    return lower_notes(
        {label: each.direction for label, each in zip(board.labels, board.standings, strict=True)}
    )


def _summary(board: Board, run: str) -> Iterator[str]:
    standing, session = board.standings[0], board.session
    runs, topics = counted(len(board.counted), "run"), counted(len(session.topics), "topic")
    label, (place, interval) = board.labels[0], board.place(0, run)
    value = number(board.means(run)[0], PLACES, undefined="no value")
    if run in board.others:
        yield (
            f"{label} is {value} on {topics}. This run has no place among the {runs} that count, because of "
            "the problems of its file, below."
        )
    elif math.isnan(place):
        yield f"One of {runs} on {topics}, with {label} {value}."
    else:
        yield (
            f"Place {place} of {runs} by {label}, with {value}. Over {SAMPLES:,} bootstrap samples of the "
            f"{topics}, {100 * LEVEL:g} % of its places are {interval}."
        )
    if not standing.direction:
        return
    own, (median, best) = _values(board, 0, run), standing.by_topic
    above = (own - median) * standing.direction
    at_best = int(((own - best) * standing.direction >= 0).sum())
    counts = ((above > 0).sum(), (above == 0).sum(), (above < 0).sum())
    better, same, worse = (counted(int(count), "topic") for count in counts)
    yield (
        f"Better than the median of the runs on {better}, the same on {same}, worse on {worse}; as good as "
        f"the best on {counted(at_best, 'topic')}. Other runs are not named."
    )


def _values(board: Board, measure: int, run: str) -> Floats:
    standing = board.of_all[measure]
    values: Floats = standing.values[standing.scores.runs.index(run)]
    return values


def _means(board: Board, run: str) -> Table:
    rows: list[list[Cell]] = []
    for at, (label, each) in enumerate(zip(board.labels, board.standings, strict=True)):
        means = np.array([*each.means.values()])
        low, high = board.of_all[at].intervals[run]
        interval = "–" if math.isnan(low) else f"{low:.{PLACES}f} to {high:.{PLACES}f}"
        median, best = (float(of[0]) for of in each.median_and_best(means[:, None]))
        rows.append([label, board.means(run)[at], median, best, *board.place(at, run), interval])
    of_runs = ("median of runs", "best of runs", "place", "interval of place")
    return Table(("measure", "this run", *of_runs, "95 % interval"), rows)


def _topics(board: Board, measure: int, run: str) -> Table:
    session, standing = board.session, board.standings[measure]
    queries = session.queries([*session.topics.values()], MAX_QUERY)
    own, (median, best) = _values(board, measure, run), standing.by_topic
    above = np.round(own - median, PLACES) + 0.0  # no -0
    reach = float(np.nanmax(np.abs(above), initial=0.0)) or 1.0
    order = np.argsort(above * (standing.direction or 1), kind="stable")  # undefined ones last
    rows: list[list[Cell]] = []
    bars = {}
    for place in order.tolist():
        topic, difference = standing.scores.topics[place], float(above[place])
        shown = f"{difference:+.{PLACES}f}".replace("-", "−") if difference else f"{0:.{PLACES}f}"
        if not math.isnan(difference):
            bars[len(rows), 1] = difference / reach * (standing.direction or 1)
        rows.append(
            [
                queries.get(topic) or session.shown_topics[topic],
                "",
                difference if math.isnan(difference) else Shown(difference, shown),
                *(float(each[place]) for each in (own, median, best)),
                *([session.shown_topics[topic]] if queries else []),
            ]
        )
    headers = ["query" if queries else "topic", "worse – better", "difference", "this run", "median", "best"]
    return Table([*headers, *["topic"] * bool(queries)], rows, bars=bars)


def addressed(report: FileReport) -> FileReport:
    """The report for the owner of a run: without the names of others, and with remarks as advice to them."""
    groups = (
        replace(group, first=((None, RELATIONS[group.title]),)) if group.title in RELATIONS else group
        for group in report.problems
    )
    remarks = list(report.remarks)
    for of_options, advice in ADVICE.items():
        remarks = [re.sub(of_options, advice, remark) for remark in remarks]
    return replace(report, problems=tuple(groups), remarks=tuple(remarks))
