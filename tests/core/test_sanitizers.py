"""The core's C++ under the address and undefined-behaviour sanitizers, on mutated files."""

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

import rankgauge
from core.mutation import mutated
from rankgauge.core import NAME

pytestmark = pytest.mark.skipif(NAME == "pure", reason="the C++ is tested in the run of the compiled core")

SOURCES = Path(rankgauge.__file__).parent / "core"
FLAGS = [
    "-std=c++17",
    "-ffp-contract=off",
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-Wall",
    "-Wextra",
]


@pytest.fixture(scope="session")
def harness(tmp_path_factory, pytestconfig):
    """The compiled harness; optimised code takes three times as long to compile, so only for long runs."""
    optimise = "-O1" if pytestconfig.getoption("--fuzz") > 3000 else "-O0"
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None or not (SOURCES / "join.hpp").exists():
        pytest.skip("there is no C++ compiler, or no source of the compiled core")
    built = tmp_path_factory.mktemp("sanitizers") / "harness"
    source = Path(__file__).parent / "harness.cpp"
    command = [compiler, optimise, *FLAGS, f"-I{SOURCES}", str(source), "-o", str(built)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "sanitize" in done.stderr + done.stdout:
        pytest.skip("this compiler has no sanitizers")
    assert done.returncode == 0, done.stderr
    assert not done.stderr, "the core compiles without warnings"
    return built


def work_off(harness, files):
    """(hits, problems) of pairs of judgments and runs, which leave the sanitizers silent."""
    blocks = b"".join(struct.pack("@Q", len(block)) + block for pair in files for block in pair)
    done = subprocess.run([harness], input=blocks, capture_output=True, check=False)
    assert done.stderr == b""
    assert done.returncode == 0
    worked, hits, problems = (int(part.split()[0]) for part in done.stdout.decode().split(","))
    assert worked == len(files)
    return hits, problems


EXTREMES = [
    b"",
    b"\n",
    b"1",
    b"1 Q0 d1 1 1 t",
    b"1 Q0 d1 1 1 t\n" * 3,
    b"1 Q0 " + b"x" * (1 << 20) + b" 1 1 t\n" + b"1 Q0 d1 1 1 t\n" * 20,
    b"x" * ((1 << 20) + 100),
    b"1 Q0 d1 1 " + b"9" * 5000 + b" t\n",
    b"1 Q0 d1 1 0." + b"0" * 5000 + b"1e5000 t\n",
    b"".join(b"1 Q0 d%d 1 %d t\n" % (n, n % 7) for n in range(3000)),
    b"".join(b"%d Q0 d1 1 1 t\n" % (n % 3) for n in range(3000)),
    b"\0" * 1000,
    b" " * 1000 + b"\n" + b"\t" * 1000,
    b"\xff" * 1000,
]
QRELS = b"1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"


def test_mutated_and_extreme_files_leave_the_sanitizers_silent(harness, cases, count, pytestconfig):
    count //= 20 if pytestconfig.getoption("--fuzz") > count else 60
    files = [(mutated(rng, "qrels"), mutated(rng)) for _, rng in cases(count, seed="sanitizers")]
    hits, problems = work_off(harness, files)
    assert hits > count
    assert problems > count
    # In the same test, so that one worker compiles the harness.
    hits, problems = work_off(harness, [pair for run in EXTREMES for pair in ((QRELS, run), (run, run))])
    assert hits
    assert problems
