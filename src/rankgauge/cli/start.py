"""`rankgauge` alone: a leaderboard of the runs in this folder, and what to type next."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable

from rankgauge.cli.output import print_message
from rankgauge.formats.files import recognised
from rankgauge.formats.patterns import matches
from rankgauge.formats.source import Source

MEASURES = "nDCG@10 AP RR"
RUNS = "runs"  # the folder in which they are, unless they are beside the judgments
MOST = 500  # files that are looked at
TOP = 10


def found() -> list[str]:
    """The judgments, and the runs or their folder; empty unless both are here."""
    files = [file for file in matches("*")[:MOST] if os.path.isfile(file)]  # noqa: PTH113
    kinds = {file: recognised(Source(file)) for file in files}
    qrels = [file for file, kind in kinds.items() if kind == "qrels"]
    runs = [file for file, kind in kinds.items() if kind == "run"]
    if os.path.isdir(RUNS):  # noqa: PTH112
        runs = [RUNS]
    return [*qrels, *runs] if len(qrels) == 1 and runs else []


def run(main: Callable[[list[str]], int]) -> int | None:
    """Evaluate what is here by the command line `main`; None if there is nothing to evaluate."""
    files = found()
    if not files:
        return None
    best = ("--sort", "nDCG@10", "--top", str(TOP))
    status = main(["evaluate", *files, "-m", MEASURES, *best, "--no-advice"])
    several = len(files) > 2 or files[1] == RUNS
    commands = ("compare", "report", "explore") if several else ("explain", "validate", "explore")
    if not status:
        written = (shlex.join(["rankgauge", each, *files]) for each in commands)
        print_message("\n".join(["", "next:", *(f"  {line}" for line in written)]))
    return status
