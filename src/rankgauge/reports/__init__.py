"""Reports: one page to send, or Markdown for a pull request, from judgments and runs.

report("qrels.txt", "runs/*.run").save("report.html")
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rankgauge.errors import OptionError, choice
from rankgauge.measures import parse_all
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.reports.contents import Results, found_by, sections
from rankgauge.reports.effort import points
from rankgauge.reports.profiles import PROFILES, profile_of
from rankgauge.sheets import Sheet, written
from rankgauge.studies import Campaign, studies

__all__ = ["PROFILES", "Report", "report"]


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
    chosen = profile_of(profile)
    wanted = parse_all(measures or chosen.measures)
    if any(measure.spec.diverse for measure in (*wanted, *parse_all(chosen.curves))):
        given = {name: options.pop(f"qrels_{name}", None) for name in ("format", "columns")}
        qrels = SubtopicQrels.of(qrels, **given)
    campaign = Campaign(qrels, runs, **options)
    scores = campaign.scores(wanted)
    base = campaign.runs[0] if baseline is None else baseline
    if base not in campaign.runs:
        raise OptionError(f"baseline must be one of {', '.join(campaign.runs)}, not {base!r}")
    results = Results(campaign, scores, chosen, base, command)
    headline = title or f"Report on {len(campaign.runs)} runs and {len(campaign.topics)} topics"
    known = studies()
    asked = [known[choice("study", name, known)] for name in studied]
    return Report(
        Sheet(headline, (*sections(results), *found_by(asked, campaign))),
        f"rankgauge {scores.how.versions['rankgauge']}",
        {"effort": points(campaign, results.effort)},
    )


@dataclass(frozen=True, repr=False)
class Report:
    """A report: a sheet of sections, written as a page or as Markdown."""

    sheet: Sheet
    made_by: str
    data: dict[str, Any] = field(default_factory=dict)

    def html(self) -> str:
        """One page that opens anywhere."""
        from rankgauge.reports.page import page

        return page(self.sheet, self.data, footer=f"Made by {self.made_by}.")

    def markdown(self) -> str:
        """The same without figures, for a pull request."""
        return "".join(f"{line}\n" for line in written(self.sheet, "markdown"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page (.html), or Markdown (.md); the file appears when it is whole."""
        from rankgauge.formats.target import writing

        ending = os.fspath(path).lower().rpartition(".")[2]
        forms = {"html": self.html, "htm": self.html, "md": self.markdown}
        if ending not in forms:
            raise OptionError(f"a report is .html or .md; {os.fspath(path)} ends in neither")
        text = forms[ending]()
        with writing(path) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))

    def __repr__(self) -> str:
        return "\n".join(written(self.sheet))
