"""The compiled core called wrongly: an exception, never a crash. It trusts nobody with its memory."""

import copy
import math
import pickle
import threading
from array import array
from functools import partial

import numpy as np
import pytest

from core.twins_of import DEFAULT, column, compiled, judgments, needs_compiled

pytestmark = needs_compiled

NUMBERS = array("q", [0, 1, 2])
PAIR = array("q", [0, 1])
SCORES = array("d", [1, 2])
DATA, OFFSETS = column([b"a", b"b"])
QRELS = {b"1": {b"a": 1.0, b"b": 0.0}, b"2": {b"c": 2.0}}
INFINITE = -math.inf
RULES = (*DEFAULT, "error")
BAD_OFFSETS = [
    pytest.param(array("q", []), id="none"),
    pytest.param(array("q", [0, 2, 1]), id="decreasing"),
    pytest.param(array("q", [-1, 1, 2]), id="negative"),
    pytest.param(array("q", [0, 1, 3]), id="past the end"),
    pytest.param(array("q", [0, 1, 1 << 62]), id="far past the end"),
    pytest.param(array("q", [1 << 62, 0, 2]), id="beginning past the end"),
    pytest.param(b"\0" * 12, id="of half a number"),
    pytest.param([0, 1, 2], id="no buffer"),
    pytest.param(None, id="nothing"),
    pytest.param("text", id="text"),
]


def refuse(*calls):
    """All of these calls raise an error."""
    for call in calls:
        with pytest.raises((ValueError, TypeError, BufferError, OverflowError)):
            call()


def candidates(order, ties, precision, begins=(0,), ends=(2,), judgment=(0, -1)):
    """Two candidates, the first of which is judged."""
    topics, numbers = (array("q", begins), array("q", ends)), array("q", judgment)
    return compiled.FixedCandidates(*topics, DATA, OFFSETS, numbers, array("d", [1]), order, ties, precision)


def hits(**changed):
    """What a join might return: two hits in one topic."""
    by_topic = {name: array("q", [2]) for name in ("retrieved", "tied", "decisive")}
    totals = {"unjudged_topics": 0, "rows": 2, "dropped": 0}
    columns = {"topic": array("q", [0]), "starts": array("q", [0, 2]), "rank": PAIR, "judgment": PAIR}
    columns["unjudged_hashes"] = array("q")
    return {**by_topic, **columns, **totals, **changed}


BROKEN = [
    {"topic": array("q", [])},
    {"topic": array("q", [0, 1])},
    {"starts": array("q", [])},
    {"starts": array("q", [0])},
    {"starts": array("q", [1, 2])},
    {"starts": array("q", [0, 3])},
    {"starts": array("q", [0, -1])},
    {"starts": array("q", [0, 1 << 62])},
    {"rank": array("q", [1])},
    {"judgment": array("q", [0, 1, 2])},
    {"judgment": b"\0" * 15},
    {"tied": array("q", [])},
    {"decisive": array("q", [0, 0])},
    {"first": array("q", [1])},
    {"squares": array("d", [1, 2])},
    {"rows": 1.5},
    {"rows": None},
    {"dropped": 1 << 64},
]
VIEWS = [
    (b"".join(n.to_bytes(4, "little", signed=True) for n in (size, 0, *place)), [b"x" * 15, b"y" * 5])
    for size in (13, 0x7FFFFFFF, -1)
    for place in ((0, 5), (1, 0), (-1, 0), (0, -1), (0, 0x7FFFFFFF), (9, 0))
]
ROWS = array("q", [0, 0]), DATA, OFFSETS, array("d", [1, 2]), None
# {function: arguments that are out of range, do not fit together, or are of another form}
WRONG = {
    "take": [
        *((DATA, OFFSETS, array("q", [index])) for index in (-1, 2, 1 << 62, -(1 << 63))),
        (DATA, OFFSETS, np.arange(6, dtype=np.int64)[::3]),  # not contiguous
        (DATA, np.frombuffer(b"\0" * 25, dtype=np.uint8)[1:], array("q", [0])),  # not aligned
    ],
    "encode": [(np.frombuffer(b"aXbX", dtype=np.uint8)[::2], OFFSETS)],
    "cumulate": [
        (array("d", [1, 2, 3]), array("q", starts))
        for starts in ([], [0], [1, 3], [0, 2, 1, 3], [0, 4], [0, -1, 3], [0, 1 << 62])
    ],
    "Table": [(fields, 1) for fields in (0, 5, 7, -6)],
    "pack_views": VIEWS,
    "encode_views": VIEWS,
    "gather_hits": [
        *(([hits(**broken)], 2) for broken in BROKEN),
        *(
            ([{name: column for name, column in hits().items() if name != missing}], 2)
            for missing in ("topic", "starts", "retrieved", "rank", "unjudged_topics")
        ),
        *(([hits()], topics) for topics in (-1, 0, 1 << 62, 1 << 80, None, 1.5)),
    ],
    "ranks": [(*ROWS, *rules) for rules in (("rank", "input", "double"), ("score", "rank", "double"))],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused(name):
    refuse(*(partial(getattr(compiled, name), *arguments) for arguments in WRONG[name]))


def test_hits_that_fit_together_are_gathered():
    assert list(memoryview(compiled.gather_hits([hits()], 2)["starts"]).cast("q")) == [0, 2, 2]


@pytest.fixture
def table():
    return judgments(compiled, QRELS)


@pytest.fixture
def join(table):
    return compiled.Join(table, *RULES, False, False)


@pytest.mark.parametrize("offsets", BAD_OFFSETS)
def test_offsets_that_do_not_fit_their_data_are_refused_everywhere(offsets, table, join):
    refuse(
        lambda: compiled.take(DATA, offsets, array("q", [0])),
        lambda: compiled.encode(DATA, offsets),
        lambda: compiled.duplicates(array("q", [0, 0]), DATA, offsets),
        lambda: table.lookup(array("q", [0, 0]), DATA, offsets),
        lambda: compiled.ranks(array("q", [0, 0]), DATA, offsets, array("d", [1, 2]), None, *DEFAULT),
        lambda: compiled.run_text(DATA, offsets, DATA, OFFSETS, PAIR, SCORES, DATA, OFFSETS),
        lambda: compiled.run_text(DATA, OFFSETS, DATA, OFFSETS, PAIR, SCORES, DATA, offsets),
        lambda: compiled.sort_judgments(DATA, offsets, array("q", [0, 0]), DATA, OFFSETS),
        lambda: compiled.sort_judgments(DATA, OFFSETS, array("q", [0, 0]), DATA, offsets),
        lambda: compiled.Judgments(DATA, offsets, NUMBERS, DATA, OFFSETS, array("d", [1, 2]), INFINITE),
        lambda: compiled.Judgments(DATA, OFFSETS, NUMBERS, DATA, offsets, array("d", [1, 2]), INFINITE),
        lambda: join.columns(DATA, offsets, array("q", [0, 0]), DATA, OFFSETS, array("d", [1, 2]), None),
        lambda: join.columns(DATA, OFFSETS, array("q", [0, 0]), DATA, offsets, array("d", [1, 2]), None),
        lambda: compiled.FixedCandidates(
            array("q", [0]), array("q", [2]), DATA, offsets, array("q", [0, -1]), array("d", [1]), *DEFAULT
        ),
    )


@pytest.mark.parametrize("bad", [None, 5, "text", object(), (b"a",), 2.5])
def test_what_is_no_buffer_is_refused(bad, table, join):
    refuse(
        lambda: compiled.take(bad, OFFSETS, NUMBERS),
        lambda: compiled.encode(bad, OFFSETS),
        lambda: compiled.duplicates(bad, DATA, OFFSETS),
        lambda: compiled.pack_views(bad, []),
        lambda: compiled.pack_views(b"", bad),
        lambda: compiled.pack_views(b"\0" * 16, [bad]),
        lambda: compiled.run_text(DATA, OFFSETS, DATA, OFFSETS, bad, SCORES, DATA, OFFSETS),
        lambda: compiled.Table(6, 1).feed(bad),
        lambda: join.feed(bad),
        lambda: table.lookup(bad, DATA, OFFSETS),
        lambda: compiled.sort_judgments(DATA, OFFSETS, bad, DATA, OFFSETS),
        lambda: compiled.sort_judgments(bad, OFFSETS, array("q", [0, 0]), DATA, OFFSETS),
        lambda: compiled.gather_hits(bad, 2),
        lambda: compiled.gather_hits([bad], 2),
        lambda: compiled.gather_hits([hits(starts=bad)], 2),
        lambda: compiled.gather_hits([hits(rank=bad)], 2),
        lambda: compiled.gather_hits([hits(), hits(topic=array("q", [1]), tied=bad)], 2),
        lambda: compiled.ranks(bad, DATA, OFFSETS, array("d", [1, 2]), None, *DEFAULT),
        lambda: compiled.ranks(array("q", [0, 0]), DATA, OFFSETS, bad, None, *DEFAULT),
        lambda: compiled.ranks(array("q", [0, 0]), DATA, OFFSETS, array("d", [1, 2]), bad or 0, *DEFAULT),
    )


def test_columns_of_different_lengths_are_refused(table, join):
    one, two, scores = array("q", [0]), array("q", [0, 0]), array("d", [1, 2])
    refuse(
        lambda: compiled.duplicates(one, DATA, OFFSETS),
        lambda: compiled.run_text(DATA, OFFSETS, DATA, OFFSETS, one, scores, DATA, OFFSETS),
        lambda: compiled.run_text(DATA, OFFSETS, DATA, OFFSETS, two, scores, DATA, one),
        lambda: table.lookup(one, DATA, OFFSETS),
        lambda: compiled.sort_judgments(DATA, OFFSETS, one, DATA, OFFSETS),
        lambda: compiled.ranks(one, DATA, OFFSETS, scores, None, *DEFAULT),
        lambda: compiled.ranks(two, DATA, OFFSETS, array("d", [1]), None, *DEFAULT),
        lambda: compiled.ranks(two, DATA, OFFSETS, scores, one, *DEFAULT),
        lambda: join.columns(DATA, OFFSETS, one, DATA, OFFSETS, scores, None),
        lambda: join.columns(DATA, OFFSETS, two, DATA, OFFSETS, array("d", [1]), None),
        lambda: join.columns(DATA, OFFSETS, two, DATA, OFFSETS, scores, one),
        lambda: compiled.Judgments(DATA, OFFSETS, array("q", [0, 1]), DATA, OFFSETS, scores, INFINITE),
        lambda: compiled.Judgments(DATA, OFFSETS, NUMBERS, DATA, OFFSETS, array("d", [1]), INFINITE),
        lambda: compiled.Judgments(DATA, OFFSETS, array("q", [1, 1, 2]), DATA, OFFSETS, scores, INFINITE),
        lambda: compiled.Judgments(DATA, OFFSETS, array("q", [0, 3, 2]), DATA, OFFSETS, scores, INFINITE),
        lambda: compiled.Judgments(DATA, OFFSETS, array("q", [0, 1, 9]), DATA, OFFSETS, scores, INFINITE),
    )


@pytest.mark.parametrize("code", [-1, 2, 1 << 62])
def test_a_row_of_no_topic_is_refused(code, join):
    refuse(
        lambda: join.columns(DATA, OFFSETS, array("q", [0, code]), DATA, OFFSETS, array("d", [1, 2]), None)
    )


def test_a_topic_that_does_not_exist_has_no_judgments(table):
    found = table.lookup(array("q", [-1, 99]), DATA, OFFSETS)
    assert list(memoryview(found).cast("B").cast("q")) == [-1, -1]


@pytest.mark.parametrize(
    ("begins", "ends", "judgment"),
    [
        ([0], [3], [0, -1]),
        ([-1], [2], [0, -1]),
        ([2], [1], [0, -1]),
        ([0, 1], [1], [0, -1]),
        ([0], [2], [0]),
        ([0], [2], [0, 5]),
        ([0], [2], [0, 1 << 62]),
    ],
)
def test_candidates_that_are_not_there_are_refused(begins, ends, judgment):
    refuse(lambda: candidates(*DEFAULT, begins, ends, judgment))


def test_candidates_have_no_ranks():
    refuse(lambda: candidates("rank", "input", "double"), lambda: candidates("score", "rank", "double"))


def test_fixed_candidates_take_one_score_each():
    fixed = candidates(*DEFAULT)
    wrong = (array("d", [1]), array("d", [1, 2, 3]), array("f", [1, 2, 3, 4]), b"\0" * 12, None, [1.0, 2.0])
    refuse(*(partial(fixed.place, scores) for scores in wrong))
    assert list(memoryview(fixed.place(array("d", [1, 2]))[0]).cast("B").cast("q")) == [2]


def test_detail_is_in_all_parts_or_the_first_has_none():
    detailed = hits(first=PAIR, last=PAIR, score=array("d", [1, 2]), squares=array("d", [5]))
    other = {**hits(), "topic": array("q", [1])}
    assert "first" in compiled.gather_hits([detailed], 2)
    assert "first" not in compiled.gather_hits([other, detailed], 2)
    refuse(lambda: compiled.gather_hits([detailed, other], 2))


@pytest.mark.parametrize(
    "rules",
    [
        ("", *RULES[1:]),
        ("scores", *RULES[1:]),
        ("docid_desc", *RULES[1:]),
        ("score\0", *RULES[1:]),
        (b"score", *RULES[1:]),
        (0, *RULES[1:]),
        (None, *RULES[1:]),
        ("score", "average", *RULES[2:]),
        ("score", "error", *RULES[2:]),
        (*RULES[:2], "half", "error"),
        (*RULES[:2], True, "error"),
        (*RULES[:3], "last"),
        (*RULES[:3], "\ud800"),
    ],
)
def test_a_rule_that_does_not_exist_is_refused(rules, table):
    refuse(lambda: compiled.Join(table, *rules, False, False))
    if rules[:3] != DEFAULT:
        refuse(
            lambda: candidates(*rules[:3]),
            lambda: compiled.ranks(array("q", [0, 0]), DATA, OFFSETS, array("d", [1, 2]), None, *rules[:3]),
        )


def test_a_join_needs_judgments_of_its_own_kind():
    others = (None, object(), {}, compiled.Table(6, 1))
    refuse(*(partial(compiled.Join, other, *RULES, False, False) for other in others))


@pytest.mark.parametrize("name", ["Judgments", "Join", "Table", "FixedCandidates"])
def test_an_object_comes_only_from_its_constructor(name, table, join):
    kind = getattr(compiled, name)
    made = {"Judgments": table, "Join": join, "Table": compiled.Table(6, 1)}.get(name)
    refuse(lambda: kind.__new__(kind), lambda: kind(), lambda: kind(1, 2, 3), lambda: kind(x=1))
    if made is not None:
        refuse(lambda: copy.copy(made), lambda: pickle.dumps(made))
    refuse(lambda: type("Child", (kind,), {}))


@pytest.mark.parametrize(
    "results", [None, [], "text", {1: {}}, {"1": None}, {"1": {1: 1.0}}, {"1": {"a": "x"}}]
)
def test_what_is_no_plain_dict_is_not_taken(results, join):
    assert join.mapping(results) is False


def test_a_dict_of_strange_keys_and_numbers_runs_none_of_their_code(join):
    class Text(str):
        __slots__ = ()

        def __eq__(self, other):
            raise AssertionError("code of a caller was run")

        __hash__ = str.__hash__

    class Number:
        def __float__(self):
            raise AssertionError("code of a caller was run")

    assert join.mapping({Text("1"): {"a": 1.0}}) is False
    assert join.mapping({"1": {Text("a"): 1.0}}) is False
    assert join.mapping({"1": {"a": Number()}}) is False


def test_feeding_after_the_end_is_no_crash(join):
    join.feed(b"1 Q0 a 1 2.5 t\n")
    first = join.finish()
    assert first["rows"] == 1
    join.feed(b"2 Q0 c 1 2.5 t\n")
    join.finish()
    table = compiled.Table(6, 1)
    table.feed(b"1 Q0 a 1 2.5 t")
    table.finish()
    table.feed(b"1 Q0 b 1 2.5 t")
    assert table.finish()["lines"] == 2


@pytest.mark.parametrize("kind", ["Join", "Table"])
def test_an_object_in_use_by_another_thread_says_so(kind, table):
    made = compiled.Join(table, *RULES, True, False) if kind == "Join" else compiled.Table(6, 1)
    line = b"1 Q0 %d 1 2.5 t\n"
    chunk = b"".join(line % n for n in range(200_000))
    errors, barrier = [], threading.Barrier(4)

    def feed():
        barrier.wait()
        for _ in range(5):
            try:
                made.feed(chunk)
            except ValueError as error:
                errors.append(str(error))

    workers = [threading.Thread(target=feed) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert set(errors) <= {"this object is in use by another thread"}
    assert errors, "the threads never met"
    made.finish()


def test_a_file_that_cannot_be_read_is_an_error_of_the_system(join, tmp_path):
    with pytest.raises(OSError, match="descriptor"):
        join.scan(-1, 0, 10)
    refuse(lambda: join.scan("a.run", 0, 10))
    path = tmp_path / "empty"
    path.write_bytes(b"")
    with path.open("rb") as file:
        assert join.scan(file.fileno(), 5, 3) is None
        assert join.scan(file.fileno(), 0, 1 << 62) is None


def test_only_joins_of_one_kind_are_regrouped(table):
    rules = *RULES, True, True
    first, second = compiled.Join(table, *rules), compiled.Join(table, *rules)
    refuse(*(partial(first.regroup, other) for other in (None, [None], [table], [first], [second, second])))
    refuse(
        lambda: first.regroup([compiled.Join(judgments(compiled, QRELS), *rules)]),
        lambda: first.regroup([compiled.Join(table, "score", "docid_asc", *rules[2:])]),
        lambda: first.regroup([compiled.Join(table, *rules) for _ in range(64)]),
    )


def test_columns_stay_alive_wherever_their_rows_go(table):
    rules = *RULES, True, True
    joins = [compiled.Join(table, *rules) for _ in range(3)]
    for join in joins[:2]:
        data = bytearray(b"ab") + bytearray(1 << 20)
        join.columns(*column([b"1", b"2"]), array("q", [0, 1]), data, OFFSETS, array("d", [1, 2]), None)
        del data
    joins[0].regroup(joins[1:])
    last = joins.pop()
    joins.clear()
    assert isinstance(last.finish(), (dict, tuple))
