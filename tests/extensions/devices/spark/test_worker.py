"""The worker's part of an evaluation on Spark, without Spark: rows of whole topics to values."""

import math
import pickle
import random
import subprocess
import sys
import uuid
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import campaigns
from rankgauge import evaluate
from rankgauge.engines.assembly import judgments_for
from rankgauge.engines.local import topic_batches
from rankgauge.engines.requirements import counted_cutoffs, needs_detail
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.devices.spark import evaluation, worker
from rankgauge.extensions.devices.spark.library import plain_frame
from rankgauge.extensions.devices.spark.result import (
    Block,
    Scored,
    counts_in,
    facts_of_runs,
    problem_block,
    raise_problems,
    read,
)
from rankgauge.extensions.devices.spark.rows import JUDGMENT, PLACEHOLDER, RESULT
from rankgauge.measures import MEASURES, parse, parse_all
from rankgauge.model.rules import DocumentOrder, TopicRules
from registries import restored

pa = pytest.importorskip("pyarrow")

TEXTS = "AP nDCG@10 P@2 RR ERR bpref RBP(p=0.5) R(average=micro)@3 infAP"


def job_of(qrels, measures, *, sent=True, longest=0, **rules):
    """What a driver would send; `sent` with the judgments, or without."""
    chosen, order = parse_all(measures), DocumentOrder(**rules)
    judgments = judgments_for(chosen, qrels)
    return worker.Job(
        name=uuid.uuid4().hex,
        measures=chosen,
        order=order,
        lowest_grade=min(m.lowest_grade for m in chosen),
        detail=needs_detail(chosen, order),
        levels=judgments.levels,
        longest=longest,
        run="run",
        qrels=judgments if sent else None,
        rules=TopicRules(),
        cutoffs=counted_cutoffs(chosen),
    )


def rows_of(qrels, runs, *, sent=True):
    """(run, topic, doc, value, rank, kind) of everything, with a row of its own for a run without a topic."""
    rows = [
        (run.encode(), topic.encode(), doc.encode(), float(score), rank, RESULT)
        for run, topics in runs.items()
        for topic, docs in topics.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    ]
    rows += [
        (run.encode(), topic.encode(), None, None, None, PLACEHOLDER)
        for run in runs
        for topic in qrels
        if not runs[run].get(topic)
    ]
    if not sent:
        rows += [
            (None, topic.encode(), doc.encode(), float(grade), None, JUDGMENT)
            for topic, docs in qrels.items()
            for doc, grade in docs.items()
        ]
    return rows


NAMES = ("run", "topic", "doc", "value", "rank", "kind")
TYPES = (pa.binary(), pa.binary(), pa.binary(), pa.float64(), pa.int64(), pa.int64())


def batch_of(rows):
    columns = zip(*rows, strict=True) if rows else [[]] * len(NAMES)
    return pa.RecordBatch.from_arrays(
        [pa.array(list(column), kind) for column, kind in zip(columns, TYPES, strict=True)], NAMES
    )


class Found(dict):
    """{(run, topic): row}, and what was counted of each run, from all blocks that tasks return."""

    def __init__(self, job, blocks):
        self.job = job
        raise_problems(blocks)
        self.counts = counts_in(blocks)
        for row in (row for batch in read(blocks, "scores") for row in batch.to_pylist()):
            key = row["run"].decode(), row["topic"].decode()
            assert key not in self  # no pair is evaluated twice
            self[key] = row

    def facts(self):
        """{run: its facts}."""
        found = facts_of_runs(self.counts, self.job.measures, self.job.cutoffs, {})
        return {run.decode(): facts for run, facts in found.items()}


def results(job, rows, partitions, seed, keys=slice(0, 2)):
    """What tasks return that got whole topics in any order, in batches of any size."""
    rng = random.Random(seed)
    rows = rng.sample(rows, len(rows))
    found = []
    for part in range(partitions):
        mine = [row for row in rows if zlib.crc32(repr(row[keys]).encode()) % partitions == part]
        size = rng.randint(1, max(1, len(mine)))
        batches = [batch_of(mine[begin : begin + size]) for begin in range(0, len(mine), size)]
        sent = pickle.loads(pickle.dumps(job))
        found += [Block(**row) for batch in sent(batches) for row in batch.to_pylist()]
    return Found(job, found)


def same(found, scores):
    """Check that the rows of a worker are the scores, bit for bit, with the same facts."""
    judged = {key: row for key, row in found.items() if row["judged"]}
    assert {topic for _, topic in judged} == set(scores.topics)
    assert len(judged) == len(scores.runs) * len(scores.topics)
    for (run, topic), row in judged.items():
        place = scores.runs.index(run), slice(None), scores.topics.index(topic)
        assert np.array_equal(np.array(row["values"]), scores.values[place], equal_nan=True)
    facts = found.facts()
    for run, expected in scores.provenance.runs.items():
        unknown = {name: getattr(expected, name) for name in ("source", "judged", "ids_differ", "copy_of")}
        assert facts[run]._replace(**unknown, rising_scores=expected.rising_scores) == expected


RULES = [
    {},
    {"ties": "docid_asc", "score_precision": "single"},
    {"ties": "average"},
    {"ties": "best"},
    {"order": "rank"},
    {"ties": "rank"},
]


@given(
    st.lists(campaigns(), min_size=1, max_size=3),
    st.sampled_from(RULES),
    st.booleans(),
    st.integers(1, 4),
    st.integers(0, 10),
)
def test_partitions_are_invisible(several, rules, sent, partitions, seed):
    qrels = several[0][0]
    runs = {f"run{n}": {**run, "unjudged": {"d": 1.0}} for n, (_, run) in enumerate(several)}
    runs = {name: run for name, run in runs.items() if any(run.get(topic) for topic in qrels)}
    if not runs:
        return
    ranked = {name: frame_of(run) for name, run in runs.items()}
    expected = evaluate(qrels, ranked, TEXTS, **rules)
    job = job_of(qrels, TEXTS, sent=sent, **rules)
    keys = slice(0, 2) if sent else slice(1, 2)
    same(results(job, rows_of(qrels, runs, sent=sent), partitions, seed, keys), expected)


def frame_of(run):
    rows = [(t, d, s, r) for t, docs in run.items() for r, (d, s) in enumerate(docs.items(), 1)]
    return {
        n: list(c) for n, c in zip(("topic", "doc", "score", "rank"), zip(*rows, strict=True), strict=True)
    }


def test_every_measure_is_the_same_on_a_worker():
    rng = random.Random(7)
    docs = [f"d{n}" for n in range(60)]
    qrels = {f"t{n}": {d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in rng.sample(docs, 25)} for n in range(9)}
    runs = {
        f"r{n}": {
            t: {d: rng.randint(0, 30) / 10 for d in rng.sample(docs, rng.randint(5, 30))}
            for t in qrels
            if rng.random() < 0.9
        }
        for n in range(3)
    }
    longest = max(len(found) for run in runs.values() for found in run.values())
    by_subtopic = {
        topic: {f"s{n}": {doc: rng.choice([0, 1, 1, 2]) for doc in rng.sample(docs, 15)} for n in range(4)}
        for topic in qrels
    }
    specs = list(MEASURES.values())
    for diverse, judgments in ((False, qrels), (True, by_subtopic)):
        measures = [parse(spec.example) for spec in specs if spec.needs.subtopics == diverse]
        expected = evaluate(judgments, runs, measures)
        job = job_of(judgments, measures, longest=longest)
        same(results(job, rows_of(judgments, runs), 3, 1), expected)
        if not diverse:
            job = job_of(judgments, measures, longest=longest, sent=False)
            rows = rows_of(judgments, runs, sent=False)
            same(results(job, rows, 3, 1, slice(1, 2)), expected)


def test_grades_that_are_probabilities_are_the_same_on_a_worker():
    rng = random.Random(8)
    judgments = {
        f"t{n}": {f"s{m}": {f"d{k}": rng.choice([0, 0.25, rng.random()]) for k in range(9)} for m in range(3)}
        for n in range(5)
    }
    runs = {"r": {topic: {f"d{k}": rng.random() for k in range(9)} for topic in judgments}}
    measures = "alpha_CG(alpha=grade)@3 alpha_nDCG(alpha=grade) alpha_nDCG(alpha=grade,gamma=0.5)"
    found = results(job_of(judgments, measures), rows_of(judgments, runs), 3, 1)
    same(found, evaluate(judgments, runs, measures))


QRELS = {"t1": {"a": 1, "b": 0}, "t2": {"c": 2}}


def result(doc=b"a", value=1.0, rank=1, topic=b"t1"):
    return b"r", topic, doc, value, rank, RESULT


def judgment(grade=1.0):
    return None, b"t1", b"a", grade, None, JUDGMENT


@pytest.mark.parametrize(
    ("rows", "rules", "kind", "message"),
    [
        (
            [result(), result(value=2.0)],
            {},
            InputError,
            '^run "r": document "a" occurs twice in topic "t1"; once',
        ),
        (
            [result(topic=b"t\0x", doc=b"a\0b")] * 2,
            {},
            InputError,
            r'^run "r": document "a\\x00b" occurs twice in topic "t\\x00x"',
        ),
        ([result(value=math.nan)], {}, InputError, '^run "r", topic "t1", document "a": the score is NaN'),
        ([result(topic=None)], {}, InputError, "topic is null"),
        ([result(value=None)], {}, InputError, "score is null"),
        ([result(rank=None)], {"order": "rank"}, OptionError, "needs a rank for every result"),
        (
            [result()],
            {"measures": "DCG(gains={2:1})"},
            MeasureError,
            "the judgments have grade 1, which gains",
        ),
        ([judgment()] * 2, {"sent": False}, InputError, "occurs twice"),
        ([judgment(math.nan)], {"sent": False}, InputError, "grade is NaN"),
    ],
)
def test_errors_are_those_of_one_machine(rows, rules, kind, message):
    with pytest.raises(kind, match=message):
        results(job_of(QRELS, **{"measures": "AP", **rules}), rows, 2, 1, slice(1, 2))


def test_a_problem_may_quote_what_is_not_utf8():
    block = problem_block(InputError("no such column", path="a\udcff.run"))
    with pytest.raises(InputError) as error:
        Found(None, [block])
    assert str(error.value) == "a\udcff.run: no such column"


def test_missing_topics_are_scored_some_at_a_time(monkeypatch):
    qrels = {"t1": {"a": 1}, "t2": {"a": 1, "b": 2}, "t3": {"c": 1}}
    job = job_of(qrels, "AP R@2")
    rows = [(b"r", b"t1", b"a", 1.0, 1, RESULT), (b"s", b"t2", b"b", 1.0, 1, RESULT)]
    blocks = [*job.score(pa.Table.from_batches([batch_of(rows)]))]
    scored = Scored(None, counts_in(blocks), tables=(pa.Table.from_batches(read(blocks, "scores")),))
    sizes, placeholders = [], evaluation.rows.placeholder_table

    def noted(pairs):
        sizes.append(len(pairs))
        return placeholders(pairs)

    monkeypatch.setattr(evaluation.rows, "placeholder_table", noted)

    def found():
        (table,) = (many := evaluation._scores_of_missing(None, scored, judgments, job)).tables
        scores = {(row["run"], row["topic"]): row for row in table.to_pylist()}
        return scores, {run: of_run.tolist() for run, of_run in many.counts.items()}

    judgments = SimpleNamespace(qrels=job.qrels)
    expected = found()
    assert {*expected[0]} == {(b"r", b"t2"), (b"r", b"t3"), (b"s", b"t1"), (b"s", b"t3")}
    monkeypatch.setattr(evaluation, "AT_ONCE", 4)  # the judgments of two topics, with their pairs
    assert found() == expected
    assert sizes[0] == sum(sizes[1:]) == 4
    assert len(sizes) > 2


def test_dropped_duplicates_are_counted_for_their_run_and_in_topics_without_judgments():
    rows = [
        (b"r", t, d, s, 1, RESULT) for t in (b"t1", b"zz") for d, s in ((b"a", 1.0), (b"a", 3.0), (b"x", 2.0))
    ]
    rows += [(b"s", b"t1", b"a", 1.0, 1, RESULT)]
    found = results(job_of(QRELS, "RR", duplicates="max"), rows, 1, 1)
    assert {run: facts.duplicates_dropped for run, facts in found.facts().items()} == {"r": 2, "s": 0}
    assert found["r", "t1"]["values"] == [1.0]


def test_topics_with_ids_of_one_length_are_split_again_and_again(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rows = [(b"r", b"%06d" % (n % 2000), b"%d" % n, float(n), n, RESULT) for n in range(20_000)]
    batches = [batch_of(rows[begin : begin + 500]) for begin in range(0, len(rows), 500)]
    tables = list(topic_batches.whole_topics(iter(batches), "topic", 100))
    assert sum(map(len, tables)) == len(rows)
    assert max(map(len, tables)) <= 100


@pytest.mark.parametrize("limit", [1, 10, 300])
def test_more_rows_than_fit_in_memory_go_to_disk_and_come_back_as_whole_topics(limit, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rng = random.Random(3)
    rows = [
        (b"r", b"t%d" % rng.choice([0, 0, 0, 0, *range(40)]), b"%d" % n, float(n), n, RESULT)
        for n in range(1000)
    ]
    batches = [batch_of(rows[begin : begin + 70]) for begin in range(0, 1000, 70)]
    tables = list(topic_batches.whole_topics(iter(batches), "topic", limit))
    seen = [set(table["topic"].to_pylist()) for table in tables]
    assert sum(map(len, seen)) == len(set.union(*seen))  # no topic is in two
    assert len(tables) > 1
    largest = max(sum(row[1] == topic for row in rows) for topic in set.union(*seen))
    assert max(map(len, tables)) <= max(limit, 2 * largest)
    for table in tables:
        for topic in set(table["topic"].to_pylist()):
            ranks = [row["rank"] for row in table.to_pylist() if row["topic"] == topic]
            assert ranks == [row[4] for row in rows if row[1] == topic]
    assert not list(tmp_path.iterdir())


def test_consecutive_topics_are_carried_over_from_batch_to_batch():
    rows = [(b"r", b"t%d" % (n // 50), b"%d" % n, float(n), n, RESULT) for n in range(1000)]
    batches = [batch_of(rows[begin : begin + 7]) for begin in range(0, 1000, 7)]
    tables = list(topic_batches.consecutive(iter(batches), "topic", 120))
    assert [row["rank"] for table in tables for row in table.to_pylist()] == list(range(1000))
    seen = [set(table["topic"].to_pylist()) for table in tables]
    assert sum(map(len, seen)) == 20
    assert max(map(len, tables)) <= 120 + 7 + 50


def test_measures_of_a_script_are_sent_with_their_definitions(tmp_path):
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'rankgauge[spark]'")
    from pyspark import cloudpickle

    script = """
import sys
from pyspark import cloudpickle
from rankgauge import measure, parse
from rankgauge.extensions.devices.spark.worker import SentMeasures

factor = 3

@measure("Mine", title="Mine", formula="Mine = 3 × retrieved", cite="", example="Mine", bounds=(0, 9))
def mine(j):
    return factor * j.retrieved

with open(sys.argv[1], "wb") as file:
    file.write(cloudpickle.dumps(SentMeasures([parse("Mine"), parse("AP")])))
"""
    path = tmp_path / "measures"
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    with restored(MEASURES):
        mine, known = cloudpickle.loads(path.read_bytes())
        assert known == parse("AP")
        assert evaluate({"q": {"d": 1}}, {"q": {"d": 1.0, "e": 0.5}}, [mine]).mean() == {"run": {"Mine": 6.0}}
        script = script.replace("def mine", "def another").replace("factor = 3", "factor = 4")
        subprocess.run([sys.executable, "-c", script, str(path)], check=True)  # as another notebook does
        mine, _ = cloudpickle.loads(path.read_bytes())
        assert evaluate({"q": {"d": 1}}, {"q": {"d": 1.0, "e": 0.5}}, [mine]).mean() == {"run": {"Mine": 8.0}}
    with pytest.raises(MeasureError, match="no measure named 'Mine'"):
        parse("Mine")


def test_a_frame_that_has_any_attribute_is_none_of_pandas_on_spark():
    names = {"__module__": "pyspark.sql.connect.dataframe", "__getattr__": lambda self, name: name}
    frame = type("DataFrame", (), names)()  # as those of Spark Connect
    assert frame.to_spark == "to_spark"
    assert plain_frame(frame) is frame
