"""The report: the machine, one table of times, ratios and memory, agreement and goals."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from entrants import environment
from goals import verdicts
from measure import Result
from outcomes import Outcome
from peers import PACKAGES
from workloads import COMMAND

# The first ratios are by time; "by CPU" is that of processors, against the fastest peer.
HEADER = (
    *("workload", "", "median", "range", "runs"),
    *("× pytrec_eval", "× fastest peer", "× by CPU", "peak MB"),
)
TEXT_COLUMNS = 2  # the first columns hold text, the others numbers
LIBRARIES = ("numpy", *PACKAGES.values(), "pandas", "polars")


def facts(libraries: Sequence[str] = LIBRARIES) -> list[str]:
    """Lines with the date, the machine and the versions."""
    load = ", ".join(f"{mean:.2f}" for mean in os.getloadavg())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    ours = subprocess.run(
        [*COMMAND, "--version"], env=environment(), capture_output=True, text=True, check=True
    ).stdout.strip()
    return [
        f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC",
        f"{_processor()}, {cores} cores, {memory:.0f} GB, {platform.platform()}; load before: {load}",
        ours,
        ", ".join(f"{name} {_version(name)}" for name in libraries),
    ]


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def report(outcomes: list[Outcome], machine: list[str], notes: list[str], *, markdown: bool) -> str:
    """The report, as text for a terminal or as Markdown."""
    rows = [row for outcome in outcomes for row in _rows(outcome)]
    agreed = [outcome.agreement()[1] for outcome in outcomes]
    failed = [
        f"{outcome.workload.name}: {name} failed: {result.failure}"
        for outcome in outcomes
        for name, result in outcome.results.items()
        if result.failure
    ]
    left_out = [
        f"{outcome.workload.name}: {' and '.join(outcome.left_out)} only with --full"
        for outcome in outcomes
        if outcome.left_out
    ]
    parts = [
        _list(machine, markdown),
        _list([f"{o.workload.name}: {o.workload.title} ({o.megabytes:,.1f} MB)" for o in outcomes], markdown),
        _table(rows, markdown),
        _titled("Agreement", agreed, markdown),
        _titled("Goals", verdicts(outcomes) if all(o.workload.full_size for o in outcomes) else [], markdown),
        _titled("Notes", failed + left_out + notes, markdown),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _rows(outcome: Outcome) -> list[tuple[str, ...]]:
    rows = []
    for name, result in outcome.results.items():
        workload = "" if rows else outcome.workload.name
        if result.failure or not result.seconds:
            rows.append((workload, name, "failed", *[""] * (len(HEADER) - 3)))
            continue
        ratios = [
            _ratio(times(name, other)) if name in outcome.peers or "rankgauge" in name else ""
            for times, other in (
                (outcome.times_faster, outcome.pytrec_eval),
                (outcome.times_faster, outcome.fastest_peer),
                (outcome.times_less_busy, outcome.fastest_peer),
            )
        ]
        count = str(len(result.seconds))
        rows.append(
            (workload, name, _time(result.median), _range(result), count, *ratios, f"{result.peak:,.0f}")
        )
    return rows


def _time(seconds: float) -> str:
    if seconds < 1:
        return f"{1000 * seconds:#.3g}".rstrip(".") + " ms"
    return (f"{seconds:#.3g}".rstrip(".") if seconds < 1000 else f"{seconds:,.0f}") + " s"


def _range(result: Result) -> str:
    low, high = min(result.seconds), max(result.seconds)
    return f"{_time(low)} – {_time(high)}" if len(result.seconds) > 1 else ""


def _ratio(times: float | None) -> str:
    return "" if times is None else f"{times:.2f}" if times < 10 else f"{times:.1f}"


def _table(rows: Sequence[Sequence[str]], markdown: bool) -> str:
    widths = [max(map(len, column)) for column in zip(HEADER, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        words = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)][:TEXT_COLUMNS]
        numbers = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)][TEXT_COLUMNS:]
        return f"| {' | '.join(words + numbers)} |" if markdown else "  ".join(words + numbers).rstrip()

    rule = ["-" * width for width in widths]
    if markdown:
        rule[TEXT_COLUMNS:] = [dashes[:-1] + ":" for dashes in rule[TEXT_COLUMNS:]]
    return "\n".join([line(HEADER), line(rule), *map(line, rows)])


def _list(lines: list[str], markdown: bool) -> str:
    return "\n".join(f"- {line}" if markdown else line for line in lines)


def _titled(title: str, lines: list[str], markdown: bool) -> str:
    heading = f"## {title}\n" if markdown else f"{title}:"
    return f"{heading}\n{_list(lines, markdown)}" if lines else ""
