"""What the paper proves of RP, CRP and the full-scale run, and where what it says does not hold."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

import rankgauge
from cases import identical, seeds
from extensions.studies.effort.lists import draw, qrels_of, values, vector
from rankgauge.errors import OptionError
from rankgauge.extensions.studies import effort

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[3] / "golden" / "ranking.json").read_text())
}


def bounds_of(judged, N):
    (found,) = effort.bounds({"q": judged}, N)
    return found


def full_scale(judged, N):
    return [*effort.full_scale_run({"q": judged}, N).to_dict()["q"]]


@given(seed=seeds())
def test_no_document_is_further_away_than_in_the_full_scale_run(seed):
    judged, ranking, N = draw(seed)
    bound, rp = bounds_of(judged, N), vector(judged, ranking, f"RP(N={N})", N)
    assert all(bound.least_rp <= each <= bound.most_rp for each in rp)
    most = vector(judged, full_scale(judged, N), "RP", N)
    assert (min(most), max(most)) == (most[0], most[-1]) == (bound.least_rp, bound.most_rp)


@given(seed=seeds())
def test_no_list_sinks_lower_than_the_full_scale_run_and_none_rises_higher_if_lists_are_long(seed):
    judged, ranking, N = draw(seed)
    bound, crp = bounds_of(judged, N), vector(judged, ranking, f"CRP(N={N})", N)
    assert min(crp) >= bound.least_crp
    assert bound.most_crp_holds == (3 * bound.base - 1 <= N)
    if bound.most_crp_holds:
        assert max(crp) <= bound.most_crp
    most = vector(judged, full_scale(judged, N), "CRP", N)
    assert (min(most), most[bound.base - 1], most[-1]) == (
        bound.least_crp,
        bound.least_crp,
        bound.most_crp,
    )


@pytest.mark.parametrize("case", ["edge-prop2-violated", "edge-prop2-violated-binary"])
def test_in_short_lists_crp_may_rise_above_that_of_the_full_scale_run(case):
    """Proposition 2 is false there: the paper's proof takes for granted what has to be shown."""
    case = CASES[case]
    judged = {doc: grade for doc, grade in case["judgments"].items() if grade > 0}
    bound = bounds_of(judged, case["N"])
    assert not bound.most_crp_holds
    assert max(vector(judged, case["ranking"], "CRP", case["N"])) > bound.most_crp


@given(seed=seeds())
def test_the_full_scale_run_recovers_at_twice_the_recall_base_or_later_in_long_lists(seed):
    """Proposition 3, with at most instead of less than."""
    judged, _, _ = draw(seed)
    base = sum(grade > 0 for grade in judged.values())
    N = 3 * base + seed % 5
    assert bounds_of(judged, N).most_recovery == 0.5
    for rule in ("definition", "return", "matters"):
        found = values(judged, full_scale(judged, N), f"RecoveryRatio(N={N},crossing={rule})")
        assert all(0 <= value <= 0.5 for value in found.values())


def test_the_full_scale_run_may_recover_just_then():
    case = CASES["edge-prop3-equality"]
    assert list(values(case["judgments"], case["ranking"], "RecoveryRatio(N=3)").values()) == [0.5]


def test_the_bounds_are_those_of_the_papers_example():
    judged = {"a": 3, "b": 3, "c": 2, "d": 2, "e": 1, "f": 1, "g": 1, "h": 0}
    found = bounds_of(judged, 15)
    assert (found.least_rp, found.most_rp, found.least_crp, found.most_crp) == (-7, 13, -28, 23)
    assert found.most_recovery is None  # the proposition is about lists of 3 R and more
    assert (found.topic, found.base, found.N) == ("q", 7, 15)
    assert effort.bounds({"empty": {"x": 0}}) == []
    assert bounds_of(judged, None).N == 14


@given(seed=seeds())
def test_the_reference_runs_score_what_they_stand_for(seed):
    judged, _, N = draw(seed)
    qrels, rules = {"q": judged}, ("definition", "return", "matters")
    texts = [f"Twist(crossing={rule})" for rule in rules] + [f"RecoveryRatio(crossing={r})" for r in rules]
    texts += ["SpaceRatio", "ForwardSpaceRatio", "BackwardSpaceRatio", "CRP"]

    def scored(run):
        return list(rankgauge.evaluate(qrels, run, texts).mean()[run.name].values())

    assert scored(effort.ideal_run(qrels, N)) == [1.0] * 9 + [0.0]
    assert scored(effort.worst_run(qrels, N))[:9] == [0.0] * 7 + [1.0, 0.0]
    full = scored(effort.full_scale_run(qrels, N))
    assert full[6:9] == [0.0] * 3
    assert all(2 * twist == rho for twist, rho in zip(full[:3], full[3:6], strict=True))


@settings(max_examples=4)
@given(seed=seeds())
def test_reference_runs_are_runs_that_can_be_written_and_read(seed, tmp_path_factory):
    judged, _, N = draw(seed)
    path = tmp_path_factory.mktemp("runs") / "reference.run"
    for make in (effort.ideal_run, effort.worst_run, effort.full_scale_run):
        run = make(qrels_of(judged), N)
        run.write(path, "trec")
        made, read = (rankgauge.evaluate(qrels_of(judged), each, "effort nDCG AP") for each in (run, path))
        assert identical(made.values, read.values)
        assert {len(docs) for docs in run.to_dict().values()} == {N}


def test_documents_that_are_made_up_are_never_judged_ones():
    judged = {"nonrelevant-1": 2, "nonrelevant_": 1, "nonrelevant": 0, "\udcff": 1}
    for make in (effort.ideal_run, effort.worst_run, effort.full_scale_run):
        made = set(make({"q": judged}).to_dict()["q"]) - judged.keys()
        assert made
        assert not any(other.startswith(doc) for doc in made for other in judged)
    assert set(effort.ideal_run({"q": judged}).to_dict()["q"]) >= {"nonrelevant-1", "nonrelevant_", "\udcff"}


def test_lists_too_short_for_a_reference_run_are_refused():
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    with pytest.raises(OptionError, match="the ideal run needs an N of at least 3, the largest"):
        effort.ideal_run(qrels, 2)
    with pytest.raises(OptionError, match="the full-scale run needs an N of at least 6, twice the largest"):
        effort.full_scale_run(qrels, 5)
    with pytest.raises(OptionError, match="N must be a whole number from 1, not 0"):
        effort.worst_run(qrels, 0)
    with pytest.raises(OptionError, match="a full-scale run needs an N of at least 6"):
        effort.bounds(qrels, 5)


def test_another_level_of_relevance_makes_other_reference_runs():
    qrels = {"q": {"a": 1, "b": 2}}
    assert list(effort.ideal_run(qrels, 2, rel=2).to_dict()["q"]) == ["b", "nonrelevant-2"]
    assert effort.bounds(qrels, rel=2)[0].base == 1
