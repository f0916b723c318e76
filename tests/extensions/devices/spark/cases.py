"""A campaign of awkward cases on which engines must agree; also the program of a driver."""

import functools
import json
import os
import random
import sys
import time
from pathlib import Path

MEASURES = "AP nDCG@10 P@5 RR ERR bpref RBP(p=0.5) R(average=micro)@3 Q(beta=2)"
PLANS = ("shuffle", "files")
TASKS = 12  # of the first stage, in a cluster
SCHEMA = "run string, qid string, docno string, score double, rank int"
JUDGED = "qid string, docno string, relevance double"


def campaign(seed=1, topics=12, runs=3, depth=20):
    """(judgments, {run: results}): ties, missing topics, an unjudged topic with the most results."""
    rng = random.Random(seed)
    docs = [f"d{n}" for n in range(2 * depth)]
    qrels = {
        f"t{n}": {d: rng.choice([0, 0, 1, 2, 3, -1]) for d in rng.sample(docs, depth)} for n in range(topics)
    }
    results = {
        f"r{n}": {
            t: {d: round(rng.random(), 1) for d in rng.sample(docs, length)}
            for t, length in [*((t, rng.randint(5, depth)) for t in qrels), ("unjudged", depth + 9)]
            if rng.random() < 0.8
        }
        for n in range(runs)
    }
    return qrels, results


def rows(results, seed=1):
    """The rows of runs, shuffled."""
    found = [
        (run, topic, doc, float(score), rank)
        for run, topics in results.items()
        for topic, docs in topics.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    ]
    random.Random(seed).shuffle(found)
    return found


def judgments(qrels):
    return [(topic, doc, float(grade)) for topic, docs in qrels.items() for doc, grade in docs.items()]


def columns_of(rows, schema=SCHEMA):
    """{name: column} of rows."""
    names = [field.split()[0] for field in schema.split(", ")]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def table_of(rows):
    """The rows of runs as a table."""
    import pyarrow as pa

    return pa.table(columns_of(rows))


def files_of_topics(rows, folder):
    """A directory with a Parquet file for each topic."""
    from pyarrow import parquet

    folder.mkdir()
    for topic in {row[1] for row in rows}:
        parquet.write_table(table_of([row for row in rows if row[1] == topic]), folder / f"{topic}.parquet")
    return str(folder)


def waiting_measure(wait):
    """Define a measure as a script does, in which every task waits."""
    from rankgauge import measure

    @measure(
        "Waiting",
        title="None",
        formula="Waiting = 0",
        cite="",
        example="Waiting",
        bounds=(0, 1),
    )
    def waiting(j):
        """0, after a while."""
        wait()
        return 0.0 * j.retrieved

    return "Waiting"


class Gate:
    """A folder where tasks of a plan announce themselves, and wait until they, or all, are let through.

    The name of a task is `stage.partition-attempt`; its file has the session of its process, which is the
    worker's. All other files are permissions.
    """

    ALL = "open"

    def __init__(self, folder, plan):
        self.folder = Path(folder) / plan
        self.folder.mkdir(exist_ok=True)

    def wait(self):
        """What a task calls."""
        from pyspark import TaskContext

        task = TaskContext.get()
        if task is None:  # topics without results are evaluated by the driver
            return
        name = f"{task.stageId()}.{task.partitionId()}-{task.taskAttemptId()}"
        written = self.folder / f"writing {name}"
        written.write_text(str(os.getsid(0)))
        written.rename(self.folder / name)
        while not any((self.folder / permission).exists() for permission in (self.ALL, f"let {name}")):
            time.sleep(0.02)

    def let(self, name=None):
        """Let a task through, or from now on all."""
        (self.folder / (f"let {name}" if name else self.ALL)).touch()

    def tasks(self, worker=None):
        """The names of the tasks that have come, of all workers or of one."""
        files = [path for path in self.folder.iterdir() if path.name[0].isdigit()]
        return {path.name for path in files if worker is None or path.read_text() == str(worker.pid)}


def main(master, folder):
    """Evaluate the campaign at a master by each plan, whose tasks wait at its gate; print the values."""
    from pyspark.sql import SparkSession

    import rankgauge.extensions.devices.spark

    spark = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", "512m")
        .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "6")
        .config("spark.sql.adaptive.coalescePartitions.enabled", "false")  # or all is over in one task
        .getOrCreate()
    )
    qrels, results = campaign()
    for plan in PLANS:
        wait = Gate(folder, plan).wait
        if plan == "files":
            runs = spark.read.parquet(files_of_topics(rows(results), Path(folder) / "runs"))
            # A task for each file
            found = rankgauge.spark.evaluate(
                qrels, runs, f"{MEASURES} {waiting_measure(wait)}", plan=plan, partitions=100
            )
        else:
            runs = spark.createDataFrame(rows(results), SCHEMA).repartition(TASKS)
            runs = runs.mapInArrow(functools.partial(pass_on, wait), SCHEMA)
            judged = spark.createDataFrame(judgments(qrels), JUDGED)
            found = rankgauge.spark.evaluate(judged, runs, MEASURES, plan=plan)
        assert found.provenance.plan == plan
        values = found.scores().to_dict()
        print(
            json.dumps({run: {m: v for m, v in of.items() if m != "Waiting"} for run, of in values.items()})
        )
        found.unpersist()
    spark.stop()


def pass_on(wait, batches):
    """The batches, each after a while."""
    for batch in batches:
        wait()
        yield batch


if __name__ == "__main__":
    main(*sys.argv[1:])
