"""Pools of runs: who is in them, who voted, what the runs have in common."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cases
import rankgauge
from extensions.judging import slow
from rankgauge.engines.local import document_ranks
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.judging import pool

TOPICS = {"a": ["q2", "q1", "q3"], "b": ["q3", "q4"]}
DEPTHS = st.sampled_from([1, 2, 3, 5, 100, None])


def few_runs():
    """{name: run} with topics that some of them lack."""
    run = st.dictionaries(
        st.sampled_from(["t1", "t10", "ü"]), cases.results().filter(bool), min_size=1, max_size=3
    )
    return st.dictionaries(st.sampled_from(["bm25", "a b", "é"]), run, min_size=1, max_size=3)


@given(few_runs(), DEPTHS)
def test_a_pool_is_the_union_of_the_first_documents_with_their_votes(runs, depth):
    found, expected = pool(runs, depth=depth), slow.pool(runs, depth)
    assert found.to_dict() == {t: {d: len(by) for d, by in docs.items()} for t, docs in expected.items()}
    assert found.qrels().to_dict() == found.to_dict()
    listed = [(topic, doc) for topic, doc, *_ in found.table().rows]
    assert listed == sorted(listed, key=lambda row: [part.encode() for part in row])
    ranks = {
        (topic, doc): min(slow.first_documents(runs[name][topic], depth).index(doc) + 1 for name in by)
        for topic, docs in expected.items()
        for doc, by in docs.items()
    }
    assert {(topic, doc): best for topic, doc, _, best in found.table().rows} == ranks


@given(few_runs(), DEPTHS)
def test_tables_count_documents_by_topic_and_run(runs, depth):
    found, expected = pool(runs, depth=depth), slow.pool(runs, depth)
    assert found.topics_table().rows == [
        (topic, len(expected[topic]), sum(len(by) == 1 for by in expected[topic].values()))
        for topic in sorted(expected, key=str.encode)
    ]
    lists = {name: [by for docs in expected.values() for by in docs.values() if name in by] for name in runs}
    assert found.runs_table().rows == [
        (name, len(runs[name]), len(lists[name]), lists[name].count([name])) for name in runs
    ]


@given(few_runs(), DEPTHS)
def test_the_overlap_of_two_runs_is_the_mean_over_their_common_topics(runs, depth):
    found = pool(runs, depth=depth).overlap()
    expected = [[slow.overlap(runs, one, other, depth) for other in runs] for one in runs]
    assert found.tolist() == pytest.approx(np.array(expected), nan_ok=True, abs=1e-12)
    assert np.diagonal(found).tolist() == [1.0] * len(runs)


@given(few_runs(), st.sampled_from(["docid_asc", "docid_desc", "input"]))
def test_the_order_is_the_one_that_evaluation_has(runs, ties):
    expected = {
        name: {t: set(slow.first_documents(results, 2, ties)) for t, results in run.items()}
        for name, run in runs.items()
    }
    for name, run in runs.items():
        alone = pool({name: run}, depth=2, ties=ties).to_dict()
        assert {topic: set(docs) for topic, docs in alone.items()} == expected[name]


@given(few_runs(), cases.judgments(), DEPTHS)
def test_what_has_been_judged_is_left_out(runs, judged, depth):
    qrels = {"t1": judged, "other": {"d": 1}}
    whole, rest = pool(runs, depth=depth), pool(runs, depth=depth, judged=qrels)
    expected = {
        topic: {doc: votes for doc, votes in docs.items() if doc not in qrels.get(topic, ())}
        for topic, docs in whole.to_dict().items()
    }
    assert rest.to_dict() == {topic: docs for topic, docs in expected.items() if docs}
    assert rest.left_out == len(whole) - len(rest)
    assert set(rest.table().rows) <= set(whole.table().rows)


@settings(max_examples=10)
@given(few_runs())
def test_threads_do_not_show(runs):
    one, two = (pool(runs, depth=2, threads=threads) for threads in (1, 2))
    assert list(one.table().rows) == list(two.table().rows)
    assert one.overlap().tobytes() == two.overlap().tobytes()


def test_runs_come_from_files_in_any_format(tmp_path, write):
    trec = write("bm25.run", "q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\n")
    table = write("ql.csv", "query_id,doc_id,score\nq1,d2,5\nq1,d3,4\n")
    assert pool([trec, table], depth=1).to_dict() == {"q1": {"d1": 1, "d2": 1}}
    assert pool([str(trec), str(table)]).runs == ("bm25", "ql")


@pytest.mark.parametrize("size", [1, 60, 10**9])
def test_files_are_pooled_some_topics_at_a_time_as_in_memory(size, tmp_path, monkeypatch):
    runs = {name: {t: {f"d{n}": -n % 5 for n in range(9)} for t in topics} for name, topics in TOPICS.items()}
    for name, run in runs.items():
        rankgauge.Run.from_dict(run).write(tmp_path / f"{name}.run")
    monkeypatch.setattr(document_ranks, "BYTES", size)
    monkeypatch.setattr(document_ranks, "load_run", None)  # which takes all of a run into memory
    found = pool([tmp_path / "a.run", tmp_path / "b.run"], depth=4)
    monkeypatch.undo()
    assert found.table() == pool(runs, depth=4).table()


def test_the_rank_column_can_put_documents_in_order(write):
    trec = write("bm25.run", "q1 Q0 d1 2 2.0 x\nq1 Q0 d2 1 1.0 x\n")
    assert pool(trec, depth=1, order="rank").to_dict() == {"q1": {"d2": 1}}
    assert pool(trec, depth=1).to_dict() == {"q1": {"d1": 1}}


def test_duplicates_are_refused_or_dropped_as_in_evaluation(write):
    twice = write("twice.run", "q1 Q0 d1 1 2.0 x\nq1 Q0 d1 2 9.0 x\nq1 Q0 d2 3 5.0 x\n")
    with pytest.raises(InputError, match="d1"):
        pool(twice)
    assert pool(twice, depth=1, duplicates="first").to_dict() == {"q1": {"d2": 1}}
    assert pool(twice, depth=1, duplicates="max").to_dict() == {"q1": {"d1": 1}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"depth": depth}, "depth must be a whole number") for depth in (0, -1, 1.5, "10", True)),
        ({"ties": "average"}, "ties=average"),  # a pool needs one order of documents
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        pool({"q1": {"d1": 1.0}}, **options)


def test_notes_say_what_runs_lack():
    apart = {"a": {"q1": {"d1": 1.0}}, "b": {"q2": {"d1": 1.0}}}
    assert pool(apart, depth=1).notes == ("the runs have no topic in common, so their pools do not overlap",)
    assert math.isnan(pool(apart).overlap()[0, 1])
    lacking = {"a": {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, "b": {"q2": {"d1": 1.0}}}
    assert pool(lacking, depth=2).notes == (
        "runs that lack results for some topics: 1 of 2",
        "runs that end before depth 2 on some topics: 2 of 2",
    )
    assert pool({"q1": {"d1": 1.0}}, depth=1).notes == ()
    judged = pool({"q1": {"d1": 1.0}}, judged={"q1": {"d1": 0}})
    assert len(judged) == 0
    assert judged.topics == ()
    assert judged.notes == ("left out because they were judged before: 1 document",)
    for table in (judged.table(), judged.topics_table(), judged.runs_table(), judged.overlap_table()):
        assert table.headers


def test_votes_take_the_place_of_judgments():
    runs = {
        "a": {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}},
        "b": {"q1": {"d1": 3.0, "d2": 2.0, "d4": 1.0}},
        "c": {"q1": {"d5": 3.0, "d1": 2.0, "d6": 1.0}},
    }
    votes = pool(runs, depth=3).qrels()
    assert votes.to_dict() == {"q1": {"d1": 3, "d2": 2, "d3": 1, "d4": 1, "d5": 1, "d6": 1}}
    means = rankgauge.evaluate(votes, runs, "AP(rel=2)").mean()
    assert [mean["AP(rel=2)"] for mean in means.values()] == [1, 1, 0.25]


def test_documents_that_change_differences_between_runs_most_come_first():
    runs = {"a": {"q": ["both", "first", "late"]}, "b": {"q": ["both", "x", "y"]}, "c": {"q": ["both"]}}
    made = pool(runs, depth=3)
    ranks = {"both": (1, 1, 1), "first": (2,), "late": (3,), "x": (2,), "y": (3,)}
    expected = {}
    for doc, found in ranks.items():
        discounts = [1 / math.log2(rank + 1) for rank in found] + [0] * (3 - len(found))
        expected[doc] = statistics.pvariance(discounts)
    assert dict(zip(made.docs.texts(), made.spread.tolist(), strict=True)) == pytest.approx(expected)
    assert made.in_order("effect") == {"q": ["first", "x", "late", "y", "both"]}
