"""A campaign of awkward cases on which engines must agree; also the program of a driver."""

import json
import os
import random
import sys
import time
from pathlib import Path

MEASURES = "AP nDCG@10 P@5 RR ERR bpref RBP(p=0.5) R(average=micro)@3 Q(beta=2)"
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


def slow_measure(wait):
    """Define a measure as a script does, in which every task waits."""
    from rankgauge import measure

    @measure(
        "Slow",
        title="None",
        formula="Slow = 0",
        cite="",
        example="Slow",
        bounds=(0, 1),
    )
    def slow(j):
        """0, after a while."""
        wait()
        return 0.0 * j.retrieved

    return "Slow"


def main(master, folder, plan):
    """Evaluate the campaign at a master, slowly, and print the values; each task leaves a file."""
    from pyspark.sql import SparkSession

    import rankgauge.extensions.devices.spark

    def wait():
        from pyspark import TaskContext

        task = TaskContext.get()
        if task is None:  # topics without results are evaluated by the driver
            return
        (Path(folder) / f"{task.stageId()}.{task.partitionId()}-{task.taskAttemptId()}").touch()
        time.sleep(0.3)

    def slowly(batches):
        for batch in batches:
            wait()
            yield batch

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
    if plan == "files":
        runs = spark.read.parquet(files_of_topics(rows(results), Path(f"{folder}-runs")))
        measures, options = f"{MEASURES} {slow_measure(wait)}", {"partitions": 100}  # a task for each file
    else:
        runs = spark.createDataFrame(rows(results), SCHEMA).repartition(TASKS).mapInArrow(slowly, SCHEMA)
        qrels, measures, options = spark.createDataFrame(judgments(qrels), JUDGED), MEASURES, {}
    found = rankgauge.spark.evaluate(qrels, runs, measures, plan=plan, **options)
    assert found.provenance.plan == plan
    values = found.scores().to_dict()
    print(json.dumps({run: {m: v for m, v in of.items() if m != "Slow"} for run, of in values.items()}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
