"""The server of the explorer, for one person on this machine.

It binds the loopback interface. Whoever knows the token of the start gets a cookie. Requests without the
cookie, with a Host that is not this server's (DNS rebinding) or with an Origin of another site are refused.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rankgauge.errors import JournalError, RankgaugeError
from rankgauge.extensions.pages.explorer.page import content_policy, live_page, locked_page
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import answer, perform
from rankgauge.schema.json_text import to_json

MAX_BYTES = 1 << 20  # of a request
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def application(session: Session, token: str, port: int) -> Starlette:
    """The application of a session; `token` opens it, `port` is where it will be bound."""

    async def index(request: Request) -> Response:
        page = await run_in_threadpool(live_page, session, session_name(token))
        return HTMLResponse(page, headers={"Content-Security-Policy": content_policy(live=True)})

    async def ask(request: Request) -> Response:
        text = request.query_params.get("q", "{}")
        return await run_in_threadpool(_respond, answer, session, request.path_params["view"], text)

    async def act(request: Request) -> Response:
        text = await _body(request)
        if text is None:
            return _json({"error": f"a request has at most {MAX_BYTES} bytes"}, 413)
        return await run_in_threadpool(_respond, perform, session, request.path_params["view"], text)

    return Starlette(
        routes=[
            Route("/", index),
            Route("/api/{view}", ask, methods=["GET"]),
            Route("/api/{view}", act, methods=["POST"]),
        ],
        middleware=[Middleware(Guard, token=token, port=port)],
    )


def session_name(token: str) -> str:
    """A name of the session from which the token cannot be derived."""
    return hashlib.sha256(token.encode()).hexdigest()[:16]


async def _body(request: Request) -> bytes | None:
    """None if it is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            return None
    return body


def _respond(function: Callable[..., Any], session: Session, name: str, text: str | bytes) -> Response:
    try:
        parameters = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _json({"error": f"the request is not JSON: {error}"}, 400)
    try:
        return _json(function(session, name, parameters))
    except JournalError as error:  # somebody at the terminal may mend it
        print(f"rankgauge: {error}", file=sys.stderr, flush=True)
        return _json({"error": str(error)}, 503)
    except RankgaugeError as error:
        return _json({"error": str(error)}, 400)
    except Exception as error:  # the page says so, and goes on
        traceback.print_exc()
        message = (
            f"an error of rankgauge's own: {type(error).__name__}: {error}; the terminal has the details"
        )
        return _json({"error": message}, 500)


def _json(value: Any, status: int = 200) -> Response:
    return Response(to_json(value, ascii_only=True, compact=True), status, media_type="application/json")


class Guard:
    """Middleware that admits only the person who started the server."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app, self.token, self.session = app, token, session_name(token)
        self.cookie = f"rankgauge-{port}"  # cookies are shared by all ports of a host
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        refusal = self._refusal(request)

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
            await send(message)

        app: ASGIApp = self.app
        if refusal is not None:
            app = refusal
        elif request.url.path == "/" and "token" in request.query_params:
            app = RedirectResponse("/", 303)
            # A strict one would be withheld when a link in a notebook or a chat leads here. A lax one is sent
            # where a person follows a link, and not with what other sites load or send.
            app.set_cookie(self.cookie, self.token, httponly=True, samesite="lax", path="/")
        try:
            await app(scope, receive, send_with_headers)
        except Exception:  # the page cannot be made
            traceback.print_exc()
            raise

    def _refusal(self, request: Request) -> Response | None:
        if request.headers.get("host") not in self.hosts:
            return PlainTextResponse("This server answers to 127.0.0.1 and localhost alone.", 421)
        origin = request.headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return PlainTextResponse("Requests of other sites are refused.", 403)
        if origin is None and request.method != "GET":
            return PlainTextResponse("A request that changes something must have an Origin header.", 403)
        given = request.query_params.get("token", "").rpartition("token=")[2]  # or the whole address
        given = given or request.cookies.get(self.cookie) or ""
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return HTMLResponse(locked_page(), 403)
        if request.headers.get("explorer-session", self.session) != self.session:
            return PlainTextResponse("This page is of an explorer that has ended. Load it again.", 403)
        return None
