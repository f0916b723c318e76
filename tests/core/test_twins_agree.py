"""The two cores on the same input, thousands of times: never a crash, never a difference."""

import math
import random
from array import array
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mutation import DOCS, TOPICS, chunks, judged, mutated
from core.twins_of import (
    DEFAULT,
    DUPLICATES,
    UNRANKED,
    column,
    compiled,
    in_trouble,
    joined,
    judgments,
    needs_compiled,
    of_columns,
    plain,
    regrouped,
    rules,
    scanned,
    tabled,
    visibility,
)
from rankgauge.core import NAME, codes, pure

pytestmark = [
    needs_compiled,
    pytest.mark.skipif(NAME == "pure", reason="the cores are compared in the run of the compiled one"),
]


COMPARED = {
    "FixedCandidates",
    "Join",
    "Judgments",
    "Table",
    "cumulate",
    "duplicates",
    "encode",
    "encode_views",
}
COMPARED |= {"gather_hits", "pack_views", "ranks", "run_text", "sort_judgments", "take", "topic_lines"}
COMPARED |= {"Program"}  # in test_programs
COMPARED |= {"dots", "near", "near_differences", "permuted_sums"}  # in test_vectors and test_permuting


def test_everything_the_core_offers_is_compared_here():
    assert {name for name in dir(compiled) if not name.startswith("_")} == COMPARED
    assert set(pure.__all__) == COMPARED


def test_both_cores_find_the_same_hits_in_mutated_runs_or_are_both_in_trouble(cases, count):
    outcomes = Counter()
    for n, rng in cases(count):
        qrels, text, (rule, least) = judged(rng), mutated(rng), rules(rng)
        ours = joined(pure, qrels, rule, chunks(rng, text), least)
        theirs = joined(compiled, qrels, rule, chunks(rng, text), least)
        assert in_trouble(ours) == in_trouble(theirs), (n, ours, theirs)
        if in_trouble(ours):
            found = {ours[0], theirs[0]}
            outcomes[ours[0]] += 1
            if found != {codes.REAPPEARED} and codes.REAPPEARED in found:
                # which of several troubles is told is not promised; so there must be another
                collected = (*rule[:4], True, False, rule[6])
                assert in_trouble(joined(compiled, qrels, collected, [text], least)), (n, ours, theirs)
        else:
            outcomes["hits"] += 1
            assert plain(ours) == plain(theirs), n
    # the mutations are worth something only if all of this comes up
    assert outcomes["hits"] > count / 5
    seen = {code for code in outcomes if code != "hits"}
    wanted = {
        codes.COLUMNS,
        codes.BAD_SCORE,
        codes.NOT_A_NUMBER,
        codes.BAD_RANK,
        codes.DUPLICATE,
        codes.BINARY,
    }
    assert seen >= wanted | {codes.REAPPEARED}


@pytest.mark.parametrize("twin", [pure, compiled], ids=["pure", "compiled"])
def test_a_file_the_core_reads_itself_gives_what_its_bytes_give(twin, cases, count, tmp_path):
    path = tmp_path / "a.run"
    for n, rng in cases(count // 20, seed="scan"):
        qrels, text, (rule, least) = judged(rng), mutated(rng), rules(rng)
        path.write_bytes(text)
        places = sorted(rng.randrange(len(text) + 1) for _ in range(rng.randint(0, 3)))
        # the end may lie behind the end of the file, which has then become shorter
        theirs = scanned(twin, qrels, rule, path, [0, *places, len(text) + rng.choice([0, 9])], least)
        ours = joined(twin, qrels, rule, [text], least)
        assert in_trouble(ours) == in_trouble(theirs), n
        assert in_trouble(ours) or plain(ours) == plain(theirs), n


@pytest.mark.parametrize("twin", [pure, compiled], ids=["pure", "compiled"])
def test_parts_of_a_run_that_are_regrouped_give_what_the_whole_gives(twin, cases, count):
    outcomes = Counter()
    for n, rng in cases(count // 6, seed="regroup"):
        qrels, text, (rule, least) = judged(rng), mutated(rng), rules(rng)
        rule = (*rule[:4], True, *rule[5:])
        lines = text.split(b"\n")
        cuts = [0, *sorted(rng.randrange(len(lines) + 1) for _ in range(rng.choice([1, 1, 2, 5])))]
        parts = [b"\n".join(lines[a:b]) + b"\n" for a, b in pairwise([*cuts, len(lines)])]
        whole, together = (
            regrouped(pure, qrels, rule, [text], least),
            regrouped(twin, qrels, rule, parts, least),
        )
        outcomes[in_trouble(whole)] += 1
        assert in_trouble(whole) == in_trouble(together), n
        assert in_trouble(whole) or whole == together, n
    assert outcomes[True]
    assert outcomes[False]


@pytest.mark.parametrize("twin", [pure, compiled], ids=["pure", "compiled"])
def test_only_joins_that_collect_are_regrouped(twin):
    rule = (*DEFAULT, "error", False, False)
    join = twin.Join(judgments(twin, {b"1": {b"d": 1.0}}), *rule)
    with pytest.raises(ValueError, match="collect"):
        join.regroup([])


@pytest.mark.parametrize("twin", [pure, compiled], ids=["pure", "compiled"])
@pytest.mark.parametrize("collect", [False, True])
@pytest.mark.parametrize("end", ["finish", "rank_some", "regroup"])
def test_rows_that_come_after_the_end_are_not_taken(twin, collect, end):
    join = twin.Join(judgments(twin, {b"1": {b"d": 1.0}}), *DEFAULT, "error", collect, False)
    rows = *column([b"1"]), array("q", [0, 0]), *column([b"d", b"e"]), array("d", [2, 1]), None
    assert join.columns(*rows) is None
    if end != "regroup" or collect:
        getattr(join, end)(*([[]] if end == "regroup" else []))
        assert join.columns(*rows) is None
        assert join.feed(b"1 Q0 f 1 1 t\n") is None
    assert join.finish()["rows"] == 2


@pytest.mark.parametrize("fields", [6, 4, 3])
def test_both_cores_read_the_same_columns_and_problems_from_mutated_files(fields, cases, count):
    problems = Counter()
    for n, rng in cases(count // 3, seed=fields):
        text, keep = mutated(rng, "run" if fields == 6 else "qrels"), rng.choice([0, 1, 3, 1000])
        if fields == 3:
            text = text.replace(b" 0 ", b" ")
        ours = tabled(pure, fields, keep, chunks(rng, text))
        theirs = tabled(compiled, fields, keep, chunks(rng, text))
        assert ours == theirs, (n, text)
        problems.update(ours["counts"])
    bad = codes.BAD_SCORE if fields == 6 else codes.BAD_GRADE
    assert set(problems) == {codes.COLUMNS, bad, codes.NOT_A_NUMBER, codes.BINARY}


def test_both_cores_find_the_same_lines_of_topics(cases, count):
    words = [b"q1", b"q", b"q1x", b"\0", b" ", b"\t", b"\r", b"\x0b", b"\n", b"\n", b"\n", b"\xff"]
    for n, rng in cases(count, seed="topics"):
        text = rng.choice([mutated(rng), b"".join(rng.choices(words, k=rng.randint(0, 40)))]) + b"\n"
        found = pure.topic_lines(text)
        assert plain(found) == plain(compiled.topic_lines(text)), (n, text)


ids = st.binary(max_size=9)
rows = st.tuples(ids, ids, st.integers(-(1 << 63), (1 << 63) - 1), st.floats(), ids)


@given(st.lists(rows, max_size=6), st.integers(-20, 20), st.booleans())
def test_both_cores_write_a_run_as_python_writes_its_numbers(rows, power, is_narrow):
    near = [
        (b"1", b"d", power, sign * math.nextafter(10.0**power, to), b"t")
        for sign in (1, -1)
        for to in (0, 2e20)
    ]
    rows = [*rows, (b"1", b"d", 0, 10.0**power, b"t"), *near]
    topics, docs, ranks, scores, tags = zip(*rows, strict=True)
    texts = [column([*each]) for each in (topics, docs, tags)]
    if is_narrow:
        texts = [(data, array("i", offsets)) for data, offsets in texts]
    columns = *texts[0], *texts[1], array("q", ranks), array("d", scores), *texts[2]
    expected = b"".join(b"%b Q0 %b %d %b %b\n" % (*row[:3], repr(row[3]).encode(), row[4]) for row in rows)
    assert pure.run_text(*columns) == compiled.run_text(*columns) == expected


@pytest.mark.parametrize("twin", [pure, compiled], ids=["pure", "compiled"])
def test_the_size_of_chunks_is_invisible(twin, cases, count):
    for n, rng in cases(count // 6, seed="chunks"):
        qrels, text, (rule, least) = judged(rng), mutated(rng), rules(rng)
        whole, parts = (
            joined(twin, qrels, rule, [text], least),
            joined(twin, qrels, rule, chunks(rng, text), least),
        )
        assert in_trouble(whole) == in_trouble(parts), n
        assert in_trouble(whole) or plain(whole) == plain(parts), n
        assert tabled(twin, 6, 9, [text]) == tabled(twin, 6, 9, chunks(rng, text)), n


@pytest.mark.parametrize("length", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 20) + 64, 1 << 21])
@pytest.mark.parametrize("size", [1 << 18, (1 << 20) + 7, 1 << 22])
def test_both_cores_draw_the_line_for_lines_at_the_same_length(length, size):
    short = b"1 Q0 d1 1 2.5 tag\n"
    long = b"1 Q0 " + b"x" * (length - 15) + b" 2 1.5 tag"
    assert len(long) == length
    text = short + long + b"\n" + b"1 Q0 d2 3 0.5 tag\n" * 20
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    ours = tabled(pure, 6, 5, pieces)
    assert ours == tabled(compiled, 6, 5, pieces)
    assert ours["counts"] == ({codes.LONG_LINE: 1} if length > codes.MAX_LINE else {})
    rule = (*DEFAULT, "first", False, False)
    qrels = {b"1": {b"d2": 1.0}}
    ours, theirs = joined(pure, qrels, rule, pieces), joined(compiled, qrels, rule, pieces)
    if length > codes.MAX_LINE:
        assert ours[0] == theirs[0] == codes.LONG_LINE
        assert ours == theirs
    else:
        assert plain(ours) == plain(theirs)


@pytest.mark.parametrize("twin", [pure, compiled], ids=["pure", "compiled"])
def test_a_line_that_is_too_long_is_a_problem_before_its_end(twin):
    table = twin.Table(6, 5)
    assert [table.feed(chunk) for chunk in (b"1 Q0 d 1 2 t\n", b"1\n2\n", b"x" * codes.MAX_LINE)] == [0, 2, 2]
    assert [table.feed(chunk) for chunk in (b"x", b"x", b"x\n", b"1 Q0 d 1 2 t\n")] == [3, 3, 3, 3]
    assert table.finish()["counts"] == {codes.COLUMNS: 2, codes.LONG_LINE: 1}
    join = twin.Join(judgments(twin, {b"1": {b"d": 1.0}}), *DEFAULT, "error", False, False)
    assert join.feed(b"1 Q0 d 1 2 t\n" + b"x" * codes.MAX_LINE) is None
    assert join.feed(b"x")[:2] == (codes.LONG_LINE, 2)
    assert join.finish()[:2] == (codes.LONG_LINE, 2)


@pytest.mark.parametrize("duplicates", ["first", "max"])
@pytest.mark.parametrize("collect", [False, True], ids=["consecutive", "interleaved"])
@pytest.mark.parametrize("order", [("score", "input"), ("rank", "docid_desc")])
def test_duplicates_do_not_wait_for_the_end_of_a_topic(order, collect, duplicates, monkeypatch):
    monkeypatch.setattr("rankgauge.core.pure.join.THINNED", 64)
    rows = [(n % (1 + collect), n % 9, n % 7, n % 5) for n in range(105)]
    text = b"".join(b"%d Q0 d%d %d %d t\n" % row for row in rows)
    rule, qrels = (
        (*order, "double", duplicates, collect, True),
        {b"1": {b"d1": 1.0, b"d8": 2.0}, b"0": {b"d1": 1.0}},
    )
    once = joined(pure, qrels, rule, [text])
    for core, times in ((pure, 9), (compiled, 5000)):
        many = joined(core, qrels, rule, [text * (times // 5)] * 5 + [text] * (times % 5))
        assert (many.pop("rows"), many.pop("dropped")) == (105 * times, 105 * times - 105 + once["dropped"])
        assert plain(many) == plain({name: once[name] for name in many}), core
    again = joined(compiled, qrels, (*rule[:3], "error", *rule[4:]), [text * 300] * 10)
    assert again[0] == codes.DUPLICATE
    assert again[1] < 300_000  # of 315,000 lines


def random_column(rng, strings, most=40):
    return [rng.choice(strings) for _ in range(rng.randint(0, most))]


def test_both_cores_take_encode_and_look_for_duplicates_alike(cases, count):
    for n, rng in cases(count // 4, seed="columns"):
        strings = random_column(rng, [*DOCS, b"", b"\0", b"\0\0"])
        data, offsets = column(strings)
        indices = array(
            "q", [rng.randrange(len(strings)) for _ in range(rng.randint(0, 9))] if strings else []
        )
        assert plain(pure.take(data, offsets, indices)) == plain(compiled.take(data, offsets, indices)), n
        assert plain(pure.encode(data, offsets)) == plain(compiled.encode(data, offsets)), n
        groups = array("q", [rng.choice([0, 1, -1, 1 << 62]) for _ in strings])
        assert plain(pure.duplicates(groups, data, offsets)) == plain(
            compiled.duplicates(groups, data, offsets)
        ), n


def views_of(rng, strings):
    """(Arrow's views of strings, the buffers that the long ones lie in)."""
    views, buffers = b"", [b"left over", b"", b"more"]
    for string in strings:
        views += len(string).to_bytes(4, "little")
        if len(string) <= 12:
            views += string.ljust(12, b"\0")
            continue
        heap = rng.randrange(3)
        if string not in buffers[heap] or rng.random() < 0.5:  # equal strings may lie in several places
            buffers[heap] += string
        begin = buffers[heap].rindex(string)
        views += string[:4] + heap.to_bytes(4, "little") + begin.to_bytes(4, "little")
    return views, buffers


def test_both_cores_unpack_and_encode_views_alike(cases, count):
    for n, rng in cases(count // 10, seed="views"):
        strings = random_column(rng, [*DOCS, b"", b"x" * 12, b"x" * 13, b"x" * 12 + b"y"])
        views, buffers = views_of(rng, strings)
        packed = plain(compiled.pack_views(views, buffers))
        assert packed == plain(pure.pack_views(views, buffers)) == plain(column(strings)), n
        encoded = plain(compiled.encode_views(views, buffers))
        assert encoded == plain(pure.encode_views(views, buffers)) == plain(pure.encode(*column(strings))), n


def test_both_cores_cumulate_alike(cases, count):
    for n, rng in cases(count // 10, seed="cumulate"):
        starts = array("q", [0])
        for _ in range(rng.randint(0, 6)):
            starts.append(starts[-1] + rng.choice([0, 1, 5, 40]))
        values = array("d", [rng.choice([0.1, 0.3, 1.0, 1e16, rng.random()]) for _ in range(starts[-1])])
        assert plain(pure.cumulate(values, starts)) == plain(compiled.cumulate(values, starts)), n


def test_both_cores_look_judgments_up_alike(cases, count):
    for n, rng in cases(count // 10, seed="lookup"):
        qrels, least = judged(rng), rng.choice([-math.inf, 1.0])
        docs = random_column(rng, [*DOCS, b"u", b""])
        topics = array("q", [rng.randrange(-1, len(qrels)) for _ in docs])
        ours = plain(judgments(pure, qrels, least).lookup(topics, *column(docs)))
        assert ours == plain(judgments(compiled, qrels, least).lookup(topics, *column(docs))), n


def test_both_cores_order_candidates_alike(cases, count):
    for n, rng in cases(count // 4, seed="plan"):
        docs, judgment, begins, ends = [], array("q"), array("q"), array("q")
        grades = array("d", [rng.choice([-1.0, 0.0, 1.0, 2.0]) for _ in range(60)])
        for _ in range(rng.randint(0, 4)):
            begins.append(len(docs))
            docs += rng.sample([*DOCS, *(b"u%d" % i for i in range(30))], rng.randint(0, 42))
            ends.append(len(docs))
        unjudged = rng.choice([0.1, 0.5, 0.9])
        judgment.extend(-1 if rng.random() < unjudged else rng.randrange(60) for _ in docs)
        order = "score", rng.choice(UNRANKED), rng.choice(["double", "single"])
        seen = visibility(rng)
        both = [
            twin.FixedCandidates(begins, ends, *column(docs), judgment, grades, *order, seen)
            for twin in (pure, compiled)
        ]
        for _ in range(2):
            values = [
                1.0,
                2.0,
                0.5,
                -0.0,
                0.0,
                math.inf,
                -math.inf,
                1e300,
                16777216.0,
                16777217.0,
                rng.random(),
            ]
            if rng.random() < 0.1:
                values.append(math.nan)
            scores = array(rng.choice("df"), [rng.choice(values) for _ in docs])
            ours, theirs = (plain(candidates.place(scores)) for candidates in both)
            assert ours == theirs, n
            assert (ours is None) == any(map(math.isnan, scores)), n


def test_both_cores_order_columns_alike(cases, count):
    for n, rng in cases(count // 4, seed="join columns"):
        qrels, (rule, least) = judged(rng), rules(rng)
        topics = rng.sample(TOPICS, rng.randint(1, len(TOPICS)))
        topic = [rng.randrange(len(topics)) for _ in range(rng.randint(0, 60))]
        if rng.random() < 0.7:
            topic.sort()
        docs = [rng.choice([*DOCS, *(b"u%d" % i for i in range(40))]) for _ in topic]
        scores = array("d", [rng.choice([1.0, 2.0, 3.0, 1e300, -1.5, rng.random()]) for _ in topic])
        ranks = array("q", [rng.randrange(5) for _ in topic])
        rows = *column(topics), array("q", topic), *column(docs), scores, ranks
        ours, theirs = (of_columns(twin, qrels, rule, rows, least) for twin in (pure, compiled))
        assert in_trouble(ours) == in_trouble(theirs), (n, ours, theirs)
        assert in_trouble(ours) or plain(ours) == plain(theirs), n


def test_both_cores_take_columns_in_pieces_as_whole_ones(cases, count):
    seen = set()  # codes of problems, or 0
    for n, rng in cases(count // 4, seed="join pieces"):
        qrels, (rule, least) = judged(rng), rules(rng)
        topics = rng.sample(TOPICS, rng.randint(1, len(TOPICS)))
        topic = sorted(rng.randrange(len(topics)) for _ in range(rng.randint(1, 60)))
        if rng.random() < 0.3:
            topic.append(topic[0])
        docs = [b"u%d" % i for i in rng.sample(range(70), len(topic))]
        docs[: len(DOCS)] = DOCS[: len(topic)]
        if rng.random() < 0.2:
            docs[-1] = docs[0]
        scores = [rng.choice([1.0, 2.0, rng.random()]) for _ in topic]
        ranks = [rng.randrange(5) for _ in topic]
        cuts = sorted(rng.choices(range(len(topic) + 1), k=rng.randint(0, 5)))
        pieces = [slice(*ends) for ends in pairwise([0, *cuts, len(topic)])]
        found = []
        for twin in (pure, compiled):
            for parts in ([slice(0, len(topic))], pieces):
                join = twin.Join(judgments(twin, qrels, least), *rule)
                for part in parts:  # nobody else keeps them
                    data, offsets = column(docs[part])
                    numbers = array(rng.choice("iq"), topic[part]), array(rng.choice("iq"), offsets)
                    values = array("d", scores[part]), array("q", ranks[part])
                    join.columns(*column(topics), numbers[0], data, numbers[1], *values)
                found.append(plain(join.finish()))
        assert all(one == found[0] for one in found), (n, found)
        seen.add(0 if isinstance(found[0], dict) else found[0][0])
    assert len(seen) > 2


@pytest.mark.parametrize("twin", [pure, compiled], ids=["pure", "compiled"])
def test_columns_with_a_score_that_is_nan_are_refused(twin):
    docs = [b"d%d" % number for number in range(500)]
    join = twin.Join(judgments(twin, {b"1": dict.fromkeys(docs, 1.0)}), *DEFAULT, "error", False, False)
    scores = array("d", [math.nan if number % 9 == 4 else number for number in range(500)])
    with pytest.raises(ValueError, match="NaN"):
        join.columns(*column([b"1"]), array("q", [0] * 500), *column(docs), scores, None)


# How scores may lie: spread out, in clusters, on top of each other, as far apart as numbers go.
SPREADS = {
    "even": lambda rng: rng.random(),
    "skewed": lambda rng: rng.lognormvariate(0, 8),
    "wide": lambda rng: rng.choice([-1, 1]) * 10.0 ** rng.randint(-300, 300),
    "narrow": lambda rng: 1 + rng.randrange(40) * 2**-52,
    "tiny": lambda rng: rng.randrange(40) * 5e-324,
    "few": lambda rng: rng.choice([1.0, 2.0, 3.5]),
    "rounded": lambda rng: round(rng.random(), rng.choice([1, 2])),
    "one apart": lambda rng: rng.choice([0.0] * 50 + [1e308, -1e308]),
    "infinite": lambda rng: rng.choice([rng.random(), math.inf, -math.inf]),
    "negative zero": lambda rng: rng.choice([0.0, -0.0, 1.0]),
    "mixed": lambda rng: rng.choice([rng.random(), 0.5, rng.gauss(0, 1e5)]),
    "single": lambda rng: 16777216.0 + rng.randrange(40),
}


@pytest.mark.parametrize("spread", SPREADS)
def test_both_cores_order_long_rankings_alike_however_they_come(spread, cases, count):
    for n, rng in cases(count // 100, seed=spread):
        size = rng.choice([45, 47, 48, 49, 72, 100, 136, 1000])
        docs = [b"d%d" % d for d in rng.sample(range(9 * size), size)]
        scores = array("d", [SPREADS[spread](rng) for _ in docs])
        if rng.random() < 0.3:
            scores = array("d", sorted(scores, reverse=rng.random() < 0.5))
        some = rng.choice([1, 8, 9, 17, 40, size // 5, size // 3, size])
        qrels = {b"1": {d: rng.choice([0.0, 1.0, 2.0]) for d in rng.sample(docs, some)}}
        order = "score", rng.choice(UNRANKED), rng.choice(["double", "double", "single"])
        seen = visibility(rng)
        rule = (*order, "error", False, False, seen)
        text = b"".join(
            b"1 Q0 %b 1 %b t\n" % (d, repr(s).encode()) for d, s in zip(docs, scores, strict=True)
        )
        results = {"1": {d.decode(): s for d, s in zip(docs, scores, strict=True)}}
        found = []
        for twin in (pure, compiled):
            table = judgments(twin, qrels)
            joins = [twin.Join(table, *rule) for _ in range(3)]
            joins[0].feed(text)
            joins[1].columns(*column([b"1"]), array("q", [0] * size), *column(docs), scores, None)
            assert joins[2].mapping(results)
            found += [plain(join.finish()) for join in joins]
            judgment = table.lookup(array("q", [0] * size), *column(docs))
            grades = array("d", [qrels[b"1"][d] for d in sorted(qrels[b"1"])])
            begins, ends = array("q", [0]), array("q", [size])
            candidates = twin.FixedCandidates(begins, ends, *column(docs), judgment, grades, *order, seen)
            names = ("rank", "judgment", "tied", "decisive")
            candidates.place(array("f", bytes(4 * size)))  # all tied
            found.append({**found[-1], **dict(zip(names, plain(candidates.place(scores)), strict=True))})
        assert all(one == found[0] for one in found), n


def test_candidates_are_placed_by_many_threads_at_once():
    rng = random.Random(4)
    docs, topics = [b"d%d" % d for d in rng.sample(range(9000), 4000)], 40
    bounds = [array("q", range(first, 4001, 100))[:topics] for first in (0, 100)]
    judgment = array("q", [rng.choice([-1, 0]) for _ in docs])
    scores = array("d", [rng.randrange(5) for _ in docs])

    def places(twin, threads):
        candidates = twin.FixedCandidates(
            *bounds, *column(docs), judgment, array("d", [1.0]), "score", "docid_desc", "double"
        )
        with ThreadPoolExecutor(threads) as pool:
            return [plain(placed) for placed in pool.map(candidates.place, [scores] * threads)]

    assert places(compiled, 8) == places(pure, 1) * 8


@pytest.mark.parametrize("rule", DUPLICATES)
def test_both_cores_find_the_same_duplicates_in_long_rankings(rule, cases, count):
    repeated = 0
    for n, rng in cases(count // 100, seed=f"duplicates {rule}"):
        size = rng.choice([1, 2, 30, 500, 4000])
        docs = [b"document %d" % d for d in range(size)]
        rng.shuffle(docs)
        for _ in range(rng.choice([0, 0, 1, 2, size // 4])):
            docs[rng.randrange(size)] = rng.choice(docs)
        repeated += len({*docs}) < size
        scores = array("d", [rng.choice([rng.random(), 0.5]) for _ in docs])
        qrels = {b"1": dict.fromkeys(rng.sample(docs, min(size, rng.choice([1, 20, 100]))), 1.0)}
        rows = *column([b"1"]), array("q", [0] * size), *column(docs), scores, None
        chosen = *DEFAULT, rule, n % 2 == 0, False
        ours, theirs = (plain(of_columns(twin, qrels, chosen, rows)) for twin in (pure, compiled))
        assert ours == theirs, n
    assert repeated


def test_both_cores_take_dicts_alike(cases, count):
    taken = 0
    odd = [True, None, "1", 1 << 2000, math.nan, 10**18 + 1]
    for n, rng in cases(count // 4, seed="mapping"):
        order = "score", rng.choice(UNRANKED), rng.choice(["double", "double", "single"])
        qrels, rule = judged(rng), (*order, "error", False, n % 2 == 0, visibility(rng))
        texts = [b.decode() for b in (*TOPICS, b"unjudged")]
        docs = [b.decode("utf-8", "replace") for b in DOCS] + [
            f"u{i}" for i in range(rng.choice([0, 5, 200]))
        ]
        results = {}
        for topic in rng.sample(texts, rng.randint(0, len(texts))):
            chosen = rng.sample(docs, rng.randint(0, len(docs)))
            results[topic] = {doc: rng.choice([1, 2.0, 3, -0.0, 0.1, 1e300, 16777217]) for doc in chosen}
            if chosen and rng.random() < 0.1:
                results[topic][rng.choice([*chosen, "new"])] = rng.choice(odd)
            if rng.random() < 0.03:
                results[rng.choice([topic, 7, b"1"])] = rng.choice([[], {}, None])
            if rng.random() < 0.03:
                results[topic] = {rng.choice([3, b"d1"]): 1.0}
            if rng.random() < 0.03 and isinstance(results[topic], dict):
                results[topic][rng.choice(["\ud800", "d\udcff"])] = rng.random()  # no text, and no UTF-8
        found = []
        for twin in (pure, compiled):
            join = twin.Join(judgments(twin, qrels), *rule)
            found.append(plain(join.finish()) if join.mapping(results) else None)
        assert found[0] == found[1], (n, results)
        taken += found[0] is not None
    assert count / 8 < taken < count / 4
