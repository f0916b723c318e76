"""The rank of every row: both cores against each other, and against the slow twin."""

import math
from array import array

import numpy as np
import pytest

from core.mutation import DOCS
from core.twins_of import CORES, DEFAULT, TIES, column, compiled, needs_compiled
from rankgauge import Run
from rankgauge.core import pure
from rankgauge.engines.local.document_ranks import ranks
from rankgauge.errors import InputError, OptionError
from rankgauge.model.rules import ORDER, SCORE_PRECISION, DocumentOrder
from twins.order import in_order

SCORES = [1.0, 2.0, -1.5, 0.0, -0.0, 1e300, math.inf, -math.inf, 16777216.0, 16777217.0]
NAMES = [*(b"d%d" % i for i in range(60)), b"", b"d", "é".encode(), "\uffee".encode(), "\U0001f600".encode()]


def ranked(core, topics, docs, scores, places, rules):
    """The ranks of rows, as a list."""
    columns = array("q", topics), *column(docs), array("d", scores)
    buffer = core.ranks(*columns, None if places is None else array("q", places), *rules)
    return list(memoryview(buffer).cast("B").cast("q"))


def random_rules(rng):
    return rng.choice([*ORDER.rules]), rng.choice(TIES), rng.choice([*SCORE_PRECISION.rules])


@needs_compiled
def test_both_cores_rank_rows_alike_repeated_documents_and_nan_included(cases, count):
    for n, rng in cases(count // 4, seed="ranks"):
        size = rng.choice([0, 1, 2, 20, 60, 300])
        topics = [rng.choice([0, 1, 2, -5, 1 << 62, -(1 << 63)]) for _ in range(size)]
        if rng.random() < 0.5:
            topics.sort()
        docs = [rng.choice(rng.choice([DOCS, NAMES])) for _ in topics]
        scores = [rng.choice([*SCORES, math.nan, rng.random()]) for _ in topics]
        rules = random_rules(rng)
        places = [rng.choice([1, 2, 3, -(1 << 63), (1 << 63) - 1]) for _ in topics]
        if "rank" not in rules and rng.random() < 0.5:
            places = None
        ours, theirs = (ranked(core, topics, docs, scores, places, rules) for core in (pure, compiled))
        assert ours == theirs, n
        for topic in {*topics}:
            within = [rank for rank, other in zip(ours, topics, strict=True) if other == topic]
            assert sorted(within) == list(range(1, len(within) + 1)), n


@pytest.mark.parametrize("core", CORES)
def test_ranks_are_those_of_the_slow_twin(core, cases, count):
    for n, rng in cases(count // 20, seed="slow ranks"):
        rules = order, ties, precision = random_rules(rng)
        results = {
            topic: {doc.decode(): rng.choice([*SCORES, rng.random()]) for doc in rng.sample(NAMES, size)}
            for topic, size in enumerate((rng.randint(0, len(NAMES)), 3, 1))
        }
        places = {topic: {doc: rng.randint(1, 9) for doc in docs} for topic, docs in results.items()}
        rows = [(topic, doc) for topic, docs in results.items() for doc in docs]
        rng.shuffle(rows)  # the order of the rows is that of the input
        expected = {}
        for topic in results:
            docs = [doc for other, doc in rows if other == topic]
            keys = {doc: -places[topic][doc] if order == "rank" else results[topic][doc] for doc in docs}
            if precision == "single" and order == "score":
                with np.errstate(over="ignore"):
                    keys = {doc: float(np.float32(key)) for doc, key in keys.items()}
            expected |= {(topic, doc): r for r, doc in enumerate(in_order(keys, ties, places[topic]), 1)}
        ranks = ranked(
            core,
            [topic for topic, _ in rows],
            [doc.encode() for _, doc in rows],
            [results[topic][doc] for topic, doc in rows],
            [places[topic][doc] for topic, doc in rows],
            rules,
        )
        assert ranks == [expected[row] for row in rows], n


@pytest.mark.parametrize("core", CORES)
def test_rows_without_a_number_for_a_score_come_last_as_they_came(core):
    docs, scores = [b"a", b"b", b"c", b"d"], [math.nan, -math.inf, math.nan, 1.0]
    assert ranked(core, [7] * 4, docs, scores, None, DEFAULT) == [3, 2, 4, 1]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(
    "rules", [("rank", "input", "double"), ("score", "rank", "double"), ("x", "input", "double")]
)
def test_rules_without_their_ranks_and_rules_that_do_not_exist_are_refused(core, rules):
    with pytest.raises(ValueError, match=r"rules need ranks|no such rule: x"):
        ranked(core, [0], [b"a"], [1.0], None, rules)


def test_ranks_of_a_run_need_ranks_only_where_the_rules_do():
    run = Run.from_dict({"1": {"a": 1.0, "b": 1.0, "c": 2.0}})
    assert ranks(run, DocumentOrder()).tolist() == [3, 2, 1]
    with pytest.raises(OptionError, match="rank"):
        ranks(run, DocumentOrder(ties="rank"))


def test_a_run_with_a_document_twice_has_no_ranks():
    once = Run.from_dict({"1": {"a": 1.0, "b": 2.0}})
    twice = Run("run", once.topics, once.topic, once.docs.take(np.array([0, 0])), once.scores)
    with pytest.raises(InputError, match='document "a"'):
        ranks(twice, DocumentOrder())
