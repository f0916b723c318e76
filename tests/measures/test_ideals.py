"""Ideal rankings: deep ones, exact ones, large ones; notes on runs that beat them; nested measures."""

import math
import random
import re

import numpy as np
import pytest

import rankgauge
from rankgauge.engines.assembly import blocks
from rankgauge.errors import MeasureError, OptionError
from rankgauge.measures.rankings.arrays import greedy_ideals
from rankgauge.measures.rankings.arrays.greedy_ideals import greedy_ideal
from rankgauge.measures.rankings.novelty import Novelty
from twins.diversity import alpha_normalised as twin

BEATEN = {
    "t": {"n1": {"d1": 1, "d2": 1}, "n2": {"d1": 1, "d3": 1}, "n3": {"d2": 1, "d4": 1}, "n4": {"d3": 1}}
}
RUN = {"t": {"d3": 4.0, "d2": 3.0, "d1": 2.0, "d4": 1.0}}


def test_a_run_that_beats_the_greedy_ideal_is_credited_with_1_and_a_note_says_so():
    scores = rankgauge.evaluate(
        BEATEN, RUN, "alpha_nDCG(alpha=1)@2 alpha_nDCG(alpha=1,ideal=unclipped)@2 alpha_nDCG@1"
    )
    assert scores.values[0, :, 0].tolist() == pytest.approx([1, 1.2398124665681, 1])
    assert scores.provenance.runs["run"].above_ideal == {"alpha_nDCG(alpha=1)@2": 1}
    message = "run: alpha_nDCG(alpha=1)@2 beats the greedy ideal ranking and is credited with 1 for 1 topic"
    assert any(note.startswith(message) for note in scores.notes)


@pytest.mark.parametrize(
    "settings", [{}, {"gamma": 0.5}, {"alpha": 0.0}, {"alpha": 1.0}, {"discount": "none"}]
)
def test_the_exact_ideal_is_that_of_an_exhaustive_search(settings, cases):
    text = "".join(f",{name}={value}" for name, value in settings.items())
    for _, rng in cases(15):
        docs = [f"d{d}" for d in range(rng.randrange(1, 9))]
        judged = {
            f"n{n}": {doc: 1 for doc in docs if rng.random() < rng.choice([0.2, 0.5])}
            for n in range(rng.randrange(1, 7))
        }
        if not any(judged.values()):
            continue
        run = {"t": {doc: rng.random() for doc in docs}}
        for k in (1, 2, 3, 5, 9):
            scores = rankgauge.evaluate({"t": judged}, run, f"alpha_nDCG(ideal=exact{text})@{k}")
            ranking = sorted(docs, key=run["t"].__getitem__, reverse=True)
            slow = twin(ranking, {}, judged, cutoff=k, ideal="exact", **settings)
            assert scores.values[0, 0, 0] == pytest.approx(slow, rel=1e-12)


@pytest.mark.parametrize("names", [["hard"], ["hard", "harder"]])
def test_topics_whose_exact_ideals_take_too_long_have_no_value_and_do_not_count(names, monkeypatch, tmp_path):
    monkeypatch.setattr(greedy_ideals, "MAX_TRIED", 50)
    rng = random.Random(3)
    hard = {f"n{n}": {f"d{d}": 1 for d in rng.sample(range(60), 20)} for n in range(12)}
    qrels = {"easy": BEATEN["t"], **dict.fromkeys(names, hard), "none": {"n": {"d1": 0}}}
    run = {topic: {"d1": 2.0, "d3": 1.0} for topic in qrels}
    scores = rankgauge.evaluate(qrels, run, "alpha_nDCG(ideal=exact)@5 alpha_nDCG@5")
    defined = ~np.isnan(scores.values[0])
    assert dict(zip(scores.topics, defined.T.tolist(), strict=True)) == {
        "easy": [True, True],
        **{name: [False, True] for name in names},
        "none": [False, False],
    }
    exact = scores.measures[0]
    easy = scores.to_dict()["run"][exact]["easy"]
    assert scores.mean(exact) == {"run": easy / 2}  # with that of "none", which counts as 0
    assert scores.notes[0].startswith(f"run: {exact}, alpha_nDCG@5 undefined for 1 topic and counted as 0")
    scores.save(tmp_path / "scores.json")
    assert rankgauge.Scores.load(tmp_path / "scores.json").mean() == scores.mean()
    both = rankgauge.evaluate(qrels, {"x": run, "y": run}, exact)
    assert rankgauge.compare(both).compared[0].pairs[0].topics == 2
    (note,) = (note for note in scores.notes if "takes too long" in note)
    counted = {1: "1 topic", 2: "2 topics"}[len(names)]
    assert note == (
        f"alpha_nDCG(ideal=exact)@5: the best ranking takes too long to find for {counted}, left out of the "
        f"mean: {', '.join(names)} (ideal=greedy has a value)"
    )


def test_ideals_go_as_deep_as_they_are_read_and_are_the_same_there():
    rng = random.Random(5)
    qrels = {"t": {f"n{n}": {f"d{d:03}": 1 for d in rng.sample(range(200), 30)} for n in range(9)}}
    run = {"t": {f"d{d:03}": rng.random() for d in range(200)}}
    deep = rankgauge.curves(qrels, run, "alpha_nDCG", depth=150).values[0, 0, 0].tolist()
    for k in (1, 31, 32, 33, 64, 65, 100, 150):
        alone = rankgauge.evaluate(qrels, run, f"alpha_nDCG@{k}").values[0, 0, 0]
        assert alone == deep[k - 1]


def test_cutoffs_past_all_ranks_take_no_time():
    k = 999_999_999
    scores = rankgauge.evaluate(BEATEN, RUN, f"ERR_IA@{k} ERR_IA(alpha=0)@{k} nNRBP@{k} P_IA@{k}")
    # the sum of 0.5**(j - 1) / j is 2 ln 2, the harmonic sum ln k and Euler's constant; RUN is ndeval's ideal
    assert scores.values[0, :, 0].tolist() == pytest.approx(
        [
            (1 / 2 + 1 / 4 + 1 / 12 + 1 / 32) / (2 * math.log(2)),
            (1 / 2 + 1 / 4 + 1 / 6 + 1 / 16) / (math.log(k) + 0.5772156649015329),
            1.0,
            7 / 4 / k,
        ],
        rel=1e-9,
    )


def test_an_empty_result_has_no_gain():
    found = rankgauge.evaluate({**BEATEN, "u": {"n": {"d": 1}}}, RUN, "ERR_IA ERR_IA@5 NRBP AP_IA StRecall")
    assert found.values[0, :, 1].tolist() == [0.0] * 5


def test_gains_that_differ_by_rounding_tie():
    judged = {"t": {"a": {"d2": 1, "d4": 1}, "b": {"d2": 1, "d4": 1}, "c": {"d1": 1, "d3": 1}}}
    qrels = rankgauge.SubtopicQrels.from_dict(judged).with_subtopic_probabilities(
        {"t": {"a": 0.1, "b": 0.2, "c": 0.3}}
    )
    ((_, _, pool),) = blocks(qrels)
    assert greedy_ideal(pool, Novelty(0.5), 1.0).doc.tolist() == [0, 1, 2, 3]


def test_the_harmonic_sum_goes_on_beyond_its_table():
    from rankgauge.measures.rankings.novelty import MostCascade

    at = MostCascade.ENOUGH
    assert MostCascade(1.0).one(at + 1) == pytest.approx(MostCascade(1.0).one(at) + 1 / (at + 1), rel=1e-13)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("IA(nDCG(gains={1:1,2:10},base=2)@10)", "IA(nDCG(gains={1:1,2:10},base=2)@10)"),
        ("IA( measure = MAP , judged_only=true )", "IA(AP,judged_only=true)"),
        ("IA(ndcg_cut_10)", None),
        ("IA(P@5, average=geometric)", "IA(P@5,average=geometric)"),
        ("alpha-nDCG@20", "alpha_nDCG@20"),
        ("α_nDCG(alpha=0.25)@20", "alpha_nDCG(alpha=0.25)@20"),
        ("D#-nDCG@10", "Dsharp_nDCG@10"),
        ("S-precision@0.50", "StPrecision@0.5"),
        ("IA", None),
        ("IA()", None),
        ("IA(alpha_nDCG@5)", None),
        ("IA(IA(P))", None),
        ("IA(AP(average=geometric))", None),
        ("IA(P@5)@5", None),
        ("IA(P@5", None),
        ("IA(nDGC@10)", None),
        ("alpha_nDCG(alpha=0,gamma=1)", None),
        ("alpha_nDCG(alpha=1.5)", None),
        ("alpha_nDCG(gamma=0)", None),
    ],
)
def test_a_measure_may_stand_inside_of_another(text, means):
    if means is None:
        with pytest.raises(MeasureError):
            rankgauge.parse(text)
    else:
        assert str(rankgauge.parse(text)) == means
        assert rankgauge.measures.parse_all(f"{means} {means},AP") == (
            rankgauge.parse(means),
            rankgauge.parse("AP"),
        )


def test_an_intent_aware_measure_is_read_like_the_one_inside():
    searched = rankgauge.evaluate(BEATEN, RUN, "IA(ESL) IA(ERR)")
    assert searched.values[0, 0, 0] == pytest.approx((2 + 1 + 2 + 1) / 4)
    assert rankgauge.parse("IA(ESL)").spec.direction == -1
    assert rankgauge.parse("IA(AP)").spec.direction == 1
    with pytest.raises(OptionError, match=re.escape("IA(RelativeRelevance) depends on scores")):
        rankgauge.evaluate(BEATEN, RUN, "IA(RelativeRelevance)", order="rank")


def test_the_command_line_takes_subtopic_probabilities_and_alphas(write, invoke):
    qrels = write("qrels", "t s1 a 1\nt s2 b 1\n")
    run = write("r", "t Q0 b 1 2 x\nt Q0 a 2 1 x\n")
    intents, alphas = write("i", "t s1 0.75\nt s2 0.25\n"), write("a", "t 1\n")
    arguments = ["-m", "P_IA@1 alpha_CG(alpha=topic)", "--quiet", "--format", "csv"]
    assert (
        invoke(
            "evaluate", qrels, run, "--subtopic-probabilities", intents, "--topic-alphas", alphas, *arguments
        ).out.splitlines()[1]
        == "r,0.25,1.0"
    )
    assert (
        "0.2500"
        in invoke(
            "explain", qrels, run, "--topic", "t", "-m", "P_IA@1", "--subtopic-probabilities", intents
        ).out
    )
    assert "alpha_nDCG" in invoke("evaluate", qrels, run, "-m", "diversity IA(nDCG)", "-q").out
