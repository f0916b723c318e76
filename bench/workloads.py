"""The workloads and their files, which are simulated once."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from rankgauge.schema.text import nearest

# What the console script does, wherever it is installed.
COMMAND = (sys.executable, "-c", "import sys; from rankgauge.cli.main import console; sys.exit(console())")
MIN_TOPICS = 3  # at any scale


@dataclass(frozen=True)
class Workload:
    """A campaign to evaluate, from its files or from memory."""

    name: str
    title: str
    topics: int
    runs: int = 1
    depth: int = 1000
    judged: float = 1.1
    grades: int = 1
    subtopics: int = 0  # the maximum per topic; if not 0, judgments are by subtopic
    shuffle: str = "none"
    in_memory: bool = False
    parquet: bool = False  # in a Parquet file instead of text
    calls: bool = False  # pytrec_eval's call, which rankgauge.compat.pytrec_eval has as well
    measures: str = "five"  # a set of measures in peers.py
    heavy: bool = False  # minutes, or more than 20 GB, for most peers
    full_size: bool = True

    @property
    def rows(self) -> int:
        """The number of results in all runs."""
        return self.topics * self.runs * self.depth

    def scaled(self, scale: float) -> Workload:
        """The same workload with fewer topics and runs."""
        if scale == 1:
            return self
        topics = max(min(self.topics, MIN_TOPICS), round(self.topics * scale))
        runs = max(min(self.runs, 2), round(self.runs * scale))
        title = f"{self.title}, cut to {runs} × {topics} topics"
        return replace(self, title=title, topics=topics, runs=runs, full_size=False)

    def simulated(self, directory: Path) -> list[str]:
        """The command that simulates the files; without ties, which peers order differently."""
        sizes = {"topics": self.topics, "depth": self.depth, "systems": self.runs, "judged": self.judged}
        sizes |= {"grades": self.grades, "ties": 0, "shuffle": self.shuffle}
        sizes |= {"subtopics": self.subtopics} if self.subtopics else {}
        options = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
        return [*COMMAND, "simulate", str(directory), *options, "--force"]


_FEW = Workload("W5-few", "in memory, 1000 topics × 1000, 1.1 judgments a topic", 1000, in_memory=True)
_MANY = Workload(
    "W5-many",
    "in memory, 1000 topics × 1000, 1000 judgments a topic",
    1000,
    judged=1000,
    grades=3,
    in_memory=True,
)
_W2 = Workload("W2", "100 runs × 50 topics × 1000", 50, runs=100, judged=200, grades=3)
_W3 = Workload("W3", "6980 topics × 1000, 1.1 judgments a topic", 6980)

_CALLS = [
    Workload(
        f"W7-{topics}{suffix}",
        f"pytrec_eval's call on a dict, {topics} × {depth}, {title}",
        topics,
        depth=depth,
        judged=judged,
        grades=grades,
        in_memory=True,
        calls=True,
        measures=measures,
    )
    for topics, depth, judged, grades in ((1, 10, 5, 3), (50, 1000, 200, 3), (6980, 1000, 1.1, 1))
    for suffix, title, measures in (("", "ndcg_cut_10", "one"), ("-official", "official", "official"))
]

WARM_UP = Workload("W0", "3 topics × 20", 3, depth=20)
WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("W1", "one run, 50 topics × 1000, start-up included", 50, judged=200, grades=3),
        _W2,
        replace(_W2, name="W2-table", title="W2, all that trec_eval prints", measures="table"),
        _W3,
        replace(_W3, name="W3-lines", title="W3, lines in random order within topics", shuffle="lines"),
        replace(
            _W3,
            name="W3-topics",
            title="W3, topics interleaved over the whole file",
            shuffle="topics",
            heavy=True,  # for the pure core
        ),
        Workload("W4", "50,000 topics × 1000: 50 million rows", 50_000, heavy=True),
        _FEW,
        replace(_FEW, name="W5-few-random", title="W5-few, documents in random order", shuffle="lines"),
        _MANY,
        replace(_MANY, name="W5-many-random", title="W5-many, documents in random order", shuffle="lines"),
        replace(_W2, name="W6", title="W2, alpha-nDCG@20, ten subtopics", subtopics=10, measures="novelty"),
        *_CALLS,
        Workload("W8", "10,000 topics × 1000 in a Parquet file, topic after topic", 10_000, parquet=True),
    )
}


def chosen(names: list[str]) -> list[Workload]:
    """The workloads of these names with their variants, such as W3-lines for W3; by default all."""
    selected: dict[str, Workload] = {}
    for name in names or list(WORKLOADS):
        variants = {n: w for n, w in WORKLOADS.items() if n == name or n.startswith(f"{name}-")}
        if not variants:
            known = ", ".join(WORKLOADS)
            raise ValueError(f"no workload named {name!r}{nearest(name, WORKLOADS)}; there are {known}")
        selected |= variants
    return list(selected.values())


@dataclass(frozen=True)
class Files:
    """The files of a workload."""

    qrels: Path
    runs: list[Path]

    @property
    def megabytes(self) -> float:
        """The size of the runs in MB."""
        return sum(path.stat().st_size for path in self.runs) / 1e6


def files(workload: Workload, directory: Path) -> Files:
    """The files of the workload in the directory, simulated if missing."""
    place = directory / f"{workload.name}-{workload.rows}"
    record = place / "made.json"
    command = workload.simulated(place)[1:]
    if not record.exists() or json.loads(record.read_text()) != command:
        start = time.perf_counter()
        _say(f"{workload.name}: making {workload.rows:,} rows in {place}")
        # In a separate process: memory of this one would count as memory of the processes it starts.
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
        for run in _runs(place, "run") if workload.parquet else ():
            convert = [*COMMAND, "convert", str(run), str(run.with_suffix(".parquet"))]
            subprocess.run(convert, check=True, stdout=subprocess.DEVNULL)
        record.write_text(json.dumps(command))
        made = _made(workload, place)
        _say(f"{workload.name}: made {made.megabytes:,.1f} MB in {time.perf_counter() - start:.1f} s")
    return _made(workload, place)


def _made(workload: Workload, place: Path) -> Files:
    qrels = "qrels.diversity.txt" if workload.subtopics else "qrels.txt"
    return Files(place / qrels, _runs(place, "parquet" if workload.parquet else "run"))


def _runs(place: Path, extension: str) -> list[Path]:
    return sorted(place.glob(f"runs/*.{extension}"))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
