"""Search engines asked over HTTP: their responses to queries, as JSON lines that are read as a run.

Responses are those of `formats.shapes`, or what columns describe. Credentials are headers, hidden in
results and messages. Only redirects within one host are followed.
"""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from rankgauge._version import VERSION
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import objects, shapes
from rankgauge.formats.shapes import at
from rankgauge.model.output.tables import printable

QUERY = "{query}"  # stands for the query in an address and in a body
MAX_BYTES = 1 << 26  # of a response
PAUSES = (1.0, 3.0)  # seconds, before the engine is asked again
BUSY = (429, 502, 503, 504)
PARTIAL = ("timed_out", "_shards.failed", "responseHeader.partialResults", "root.coverage.degraded")
EXAMPLE = "http://localhost:9200/books/_search?q={query}&size=100"
SHOWN = 200  # characters of an unexpected answer


@dataclass(frozen=True)
class Answer:
    """The answer to one query: its line, or what went wrong."""

    topic: str
    line: str = ""
    hits: int = 0
    is_partial: bool = False  # the engine says that parts of it did not answer in time
    error: str = ""


@dataclass(frozen=True, repr=False)  # which would show the headers
class Endpoint:
    """An address to search at: {query} stands for the query, there or in the strings of a JSON body."""

    name: str
    url: str
    body: Any = None  # sent by POST; without one, the address is asked by GET
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 30.0

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address:
            raise OptionError(f"{self.name} has no address of a search engine, such as {EXAMPLE}")
        if parts.username or parts.password:
            raise OptionError(
                f"the address of {self.name} has a user or password, which would be seen; put the value of a "
                "header into an environment variable: --header Authorization=VARIABLE"
            )
        if QUERY not in self.url and QUERY not in json.dumps(self.body):
            raise OptionError(
                f"neither the address nor the body of {self.name} has {QUERY}, where the query goes; "
                f"expected an address such as {EXAMPLE}"
            )

    @property
    def place(self) -> str:
        """The address without what may be secret."""
        return _place(self.url)

    def ask(self, query: str) -> Any:
        """The response to a query, as JSON."""
        headers = {"Accept": "application/json", "User-Agent": f"rankgauge/{VERSION}", **self.headers}
        data = None
        if self.body is not None:
            data = json.dumps(_filled(self.body, query)).encode()
            headers["Content-Type"] = "application/json"
        opener = build_opener(_SameHost)
        for pause in (*PAUSES, None):
            try:
                request = Request(self.url.replace(QUERY, quote(query, safe="")), data, headers)
                return _parsed(self._hidden(self._received(opener, request).decode("utf-8", "replace")))
            except InputError:
                raise
            except (OSError, HTTPException, ValueError) as error:
                if pause is None or not _may_pass(error):
                    raise InputError(self._hidden(self._said(error))) from None
            time.sleep(pause)
        raise AssertionError

    def _received(self, opener: OpenerDirector, request: Request) -> bytes:
        until, parts, size = time.monotonic() + self.seconds, list[bytes](), 0
        with opener.open(request, timeout=self.seconds) as response:
            while part := response.read1(1 << 16):
                parts.append(part)
                size += len(part)
                if size > MAX_BYTES:
                    raise InputError(
                        f"the response is over {MAX_BYTES >> 20} MB; ask for fewer hits or fields"
                    )
                if time.monotonic() > until:
                    raise TimeoutError
        return b"".join(parts)

    def _said(self, error: Exception) -> str:
        reason = getattr(error, "reason", error)
        if isinstance(error, HTTPError):
            text = _beginning(error.read(SHOWN * 4).decode("utf-8", "replace"))
            return f"the engine answered {error.code} {error.reason}{f': {text}' if text else ''}"
        if isinstance(reason, TimeoutError):
            return f"there was no answer within {self.seconds:g} s; allow more with --timeout"
        return f"the engine cannot be asked: {printable(str(reason)) or type(reason).__name__}"

    def _hidden(self, text: str) -> str:
        """Text without the values of headers, and without their words that may be keys."""
        words = (word for value in self.headers.values() for word in (value, *value.split()))
        for word in sorted({word for word in words if len(word) > 7}, key=len, reverse=True):
            text = text.replace(word, "***")
        return text


class _SameHost(HTTPRedirectHandler):
    """Redirects to other hosts are refused: headers, which may be credentials, would go there."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            raise InputError(f"the engine redirects to another host; if it is right, pass {_place(newurl)}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def answers(
    endpoint: Endpoint,
    queries: Mapping[str, str],
    at_once: int = 4,
    columns: Mapping[str, str] | None = None,
) -> Iterator[Answer]:
    """The answers to {topic: query}, in this order, with at most `at_once` requests under way.

    If the first query fails, so do the others, most likely: it is asked alone, and its failure is an error.
    """
    (topic, query), *rest = queries.items()
    first = _answer(endpoint, topic, query, columns)
    if first.error:
        raise InputError(f"topic {topic}: {first.error}", path=endpoint.place)
    yield first
    pool = ThreadPoolExecutor(at_once)
    try:
        waiting = deque(pool.submit(_answer, endpoint, *each, columns) for each in rest)
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after an error or Ctrl-C


def _answer(endpoint: Endpoint, topic: str, query: str, columns: Mapping[str, str] | None) -> Answer:
    try:
        response = endpoint.ask(query)
        found = at(response, columns.get("hits", "")) if columns else shapes.hits(response)
        is_empty = isinstance(found, list) and not found  # which is no run by itself
        hits = 0 if is_empty else len(objects.read({topic: response}, "run", columns).checked())
    except InputError as error:
        return Answer(topic, error=str(error))
    line = {**(response if isinstance(response, dict) else {"results": response}), "query_id": topic}
    is_partial = any(at(response, path) for path in PARTIAL)
    return Answer(topic, json.dumps({**line, "query": query}) + "\n", hits, is_partial)


def _filled(template: Any, query: str) -> Any:
    if isinstance(template, dict):
        return {name: _filled(value, query) for name, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, query) for value in template]
    return template.replace(QUERY, query) if isinstance(template, str) else template


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"the engine answered no JSON, but {_beginning(text) or 'nothing'}") from None


def _may_pass(error: Exception) -> bool:
    """Whether a failure may pass if the engine is asked again."""
    is_busy = isinstance(error, HTTPError) and error.code in BUSY
    return is_busy or isinstance(getattr(error, "reason", error), ConnectionResetError)


def _beginning(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    return printable(text if len(text) <= SHOWN else f"{text[:SHOWN]} …")


def _place(url: str) -> str:
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"
