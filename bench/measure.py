"""Time and peak memory of processes that take turns.

A process counts as its own what its parent held when it was started, so that this one must stay
small: nothing here, or in what starts it, imports NumPy.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import IO, Any

Means = dict[str, float]  # "run measure" -> mean


class Failure(Exception):
    """A process that failed, with the last line of its output."""


@dataclass
class Result:
    """The measurements of an entrant."""

    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    means: Means = field(default_factory=dict)
    failure: str = ""
    busy: list[float] = field(default_factory=list)  # seconds of all processors, of whole processes

    @property
    def median(self) -> float:
        """The median of the seconds."""
        return median(self.seconds)

    @property
    def peak(self) -> float:
        """The peak memory of any of its processes, in MB."""
        return max(self.megabytes)


class Command:
    """A whole process, from its start to its exit; `read` finds the means in its output."""

    def __init__(
        self,
        argv: list[str],
        environment: Mapping[str, str],
        memory: int | None = None,
        read: Callable[[IO[str]], Means] | None = None,
    ) -> None:
        self._argv, self._environment, self._memory = argv, environment, memory
        self._read = read or _means

    def open(self, result: Result) -> None:
        """Nothing to prepare."""

    def turn(self, result: Result) -> None:
        """Run it once more and add the measurement to the result."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            start = time.perf_counter()
            process = subprocess.Popen(self._argv, stdout=out, stderr=err, env=self._environment)
            _limit(process, self._memory)
            megabytes, busy = _wait(process, err)
            seconds = time.perf_counter() - start
            out.seek(0)
            result.means = self._read(out)
        result.seconds.append(seconds)
        result.megabytes.append(megabytes)
        result.busy.append(busy)

    def close(self, result: Result) -> None:
        """Nothing to close."""


class Worker:
    """A process that holds its input and evaluates it at each turn; see memory.py."""

    def __init__(self, argv: list[str], environment: Mapping[str, str], run: str) -> None:
        self._argv, self._environment, self._run = argv, environment, run

    def open(self, result: Result) -> None:
        """Start the process and wait until it is ready, so that it does not disturb others."""
        pipe = subprocess.PIPE
        self._err = tempfile.TemporaryFile("w+")  # noqa: SIM115, closed in `close`
        self._process: Any = subprocess.Popen(
            self._argv, stdin=pipe, stdout=pipe, stderr=self._err, env=self._environment, text=True
        )
        means = json.loads(self._answer())
        result.means = {f"{self._run} {measure}": mean for measure, mean in means.items()}

    def turn(self, result: Result) -> None:
        """Have it evaluate once more and add the measurement to the result."""
        with suppress(BrokenPipeError):  # then there is no reply either
            self._process.stdin.write("again\n")
            self._process.stdin.flush()
        result.seconds.append(float(self._answer()))

    def _answer(self) -> str:
        line = self._process.stdout.readline()
        if not line:
            raise Failure(_last(self._err))
        return str(line)

    def close(self, result: Result) -> None:
        """End the process; its peak memory includes its input."""
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            result.megabytes.append(_wait(self._process, self._err)[0])
        finally:
            self._process.stdout.close()
            self._err.close()


@dataclass(frozen=True)
class Entrant:
    """A participant that takes turns with others."""

    name: str
    runs: Command | Worker
    peer: bool = False
    once: bool = False  # too slow for several rounds


def interleave(entrants: list[Entrant], repeat: int, say: Callable[[str], None]) -> dict[str, Result]:
    """{name: measurements}; every entrant runs once in each round, until it fails."""
    results = {entrant.name: Result() for entrant in entrants}

    def attempt(entrant: Entrant, step: Callable[[Result], None]) -> None:
        try:
            step(results[entrant.name])
        except Failure as failure:
            results[entrant.name].failure = results[entrant.name].failure or str(failure)
            say(f"{entrant.name} failed: {failure}")

    try:
        for entrant in entrants:
            attempt(entrant, entrant.runs.open)
        for number in range(repeat):
            for entrant in entrants:
                result = results[entrant.name]
                if not result.failure and not (number and entrant.once):
                    attempt(entrant, entrant.runs.turn)
                if len(result.seconds) > number:
                    say(f"round {number + 1}: {entrant.name} {result.seconds[-1]:.4f} s")
    finally:
        for entrant in entrants:
            attempt(entrant, entrant.runs.close)
    return results


def _wait(process: subprocess.Popen[Any], err: IO[str]) -> tuple[float, float]:
    """(the peak memory of a process in MB, the seconds of its processors), after it has ended."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Failure(f"exit code {process.returncode}: {_last(err)}")
    megabytes = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return megabytes, usage.ru_utime + usage.ru_stime


def _limit(process: subprocess.Popen[Any], memory: int | None) -> None:
    """Limit the memory of a process, so that it fails before the machine does."""
    if memory is not None and hasattr(resource, "prlimit"):
        resource.prlimit(process.pid, resource.RLIMIT_AS, (memory, memory))


def available_memory() -> int | None:
    """Nine tenths of the free memory in bytes; None if the system does not report it."""
    try:
        facts = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        return int(facts["MemAvailable"].split()[0]) * 1024 * 9 // 10
    except (OSError, KeyError):
        return None


def _means(lines: IO[str]) -> Means:
    """The means from lines of run, topic, measure and value."""
    means = {}
    for line in lines:
        run, topic, measure, value = line.rstrip("\n").split("\t")
        if topic == "all":
            means[f"{run} {measure}"] = float(value)
    return means


def _last(err: IO[str]) -> str:
    """The last line that a process wrote to its standard error."""
    err.seek(0)
    return ([line.strip() for line in err if line.strip()] or ["no message"])[-1]
