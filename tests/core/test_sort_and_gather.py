"""Judgments in order, and the hits of several joins in the order of the judgments."""

import os
import subprocess
import sys
from array import array
from itertools import accumulate, pairwise

import pytest

from core.twins_of import CORES, DEFAULT, column, compiled, joined, judgments, needs_compiled, plain
from rankgauge.core import pure

PREFIXES = [b"", b"d", b"clueweb09-en0000-", b"\0", b"\xff\xff"]
DETAIL = {"first": "q", "last": "q", "score": "d"}


def numbers(buffer, code="q"):
    return list(memoryview(buffer).cast("B").cast(code))


def strings(data, offsets):
    return [bytes(data)[begin:end] for begin, end in pairwise(numbers(offsets))]


@pytest.mark.parametrize("core", CORES)
def test_judgments_are_sorted_by_topic_and_document_and_repeats_stay_as_they_came(core, cases, count):
    for n, rng in cases(count // 20, seed="sort judgments"):
        prefix = rng.choice(PREFIXES)
        topics = rng.sample([b"", b"1", b"10", b"2", b"\0", b"\xff", b"topic", b"Topic"], rng.randint(0, 8))
        size = rng.choice([0, 1, 30, 300]) if topics else 0
        topic = [rng.randrange(len(topics)) for _ in range(size)]
        docs = [prefix + rng.choice([b"", b"\0", b"%d" % rng.randrange(400), b"\xfe"]) for _ in topic]
        if rng.random() < 0.3:  # in order already
            rows = sorted(range(size), key=lambda row: (topics[topic[row]], docs[row]))
            topic, docs = [topic[row] for row in rows], [docs[row] for row in rows]
        ordered = core.sort_judgments(*column(topics), array("q", topic), *column(docs))
        assert sorted(ordered) == ["rows", "starts", "topics"]
        names = sorted(topics)
        assert strings(*ordered["topics"]) == names, n
        rows = sorted(range(size), key=lambda row: (topics[topic[row]], docs[row], row))
        assert numbers(ordered["rows"]) == rows, n
        sizes = [sum(topics[number] == name for number in topic) for name in names]
        assert numbers(ordered["starts"]) == list(accumulate(sizes, initial=0)), n


def random_parts(rng, topics, detail):
    """(what several joins might have returned, {topic: its numbers and hits}); each in one part."""
    found, parts = {}, []
    left = rng.sample(range(topics), rng.randint(0, topics))
    if rng.random() < 0.3:
        left.sort()
    for part in range(rng.randint(0, 3)):
        mine = left[part::3]
        hits = {name: array("q") for name in ("rank", "judgment")}
        hits |= {name: array(code) for name, code in DETAIL.items()} if detail else {}
        by_topic = {name: array("q") for name in ("retrieved", "tied", "decisive")}
        by_topic |= {"squares": array("d")} if detail else {}
        sizes = [rng.choice([0, 1, 2, 7]) for _ in mine]
        for topic, size in zip(mine, sizes, strict=True):
            of_topic = {name: rng.randrange(1, 99) for name in by_topic}
            of_hits = {name: [rng.randrange(99) for _ in range(size)] for name in hits}
            found[topic] = of_topic, of_hits
            for name, number in of_topic.items():
                by_topic[name].append(number)
            for name, values in of_hits.items():
                hits[name].extend(values)
        totals = {name: rng.randrange(99) for name in ("unjudged_topics", "rows", "dropped")}
        starts = array("q", accumulate(sizes, initial=0))
        columns = {"topic": array("q", mine), "starts": starts} | by_topic | hits
        columns["unjudged_hashes"] = array("q", [3 * rng.randrange(99) + part])  # in no other part
        parts.append(columns | totals)
    return parts, found


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("kind", [bytes, memoryview], ids=["bytes", "other buffers"])
def test_hits_of_several_joins_are_put_in_the_order_of_the_topics(core, kind, cases, count):
    for n, rng in cases(count // 20, seed="gather hits"):
        topics, detail = rng.randint(0, 9), rng.random() < 0.5
        parts, found = random_parts(rng, topics, detail)
        given = [{k: v if isinstance(v, int) else kind(v) for k, v in part.items()} for part in parts]
        gathered = core.gather_hits(given, topics)
        for name in ("unjudged_topics", "rows", "dropped"):
            assert gathered.pop(name) == sum(part[name] for part in parts), n
        starts = numbers(gathered.pop("starts"))
        detail = detail and parts
        assert sorted(gathered) == sorted(
            ["retrieved", "tied", "decisive", "rank", "judgment", *(["squares", *DETAIL] if detail else [])]
        ), n
        assert len(starts) == topics + 1
        for name, buffer in gathered.items():
            values = numbers(buffer, "d" if name in ("squares", "score") else "q")
            for topic, (begin, end) in enumerate(pairwise(starts)):
                of_topic, of_hits = found.get(topic, ({}, {}))
                if name in ("retrieved", "tied", "decisive", "squares"):
                    assert values[topic] == of_topic.get(name, 0), (n, name)
                else:
                    assert values[begin:end] == of_hits.get(name, []), (n, name)


@needs_compiled
def test_both_cores_gather_the_hits_of_real_joins_alike(cases, count):
    qrels = {b"%d" % topic: {b"d%d" % doc: float(doc % 3) for doc in range(20)} for topic in range(6)}
    for n, rng in cases(count // 20, seed="gather joins"):
        topics, detail = rng.sample(range(8), 6), rng.random() < 0.5  # two without judgments
        gathered = []
        texts = [
            b"".join(b"%d Q0 d%d 1 %d t\n" % (t, doc, rng.randrange(5)) for t in some for doc in range(30))
            for some in (topics[:2], topics[2:4], topics[4:])
        ]
        for core in (pure, compiled):
            results = [joined(core, qrels, (*DEFAULT, "error", False, detail), [text]) for text in texts]
            gathered.append(plain(core.gather_hits(results, len(qrels))))
        assert gathered[0] == gathered[1], n
        assert gathered[0]["rows"] == 180


def part(core, text=b"1 Q0 a 1 2 t\n"):
    """The hits in some lines of a run, of which the first topic is judged."""
    return joined(core, {b"1": {b"a": 1.0}}, (*DEFAULT, "error", False, False), [text])


@pytest.mark.parametrize("core", CORES)
def test_a_topic_in_two_parts_cannot_be_gathered(core):
    assert core.gather_hits([part(core)], 1)["rows"] == 1
    assert core.gather_hits([part(core), part(core)], 1) is None
    others = [part(core, b"2 Q0 a 1 2 t\n3 Q0 a 1 2 t\n"), part(core, b"4 Q0 a 1 2 t\n")]  # without judgments
    assert core.gather_hits(others, 1)["unjudged_topics"] == 3
    assert core.gather_hits([*others, part(core, b"5 Q0 a 1 2 t\n3 Q0 b 1 2 t\n")], 1) is None


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("topic", [1, -1, 1 << 62])
def test_hits_of_no_topic_are_refused(core, topic):
    with pytest.raises(ValueError, match="no topic"):
        core.gather_hits([part(core) | {"topic": array("q", [topic])}], 1)
    with pytest.raises(ValueError, match="no topic"):
        core.sort_judgments(*column([b"1"]), array("q", [topic]), *column([b"a"]))


def test_neither_core_needs_numpy():
    code = "import sys, rankgauge.core, rankgauge.core.pure; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(
    "visibility",
    [
        (array("d", [2.0, 1.0]), ()),  # levels ascend
        (array("d", [1.0]), ((array("q"), 1, array("q"), False),)),  # each has a kind
    ],
)
def test_visibilities_that_contradict_themselves_are_refused(core, visibility):
    with pytest.raises(ValueError, match=r"ascend|per level"):
        core.Join(judgments(core, {b"1": {b"a": 1.0}}), *DEFAULT, "error", False, False, visibility)


@needs_compiled
@pytest.mark.parametrize(
    "visibility", [7, [1, 2], (1,), (array("d"), 7), (array("d"), (7,)), (array("d"), ((1, 2),))]
)
def test_visibilities_of_another_form_are_refused(visibility):
    with pytest.raises((TypeError, ValueError)):
        compiled.Join(judgments(compiled, {b"1": {b"a": 1.0}}), *DEFAULT, "error", False, False, visibility)


def seeing(reach=0, cutoffs=(), first=False, kind=0):
    """(levels, visibility) of documents of grade 1."""
    return [1.0], [(array("q", [kind]), reach, array("q", cutoffs), first)]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("order", ["descending", "shuffled"])
@pytest.mark.parametrize("judged", [4, 24], ids=["few", "many"])
def test_only_ties_that_are_seen_are_counted_as_decisive(core, order, judged):
    """Documents tie in pairs, of which one is judged: at ranks 1, 3, 5, ..."""
    qrels = {b"1": {b"d%d" % (2 * n): 1.0 for n in range(judged)}}
    lines = [b"1 Q0 d%d 1 %d t\n" % (n, -(n // 2)) for n in range(2 * judged)]
    if order == "shuffled":
        lines = lines[::-1]
    scores = array("d", [-(n // 2) for n in range(2 * judged)])
    docs = column([b"d%d" % n for n in range(2 * judged)])
    numbers = array("q", [n // 2 if n % 2 == 0 else -1 for n in range(2 * judged)])
    for visible, expected in (
        (seeing(reach=0), 0),
        (seeing(reach=1), 1),
        (seeing(reach=2), 1),
        (seeing(reach=3), 2),
        (seeing(reach=1 << 40), judged),
        (seeing(reach=3, first=True), 1),  # the first tie holds the first hit, wherever it is
        (seeing(cutoffs=[1, 2, 5, 6]), 2),  # only a tie that a cutoff divides
        (seeing(reach=1, cutoffs=[3]), 2),
        (seeing(kind=-1, reach=1 << 40), 0),
        (((), []), 0),
    ):
        levels, each = visible
        visibility = array("d", levels), tuple(each)
        found = joined(core, qrels, (*DEFAULT, "error", False, False, visibility), lines)
        assert plain(core.gather_hits([found], 1))["decisive"] == array("q", [expected]).tobytes()
        fixed = core.FixedCandidates(
            array("q", [0]),
            array("q", [len(scores)]),
            *docs,
            numbers,
            array("d", [1.0] * judged),
            *DEFAULT,
            visibility,
        )
        assert plain(fixed.place(scores))[3] == array("q", [expected]).tobytes()
