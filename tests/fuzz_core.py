"""Fuzz the compiled core with coverage guidance, under the address and undefined-behaviour sanitizers.

    python tests/fuzz_core.py [SECONDS]    two minutes by default

Clang with libFuzzer is needed; $CXX names another one, with options. What fails is kept in build/fuzz, and
the corpus of earlier runs with it. `tests/core/fuzz.cpp` says what has to hold.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "fuzz"
FLAGS = "-std=c++17 -O1 -g -ffp-contract=off -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"
QRELS = b"1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"
SEEDS = (  # judgments and a run; the first three bytes choose rules, the fourth where the run begins
    (QRELS, b"1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1e-3 t\n2 Q0 d3 1 7 t\n"),
    (QRELS, b"1 Q0 d1 1 0.5 t\n1 Q0 d3 2 0.5 t\n1 Q0 d2 3 .5 t\n1 Q0 d2 3 .25 t\n"),
    (b"2 0 a -1\n\n# c\n1 0 b 1.5\n", b"2 Q0 a 1 inf t\n1 Q0 b 2 -INFINITY t\n2 Q0 c 3 nan t\n"),
    (b"1 a 1\n1 b 2\n", b"1 Q0 a 9007199254740993 123456789012345678901234567890.125e-300 t\n"),
    (QRELS, b"\t1  Q0 d1 +1 +1.7976931348623157e308 t \r\n1 Q0 d2 x 4.9e-324 t\n1 Q0 d2\n\0\n"),
    (QRELS * 9, b"".join(b"%d Q0 d%d 1 %d.%06d t\n" % (n % 3, n, n % 7, n) for n in range(60))),
)


def build() -> Path:
    """The fuzz target, compiled."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    target, compiler = FOLDER / "core", shlex.split(os.environ.get("CXX", "clang++"))
    source = ROOT / "tests" / "core" / "fuzz.cpp"
    what = [f"-I{ROOT / 'src' / 'rankgauge' / 'core'}", str(source), "-o", str(target)]
    subprocess.run([*compiler, *FLAGS.split(), *what], check=True)
    return target


def seeds() -> Path:
    """The folder of the corpus, with the seeds."""
    corpus = FOLDER / "corpus"
    corpus.mkdir(exist_ok=True)
    for number, (qrels, run) in enumerate(SEEDS):
        at = -(-256 * len(qrels) // len(qrels + run))
        head = bytes((number * 5 % 16, number * 21 % 256, number * 37 % 256, at))
        (corpus / f"seed{number}").write_bytes(head + qrels + run)
    return corpus


def fuzz(seconds: int) -> tuple[int, bool]:
    """(executions, whether something fell)."""
    command = [
        *(str(build()), str(seeds()), f"-max_total_time={seconds}", "-max_len=4096", "-timeout=30"),
        *(f"-artifact_prefix={FOLDER}/", "-print_final_stats=1", "-verbosity=1"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    found = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    if done.returncode:
        print(done.stderr[-4000:], file=sys.stderr)
    return int(found[1]) if found else 0, done.returncode != 0


if __name__ == "__main__":
    executions, fell = fuzz(int(sys.argv[1]) if sys.argv[1:] else 120)
    print(f"{executions:,} executions, {int(fell)} fell")
    sys.exit(fell)
