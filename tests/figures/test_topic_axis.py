"""Which topics are drawn."""

import math

import numpy as np
import pytest

from figures.samples import rows, scores_of
from rankgauge import figures
from rankgauge.figures.topic_axis import MAX_TOPICS


@pytest.mark.parametrize("name", ["differences", "difficulty"])
def test_topics_without_a_value_are_not_counted(name):
    nan = math.nan
    result = scores_of([[[0.1, nan, 0.3], [nan, nan, 0.1]], [[0.3, nan, 0.2], [nan, 0.2, 0.5]]], ("AP", "RR"))
    figure = figures.figures()[name](result)
    drawn = [len(rows(figure, f"topics {number}")) for number in (1, 2)]
    assert drawn == ([2, 1] if name == "differences" else [2, 2])
    size, left = ("1 to 2 topics", "1 to 2") if name == "differences" else ("2 topics", "1")
    assert size in f"{figure.caption} {' '.join(figure.spec['title']['subtitle'])}"
    assert f"{left} topic{'s' * (left != '1')} without a value left out." in figure.caption


def test_of_many_topics_some_are_drawn_with_both_ends():
    values = np.stack([np.zeros((1, 30_000)), np.random.default_rng(1).normal(size=(1, 30_000))])
    figure = figures.differences(scores_of(values, ("AP",)))
    table = rows(figure)
    assert len(table) == MAX_TOPICS
    assert table[0]["difference"] == values[1].max()
    assert table[-1]["difference"] == values[1].min()
    assert f"{MAX_TOPICS:,} evenly spaced topics are drawn." in figure.caption
    assert len(rows(figures.difficulty(scores_of(values, ("AP",))))) == MAX_TOPICS
