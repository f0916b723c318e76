"""How the values of topics become one, whatever the measure."""

import math
import statistics

import pytest
from hypothesis import given

from cases import campaigns, cutoffs, evaluate, for_each_measure, levels_of, seeds, settings_of, written
from rankgauge.measures import MEASURES

NAMES = list(MEASURES)
RATIOS = [name for name in NAMES if "micro" in MEASURES[name].parameter("average").kind.choices]
SLACK = 1e-12


def averaged(qrels, run, name, seed, cutoff, way):
    """(the values of topics, those that count, their average)."""
    spec = MEASURES[name]
    settings = {**settings_of(spec, seed, levels_of(qrels)), "average": way}
    scores = evaluate(qrels, run, written(name, settings, cutoff if spec.curve else None))
    values = scores.values[0, 0].tolist()
    as_zero = spec.direction >= 0
    counted = [0.0 if math.isnan(v) else v for v in values if as_zero or not math.isnan(v)]
    (average,) = scores.mean()["run"].values()
    return values, counted, average


@pytest.mark.parametrize("name", NAMES)
@for_each_measure
@given(campaign=campaigns(), cutoff=cutoffs(), seed=seeds())
def test_sum_and_median_are_those_of_the_values_that_count(name, campaign, cutoff, seed):
    for way, of in (("sum", math.fsum), ("median", statistics.median), ("mean", statistics.fmean)):
        _, counted, average = averaged(*campaign, name, seed, cutoff, way)
        assert average == pytest.approx(of(counted), rel=1e-12) if counted else math.isnan(average)


@pytest.mark.parametrize("name", NAMES)
@for_each_measure
@given(campaign=campaigns(), cutoff=cutoffs(), seed=seeds())
def test_the_geometric_mean_is_between_the_smallest_and_the_largest_value(name, campaign, cutoff, seed):
    _, counted, average = averaged(*campaign, name, seed, cutoff, "geometric")
    raised = [max(value, 1e-5) for value in counted]
    if raised:
        assert min(raised) * (1 - SLACK) <= average <= max(raised) * (1 + SLACK)
    else:
        assert math.isnan(average)


@pytest.mark.parametrize("name", RATIOS)
@for_each_measure
@given(campaign=campaigns(), cutoff=cutoffs(), seed=seeds())
def test_a_micro_average_is_between_the_smallest_and_the_largest_value(name, campaign, cutoff, seed):
    values, _, average = averaged(*campaign, name, seed, cutoff, "micro")
    numbers = [0.0 if math.isnan(value) else value for value in values]
    assert math.isnan(average) or min(numbers) - SLACK <= average <= max(numbers) + SLACK
    assert not math.isnan(average) or all(map(math.isnan, values))


@pytest.mark.parametrize("name", RATIOS)
@for_each_measure
@given(campaign=campaigns(most=1), cutoff=cutoffs(), seed=seeds())
def test_the_micro_average_of_one_topic_is_its_value(name, campaign, cutoff, seed):
    (value,), _, average = averaged(*campaign, name, seed, cutoff, "micro")
    assert average == pytest.approx(value, rel=1e-12) if not math.isnan(value) else not average > 0
