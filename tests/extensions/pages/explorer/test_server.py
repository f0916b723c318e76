"""Who may ask the server, and what it answers."""

import os
import re
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import browsing
from extensions.pages.explorer.visiting import one, visit

httpx = pytest.importorskip("httpx")
pytest.importorskip("uvicorn")
from rankgauge.extensions.pages.explorer.exploration import Explorer, start_page  # noqa: E402


@pytest.fixture
def client(address):
    with httpx.Client(base_url=address) as client:
        yield client


@pytest.fixture
def known(client, served):
    """A client that has the cookie."""
    client.get(served)
    return client


def origin(client):
    return {"Origin": str(client.base_url).rstrip("/")}


@pytest.mark.parametrize(
    ("path", "cookie"),
    [
        *(
            (path, "")
            for path in ("/", "/api/session", "/?token=wrong", "/?token=", "/elsewhere", "/?token=%ff")
        ),
        ("/api/session", "guessed"),
    ],
)
def test_nobody_gets_in_without_the_token(client, path, cookie):
    response = client.get(path, headers={"Cookie": f"rankgauge-{client.base_url.port}={cookie}"})
    assert response.status_code == 403
    assert "set-cookie" not in response.headers
    assert "rankgauge explore" in response.text


def test_the_token_opens_the_page_and_leaves_the_address(client, served):
    response = client.get(served, follow_redirects=True)
    assert response.status_code == 200
    assert "token" not in str(response.url)
    (token,) = parse_qs(urlsplit(served).query)["token"]
    assert len(token) >= 32
    assert token not in response.text
    cookie = client.get(served).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie  # a link on another page leads here, too
    assert client.get("/api/session").json()["runs"]


def test_the_whole_address_is_as_good_as_its_token(client, served):
    assert client.get("/", params={"token": served}).status_code == 303
    assert client.get("/", params={"token": f"{served}x"}).status_code == 403


def test_a_page_of_an_earlier_start_is_refused(known):
    (name,) = re.findall(r'"live":"(\w+)"', known.get("/").text)
    for session, status in ((name, 200), ("another", 403)):
        assert known.get("/api/session", headers={"Explorer-Session": session}).status_code == status


def test_an_open_tab_says_that_the_server_ended_and_goes_on_after_the_next_start(session, browser):
    with Explorer(session) as explorer:
        port = urlsplit(explorer.address).port
        browsing.new_tab(browser)
        browser.get(explorer.address)
        browsing.wait_until_ready(browser)
    visit(browser, "/topics?order=spread")
    assert "no longer runs" in one(browser, "[role=alert]").text
    with Explorer(session, port) as explorer:
        browser.execute_script("location.hash = '#/topics?order=easiest'")
        browsing.wait(browser, lambda b: browsing.find(b, "form"))
        assert "prints a new address" in one(browser, "main").text
        one(browser, "input").send_keys(explorer.address, browsing.Keys.ENTER)
        browsing.wait(browser, lambda b: browsing.find(b, "select[data-key=order]"))
        assert one(browser, "select[data-key=order]").get_attribute("value") == "easiest"
    browsing.complaints(browser)  # the requests that failed


@pytest.mark.parametrize(
    ("method", "path", "statuses"),
    [
        *(("GET", path, (400, 404)) for path in ("/elsewhere", "/api/", "/api/../server.py", "/etc/passwd")),
        ("GET", "/api/session/more", (404,)),
        *((method, "/api/session", (405,)) for method in ("PUT", "DELETE", "PATCH", "OPTIONS")),
    ],
)
def test_there_is_nothing_else(known, method, path, statuses):
    assert known.request(method, path, headers=origin(known)).status_code in statuses


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1.evil.example:{port}", "[::1]:{port}", ""],
)
def test_other_hosts_are_refused(known, host):
    response = known.get("/api/session", headers={"Host": host.format(port=known.base_url.port)})
    assert response.status_code in (400, 421)


@pytest.mark.parametrize(
    "value", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"]
)
def test_other_origins_are_refused(known, value):
    headers = {"Origin": value.format(port=known.base_url.port)}
    assert known.get("/api/session", headers=headers).status_code == 403
    assert known.post("/api/session", headers=headers, content="{}").status_code == 403


def test_what_changes_something_needs_an_origin(known):
    assert known.post("/api/anything", content="{}").status_code == 403
    response = known.post("/api/anything", content="{}", headers=origin(known))
    assert response.status_code == 400
    assert "no action named 'anything'" in response.json()["error"]


def test_headers_keep_other_sites_out(known):
    headers = known.get("/").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"measures": "nDGC@10"}', "nDCG"),
        ("{", "not JSON"),
        ("[]", "object of names and values"),
        ("[" * 100_000, "not JSON"),
        ('{"measures": 5}', "measures is a text"),
    ],
)
def test_a_wrong_request_says_why(known, text, message):
    if len(text) < 1000:
        response = known.get("/api/overview", params={"q": text})
    else:
        response = known.post("/api/overview", content=text, headers=origin(known))
    assert response.status_code == 400
    assert message in response.json()["error"]


def test_a_request_that_is_too_large_is_refused(known):
    response = known.post("/api/overview", content=b" " * (1 << 20) + b"{}", headers=origin(known))
    assert response.status_code == 413


def test_an_error_of_ours_is_no_traceback(known, monkeypatch, capfd):
    from rankgauge.extensions.pages.explorer.views import overview

    monkeypatch.setattr(overview, "summary_sentences", lambda *_: 1 / 0)
    response = known.get("/api/overview")
    assert response.status_code == 500
    assert "ZeroDivisionError" in response.json()["error"]
    assert "Traceback" not in response.text


def start(directory, *options, program=("-m", "rankgauge"), env=None):
    command = [sys.executable, *program, "explore", "q.txt", "a.run", "--no-browser", *options]
    (directory / "q.txt").write_text("1 0 a 1\n")
    (directory / "a.run").write_text("1 Q0 a 1 0.5 a\n")
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    heard = partial(signal.signal, signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored
    return subprocess.Popen(command, cwd=directory, text=True, env=env, preexec_fn=heard, **pipes)


def test_the_command_serves_until_it_is_interrupted(tmp_path):
    process = start(tmp_path)
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        assert httpx.get(address, follow_redirects=False).status_code == 303
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, rest) == (0, "")
    assert "Traceback" not in errors


SLOW = """if True:
    import sys, time
    import rankgauge.extensions.pages.explorer.views.overview as module
    module.summary_sentences = lambda *_: time.sleep(20)
    from rankgauge.__main__ import console
    sys.exit(console())"""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 0), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_request_in_flight_does_not_keep_the_command(tmp_path, name, code):
    copies = tmp_path / "tmp"
    copies.mkdir()
    env = {**os.environ, "TMPDIR": str(copies)}
    with start(tmp_path, "-", program=["-c", SLOW], env=env) as process:
        process.stdin.write("1 Q0 a 1 0.5 b\n")
        process.stdin.close()
        address = process.stdout.readline().strip()
        with httpx.Client(base_url=address.partition("/?")[0]) as client:
            client.get(address)
            with pytest.raises(httpx.TimeoutException):
                client.get("/api/overview", timeout=0.5)
            assert [*copies.iterdir()]  # of standard input
            process.send_signal(getattr(signal, name))
            try:
                assert process.wait(timeout=10) == code
            finally:
                process.kill()
        errors = process.stderr.read()
    assert "Traceback" not in errors
    assert not [*copies.iterdir()]


def test_the_usual_port_is_used_unless_it_is_taken(session, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setattr("rankgauge.extensions.pages.explorer.exploration.PORT", port)
    with Explorer(session, None) as first, Explorer(session, None) as second:
        assert urlsplit(first.address).port == port != urlsplit(second.address).port


def test_a_port_in_use_is_an_error(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start(tmp_path, "--port", str(port))
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert f"port {port} of 127.0.0.1 cannot be used" in errors
    assert "Traceback" not in errors


def test_the_page_can_be_saved(known):
    response = known.get("/api/page", params={"q": '{"measures": "RR"}'})
    assert response.status_code == 200
    assert response.json()["name"] == "report.html"
    assert known.get("/api/page", params={"q": '{"measures": "nDGC"}'}).status_code == 400


def test_the_browser_gets_a_private_file_that_leads_to_the_explorer(browser, session):
    with Explorer(session) as explorer, start_page(f"{explorer.address}#/ranking") as address:
        token = parse_qs(urlsplit(explorer.address).query)["token"][0]
        assert token not in address
        path = Path(urlsplit(address).path)
        assert os.name == "nt" or path.parent.stat().st_mode & 0o077 == 0
        browsing.new_tab(browser)
        browser.get(address)
        browsing.wait(browser, lambda b: b.current_url.startswith("http") and "ranking" in b.current_url)
        browsing.wait_until_ready(browser)
    assert not path.exists()
