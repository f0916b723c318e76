"""Each plan in a Spark session on this machine: the values, notes and errors of one machine."""

import numpy as np
import pytest

from extensions.devices.spark import cases
from extensions.devices.spark.cases import table_of
from rankgauge import Run, evaluate
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.source import run_name

pytest.importorskip("pyspark")
from pyarrow import parquet

import rankgauge.extensions.devices.spark as on_spark
from rankgauge.extensions.devices.spark import result

QRELS, RESULTS = cases.campaign(seed=2)
MEASURES = "AP nDCG@10 P@5"
NAMES = ("run", "qid", "docno", "score", "rank")
ROWS = sorted(cases.rows(RESULTS), key=lambda row: row[1])


def write(folder, rows, parts=3, **options):
    """Rows in files, cut wherever they are; one file is empty."""
    folder.mkdir(exist_ok=True)
    size = -(-len(rows) // parts)
    for number in range(parts):
        some = table_of(rows[number * size : (number + 1) * size])
        parquet.write_table(some, folder / f"part-{number}.parquet", row_group_size=50, **options)
    parquet.write_table(table_of(rows).slice(0, 0), folder / "part-9.parquet")
    return str(folder)


def agrees(found, expected, plan):
    assert found.provenance.plan == plan
    scores = found.scores()
    assert (scores.runs, scores.topics) == (expected.runs, expected.topics)
    assert np.array_equal(scores.values, expected.values, equal_nan=True)
    assert found.notes == expected.notes
    found.unpersist()


def test_every_plan_gives_the_values_of_one_machine(spark, tmp_path):
    path, expected = write(tmp_path / "runs", ROWS), evaluate(QRELS, RESULTS, MEASURES)
    scanned, columns = spark.read.parquet(path), {"tag": "run"}
    found = on_spark.evaluate(QRELS, path, MEASURES, run_columns=columns, partitions=4)
    agrees(found, expected, "files")  # topics are cut by parts
    agrees(on_spark.evaluate(QRELS, scanned, MEASURES, partitions=1), expected, "files")  # none is
    agrees(on_spark.evaluate(QRELS, scanned, MEASURES, plan="shuffle"), expected, "shuffle")
    held = scanned.repartition(3).persist()
    agrees(on_spark.evaluate(QRELS, held, MEASURES), expected, "shuffle")
    held.unpersist()


def test_many_scores_stay_in_spark(spark, tmp_path, monkeypatch):
    path, near = write(tmp_path / "runs", ROWS), on_spark.evaluate(QRELS, in_slices(spark, ROWS), MEASURES)
    means, values = sorted(near.mean().collect()), sorted(near.frame.collect(), key=str)
    monkeypatch.setattr(result, "FEW", 0)
    for parts in (1, 4):
        found = on_spark.evaluate(QRELS, path, MEASURES, run_columns={"tag": "run"}, partitions=parts)
        assert sorted(found.mean().collect()) == means
        assert sorted(found.frame.collect(), key=str) == values
        agrees(found, evaluate(QRELS, RESULTS, MEASURES), "files")


def in_slices(spark, rows, slices=3):
    """A frame of rows in partitions, cut wherever they are."""
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, slices), cases.SCHEMA)


def test_paths_are_runs(spark, tmp_path):
    Run.from_dict(RESULTS["r0"], "r0").write(tmp_path / "r0.run")
    Run.from_dict(RESULTS["r1"], "r1").write(tmp_path / "r1.run.gz")
    Run.from_dict(RESULTS["r2"], "r2").write(tmp_path / "r2.arrow")
    paths = [tmp_path / "r0.run", str(tmp_path / "r1.run.gz"), str(tmp_path / "r2.arrow")]
    expected = evaluate(QRELS, RESULTS, "AP Twist")  # which needs the length of the longest list
    found = on_spark.evaluate(QRELS, paths, "AP Twist")
    assert found.provenance.plan == "files"
    assert np.array_equal(found.scores().values, expected.values, equal_nan=True)
    assert found.provenance.runs["r1"].source == paths[1]
    found = on_spark.evaluate(QRELS, paths, "AP Twist", plan="shuffle")
    assert np.array_equal(found.scores().values, expected.values, equal_nan=True)


def error_of(qrels, path, plan, columns=(("tag", "run"),), **options):
    with pytest.raises(InputError) as error:
        on_spark.evaluate(qrels, path, "AP", plan=plan, run_columns=columns and dict(columns), **options)
    return str(error.value)


def test_errors_are_the_same_by_every_plan(spark, tmp_path):
    again = next((*row[:3], 9.0, 9) for row in ROWS if row[:2] == ("r0", ROWS[0][1]))
    twice = write(tmp_path / "twice", [*ROWS, again])
    null = write(tmp_path / "null", [*ROWS, ("r0", None, "x", 1.0, 1)])
    (tmp_path / "bad.run").write_text("t1 Q0 a 1 2.5 x\nt1 Q0 b\n")
    (tmp_path / "worse.run").write_text("t1 Q0 a 1 nan x\n")
    for given, message in (
        (twice, 'run "r0": document "'),
        (null, 'run "r0", document "x": the topic is null; fill it or leave the row out'),
        ([str(tmp_path / f"{name}.run") for name in ("worse", "bad")], "expected 6 columns, found 3"),
    ):
        columns = None if isinstance(given, list) else {"tag": "run"}
        found = {error_of(QRELS, given, plan, columns) for plan in ("files", "shuffle")}
        assert len(found) == 1
        assert message in found.pop()
    frame = in_slices(spark, [*ROWS, again])
    assert error_of(QRELS, frame, "shuffle") == error_of(QRELS, twice, "files", partitions=4)
    empty = in_slices(spark, ROWS).where("score > 1e9").persist()
    messages = {error_of(QRELS, empty, plan) for plan in ("auto", "shuffle")}
    assert messages == {"the input has no rows; a run must have at least one"}


def test_what_tasks_cannot_read_is_read_by_spark(spark, tmp_path):
    path, expected = write(tmp_path / "runs", ROWS), evaluate(QRELS, RESULTS, MEASURES)
    decimals = spark.read.parquet(path).selectExpr("run", "qid", "docno", "cast(score as decimal(9,2)) score")
    decimals.write.parquet(str(tmp_path / "decimals"))
    frame = spark.read.parquet(str(tmp_path / "decimals"))
    agrees(on_spark.evaluate(QRELS, frame, MEASURES), expected, "shuffle")
    with pytest.raises(OptionError, match=r"^plan=files cannot be used: the column 'score' holds decimal"):
        on_spark.evaluate(QRELS, frame, MEASURES, plan="files")
    with pytest.raises(OptionError, match=r"^plan=files cannot be used: the runs are a DataFrame"):
        on_spark.evaluate(QRELS, frame.where("score > 0"), MEASURES, plan="files")
    with pytest.raises(OptionError, match="plan must be one of auto, files, shuffle"):
        on_spark.evaluate(QRELS, frame, MEASURES, plan="fast")
    judgments = spark.createDataFrame(cases.judgments(QRELS), cases.JUDGED)
    with pytest.raises(OptionError, match="plan=files is for judgments that every worker gets"):
        on_spark.evaluate(judgments, frame, MEASURES, plan="files", join="copartition")


def test_the_runs_of_a_partitioned_table_have_the_names_that_spark_gives_them(spark, tmp_path):
    names = ["a=b", "g/h", "e%3Df", "50%", "x: y", "ü", "run=z"]
    rows = [(name, *row[1:]) for name in names for row in ROWS if row[0] == "r0"]
    frame = spark.createDataFrame(rows, list(NAMES))
    path = tmp_path / "run=old" / "table"  # whose own name is that of no run
    frame.write.partitionBy("run").parquet(str(path))
    expected = on_spark.evaluate(QRELS, frame, "AP").scores()
    assert sorted(expected.runs) == sorted(names)
    for given in (spark.read.parquet(str(path)), str(path)):
        agrees(on_spark.evaluate(QRELS, given, "AP"), expected, "files")
    flat = write(tmp_path / "run=old" / "flat", ROWS)
    agrees(on_spark.evaluate(QRELS, spark.read.parquet(flat), "AP"), evaluate(QRELS, RESULTS, "AP"), "files")


def test_a_frame_that_spark_holds_is_not_read_from_its_files_again(spark, tmp_path):
    path = write(tmp_path / "runs", ROWS)
    frame = spark.read.parquet(path).persist()
    frame.count()
    for file in (tmp_path / "runs").iterdir():
        file.unlink()
    found = on_spark.evaluate(QRELS, frame, MEASURES)
    assert found.provenance.plan != "files"
    expected = evaluate(QRELS, RESULTS, MEASURES)
    assert np.array_equal(found.scores().values, expected.values, equal_nan=True)
    frame.unpersist()


def test_files_with_any_name_are_read_by_tasks(spark, tmp_path):
    for name in ("ü.run", "a b%20c.run", "x#y.run.gz"):
        Run.from_dict(RESULTS["r0"], "r0").write(tmp_path / name)
        expected = evaluate(QRELS, {run_name(name): RESULTS["r0"]}, "AP")
        agrees(on_spark.evaluate(QRELS, str(tmp_path / name), "AP"), expected, "files")


def test_a_damaged_file_is_named(spark, tmp_path):
    path = tmp_path / "run.parquet"
    parquet.write_table(table_of(ROWS), path, compression="none", use_dictionary=["qid", "run"])
    column = next(
        column
        for column in map(parquet.read_metadata(path).row_group(0).column, range(len(NAMES)))
        if column.path_in_schema == "docno"
    )
    data = bytearray(path.read_bytes())
    data[column.data_page_offset : column.data_page_offset + 40] = b"\xff" * 40
    path.write_bytes(data)
    message = error_of(QRELS, str(path), "files")
    assert "run.parquet: " in message
    assert "Unreadable" not in message
