"""Find the definitions of measures that a tool agrees with, on the cases of the folder `conformance`.

For example:
  python -m rankgauge.conformance -m map -m ndcg_cut_10 -- trec_eval -q -m {measure} {qrels} {run}
  python -m rankgauge.conformance -m nDCG@10 -- rankgauge evaluate {qrels} {run} -m {measure} -q

The command is run for each measure, by the tool's own name. It prints a line for each topic, with the topic
somewhere before the value, which is last. A definition agrees if all values do, to the last digit printed.
Topics for which a definition has no value do not count. Exit code 1: some measure agrees with none.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

SUITE = Path(__file__).resolve().parents[2] / "conformance"  # of a checkout
INEXACT = 1e-9  # of a value without a rounded digit

Values = Mapping[str, "float | None"]  # {topic: value, None where it is undefined}


class Agreement(NamedTuple):
    """How many topics agree with a definition."""

    definition: str
    agreeing: int
    defined: int

    @property
    def whole(self) -> bool:
        """Whether all agree."""
        return self.agreeing == self.defined > 0


def definitions(suite: Path = SUITE) -> dict[str, Values]:
    """{definition, as rankgauge writes it: its values}."""
    known: dict[str, Values] = json.loads((suite / "definitions.json").read_text("utf-8"))
    return known


def printed(output: str, topics: Sequence[str]) -> dict[str, str]:
    """{topic: its value as it is printed}."""
    found = {}
    for line in output.splitlines():
        *names, value = re.split(r"[\s,;]+", line.strip())
        if topic := next((name for name in names if name in topics), None):
            found[topic] = value
    return found


def agrees(text: str, expected: float) -> bool:
    """Whether a printed value is the expected one, to its last digit."""
    try:
        value = float(text)
    except ValueError:
        return False
    digits = re.fullmatch(r"-?\d+\.(\d+)", text)
    return abs(value - expected) <= (10.0 ** -len(digits[1]) / 2 if digits else 0.0) + INEXACT


def compared(values: Mapping[str, str], known: Mapping[str, Values]) -> list[Agreement]:
    """The agreement with each definition, the best first."""
    found = []
    for name, expected in known.items():
        defined = {topic: value for topic, value in expected.items() if value is not None}
        agreeing = sum(agrees(values.get(topic, ""), value) for topic, value in defined.items())
        found.append(Agreement(name, agreeing, len(defined)))
    return sorted(found, key=lambda each: -each.agreeing / max(1, each.defined))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command for each measure, and print the definitions that agree."""
    parser = argparse.ArgumentParser(
        prog="python -m rankgauge.conformance",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-m", "--measure", action="append", required=True, help="repeatable")
    parser.add_argument("--suite", type=Path, default=SUITE, metavar="FOLDER", help="the cases")
    parser.add_argument("command", nargs="+", help="with {qrels}, {run} and {measure}")
    given = parser.parse_args(arguments)
    if not (given.suite / "definitions.json").is_file():
        parser.error(f"{given.suite} has no definitions.json; name the folder conformance by --suite")
    known, status = definitions(given.suite), 0
    topics = list(next(iter(known.values())))
    files = {"qrels": str(given.suite / "qrels.txt"), "run": str(given.suite / "run.txt")}
    for measure in given.measure:
        command = [part.format(measure=measure, **files) for part in given.command]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            parser.error(f"{command[0]} cannot be run: {error}")
        best = compared(printed(done.stdout, topics), known)
        whole = [each.definition for each in best if each.whole]
        near = f"none; nearest {best[0].definition}, {best[0].agreeing} of {best[0].defined} topics"
        if done.returncode and not whole:
            near = f"none; the command failed: {done.stderr.strip().splitlines()[-1:] or done.returncode}"
        print(f"{measure}: {', '.join(whole) or near}")
        status = status if whole else 1
    return status


if __name__ == "__main__":
    sys.exit(main())
