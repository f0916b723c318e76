"""Studies of sets of topics: `stability` and `swap`, how far they contradict each other, and `topics`.

`topics` is the number that a collection needs, by Sakai's topic set size design:

    t          the paired t-test detects a difference between two systems, with this power
    anova      one-way analysis of variance detects a difference between the best and the worst system
    interval   the confidence interval of the difference between two systems is no wider than the difference

`variance` is that of a system's scores without the effects of topic and system, half that of a difference.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import SEED, Measures, Seed, Several, TopicSetSizes, Trials
from rankgauge.campaigns.registry import study
from rankgauge.errors import InputError, OptionError
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.output.tables import Cell, Shown, Table
from rankgauge.numbers.bootstrap import drawn
from rankgauge.numbers.differences import all_pairs
from rankgauge.numbers.intervals import topics_needed
from rankgauge.numbers.matrices import SLACK, matrix, means, sizes_of, value_notes
from rankgauge.schema.lazy import required_module
from rankgauge.schema.parameters import Number, Whole, Word

PROBABILITY = Number(0, 1, above=True, below=True)


@study(
    "topics",
    title="Topic set size design",
    cite="Sakai, Topic set size design, Information Retrieval Journal 19, 2016; Nagata 2003",
    example='qrels.txt runs/*.run -m "AP nDCG@10" --differences 0.05,0.1 --systems 2,10',
    least_runs=2,
)
def topics(
    campaign: Campaign,
    *,
    measures: Measures = None,
    differences: Annotated[
        tuple[float, ...], Several(Number(0, above=True)), "differences of means to detect"
    ] = (0.05, 0.1, 0.15, 0.2),
    systems: Annotated[
        tuple[int, ...], Several(Whole(2)), "numbers of systems that an analysis of variance compares"
    ] = (2, 5, 10, 50),
    alpha: Annotated[float, PROBABILITY, "level of significance, or 1 - confidence of an interval"] = 0.05,
    power: Annotated[float, PROBABILITY, "the probability of detecting a real difference"] = 0.8,
    variance: Annotated[
        str, Word(("residual", "within")), "the variance left after runs and topics, or after runs alone"
    ] = "residual",
) -> Findings:
    """How many topics a new collection needs, given how much the scores of these runs vary.

    For the paired t-test of two systems, one-way analysis of variance of several, and the width of the
    confidence interval of a difference. A second table has the inverse: the difference that the present
    number of topics can detect. The residual variance is that of two-way analysis of variance; the variance
    within runs includes that of the topics, and demands more of them.
    """
    scores = campaign.scores(measures)
    needed: list[list[Cell]] = []
    least: list[list[Cell]] = []
    designs = [("t", 2), *(("anova", count) for count in systems), ("interval", 2)]
    for measure in scores.measures:
        values = matrix(scores, measure)
        if values.shape[1] < 2:
            raise InputError("the variance of scores needs at least 2 topics; add more")
        spread = variance_of(values, variance)
        for method, count in designs:
            for difference in differences:
                enough = is_enough(method, difference, spread, alpha, power, count)
                least_topics = topics_needed(enough) if spread else 2
                needed.append([measure, spread, method, count, Shown(difference), least_topics])
            smallest = detectable(method, values.shape[1], spread, alpha, power, count)
            least.append([measure, spread, method, count, values.shape[1], smallest])
    return Findings(
        settings={"measures": scores.measures},
        sentences=[f"At a significance level of {alpha:g} and a power of {power:g}.", *value_notes(scores)],
        tables={
            "topics": Table(("measure", "variance", "method", "systems", "difference", "topics"), needed),
            "detectable": Table(("measure", "variance", "method", "systems", "topics", "difference"), least),
        },
        captions={
            "topics": "The number of topics needed to detect a difference; empty: more than ten million.",
            "detectable": "The smallest difference that the present number of topics can detect.",
        },
    )


def residual_variance(values: Floats) -> float:
    """The variance of (runs, topics) without the effects of both (two-way ANOVA)."""
    runs, topics = values.shape
    rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    return float((rest * rest).sum() / ((runs - 1) * (topics - 1)))


def within_variance(values: Floats) -> float:
    """The variance of (runs, topics) around the means of runs (one-way ANOVA)."""
    runs, topics = values.shape
    rest = values - values.mean(axis=1, keepdims=True)
    return float((rest * rest).sum() / (runs * (topics - 1)))


def power_of_t(topics: int, difference: float, variance: float, alpha: float) -> float:
    """The probability that a two-sided paired t-test detects this difference."""
    special = required_module("scipy.special")
    freedom, shift = topics - 1, topics * difference**2 / (2 * variance)
    critical = special.stdtrit(freedom, 1 - alpha / 2) ** 2
    return 1 - float(special.ncfdtr(1, freedom, shift, critical))  # t² has an F distribution


def power_of_anova(topics: int, difference: float, variance: float, alpha: float, systems: int) -> float:
    """The probability that one-way ANOVA detects this difference between the best and the worst system.

    In the least favourable case, the others lie halfway between.
    """
    special = required_module("scipy.special")
    between, within = systems - 1, systems * (topics - 1)
    shift = topics * difference**2 / (2 * variance)
    return 1 - float(special.ncfdtr(between, within, shift, special.fdtri(between, within, 1 - alpha)))


def width_of_interval(topics: int, variance: float, alpha: float) -> float:
    """The expected width of the confidence interval of the difference between two systems."""
    stdtrit = required_module("scipy.special").stdtrit
    freedom = topics - 1
    # the expected standard deviation of a sample, as a share of the true one
    share = math.sqrt(2 / freedom) * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    return float(2 * stdtrit(freedom, 1 - alpha / 2) * share * math.sqrt(2 * variance / topics))


def is_enough(
    method: str, difference: float, variance: float, alpha: float, power: float, systems: int
) -> Callable[[int], bool]:
    """Whether so many topics are enough, as a function."""
    if method == "interval":
        return lambda topics: width_of_interval(topics, variance, alpha) <= difference
    if method == "t":
        return lambda topics: power_of_t(topics, difference, variance, alpha) >= power
    return lambda topics: power_of_anova(topics, difference, variance, alpha, systems) >= power


def detectable(method: str, topics: int, variance: float, alpha: float, power: float, systems: int) -> float:
    """The smallest difference for which `topics` topics are enough."""
    if variance == 0.0:
        return 0.0
    if method == "interval":
        return width_of_interval(topics, variance, alpha)
    low, high = 0.0, math.sqrt(variance)

    def enough(difference: float) -> bool:
        return is_enough(method, difference, variance, alpha, power, systems)(topics)

    while not enough(high):
        low, high = high, 2 * high
        if high > 1e12 * math.sqrt(variance):
            return math.nan
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def variance_of(values: Floats, kind: str) -> float:
    """The variance of (runs, topics) for topic set size design."""
    with np.errstate(all="ignore"):
        variance = residual_variance(values) if kind == "residual" else within_variance(values)
    return 0.0 if variance < 1e-24 else variance  # below that, it is all rounding


@study(
    "stability",
    title="Stability of measures",
    cite="Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000",
    example='qrels.txt runs/*.run -m "AP P@10 RR" --sizes 4,8 --trials 100',
    least_runs=2,
)
def stability(
    campaign: Campaign,
    *,
    measures: Measures = None,
    sizes: TopicSetSizes = None,
    fuzziness: Annotated[
        tuple[float, ...], Several(Number(0, 1)), "the share of the better mean below which runs tie"
    ] = (0.05,),
    trials: Trials = 1000,
    seed: Seed = SEED,
) -> Findings:
    """How often a sample of the topics contradicts what most samples show about two runs.

    The error rate is the share of comparisons in the minority; it falls as fuzziness grows, at the cost of
    more ties. By default there are about five sizes, up to half of the topics.
    """
    scores = campaign.scores(measures)
    rows: list[list[Cell]] = []
    for measure in scores.measures:
        values = matrix(scores, measure)
        topics = values.shape[1]
        most = topics if sizes else topics // 2
        for size in sizes_of(topics, sizes, most):
            for fuzz, error, ties in error_rates(values, size, trials, fuzziness, seed):
                rows.append([measure, size, Shown(fuzz), error, ties])
    return Findings(
        settings={"measures": scores.measures},
        sentences=[f"{trials} samples of topics of each size, seed {seed}.", *value_notes(scores)],
        tables={"stability": Table(("measure", "topics", "fuzziness", "error rate", "ties"), rows)},
        captions={"stability": "Error rate and ties as shares of all comparisons of two runs."},
    )


def error_rates(
    values: Floats, size: int, trials: int, fuzziness: tuple[float, ...], seed: int
) -> Iterator[tuple[float, float, float]]:
    """(fuzziness, error rate, share of ties) over all pairs of runs and samples of topics.

    In a sample two runs tie if they differ by less than this share of the better one's mean. The error rate
    counts, for each pair, the samples with the rarer of the two outcomes (Buckley and Voorhees 2000).
    """
    runs, topics = values.shape
    better, worse = np.zeros((2, len(fuzziness), runs, runs), dtype=np.int64)
    for sets in drawn(topics, size, trials, seed, replacement=False):
        averages = means(values, sets)
        for run in range(runs - 1):
            one, others = averages[run], averages[run + 1 :]
            difference, larger = one - others, np.maximum(np.abs(one), np.abs(others))
            for place, fuzz in enumerate(fuzziness):
                apart = np.abs(difference) >= np.maximum(fuzz * larger - SLACK, SLACK)
                better[place, run, run + 1 :] += np.count_nonzero(apart & (difference > 0), axis=1)
                worse[place, run, run + 1 :] += np.count_nonzero(apart & (difference < 0), axis=1)
    comparisons = runs * (runs - 1) // 2 * trials
    for fuzz, for_one, for_other in zip(fuzziness, better, worse, strict=True):
        ties = comparisons - int(for_one.sum() + for_other.sum())
        yield fuzz, int(np.minimum(for_one, for_other).sum()) / comparisons, ties / comparisons


LEAST = 3  # sizes that a curve is fitted to: it has two parameters, and must be able to miss


@study(
    "swap",
    title="Swap rate of measures",
    cite="Voorhees and Buckley, The effect of topic set size on retrieval experiment error, SIGIR 2002; "
    "Sakai, SIGIR 2006 (with replacement)",
    example='qrels.txt runs/*.run -m "AP P@10 RR" --trials 100',
    least_runs=2,
)
def swap(
    campaign: Campaign,
    *,
    measures: Measures = None,
    sizes: TopicSetSizes = None,
    drawn: Annotated[
        str,
        Word(("apart", "replacement")),
        "how the two sets of topics are drawn: without a common topic, or with replacement",
    ] = "apart",
    width: Annotated[float, Number(0, above=True), "width of the bins of differences"] = 0.01,
    bins: Annotated[int, Whole(2), "number of bins; the last one holds all larger differences"] = 21,
    rate: Annotated[float, Number(0, 1), "the acceptable share of swaps"] = 0.05,
    extrapolate: Annotated[
        int | None,
        Whole(0),
        "the number of topics to extrapolate swap rates to, 0 for none (default: all topics, unless sets "
        "are drawn with replacement)",
    ] = None,
    trials: Trials = 1000,
    seed: Seed = SEED,
) -> Findings:
    """How often another set of topics reverses a comparison of two runs, by the size of the difference.

    A measure is the more sensitive, the smaller the difference that keeps swaps within the given rate, and
    the more comparisons reach it. By default there are about five sizes, up to half of the topics, or up to
    all of them with replacement. Sets without a common topic cannot have more than half of the topics; for
    all of them, rates are extrapolated by curves, start · exp(-decay · topics), that are fitted to the rates
    of three sizes or more.
    """
    scores = campaign.scores(measures)
    replacement = drawn == "replacement"
    rows: list[list[Cell]] = []
    needed: list[list[Cell]] = []
    fits: list[list[Cell]] = []
    starts = [Shown(round(place * width, 12)) for place in range(bins)]
    for measure in scores.measures:
        values = matrix(scores, measure)
        topics = values.shape[1]
        counted = [
            (size, count_swaps(values, size, trials, seed, replacement=replacement, width=width, bins=bins))
            for size in sizes_of(topics, sizes, topics if replacement else topics // 2)
        ]
        for size, swaps in counted:
            needed.append([measure, size, *_shown(*swaps.needed(rate)), "counted"])
            rows += [
                [measure, size, start, int(count), int(swapped), share]
                for start, count, swapped, share in zip(
                    starts, swaps.comparisons, swaps.swaps, swaps.rates.tolist(), strict=True
                )
            ]
        if target := _target(extrapolate, [size for size, _ in counted], topics, replacement):
            fitted = fit_bins(counted)
            rates = np.array([each.rate(target) for each in fitted])
            first = first_within(rates, rate)
            least = math.nan if np.isnan(rates[first:]).all() else first * width
            share = share_reaching(values, least) if target == topics else math.nan
            needed.append([measure, target, *_shown(least, share), "extrapolated"])
            fits += [
                [measure, start, target, fit.rate(target), fit.start, fit.decay, fit.error, fit.explained]
                for start, fit in zip(starts, fitted, strict=True)
            ]
    tables = {
        "sensitivity": Table(("measure", "topics", "difference", "share", "rates"), needed),
        "swaps": Table(("measure", "topics", "difference", "comparisons", "swaps", "rate"), rows),
    }
    captions = {
        "sensitivity": f"The smallest difference from which at most {rate:.0%} of comparisons are "
        "swapped; the share of comparisons that reach it.",
        "swaps": "Comparisons by the difference on the first set of topics; each bin starts at the "
        "difference shown.",
    }
    sentences = [f"{trials} pairs of sets of topics of each size, seed {seed}."]
    if fits:
        headers = ("measure", "difference", "topics", "rate", "start", "decay", "error", "r2")
        tables["fits"] = Table(headers, fits)
        captions["fits"] = (
            "The curve of each bin, start · exp(-decay · topics), and its rate for this number of topics; "
            "error: the root mean squared residual; r2: the share of the variance explained."
        )
        sentences.append(_quality(fits))
    return Findings(
        settings={"measures": scores.measures},
        sentences=[*sentences, *value_notes(scores)],
        tables=tables,
        captions=captions,
        data=("swaps", *(("fits",) if fits else ())),
    )


def _target(wanted: int | None, sizes: list[int], topics: int, replacement: bool) -> int:
    """The number of topics to extrapolate to; 0 for none."""
    if wanted is None:
        return 0 if replacement or len(sizes) < LEAST or topics <= max(sizes) else topics
    if wanted and len(sizes) < LEAST:
        raise OptionError(
            f"to extrapolate takes at least {LEAST} sizes of topic sets, not {len(sizes)}; add some"
        )
    if wanted and wanted <= max(sizes):
        raise OptionError(
            f"extrapolate must be above the largest size, {max(sizes)}, or 0 for none, not {wanted}"
        )
    return wanted


def _shown(difference: float, share: float) -> tuple[Cell, Cell]:
    return Shown(round(difference, 12)), Shown.rounded(share, 3)


def _quality(fits: list[list[Any]]) -> str:
    errors = [row[-2] for row in fits if not math.isnan(row[-2])]
    explained = [row[-1] for row in fits if not math.isnan(row[-1])]
    text = f"Rates for {fits[0][2]} topics are extrapolated by {len(errors)} fitted curves"
    if errors:
        text += f"; their residuals are {max(errors):.3f} at most (root mean square)"
    return f"{text}, and their median R² is {statistics.median(explained):.2f}." if explained else f"{text}."


@dataclass(frozen=True)
class Swaps:
    """Comparisons of two runs on two sets of topics, by the size of the difference on the first."""

    width: float  # of a bin
    comparisons: Ints  # (bins,) the last bin includes all larger differences
    swaps: Ints  # (bins,) comparisons that the other set of topics reversed

    @property
    def rates(self) -> Floats:
        """(bins,) the share of swaps; NaN for an empty bin."""
        over = np.where(self.comparisons > 0, self.comparisons, 1)
        return np.where(self.comparisons > 0, self.swaps / over, np.nan)

    def needed(self, rate: float) -> tuple[float, float]:
        """(smallest difference from which swaps stay within the rate, share of comparisons that reach it).

        NaN and 0 if there is none.
        """
        first = first_within(self.rates, rate)
        share = float(self.comparisons[first:].sum() / self.comparisons.sum())
        return (first * self.width, share) if share else (math.nan, 0.0)


def first_within(rates: Floats, rate: float) -> int:
    """The first of the last bins whose rates, NaN or not, are all within a rate."""
    above = np.flatnonzero(np.nan_to_num(rates, nan=0.0) > rate)
    return int(above[-1]) + 1 if len(above) else 0


def count_swaps(
    values: Floats, size: int, trials: int, seed: int, *, replacement: bool, width: float, bins: int
) -> Swaps:
    """Counts of comparisons that another set of topics reverses (Voorhees and Buckley 2002).

    The two sets of a trial have no topic in common; with replacement (Sakai 2006) they are independent.
    """
    comparisons, reversals = np.zeros((2, bins), dtype=np.int64)
    for sets in drawn(values.shape[1], 2 * size, trials, seed, replacement=replacement):
        first, second = means(values, sets[:, :size]), means(values, sets[:, size:])
        for run in range(len(values) - 1):
            one, other = first[run] - first[run + 1 :], second[run] - second[run + 1 :]
            place = np.minimum(np.floor(np.abs(one) / width + SLACK), bins - 1).astype(np.int64)
            comparisons += np.bincount(place.ravel(), minlength=bins)
            swapped = (np.sign(one) != np.sign(other)) & (np.minimum(np.abs(one), np.abs(other)) > SLACK)
            reversals += np.bincount(place[swapped], minlength=bins)
    return Swaps(width, comparisons, reversals)


def share_reaching(values: Floats, difference: float) -> float:
    """The share of pairs of runs, (runs, topics), whose means differ as much; 0 for NaN."""
    means = values.mean(axis=1)
    first, second = all_pairs(len(means))
    return float((np.abs(means[first] - means[second]) >= difference - SLACK).mean())


@dataclass(frozen=True)
class Fit:
    """A curve fitted to the swap rates of one bin; all NaN if too few sizes have comparisons."""

    start: float = math.nan
    decay: float = math.nan
    error: float = math.nan  # the root of the mean squared residual, weighted by comparisons
    explained: float = math.nan  # R², the share of the variance explained; NaN if rates do not vary

    def rate(self, topics: int) -> float:
        """The rate for sets of so many topics."""
        return self.start * math.exp(-self.decay * topics)


def fit(sizes: Sequence[int], rates: Floats, weights: Floats) -> Fit:
    """The curve that fits rates best, by least squares; a rate weighs as much as it has comparisons.

    No curve rises: more topics do not make comparisons less certain.
    """
    seen = weights > 0
    if np.count_nonzero(seen) < LEAST:
        return Fit()
    x, y, weight = np.array(sizes, dtype=float)[seen], rates[seen], weights[seen] / weights[seen].sum()
    if not y.any():
        return Fit(0.0, 0.0, 0.0)
    start, decay = _least_squares(x, y, weight)
    left = float((weight * (y - start * np.exp(-decay * x)) ** 2).sum())
    spread = float((weight * (y - (weight * y).sum()) ** 2).sum())
    return Fit(start, decay, math.sqrt(left), 1 - left / spread if spread > 1e-24 else math.nan)


def _least_squares(x: Floats, y: Floats, weight: Floats) -> tuple[float, float]:
    """(start, decay) of the curve.

    For a known decay the best level is a ratio, so only the decay is searched for; a search of both from one
    guess may miss the best.
    """
    minimize_scalar = required_module("scipy.optimize").minimize_scalar

    def level_and_left(decay: Floats | float) -> tuple[Floats, Floats]:
        """(best rate at the smallest size, what it leaves unexplained), for one or several decays."""
        shape = np.exp(-np.multiply.outer(decay, x - x.min()))
        level = (weight * y * shape).sum(axis=-1) / (weight * shape * shape).sum(axis=-1)
        return level, (weight * (y - level[..., None] * shape) ** 2).sum(axis=-1)

    def left(decay: float) -> float:
        return float(level_and_left(decay)[1])

    # The largest decay leaves a thousandth of the rate between the two nearest sizes, and a rate at no topics
    # that is still a number.
    largest = min(math.log(1000) / float(np.diff(np.sort(x)).min()), 600 / float(x.max()))
    grid = np.linspace(0.0, largest, 101)
    near = int(level_and_left(grid)[1].argmin())
    ends = grid[max(0, near - 1)], grid[min(len(grid) - 1, near + 1)]
    found = float(minimize_scalar(left, bounds=ends, method="bounded", options={"xatol": 1e-9}).x)
    decay = min(found, float(grid[near]), key=left)
    return float(level_and_left(decay)[0]) * math.exp(decay * float(x.min())), decay


def fit_bins(counted: Sequence[tuple[int, Swaps]]) -> list[Fit]:
    """A curve for each bin, fitted to the swaps counted for some sizes of topic sets."""
    sizes = [size for size, _ in counted]
    rates = np.array([swaps.rates for _, swaps in counted])
    weights = np.array([swaps.comparisons for _, swaps in counted], dtype=float)
    return [fit(sizes, *of_bin) for of_bin in zip(rates.T, weights.T, strict=True)]
