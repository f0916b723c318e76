"""What lists are cut and filled up to, what misplacements weigh, and how little of it shows."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings

import rankgauge
from cases import campaigns, identical, seeds
from extensions.studies.effort.lists import qrels_of, run_of, values
from rankgauge.errors import MeasureError
from rankgauge.measures import named_set

RULES = ("definition", "return", "matters")
ALL = [str(m) for m in named_set("effort") if not m.spec.curve]
WITH_N = [text.replace("(", "(N={},") if "(" in text else f"{text}(N={{}})" for text in ALL]
WITH_N += ["Twist(N={},crossing=return)", "Twist(N={},crossing=matters,gains=linear)", "CRP(N={})"]


@pytest.mark.parametrize("block", [1, 30, 1 << 17])
@settings(max_examples=6)
@given(campaign=campaigns())
def test_n_is_that_of_the_longest_list_of_all_runs_and_topics_whatever_the_blocks(block, campaign):
    qrels, run = campaign
    runs = {"a": run, "b": {topic: dict(list(docs.items())[:2]) for topic, docs in run.items()}}
    longest = max(len(docs) for topic, docs in run.items() if topic in qrels)
    expected = rankgauge.evaluate(qrels, runs, [text.format(longest) for text in WITH_N]).values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankgauge.engines.assembly.BLOCK", block)
        patch.setattr("rankgauge.measures.rankings.arrays.misplacement.BLOCK", block - 1)
        scores = rankgauge.evaluate(
            qrels, runs, [t.replace("N={},", "").replace("(N={})", "") for t in WITH_N]
        )
    assert identical(scores.values, expected)
    assert {facts.N for facts in scores.provenance.measures.values()} <= {longest, None}


def test_weighed_sums_that_differ_from_0_by_rounding_are_0():
    judged = {"a": 2, "b": 1, "c": 1}
    texts = [
        f"Twist(crossing={rule},gains={{1:{w},2:{w}}})" for rule in RULES for w in ("1", "0.1", "0.3", "1e-9")
    ]
    for ranking in (["b", "a", "c"], ["x", "a", "b", "c"], ["b", "c", "a"]):
        found = list(values(judged, ranking, *texts).values())
        for rule in range(3):
            assert found[4 * rule + 1 : 4 * rule + 4] == pytest.approx([found[4 * rule]] * 3, rel=1e-12)


def test_what_weighs_nothing_cannot_be_misplaced():
    found = values({"a": 1, "b": 0}, ["a"], "Twist(gains={1:0})", "CRP(gains={1:0})", "RP(gains={1:0})@1")
    assert all(map(math.isnan, found.values()))


def test_steps_are_discounted_down_to_a_depth_only():
    with pytest.raises(MeasureError, match=r"rank 4194304 is needed; set a smaller N, or discount=none"):
        values({"a": 1}, ["a"], "Twist(N=4194304,discount=log2)")
    assert values({"a": 1}, ["b"], "SpaceRatio(N=999999999999)") == {"SpaceRatio(N=999999999999)": 0.0}


def test_the_length_of_lists_is_kept_with_the_scores_and_told():
    qrels = {"q": {f"r{n}": 1 for n in range(4)}, "p": {"a": 1}}
    runs = {"short": {"q": {"r1": 1.0}}, "long": {"p": {f"d{n}": -n for n in range(5)}}}
    scores = rankgauge.evaluate(qrels, runs, "Twist Twist(N=100) Twist(domain=strict) CRP AP")
    records = scores.provenance.measures
    assert (records["Twist"].N, records["Twist"].longest, records["Twist"].short) == (5, True, 1)
    assert (records["Twist(N=100)"].N, records["Twist(N=100)"].longest) == (100, False)
    assert records["Twist(N=100)"].short == 0
    assert records["AP"].N is None
    assert records["CRP"].N is None
    note = "lists are cut or padded to N=5 documents, as many as the longest has (N= sets another number)"
    assert f"Twist, Twist(domain=strict): {note}" in scores.notes
    assert "Twist(N=100): lists are cut or padded to N=100 documents" in scores.notes
    filled = "followed by non-relevant documents to twice as many (domain=strict: undefined)"
    assert f"Twist: 1 topic has more relevant documents than half of N and is {filled}" in scores.notes
    assert (
        "Twist(domain=strict): 1 topic has more relevant documents than half of N and is undefined"
        in scores.notes
    )


@given(campaign=campaigns(), seed=seeds())
def test_nothing_is_misplaced_in_the_ideal_ranking(campaign, seed):
    qrels, run = campaign
    levels = sorted({float(grade) for judged in qrels.values() for grade in judged.values() if grade > 0})
    rng = random.Random(seed)
    gains = "{" + ",".join(f"{grade!r}:{rng.choice([1, 2, 5])}" for grade in levels or [1.0]) + "}"
    texts = [
        f"{name}(gains={g},rel={rel})" for name in ("RP", "CRP") for g in (gains, "exp2") for rel in (1, 2)
    ]
    ideal = rankgauge.curves(qrels, run, texts, depth=9).ideal
    assert (np.isnan(ideal) | (ideal == 0)).all()


def test_fixed_candidates_and_an_explanation_know_the_length_of_their_own_lists():
    qrels = {"q": {"a": 1, "b": 2}, "p": {"c": 1}}
    run = {"q": {"b": 2.0, "x": 1.0}, "p": {f"d{n}": -n for n in range(9)}}
    (value,) = rankgauge.evaluate(qrels, run, "Twist(N=9)").to_dict()["run"].values()
    assert rankgauge.explain(qrels, run, topic="q", measure="Twist").value == value["q"]
    assert (
        rankgauge.explain(qrels, run, topic="q", measure="Twist")
        .definition["N"]
        .startswith("9 (the length of the longest list")
    )
    candidates = rankgauge.Evaluator(qrels, "Twist").fixed({topic: list(docs) for topic, docs in run.items()})
    found = candidates.evaluate([score for docs in run.values() for score in docs.values()])
    assert found.to_dict()["run"]["Twist"] == value
    assert found.provenance.measures["Twist"].N == 9


def test_judgments_of_several_people_need_the_length_to_be_given():
    groups, run = {"q": {"anna": {"a": 1}, "ben": {"b": 1}}}, {"q": {"a": 2.0, "b": 1.0}}
    with pytest.raises(MeasureError, match="Twist needs N=, the length of the lists"):
        rankgauge.groups.evaluate(groups, run, "AP Twist")
    found = rankgauge.groups.evaluate(groups, run, "Twist(N=10)").mean()["run"]
    alone = [values({doc: 1}, ["a", "b"], "Twist(N=10)")["Twist(N=10)"] for doc in "ab"]
    assert found == {"Twist(N=10)": pytest.approx(sum(alone) / 2)}


def test_a_balance_point_that_is_never_reached_is_infinite_and_survives_every_format(tmp_path):
    qrels = qrels_of({"a": 1, "b": 1})
    scores = rankgauge.evaluate(qrels, run_of(["x"]), "BalancePoint Twist")
    assert scores.to_dict()["run"]["BalancePoint"]["q"] == math.inf
    for name in ("scores.json", "scores.parquet"):
        scores.save(tmp_path / name)
        assert identical(rankgauge.Scores.load(tmp_path / name).values, scores.values)
    assert '"q": "inf"' in (tmp_path / "scores.json").read_text()
    why = rankgauge.explain(qrels, run_of(["x", "a"]), topic="q", measure="BalancePoint")
    assert why.as_dict()["value"] == "inf"
    assert why.as_dict()["parts"]["first crossing"] == "inf"
    assert "is inf" in repr(why)
    assert np.isinf(scores.to_pandas()["value"]).any()


def test_an_explanation_of_twist_shows_intervals_positions_and_what_it_is_made_of():
    judged = {"a": 3, "b": 3, "c": 2, "d": 0, "e": 1, "f": 2, "g": 0, "j": 1, "z": 1}
    ranking = [
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
        "g",
        "h",
        "i",
        "j",
        "k",
        "l",
        "m",
        "n",
        "o",
    ]  # run a of the paper
    why = rankgauge.explain(qrels_of(judged), run_of(ranking), topic="q", measure="Twist")
    assert why.value == pytest.approx(0.81879543094496)
    steps = {step.first: step.columns for step in why.steps}
    assert steps[6] == {"ideal from": 3, "ideal to": 4, "RP": 2, "CRP": -2}
    assert steps[8] == {"ideal from": 8, "ideal to": 15, "RP": 0, "CRP": -3}
    assert steps[16]["CRP"] == 0
    assert {"first crossing": 9, "balance point": 9, "ρ": 7 / 9}.items() <= why.parts.items()
    assert (why.parts["forward space"], why.parts["backward space"]) == (5, 5)
    table = next(section.table for section in why.document().sections if section.title == "Rank by rank")
    assert [row[:8] for row in table.rows][5] == ["6", "f", 2, 1, 3, 4, 2, -2]  # whole numbers, as such
    assert "What it is made of" in repr(why)
    assert why.variants["Twist(crossing=definition)"] == pytest.approx(0.92990654205607)
    assert why.variants["Twist(crossing=matters)"] == pytest.approx(0.42990654205607)


def test_memory_does_not_grow_with_the_length_of_lists():
    import tracemalloc

    qrels = {f"q{t}": {f"d{n}": n % 3 for n in range(30)} for t in range(20)}
    run = rankgauge.Run.from_dict({topic: {f"d{n}": -n for n in range(30)} for topic in qrels})
    evaluator = rankgauge.Evaluator(qrels, "Twist(N=10000) Twist(N=1000000,crossing=return) CRP(N=1000000)")
    tracemalloc.start()
    evaluator.evaluate(run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000  # a vector of a million ranks would take 8


def test_the_relative_position_of_an_empty_result_is_a_plain_0():
    found = rankgauge.evaluate({"q": {"a": 1}, "p": {"b": 1}}, {"q": {"a": 1.0}}, "RP").values[0, 0].tolist()
    assert [math.copysign(1.0, value) for value in found] == [1.0, 1.0]
    assert found == [0.0, 0.0]
