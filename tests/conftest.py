"""What all tests share: the real data, browsers and command lines, which core is in use."""

import gc
import os
import random
import re
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

import browsing
import cases as profile  # noqa: F401 - loads that of Hypothesis
from rankgauge import core

# ranx as the Python that it is written in: on small runs, compiling it takes a minute and a half.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

PART = 3000  # of --fuzz; what goes beyond comes as further tests, which can run in parallel


def pytest_addoption(parser):
    parser.addoption("--fuzz", type=int, default=PART, metavar="N", help="random cases of the longest test")


def pytest_report_header(config):
    if core.NOT_COMPILED and os.environ.get("RANKGAUGE_REQUIRE_CORE"):
        pytest.exit(f"RANKGAUGE_REQUIRE_CORE is set, and there is no compiled core: {core.NOT_COMPILED}", 2)
    return f"rankgauge: {core.NAME} core"


def pytest_generate_tests(metafunc):
    if "cases" in metafunc.fixturenames:
        parts = range(max(1, metafunc.config.getoption("--fuzz") // PART))
        metafunc.parametrize("cases", parts, indirect=True, ids="part{}".format)


def pytest_collection_modifyitems(items):
    """Mark the tests that need torch: their module or a fixture imports it, or a parameter names it."""
    for item in items:
        parameters = getattr(item, "callspec", None)
        if (
            hasattr(item.module, "torch")
            or "torch" in item.fixturenames
            or (parameters and re.search("torch|tensor", parameters.id))
        ):
            item.add_marker("torch")


def pytest_collection_finish():
    """Keep thousands of collected tests out of every pass of the garbage collector: they stay anyway."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def torch():
    """The library; without it, the test is skipped."""
    return pytest.importorskip("torch")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A browser for all tests of pages; without one, they are skipped."""
    with browsing.start(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="session", autouse=True)
def _interruptible():
    """Have Ctrl-C interrupt tests and their processes, also in a background job, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def count(pytestconfig):
    """The number of random cases for the longest of tests; others take a fraction of it."""
    return min(pytestconfig.getoption("--fuzz"), PART)


@pytest.fixture
def cases(request, record_property):
    """A function that returns so many (number, random generator) of cases; their number makes them again."""
    done = 0

    def cases(count, seed=0):
        nonlocal done
        for number in range(request.param * count, (request.param + 1) * count):
            done += 1
            yield number, random.Random(f"{seed}/{number}")

    yield cases
    record_property("cases", done)


total_cases = 0


def pytest_runtest_logreport(report):
    global total_cases
    if report.when == "teardown":
        total_cases += dict(report.user_properties).get("cases", 0)


def pytest_terminal_summary(terminalreporter):
    if total_cases:
        terminalreporter.write_line(f"{total_cases:,} random cases")


@pytest.fixture(scope="session")
def data():
    """The directory of real judgments, runs and other tools' values: $RANKGAUGE_DATA or ../shared/data."""
    path = Path(os.environ.get("RANKGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"there is no real data in {path}; RANKGAUGE_DATA names its directory")
    return path


@pytest.fixture
def write(tmp_path):
    """A function that writes text or bytes to a new file and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def windows(monkeypatch):
    """Lets the `os` of a module be that of Windows, with other changes."""

    def imitate(module, **changes):
        monkeypatch.setattr(module, "os", SimpleNamespace(**{**vars(os), "name": "nt", **changes}))

    return imitate


@pytest.fixture
def working_folder(tmp_path, monkeypatch):
    """A function that writes files, {name: text}, to a new working directory and returns its path."""
    monkeypatch.chdir(tmp_path)

    def write(files):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        return tmp_path

    return write


@pytest.fixture
def invoke(capsys):
    """A function that runs a command line with an expected exit code and returns what it prints."""
    from rankgauge.cli.main import main

    def invoke(*argv, code=0):
        status = main([*map(str, argv)])
        printed = capsys.readouterr()
        assert status == code, printed.err
        assert "Traceback" not in printed.err
        return printed

    return invoke


@pytest.fixture
def refused(invoke):
    """A function that runs a command line which must fail without output, and returns the message."""

    def refused(*argv):
        printed = invoke(*argv, code=2)
        assert printed.out == ""
        return printed.err

    return refused
