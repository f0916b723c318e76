"""Spark compared with the local engine, on the rows of W4 as Parquet files: python bench/on_spark.py

Each engine is a process of its own, on one core and then on two. What counts is the evaluation, from the
files to the means; the start of the session, and the first job, which compiles, are timed separately.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from report import facts
from workloads import WORKLOADS, files

MEASURES = "nDCG@10 AP RR P@10 R@1000"
PART = 3_000_000  # rows of a Parquet file
RESULTS = Path(__file__).parent / "RESULTS-spark.md"
INTRODUCTION = """\
# Results on Spark

Written by `python bench/on_spark.py --write`: Spark and the engine of one machine, on the same Parquet files.

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


def local(qrels: str, run: str, cores: int) -> dict[str, object]:
    import rankgauge

    start = time.perf_counter()
    scores = rankgauge.evaluate(qrels, run, MEASURES, threads=cores)
    return {"seconds": time.perf_counter() - start, "means": next(iter(scores.mean().values()))}


def spark(qrels: str, run: str, cores: int) -> dict[str, object]:
    import rankgauge
    import rankgauge.engines.spark
    from rankgauge.engines.spark.library import session

    start = time.perf_counter()
    spark_session = session(f"local[{cores}]")
    started = time.perf_counter()
    judgments = rankgauge.Qrels.read(qrels)
    first = spark_session.read.parquet(run).limit(10_000)
    rankgauge.spark.evaluate(judgments, first, MEASURES).scores()
    warm = time.perf_counter()
    scores = rankgauge.spark.evaluate(judgments, spark_session.read.parquet(run), MEASURES).scores()
    end = time.perf_counter()
    spark_session.stop()
    means = next(iter(scores.mean().values()))
    return {"seconds": end - warm, "start": started - start, "first job": warm - started, "means": means}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="the share of rows to use, for a smoke test")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--write", action="store_true", help=f"also write the report to {RESULTS.name}")
    parser.add_argument("--work", type=Path, default=Path(__file__).parent / "work")
    parser.add_argument(
        "--engine", nargs=4, metavar=("NAME", "QRELS", "RUN", "CORES"), help=argparse.SUPPRESS
    )
    args = parser.parse_args()
    if args.engine:
        name, qrels, run, cores = args.engine
        print(json.dumps({"local": local, "spark": spark}[name](qrels, run, int(cores))))
        return 0
    workload = WORKLOADS["W4"].scaled(args.scale)
    paths = files(workload, args.work)
    run = tables(paths.runs[0])
    report: list[str] = []

    def say(line: str) -> None:
        print(line, flush=True)
        report.append(line)

    for fact in (*facts(("pyspark", "pyarrow")), f"{workload.rows:,} rows, {workload.title}"):
        say(f"- {fact}")
    headers = ("engine", "cores", "seconds", "million rows/s", "of a core", "start", "first job")
    say(f"\n| {' | '.join(headers)} |\n{'|---' * len(headers)}|")
    means = []
    for cores in args.cores:
        for engine in ("local", "spark"):
            command = [sys.executable, __file__, "--engine", engine, str(paths.qrels), str(run), str(cores)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            result = json.loads(done.stdout.splitlines()[-1])
            speed = workload.rows / result["seconds"] / 1e6
            numbers = [result["seconds"], speed, speed / cores, result.get("start"), result.get("first job")]
            cells = [engine, str(cores), *("" if number is None else f"{number:.2f}" for number in numbers)]
            say(f"| {' | '.join(cells)} |")
            means.append(result["means"])
    same = all(mean == means[0] for mean in means)
    say(f"\nThe means are {'the same to the last digit' if same else 'DIFFERENT'}.")
    if args.write:
        RESULTS.write_text(INTRODUCTION + "\n".join(report) + "\n", encoding="utf-8")
    return not same


if __name__ == "__main__":
    sys.exit(main())
