"""Reports on runs: a single web page to share, or Markdown for a pull request.

report("qrels.txt", "runs/*.run").save("report.html")
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.registry import STUDIES
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.reports.contents import Results, sections, shortened, study_sections
from rankgauge.extensions.pages.reports.participants import MADE_BY, write_participants
from rankgauge.measures import parse_all
from rankgauge.model import validation
from rankgauge.model.output.documents import Document, document_lines, labelled
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import Reading
from rankgauge.schema.options import choice
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from rankgauge.model.output.labels import LabelsLike

__all__ = ["FORMS", "MADE_BY", "PROFILES", "Report", "form_of", "report"]

FORMS = {"html": (".html", ".htm"), "md": (".md",)}  # formats and their file extensions
MAX_CHARACTERS = 60_000  # of Markdown; GitHub takes 65,536 in a comment


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
    labels: LabelsLike = None,
    documents: Any = None,
    topics: Any = None,
    by: Any = None,
    **options: Any,
) -> Report:
    """A report on runs: the explorer's page with the data inside, or Markdown.

    `profile` is one of PROFILES and sets the default measures; runs are ordered and compared by the first
    measure. `baseline` is the run to compare the others with (default: the best). `studied` names studies of
    `rankgauge.studies`, whose findings come at the end; they study the `measures`, if any are given, and have
    the same baseline. `labels` are other names of runs, measures and topics. `documents` and `topics` are
    files of titles and texts, or dicts {id: text}; `by` has attributes of topics, whose segments are compared
    by the first measure. The other options are those of `rankgauge.evaluate`.
    """
    chosen = PROFILES[choice("profile", profile, PROFILES)]
    requested = [STUDIES.find(name) for name in dict.fromkeys(studied)]
    reading = {"format": options.pop("run_format", None), "columns": options.pop("run_columns", None)}
    inputs = resolve_runs(runs, Reading(run_format=reading["format"], run_columns=reading["columns"]))
    for study in requested:
        study.require_runs(len(inputs))
    if baseline is not None:
        choice("baseline", baseline, (run.name for run in inputs))
    wanted = parse_all(measures or chosen.measures)
    by_subtopic = any(measure.spec.needs.subtopics for measure in (*wanted, *parse_all(chosen.curves)))
    by_subtopic = by_subtopic or any(study.needs_subtopics for study in requested)
    campaign = Campaign(qrels, inputs, by_subtopic=by_subtopic, **options)
    size = f"{counted(len(campaign.runs), 'run')} and {counted(len(campaign.topics), 'topic')}"
    shared = {"measures": wanted if measures else None, "baseline": baseline}
    session = Session(
        campaign,
        wanted,
        baseline=baseline,
        documents=documents,
        topics=topics,
        labels=labels,
        title=title or f"Report on {size}",
        command=command,
        curves=chosen.curves,
        depth=chosen.depth,
        findings=tuple(study_sections(requested, campaign, shared)),
        by=by,
    )
    return Report(session, tuple(inputs), reading)


def form_of(path: str | os.PathLike[str]) -> str:
    """The format of a report by the extension of its file."""
    for form, extensions in FORMS.items():
        if os.fspath(path).lower().endswith(extensions):
            return form
    raise OptionError(f"cannot infer the format of a report from {os.fspath(path)}; use .html or .md")


@dataclass(frozen=True, repr=False)
class Report:
    """A report on the campaign of a session: a web page, or a document that is written as Markdown."""

    session: Session
    inputs: tuple[RunInput, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)  # the format and the columns of runs

    @cached_property
    def document(self) -> Document:
        """The sentences and tables of the report."""
        made = Document(self.session.title, sections(Results(self.session)))
        return labelled(made, self.session.labels) if self.session.labels.by_name else made

    def html(self) -> str:
        """The report as a self-contained web page."""
        from rankgauge.extensions.pages.explorer.contents import page

        return page(self.session)

    def markdown(self) -> str:
        """The report as Markdown, short enough for a pull request."""
        text = "".join(f"{line}\n" for line in document_lines(self.document, "markdown"))
        return shortened(text, MAX_CHARACTERS)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a web page (.html) or Markdown (.md); the file appears when it is complete."""
        from rankgauge.formats.target import write_text

        write_text(path, self.html() if form_of(path) == "html" else self.markdown())

    def participants(self, directory: str | os.PathLike[str]) -> list[str]:
        """Write a page for each run to hand out, and an index; the paths of the index and of the pages."""
        return write_participants(self.session, directory, self.checked)

    @cached_property
    def checked(self) -> dict[str, validation.Report]:
        """{run: the report on its file}, without those in memory."""
        qrels = self.session.campaign.qrels
        judged = qrels if isinstance(qrels, Qrels) else None
        return {
            run.name: validation.validate(run.file.path, judged, "run", **self.reading)
            for run in self.inputs
            if run.file is not None
        }

    def __repr__(self) -> str:
        return "\n".join(document_lines(self.document))


@dataclass(frozen=True)
class Profile:
    """The default contents of a report."""

    title: str
    measures: str  # runs are ordered and compared by the first
    curves: str  # measures to show by rank
    depth: int


PROFILES = {
    "adhoc": Profile("ad hoc search, judged in depth", "AP nDCG@10 P@10 RR Bpref R@1000", "nDCG P R", 100),
    "web": Profile(
        "web search, graded judgments, early precision", "nDCG@10 ERR@20 RBP P@10 RR Judged@10", "nDCG P", 20
    ),
    "diversity": Profile(
        "web search with subtopics", "alpha_nDCG@20 ERR_IA@20 StRecall@20 nDCG@10", "alpha_nDCG", 20
    ),
    "passage": Profile(
        "passages for question answering and retrieval-augmented generation",
        "RR@10 nDCG@10 R@100 R@1000 Success@5 Judged@10",
        "R nDCG",
        100,
    ),
}
