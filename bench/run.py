"""Run the benchmarks: rankgauge and its peers take turns on the same work.

python bench/run.py                     all workloads; peers that take minutes are left out
python bench/run.py W1 W3 --repeat 5
python bench/run.py --full --json results.json --write
python bench/run.py W3 --scale 0.01     a smoke test: the numbers mean nothing
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from entrants import HERE, entrants, installed, slow
from measure import interleave
from outcomes import Outcome
from peers import PEERS
from report import facts, report
from workloads import WARM_UP, WORKLOADS, Workload, chosen, files

RESULTS = HERE / "RESULTS.md"
INTRODUCTION = """\
# Results

Written by `python bench/run.py --write`; README.md says how to read it.

"""


def main(argv: list[str] | None = None) -> int:
    """1 when tools disagree or rankgauge fails, 0 otherwise."""
    args = _parser().parse_args(argv)
    try:
        workloads = [workload.scaled(args.scale) for workload in chosen(args.workloads)]
    except ValueError as error:
        _parser().error(str(error))
    if args.write and args.scale != 1:
        _parser().error("--write keeps results of full size only; leave out --scale or --write")
    peers = installed(args.peers)
    notes = [f"{name} is not installed" for name in args.peers if name not in peers]
    notes += [] if os.environ.get("TREC_EVAL") else ["trec_eval is not given: TREC_EVAL=path"]
    machine = facts()
    warm_up(peers, args.work)
    outcomes = [outcome(workload, peers, args) for workload in workloads]
    print(report(outcomes, machine, notes, markdown=args.markdown), end="")
    if args.json:
        content = {"machine": machine, "outcomes": [asdict(outcome) for outcome in outcomes], "notes": notes}
        args.json.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if args.write:
        text = report(outcomes, machine, notes, markdown=True)
        RESULTS.write_text(INTRODUCTION + text, encoding="utf-8")
    fine = all(outcome.agreement()[0] and not outcome.our_failures for outcome in outcomes)
    return 0 if fine else 1


def outcome(workload: Workload, peers: list[str], args: argparse.Namespace) -> Outcome:
    """The outcome of one workload."""
    left_out = () if args.full else tuple(name for name in peers if name in slow(workload))
    paths = files(workload, args.work)
    taking_part = entrants(workload, paths, [name for name in peers if name not in left_out])
    results = interleave(taking_part, args.repeat, lambda text: _say(f"{workload.name}: {text}"))
    names = tuple(entrant.name for entrant in taking_part if entrant.peer)
    return Outcome(workload, paths.megabytes, results, names, left_out)


def warm_up(peers: list[str], work: Path) -> None:
    """Run each tool once, so that it can compile and cache what it needs."""
    interleave(entrants(WARM_UP, files(WARM_UP, work), peers), 1, lambda text: _say(f"warming up: {text}"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "bench/run.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "workloads",
        nargs="*",
        metavar="WORKLOAD",
        help=f"{', '.join(WORKLOADS)}; W3 includes its variants",
    )
    add("--repeat", type=_rounds, default=5, metavar="N", help="rounds (default 5); the median is reported")
    add("--full", action="store_true", help="also run peers that take minutes or more than 20 GB, once each")
    add("--peers", type=_peers, default=list(PEERS), metavar="A,B", help=f"only these of {', '.join(PEERS)}")
    add("--scale", type=float, default=1, metavar="X", help="the share of topics and runs to use (default 1)")
    add("--work", type=Path, default=HERE / "work", metavar="DIR", help="the directory for simulated data")
    add("--markdown", action="store_true", help="print Markdown")
    add("--json", type=Path, metavar="FILE", help="write every measurement to this file")
    add("--write", action="store_true", help=f"also write the report to {RESULTS.name}")
    return parser


def _peers(text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"no peer is called {name!r}; there are {', '.join(PEERS)}")
    return names


def _rounds(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return int(text)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
