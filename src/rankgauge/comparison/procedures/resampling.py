"""The paired bootstrap test; `numbers.bootstrap` has the samples and sums."""

from __future__ import annotations

import math

import numpy as np

from rankgauge.comparison.registry import Outcome, TestOptions, statistical_test
from rankgauge.numbers.bootstrap import count_reached, paired_bootstrap
from rankgauge.numbers.differences import Floats, Ints
from rankgauge.numbers.exact import moments, sampled_p
from rankgauge.numbers.intervals import margin_statistics
from rankgauge.schema.text import counted


@statistical_test(
    "bootstrap",
    title="paired bootstrap test",
    cite="Efron & Tibshirani 1993, section 16.4; Sakai 2006",
    statistic="t = mean of the differences / (their standard deviation / √n)",
    samples=1000,
    unit="bootstrap samples of topics",
    sequential=True,
    interval="symmetric bootstrap-t interval of the mean difference",
    one_sided="paired bootstrap tests",
    parametric=True,
    efficiency=1.0,
)
def bootstrap(z: Floats, options: TestOptions) -> Outcome:
    """Whether the mean of the differences is 0: is t as far from 0 on random samples of topics?

    Differences are shifted to mean 0 and topics drawn with replacement, the same for all pairs; p is the
    share of samples, with the observed one counted, so that it is never 0. Pairs whose p is small get more
    samples, as many as the correction for multiple comparisons asks for. (The achieved significance level of
    Sakai 2006, which may be 0, is in `rankgauge study power`.)
    """
    topics = z.shape[1]
    rounding = options.pairs.rounding() if options.pairs else 0.0
    # The interval leaves out 0 exactly if p < alpha by these samples; p itself may have more.
    place = math.ceil(options.alpha * (options.samples + 1) - 1 - 1e-9)
    result = paired_bootstrap(
        z,
        samples=options.samples,
        seed=options.seed,
        alphas=[place / options.samples],
        threads=options.threads,
        rounding=rounding,
    )
    of_z = moments(z, rounding)

    def count(rows: Ints, begin: int, end: int) -> Floats:
        if not begin:
            options.report(options.samples)
            return np.rint(result.asl[rows] * options.samples)
        return count_reached(z[rows], of_z.t[rows], begin, end, options.seed, options.report)

    p, drawn = sampled_p(count, len(z), options.samples, options.most_samples)
    p[result.asl == 1.0] = 1.0
    p[np.isinf(result.t)] = np.nan  # samples of a constant difference do not vary
    with np.errstate(invalid="ignore"):
        half = result.critical[0] * of_z.deviation / np.sqrt(topics)
    half[(z == 0.0).all(axis=1)] = 0.0
    return Outcome(
        result.t,
        p,
        [f"{samples} samples of {counted(topics, 'topic')}" for samples in drawn.tolist()],
        half=half,
        beyond=None if options.margin is None else _one_sided(z, options.margin, options),
        drawn=drawn,
    )


def _one_sided(z: Floats, margin: float, options: TestOptions) -> Floats:
    """(2, pairs): p of a true difference of -margin or less, and of margin or more, by |t*|."""
    of_z = moments(z)
    both = margin_statistics(of_z.mean, of_z.deviation / np.sqrt(z.shape[1]), margin)
    p = np.empty(both.shape)
    for row, t in enumerate(both):

        def count(rows: Ints, begin: int, end: int, t: Floats = t) -> Floats:
            return count_reached(z[rows], t[rows], begin, end, options.seed, lambda _: None)

        tail = sampled_p(count, len(z), options.samples, options.most_samples)[0] / 2
        p[row] = np.where(np.isnan(t), np.nan, np.where(t > 0.0, tail, 1.0 - tail))
    return p
