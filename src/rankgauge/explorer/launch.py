"""Starting the explorer: a free port of the loopback interface, a token, and the browser."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from collections.abc import Callable
from contextlib import closing

from rankgauge.errors import MissingDependency
from rankgauge.explorer.session import Session


def serve(
    session: Session,
    *,
    port: int = 0,
    browser: bool = True,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve the explorer until it is interrupted; `port` 0 takes a free one."""
    try:
        import uvicorn

        from rankgauge.explorer.server import application
    except ImportError:
        raise MissingDependency("the explorer", "starlette and uvicorn", "explore") from None
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()  # a browser that is faster than the server waits
        bound = listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        app = application(session, token, bound)
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="error", access_log=False, server_header=False, lifespan="off")
        )
        address = f"http://127.0.0.1:{bound}/?token={token}"
        announce(address)
        if browser:
            webbrowser.open(address)
        server.run(sockets=[listener])
