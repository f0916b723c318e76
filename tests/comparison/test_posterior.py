"""Posterior probabilities of the t-test, against the posterior by its definition."""

import math

import numpy as np
import pytest
from scipy import integrate, special

from rankgauge import Scores, compare
from rankgauge.comparison.sentences import POSTERIOR
from rankgauge.errors import OptionError


def slow(z, low, high):
    """P(low < mean < high) by the prior 1/σ: over σ, the mean is normal around that of the topics."""
    topics, mean, spread = len(z), z.mean(), z.std(ddof=1)

    def weight(log_sigma):
        return math.exp(-(topics - 1) * (log_sigma + (math.exp(-2 * log_sigma) - 1) / 2))

    def inside(log_sigma):
        error = spread * math.exp(log_sigma) / math.sqrt(topics)
        return weight(log_sigma) * (special.ndtr((high - mean) / error) - special.ndtr((low - mean) / error))

    found, whole = (integrate.quad(each, -3, 12, limit=500)[0] for each in (inside, weight))
    return found / whole


@pytest.mark.parametrize("topics", [3, 12, 50])
@pytest.mark.parametrize(("measure", "sign"), [("AP", 1), ("ASL", -1)])
@pytest.mark.parametrize("shift", [0.0, 0.1, -0.3])
def test_probabilities_are_those_of_the_posterior(topics, measure, sign, shift):
    values = np.random.default_rng(topics).uniform(0.3, 0.6, (2, topics))
    values[1] += shift
    scores = Scores.from_table(dict(zip("ab", values.tolist(), strict=True)), measure)
    row = compare(scores, margin=0.05, posterior=True).as_dict()["measures"][0]["pairs"][0]
    z = sign * (values[1] - values[0])
    assert row["probability_better"] == pytest.approx(slow(z, 0, math.inf), rel=1e-6, abs=1e-9)
    assert row["probability_equivalent"] == pytest.approx(slow(z, -0.05, 0.05), rel=1e-6, abs=1e-9)


def test_equal_means_are_even_and_equal_runs_undefined():
    scores = Scores.from_table({"a": [0.25, 0.5, 0.75], "b": [0.5, 0.75, 0.25], "c": [0.25, 0.5, 0.75]}, "AP")
    found = compare(scores, margin=0.1, posterior=True)
    made = found.as_dict()["measures"][0]["pairs"]
    assert made[0]["probability_equivalent"] == pytest.approx(slow(np.array([0.25, 0.25, -0.5]), -0.1, 0.1))
    assert (made[0]["probability_better"], made[1]["probability_better"]) == (0.5, None)
    assert POSTERIOR in found.sentences[0]
    assert "P(better)" in found.section(found["AP"]).table.headers


def test_two_runs_have_a_sentence_and_nothing_is_shown_unless_asked_for():
    scores = Scores.from_table({"old": [0.1, 0.2, 0.3, 0.5], "new": [0.2, 0.3, 0.5, 0.6]}, "AP")
    found = compare(scores, posterior=True)
    assert f"P(new is better than old) = 0.992. {POSTERIOR}" in found.conclusion()
    assert "probability_equivalent" not in found.table().headers
    assert "probability_better" not in compare(scores).table().headers
    assert POSTERIOR not in compare(scores).sentences[0]
    with pytest.raises(OptionError, match="those of the paired t-test, not of the sign test"):
        compare(scores, test="sign", posterior=True)
