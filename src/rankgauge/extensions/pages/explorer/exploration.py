"""The explorer from Python."""

from __future__ import annotations

import html
import os
import secrets
import signal
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgauge.campaigns.campaign import Campaign, needs_subtopics
from rankgauge.errors import MissingDependency, OptionError, RankgaugeError
from rankgauge.extensions.pages.explorer.page import page
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import answer
from rankgauge.schema.registry import Services

if TYPE_CHECKING:
    from rankgauge.measures import Measure
    from rankgauge.model.output.labels import LabelsLike

# What extensions add to a session, by the option that asks for it.
PARTS = Services("explorer", "option", {})
LOOPBACK = "127.0.0.1"
PORT = 8700  # unless it is in use: the same at the next start, where open tabs look for the server
PATIENCE = 1  # seconds that requests get to finish after Ctrl-C
HEIGHT = 720  # of the output of a cell, in pixels


def explore(
    source: Any,
    runs: Any = None,
    measures: str | Measure | None = None,
    *,
    baseline: str | None = None,
    margin: float | None = None,
    documents: Any = None,
    topics: Any = None,
    labels: LabelsLike = None,
    llm_qrels: Any = None,
    by: Any = None,
    title: str = "",
    **options: Any,
) -> Exploration:
    """A page to look at runs: shown by a notebook, saved as a file, or served to a browser.

    The source is judgments, with the `runs` to look at, or `Scores` alone, of which there are no rankings.
    `documents` and `topics` are files of titles and texts (JSON lines, tab-separated values, Parquet), or
    dicts {id: text}. A `margin` tests equivalence with the baseline, as in `compare`. `llm_qrels` are labels
    of language models, which a view compares with the judgments. `by` has attributes of topics, whose
    segments are compared, as in `compare`. The other options are those of `rankgauge.evaluate`.

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
        margin=margin,
        documents=documents,
        topics=topics,
        labels=labels,
        by=by,
        title=title,
    )
    if llm_qrels is not None:
        PARTS.load("llm_qrels")(session, llm_qrels)
    return Exploration(session)


class Exploration:
    """A page to look at runs, not yet opened."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def serve(
        self, *, port: int | None = None, browser: bool = True, announce: Callable[[str], None] = print
    ) -> None:
        """Serve the page until interrupted, and open a browser."""
        explorer = Explorer(self.session, port)
        view = self.session.first_view
        address = f"{explorer.address}#/{view}" if view else explorer.address
        announce(address)
        threading.Thread(target=copy_context().run, args=[_prepare, self.session], daemon=True).start()
        with start_page(address) as start, suppress(KeyboardInterrupt):  # the usual way to stop it
            if browser:
                # In a thread, since a browser without windows keeps the terminal until it is closed.
                threading.Thread(target=webbrowser.open, args=[start], daemon=True).start()
            explorer.run()

    def start(self, *, port: int = 0) -> Explorer:
        """Serve in the background; the result has its `address` and `stop()`."""
        return Explorer(self.session, port).start()

    def html(self) -> str:
        """The page as a file, with the answers that fit into it."""
        return page(self.session)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, atomically."""
        from rankgauge.formats.target import write_text

        write_text(path, self.html())

    def _repr_html_(self) -> str:
        # In a frame of its own origin, so that nothing in the page reaches the notebook.
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" width="100%" height="{HEIGHT}" '
            f'style="border: 1px solid #d0d7de" srcdoc="{html.escape(self.html())}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Exploration of {self.session.title}: serve(), save(path), or show it in a notebook>"


class Explorer:
    """A server of a session, bound from the start: a browser may come before it runs."""

    def __init__(self, session: Session, port: int | None = 0) -> None:
        try:
            import uvicorn

            from rankgauge.extensions.pages.explorer.server import application
        except ImportError as error:
            raise MissingDependency("the explorer", error.name or "uvicorn", "explore") from None
        self._listener = _listen(port)
        bound = self._listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        self.address = f"http://{LOOPBACK}:{bound}/?token={token}"
        self._server: Any = uvicorn.Server(
            uvicorn.Config(
                application(session, token, bound),
                access_log=False,
                lifespan="off",
                log_level="critical",  # a request that Ctrl-C cancels is no error; `Guard` prints those
                server_header=False,
                timeout_graceful_shutdown=PATIENCE,
            )
        )
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serve until interrupted."""
        with _stopped_by_hangup(self._server), self._listener:
            self._server.run(sockets=[self._listener])

    def start(self) -> Explorer:
        """Serve in the background, until `stop`."""
        if self._thread is None:
            self._thread = threading.Thread(target=copy_context().run, args=[self.run], daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """End a server in the background."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()

    def __enter__(self) -> Explorer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


@contextmanager
def start_page(address: str) -> Iterator[str]:
    """The address of a private file that leads to this one: all users see the arguments of a browser."""
    with tempfile.TemporaryDirectory(prefix="rankgauge-") as folder:  # which only this user can read
        page = Path(folder) / "start.html"
        leads = f'<meta http-equiv="refresh" content="0; url={html.escape(address)}">'
        page.write_text(f'<!doctype html><meta charset="utf-8">{leads}', encoding="utf-8")
        yield page.as_uri()


@contextmanager
def _stopped_by_hangup(server: Any) -> Iterator[None]:
    """Stop the server when the terminal is closed, and then do what that signal did before.

    Uvicorn handles the signals to interrupt and to terminate, no other.
    """
    hangup = getattr(signal, "SIGHUP", None)  # not on Windows
    in_thread = threading.current_thread() is not threading.main_thread()
    if hangup is None or in_thread or (before := signal.getsignal(hangup)) == signal.SIG_IGN:
        yield
        return
    received = []

    def stop(number: int, _frame: Any) -> None:
        received.append(number)
        server.should_exit = True

    signal.signal(hangup, stop)
    try:
        yield
    finally:
        signal.signal(hangup, before)
    if received:
        signal.raise_signal(hangup)


def _prepare(session: Session) -> None:
    """Compute what takes time in large files before somebody asks."""
    with suppress(RankgaugeError):  # reported where it is asked for
        session.campaign.topic_rankings.prepare()
        run, against, *_ = (session.shown_runs[run] for run in session.standing().order * 2)
        for topic in list(session.topics)[:1]:  # imports what compares rankings, and reads two of them
            answer(session, "moves", {"topic": topic, "run": run, "against": against})


def _listen(port: int | None) -> socket.socket:
    if port is None:
        with suppress(OptionError):
            return _listen(PORT)
    # asyncio sends answers without delay only where the protocol is named: otherwise each takes 40 ms more.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name != "nt":  # there it would share the port with whoever listens already
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port or 0))
        listener.listen()
    except OSError as error:
        listener.close()
        raise OptionError(
            f"port {port} of {LOOPBACK} cannot be used: {error.strerror}; choose another, or leave it out "
            "for a free one"
        ) from None
    return listener
