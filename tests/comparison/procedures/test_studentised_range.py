"""The studentised range: SciPy's values, those of two runs, and the tail by its definition, however small."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from rankgauge.comparison.procedures.anova import range_quantile as quantile
from rankgauge.comparison.procedures.anova import range_tail as tail

NINE_DIGITS = 1e-9


@pytest.mark.parametrize(
    ("runs", "df"), [(2, 1), (3, 2), (3, 10), (5, 196), (10, 441), (25, 24), (100, 4851), (500, 24451)]
)
def test_the_studentised_range_is_scipys(runs, df):
    q = np.array([0.0, 0.1, 1.0, 2.5, 4.0, 5.0, 6.0, 9.0, 40.0])
    expected = stats.studentized_range.sf(q, runs, df)
    assert np.abs(tail(q, runs, df) - expected).max() < 1e-10
    known = expected > 1e-4  # where SciPy's 1 - cdf has digits enough
    assert tail(q, runs, df)[known].tolist() == pytest.approx(expected[known].tolist(), rel=1e-7)
    assert tail(np.array([quantile(0.05, runs, df)]), runs, df)[0] == pytest.approx(0.05, rel=1e-8)
    assert np.isnan(tail(np.array([np.nan]), runs, df)).all()
    assert tail(np.array([np.inf]), runs, df).tolist() == [0.0]


@pytest.mark.parametrize("df", [1, 2, 3, 7, 23, 49, 200, 5000, 10**7])
def test_the_range_of_two_runs_is_students_t(df):
    q = np.concatenate([np.linspace(0.0, 60.0, 1001), np.geomspace(60.0, 1e150, 200)])
    expected = 2 * special.stdtr(df, -q / math.sqrt(2))
    found, known = tail(q, 2, df), expected > 1e-285
    assert found[known].tolist() == pytest.approx(expected[known].tolist(), rel=NINE_DIGITS)
    assert (found[~known] < 1e-284).all()


def by_definition(q, runs, df):
    """The probability that a studentised range reaches q, as a double integral, with its relative error."""

    def within_range(z, w):  # the largest value is at z, and not all of the others are near it
        others = (runs - 1) * math.log1p(-min(1.0, special.ndtr(z - w) / special.ndtr(z)) * (1 - 1e-16))
        log_density = -z * z / 2 + (runs - 1) * special.log_ndtr(z)
        return runs * math.exp(log_density) * -math.expm1(others) / math.sqrt(2 * math.pi)

    def integrand(s):
        middle = q * s / 2
        points = sorted({-9.0, 0.0, 3.0, 6.0, 9.0, middle - 4, middle, middle + 4, middle + 12})
        whole = sum(
            integrate.quad(within_range, a, b, args=(q * s,), epsabs=0, epsrel=1e-12)[0]
            for a, b in itertools.pairwise(points)
        )
        log_density = df / 2 * math.log(df) - special.gammaln(df / 2) - (df / 2 - 1) * math.log(2)
        return whole * math.exp(log_density + (df - 1) * math.log(s) - df * s * s / 2)

    centre = math.sqrt(df / (df + q * q / 2))
    ends = np.clip(centre * (1 + np.array([-14.0, -5, -2, 0, 2, 5, 14]) / math.sqrt(2 * df)), 1e-6, None)
    return sum(
        integrate.quad(integrand, a, b, epsabs=0, epsrel=1e-11)[0]
        for a, b in itertools.pairwise(ends)
        if b > a
    )


@pytest.mark.parametrize(
    ("q", "runs", "df"),
    [(9.0, 3, 40), (14.0, 10, 441), (18.0, 100, 4851), (12.0, 500, 24451), (40.0, 30, 60)],
)
def test_small_p_has_its_digits_too(q, runs, df):
    expected = by_definition(q, runs, df)
    assert 0 < expected < 1e-6
    assert tail(np.array([q]), runs, df)[0] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(("runs", "df"), [(3, 1), (20, 30), (1000, 49_000)])
def test_p_falls_and_does_not_depend_on_the_other_values(runs, df):
    q = np.linspace(0.0, 50.0, 400)
    p = tail(q, runs, df)
    assert p[0] == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(p) <= 1e-13).all()
    assert (np.diff(p[p < 0.99]) < 0).all()
    assert tail(q[::-1], runs, df).tolist() == p[::-1].tolist()
    assert [tail(q[i : i + 1], runs, df)[0] for i in range(0, 400, 37)] == p[::37].tolist()


def test_nothing_is_known_without_degrees_of_freedom_or_with_one_run():
    assert np.isnan(tail(np.ones(2), 1, 5)).all()
    assert np.isnan(tail(np.ones(2), 3, 0)).all()
    assert math.isnan(quantile(0.05, 3, 0))
