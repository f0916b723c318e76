"""The page that runs rankgauge in the browser has the values of rankgauge."""

import functools
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

import browsing
import rankgauge
from pages import DOCS, script

LOADING = 300  # seconds at most until Python runs, on a busy machine


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The page, as the site has it."""
    with pytest.MonkeyPatch.context() as patch:
        build = script("try/build", patch)
        source = build.pyodide()
        if source is None:
            pytest.skip("npm could not get Pyodide")
        build.write(written := tmp_path_factory.mktemp("try"), source)
    return written


@pytest.fixture(scope="module")
def address(folder):
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_pyodide_in_the_cache_is_complete(tmp_path, monkeypatch):
    build = script("try/build", monkeypatch)
    monkeypatch.setattr(build, "CACHE", tmp_path)
    folder = tmp_path / f"pyodide-{build.VERSION}" / "package"
    folder.mkdir(parents=True)
    (folder / build.FILES[0]).write_text("half")  # where extracting was interrupted

    def pack(*args, **options):
        with tarfile.open(tmp_path / "packed.tgz", "w:gz") as archive:
            for name in build.FILES:
                archive.addfile(tarfile.TarInfo(f"package/{name}"))
        return subprocess.CompletedProcess(args, 0, "packed.tgz\n")

    monkeypatch.setattr(build.shutil, "which", lambda *_, **__: "npm")
    monkeypatch.setattr(build.subprocess, "run", pack)
    assert build.pyodide() == folder
    assert {file.name: file.stat().st_size for file in folder.iterdir()} == dict.fromkeys(build.FILES, 0)


def test_numpy_is_what_pyodide_names(tmp_path, monkeypatch):
    build = script("try/build", monkeypatch)
    monkeypatch.setattr(build, "CACHE", tmp_path / "cache")
    entry = {"file_name": "numpy.whl", "sha256": hashlib.sha256(b"wheel").hexdigest()}
    (tmp_path / "pyodide-lock.json").write_text(json.dumps({"packages": {"numpy": entry}}))
    served = []

    def open_url(url, timeout):
        if not served:
            raise OSError(f"{url}: no network")
        return io.BytesIO(served.pop())

    monkeypatch.setattr(build, "urlopen", open_url)
    assert build.numpy(tmp_path) is None
    served[:] = [b"wheel", b"damaged"]
    assert build.numpy(tmp_path) is None
    assert build.numpy(tmp_path) == build.numpy(tmp_path) == tmp_path / "cache/numpy.whl"
    (tmp_path / "numpy.whl").write_bytes(b"wheel")
    assert build.numpy(tmp_path) == tmp_path / "numpy.whl"


def test_what_the_page_cannot_show_is_an_error_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = script("try/session", monkeypatch)
    run = "1 Q0 a 1 1 x\n"
    assert json.loads(session.answer("load", "1 0 a 1\n", run, "AP"))["topics"] == ["1"]
    found = json.loads(session.answer("topic", "1", "AP", "AP"))
    assert (found["mean"], len(found["sections"]) > 1) == ([1], True)
    found = json.loads(session.answer("load", "1 0 a 1\n", "hello world\n", "AP"))
    assert found["error"].startswith('run:1: expected 6 columns, found 2: "hello world"; a line is: topic Q0')
    assert session.answer("load", "1 one a 1\n1 two b 1\n", "1 Q0 b 1 2 x\n1 Q0 c 2 1 x\n", "alpha_nDCG@5")
    session.answer("topic", "1", "alpha_nDCG@5", "alpha_nDCG@5", ["c", "b"])
    board = json.loads(session.answer("steps", "1", "alpha_nDCG@5"))
    assert [row["worth"] for row in board["rows"]] == [[None, None], [None, 1]]
    assert [row["name"] for row in board["best"]] == ["a", "b"]


def test_a_page_without_numpy_shows_values_and_says_what_it_lacks(tmp_path):
    ask = [("load", "1 0 a 1\n1 0 c 2\n", "1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n", "AP alpha_nDCG@5 Twist")]
    ask += [("topic", "1", "AP", "AP Twist", ["a", "b"]), ("target", "0.5", "AP")]
    code = "import sys; sys.modules['numpy'] = None; import session\n"
    code += f"for each in {ask}: print(session.answer(*each))"
    paths = os.pathsep.join([str(DOCS / "try"), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
    )
    load, topic, target = map(json.loads, done.stdout.splitlines())
    assert load["measures"] == ["AP"]
    assert load["notes"][0].startswith("alpha_nDCG@5, Twist: needs NumPy, which this page lacks")
    assert (topic["documents"], topic["grades"], topic["mean"]) == (["b", "a", "c"], [None, 1, 2], [0.5])
    assert target["error"] == topic["sections"][0]["sentences"][0].removesuffix(".")
    assert "needs NumPy" in target["error"]


def shown(browser):
    """{measure: (value of the topic, mean)} after all changes."""
    rows = browsing.find(browser, ".values tbody tr")
    cells = [[cell.text for cell in browsing.find(row, "th, td")] for row in rows]
    return {row[0]: (float(row[2]), float(row[5])) for row in cells}


def expected(qrels, run, measures, topic):
    """The same by rankgauge."""
    scores = rankgauge.evaluate(qrels, {"run": run}, measures)
    topics, means = scores.to_dict()["run"], scores.mean()["run"]
    return {name: (round(topics[name][topic], 4), round(means[name], 4)) for name in scores.measures}


def ranking(browser):
    return [row.get_attribute("data-document") for row in browsing.find(browser, ".ranked .doc")]


def updated(browser, act):
    """Do something, and wait until its answer is shown."""
    browser.execute_script("delete document.documentElement.dataset.ready")
    act()
    browsing.wait_until_ready(browser)


def visit(browser, fragment):
    updated(browser, lambda: browser.execute_script("location.hash = arguments[0]", fragment))


def given(text, value):
    """{topic: {document: number}} of TREC text; the number is in the column `value`."""
    found = {}
    for fields in map(str.split, text.splitlines()):
        found.setdefault(fields[0], {})[fields[2]] = float(fields[value])
    return found


def test_the_page_has_the_values_of_rankgauge_also_after_moves(browser, address, folder):
    examples = json.loads((folder / "config.json").read_text("utf-8"))["examples"]
    browsing.new_tab(browser)
    browsing.complaints(browser), browsing.requests_of(browser)  # those of other tests
    browser.get(f"{address}#example=lecture-ap&topic=1&measures=AP+nDCG@10+RR")
    browsing.wait(browser, lambda b: browsing.find(b, "[data-ready]"), LOADING)
    qrels, run = (given(examples["lecture-ap"][name], n) for name, n in (("qrels", 3), ("run", 4)))
    topic = browser.execute_script("return document.querySelector('[data-key=topic]').value")
    assert shown(browser) == expected(qrels, run, "AP nDCG@10 RR", topic)
    assert ranking(browser) == list(run[topic])
    has_numpy = json.loads((folder / "config.json").read_text("utf-8"))["packages"]
    explanation = browsing.find(browser, ".explanation")[0].text
    assert "Rank by rank" in explanation
    assert ("needs NumPy" in explanation) == (not has_numpy)

    def check(order):
        assert ranking(browser) == order
        changed = run | {topic: {doc: -rank for rank, doc in enumerate(order)}}
        assert shown(browser) == expected(qrels, changed, "AP nDCG@10 RR", topic)

    order = ranking(browser)
    browsing.find(browser, ".ranked .doc")[1].click()
    keys = browsing.ActionChains(browser).key_down(browsing.Keys.ALT).send_keys(browsing.Keys.ARROW_UP)
    updated(browser, keys.key_up(browsing.Keys.ALT).perform)
    check(order := [order[1], order[0], *order[2:]])
    handles = browsing.find(browser, ".ranked .handle")
    drag = browsing.ActionChains(browser).drag_and_drop(handles[4], handles[0])
    updated(browser, drag.perform)
    check(order := [order[4], *order[:4], *order[5:]])
    link = browser.execute_script("return location.hash")
    with browsing.sized(browser, 390):
        assert browsing.overflow(browser) <= 0

    visit(browser, "#example=lecture-rr&target=0.5")
    assert shown(browser).keys() == {"RR", "FirstRank(average=mean)"}
    if has_numpy:
        assert "RR(average=geometric)" in browsing.find(browser, ".explanation")[0].text
    else:
        assert "needs NumPy" in browsing.find(browser, ".error")[0].text
    visit(browser, link)
    check(order)

    judgments = "1 0 a 1\n1 0 b 0\n"

    def paste(text):
        areas = browsing.find(browser, "textarea")
        fill = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
        browser.execute_script("arguments[0].value = arguments[1]", areas[0], text)
        updated(browser, lambda: browser.execute_script(fill, areas[1], results))

    # A move while another topic is loaded is of the documents that are shown no longer.
    results = "".join(f"{topic} Q0 {doc} {n} {-n} x\n" for topic in "12" for n, doc in enumerate("bac"))
    paste(judgments + "2 0 c 1\n")
    both = """const topic = document.querySelector("[data-key=topic]"),
          list = document.querySelector(".ranked"),
          press = (key, altKey) => list.dispatchEvent(new KeyboardEvent("keydown", { key, altKey }));
        topic.value = "2";
        topic.dispatchEvent(new Event("change"));
        press("ArrowDown");
        press("ArrowDown");
        press("ArrowUp", true);"""
    updated(browser, lambda: browser.execute_script(both))
    assert (ranking(browser), shown(browser)["RR"][0]) == (["b", "a", "c"], 0.3333)

    paste(judgments + "1 0 c\n")
    [problem] = browsing.find(browser, ".error")
    assert problem.text.startswith('judgments:3: expected 4 columns, found 3: "1 0 c"')
    results = "1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n"
    paste(judgments)
    assert (problem.text, shown(browser)["AP"]) == ("", (0.5, 0.5))
    link = browser.execute_script("return location.hash")
    visit(browser, "#example=lecture-rr")
    visit(browser, link)
    assert shown(browser)["AP"] == (0.5, 0.5)
    assert browsing.complaints(browser) == []
    assert [url for url in browsing.requests_of(browser) if not url.startswith((address, "about:"))] == []
