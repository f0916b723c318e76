"""Archetypes against what the paper says of them, rank by rank; quadrants of odd points."""

import math

import pytest
from hypothesis import given

from cases import seeds
from extensions.studies.effort.lists import draw, qrels_of, run_of, values, vector
from rankgauge import Qrels, studies
from rankgauge.engines.local.reading import read_rankings
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.studies import effort
from rankgauge.model.rules import DocumentOrder

NAMES = list(effort.ARCHETYPES)


def archetype(judged, ranking, **settings):
    qrels, (run,) = Qrels.of(qrels_of(judged)), resolve_runs(run_of(ranking))
    _, blocks = read_rankings(qrels, run, DocumentOrder())
    [(_, _, j)] = blocks
    place = effort.archetype_of(j, **settings)[qrels.sorted_topics.index("q")]
    return None if place < 0 else NAMES[place]


def by_definition(judged, ranking, N, rule):
    """The archetype from the vectors of degrees and of CRP."""
    degree = {doc: grade for doc, grade in judged.items() if grade >= 1}
    base = len(degree)
    have = [degree.get(doc, 0) for doc in ranking[:N]]
    have += [0] * (N - len(have))
    ideal = sorted(degree.values(), reverse=True) + [0] * (N - base)
    if have == ideal:
        return "ideal"
    if not any(have):
        return "worst"
    if have == ideal[::-1]:
        return "full-scale"
    crp = vector(judged, ranking, f"CRP(N={N})", N)
    crossing = {
        "definition": lambda now, then: now * then <= 0,
        "return": lambda now, then: now < 0 <= then,
        "matters": lambda now, then: (now <= 0) != (then <= 0),
    }[rule]
    back = next((j for j in range(1, N) if crossing(crp[j - 1], crp[j])), math.inf)
    if back == math.inf:
        return "typical-B"
    if back > base:
        return "typical-A"
    if any(value < 0 for value in crp[back:base]):
        return "ups-and-downs"
    return "excellent-A" if all(have[:base]) else "excellent-B"


@pytest.mark.parametrize("rule", ["definition", "return", "matters"])
@given(seed=seeds())
def test_an_archetype_is_that_of_the_definition(rule, seed):
    judged, ranking, N = draw(seed, most=5)
    assert archetype(judged, ranking, N=N, crossing=rule) == by_definition(judged, ranking, N, rule)
    close = sorted(judged, key=lambda doc: -judged[doc])  # nearly ideal: where excellent ones are
    if len(close) > 2:
        at = seed % (len(close) - 1)
        close[at], close[at + 1] = close[at + 1], close[at]
    assert archetype(judged, close, N=N, crossing=rule) == by_definition(judged, close, N, rule)


@given(seed=seeds())
def test_archetypes_have_the_ratios_of_the_papers_figures(seed):
    """Figures 4 to 6, by the reading under which they hold."""
    judged, ranking, N = draw(seed)
    base = sum(grade > 0 for grade in judged.values())
    rho, tau = values(
        judged, ranking, f"RecoveryRatio(N={N},crossing=return)", f"Twist(N={N},crossing=return)"
    ).values()
    found = archetype(judged, ranking, N=N)
    expected = {
        "ideal": rho == tau == 1,
        "worst": rho == tau == 0,
        "full-scale": 3 * base > N or (rho <= 1 / 2 and tau <= 1 / 4),
        "typical-A": 0 < rho <= base / (base + 1) and tau < 1,
        "typical-B": rho == 0 and tau < 1 / 2,
    }
    assert expected.get(found, rho == 1 and 1 / 2 <= tau < 1), found


def test_a_level_of_relevance_and_a_topic_without_relevant_documents():
    assert archetype({"a": 1, "b": 2}, ["b", "a"]) == "ideal"
    assert archetype({"a": 1, "b": 2}, ["b", "x"], rel=2) == "ideal"
    assert archetype({"a": 1, "b": 2}, ["a"], rel=2) == "worst"
    assert archetype({"a": 0}, ["a"]) is None


def test_an_undefined_point_is_in_no_quadrant():
    found = effort.quadrants([0.1, math.nan, 0.9], [0.5, 0.5, math.nan])
    assert found.cells == [("low", "huge"), None, None]
    assert found.placed == 1
    assert found.counts.sum() == 1


def test_columns_begin_at_their_cuts_and_rows_end_with_theirs():
    found = effort.quadrants([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.25, 0.5, 0.75, 1.0])
    assert found.cuts == (0.25, 0.5, 0.75)
    assert found.cells == [
        ("low", "huge"),
        ("low", "high"),
        ("medium", "medium"),
        ("high", "low"),
        ("huge", "low"),
    ]
    equal = effort.quadrants([0.3] * 4, [0.5] * 4)
    assert equal.cells == [("low", "high")] * 4


@pytest.mark.parametrize(
    ("efforts", "gains", "method", "error", "message"),
    [
        ([1], [1, 2], "linear", InputError, "not 1 efforts and 2 gains"),
        ([math.nan], [1], "linear", InputError, "no point has both"),
        ([0.1, 0.2], [1, math.inf], "linear", InputError, "a gain is infinite, so quartiles are undefined"),
        ([1], [1], "nearest", OptionError, "method must be one of linear, hazen"),
    ],
)
def test_points_that_make_no_sense_are_refused(efforts, gains, method, error, message):
    with pytest.raises(error, match=message):
        effort.quadrants(efforts, gains, method=method)


QRELS = {"q": {"a": 2, "b": 1, "c": 1}, "p": {"d": 1}, "none": {"e": 0}}
RUNS = {
    "good": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "p": {"d": 1.0}, "none": {"e": 1.0}},
    "late": {"q": {"x": 9.0, "y": 8.0, "b": 7.0, "a": 6.0, "c": 5.0}, "p": {"z": 2.0, "d": 1.0}},
    "bad": {"q": {"x": 1.0}},
}


def test_the_study_of_archetypes_counts_what_each_run_and_topic_is():
    found = studies.archetypes(studies.Campaign(QRELS, RUNS))
    points = {(run, topic): name for run, topic, name, _ in found.table("points").rows}
    assert points == {
        ("good", "p"): "ideal",
        ("good", "q"): "ideal",
        ("late", "p"): "excellent-B",  # its only relevant document is next to its place
        ("late", "q"): "typical-A",
        ("bad", "p"): "worst",
        ("bad", "q"): "worst",
    }
    assert {row[0]: row[1] for row in found.table("shares").rows if row[1]} == {
        "ideal": 2,
        "worst": 2,
        "excellent-B": 1,
        "typical-A": 1,
    }
    all_runs, *_ = found.table("collection").rows
    assert all_runs[:3] == ["all", 6, pytest.approx(100 / 3)]
    assert found.settings["N"] == 5
    skipped = studies.archetypes(studies.Campaign(QRELS, RUNS, missing="skip"))
    assert len(skipped.table("points").rows) == 5


def test_the_study_of_effort_and_gain_puts_every_run_and_topic_into_a_quadrant():
    campaign = studies.Campaign(QRELS, RUNS)
    found = studies.effort_gain(campaign, measures="AP nDCG")
    scores = campaign.scores("Twist AP nDCG")
    points = list(found.table("points").rows)
    assert len(points) == 2 * 6
    for measure, run, topic, tau, gain, *_ in points:
        assert (tau, gain) == (
            scores.to_dict()[run]["Twist"][topic],
            scores.to_dict()[run][measure][topic],
        )
    for measure, count, undefined, diagonal, both in found.table("shares").rows:
        mine = [row for row in points if row[0] == measure]
        cells = [(row[5], row[6]) for row in mine]
        assert (count, undefined) == (6, 3)
        alike = sum(c in zip(effort.GAINS, effort.EFFORTS, strict=True) for c in cells)
        assert diagonal == pytest.approx(100 * alike / 6)
        dear = [row for row in mine if {row[5], row[6]} <= {"high", "huge"}]
        assert both == pytest.approx(100 * len(dear) / 6)
        listed = [tuple(row) for row in found.table("together").rows if row[0] == measure]
        assert sorted(listed) == sorted(map(tuple, dear))
    assert studies.effort_gain(campaign, measures="Twist AP").tables.keys() == found.tables.keys()
    with pytest.raises(OptionError, match="Twist is the measure of effort; name one or more of gain"):
        studies.effort_gain(campaign, measures="Twist")
    with pytest.raises(OptionError, match="effort must be one measure, not 2"):
        studies.effort_gain(campaign, effort="Twist SpaceRatio")
    for lower in ("BackwardSpace", "NumRel"):
        with pytest.raises(OptionError, match=f"{lower} is not a gain: higher values are not better"):
            studies.effort_gain(campaign, measures=lower)


def test_the_paper_keeps_three_quarters_of_the_runs_by_map():
    runs = {f"r{n}": {"q": {"a": 9 - n, "x": 5.0, "b": 3.0}, "p": {"d": 1.0}} for n in range(8)}
    found = studies.twist(studies.Campaign(QRELS, runs), samples=20)
    assert found.settings["compared"] == 6
    assert found.settings["measures"][1:] == ("AP", "Bpref", "RBP", "nDCG(base=10)@3")
    alone = studies.twist(studies.Campaign(QRELS, {"one": runs["r0"]}), samples=20)
    assert set(alone.tables) == {"archetypes", "effort_gain", "quadrants"}
