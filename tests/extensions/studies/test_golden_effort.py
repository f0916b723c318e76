"""The worked cases of the Twist paper and around it, every field; ORIGIN.md says where they come from."""

import json
import math
from pathlib import Path

import pytest

import rankgauge
from rankgauge.engines.local.reading import read_rankings
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.extensions.studies import effort
from rankgauge.model.rules import DocumentOrder

OTHER_JUDGED, OTHER_RUN = {"other": {"x": 0}}, {"other": {"x": 1.0}}
MEASURES = {
    "s_plus": "ForwardSpace",
    "s_minus": "BackwardSpace",
    "sigma_plus": "ForwardSpaceRatio",
    "sigma_minus": "BackwardSpaceRatio",
    "sigma": "SpaceRatio",
    "beta": "BalancePoint",
    "rho": "RecoveryRatio",
    "twist": "Twist",
}


def cases(kind):
    path = Path(__file__).parents[2] / "golden" / f"{kind}.json"
    return [pytest.param(case, id=case["id"]) for case in json.loads(path.read_text())]


def number(expected):
    """A value as it is found: null is undefined."""
    return math.nan if expected is None else math.inf if expected == "inf" else expected


def same(found, expected):
    expected = number(expected)
    if math.isnan(expected):
        return math.isnan(found)
    return found == pytest.approx(expected, rel=1e-10, abs=1e-12)


def vector(expected, found):
    """Whether a vector is as expected; long ones are given at some ranks only."""
    wanted = expected if isinstance(expected, dict) else dict(enumerate(expected, 1))
    return all(found[int(rank) - 1] == value for rank, value in wanted.items())


def inputs(case):
    judged = {"case": case["judgments"] or {"nowhere": 0}, **OTHER_JUDGED}
    ranking = {doc: float(-rank) for rank, doc in enumerate(case["ranking"])}
    return judged, {"case": ranking, **OTHER_RUN}


@pytest.mark.parametrize("case", cases("ranking"))
def test_effort_has_the_values_of_the_paper(case):
    expected, N = case["expected"]["twist"] or {}, case["N"]
    values = {f"{name}(N={N})": expected.get(key) for key, name in MEASURES.items()}
    for key in ("beta", "rho", "twist"):
        values[f"{MEASURES[key]}(N={N})"] = expected.get(f"{key}_return")
        values[f"{MEASURES[key]}(N={N},crossing=definition)"] = expected.get(key)
    values[f"Twist(N={N},domain=strict,crossing=definition)"] = expected.get("twist_strict")
    if expected.get(
        "in_domain"
    ):  # literally, without filling up, is only to be had where nothing is filled up
        values[f"Twist(domain=strict,N={N},crossing=definition)"] = expected["twist_literal"]
        assert not math.isnan(number(expected["twist_strict"]))
    found = rankgauge.evaluate(*inputs(case), values).to_dict()["run"]
    at = {text: found[str(rankgauge.parse(text))]["case"] for text in values}
    assert not {text: (at[text], value) for text, value in values.items() if not same(at[text], value)}


@pytest.mark.parametrize("case", [p for p in cases("ranking") if p.values[0]["expected"]["twist"]])
def test_positions_cumulate_to_the_vectors_of_the_paper_and_cross_0_where_they_should(case):
    expected, N = case["expected"]["twist"], case["N"]
    qrels, run = inputs(case)
    curves = rankgauge.curves(qrels, run, [f"RP(N={N})", f"CRP(N={N})"], depth=expected["N_eval"])
    rp, crp = curves.values[0, :, curves.topics.index("case")].tolist()
    assert vector(expected["rp"], rp)
    assert vector(expected["crp"], crp)
    for key, rule in (("min_crossing", "definition"), ("min_crossing_return", "return")):
        why = rankgauge.explain(qrels, run, topic="case", measure=f"Twist(N={N},crossing={rule})")
        crossing = math.inf if expected[key] is None else expected[key]
        assert why.parts["first crossing"] == crossing
        assert (why.parts["recall base"], why.parts["length of the list"]) == (
            expected["RB"],
            expected["N_eval"],
        )
        assert why.parts["forward space of the full-scale run"] == expected["s_plus_full_scale"]
        assert why.parts["backward space of the full-scale run"] == expected["s_minus_full_scale"]


@pytest.mark.parametrize("case", [p for p in cases("ranking") if p.values[0]["expected"]["twist"]])
def test_the_full_scale_run_has_the_vector_of_the_paper(case):
    expected = case["expected"]["twist"]
    qrels = {"case": case["judgments"]}
    run = effort.full_scale_run(qrels, expected["N_eval"])
    curves = rankgauge.curves(qrels, run, "RP", depth=expected["N_eval"])
    assert vector(expected["rp_full_scale"], curves.values[0, 0, 0].tolist())


@pytest.mark.parametrize("case", cases("ranking"))
@pytest.mark.parametrize(("rule", "key"), [("return", "archetype"), ("definition", "archetype_definition")])
def test_runs_have_the_archetypes_of_the_paper(case, rule, key):
    judged, results = inputs(case)
    qrels, (run,) = rankgauge.Qrels.of(judged), resolve_runs(results)
    _, blocks = read_rankings(qrels, run, DocumentOrder())
    [(_, _, j)] = blocks
    place = effort.archetype_of(j, N=case["N"], crossing=rule)[qrels.sorted_topics.index("case")]
    found = None if place < 0 else list(effort.ARCHETYPES)[place]
    if rule == "definition":  # the cases have the label of table 2 for it
        found = effort.CONFLATED.get(found, found)
    assert found == (case["expected"]["twist"] or {}).get(key)


@pytest.mark.parametrize("case", cases("quadrants"))
@pytest.mark.parametrize("method", ["linear", "hazen"])
def test_points_are_in_the_quadrants_of_the_paper(case, method):
    expected = case["expected"][method]
    found = effort.quadrants(*zip(*case["points"], strict=True), method=method)
    assert [list(cell) for cell in found.cells] == expected["cells"]
    assert all(map(same, found.cuts, expected["gain_cuts"]))
    assert same(found.diagonal, expected["diagonal"])
    assert same(found.high_high, expected["high_high"])
    assert found.placed == len(case["points"]) == found.counts.sum()
