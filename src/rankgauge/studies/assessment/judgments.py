"""The verb `agreement`: how far two sets of judgments agree, and how that affects the order of runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.errors import OptionError
from rankgauge.formats.columns import concatenated
from rankgauge.measures import Measure, parse_all
from rankgauge.model.qrels import Qrels
from rankgauge.model.tables import Cell, Table
from rankgauge.rankings.arrays.curves import Floats
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import counted
from rankgauge.studies.assessment.assessors import Agreement, compare_judgments
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.findings import Findings
from rankgauge.studies.numerics.incomplete import (
    defined_oriented_means,
    ranks,
    reported_means,
    shown_rank,
    tau,
)
from rankgauge.studies.numerics.rank_correlation import pair_signs
from rankgauge.studies.options import MEASURES

TITLE = "Agreement of two sets of judgments"


@dataclass(frozen=True, repr=False, eq=False)
class Assessors(Findings):
    """Findings on two sets of judgments; `agreement` has all the numbers."""

    agreement: Agreement | None = None


def agreement(
    qrels: Any,
    other: Any,
    runs: Any = None,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    rel: float = 1,
    qrels_format: str | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    **options: Any,
) -> Assessors:
    """How far two sets of judgments agree on the documents that both have, and on the order of runs.

    Judgments, runs and options are those of `rankgauge.evaluate`; a document is relevant if its grade is at
    least `rel`. Without runs, only the judgments are compared; by default runs are scored by a handful of
    well-known measures.

    >>> findings = agreement({"q1": {"d1": 1, "d2": 0, "d3": 0}}, {"q1": {"d1": 1, "d2": 1, "d3": 0}})
    >>> round(findings.agreement.kappa(), 3)
    0.4
    """
    if not is_number(rel) or not math.isfinite(rel):
        raise OptionError(f"rel must be a grade, not {rel!r}")
    if runs is None and measures is not None:
        raise OptionError("measures score runs, and there are no runs; pass some, or leave measures out")
    chosen = parse_all(MEASURES if measures is None else measures)
    duplicates = options.get("duplicates", "error")
    first, second = (
        Qrels.of(each, format=qrels_format, columns=qrels_columns, duplicates=duplicates)
        for each in (qrels, other)
    )
    result = compare_judgments(first, second, rel)
    tables = {
        "agreement": result.values_table(),
        "grades": result.counts_table(),
        "topics": result.topics_table(),
    }
    captions = {
        "grades": f"Documents by their grade in {result.names[0]} (rows) and in {result.names[1]} (columns).",
        "topics": f"Relevant 1 is in {result.names[0]}, relevant 2 in {result.names[1]}; kappa is that of "
        "relevant against non-relevant.",
    }
    settings: dict[str, Any] = {"first": result.names[0], "second": result.names[1], "rel": float(rel)}
    sentences = _sentences(result)
    if runs is not None:
        campaign = Campaign(_union(first, second, result.topics), runs, **options)
        orders, each, more = _orders(
            campaign, [_restricted(first, result.topics), _restricted(second, result.topics)], chosen
        )
        tables |= {"orders": orders, "runs": each}
        captions["orders"] = "How similarly the two sets order the runs, on the topics that both have."
        sentences += more
        settings |= {"measures": chosen, **campaign.settings}
    return Assessors(
        sentences=sentences,
        tables=tables,
        captions=captions,
        study="agreement",
        title=TITLE,
        settings=settings,
        agreement=result,
    )


def _sentences(agreement: Agreement) -> list[str]:
    """Sentences on the judgments themselves."""
    topics = counted(len(agreement.topics), "topic")
    (one, other), (alone, other_alone) = agreement.names, agreement.alone
    sentences = [
        f"{counted(agreement.documents, 'document')} of {topics} are judged in both; "
        f"{alone} are judged only in {one}, {other_alone} only in {other}."
    ]
    if any(agreement.left_out):
        sentences.append(
            f"Topics that only one set has are left out: {agreement.left_out[0]} of {agreement.names[0]}, "
            f"{agreement.left_out[1]} of {agreement.names[1]}."
        )
    if math.isnan(agreement.kappa()):
        return [
            *sentences,
            "All these documents have a single grade in both, so kappa is undefined.",
        ]
    values = f"kappa is {agreement.kappa():.3f}, that of relevant or not {_shown(agreement.binary_kappa())}"
    return [*sentences, f"The grade is the same for {100 * agreement.same:.1f} % of them; {values}."]


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def _restricted(qrels: Qrels, topics: Sequence[str]) -> Qrels:
    """The judgments of some topics."""
    wanted = {*topics}
    rows = np.flatnonzero(np.array([topic in wanted for topic in qrels.topics.texts()])[qrels.topic])
    return Qrels.from_columns(qrels.columns().take(rows), qrels.name)


def _union(first: Qrels, second: Qrels, topics: Sequence[str]) -> Qrels:
    """The documents that either has judged for these topics, to look up in runs; grades are arbitrary."""
    both = [_restricted(qrels, topics).columns() for qrels in (first, second)]
    return Qrels.from_columns(concatenated(both), duplicates="first")


def _orders(
    campaign: Campaign, judgments: Sequence[Qrels], measures: Sequence[Measure]
) -> tuple[Table, Table, list[str]]:
    """(table of the similarity of orders, table of the runs by both, sentences)."""
    scores = [campaign.judged_as(qrels).scores(measures) for qrels in judgments]
    means = [reported_means(each) for each in scores]
    oriented = [defined_oriented_means(each) for each in scores]
    places = [ranks(each) for each in oriented]
    taus = tau(*oriented).tolist()
    orders: list[tuple[Cell, ...]] = []
    rows: list[tuple[Cell, ...]] = []
    sentences = []
    for row, name in enumerate(scores[0].measures):
        signs = [pair_signs(each[row]) for each in oriented]
        swapped = int(np.count_nonzero(signs[0] * signs[1] < 0))
        best = [_best(campaign.runs, each[row]) for each in oriented]
        orders.append((name, taus[row], swapped, len(signs[0]), *best))
        rows += [
            (
                *(name, run),
                *(float(each[row, place]) for each in means),
                *(shown_rank(each[row, place]) for each in places),
            )
            for place, run in enumerate(campaign.runs)
        ]
        sentences.append(f"By {name}, τ between the two orders of runs is {_shown(taus[row])}.")
    headers = ("measure", "tau", "pairs swapped", "pairs", "best by 1", "best by 2")
    each = Table(("measure", "run", "mean 1", "mean 2", "rank 1", "rank 2"), rows)
    return Table(headers, orders), each, sentences


def _best(runs: Sequence[str], means: Floats) -> str:
    return "" if np.isnan(means).any() else runs[int(means.argmax())]
