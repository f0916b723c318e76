"""The study `swap`: how often another set of topics reverses a comparison."""

import math
import statistics
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.model.output.tables import Shown
from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.studies.options import SEED, Measures, Seed, TopicSetSizes, Trials
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.model.output.tables import Cell
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings


@study(
    "swap",
    title="Swap rate of measures",
    cite="Voorhees and Buckley, The effect of topic set size on retrieval experiment error, SIGIR 2002; "
    "Sakai, SIGIR 2006 (with replacement)",
    example='qrels.txt runs/*.run -m "AP P@10 RR" --trials 100',
    least_runs=2,
)
def swap(
    campaign: "Campaign",
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
) -> "Findings":
    """How often another set of topics reverses a comparison of two runs, by the size of the difference.

    A measure is the more sensitive, the smaller the difference that keeps swaps within the given rate, and
    the more comparisons reach it. By default there are about five sizes, up to half of the topics, or up to
    all of them with replacement. Sets without a common topic cannot have more than half of the topics; for
    all of them, rates are extrapolated by curves, start · exp(-decay · topics), that are fitted to the rates
    of three sizes or more.
    """
    from rankgauge.model.output.tables import Table
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics.extrapolation import LEAST, Extrapolation
    from rankgauge.studies.numerics.matrices import matrix, value_notes
    from rankgauge.studies.numerics.topic_sets import count_swaps, share_reaching, sizes_of

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
        if target := _target(extrapolate, [size for size, _ in counted], topics, replacement, LEAST):
            beyond = Extrapolation.of(counted, target)
            least = beyond.needed(rate)
            share = share_reaching(values, least) if target == topics else math.nan
            needed.append([measure, target, *_shown(least, share), "extrapolated"])
            fits += [
                [measure, start, target, fit.rate(target), fit.start, fit.decay, fit.error, fit.explained]
                for start, fit in zip(starts, beyond.fits, strict=True)
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


def _target(wanted: int | None, sizes: list[int], topics: int, replacement: bool, least: int) -> int:
    """The number of topics to extrapolate to; 0 for none."""
    if wanted is None:
        return 0 if replacement or len(sizes) < least or topics <= max(sizes) else topics
    if wanted and len(sizes) < least:
        raise OptionError(
            f"to extrapolate takes at least {least} sizes of topic sets, not {len(sizes)}; add some"
        )
    if wanted and wanted <= max(sizes):
        raise OptionError(
            f"extrapolate must be above the largest size, {max(sizes)}, or 0 for none, not {wanted}"
        )
    return wanted


def _shown(difference: float, share: float) -> "tuple[Cell, Cell]":
    return Shown(round(difference, 12)), Shown.rounded(share, 3)


def _quality(fits: "list[list[Any]]") -> str:
    """How well the curves fit, as a sentence."""
    errors = [row[-2] for row in fits if not math.isnan(row[-2])]
    explained = [row[-1] for row in fits if not math.isnan(row[-1])]
    text = f"Rates for {fits[0][2]} topics are extrapolated by {len(errors)} fitted curves"
    if errors:
        text += f"; their residuals are {max(errors):.3f} at most (root mean square)"
    return f"{text}, and their median R² is {statistics.median(explained):.2f}." if explained else f"{text}."
