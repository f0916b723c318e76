"""The study `scales`: whether decisions between runs depend on the scale of a measure."""

import math
from itertools import product
from statistics import NormalDist
from typing import Annotated

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import SOME_MEASURES
from rankgauge.campaigns.registry import study
from rankgauge.comparison import compare
from rankgauge.errors import OptionError
from rankgauge.evaluation.evaluator import evaluate
from rankgauge.measures import Measure, parse_all
from rankgauge.measures.rankings.array_types import Floats
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.numbers.matrices import reported_means
from rankgauge.numbers.rank_correlation import tau_b
from rankgauge.schema.text import counted

ROUNDING = 1e-12  # of the mean of a topic; a smaller standard deviation is that of equal values
MOST = 4096  # rankings of a topic that are tried
SCALES = {
    "interval": "possible values of the topic, in equal steps from 0 to 1",
    "z": "less the topic's mean over runs, over its standard deviation",
    "cdf": "the standard normal distribution of z, from 0 to 1",
}


@study(
    "scales",
    title="Scales of a measure",
    cite="Ferrante, Ferro & Fuhr 2021, Towards meaningful statements in IR evaluation: mapping evaluation "
    "measures to interval scales; Webber, Moffat & Zobel 2008, Score standardization for inter-collection "
    "comparison of retrieval systems",
    example='qrels.txt runs/*.run -m "nDCG@3 RR@5"',
    least_runs=2,
)
def scales(
    campaign: Campaign,
    *,
    measures: Annotated[tuple[Measure, ...], SOME_MEASURES, "measures with a small cutoff"] = parse_all(
        "nDCG@3 P@5 RR@5"
    ),
) -> Findings:
    """Which decisions of the paired t-test, Holm-corrected, change on another scale of the same measure?

    Differences and means ask for an interval scale, on which equal steps of quality are equal differences.
    Of most measures the possible values are not evenly spaced: RR's are 1, 1/2, 1/3. `interval` replaces a
    value by the number of smaller ones that rankings of the topic can have down to the cutoff, as a share.
    `z` standardises each topic by its mean and standard deviation over these runs, so that topics on which
    runs differ little weigh as much as others; `cdf` keeps outliers from deciding.
    """
    scores = campaign.scores(measures)
    on = {"interval": on_intervals(campaign, scores, measures)}
    on["z"] = standardised(scores)
    on["cdf"] = np.vectorize(NormalDist().cdf, otypes=[float])(on["z"])
    raw = decisions(scores)
    rows: list[list[Cell]] = []
    changes: list[list[Cell]] = []
    sentences = []
    for scale, values in on.items():
        scaled = scores._replace(values=np.where(np.isnan(scores.values), np.nan, values))
        found, means = decisions(scaled), reported_means(scaled)
        for place, text in enumerate(scores.measures):
            changed = [pair for pair in raw[text] if raw[text][pair] != found[text][pair]]
            tau = tau_b(reported_means(scores)[place], means[place])
            counts = [sum(each != "" for each in of[text].values()) for of in (raw, found)]
            rows.append([text, scale, len(raw[text]), *counts, len(changed), tau])
            changes += [
                [text, scale, *pair, raw[text][pair] or "none", found[text][pair] or "none"]
                for pair in changed
            ]
            of_pairs = f"{len(changed)} of {counted(len(raw[text]), 'decision')}"
            sentences.append(f"{text}: {of_pairs} would change on the scale {scale}.")
    headers = ("measure", "scale", "pairs", "significant", "on this scale", "decision changes", "tau_b")
    return Findings(
        sentences=sentences,
        tables={
            "scales": Table(headers, rows),
            "changes": Table(("measure", "scale", "run", "against", "better", "on this scale"), changes),
        },
        captions={
            "scales": "Pairs of runs, those that differ significantly, those whose decision changes, and "
            f"Kendall's tau of the orders of means. {' '.join(f'{k}: {v}.' for k, v in SCALES.items())}",
            "changes": "The run that is significantly better, if one is.",
        },
    )


def decisions(scores: Scores) -> dict[str, dict[tuple[str, str], str]]:
    """{measure: {pair of runs: the one that is significantly better, or nothing}}."""
    return {
        each.measure: {
            (pair.run, pair.against): found.better if (found := each.verdict(pair)) else ""
            for pair in each.pairs
        }
        for each in compare(scores).compared
    }


def standardised(scores: Scores) -> Floats:
    """The values less the mean of their topic over runs, over its standard deviation; 0 if all are equal."""
    known = scores.counted[:, None, :] & ~np.isnan(scores.values)
    runs = np.maximum(1, known.sum(axis=0))
    mean = np.where(known, scores.values, 0.0).sum(axis=0) / runs
    centred = scores.values - mean
    spread = np.sqrt((np.where(known, centred, 0.0) ** 2).sum(axis=0) / runs)
    alike = spread <= ROUNDING * np.abs(mean)
    z: Floats = np.where(alike, 0.0, centred / np.where(alike, 1.0, spread))
    return z


def on_intervals(campaign: Campaign, scores: Scores, measures: tuple[Measure, ...]) -> Floats:
    """The values on an interval scale: how many smaller ones are possible, as a share, topic by topic."""
    judged = {topic: campaign.qrels.grades_of(topic) for topic in scores.topics}
    values: Floats = scores.values.copy()
    for place, (text, measure) in enumerate(zip(scores.measures, measures, strict=True)):
        rankings = possible_rankings(judged, measure)
        tried = evaluate(campaign.qrels, rankings, text, missing="skip")
        for topic, name in enumerate(scores.topics):
            own = tried.topics.index(name)
            steps = np.unique(np.round(tried.values[tried.counted[:, own], 0, own], 12))
            steps = steps[~np.isnan(steps)]
            own_values = np.round(values[:, place, topic], 12)
            if not np.isin(own_values[scores.counted[:, topic] & ~np.isnan(own_values)], steps).all():
                raise OptionError(
                    f"topic {name!r} has a value of {measure} that no ranking down to its cutoff has; the "
                    "study is of measures of one order of documents and their grades"
                )
            below = np.searchsorted(steps, own_values)
            values[:, place, topic] = below / max(1, len(steps) - 1)
    return values


def possible_rankings(
    judged: dict[str, dict[str, float]], measure: Measure
) -> dict[str, dict[str, dict[str, float]]]:
    """Runs that have, over all topics, every ranking down to the cutoff, as far as the measure sees them."""
    spec, cutoff = measure.spec, measure.cutoff
    all_judged = measure.lowest_grade == -math.inf  # also documents judged as not relevant matter
    relevance_alone = spec.binary and not spec.has("gains") and not all_judged
    by_level: dict[str, dict[float, list[str]]] = {}
    for topic, of_topic in judged.items():
        for doc, grade in of_topic.items():
            level = float(grade >= measure.rel) if relevance_alone else float(grade)
            by_level.setdefault(topic, {}).setdefault(level, []).append(doc)
    useful = sorted({level for docs in by_level.values() for level in docs if level > 0 or all_judged})
    if cutoff is None or (len(useful) + 1) ** cutoff > MOST:
        most = int(np.log(MOST) / np.log(len(useful) + 1)) if useful else 1
        raise OptionError(
            f"{measure} has too many possible values; give it a cutoff of {most} or less, such as "
            f"{spec.name}@{min(5, most)}"
        )
    unjudged = max((doc for of_topic in judged.values() for doc in of_topic), key=len, default="")
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for number, wanted in enumerate(product((None, *useful), repeat=cutoff)):
        for topic, docs in by_level.items():
            left = {level: iter(docs.get(level, ())) for level in useful}
            chosen = [
                f"{unjudged}?{n}" if level is None else next(left[level], None)
                for n, level in enumerate(wanted)
            ]
            if None not in chosen:
                runs.setdefault(f"{number}", {})[topic] = {
                    str(doc): float(-rank) for rank, doc in enumerate(chosen)
                }
    return runs
