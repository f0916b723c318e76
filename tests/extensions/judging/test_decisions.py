"""Which decisions count: the latest of an assessor on a document, unless it was undone."""

import collections

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.judging import Decision, Decisions
from rankgauge.extensions.judging.decisions import RESOLVE, grades_for, read_grades

TIME = "2026-11-16T10:00:00Z"


def steps(assessors=("Ann", "Ben", "Zoë")):
    """Sequences of (assessor, topic, document, grade | "skip" | "undo")."""
    what = st.one_of(st.sampled_from([0.0, 1.0, 2.0, 0.5, -1.0]), st.sampled_from(["skip", "undo"]))
    one = st.tuples(
        st.sampled_from(assessors), st.sampled_from(["q1", "q\udcff"]), st.sampled_from("ab"), what
    )
    return st.lists(one, max_size=25)


def decision(assessor, topic, document, what):
    if isinstance(what, float):
        return Decision(TIME, assessor, topic, document, grade=what)
    return Decision(TIME, assessor, topic, document, kind=what)


def made(steps):
    return Decisions(decision(*step) for step in steps)


def slow_state(steps):
    """{(assessor, topic, document): (place, grade or None)}, by replaying everything for each of them."""
    state = {}
    for key in {step[:3] for step in steps}:
        stack = []
        for place, step in enumerate(steps):
            if step[:3] == key:
                if step[3] != "undo":
                    stack.append((place, step[3] if isinstance(step[3], float) else None))
                elif stack:
                    stack.pop()
        if stack:
            state[key] = stack[-1]
    return state


@given(steps())
def test_the_latest_decision_counts(steps):
    decisions, state = made(steps), slow_state(steps)
    expected = [(key, grade) for key, (_, grade) in sorted(state.items(), key=lambda entry: entry[1][0])]
    assert [((d.assessor, *d.place), d.grade) for d in decisions.counting()] == expected
    for (assessor, topic, document), (_, grade) in state.items():
        assert decisions.latest(assessor, topic, document).grade == grade
    for assessor in decisions.assessors:
        own = [(key, grade) for key, grade in expected if key[0] == assessor]
        assert [((d.assessor, *d.place), d.grade) for d in decisions.counting(assessor)] == own
        assert {*decisions.decided(assessor)} == {key[1:] for key, _ in own}
        for place in (None, *(key[1:] for key, _ in own)):
            earlier = [key[1:] for key, _ in own]
            earlier = earlier if place is None else earlier[: earlier.index(place)]
            found = decisions.before(assessor, place)
            assert (found and found.place) == (earlier[-1] if earlier else None)
    assert decisions.first(len(decisions)).counting() == decisions.counting()


@given(steps(), st.sampled_from(sorted(RESOLVE)))
def test_several_assessors_are_resolved(steps, resolve):
    by_document = collections.defaultdict(list)
    for (_, *place), (_, grade) in sorted(slow_state(steps).items(), key=lambda entry: entry[1][0]):
        if grade is not None:
            by_document[tuple(place)].append(grade)
    expected = collections.defaultdict(dict)
    for (topic, document), grades in by_document.items():
        counts = [grades.count(grade) for grade in grades]
        grade = {
            "majority": min(g for g, n in zip(grades, counts, strict=True) if n == max(counts)),
            "latest": grades[-1],
            "highest": max(grades),
            "lowest": min(grades),
            "agreed": grades[0] if min(grades) == max(grades) else None,
        }[resolve]
        if grade is not None:
            expected[topic][document] = grade
    found = made(steps)
    assert found.judgments(resolve=resolve) == expected
    if expected:
        assert found.qrels(resolve=resolve).to_dict() == expected
    else:
        with pytest.raises(InputError, match="nobody has given a grade that counts"):
            found.qrels(resolve=resolve)
    differing = {place for place, grades in by_document.items() if min(grades) < max(grades)}
    assert {*found.conflicts()} == differing


def test_conflicts_begin_with_the_largest():
    steps = [
        ("Ann", "q1", "a", 0.0),
        ("Ben", "q1", "a", 1.0),
        ("Ann", "q1", "b", 0.0),
        ("Ben", "q1", "b", 2.0),
    ]
    assert list(made(steps).conflicts().items()) == [
        (("q1", "b"), {"Ann": 0.0, "Ben": 2.0}),
        (("q1", "a"), {"Ann": 0.0, "Ben": 1.0}),
    ]


@given(steps())
def test_a_decision_reads_back(steps):
    for each in made(steps):
        assert Decision.of(each.as_dict()) == each


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"grade": "2"}, "a grade is a finite number, not '2'"),
        ({"grade": True}, "finite number"),
        ({"grade": float("nan")}, "finite number"),
        ({"grade": 10**400}, "hundreds of digits"),
        ({"skip": True}, "one of"),
        ({"assessor": ""}, "assessor is missing"),
        ({"assessor": "An\nn"}, "printable"),
        ({"assessor": " Ann"}, "space at its ends"),
        ({"assessor": "A" * 101}, "the most is 100"),
        ({"document": 7}, "document is a text, not int"),
        ({"document": "\ud83d"}, "no valid id"),
        ({"comment": "x" * 10_001}, "10,001 characters"),
        ({"time": ""}, "time is missing"),
    ],
)
def test_what_is_no_decision_is_refused(changed, message):
    with pytest.raises(OptionError, match=message):
        Decision.of({"time": TIME, "assessor": "Ann", "topic": "q", "document": "d", "grade": 1} | changed)


def test_grades_to_choose_from():
    assert grades_for([0, 1, 3]) == (0, 1, 2, 3)
    assert grades_for([1]) == (0, 1)
    assert grades_for([-2, 1]) == (-2, -1, 0, 1)
    assert grades_for([0, 0.5, 1]) == (0, 0.5, 1)
    assert grades_for([0, 100]) == (0, 100)
    assert read_grades("2, 0,1") == (0, 1, 2)
    for text in ("", "1", "1,x", "nan,1", ",".join(map(str, range(30)))):
        with pytest.raises(OptionError, match="grades"):
            read_grades(text)


def test_pools_are_ordered_for_judging():
    runs = {
        "a": {"q1": {"d1": 3, "d2": 2, "d3": 1}},
        "b": {"q1": {"d3": 3, "d9": 2}},
        "c": {"q1": {"d3": 3, "d9": 2}},
    }
    pool = rankgauge.assessment.pool(runs, depth=3)
    assert pool.in_order() == {"q1": ["d1", "d2", "d3", "d9"]}
    assert pool.in_order("votes") == {"q1": ["d3", "d9", "d1", "d2"]}
    with pytest.raises(OptionError, match="order must be one of id, votes"):
        pool.in_order("rank")
