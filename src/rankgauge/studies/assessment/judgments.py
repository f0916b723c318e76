"""What two sets of judgments agree on, and what it does to the order of runs."""

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
from rankgauge.studies.assessment.assessors import Agreement, compare
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.findings import Findings
from rankgauge.studies.numerics.incomplete import oriented, ranks, reported, tau, whole
from rankgauge.studies.numerics.rank_correlation import pair_signs
from rankgauge.studies.parameters import MEASURES

TITLE = "Agreement of two sets of judgments"


@dataclass(frozen=True, repr=False, eq=False)
class Assessors(Findings):
    """What was found of two sets of judgments, with all its numbers in `agreement`."""

    agreement: Agreement | None = None


def agreement(
    first: Any,
    second: Any,
    runs: Any = None,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    rel: float = 1,
    qrels_format: str | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    **options: Any,
) -> Assessors:
    """How far two sets of judgments agree on the documents that both have, and on the order of runs.

    Judgments, runs and options are given as to `rankgauge.evaluate`; a document is relevant from the grade
    `rel` on. Without runs, only the judgments are compared; runs are scored by a handful of well-known
    measures unless others are given.

    >>> found = agreement({"q1": {"d1": 1, "d2": 0, "d3": 0}}, {"q1": {"d1": 1, "d2": 1, "d3": 0}})
    >>> round(found.agreement.kappa(), 3)
    0.4
    """
    if not is_number(rel) or not math.isfinite(rel):
        raise OptionError(f"rel must be a grade, not {rel!r}")
    if runs is None and measures is not None:
        raise OptionError("measures score runs, and no run was given; give some, or leave the measures out")
    chosen = parse_all(MEASURES if measures is None else measures)
    duplicates = options.get("duplicates", "error")
    one, other = (
        Qrels.of(each, format=qrels_format, columns=qrels_columns, duplicates=duplicates)
        for each in (first, second)
    )
    found = compare(one, other, rel)
    tables = {
        "agreement": found.values_table(),
        "grades": found.counts_table(),
        "topics": found.topics_table(),
    }
    captions = {
        "grades": f"Documents by their grade in {found.names[0]} (rows) and in {found.names[1]} (columns).",
        "topics": f"Relevant 1 is in {found.names[0]}, relevant 2 in {found.names[1]}; the kappa is that of "
        "relevant or not.",
    }
    settings: dict[str, Any] = {"first": found.names[0], "second": found.names[1], "rel": float(rel)}
    sentences = _sentences(found)
    if runs is not None:
        campaign = Campaign(_united(one, other, found.topics), runs, **options)
        orders, each, said = _orders(campaign, [_of(one, found.topics), _of(other, found.topics)], chosen)
        tables |= {"orders": orders, "runs": each}
        captions["orders"] = "How alike the two put the runs in order, by the topics that both have."
        sentences += said
        settings |= {"measures": chosen, **campaign.settings}
    return Assessors(
        sentences=sentences,
        tables=tables,
        captions=captions,
        study="agreement",
        title=TITLE,
        settings=settings,
        agreement=found,
    )


def _sentences(found: Agreement) -> list[str]:
    """What is to be said of the judgments themselves."""
    topics = counted(len(found.topics), "topic")
    said = [
        f"{counted(found.documents, 'document')} of {topics} are judged in both; "
        f"{found.alone[0]} are judged in {found.names[0]} alone, {found.alone[1]} in {found.names[1]} alone."
    ]
    if any(found.left_out):
        said.append(
            f"Topics that only one has are left out: {found.left_out[0]} of {found.names[0]}, "
            f"{found.left_out[1]} of {found.names[1]}."
        )
    if math.isnan(found.kappa()):
        return [*said, "All these documents have one grade in both: kappa has nothing to go by."]
    values = f"kappa is {found.kappa():.3f}, that of relevant or not {_shown(found.binary_kappa())}"
    return [*said, f"The grade is the same for {100 * found.same:.1f} % of them; {values}."]


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def _of(qrels: Qrels, topics: Sequence[str]) -> Qrels:
    """The judgments of some topics."""
    wanted = {*topics}
    rows = np.flatnonzero(np.array([topic in wanted for topic in qrels.topics.texts()])[qrels.topic])
    return Qrels.from_columns(qrels.columns().take(rows), qrels.name)


def _united(one: Qrels, other: Qrels, topics: Sequence[str]) -> Qrels:
    """All that either has judged of these topics, to be looked for in the runs; its grades mean nothing."""
    both = [_of(qrels, topics).columns() for qrels in (one, other)]
    return Qrels.from_columns(concatenated(both), duplicates="first")


def _orders(
    campaign: Campaign, judgments: Sequence[Qrels], measures: Sequence[Measure]
) -> tuple[Table, Table, list[str]]:
    """(how alike the orders of runs are, the runs by both, what is to be said of it)."""
    scores = [campaign.judged_as(qrels).scores(measures) for qrels in judgments]
    means, means_in_order = ([found(each) for each in scores] for found in (reported, oriented))
    places = [ranks(each) for each in means_in_order]
    taus = tau(*means_in_order).tolist()
    orders: list[tuple[Cell, ...]] = []
    rows: list[tuple[Cell, ...]] = []
    said = []
    for row, name in enumerate(scores[0].measures):
        signs = [pair_signs(each[row]) for each in means_in_order]
        swapped = int(np.count_nonzero(signs[0] * signs[1] < 0))
        best = [_best(campaign.runs, each[row]) for each in means_in_order]
        orders.append((name, taus[row], swapped, len(signs[0]), *best))
        rows += [
            (
                *(name, run),
                *(float(each[row, place]) for each in means),
                *(whole(each[row, place]) for each in places),
            )
            for place, run in enumerate(campaign.runs)
        ]
        said.append(f"By {name} τ between the two orders of runs is {_shown(taus[row])}.")
    headers = ("measure", "tau", "pairs swapped", "pairs", "best by 1", "best by 2")
    each = Table(("measure", "run", "mean 1", "mean 2", "rank 1", "rank 2"), rows)
    return Table(headers, orders), each, said


def _best(runs: Sequence[str], means: Floats) -> str:
    return "" if np.isnan(means).any() else runs[int(means.argmax())]
