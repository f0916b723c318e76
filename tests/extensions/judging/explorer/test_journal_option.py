"""`rankgauge explore`: what is refused, saved scores, and a process that is killed while people judge."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from extensions.pages.explorer.small import QRELS, RUNS
from rankgauge import evaluate
from rankgauge.cli.main import main
from rankgauge.extensions.judging import Journal
from rankgauge.extensions.pages.explorer import Exploration, exploration
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.schema import extensions

httpx = pytest.importorskip("httpx")


@pytest.fixture
def files(tmp_path):
    """The arguments of the command: judgments and runs."""
    Qrels.from_dict(QRELS).write(tmp_path / "qrels.txt")
    for name, run in RUNS.items():
        Run.from_dict(run, name).write(tmp_path / f"{name}.run")
    return [str(tmp_path / "qrels.txt"), *(str(tmp_path / f"{name}.run") for name in RUNS)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--grades-to-give", "0,1"], "--grades-to-give needs --journal FILE"),
        (["--journal", "J", "--llm-qrels", "nowhere"], "nowhere: no such file"),
        (["--journal", "J", "--grades-to-give", "0,x"], "grades are numbers separated by commas"),
        (["--journal", "J", "--grades-to-give", "1"], "2 to 20 grades"),
        (["--journal", "none/J"], "there is no directory"),
        (["--journal", "Q"], "this is no decision of a journal"),
        (["--journal", "HELD"], "another process has this journal open"),
        (["--journal", "/dev/null"], "a journal is a regular file"),
        (["--journal", "J", "--ties", "average"], "judging follows one order of documents"),
    ],
)
def test_wrong_options_are_refused(files, tmp_path, monkeypatch, capsys, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Q").write_bytes((tmp_path / "qrels.txt").read_bytes())
    with Journal.open("HELD"):
        assert main(["explore", *files, "--no-browser", "--quiet", *options]) == 2
    assert message in capsys.readouterr().err


def test_saved_scores_are_shown_without_rankings(tmp_path, monkeypatch, capsys):
    served = []
    monkeypatch.setattr(Exploration, "serve", lambda page, **_: served.append(page.session))
    path = str(tmp_path / "scores.json")
    evaluate(QRELS, RUNS, "AP RR").save(path)
    assert main(["explore", path, "-m", "RR"]) == 0
    assert served[0].campaign.runs == tuple(RUNS)
    for option, message in (("--journal", "needs judgments and rankings"), ("--collapse", "scores has none")):
        assert main(["explore", path, option, str(tmp_path / "prefix:#")]) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "prefix:#").exists()


@pytest.mark.parametrize(
    "wrong",
    [["nowhere.run"], ["--baseline", "nobody"], ["--documents", "nowhere.tsv"], ["--ties", "average"]],
)
def test_a_command_that_is_refused_leaves_no_journal_behind(files, tmp_path, monkeypatch, wrong):
    monkeypatch.chdir(tmp_path)
    assert main(["explore", *files, *wrong, "--no-browser", "--quiet", "--journal", "new.jsonl"]) == 2
    assert not (tmp_path / "new.jsonl").exists()


def test_without_judgments_the_page_opens_on_judging(files, tmp_path, invoke, monkeypatch):
    monkeypatch.setattr(exploration.Explorer, "run", lambda self: self._listener.close())
    quiet = ("--journal", str(tmp_path / "j.jsonl"), "--no-browser", "--quiet")
    qrels, *runs = files
    for some in (runs[:1], runs):
        assert "#/judge" in invoke("explore", *some, *quiet).out
    assert "#" not in invoke("explore", qrels, *runs, *quiet).out


@pytest.mark.parametrize("option", ["--journal", "--llm-qrels", "--guide"])
def test_without_the_extension_its_options_are_refused(files, tmp_path, refused, monkeypatch, option):
    monkeypatch.setattr(extensions, "is_installed", lambda name: name != "judging")
    said = refused("explore", *files, "--no-browser", option, str(tmp_path / "j.jsonl"))
    assert "belongs to the extension judging" in said
    assert not (tmp_path / "j.jsonl").exists()


class Explorer:
    """A process that serves the explorer, and a client of it."""

    def __init__(self, files, path):
        command = [
            sys.executable,
            "-m",
            "rankgauge",
            "explore",
            *files,
            "--no-browser",
            "--journal",
            str(path),
        ]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
        )
        address = self.process.stdout.readline().strip()
        origin = address.partition("/?")[0]
        self.client = httpx.Client(base_url=origin, headers={"Origin": origin}, timeout=60)
        self.client.get(address)

    def task(self, assessor):
        state = self.client.get("/api/judge", params={"q": f'{{"assessor": "{assessor}"}}'})
        return state.json()["task"]

    def decide(self, assessor, task, grade):
        document = task["document"]
        place = {"topic": document["topic"], "document": document["id"]}
        return self.client.post(
            "/api/judge-decide", json={"assessor": assessor, "grade": grade, **place}
        ).json()

    def interrupt(self):
        """What the program prints when it is interrupted, and its exit code."""
        self.process.send_signal(signal.SIGINT)
        self.client.close()
        return self.process.communicate(timeout=60)[1], self.process.returncode

    def kill(self):
        self.process.kill()
        self.client.close()
        return self.process.communicate()[1]


@pytest.mark.parametrize("number", [1, 20])
def test_killing_the_program_loses_no_decision(files, tmp_path, number):
    path, acknowledged = tmp_path / "journal.jsonl", []
    explorer, enough = Explorer(files, path), threading.Event()

    def judge(assessor):
        try:
            task = explorer.task(assessor)
            while task["document"] is not None:
                answer = explorer.decide(assessor, task, len(acknowledged) % 4)
                recorded, task = answer["recorded"], answer["task"]
                acknowledged.append((assessor, recorded["topic"], recorded["id"], recorded["grade"]))
                if len(acknowledged) >= number:
                    enough.set()
        except httpx.HTTPError:  # the server is gone
            pass
        finally:
            enough.set()

    threads = [threading.Thread(target=judge, args=(name,)) for name in ("Ann", "Ben")]
    for thread in threads:
        thread.start()
    enough.wait()
    explorer.process.kill()  # in the middle of requests
    for thread in threads:
        thread.join()
    explorer.kill()
    assert len(acknowledged) >= number
    with path.open("ab") as file:  # what a write that was interrupted leaves
        file.write(b'{"time": "2026-')
    kept = {(d.assessor, *d.place, d.grade) for d in Journal.read(path)}
    assert {*acknowledged} <= kept
    again = Explorer(files, path)
    try:
        done = again.task("Ann")["done"]
        assert done == sum(assessor == "Ann" for assessor, *_ in kept)
    finally:
        printed = again.kill()
    assert "the journal ended in the middle of a line" in printed
    assert (tmp_path / "journal.jsonl.torn").read_bytes().endswith(b'{"time": "2026-\n')


@pytest.mark.parametrize("found", ["by a decision", "at the end"])
def test_a_journal_that_is_replaced_stops_the_page(files, tmp_path, found):
    path, explorer = tmp_path / "journal.jsonl", Explorer(files, tmp_path / "journal.jsonl")
    try:
        first = explorer.decide("Ann", explorer.task("Ann"), 1)
        path.unlink()
        if found == "by a decision":
            document = first["task"]["document"]
            place = {"topic": document["topic"], "document": document["id"]}
            asked = {"assessor": "Ann", "grade": 1, **place}
            refused = explorer.client.post("/api/judge-decide", json=asked)
            assert refused.status_code == 503
            assert "the decision was not recorded: another program" in refused.json()["error"]
            assert "1 decision" in explorer.task("Ann")["problem"]
        printed, status = explorer.interrupt()
    finally:
        explorer.process.kill()
    assert status == 2
    assert printed.count("journal.rescued-") == (2 if found == "by a decision" else 1)
    assert "Traceback" not in printed
    [rescued] = tmp_path.glob("journal.rescued-*.jsonl")
    assert len(Journal.read(rescued)) == 1
