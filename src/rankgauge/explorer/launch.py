"""Starting the explorer: a free port of the loopback interface, a token, and the browser."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rankgauge.errors import MissingDependency, OptionError, RankgaugeError
from rankgauge.explorer.session import Session

LOOPBACK = "127.0.0.1"
PATIENCE = 2  # seconds that requests get to finish after Ctrl-C


def serve(
    session: Session, *, port: int = 0, browser: bool = True, announce: Callable[[str], None] = print
) -> None:
    """Serve the explorer until it is interrupted; port 0 takes a free one."""
    explorer = Explorer(session, port)
    announce(explorer.address)
    if browser:
        # In a thread, since a browser without windows keeps the terminal until it is closed.
        threading.Thread(target=webbrowser.open, args=[explorer.address], daemon=True).start()
    threading.Thread(target=_prepare, args=[session], daemon=True).start()
    with suppress(KeyboardInterrupt):  # the usual way to stop it
        explorer.run()


class Explorer:
    """A server of a session: bound from the start, so that a browser may come before it runs."""

    def __init__(self, session: Session, port: int = 0) -> None:
        try:
            import uvicorn

            from rankgauge.explorer.server import application
        except ImportError:
            raise MissingDependency("the explorer", "starlette and uvicorn", "explore") from None
        self._listener = _listen(port)
        bound = self._listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        self.address = f"http://{LOOPBACK}:{bound}/?token={token}"
        self._server: Any = uvicorn.Server(
            uvicorn.Config(
                application(session, token, bound),
                access_log=False,
                lifespan="off",
                log_level="error",
                server_header=False,
                timeout_graceful_shutdown=PATIENCE,
            )
        )
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serve until interrupted."""
        with self._listener:
            self._server.run(sockets=[self._listener])

    def start(self) -> Explorer:
        """Serve in the background, until `stop`."""
        self._thread = threading.Thread(target=self.run, daemon=True)
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


def _prepare(session: Session) -> None:
    """Make ready what a large file takes some time for, while people look at something else."""
    with suppress(RankgaugeError):  # reported where it is asked for
        session.campaign.topic_rankings.prepare()


def _listen(port: int) -> socket.socket:
    # asyncio sends answers without delay only where the protocol is named: otherwise each takes 40 ms more.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise OptionError(
            f"port {port} of {LOOPBACK} cannot be used: {error.strerror}; choose another, or leave it out "
            "for a free one"
        ) from None
    return listener
