"""What each document did to a measure: slow twins of both ways, and that shares add up for every measure.

The twins build rankings as lists and have them evaluated by `rankgauge.evaluate`, one by one.
"""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from cases import few_for_each_measure, judged_for, plainest, seeds, settings_of, written
from rankgauge.errors import MeasureError
from rankgauge.measures import MEASURES, measure, parse
from rankgauge.measures.spec import Laws
from registries import restored

DOCS = [f"d{number}" for number in range(14)]
GRADES = [-1, 0, 0, 1, 1, 2]
NEEDS_SCORES = [name for name, spec in MEASURES.items() if spec.needs.scores]


def drawn(rng, alike=False):
    """(judgments, old, new) of two topics; a ranking may be short, and one may be missing."""
    qrels = {t: {doc: rng.choice(GRADES) for doc in rng.sample(DOCS, rng.randrange(1, 10))} for t in "ab"}
    old, new = ({t: rng.sample(DOCS, rng.randrange(1, 13)) for t in "ab"} for _ in range(2))
    if alike:
        new["a"] = rng.sample(old["a"], len(old["a"]))
    if rng.random() < 0.2:
        del (old if rng.random() < 0.5 else new)["b"]
    return qrels, old, new


def counted(scores, text):
    """The value of each run for topic a, as it counts in a mean."""
    row = scores.measures.index(str(parse(text)))
    direction = parse(text).spec.direction
    values = [float(value) for value in scores.values[:, row, scores.topics.index("a")]]
    return [0.0 if math.isnan(v) and direction >= 0 else v for v in values]


def close(numbers, total, scale):
    return abs(math.fsum(numbers) - total) <= 1e-9 * scale


def check_sum(found, text):
    change = found.changes[text]
    shares = [each.shares[text] for each in found.documents]
    if not change.way:
        assert shares == [None] * len(shares)
        return False
    scale = max(abs(number) for number in (change.old, change.new, *shares))
    assert close([*shares, change.rest], change.difference, scale)
    return True


@pytest.mark.parametrize("name", MEASURES)
@few_for_each_measure
@given(seed=seeds(), cutoff=st.sampled_from([None, 3, 10]), alike=st.booleans())
def test_shares_add_up_to_the_difference_of_evaluate(name, seed, cutoff, alike):
    text = plainest(name)
    if cutoff is not None and MEASURES[name].curve:
        text = str(parse(text) @ cutoff)
    qrels, old, new = drawn(random.Random(seed), alike)
    judged = judged_for(qrels, text)
    scores = rankgauge.evaluate(judged, {"old": old, "new": new}, text)
    before, after = counted(scores, text)
    found = rankgauge.diff(judged, old, new, text, topic="a")
    (measure_text,) = found.changes
    change = found.changes[measure_text]
    if math.isfinite(after - before):
        assert (change.old, change.new) == (before, after)
        assert check_sum(found, measure_text) == (name not in NEEDS_SCORES)
    else:
        assert not check_sum(found, measure_text)


@pytest.mark.parametrize("name", MEASURES)
@few_for_each_measure
@given(seed=seeds())
def test_shares_of_any_settings_add_up_where_there_are_any(name, seed):
    qrels, old, new = drawn(random.Random(seed))
    try:
        text = str(parse(written(name, settings_of(MEASURES[name], seed))))
        found = rankgauge.diff(judged_for(qrels, text), old, new, text, topic="a")
    except MeasureError:  # a gain that is too large
        return
    check_sum(found, text)


def alone(judged, runs, docs, text):
    """The value of a ranking of topic a that is evaluated beside the others."""
    scores = rankgauge.evaluate(judged, {**runs, "step": {"a": docs, "b": ["x"]}}, text)
    return counted(scores, text)[-1]


def by_terms(judged, old, new, text):
    """{document: its term in the new ranking less that in the old one}."""
    runs, shares = {"old": old, "new": new}, dict.fromkeys([*old["a"], *new["a"]], 0.0)
    for docs, sign in ((new["a"], 1), (old["a"], -1)):
        value = alone(judged, runs, docs, text)
        for place, doc in enumerate(docs):
            without = [*docs[:place], "unjudged", *docs[place + 1 :]]
            shares[doc] += sign * (value - alone(judged, runs, without, text))
    return shares


def in_steps(judged, old, new, text):
    """{document: what its step changes}."""
    runs, shares = {"old": old, "new": new}, dict.fromkeys([*old["a"], *new["a"]], 0.0)
    docs = list(old["a"])
    value = alone(judged, runs, docs, text)
    for rank, doc in enumerate(new["a"]):
        docs = [each for each in docs if each != doc]
        docs.insert(rank, doc)
        after = alone(judged, runs, docs, text)
        shares[doc], value = after - value, after
    while len(docs) > len(new["a"]):
        doc = docs.pop()
        after = alone(judged, runs, docs, text)
        shares[doc], value = after - value, after
    assert docs == new["a"]
    return shares


TWINS = ["P@3", "R", "DCG@5", "nDCG@10", "nDCG", "RBP", "AP", "AP@4", "RR", "ERR@5", "Q", "Bpref", "Twist"]
TWINS += ["alpha_nDCG@5", "AP_IA", "nDCG(judged_only=true)@3", "infAP", "RHL", "Judged@5"]


@pytest.mark.parametrize("text", TWINS)
@pytest.mark.parametrize("seed", range(4))
def test_shares_are_those_of_the_slow_twins(text, seed):
    qrels, old, new = drawn(random.Random(seed), alike=seed % 2 == 0)
    old.setdefault("b", ["x"])
    new.setdefault("b", ["x"])
    judged = judged_for(qrels, text)
    found = rankgauge.diff(judged, old, new, text, topic="a")
    change = found.changes[str(parse(text))]
    if not math.isfinite(change.difference):
        assert change.way == ""
        return
    fixed = parse(text)
    if (
        fixed.of_lists
    ):  # rankings on the way may be longer, and do not change the length that lists are filled up to
        fixed = fixed(N=max(len(docs) for run in (old, new) for docs in run.values()))
    twin = {"terms": by_terms, "steps": in_steps}[change.way](judged, old, new, str(fixed))
    shares = {each.document: each.shares[str(parse(text))] for each in found.documents}
    assert shares == pytest.approx(twin, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("text", ["P@3", "nDCG@10", "DCG@5", "RBP", "R@5", "nDCG"])
def test_measures_that_are_sums_are_explained_by_their_terms(text):
    for seed in range(20):
        qrels, old, new = drawn(random.Random(seed))
        found = rankgauge.diff(qrels, old, new, text, topic="a")
        assert found.changes[str(parse(text))].way in ("terms", "")
        assert (found.changes[str(parse(text))].way == "") == math.isnan(
            found.changes[str(parse(text))].difference
        )


def test_a_worked_example_of_terms():
    qrels = {"q": {"a": 1, "b": 1}}
    found = rankgauge.diff(qrels, {"q": ["a", "x", "b"]}, {"q": ["y", "a", "x"]}, "P@3", topic="q")
    assert found.changes["P@3"].way == "terms"
    assert {each.document: each.shares["P@3"] for each in found.documents} == pytest.approx(
        {"y": 0, "a": 0, "x": 0, "b": -1 / 3}
    )


def test_a_worked_example_of_steps():
    qrels = {"q": {"a": 1, "b": 1}}
    found = rankgauge.diff(qrels, {"q": ["a", "x", "b"]}, {"q": ["y", "a", "b"]}, "RR", topic="q")
    assert found.changes["RR"].way == "steps"
    # y pushes a down to rank 2; the others follow in their order
    assert [each.shares["RR"] for each in found.documents] == [-0.5, 0.0, 0.0, 0.0]
    assert [each.move for each in found.documents] == ["new", "↓1", "=", "lost"]


@pytest.fixture
def registry():
    """The registry, to be changed at will."""
    with restored(MEASURES):
        yield MEASURES


@pytest.mark.usefixtures("registry")
def test_a_measure_that_is_wrongly_declared_a_sum_is_explained_in_steps():
    @measure(
        "WronglyLinear",
        title="Not a sum",
        formula="hits squared",
        cite="nobody",
        bounds=(0, 1e9),
        example="WronglyLinear@5",
        binary=True,
        depends_on="relevant",
        laws=Laws(linear="always"),
    )
    def squared(j: "JudgedRankings") -> "Curve":  # noqa: F821
        """The square of the number of hits."""
        return j.hits * j.hits

    text, qrels = "WronglyLinear@5", {"q": {"a": 1, "b": 1, "c": 1}}
    found = rankgauge.diff(qrels, {"q": ["x", "y", "a"]}, {"q": ["a", "b", "c"]}, text, topic="q")
    assert (found.changes[text].way, found.changes[text].difference) == ("steps", 8.0)
    assert math.fsum(each.shares[text] for each in found.documents) == 8.0


def test_where_ties_count_and_there_are_some_there_are_no_shares():
    qrels = {"q": {"a": 1, "b": 0}}
    old, new = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}
    found = rankgauge.diff(qrels, old, new, "ESL", topic="q")
    assert found.changes["ESL"].difference == 0.5
    assert found.changes["ESL"].way == ""
    assert all(each.shares["ESL"] is None for each in found.documents)
    untied = rankgauge.diff(qrels, {"q": ["a", "b"]}, new, "ESL", topic="q")
    assert untied.changes["ESL"].way == "steps"
