"""Worked values of measures, and the names that papers have for them."""

import pytest

from rankgauge import curves, evaluate

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


def test_r_measure_and_average_weighted_precision_by_hand():
    # cg = 2 2 5 5 6, cg of the ideal = 3 5 7 8 8; at rank R = 4 two of four are relevant
    assert value(GRADED, RETRIEVED, "R_measure") == pytest.approx((5 + 2) / (8 + 4))
    assert value(GRADED, RETRIEVED, "R_measure(beta=10)") == pytest.approx((50 + 2) / (80 + 4))
    assert value(GRADED, RETRIEVED, "AWP") == pytest.approx((2 / 3 + 5 / 7 + 6 / 8) / 4)
    assert value(GRADED, RETRIEVED, "AWP@3") == pytest.approx((2 / 3 + 5 / 7) / 4)
    assert value(GRADED, RETRIEVED, "AWP(norm=cut)@3") == pytest.approx((2 / 3 + 5 / 7) / 3)


def test_they_are_what_sakai_says_of_their_relatives():
    assert value(GRADED, RETRIEVED, "R_measure(beta=0)") == value(GRADED, RETRIEVED, "Rprec")
    like_q = value(GRADED, RETRIEVED, "Q(beta=1e12)")
    assert value(GRADED, RETRIEVED, "AWP") == pytest.approx(like_q, rel=1e-9)
    late = {"q": {**{f"n{i}": 90.0 - i for i in range(80)}, "a": 1.0}}  # far below rank R, it costs nothing
    soon = {"q": {**{f"n{i}": 90.0 - i for i in range(6)}, "a": 1.0}}
    assert value(GRADED, late, "AWP") == value(GRADED, soon, "AWP")
    assert value(GRADED, late, "Q") < value(GRADED, soon, "Q")


def test_small_measures_by_hand():
    # b, a and d of four relevant documents are at ranks 1, 3 and 5; x at rank 2 and z are not relevant
    judged = {"q": {**GRADED["q"], "z": 0}}
    assert value(judged, RETRIEVED, "Jaccard@3") == 2 / (3 + 4 - 2)
    assert value(judged, RETRIEVED, "Jaccard") == 3 / (5 + 4 - 3)
    assert value(judged, RETRIEVED, "Jaccard@8") == 3 / (8 + 4 - 3)
    assert value(judged, RETRIEVED, "AP_at_R") == value(judged, RETRIEVED, "AP@4") == (1 + 2 / 3) / 4
    assert value(judged, RETRIEVED, "MeanRank") == value(judged, RETRIEVED, "MedianRank") == 3
    # right: b before x and z, a and d before z; half: c and z, which are not retrieved
    assert value(judged, RETRIEVED, "AUC") == 4.5 / 8
    assert value(GRADED, {"q": {"b": 1.0, "x": 1.0}}, "AUC") == (0.5) / 4


def test_graded_average_precision_by_hand():
    # min(gain(i), gain(j)) adds up to 2 at rank 1, 2 + 3 at rank 3, 1 + 1 + 1 at rank 5
    assert value(GRADED, RETRIEVED, "GAP") == pytest.approx((2 + 5 / 3 + 3 / 5) / 8)
    assert value(GRADED, RETRIEVED, "GAP@3") == pytest.approx((2 + 5 / 3) / 8)
    # users who begin at grades 1, 2, 3: g = 0.5, 0.25, 0.25
    users = value(GRADED, RETRIEVED, "GAP(gains={1:0.5,2:0.75,3:1})")
    assert users == pytest.approx((0.75 + 1.75 / 3 + 1.5 / 5) / 3)
    assert value(GRADED, RETRIEVED, "GAP(gains=binary)") == value(GRADED, RETRIEVED, "AP")
