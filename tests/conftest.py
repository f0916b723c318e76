"""What all tests share: the real data, Hypothesis' settings, which core is in use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from rankgauge import core

# With CI set, the same examples come every time, and fewer: what they can find they found long ago.
CI = bool(os.environ.get("CI"))
settings.register_profile("rankgauge", max_examples=20 if CI else 60, deadline=None, derandomize=CI)
settings.load_profile("rankgauge")


def pytest_addoption(parser):
    parser.addoption("--fuzz", type=int, default=3000, metavar="N", help="mutated files for the two cores")


def pytest_report_header(config):
    return f"rankgauge: {core.NAME} core"


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
