"""A campaign from a folder: check, pool, evaluate; pages, files and their index."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankgauge import formats
from rankgauge.errors import InputError
from rankgauge.extensions.pages.reports import Report, report
from rankgauge.extensions.pages.reports.participants import (
    COPY,
    INDEX,
    SAME_TAG,
    Board,
    leaderboard,
    page,
    write_participants,
)
from rankgauge.extensions.pages.reports.public import about_runs, public_page
from rankgauge.formats.patterns import files_below
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source, expand, run_name
from rankgauge.formats.target import make_folder, write_text
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import Table, printable, render
from rankgauge.model.qrels import Qrels
from rankgauge.model.validation import Report as FileReport
from rankgauge.model.validation import SubmissionRules, validate
from rankgauge.model.validation_report import Findings
from rankgauge.schema.json_text import to_json
from rankgauge.schema.registry import Services
from rankgauge.schema.text import counted

POOLS = Services("pools", "tool", {})
OUTPUT = "results"  # the folder in that of the campaign
RUNS = "runs"
PAGES = "participants/"
PUBLIC = f"public/{INDEX}"
POOL_DEPTH = 100
FILES = {
    PUBLIC: "the leaderboard to publish, without problems of files",
    "report.html": "the leaderboard, topics, curves and rankings, to look at",
    f"{PAGES}{INDEX}": "a page for each run, to hand out",
    "pool.txt": "the documents still to be judged, with the number of runs that have each",
    "means.csv": "the means of all runs",
    "scores.csv": "the value of every topic of every run",
    "report.md": "the report as Markdown",
    "validation.txt": "every problem of every file",
    "validation.json": "the same as data",
}


@dataclass(frozen=True)
class Found:
    """The files of a campaign: judgments, if any yet, runs, and neither."""

    qrels: str | None
    runs: tuple[str, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The findings, and the files written."""

    found: Found
    checked: tuple[FileReport, ...]  # of the judgments, if there are any, and of all runs
    report: Report | None = None
    left_out: tuple[str, ...] = ()  # runs that are neither pooled nor evaluated
    written: tuple[str, ...] = ()

    @property
    def broken(self) -> list[FileReport]:
        """Reports on files with problems."""
        return [each for each in self.checked if not each.ok]

    @property
    def problem_rows(self) -> list[tuple[str, str, int, str]]:
        """(file, kind of problem, count, first message) for each kind of each file."""
        rows = []
        for each in self.broken:
            for group in each.problems:
                line, message = group.first[0] if group.first else (None, "")
                rows.append(
                    (
                        each.path,
                        group.title,
                        group.count,
                        message if line is None else f"line {line}: {message}",
                    )
                )
        return rows

    @property
    def problems(self) -> Iterator[str]:
        """A line for each kind of problem of each file."""
        for path, title, count, message in self.problem_rows:
            times = f", {count:,} times" if count > 1 else ""
            yield f"{path}: {title}{times}{f': {message}' if message else ''}"

    @property
    def sentence(self) -> str:
        """The number of files with problems, in a sentence."""
        runs, broken = counted(len(self.found.runs), "run"), counted(len(self.broken), "file")
        return f"{runs}; problems in {broken}." if self.broken else f"{runs}; no problems."


def find(directory: str, qrels: str | None = None, runs: Sequence[str] = (), output: str = "") -> Found:
    """The judgments and the runs of a folder, unless they are named.

    Runs are the files below its folder `runs`, or else those in it that can be read as runs; judgments are
    the only file in it that can be read as such.
    """
    if not os.path.isdir(directory):  # noqa: PTH112
        raise InputError("is no directory; name the one that has the judgments and the runs", path=directory)
    below = {os.path.realpath(path) for path in files_below(output)} if os.path.isdir(output) else set[str]()  # noqa: PTH112
    own = Path(directory)
    beside = [str(path) for path in sorted(own.iterdir()) if path.is_file() and not path.name.startswith(".")]
    kinds = {path: _kind(path) for path in beside if os.path.realpath(path) not in below}
    if qrels is None:
        candidates = [path for path, kind in kinds.items() if kind == "qrels"]
        if len(candidates) > 1:
            several = ", ".join(Path(path).name for path in candidates)
            raise InputError(
                f"has several files of judgments, {several}; choose one: --qrels", path=directory
            )
        qrels = candidates[0] if candidates else None
    submitted = [path for pattern in runs for path in expand(pattern)]
    if not submitted and (own / RUNS).is_dir():
        submitted = files_below(str(own / RUNS))
    elif not submitted:
        submitted = [path for path, kind in kinds.items() if kind == "run"]
    if not submitted:
        raise InputError(
            f"has no runs, neither in {RUNS}/ nor beside the judgments; name them: --runs", path=directory
        )
    used = {os.path.realpath(path) for path in (*submitted, *([qrels] if qrels else []))}
    others = [path for path in kinds if os.path.realpath(path) not in used]
    return Found(qrels, tuple(submitted), tuple(others))


def _kind(path: str) -> str | None:
    try:
        kind = formats.guess_kind(Source(path))
        return kind if len(formats.read(Source(path), kind)) else None
    except InputError:
        return None


def check(
    found: Found, rules: SubmissionRules, **options: Any
) -> tuple[tuple[FileReport, ...], Qrels | None]:
    """(reports on judgments and runs, also against each other; judgments, None if absent or faulty)."""
    form = _form(options, "qrels")
    judged = validate(found.qrels, kind="qrels", **form) if found.qrels else None
    qrels = None
    if found.qrels and judged and judged.ok:
        qrels = Qrels.read(found.qrels, duplicates="first", grades=options.get("grades"), **form)
    if rules.topics is None and qrels is not None:
        rules = replace(rules, topics=tuple(qrels.sorted_topics))
    rules = replace(rules, one_tag=True)
    runs = [validate(path, qrels, "run", rules=rules, **_form(options, "run")) for path in found.runs]
    return (*([judged] if judged else []), *compared(runs)), qrels


def _form(options: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {name: options.get(f"{kind}_{name}") for name in ("format", "columns")}


def organise(
    directory: str,
    output: str | None = None,
    *,
    qrels: str | None = None,
    runs: Sequence[str] = (),
    rules: SubmissionRules | None = None,
    pool_depth: int = POOL_DEPTH,
    exclude_problems: bool = False,
    measures: Any = None,
    title: str = "",
    metadata: Any = None,
    **options: Any,
) -> Outcome:
    """Check, pool and evaluate the runs of a folder, and write the results into `output`, a folder in it.

    Runs that cannot be read are left out, with `exclude_problems` also those that break a rule of the
    campaign. Without judgments, only the reports on files and the pool are written. `metadata` is a table
    with a column of runs, whose other columns the leaderboard to publish shows. The options are those of
    `rankgauge.report`.
    """
    folder = Path(output or Path(directory) / OUTPUT)
    found = find(directory, qrels, runs, str(folder))
    _refuse_replaced(found, folder)
    checked, judged = check(found, rules or SubmissionRules(), **options)
    left = [e for e in checked if e.kind == "run" and not (e.ok if exclude_problems else e.can_be_read)]
    kept = [each for each in checked if each.kind == "run" and each not in left]
    usable = [each.path for each in sorted(kept, key=lambda each: not each.ok)]  # copies after originals
    name = title or Path(directory).resolve().name
    make_folder(folder)
    texts = {
        "validation.txt": "".join(
            f"{printable(line)}\n" for each in checked for line in str(each).splitlines()
        ),
        "validation.json": f"{to_json([each.as_dict() for each in checked], indent=2)}\n",
    }
    made, others, board = None, [], None
    if usable:
        documents = POOLS.load("pool")(usable, depth=pool_depth, judged=judged, **_pooling(options))
        documents.qrels().write(folder / "pool.txt", "trec")
        others.append("pool.txt")
    if usable and judged is not None:
        made = report(found.qrels, usable, measures, title=name, **options)
        scores = made.session.campaign.scores(made.session.measures)
        texts["means.csv"] = render(scores.table(), "csv")
        texts["scores.csv"] = render(scores.long_table(), "csv")
        for file in ("report.html", "report.md"):
            made.save(folder / file)
        reports = {each.path: each for each in checked}
        board = Board(made.session, {run.name: reports[run.source] for run in made.inputs})
        about = {} if metadata is None else about_runs(metadata, made.session.campaign.runs)
        texts[PUBLIC] = public_page(name, board, about)
        make_folder((folder / PUBLIC).parent)
        handed_out = write_participants(board, folder / PAGES)
        others += ["report.html", "report.md", *(f"{PAGES}{Path(path).name}" for path in handed_out)]
    outcome = Outcome(found, checked, made, tuple(each.path for each in left))
    written = [*texts, *others]
    texts[INDEX] = index_page(name, outcome, written, pool_depth, board)
    for file, text in texts.items():
        write_text(folder / file, text)
    _remove_others(folder, written)
    return replace(outcome, written=tuple(str(folder / file) for file in (*written, INDEX)))


def _without_folders(text: str, paths: Sequence[str]) -> str:
    for path in paths:
        text = text.replace(path, Path(path).name)
    return text


def _remove_others(folder: Path, written: Sequence[str]) -> None:
    """Remove earlier results that were not written again: they are of other judgments or runs."""
    pages = (f"{PAGES}{path.name}" for path in (folder / PAGES).glob("run-*.html"))
    for name in (*FILES, *pages):
        if name not in written:
            (folder / name).unlink(missing_ok=True)


def _refuse_replaced(found: Found, folder: Path) -> None:
    """Refuse to replace a file that is read, such as a pool with grades filled in."""
    replaced = {os.path.realpath(folder / name) for name in (*FILES, INDEX)}
    for path in filter(None, (found.qrels, *found.runs)):
        if os.path.realpath(path) in replaced:
            raise InputError(
                "would be replaced by the results; copy it, or write into another folder: -o", path=path
            )


def _pooling(options: Mapping[str, Any]) -> dict[str, Any]:
    rules, reading = "order ties score_precision duplicates", "threads run_format run_columns collapse"
    return {name: options[name] for name in f"{rules} {reading}".split() if name in options}


def index_page(
    title: str,
    outcome: Outcome,
    written: Sequence[str],
    pool_depth: int,
    board: Board | None,
) -> str:
    """The index: problems, leaderboard, reports on runs, files."""
    sentences = [outcome.sentence]
    if outcome.found.qrels is None:
        sentences.append(
            f"There are no judgments yet: pool.txt has the {pool_depth} first documents of each run."
        )
    if outcome.left_out:
        names = ", ".join(Path(path).name for path in outcome.left_out)
        sentences.append(f"Left out because of their problems: {names}.")
    if outcome.found.others:
        names = ", ".join(Path(path).name for path in outcome.found.others)
        sentences.append(f"Neither judgments nor runs: {names}.")
    sections = [Section("Summary", tuple(sentences))]
    if board is not None:
        sections += leaderboard(board, PAGES)
    if outcome.broken:
        rows = [
            (Path(path).name, kind, times, _without_folders(first, outcome.found.runs))
            for path, kind, times, first in outcome.problem_rows
        ]
        sections.append(Section("Problems", (), Table(("file", "problem", "times", "such as"), rows)))
    links = {name: what for name, what in FILES.items() if name in written}
    return page(Document(title, (*sections, Section("Files"))), links)


def compared(reports: Iterable[FileReport]) -> list[FileReport]:
    """Reports on all runs, with problems where several share results or a tag.

    If only one of them is named after its tag, it counts as the original, without a problem.
    """
    all_reports, sharing = list(reports), dict[tuple[str, str], list[FileReport]]()
    for own in all_reports:
        for shared in _shared(own):
            sharing.setdefault(shared, []).append(own)
    result = []
    for own in all_reports:
        found = Findings(1)
        for title, key in _shared(own):
            others = [each for each in sharing[title, key] if each is not own]
            named = [each for each in others if _is_named_after_tag(each)]
            if others and (named or not _is_named_after_tag(own)):
                other = [*named, *others][0].path
                same = f"{other} has the same documents in the same order in all topics"
                found.problem(title, [same if title == COPY else f"{quote(key)}: {other}"], is_rule=True)
        result.append(replace(own, problems=(*own.problems, *found.problems)))
    return result


def _shared(report: FileReport) -> list[tuple[str, str]]:
    """(problem, value) that no other run may share; an empty listing identifies no run."""
    return [(COPY, report.listing)] * bool(report.listing) + [(SAME_TAG, tag) for tag in report.tags]


def _is_named_after_tag(report: FileReport) -> bool:
    return report.tags == (run_name(report.path),)
