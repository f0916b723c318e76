"""Programs: both cores run them alike, hostile ones are errors, and threads may share one."""

import random
from array import array
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.mutation import judged
from core.twins_of import CORES, compiled, judgments, needs_compiled
from rankgauge.core import pure
from rankgauge.core.buffers import offsets
from rankgauge.engines.programs import can_record, record_measures
from rankgauge.measures import MEASURES, parse
from rankgauge.model.rules import DocumentOrder

RULES = (*DocumentOrder().core_rules(), "error")
ONE = {b"t": {b"a": 1.0, b"b": 0.0}, b"u": {b"a": 2.0}}
TEXTS = [str(parse(spec.example)) for spec in MEASURES.own().values() if can_record(parse(spec.example))]
TEXTS += ["P(average=micro)@3", "nDCG(gains={-1:0,0:0,1:1,2:3,3:7})", "AP(grade=1)", "RR(judged_only=true)@2"]


def made(core, judged, instructions, constants, tables, outputs, lowest=-9.0):
    grades = [judged[topic][doc] for topic in sorted(judged) for doc in sorted(judged[topic])]
    starts = offsets(len(judged[topic]) for topic in sorted(judged))
    names = tuple(map(str, range(len(outputs))))
    program = names, instructions, constants, [array("d", table) for table in tables], outputs
    return core.Program(judgments(core, judged), RULES, *program, starts, array("d", grades), lowest)


def alone(core, instructions, constants=(), tables=(), outputs=(4,), hits=((1, 0), (3, 1)), retrieved=5):
    """The outputs for the first topic of ONE, of which these (rank, judgment) are hits."""
    program = made(core, ONE, list(instructions), list(constants), tables, list(outputs))
    starts = array("q", [0, len(hits), len(hits)])
    rank, judgment = (array("q", [hit[part] for hit in hits]) for part in (0, 1))
    found = program.measure(starts, rank, judgment, array("q", [retrieved, 0]))
    return found if isinstance(found, int) else array("d", found).tolist()[::2]


def random_hits(rng, judged):
    """Columns of hits of all topics: where they begin, ranks, judgments, and documents retrieved."""
    sizes, rank, judgment, retrieved, begin = [], [], [], [], 0
    for topic in sorted(judged):
        found = [n for n in range(len(judged[topic])) if rng.random() < 0.6]
        ranks = sorted(rng.sample(range(1, 40), len(found)))
        sizes.append(len(found))
        rank += ranks
        judgment += [begin + n for n in rng.sample(found, len(found))]
        retrieved.append(max(ranks, default=0) + rng.randint(0, 5))
        begin += len(judged[topic])
    return offsets(sizes), *(array("q", numbers) for numbers in (rank, judgment, retrieved))


@needs_compiled
@pytest.mark.parametrize("text", TEXTS)
def test_both_cores_run_the_program_of_a_measure_alike(text):
    rng = random.Random(text)
    for _ in range(6):
        campaign = {
            topic: {doc: float(rng.choice([-1, 0, 1, 1, 2, 3])) for doc in docs}
            for topic, docs in judged(rng).items()
        }
        levels = tuple(sorted({grade for docs in campaign.values() for grade in docs.values()}))
        if not levels:
            continue
        program, recorded = record_measures((parse(text),), levels)
        if not recorded:
            continue
        tables, hits = program.filled_tables(100), random_hits(rng, campaign)
        fields = program.instructions, program.constants, tables, program.outputs
        one, other = (made(core, campaign, *fields) for core in (compiled, pure))
        assert shown(one.measure(*hits)) == shown(other.measure(*hits))
        run = {
            topic.decode(): {doc.decode(): rng.random() for doc in docs}
            for topic, docs in judged(rng).items()
            if is_text(topic) and all(map(is_text, docs))
        }
        assert repr(one.of_mapping(run)) == repr(other.of_mapping(run))


def shown(values):
    """Values to be compared: NaN is equal to NaN, of any sign, and 0 is not -0."""
    return values if isinstance(values, int) else repr(array("d", values).tolist())


def is_text(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("core", CORES)
def test_operations_by_hand(core):
    inf, nan = float("inf"), float("nan")
    by_hand = [
        ((("div", 4, 5),), [1.0, 0.0], inf),
        ((("div", 4, 4),), [0.0], nan),
        ((("min", 4, 5),), [nan, 1.0], nan),
        ((("max", 5, 4),), [nan, 1.0], nan),
        ((("whole sub", 4, 5), ("to number", 6)), [2, 5], -3.0),
        ((("whole div", 4, 5), ("to number", 6)), [-7, 2], -4.0),
        ((("to whole", 4), ("to number", 5)), [-2.7], -2.0),
        ((("log2", 4),), [8.0], 3.0),
        ((("less", 4, 5), ("choose", 6, 4, 5)), [1.0, 2.0], 1.0),
        ((("size", 0), ("to number", 4)), [], 2.0),
        ((("count", 0, 4), ("to number", 5)), [2], 1.0),
        ((("sums", 1), ("get", 6, 4, 5)), [2, 0.5], 1.0),
        ((("sums", 1), ("get", 6, 4, 5)), [3, 0.5], 0.5),
        ((("order", 1, 1), ("take", 0, 5), ("to number", 6), ("get", 7, 4, 4)), [1], 1.0),
        ((("equal", 1, 4), ("keep", 5), ("size", 6), ("to number", 7)), [1.0], 1.0),
    ]
    for instructions, constants, expected in by_hand:
        last = 3 + len(constants) + len(instructions)
        assert repr(alone(core, instructions, constants, outputs=(last,))) == repr([expected]), instructions


@pytest.mark.parametrize("core", CORES)
def test_what_no_program_can_do_is_a_number(core):
    assert alone(core, [("refuse", 4)], [1], outputs=(4,)) == 0
    assert alone(core, [("log", 4)], [-1.0], outputs=(5,)) == 0
    assert alone(core, [("whole div", 4, 4)], [0], outputs=(5,)) == 0
    assert alone(core, [("by rank", 2, 0)], tables=[[1.0, 2.0]]) == 5
    assert alone(core, [("by rank", 2, 0)], tables=[[1.0] * 9]) == [1.0]


@needs_compiled
def test_a_hostile_program_is_an_error():
    for instructions, outputs in (
        ([("no such", 0)], [4]),
        ([("add", 0, 9)], [4]),
        ([("add", 0, -1)], [4]),
        ([("by rank", 0, 0)], [4]),
        ([("add", 0)], [4]),
        ([()], [4]),
        ([], [0]),
        ([], [99]),
        ([("merge", 0, 2), ("add", 0, 4), ("size", 5)], [6]),
        ([("take", 1, 0), ("size", 4)], [5]),
    ):
        with pytest.raises((ValueError, TypeError)):
            alone(compiled, instructions, outputs=outputs)
    program = made(compiled, ONE, [], [1.0], [], [4])
    good = offsets([1, 0]), array("q", [1]), array("q", [0]), array("q", [1, 0])
    assert len(program.measure(*good)) == 16
    for place, wrong in (
        (0, offsets([1])),
        (0, array("q", [0, 2, 1])),
        (1, array("q", [])),
        (2, array("q", [3])),
        (2, array("q", [-1])),
        (3, array("q", [1])),
        (3, b"123"),
    ):
        with pytest.raises(ValueError, match=r".+"):
            program.measure(*good[:place], wrong, *good[place + 1 :])
    for of_other in ({b"t": {b"a": 1.0}}, {**ONE, b"v": {}}):
        with pytest.raises(ValueError, match="other judgments"):
            compiled.Program(
                judgments(compiled, of_other),
                RULES,
                (),
                [],
                [],
                [],
                [],
                offsets([2, 1]),
                array("d", [1, 0, 2]),
                0,
            )


@needs_compiled
def test_random_programs_never_crash(cases, count):
    names = {"add": 2, "whole add": 2, "min": 2, "less": 2, "to whole": 1, "log": 1, "choose": 3, "fill": 2}
    names |= {
        "size": 1,
        "nth": 1,
        "keep": 1,
        "order": 2,
        "take": 2,
        "previous": 2,
        "last equal": 1,
        "merge": 2,
    }
    names |= {"sums": 1, "highest": 1, "best to come": 1, "count": 2, "get": 3, "refuse": 1}
    ends = set()
    for _, rng in cases(count):
        constants = [rng.choice([0.0, 1.5, 2, -1, float("nan"), 1 << 62]) for _ in range(rng.randint(0, 2))]
        instructions, registers = [], 4 + len(constants)
        for _ in range(rng.randint(0, 9)):
            name = rng.choice([*names])
            instructions.append((name, *(rng.randrange(registers) for _ in range(names[name]))))
            registers += 1
        try:
            ends.add(type(alone(compiled, instructions, constants, outputs=[rng.randrange(registers)])))
        except ValueError as error:
            ends.add(str(error))
    assert {list, int, "outputs are single numbers", "registers of different sizes"} <= ends


@needs_compiled
def test_threads_share_a_program():
    rng = random.Random(8)
    campaign = {
        str(t).encode(): {str(d).encode(): float(rng.randint(0, 2)) for d in range(30)} for t in range(50)
    }
    program, _ = record_measures(tuple(map(parse, ("AP", "nDCG@10", "Q"))), (0.0, 1.0, 2.0))
    fields = program.instructions, program.constants, program.filled_tables(100), program.outputs
    shared, runs = made(compiled, campaign, *fields), [random_hits(rng, campaign) for _ in range(40)]
    expected = [made(compiled, campaign, *fields).measure(*run) for run in runs]
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(lambda run: shared.measure(*run), runs)] == expected


@needs_compiled
def test_a_dict_that_changes_while_it_is_read_is_no_danger():
    """Objects with code of their own are not read at all."""

    class Text(str):
        __slots__ = ()

    program = made(compiled, ONE, [], [1.0], [], [4])
    assert program.of_mapping({"t": {}}) == {"t": {"0": 1.0}}
    for run in (
        {Text("t"): {}},
        {"t": {Text("a"): 1.0}},
        {"t": {"a": "1"}},
        {"t": {"a": float("nan")}},
        {"t": []},
        [],
    ):
        assert program.of_mapping(run) is None
