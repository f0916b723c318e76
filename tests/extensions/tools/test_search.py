"""Search engines asked over HTTP: a server of our own answers as they do, or in every other way."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

import rankgauge
from rankgauge.errors import InputError
from rankgauge.extensions.tools import search
from rankgauge.extensions.tools.search import Endpoint, answers
from rankgauge.model.texts import Texts

KEY = "ApiKey s3cret-value"
HITS = {"bread": ["d1", "d2"], "bicycle & co": ["d3"], 'a "quoted" \\ one': []}
TOPICS = {"1": "bread", "2": "bicycle & co", "7": 'a "quoted" \\ one'}


def shape(engine, docs):
    """The response of an engine with these documents, best first."""
    scored = [(doc, 9.5 - number) for number, doc in enumerate(docs)]
    title = "The title of {}".format
    if engine == "elastic":
        hits = [{"_id": doc, "_score": s, "_source": {"title": title(doc)}} for doc, s in scored]
        return {
            "took": 1,
            "timed_out": False,
            "_shards": {"failed": 0},
            "hits": {"total": len(hits), "hits": hits},
        }
    if engine == "solr":
        found = [{"id": doc, "score": s, "title": title(doc)} for doc, s in scored]
        return {"responseHeader": {"status": 0}, "response": {"numFound": len(found), "docs": found}}
    if engine == "vespa":
        found = [{"id": doc, "relevance": s, "fields": {"title": title(doc)}} for doc, s in scored]
        return {"root": {"fields": {"totalCount": len(found)}, **({"children": found} if found else {})}}
    return {"found": {"pages": [{"url": doc, "rsv": s} for doc, s in scored]}}


class Engine(BaseHTTPRequestHandler):
    """Answers by the first part of the path."""

    def log_message(self, *_):
        pass

    def answer(self, data, code=200, headers=()):
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(code)
        for name, value in (("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self, query=None):
        parts = urlsplit(self.path)
        self.server.seen.append((self.path, self.headers.get("Authorization")))
        query = parse_qs(parts.query).get("q", [""])[0] if query is None else query
        way = parts.path.split("/")[1]
        if way == "moved":
            return self.answer(b"", 302, [("Location", f"/elastic/?{parts.query}")])
        if way == "away":
            return self.answer(b"", 302, [("Location", "http://127.0.0.1:1/elastic/?token=hidden")])
        if way == "busy" and len(self.server.seen) % 2:
            return self.answer(b"", 503)
        if way == "closed":
            return self.answer({"error": f"no such key {KEY}"}, 401)
        if way == "slow":
            time.sleep(0.6)
            return None
        if way == "odd":
            return self.answer(self.server.odd)
        if way == "some" and query.startswith("bi"):
            return self.answer({"error": "broken"}, 500)
        docs = HITS.get(query, [])
        return self.answer(shape("elastic" if way in ("moved", "busy", "some", "slow") else way, docs))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.do_GET(body["query"]["match"]["title"]["query"])


@pytest.fixture(scope="module")
def engine():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    server.seen = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def url(engine, way, query="?q={query}"):
    return f"http://127.0.0.1:{engine.server_address[1]}/{way}/{query}"


@pytest.fixture
def topics(write):
    return write("topics.tsv", "".join(f"{topic}\t{query}\n" for topic, query in TOPICS.items()))


EXPECTED = {"1": {"d1": 9.5, "d2": 8.5}, "2": {"d3": 9.5}}


@pytest.mark.parametrize("way", ["elastic", "solr", "vespa", "own", "moved", "busy"])
def test_responses_are_kept_as_runs(engine, way, topics, invoke, tmp_path, monkeypatch):
    monkeypatch.setattr(search, "PAUSES", (0.0,))
    monkeypatch.chdir(tmp_path)
    columns = ["--run-columns", "hits=found.pages,doc=url,score=rsv"] if way == "own" else []
    made = invoke("search", topics, f"{way}={url(engine, way)}", *columns, "--at-once", "1", "--quiet")
    assert f"{way}.jsonl: 3 responses, 3 hits\nrankgauge explore {way}={way}.jsonl" in made.out
    names = {"hits": "found.pages", "doc": "url", "score": "rsv"} if way == "own" else None
    run = rankgauge.Run.read(tmp_path / f"{way}.jsonl", columns=names)
    assert run.to_dict() == EXPECTED
    if way != "own":
        documents, queries = Texts.of_runs(None, None, [rankgauge.formats.Source(tmp_path / f"{way}.jsonl")])
        assert "The title of d1" in str(documents.get("d1"))
        assert queries.get("2").heading == "bicycle & co"


def test_credentials_are_sent_and_never_written(engine, topics, invoke, write, tmp_path, monkeypatch):
    body = write("query.json", json.dumps({"query": {"match": {"title": {"query": "{query}"}}}, "size": 100}))
    monkeypatch.setenv("OLD_KEY", KEY)
    engine.seen.clear()
    sides = [f"old={url(engine, 'elastic', '')}", f"new={url(engine, 'solr', '')}"]
    given = ["--body", body, "--header", "old=Authorization=OLD_KEY", "-o", tmp_path / "out", "--quiet"]
    invoke("search", topics, *sides, *given)
    assert {(path, key) for path, key in engine.seen} == {("/elastic/", KEY), ("/solr/", None)}
    assert len(engine.seen) == 6
    for name in ("old", "new"):
        assert rankgauge.Run.read(tmp_path / "out" / f"{name}.jsonl").to_dict() == EXPECTED
    closed = ["search", topics, f"old={url(engine, 'closed', '')}", *given]
    said = invoke(*closed, code=2).err
    assert "/closed/: topic 1: the engine answered 401 Unauthorized" in said
    assert "no such key ***" in said
    assert "s3cret" not in said + "".join(path.read_text() for path in (tmp_path / "out").iterdir())
    said = invoke(*closed[:3], "--body", body, "--header", f"Authorization={KEY}", code=2).err
    assert "that of 'Authorization' is not" in said
    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (b"<html><body>Log in</body></html>", "the engine answered no JSON, but <html><body>Log in"),
        (b"", "the engine answered no JSON, but nothing"),
        (b"[" * 100_000, "the engine answered no JSON, but [[["),
        (b'{"error": {"reason": "no index"}}', "an error of the search engine"),
        (b'{"hits": {"hits": [{"_id": "d", "_score": "x"}]}}', "topic 1: "),
        (b'{"hits": {"hits": "none"}}', "topic 1: "),
        (b"7", "topic 1: "),
        (b" " * 3000, "the response is over 0 MB; ask for fewer hits or fields"),
    ],
)
def test_odd_answers_are_described(engine, odd, message, monkeypatch):
    engine.odd = odd
    monkeypatch.setattr(search, "MAX_BYTES", 2000 if odd.startswith(b" ") else 1 << 20)
    with pytest.raises(InputError) as raised:
        list(answers(Endpoint("a", url(engine, "odd")), TOPICS))
    assert message in str(raised.value)
    assert "Traceback" not in str(raised.value)


def test_what_does_not_answer_is_described(engine, topics, invoke, tmp_path, monkeypatch):
    monkeypatch.setattr(search, "PAUSES", ())
    with pytest.raises(InputError, match=r"no answer within 0\.2 s; allow more with --timeout"):
        list(answers(Endpoint("a", url(engine, "slow"), seconds=0.2), TOPICS))
    with pytest.raises(
        InputError, match=r"redirects to another host; if it is right, pass http://127.0.0.1:1/elastic/$"
    ):
        list(answers(Endpoint("a", url(engine, "away"), headers={"Authorization": KEY}), TOPICS))
    with pytest.raises(
        InputError, match=r"http://127.0.0.1:1/: topic 1: the engine cannot be asked: .*refused"
    ):
        list(answers(Endpoint("a", "http://127.0.0.1:1/?q={query}"), TOPICS))
    said = invoke("search", topics, f"some={url(engine, 'some')}", "-o", tmp_path, code=1)
    assert "some, topic 2: the engine answered 500" in said.err
    assert rankgauge.Run.read(tmp_path / "some.jsonl").to_dict() == {"1": EXPECTED["1"]}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("http://h/{query}", "expected NAME=URL"),
        ("a=file:///etc/{query}", "a has no address of a search engine"),
        ("a=http://[/{query}", "a has no address of a search engine"),
        ("a=http://u:secret@h/{query}", "put the value of a header into an environment variable"),
        ("a=http://h/_search", "neither the address nor the body of a has {query}"),
    ],
)
def test_wrong_addresses_are_refused(topics, refused, given, message):
    said = refused("search", topics, given)
    assert message in said
    assert "secret" not in said
