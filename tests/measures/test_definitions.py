"""Worked values of measures, and the names that papers have for them."""

import pytest

from rankgauge import curves, evaluate
from twins.usermodels import compatibility

# The running example of Järvelin & Kekäläinen 2002: G', and the vectors that they print for it.
GAINS = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
CG = [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
DCG_2 = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
JUDGED = {"q": {f"d{rank}": gain for rank, gain in enumerate(GAINS)}}
RUN = {"q": {f"d{rank}": -float(rank) for rank in range(len(GAINS))}}


def value(qrels, run, measure):
    return evaluate(qrels, run, measure).values[0, 0, 0]


@pytest.mark.parametrize("k", range(1, 11))
def test_average_cumulated_gain_is_the_mean_of_the_printed_vector(k):
    assert value(JUDGED, RUN, f"ACG@{k}") == pytest.approx(sum(CG[:k]) / k, rel=1e-15)
    assert value(JUDGED, RUN, f"ADCG(base=2)@{k}") == pytest.approx(sum(DCG_2[:k]) / k, abs=0.005)
    assert value(JUDGED, RUN, f"ADCG(discount=none)@{k}") == value(JUDGED, RUN, f"ACG@{k}")


def test_average_cumulated_gain_below_the_end_of_a_list_goes_on_with_its_last_value():
    assert value(JUDGED, RUN, "ACG@20") == pytest.approx((sum(CG) + 10 * 16) / 20)
    assert value(JUDGED, RUN, "ACG") == value(JUDGED, RUN, "ACG@10") == 9.7
    vector = curves(JUDGED, RUN, "ACG", depth=10).values[0, 0, 0].tolist()
    assert vector == pytest.approx([sum(CG[:k]) / k for k in range(1, 11)])


# R = 4 with gains 3, 2, 2, 1; retrieved: 2, nothing, 3, nothing, 1.
GRADED = {"q": {"a": 3, "b": 2, "c": 2, "d": 1, "x": 0}}
RETRIEVED = {"q": {"b": 5.0, "x": 4.0, "a": 3.0, "y": 2.0, "d": 1.0}}


WITH_Z = {"q": {**GRADED["q"], "z": 0}}
GRADED_BY_HAND = [
    # cg = 2 2 5 5 6, cg of the ideal = 3 5 7 8 8; at rank R = 4 two of four are relevant
    ("R_measure", (5 + 2) / (8 + 4)),
    ("R_measure(beta=10)", (50 + 2) / (80 + 4)),
    ("AWP", (2 / 3 + 5 / 7 + 6 / 8) / 4),
    ("AWP@3", (2 / 3 + 5 / 7) / 4),
    ("AWP(norm=cut)@3", (2 / 3 + 5 / 7) / 3),
    # min(gain(i), gain(j)) adds up to 2 at rank 1, 2 + 3 at rank 3, 1 + 1 + 1 at rank 5
    ("GAP", (2 + 5 / 3 + 3 / 5) / 8),
    ("GAP@3", (2 + 5 / 3) / 8),
    # users who begin at grades 1, 2, 3: g = 0.5, 0.25, 0.25
    ("GAP(gains={1:0.5,2:0.75,3:1})", (0.75 + 1.75 / 3 + 1.5 / 5) / 3),
]
SMALL_BY_HAND = [
    # b, a and d of four relevant documents are at ranks 1, 3 and 5; x at rank 2 and z are not relevant
    ("Jaccard@3", 2 / (3 + 4 - 2)),
    ("Jaccard", 3 / (5 + 4 - 3)),
    ("Jaccard@8", 3 / (8 + 4 - 3)),
    ("AP_at_R", (1 + 2 / 3) / 4),
    ("AP@4", (1 + 2 / 3) / 4),
    ("MeanRank", 3),
    ("MedianRank", 3),
    # right: b before x and z, a and d before z; half: c and z, which are not retrieved
    ("AUC", 4.5 / 8),
]


@pytest.mark.parametrize(("measure", "expected"), GRADED_BY_HAND)
def test_graded_measures_by_hand(measure, expected):
    assert value(GRADED, RETRIEVED, measure) == pytest.approx(expected)


@pytest.mark.parametrize(("measure", "expected"), SMALL_BY_HAND)
def test_small_measures_by_hand(measure, expected):
    assert value(WITH_Z, RETRIEVED, measure) == expected


def test_a_tie_of_scores_counts_half():
    assert value(GRADED, {"q": {"b": 1.0, "x": 1.0}}, "AUC") == (0.5) / 4


def test_gains_of_1_make_graded_average_precision_the_binary_one():
    assert value(GRADED, RETRIEVED, "GAP(gains=binary)") == value(GRADED, RETRIEVED, "AP")


def test_they_are_what_sakai_says_of_their_relatives():
    assert value(GRADED, RETRIEVED, "R_measure(beta=0)") == value(GRADED, RETRIEVED, "Rprec")
    like_q = value(GRADED, RETRIEVED, "Q(beta=1e12)")
    assert value(GRADED, RETRIEVED, "AWP") == pytest.approx(like_q, rel=1e-9)
    late = {"q": {**{f"n{i}": 90.0 - i for i in range(80)}, "a": 1.0}}  # far below rank R, it costs nothing
    soon = {"q": {**{f"n{i}": 90.0 - i for i in range(6)}, "a": 1.0}}
    assert value(GRADED, late, "AWP") == value(GRADED, soon, "AWP")
    assert value(GRADED, late, "Q") < value(GRADED, soon, "Q")


# Where the overlap of Compat ends: at rank 1000, as in its authors' program, or with the lists.


def compat_of(text, ranking, judgments):
    return value({"q": judgments}, {"q": {doc: float(-rank) for rank, doc in enumerate(ranking)}}, text)


def test_what_short_lists_share_counts_down_to_rank_1000():
    """The value is that of claclark/Compatibility's compatibility.py; ir_measures has the other one."""
    assert compat_of("Compat", ["b", "a"], {"a": 1}) == pytest.approx(0.6829, abs=5e-5)
    assert compat_of("Compat(end=lists)", ["b", "a"], {"a": 1}) == pytest.approx(0.3220, abs=5e-5)


@pytest.mark.parametrize("text", ["Compat(p=0.99)", "Compat(p=0.99)@1000", "Compat(p=0.99)@2000"])
def test_nothing_below_rank_1000_counts(text):
    ranking, judgments = [f"u{rank}" for rank in range(999)], {"a": 1, "b": 1, "c": 2}
    found = compat_of(text, [*ranking, "a", "b"], judgments)
    assert found == compat_of(text, [*ranking, "a"], judgments) > 0
    assert compat_of(text, [*ranking, "u", "a"], {"a": 1}) == 0


@pytest.mark.parametrize("end", ["depth", "lists"])
def test_documents_that_are_shared_far_down_never_make_a_value_negative(end):
    """Their weights are less than what is lost by rounding."""
    ranking = [f"d{rank:03}" for rank in range(1000)]
    for step in range(1, 40):
        assert compat_of(f"Compat(end={end})", ranking, dict.fromkeys(ranking[900::step], 1)) >= 0


@pytest.mark.parametrize("end", ["depth", "lists"])
@pytest.mark.parametrize("length", [3, 999, 1000, 1001, 1500])
def test_long_lists_have_the_value_of_the_twin(end, length):
    judgments = {f"d{n}": 1 + n % 3 for n in range(0, 1400, 7)}
    ranking = [f"d{n}" for n in range(length)]
    for settings in ({}, {"normalize": False}, {"p": 0.99}):
        inside = ",".join(f"{name}={each}" for name, each in {**settings, "end": end}.items())
        expected = compatibility(ranking, judgments, end=end, **settings)
        assert compat_of(f"Compat({inside})", ranking, judgments) == pytest.approx(expected, rel=1e-12)
