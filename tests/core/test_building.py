"""Building the compiled core: what happens where no compiler succeeds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rankgauge import core
from rankgauge.model import notes
from rankgauge.model.provenance import Provenance, RunFacts

ROOT = Path(__file__).parents[2]


@pytest.fixture
def build(tmp_path):
    """Builds the core with a compiler that always fails; returns the exit code and the recorded reason."""
    if sys.platform == "win32":
        pytest.skip("the compiler of Windows is not chosen by variables")

    def run(**environment):
        command = [
            "setup.py",
            "-q",
            "build_ext",
            "--build-lib",
            tmp_path / "lib",
            "--build-temp",
            tmp_path / "temp",
        ]
        compiler = {"CC": "false", "CXX": "false", "RANKGAUGE_PURE": "", "RANKGAUGE_REQUIRE_CORE": ""}
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            cwd=ROOT,
            env={**os.environ, **compiler, **environment},
            capture_output=True,
            check=False,
        )
        reason = tmp_path / "lib" / "rankgauge" / "core" / "not_compiled.txt"
        return done.returncode, reason.read_text("utf-8") if reason.exists() else None

    return run


def test_a_core_that_cannot_be_built_is_left_out_and_the_reason_recorded(build):
    code, reason = build()
    assert code == 0
    assert "false" in reason
    assert reason.count("\n") == 1


def test_a_core_that_is_required_must_be_built(build):
    assert build(RANKGAUGE_REQUIRE_CORE="1")[0] != 0


def test_a_wheel_without_it_needs_no_compiler(build):
    assert build(RANKGAUGE_PURE="1", RANKGAUGE_REQUIRE_CORE="1") == (0, None)


def test_a_missing_core_is_shown_with_the_version(invoke, monkeypatch):
    monkeypatch.setattr(core, "NOT_COMPILED", "command 'g++' failed")
    assert invoke("--version").out.splitlines()[1] == "The compiled core is missing: command 'g++' failed"


@pytest.mark.parametrize(("results", "is_said"), [(999_999, False), (1_000_000, True)])
def test_a_missing_core_is_mentioned_for_large_inputs(results, is_said, monkeypatch):
    provenance = Provenance(runs={"a": RunFacts(retrieved=results)})
    assert not any("compiled core" in sentence for sentence in notes.advice(provenance))
    monkeypatch.setattr(core, "NOT_COMPILED", "command 'g++' failed")
    assert any("command 'g++' failed" in sentence for sentence in notes.advice(provenance)) is is_said
