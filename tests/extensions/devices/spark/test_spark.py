"""Evaluation in a Spark session on this machine: the same values, the same errors."""

import json
import os
import subprocess
import sys
import zlib

import numpy as np
import pytest

import pages
from extensions.devices.spark import cases
from rankgauge import Run, evaluate
from rankgauge.cli.main import main
from rankgauge.errors import InputError, NoCommonTopic, OptionError
from rankgauge.model.provenance import OtherReading

pytest.importorskip("pyspark")
import rankgauge.extensions.devices.spark as on_spark
from rankgauge.extensions.devices.spark import library, result

QRELS, RESULTS = cases.campaign()
MEASURES = f"{cases.MEASURES} Twist"  # which looks at how long all lists are


@pytest.fixture(scope="module")
def frames(spark):
    """(runs, judgments) as frames in arbitrary partitions."""
    runs = spark.createDataFrame(cases.rows(RESULTS), cases.SCHEMA).repartition(5)
    return runs, spark.createDataFrame(cases.judgments(QRELS), cases.JUDGED).repartition(2)


AGAIN = ("t1", next(iter(QRELS["t1"])), -7.0)  # judged for the second time, by a grade of its own


def without_other_readings(scores):
    """The scores without facts on other readings of measures, which Spark does not compute."""
    measures = {
        name: facts._replace(other_reading=OtherReading())
        for name, facts in scores.provenance.measures.items()
    }
    return scores._replace(provenance=scores.provenance._replace(measures=measures))


@pytest.mark.parametrize(
    ("join", "rules"),
    [
        ("broadcast", {}),
        ("broadcast", {"order": "rank"}),
        ("copartition", {"missing": "skip", "ties": "average", "duplicates": "max"}),
    ],
)
def test_spark_gives_the_values_of_one_machine(spark, frames, join, rules):
    runs, judgments = frames
    judged = [*cases.judgments(QRELS), *([AGAIN] if "duplicates" in rules else [])]
    ranked = {name: cases.columns_of(cases.rows({name: run}), cases.SCHEMA) for name, run in RESULTS.items()}
    columns = {"tag": "run"}
    expected = evaluate(
        cases.columns_of(judged, cases.JUDGED), ranked, MEASURES, run_columns=columns, **rules
    )
    assert any(facts.missing for facts in expected.provenance.runs.values())
    if "duplicates" in rules:
        judgments = judgments.union(spark.createDataFrame([AGAIN], cases.JUDGED))
    found = on_spark.evaluate(judgments, runs, MEASURES, join=join, partitions=4, **rules)
    scores = found.scores()
    assert (scores.runs, scores.topics, scores.measures) == (
        expected.runs,
        expected.topics,
        expected.measures,
    )
    assert np.array_equal(scores.values, expected.values, equal_nan=True)
    assert np.array_equal(scores.counted, expected.counted)
    assert scores.mean() == expected.mean()
    facts_of_runs = {
        run: facts._replace(source="DataFrame") for run, facts in expected.provenance.runs.items()
    }
    assert scores.provenance.runs == facts_of_runs
    assert scores.provenance.qrels == expected.provenance.qrels._replace(source="DataFrame", digest="")
    expected = without_other_readings(expected)
    assert scores.provenance.measures == expected.provenance.measures
    assert found.notes == expected.notes
    means = {}
    for row in found.mean().collect():
        means.setdefault(row.run, {})[row.measure] = row.value
    assert means == expected.mean()
    values = {(r.run, r.topic, r.measure): r.value for r in found.frame.collect()}
    listed = expected.to_dict()
    assert len(values) == sum(len(by_topic) for run in listed.values() for by_topic in run.values())
    assert all(repr(value) == repr(listed[r][m][t]) for (r, t, m), value in values.items())
    assert found.columns == ["run", "topic", "measure", "value"]  # an attribute of the frame
    found.unpersist()


def test_judgments_by_subtopic_go_to_every_worker(spark, frames):
    runs, judgments = frames
    measures = "alpha_nDCG@5 ERR_IA(alpha=0.2) I_rec@3 AP map@10"
    judged = [(t, f"s{n}", d, g) for t, d, g in cases.judgments(QRELS) for n in range(1 + hash_of(d) % 3)]
    nested = {}
    for topic, subtopic, doc, grade in judged:
        nested.setdefault(topic, {}).setdefault(subtopic, {})[doc] = grade
    expected = evaluate(nested, RESULTS, measures)
    by_subtopic = spark.createDataFrame(judged, "qid string, subtopic string, docno string, grade double")
    found = on_spark.evaluate(by_subtopic, runs, measures)
    assert np.array_equal(found.scores().values, expected.values, equal_nan=True)
    assert found.notes == expected.notes
    found.unpersist()
    with pytest.raises(OptionError, match=r"alpha_nDCG@5 takes judgments by subtopic, .* join=broadcast"):
        on_spark.evaluate(by_subtopic, runs, measures, join="copartition")
    with pytest.raises(InputError, match="these judgments have no subtopics"):
        on_spark.evaluate(judgments, runs, measures)


def hash_of(text):
    return zlib.crc32(text.encode())


def broken(judgments):
    return judgments.selectExpr("qid", "docno", "cast(raise_error('gone') as double) relevance")


ROW, ALIEN = ("r0", "t1", "x", 1.0, 1), ("alien", "nowhere", "x", 1.0, 1)
TWICE = r'^topic "t\d", document "\w+": document "\w+" occurs twice in topic "t\d"; once is allowed'


@pytest.mark.parametrize(
    ("rows", "change", "joins", "message"),
    [
        ([ROW, ROW], lambda judged: judged, ["auto"], r'^run "r0": document "x" occurs twice in topic "t1"'),
        ([ALIEN], lambda _: QRELS, ["auto"], r"^run 'alien' has no results for any judged topic \('t0', "),
        ([], broken, ["broadcast", "copartition"], "^the Spark job failed: .*gone"),
        # Rows of a DataFrame have no number.
        ([], lambda judged: judged.union(judged.limit(1)), ["broadcast", "copartition"], TWICE),
    ],
)
def test_problems_in_the_data_are_errors_of_rankgauge(spark, frames, rows, change, joins, message):
    runs, judgments = frames
    runs = runs.union(spark.createDataFrame(rows, cases.SCHEMA)) if rows else runs
    for join in joins:
        with pytest.raises((InputError, NoCommonTopic), match=message):
            on_spark.evaluate(change(judgments), runs, "AP", join=join)


@pytest.mark.parametrize("rank", [(1 << 53) - 1, 1 << 53, -(1 << 63)])
def test_ranks_beyond_what_is_exact_are_refused(spark, rank):
    schema = "topic string, doc string, rank bigint, score double"
    rows = spark.createDataFrame([("1", "a", rank, 1.0), ("1", "b", 1, 1.0)], schema)
    if rank == (1 << 53) - 1:
        found = on_spark.evaluate({"1": {"a": 1}}, rows, "RR", order="rank").scores()
        assert found.mean() == {"run": {"RR": 0.5}}
    else:
        with pytest.raises(OptionError, match="order=rank needs a rank for every result"):
            on_spark.evaluate({"1": {"a": 1}}, rows, "RR", order="rank")


def test_a_run_without_a_relevant_document_is_noted_as_on_one_machine(spark):
    runs = {"one": {"1": {"z": 2.0}}, "two": {"1": {"b": 2.0, "y": 1.0}}, "good": {"1": {"a": 1.0}}}
    runs["upper"] = {"1": {"A": 1.0}}
    rows = [(run, "1", *row) for run, topics in runs.items() for row in topics["1"].items()]
    frame = spark.createDataFrame(rows, "run string, qid string, docno string, score double")
    qrels = {"1": {"a": 1, "b": 0}}
    found, expected = on_spark.evaluate(qrels, frame, "RR"), evaluate(qrels, runs, "RR")
    assert {run for run, facts in found.provenance.runs.items() if facts.none_relevant} == {
        "one",
        "two",
        "upper",
    }
    assert sorted(found.notes) == sorted(expected.notes)


def test_frames_of_pandas_on_spark_are_taken(frames):
    """Stands in for that of PySpark, which cannot be imported with every version of pandas."""
    runs, judgments = frames

    def on_top(frame):
        kind = type("DataFrame", (), {"__module__": "pyspark.pandas.frame", "to_spark": lambda self: frame})
        return kind()

    expected = on_spark.evaluate(judgments, runs, "AP").scores().mean()
    assert on_spark.evaluate(on_top(judgments), on_top(runs), "AP").scores().mean() == expected


def test_scores_whose_runs_are_gone_are_an_error_of_rankgauge(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(result, "FEW", 0)  # or they are on this machine
    path = tmp_path / "some.run"
    path.write_text("t1 Q0 a 1 2.5 x\n")
    found = on_spark.evaluate({"t1": {"a": 1}, "t2": {"a": 1}}, on_spark.read_trec(spark, str(path)), "AP")
    found.unpersist()  # the rows for the topic that is missing, and those before them
    path.unlink()
    for collect in (found.scores, found.mean):
        with pytest.raises(InputError, match=r"^the Spark job failed: .*some\.run"):
            collect()


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ("*", {"partitions": 0}, "partitions must be a whole number from 1, not 0"),
        (
            "*",
            {"measures": "RelativeRelevance", "order": "rank"},
            "depends on scores, and order=rank ignores",
        ),
        ("*", {"ties": "input"}, "ties=input needs an order of lines"),
        ("*", {"duplicates": "first"}, "duplicates=first needs an order of lines"),
        ("*", {"join": "merge"}, "join must be one of auto, broadcast, copartition"),
        ("*", {"run_columns": {"topic": "nope"}}, "no column named 'nope'"),
        ("*, docno docno", {}, "2 columns are named 'docno'"),
        ("qid, docno, cast(score as string) score", {}, "the column 'score' holds string; cast it"),
        (None, {}, "runs must be a Spark DataFrame or paths, not dict"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_read(frames, runs, options, message):
    given = RESULTS if runs is None else frames[0].selectExpr(*runs.split(", "))
    with pytest.raises((InputError, OptionError), match=message):
        on_spark.evaluate(broken(frames[1]), given, **{"measures": "AP", **options})


def test_invalid_lines_are_reported_and_none_is_dropped(spark, tmp_path):
    path = tmp_path / "some.run"
    path.write_bytes(
        b"t1 Q0 a 1 2.5 x\r\n# comment\n\nt1 Q0 \xff 2 1.5 x\nt1 Q0 b\nt2 Q0 c one 1e400 x\nt2 Q0 d 2 nan x\n"
    )
    rows = on_spark.read_trec(spark, str(path)).selectExpr("*", "hex(doc) bytes").collect()
    good = [(r.run, r.topic, r.bytes, r.rank, r.score) for r in rows if r.problem is None]
    assert good[:2] == [("some", "t1", "61", 1, 2.5), ("some", "t1", "FF", 2, 1.5)]
    assert good[2:] == [("some", "t2", "63", None, float("inf"))]
    bad = sorted(r.problem for r in rows if r.problem is not None)
    assert [sentence.split(": ", 1)[1][:30] for sentence in bad] == [
        'expected 6 columns, found 3: "',
        'the score is NaN: "nan"; use a',
    ]
    assert all(sentence.startswith("file:") and "some.run: " in sentence for sentence in bad)
    with pytest.raises(InputError, match=r"some\.run: expected 6 columns, found 3"):
        on_spark.evaluate({"t1": {"a": 1}}, on_spark.read_trec(spark, str(path)), "AP")


def test_the_command_reads_text_and_tables_with_spark(spark, tmp_path, capsys):
    qrels, text, table, by_run = (str(tmp_path / name) for name in ("qrels.txt", "r0.run", "r1", "all"))
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{t} 0 {d} {int(g)}\n" for t, d, g in cases.judgments(QRELS))
    )
    Run.from_dict(RESULTS["r0"], "r0").write(text)
    (tmp_path / "r1").mkdir()
    Run.from_dict(RESULTS["r1"], "r1").write(f"{table}/part-00000.parquet")
    for name, run in RESULTS.items():
        (tmp_path / "all" / f"run={name}").mkdir(parents=True)
        Run.from_dict(run).write(tmp_path / "all" / f"run={name}" / "part-0.parquet")

    def shown(engine, *runs):
        """What the command prints, and its provenance."""
        words = ["evaluate", qrels, *runs, "-q", "--format", "json", "--no-advice", "--engine", engine]
        assert main(words) == 0
        found = json.loads(capsys.readouterr().out)
        return found, found.pop("provenance")

    for runs, names in (
        ([table, text], ["r1", "r0"]),
        ([by_run], sorted(RESULTS)),
        ([f"ours={text}", f"{by_run}/run=r1/part-0.parquet"], ["ours", "part-0"]),
    ):
        (local, expected), (found, ours) = (shown(engine, *runs) for engine in ("local", "spark"))
        assert found == local
        assert found["runs"] == names
        assert (ours["plan"], "plan" in expected) == ("files", False)
        assert ours["qrels"] == {name: fact for name, fact in expected["qrels"].items() if name != "digest"}
        assert [facts["retrieved"] for facts in ours["runs"].values()] == [
            facts["retrieved"] for facts in expected["runs"].values()
        ]
    assert shown("spark", table, text.replace("r0.", "r0.r*")[:-3])[0]["runs"] == ["r1", "r0"]
    (tmp_path / "empty.run").write_text("")
    for runs, message in (
        ([by_run, text], "this directory is partitioned by run; pass it alone"),
        ([f"ours={by_run}/*"], "stands for"),
        ([f"ours={by_run}"], "this directory is partitioned by run; pass it alone and without a name"),
        ([f"{tmp_path}/*.run"], "empty.run: the input has no rows"),
        ([f"{text}.gone"], "there is no such file or directory"),
        (["-"], "Spark cannot read standard input"),
    ):
        assert main(["evaluate", qrels, *runs, "--engine", "spark"]) == 2
        assert message in capsys.readouterr().err


def test_pyspark_is_not_imported_before_it_is_used():
    program = (
        "import sys, rankgauge; rankgauge.spark;"
        "rankgauge.evaluate({'1': {'a': 1}}, {'1': {'a': 1.0}}, 'AP');"
        "sys.exit(any(name.split('.')[0] in ('pyspark', 'py4j') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


SESSION = """
import rankgauge.extensions.devices.spark.library as library
found = library.session()
print(found.sparkContext.master)
found.stop()
"""


def test_the_master_of_the_configuration_is_kept(spark, tmp_path):
    (tmp_path / "spark-defaults.conf").write_text("spark.master local[3]\n")
    gateway = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")  # of the session that is running here
    environment = {name: value for name, value in os.environ.items() if name not in gateway}
    environment["SPARK_CONF_DIR"] = str(tmp_path)
    command = [sys.executable, "-W", "ignore", "-c", SESSION]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "local[3]"


@pytest.mark.parametrize("join", ["broadcast", "copartition"])
def test_spark_recodes_grades(frames, join):
    runs, judgments = frames
    grades = {1: 0, 2: 1, -1: 5, 0: None}
    expected = evaluate(QRELS, RESULTS, "AP nDCG Bpref", grades=grades)
    found = on_spark.evaluate(judgments, runs, "AP nDCG Bpref", join=join, grades=grades).scores()
    assert found.topics == expected.topics
    order = [found.runs.index(run) for run in expected.runs]
    np.testing.assert_array_equal(found.values[order], expected.values)
    assert found.provenance.qrels._replace(source="") == expected.provenance.qrels._replace(
        source="", digest=""
    )
    assert found.provenance.qrels.grades


def test_a_recoding_that_changes_or_leaves_nothing_is_refused(frames):
    runs, judgments = frames
    with pytest.raises(InputError, match=r"grades='77=1' changes none of the judgments, whose grades are"):
        on_spark.evaluate(judgments, runs, "AP", grades={77: 1})
    everything = dict.fromkeys({grade for of in QRELS.values() for grade in of.values()})
    with pytest.raises(InputError, match="leaves no judgment"):
        on_spark.evaluate(judgments, runs, "AP", grades=everything)


def test_few_rows_take_few_tasks(spark, frames):
    shuffled, joins = "spark.sql.shuffle.partitions", library.JOINS_PARTITIONS
    before = spark.conf.get(shuffled), spark.conf.get(joins, None)
    spark.conf.set(shuffled, "50")
    try:
        found = on_spark.evaluate(QRELS, frames[0], "nDCG@10")
        assert found.frame.rdd.getNumPartitions() < 5
        found.unpersist()
    finally:
        spark.conf.set(shuffled, before[0])
    assert (spark.conf.get(shuffled), spark.conf.get(joins, None)) == before


def test_threads_are_for_this_process(write, refused):
    qrels, run = write("q.txt", "1 0 a 1\n"), write("a.run", "1 Q0 a 1 1 t\n")
    words = ("evaluate", qrels, run, "--engine", "spark", "--threads", "2")
    assert "--threads is for this process" in refused(*words)


def test_the_example_of_the_page_runs(spark):
    (block,) = (each for each in pages.blocks("docs/how-to/spark.md") if "createDataFrame" in each.text)
    names = {"spark": spark}
    exec(block.text, names)
    assert names["evaluation"].scores().mean()["dense"]["RR"] == 1.0
