"""Reports: one page to send, or Markdown for a pull request, from judgments and runs.

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
from rankgauge.model.documents import Document, written
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.reports.contents import Results, found_by, sections
from rankgauge.reports.effort import points
from rankgauge.reports.profiles import PROFILES, profile_of
from rankgauge.schema.checks import choice
from rankgauge.schema.text import counted
from rankgauge.studies import Campaign, studies

__all__ = ["FORMS", "PROFILES", "Report", "form_of", "report"]

FORMS = {"html": (".html", ".htm"), "md": (".md",)}  # what a report is written as, and how such files end


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
    """A report on runs: what they score, where they differ, how it was evaluated.

    `profile` is one of PROFILES, which has the measures that are shown when none are given; runs are ordered
    and compared by the first. `baseline` is the run that the others are compared with (the first one, if
    nothing is said). `studied` names studies of `rankgauge.studies`; what they find comes at the end. The
    rest is as in `rankgauge.evaluate`.
    """
    chosen, known = profile_of(profile), studies()
    asked = [known[choice("study", name.replace("_", "-"), known)] for name in dict.fromkeys(studied)]
    if baseline is not None:
        given = resolve_runs(runs, options.get("run_format"), options.get("run_columns"))
        choice("baseline", baseline, (run.name for run in given))
    wanted = parse_all(measures or chosen.measures)
    if any(measure.spec.needs_subtopics for measure in (*wanted, *parse_all(chosen.curves))):
        read = {name: options.pop(f"qrels_{name}", None) for name in ("format", "columns")}
        qrels = SubtopicQrels.of(qrels, **read)
    campaign = Campaign(qrels, runs, **options)
    base = campaign.runs[0] if baseline is None else baseline
    results = Results(campaign, campaign.scores(wanted), chosen, base, command)
    size = f"{counted(len(campaign.runs), 'run')} and {counted(len(campaign.topics), 'topic')}"
    parts = (*sections(results), *found_by(asked, campaign))
    return Report(Document(title or f"Report on {size}", parts), results)


def form_of(path: str | os.PathLike[str]) -> str:
    """The form that the ending of a file stands for."""
    for form, endings in FORMS.items():
        if os.fspath(path).lower().endswith(endings):
            return form
    raise OptionError(f"a report is .html or .md; {os.fspath(path)} ends in neither")


@dataclass(frozen=True, repr=False)
class Report:
    """A report: a sheet of sections, written as a page or as Markdown."""

    sheet: Document
    results: Results

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the page has beside its sheet."""
        return {"effort": points(self.results.campaign, self.results.effort)}

    def html(self) -> str:
        """One page that opens anywhere."""
        from rankgauge.reports.page import page

        version = self.results.scores.provenance.versions["rankgauge"]
        return page(self.sheet, self.data, footer=f"Made by rankgauge {version}.")

    def markdown(self) -> str:
        """The same without figures, for a pull request."""
        return "".join(f"{line}\n" for line in written(self._in_words, "markdown"))

    @property
    def _in_words(self) -> Document:
        """The sheet without sections that have nothing to show but a figure."""
        parts = (part for part in self.sheet.sections if part.figure is None or part.table is not None)
        return Document(self.sheet.headline, tuple(parts))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page (.html), or Markdown (.md); the file appears when it is whole."""
        from rankgauge.formats.target import writing

        text = self.html() if form_of(path) == "html" else self.markdown()
        with writing(path) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))

    def __repr__(self) -> str:
        return "\n".join(written(self._in_words))
