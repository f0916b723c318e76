"""Simulate a small campaign, evaluate and compare its runs, and make a report on them.

For example:
  rankgauge demo
  rankgauge demo somewhere

Each step is a command, which is shown before it runs. Nothing but an installed rankgauge is needed.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from rankgauge.cli.main import main

MEASURES = "nDCG@10 AP RR P@10 R@1000"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "directory",
        metavar="DIR",
        nargs="?",
        default="demo",
        help="the folder to write into (default demo)",
    )


def run(args: argparse.Namespace) -> int:
    """Run the steps until one fails."""
    folder = Path(args.directory)
    files, report = [str(folder / "qrels.txt"), str(folder / "runs")], str(folder / "report.html")
    simulated = ["--topics", "50", "--depth", "1000", "--systems", "5", "--seed", "2026"]
    for step in (
        ["simulate", str(folder), *simulated],
        ["evaluate", *files, "-m", MEASURES, "--format", "table"],
        ["compare", *files, "-m", "nDCG@10"],
        ["report", *files, "-m", MEASURES, "-o", report],
    ):
        print(f"$ {shlex.join(['rankgauge', *step])}", flush=True)
        if status := main(step):
            return status
        print()
    print(f"Open {report} in a browser, or type: cd {shlex.quote(str(folder))}; rankgauge")
    return 0
