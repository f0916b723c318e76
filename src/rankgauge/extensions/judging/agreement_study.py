"""The verb `agreement`: how far sets of judgments agree, and what that does to the order of runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import MEASURES
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.judging.assessors import (
    Agreement,
    Panel,
    compare_judgments,
    compare_panel,
    unique_names,
)
from rankgauge.formats.columns import concatenated
from rankgauge.measures import Measure, parse_all
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.notes import on_dropped
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Recoding
from rankgauge.model.rules import Grades
from rankgauge.model.scores import Scores
from rankgauge.numbers.matrices import defined_oriented_means, places, reported_means, shown_place
from rankgauge.numbers.rank_correlation import pair_signs, tau_of_orders
from rankgauge.schema.parameters import is_number
from rankgauge.schema.text import counted


@dataclass(frozen=True, repr=False, eq=False)
class Assessors(Findings):
    """Findings on sets of judgments; `agreement` has the numbers of two, `panel` of more."""

    agreement: Agreement | None = None
    panel: Panel | None = None


def agreement(
    qrels: Any,
    other: Any,
    runs: Any = None,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    rel: float = 1,
    qrels_format: str | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    **options: Any,
) -> Assessors:
    """How far sets of judgments agree on the documents that they share, and on the order of runs.

    Judgments, runs and options are those of `rankgauge.evaluate`; `other` may be a list of several sets. A
    document is relevant if its grade is at least `rel`. Without runs, only the judgments are compared; by
    default runs are scored by a handful of well-known measures.

    >>> findings = agreement({"q1": {"d1": 1, "d2": 0, "d3": 0}}, {"q1": {"d1": 1, "d2": 1, "d3": 0}})
    >>> round(findings.agreement.kappa(), 3)
    0.4
    """
    rel = checked_rel(rel)
    if runs is None and measures is not None:
        raise OptionError("measures score runs, and there are no runs; pass some, or leave measures out")
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    if not others:
        raise OptionError("agreement needs at least two sets of judgments, not only one; add another")
    chosen = parse_all(MEASURES if measures is None else measures)
    duplicates = options.get("duplicates", "error")
    judgments = [
        Qrels.of(each, format=qrels_format, columns=qrels_columns, duplicates=duplicates, grades=grades)
        for each in (qrels, *others)
    ]
    findings = (_of_two if len(judgments) == 2 else _of_several)(judgments, rel)
    dropped = [note for each in judgments for note in on_dropped(each.name, each.dropped, duplicates)]
    findings = replace(findings, sentences=[*findings.sentences, *(f"{note}." for note in dropped)])
    if grades is not None:
        findings = replace(findings, settings={**findings.settings, "grades": str(Recoding.of(grades))})
    if runs is None:
        return findings
    campaign, scores = scores_by(judgments, runs, chosen, **options)
    names = unique_names(*(some.name for some in judgments))
    orders, each, more = _orders(scores, names)
    captions = {"orders": "How similarly the two sets order the runs, on the topics that both have."}
    if len(judgments) > 2:
        captions = {
            "orders": "How similarly every two sets order the runs, on the topics that all sets have.",
            "runs": f"Means and ranks by the judgments of {', '.join(names)}, in this order.",
        }
    return replace(
        findings,
        sentences=[*findings.sentences, *more],
        tables={**findings.tables, "orders": orders, "runs": each},
        captions={**findings.captions, **captions},
        settings={**findings.settings, "measures": chosen, **campaign.settings},
    )


def checked_rel(rel: float) -> float:
    """The lowest relevant grade, checked."""
    if not is_number(rel) or not math.isfinite(rel):
        raise OptionError(f"rel must be a grade, not {rel!r}")
    return float(rel)


def _of_two(judgments: Sequence[Qrels], rel: float) -> Assessors:
    first, second = judgments
    result = compare_judgments(first, second, rel)
    one, other = result.names
    return Assessors(
        sentences=_sentences(result),
        tables={
            "agreement": result.values_table(),
            "grades": result.counts_table(),
            "topics": result.topics_table(),
        },
        captions={
            "grades": f"Documents by their grade in {one} (rows) and in {other} (columns), and per cent of "
            "the documents in each column.",
            "topics": f"Relevant 1 is in {one}, relevant 2 in {other}; kappa is that of relevant against "
            "non-relevant, relative relevance the cosine of the grades.",
        },
        study="agreement",
        title="Agreement of two sets of judgments",
        settings={"first": one, "second": other, "rel": rel},
        agreement=result,
    )


def _of_several(judgments: Sequence[Qrels], rel: float) -> Assessors:
    panel = compare_panel(judgments, rel)
    topics = counted(len(panel.topics), "topic")
    return Assessors(
        sentences=[
            f"Judged in at least two of {len(judgments)} sets: {counted(panel.documents, 'document')} of "
            f"{topics}; in all of them: {panel.in_all:,}.",
            f"Krippendorff's alpha of the grades is {_shown(panel.alpha('ordinal'))} (ordinal), that of "
            f"relevant or not {_shown(panel.binary_alpha())}.",
        ],
        tables={
            "agreement": panel.values_table(),
            "pairs": panel.pairs_table(),
            "topics": panel.topics_table(),
        },
        captions={
            "agreement": "Alpha is of all documents judged at least twice, Fleiss' kappa of those judged in "
            "all sets.",
            "pairs": "Every two sets, on the documents that both have.",
        },
        study="agreement",
        title=f"Agreement of {len(judgments)} sets of judgments",
        settings={"sets": panel.names, "rel": rel},
        panel=panel,
    )


def _sentences(agreement: Agreement) -> list[str]:
    topics = counted(len(agreement.topics), "topic")
    (one, other), (alone, other_alone) = agreement.names, agreement.alone
    sentences = [
        f"Judged in both: {counted(agreement.documents, 'document')} of {topics}; only in {one}: {alone}, "
        f"only in {other}: {other_alone}."
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


def scores_by(
    judgments: Sequence[Qrels], runs: Any, measures: Sequence[Measure], **options: Any
) -> tuple[Campaign, list[Scores]]:
    """(the runs, their scores by each set) on the topics that all sets have."""
    topics = common_topics(judgments)
    campaign = Campaign(_union(judgments, topics), runs, **options)
    return campaign, [campaign.judged_as(restricted(each, topics)).scores(measures) for each in judgments]


def common_topics(judgments: Sequence[Qrels]) -> list[str]:
    """The topics that all sets have; an error if there are none."""
    common = set.intersection(*({*each.sorted_topics} for each in judgments))
    if not common:
        names = " and ".join(unique_names(*(each.name for each in judgments)))
        raise InputError(
            f"{names} have no topic in common; check that they belong together and spell topics alike"
        )
    return [topic for topic in judgments[0].sorted_topics if topic in common]


def restricted(qrels: Qrels, topics: Sequence[str]) -> Qrels:
    """The judgments of some topics."""
    wanted = {*topics}
    rows = np.flatnonzero(np.array([topic in wanted for topic in qrels.topics.texts()])[qrels.topic])
    return Qrels.from_columns(qrels.columns().take(rows), qrels.name)


def _union(judgments: Sequence[Qrels], topics: Sequence[str]) -> Qrels:
    """The judged documents, to look up in runs; grades are arbitrary."""
    parts = [restricted(qrels, topics).columns() for qrels in judgments]
    return Qrels.from_columns(concatenated(parts), duplicates="first")


def _orders(scores: Sequence[Scores], names: Sequence[str]) -> tuple[Table, Table, list[str]]:
    runs = scores[0].runs
    means = [reported_means(each) for each in scores]
    oriented = [defined_oriented_means(each) for each in scores]
    ranks = [places(each) for each in oriented]
    pairs = list(itertools.combinations(range(len(scores)), 2))
    taus = {(a, b): tau_of_orders(oriented[a], oriented[b]).tolist() for a, b in pairs}
    orders: list[tuple[Cell, ...]] = []
    rows: list[tuple[Cell, ...]] = []
    sentences = []
    for row, name in enumerate(scores[0].measures):
        for a, b in pairs:
            signs = [pair_signs(oriented[each][row]) for each in (a, b)]
            swapped = int(np.count_nonzero(signs[0] * signs[1] < 0))
            best = [_best(runs, oriented[each][row]) for each in (a, b)]
            which = () if len(pairs) == 1 else (names[a], names[b])
            orders.append((name, *which, taus[a, b][row], swapped, len(signs[0]), *best))
        rows += [
            (
                *(name, run),
                *(float(each[row, place]) for each in means),
                *(shown_place(each[row, place]) for each in ranks),
            )
            for place, run in enumerate(runs)
        ]
        sentences.append(_on_orders(name, [taus[pair][row] for pair in pairs]))
    which = () if len(pairs) == 1 else ("first", "second")
    headers = ("measure", *which, "tau", "pairs swapped", "pairs", "best by 1", "best by 2")
    numbers = range(1, len(scores) + 1)
    by_set = (*(f"mean {n}" for n in numbers), *(f"rank {n}" for n in numbers))
    return Table(headers, orders), Table(("measure", "run", *by_set), rows), sentences


def _on_orders(measure: str, taus: Sequence[float]) -> str:
    if len(taus) == 1:
        return f"On {measure}, τ between the two orders of runs is {_shown(taus[0])}."
    defined = sorted(each for each in taus if not math.isnan(each)) or [math.nan]
    return f"On {measure}, τ between two orders of runs is {_shown(defined[0])} to {_shown(defined[-1])}."


def _best(runs: Sequence[str], means: Floats) -> str:
    return "" if np.isnan(means).any() else runs[int(means.argmax())]
