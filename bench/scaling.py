"""How time and memory grow with the size of the input: python bench/scaling.py [--most N] [--only AXIS]

Each axis has its other sizes fixed. What counts is the processor time of a whole command, start-up included,
which other work on the machine changes less than it changes wall time, and the peak memory. Then come
commands on campaigns of many runs. The numbers are kept in docs/studies/scaling.json, from which
`python docs/scaling.py` writes the page and draws the figure.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from entrants import HERE, environment
from report import facts
from workloads import COMMAND, Files, Workload, files

NUMBERS = HERE.parent / "docs" / "studies" / "scaling.json"
FIVE = "nDCG@10 AP RR P@10 R@1000"
MANY = [f"{name}@{k}" for k in range(1, 51) for name in ("nDCG", "P", "R", "RR")]


@dataclass(frozen=True)
class Axis:
    """Sizes that grow, and the campaign of each."""

    title: str
    fixed: str  # the sizes that stay the same
    sizes: tuple[int, ...]
    campaign: Callable[[int], Workload]
    measures: Callable[[int], str] = lambda size: FIVE


def campaign(runs: int, topics: int, depth: int, judged: float = 1.1) -> Workload:
    name = f"scaling-{runs}x{topics}x{depth}"
    return Workload(name, name, topics, runs=runs, depth=depth, judged=judged, grades=1 if judged < 2 else 3)


AXES = {
    "rows": Axis(
        "rows",
        "one run, 1000 rows for each topic, 1.1 judgments for each",
        (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000),
        lambda size: campaign(1, size // 1000, 1000),
    ),
    "runs": Axis(
        "runs",
        "50 topics × 100 rows for each run, 200 judgments for each topic",
        (1, 10, 100, 1_000),
        lambda size: campaign(size, 50, 100, 200),
    ),
    "topics": Axis(
        "topics",
        "one run, 10 rows for each topic",
        (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000),
        lambda size: campaign(1, size, 10),
    ),
    "measures": Axis(
        "measures",
        "one run, 10,000 topics × 100 rows",
        (1, 2, 5, 10, 20, 50, 100, 200),
        lambda size: campaign(1, 10_000, 100),
        lambda size: " ".join(MANY[:size]),
    ),
}
# command: (runs, arguments beside judgments and runs)
AT_SIZE = {
    "compare": (500, ()),
    "compare --test tukey": (500, ("--test", "tukey")),
    "compare --test randomisation": (500, ("--test", "randomisation")),
    "compare --test randomised-tukey": (500, ("--test", "randomised-tukey")),
    "report": (500, ("-o", "-", "--format", "html")),
    "study robustness": (63, ()),
}


def measured(arguments: list[str]) -> dict[str, float]:
    """Seconds by the clock and of the processor, and the peak memory in MB, of a command of rankgauge."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(
            [*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=err, env=environment()
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            err.seek(0)
            raise SystemExit(f"rankgauge {arguments[0]} failed: {err.read()}")
    return {
        "seconds": round(time.perf_counter() - start, 3),
        "processor": round(usage.ru_utime + usage.ru_stime, 3),
        "megabytes": round(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6, 1),
    }


def best_of(arguments: list[str], repeat: int) -> dict[str, float]:
    """The least of several rounds; a long command runs once."""
    rounds = [measured(arguments)]
    while len(rounds) < repeat and rounds[0]["seconds"] < 10:
        rounds.append(measured(arguments))
    return {name: min(each[name] for each in rounds) for name in rounds[0]}


def inputs(made: Files) -> list[str]:
    return [str(made.qrels), *map(str, made.runs)]


def points(axis: Axis, most: int, repeat: int, work: Path) -> Iterator[dict[str, Any]]:
    for size in axis.sizes:
        if axis.campaign(size).rows > most:
            return
        made = files(axis.campaign(size), work)
        point = {"size": size, **best_of(["evaluate", *inputs(made), "-m", axis.measures(size)], repeat)}
        print(axis.title, point, file=sys.stderr, flush=True)
        yield point


def at_size(scale: float, repeat: int, work: Path) -> Iterator[dict[str, Any]]:
    for command, (runs, more) in AT_SIZE.items():
        made = files(campaign(max(3, round(runs * scale)), 50, 100, 200), work)
        words = command.split()[: 2 if command.startswith("study") else 1]
        point = {
            "command": command,
            "runs": len(made.runs),
            **best_of([*words, *inputs(made), *more], repeat),
        }
        print(point, file=sys.stderr, flush=True)
        yield point


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--most",
        type=int,
        default=50_000_000,
        metavar="N",
        help="rows of the largest input (default 50 million)",
    )
    add("--only", choices=(*AXES, "commands"), help="measure this alone, and keep the other numbers")
    add("--scale", type=float, default=1, metavar="X", help="the share of runs for commands (default 1)")
    add(
        "--repeat",
        type=int,
        default=3,
        metavar="N",
        help="rounds of short commands (default 3); the least counts",
    )
    add("--work", type=Path, default=HERE / "work", metavar="DIR", help="the directory for simulated data")
    add("--json", type=Path, default=NUMBERS, metavar="FILE", help="where the numbers are kept")
    args = parser.parse_args(argv)
    kept = (
        json.loads(args.json.read_text())
        if args.only and args.json.exists()
        else {"axes": {}, "commands": []}
    )
    kept["machine"] = facts(("numpy", "scipy"))
    for name, axis in AXES.items():
        if args.only in (None, name):
            found = list(points(axis, args.most, args.repeat, args.work))
            kept["axes"][name] = {"title": axis.title, "fixed": axis.fixed, "points": found}
    if args.only in (None, "commands"):
        kept["commands"] = list(at_size(args.scale, args.repeat, args.work))
    args.json.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
