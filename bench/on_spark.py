"""Spark's plans compared with the local engine, on the rows of W4 as Parquet files: python bench/on_spark.py

The rows lie topic after topic, or in random order over all files. Each engine or plan is a process of its
own, on one core and then on two. What counts is the evaluation, from the files to the means, after three of
10,000 rows, the last of which is timed as well: it is what any evaluation in a session takes. CPU time is
that of all processes, Java included; on a busy machine it says more than the seconds on the clock.

The plans for DataFrames are tried with a fifth of the rows, in a frame that Spark holds, beside a function
that only counts the rows that it gets (mapInArrow): bringing rows to Python is the least they can take.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from report import facts
from workloads import WORKLOADS, files

MEASURES = "nDCG@10 AP RR P@10 R@1000"
PART = 3_000_000  # rows of a Parquet file
# The share of rows that each is tried with, and the entrant that the others are compared with.
GROUPS = ((1.0, "local", ("local", "files")), (0.2, "count", ("count", "shuffle")))
ENTRANTS = tuple(name for _, _, names in GROUPS for name in names)
LAYOUTS = {"topics": "topic after topic", "random": "random order"}
RESULTS = Path(__file__).parent / "RESULTS-spark.md"
INTRODUCTION = """\
# Results on Spark

Written by `python bench/on_spark.py --write`: Spark's plans, beside the engine of one machine on the same
Parquet files (`files`), or beside a function that only counts the rows of the same DataFrame, which Spark
holds (`shuffle`). CPU is that of all processes; "small" is the CPU time of an evaluation of
10,000 rows just before, which is what starting jobs takes whatever their size. "of the first" is the speed as
a share of that of the entrant above it (`local` or `count`) on as many cores, by the clock and by CPU time.

"""


def tables(run: Path) -> Path:
    """The rows of a TREC file as a directory of Parquet files, created if missing."""
    folder = run.with_suffix("")
    if (folder / "_SUCCESS").exists():
        return folder
    import pyarrow as pa
    from pyarrow import csv, parquet

    folder.mkdir(exist_ok=True)
    names = ["topic", "q0", "doc", "rank", "score", "tag"]
    types = {"topic": pa.string(), "doc": pa.string(), "rank": pa.int64(), "score": pa.float64()}
    reader = csv.open_csv(
        run,
        read_options=csv.ReadOptions(column_names=names, block_size=1 << 25),
        parse_options=csv.ParseOptions(delimiter=" "),
        convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types),
    )
    writer, part, rows = None, 0, 0
    for batch in reader:
        if writer is None:
            writer = parquet.ParquetWriter(
                folder / f"part-{part:05d}.parquet", batch.schema, compression="zstd"
            )
        writer.write_batch(batch)
        rows += len(batch)
        if rows >= PART:
            writer.close()
            writer, part, rows = None, part + 1, 0
    if writer is not None:
        writer.close()
    (folder / "_SUCCESS").touch()
    return folder


def in_random_order(folder: Path) -> Path:
    """The rows of a directory of Parquet files in random order over as many files, created if missing."""
    other = folder.with_name(f"{folder.name}-random")
    if (other / "_SUCCESS").exists():
        return other
    import numpy as np
    from pyarrow import parquet

    other.mkdir(exist_ok=True)
    rows = parquet.read_table(folder)
    order = np.random.default_rng(1).permutation(len(rows))
    for part, begin in enumerate(range(0, len(rows), PART)):
        some = rows.take(order[begin : begin + PART])
        parquet.write_table(
            some, other / f"part-{part:05d}.parquet", compression="zstd", row_group_size=PART // 3
        )
    (other / "_SUCCESS").touch()
    return other


def cpu_seconds() -> float:
    """The CPU time of this process and of all that it started, those included that have ended."""
    fields = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields[int(path.parent.name)] = path.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
    tree, found = {os.getpid()}, 0
    while len(tree) > found:
        found = len(tree)
        tree |= {process for process, of in fields.items() if int(of[1]) in tree}
    ticks = sum(int(ticks) for process in tree if process in fields for ticks in fields[process][11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


class Timed:
    """Seconds on the clock and of the processors since it was made."""

    def __init__(self) -> None:
        self._start, self._cpu = time.perf_counter(), cpu_seconds()

    def taken(self, name: str) -> dict[str, float]:
        """Both, under this name."""
        return {name: time.perf_counter() - self._start, f"{name} cpu": cpu_seconds() - self._cpu}


def local(qrels: str, run: str, cores: int) -> dict[str, object]:
    import rankgauge

    timed = Timed()
    scores = rankgauge.evaluate(qrels, run, MEASURES, threads=cores)
    return {**timed.taken("seconds"), "means": next(iter(scores.mean().values()))}


def spark(qrels: str, run: str, cores: int, plan: str) -> dict[str, object]:
    import rankgauge
    import rankgauge.extensions.devices.spark
    from rankgauge.extensions.devices.spark.library import session

    timed = Timed()
    spark_session = session(f"local[{cores}]")
    result = timed.taken("start")
    judgments = rankgauge.Qrels.read(qrels)

    def frame_of(path: str) -> object:
        frame = spark_session.read.parquet(path)
        if plan != "files":
            frame = frame.select("topic", "doc", "score").persist()
            counted(frame)
        return frame

    few, frame = frame_of(small(run)), frame_of(run)
    for _ in range(3):  # the first compiles
        timed = Timed()
        evaluated = "shuffle" if plan == "count" else plan
        rankgauge.spark.evaluate(judgments, few, MEASURES, plan=evaluated).scores()
        result |= timed.taken("small")
    timed = Timed()
    if plan == "count":
        counted(frame)
        return {**result, **timed.taken("seconds"), "means": {}}
    scores = rankgauge.spark.evaluate(judgments, frame, MEASURES, plan=plan).scores()
    result |= timed.taken("seconds")
    assert scores.provenance.plan == plan
    spark_session.stop()
    return {**result, "means": next(iter(scores.mean().values()))}


def small(run: str) -> str:
    """The first 10,000 rows of a directory of Parquet files in a directory beside it, created if missing."""
    import pyarrow as pa
    from pyarrow import parquet

    folder = Path(f"{run}-small")
    folder.mkdir(exist_ok=True)
    if not (folder / "part.parquet").exists():
        first = min(Path(run).glob("*.parquet"))
        rows = next(parquet.ParquetFile(first).iter_batches(10_000))
        parquet.write_table(pa.Table.from_batches([rows]), folder / "part.parquet", row_group_size=3_000)
    return str(folder)


def counted(frame: object) -> int:
    """The number of rows that reach Python."""

    def count(batches: object) -> object:
        import pyarrow as pa

        for batch in batches:
            yield pa.RecordBatch.from_pydict({"rows": [len(batch)]})

    return sum(row["rows"] for row in frame.mapInArrow(count, "rows bigint").collect())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="the share of rows to use, for a smoke test")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--write", action="store_true", help=f"also write the report to {RESULTS.name}")
    parser.add_argument("--work", type=Path, default=Path(__file__).parent / "work")
    parser.add_argument(
        "--engine", nargs=4, metavar=("NAME", "QRELS", "RUN", "CORES"), help=argparse.SUPPRESS
    )
    parser.add_argument("--only", nargs="+", choices=ENTRANTS, default=ENTRANTS, help="engines and plans")
    args = parser.parse_args()
    if args.engine:
        name, qrels, run, cores = args.engine
        given = qrels, run, int(cores)
        print(json.dumps(local(*given) if name == "local" else spark(*given, name)))
        return 0
    report: list[str] = []

    def say(line: str) -> None:
        print(line, flush=True)
        report.append(line)

    for fact in facts(("pyspark", "pyarrow")):
        say(f"- {fact}")
    headers = ("rows", "order", "plan", "cores", "seconds", "CPU", "small")
    headers += ("of the first, by the clock", "by CPU")
    say(f"\n| {' | '.join(headers)} |\n{'|---' * len(headers)}|")
    same = True
    for share, first, group in GROUPS:
        workload = WORKLOADS["W4"].scaled(args.scale * share)
        paths = files(workload, args.work)
        by_topic = tables(paths.runs[0])
        folders = {"topics": by_topic, "random": in_random_order(by_topic)}
        means = []
        for layout, cores in itertools.product(LAYOUTS, args.cores):
            best = {}
            for name in (name for name in group if name in args.only):
                words = [name, str(paths.qrels), str(folders[layout]), str(cores)]
                command = [sys.executable, __file__, "--engine", *words]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                result = json.loads(done.stdout.splitlines()[-1])
                best = result if name == first else best
                numbers = [result["seconds"], result["seconds cpu"], result.get("small cpu", 0.0)]
                if best:
                    numbers += [best["seconds"] / numbers[0], best["seconds cpu"] / numbers[1]]
                place = f"{workload.rows:,} | {LAYOUTS[layout]} | {name} | {cores}"
                say(f"| {place} | {' | '.join(f'{number:.2f}' for number in numbers)} |")
                means += [result["means"]] if result["means"] else []
        same &= all(mean == means[0] for mean in means)
    say(f"\nThe means are {'the same to the last digit' if same else 'DIFFERENT'}.")
    if args.write:
        RESULTS.write_text(INTRODUCTION + "\n".join(report) + "\n", encoding="utf-8")
    return not same


if __name__ == "__main__":
    sys.exit(main())
