"""Reports on runs: a single web page to share, or Markdown for a pull request.

report("qrels.txt", "runs/*.run").save("report.html")
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.errors import OptionError
from rankgauge.measures import parse_all
from rankgauge.model.documents import Document, document_lines
from rankgauge.reports.contents import Results, sections, study_sections
from rankgauge.reports.effort import points
from rankgauge.reports.profiles import PROFILES, profile_of
from rankgauge.schema.checks import choice
from rankgauge.schema.text import counted
from rankgauge.studies import STUDIES, Campaign

__all__ = ["FORMS", "MADE_BY", "PROFILES", "Report", "form_of", "report"]

MADE_BY = "Made by rankgauge"  # in the footer of every page
FORMS = {"html": (".html", ".htm"), "md": (".md",)}  # formats and their file extensions


def report(
    qrels: Any,
    runs: Any,
    measures: Any = None,
    *,
    profile: str = "adhoc",
    baseline: str | None = None,
    studied: Iterable[str] = (),
    title: str = "",
    command: str = "",
    **options: Any,
) -> Report:
    """A report on runs: their scores, their differences, and how they were evaluated.

    `profile` is one of PROFILES and sets the default measures; runs are ordered and compared by the first
    measure. `baseline` is the run to compare the others with (default: the first). `studied` names studies of
    `rankgauge.studies`, whose findings come at the end; they study the `measures`, if any are given, and have
    the same baseline. The other options are those of `rankgauge.evaluate`.
    """
    chosen = profile_of(profile)
    requested = [STUDIES.find(name) for name in dict.fromkeys(studied)]
    inputs = resolve_runs(runs, options.pop("run_format", None), options.pop("run_columns", None))
    for study in requested:
        study.require_runs(len(inputs))
    if baseline is not None:
        choice("baseline", baseline, (run.name for run in inputs))
    wanted = parse_all(measures or chosen.measures)
    by_subtopic = any(measure.spec.needs_subtopics for measure in (*wanted, *parse_all(chosen.curves)))
    by_subtopic = by_subtopic or any(study.needs_subtopics for study in requested)
    campaign = Campaign(qrels, inputs, by_subtopic=by_subtopic, **options)
    base = campaign.runs[0] if baseline is None else baseline
    results = Results(campaign, campaign.scores(wanted), chosen, base, command)
    size = f"{counted(len(campaign.runs), 'run')} and {counted(len(campaign.topics), 'topic')}"
    shared = {"measures": wanted if measures else None, "baseline": baseline}
    parts = (*sections(results), *study_sections(requested, campaign, shared))
    return Report(Document(title or f"Report on {size}", parts), results)


def form_of(path: str | os.PathLike[str]) -> str:
    """The format of a report by the extension of its file."""
    for form, extensions in FORMS.items():
        if os.fspath(path).lower().endswith(extensions):
            return form
    raise OptionError(f"cannot infer the format of a report from {os.fspath(path)}; use .html or .md")


@dataclass(frozen=True, repr=False)
class Report:
    """A report: a document that can be written as a web page or as Markdown."""

    document: Document
    results: Results

    @cached_property
    def data(self) -> dict[str, Any]:
        """Data that the scripts of the page use, besides its figures."""
        return {"effort": points(self.results.campaign, self.results.effort)}

    def html(self) -> str:
        """The report as a self-contained web page."""
        from rankgauge.reports.page import page

        version = self.results.scores.provenance.versions["rankgauge"]
        return page(self.document, self.data, footer=f"{MADE_BY} {version}.")

    def markdown(self) -> str:
        """The report as Markdown without figures, for a pull request."""
        return "".join(f"{line}\n" for line in document_lines(self._without_figures, "markdown"))

    @property
    def _without_figures(self) -> Document:
        """The document without sections that have only a figure."""
        parts = (part for part in self.document.sections if part.figure is None or part.table is not None)
        return Document(self.document.title, tuple(parts))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a web page (.html) or Markdown (.md); the file appears when it is complete."""
        from rankgauge.formats.target import writing

        text = self.html() if form_of(path) == "html" else self.markdown()
        with writing(path) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))

    def __repr__(self) -> str:
        return "\n".join(document_lines(self._without_figures))
