"""SIGTERM ends a command like Ctrl-C: nothing half done is left behind."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from rankgauge.cli import convert
from rankgauge.cli.main import main
from rankgauge.errors import MissingDependency
from rankgauge.formats.target import writing

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals here")
RUN = "1 Q0 d1 1 2.5 t\n"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_the_old_file_and_no_part_of_the_new_one(name, write, monkeypatch, invoke):
    path, number = write("old.csv", "as it was"), getattr(signal, name)
    before = signal.signal(number, signal.SIG_DFL)  # nohup has it ignored

    def run(_args):
        with writing(path) as out:
            out.write(b"half of it")
            out.flush()
            assert len([*path.parent.iterdir()]) == 3
            os.kill(os.getpid(), number)
            time.sleep(60)

    monkeypatch.setattr(convert, "run", run)
    assert (
        invoke("convert", write("a.run", RUN), path, code=128 + number).err == f"rankgauge: ended by {name}\n"
    )
    assert path.read_text() == "as it was"
    assert sorted(file.name for file in path.parent.iterdir()) == ["a.run", "old.csv"]
    assert signal.signal(number, before) is signal.SIG_DFL


def test_a_signal_that_is_ignored_or_handled_stays_so(monkeypatch, write):
    seen = []

    def run(_args):
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGTERM)
        return 7

    monkeypatch.setattr(convert, "run", run)
    before = [signal.signal(signal.SIGHUP, signal.SIG_IGN)]
    before.append(signal.signal(signal.SIGTERM, lambda number, _: seen.append(number)))
    try:
        assert main(["convert", str(write("a.run", RUN)), "b.run"]) == 7
    finally:
        signal.signal(signal.SIGHUP, before[0])
        signal.signal(signal.SIGTERM, before[1])
    assert seen == [signal.SIGTERM]


@pytest.mark.parametrize("error", [ImportError, SystemError, partial(MissingDependency, "this")])
def test_an_interrupt_that_became_another_error_is_one(error, write, monkeypatch, invoke):
    def run(_args):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        except KeyboardInterrupt:  # as NumPy does while it is imported
            raise error("cannot import a part of NumPy") from None

    run.__module__ = convert.__name__  # an error of another package would name that
    monkeypatch.setattr(convert, "run", run)
    assert invoke("convert", write("a.run", RUN), "b.run", code=130).err == "rankgauge: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Callback:
    """Interrupts where Python ignores exceptions, as in the locks of its import system."""

    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


def test_an_interrupt_that_python_ignores_is_reported(write, monkeypatch, invoke):
    monkeypatch.setattr(convert, "run", lambda _args: bool(Callback()))
    assert invoke("convert", write("a.run", RUN), "b.run", code=130).err == "rankgauge: interrupted\n"


@pytest.mark.parametrize(
    "module",
    ["rankgauge.cli.main", "rankgauge.cli.parser", "numpy", "numpy.linalg", "datetime"],
)
def test_an_interrupt_during_an_import_leaves_no_traceback(write, module):
    code = f"""if True:
        import os, signal, sys
        class Finder:
            def find_spec(self, name, *_):
                if name == {module!r}:
                    os.kill(os.getpid(), signal.SIGINT)
        sys.meta_path.insert(0, Finder())
        from rankgauge.__main__ import console
        sys.exit(console())"""
    qrels, run = write("qrels", "1 0 d1 1\n"), write("a.run", RUN)
    command = [sys.executable, "-c", code, "compare", str(qrels), str(run), str(run), "-m", "AP"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    ended = (done.returncode, done.stderr)
    assert ended in [(-signal.SIGINT, ""), (130, "rankgauge: interrupted\n")]  # 130 for shells


def test_a_signal_removes_the_copy_of_standard_input(tmp_path, write):
    qrels, copies = write("qrels", "1 0 d1 1\n"), tmp_path / "tmp"
    copies.mkdir()
    command = [sys.executable, "-m", "rankgauge", "evaluate", str(qrels), "-"]
    env = {**os.environ, "TMPDIR": str(copies), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        for _ in range(6000):  # a minute
            if [*copies.glob("rankgauge-*")] or process.poll() is not None:  # Python tries the folder before
                break
            time.sleep(0.01)
        assert len([*copies.iterdir()]) == 1
        process.terminate()
        assert b"ended by SIGTERM" in process.stderr.read()
    assert process.returncode == 143
    assert not [*copies.iterdir()]


@pytest.mark.parametrize(("name", "status"), [("rankgauge", -signal.SIGINT), ("mine.py", 1)])
def test_ctrl_c_ends_the_console_script_before_its_modules_are_imported(name, status, write):
    script = write(name, "import os, signal, rankgauge\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (status, -signal.SIGINT)
    assert ("Traceback" in done.stderr) is (name == "mine.py")  # a program of one's own keeps its handler
