"""The explorer from Python: in a notebook, as a file, or served."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any

from rankgauge.explorer.launch import Explorer, serve
from rankgauge.explorer.saved import page
from rankgauge.explorer.session import Session
from rankgauge.studies.campaign import Campaign, needs_subtopics

if TYPE_CHECKING:
    from rankgauge.measures import Measure
    from rankgauge.model.output.labels import LabelsLike

HEIGHT = 720  # of the output of a cell, in pixels


def explore(
    source: Any,
    runs: Any = None,
    measures: str | Measure | None = None,
    *,
    baseline: str | None = None,
    documents: Any = None,
    topics: Any = None,
    labels: LabelsLike = None,
    title: str = "",
    **options: Any,
) -> Exploration:
    """A page to look at runs: shown by a notebook, saved as a file, or served to a browser.

    The source is judgments, with the `runs` to look at, or `Scores` alone, of which there are no rankings.
    `documents` and `topics` are files of titles and texts (JSON lines, tab-separated values, Parquet), or
    dicts {id: text}. The other options are those of `rankgauge.evaluate`.

    explore(scores)                                   at the end of a cell of a notebook
    explore("qrels.txt", "runs/*.run").serve()        in a browser, until it is interrupted
    """
    if runs is None:
        campaign = source if isinstance(source, Campaign) else Campaign.of_scores(source, **options)
    else:
        campaign = Campaign(source, runs, by_subtopic=needs_subtopics(measures), **options)
    session = Session(
        campaign,
        measures,
        baseline=baseline,
        documents=documents,
        topics=topics,
        labels=labels,
        title=title,
    )
    return Exploration(session)


class Exploration:
    """A page to look at runs, not yet opened."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def serve(self, *, port: int = 0, browser: bool = True) -> None:
        """Serve the page on this machine until it is interrupted, and open a browser."""
        serve(self.session, port=port, browser=browser)

    def start(self, *, port: int = 0) -> Explorer:
        """Serve the page in the background; the result has its `address`, and `stop()` ends it."""
        return Explorer(self.session, port).start()

    def html(self) -> str:
        """The page as a file, with the answers that fit into it."""
        return page(self.session)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page; the file appears when it is complete."""
        from rankgauge.formats.target import writing

        text = self.html()
        with writing(path) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))

    def _repr_html_(self) -> str:
        # In a frame of its own origin, so that nothing in the page reaches the notebook.
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" width="100%" height="{HEIGHT}" '
            f'style="border: 1px solid #d0d7de" srcdoc="{html.escape(self.html())}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Exploration of {self.session.title}: serve(), save(path), or show it in a notebook>"
