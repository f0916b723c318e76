"""Places of runs and their intervals, against a slow twin."""

import statistics

import numpy as np
import pytest

import rankgauge
from rankgauge.numbers.bootstrap import drawn
from rankgauge.numbers.matrices import place_intervals, places
from small import QRELS, RUNS

SAMPLES = 400


def slow_places(values):
    return [1 + sum(other > value for other in values) for value in values]


def slow_intervals(values, average, sign, samples, level, seed):
    """Place, low and high of each run, from {run: [value of each topic]}, one sample after the other."""
    topics = len(next(iter(values.values())))

    def placed(sample):
        return slow_places(
            [round(sign * average([row[topic] for topic in sample]), 12) for row in values.values()]
        )

    seen = [
        placed(sample)
        for block in drawn(topics, topics, samples, seed, replacement=True)
        for sample in block.tolist()
    ]
    rows = []
    for run, place in enumerate(placed(range(topics))):
        ordered = sorted(sample[run] for sample in seen)
        outside = int((1 - level) / 2 * samples)
        rows.append((place, ordered[outside], ordered[-1 - outside]))
    return rows


@pytest.mark.parametrize("measure", ["AP", "FirstRank", "P@5"])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_intervals_are_those_of_the_twin(measure, level):
    scores = rankgauge.evaluate(QRELS, RUNS, measure)
    values = {run: list(by[measure].values()) for run, by in scores.to_dict().items()}
    own, low, high = place_intervals(scores, samples=SAMPLES, level=level, seed=3)
    average = statistics.median if measure == "FirstRank" else statistics.fmean
    expected = slow_intervals(values, average, scores.direction(measure), SAMPLES, level, 3)
    assert list(zip(own[0].tolist(), low[0].tolist(), high[0].tolist(), strict=True)) == expected


def test_a_run_without_a_value_has_no_place():
    assert np.array_equal(
        places(np.array([0.5, np.nan, np.inf, 0.5, -np.inf])), [2, np.nan, 1, 2, 4], equal_nan=True
    )


def test_runs_alike_share_a_place_and_one_that_always_wins_is_first():
    table = {
        "first": {"1": 0.9, "2": 0.8, "3": 0.7},
        "a": {"1": 0.5, "2": 0.1, "3": 0.3},
        "b": {"1": 0.5, "2": 0.1, "3": 0.3},
        "last": {"1": 0.0, "2": 0.0, "3": 0.0},
    }
    own, low, high = place_intervals(rankgauge.Scores.from_table(table, "AP"))
    assert own.tolist() == [[1, 2, 2, 4]]
    assert low.tolist() == [[1, 2, 2, 4]]
    assert high.tolist() == [[1, 2, 2, 4]]
