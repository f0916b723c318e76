"""Measures of how fairly lists expose items, or groups of them, to the attention of users."""

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.evaluation.evaluator import evaluate
from rankgauge.extensions.items.lists import KNOWLEDGE
from rankgauge.extensions.items.spec import Column, item_measure
from rankgauge.measures.language import parse
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.schema.options import setting
from rankgauge.schema.parameters import Number, Text, Word

if TYPE_CHECKING:
    from rankgauge.extensions.items.lists import Lists

SAPIEZYNSKI = "Sapiezynski et al. 2019, Quantifying the impact of user attention on fair group representation"
DIAZ = "Diaz et al. 2020, Evaluating stochastic rankings with expected exposure"
TREC = "Ekstrand et al. 2021, Overview of the TREC 2021 Fair Ranking Track"
DEEPEST = 3000  # ranks of lists without a cutoff

Attention = Annotated[
    str,
    Text(),
    "the attention that ranks get: the weights of a measure that is a sum over ranks, as RBP(p=0.8)",
]
TRECS = "DCG(base=2)"  # 1/log2(max(rank, 2))
Group = Annotated[str, Column(), "the column of the table of items with their groups"]
Target = Annotated[
    str,
    Word(("relevant", "items", "equal")),
    "the exposure that groups should get: as among relevant items, as in the catalogue, or equal",
]


@lru_cache(maxsize=32)
def attention_by_rank(measure: str, depth: int) -> Floats:
    """(depth,) the weight of each rank: the value of a ranking whose only relevant item is there."""
    read = parse(measure)
    if not read.is_linear:
        raise MeasureError(
            f"attention={read}: this is no sum over ranks; use one such as {TRECS} or RBP(p=0.8)"
        )
    if depth > DEEPEST:
        raise MeasureError(f"lists have {depth} items; add a cutoff up to {DEEPEST}, as in AWRF(by=group)@50")
    items = [*map(str, range(depth))]
    lists = {last: items[: place + 1] for place, last in enumerate(items)}
    values = evaluate({item: {item: 1} for item in items}, {"": lists}, [read]).to_dict()[""]
    (by_topic,) = values.values()
    return np.array([by_topic[item] for item in items])


def _shares(lists: "Lists", by: str, target: str) -> Floats:
    """(topics, groups) the shares of exposure that groups should get; NaN where there are none."""
    if lists.targets is not None:
        return lists.targets
    if target == "relevant" and not lists.items.known["qrels"]:
        raise MeasureError(
            f"target={target} needs {KNOWLEDGE['qrels']}; pass {setting('qrels')}, or choose target=items "
            "or target=equal"
        )
    groups, member = lists.items.memberships(by)
    totals = np.ones((len(lists.relevant), len(groups)))
    if target == "items":
        totals *= member[: lists.items.catalogue].sum(axis=0)
    elif target == "relevant":
        topic, item = lists.wanted_pairs
        totals[:] = 0
        np.add.at(totals, topic, member[item])
    with np.errstate(invalid="ignore"):  # of topics without relevant items in a group
        shares: Floats = totals / totals.sum(axis=1, keepdims=True)
    return shares


@item_measure(
    "AWRF",
    title="Attention-weighted rank fairness",
    formula="1 - JSD(shares of attention that groups get, target)",
    cite=f"{SAPIEZYNSKI}; {TREC}",
    needs=("items",),
    share=True,
)
def attention_weighted_rank_fairness(
    lists: "Lists",
    by: Group,
    target: Target = "relevant",
    attention: Attention = TRECS,
    base: Annotated[
        float, Number(1, 1e6, above=True), "of logarithms: e as at TREC; with 2, 0 is worst"
    ] = math.e,
) -> Floats:
    """How near the attention that a list gives to groups is to a target, by the Jensen-Shannon divergence.

    Items may belong to several groups; those of no group do not count.
    """
    wanted = _shares(lists, by, target)[lists.topic]
    given = _group_exposure(lists, by, attention)
    total = given.sum(axis=1, keepdims=True)
    given = np.divide(given, total, out=np.full_like(given, np.nan), where=total > 0)
    middle = (given + wanted) / 2
    divergence = np.zeros(len(given))
    for each in (given, wanted):
        with np.errstate(divide="ignore", invalid="ignore"):  # a group without exposure adds nothing
            terms = np.where(each == 0, 0.0, each * np.log(each / middle))
        divergence += terms.sum(axis=1) / 2
    found: Floats = 1 - divergence / math.log(base)
    return found


def _group_exposure(lists: "Lists", by: str, attention: str) -> Floats:
    """(lists, groups) the attention that the items of each group get."""
    _, member = lists.items.memberships(by)
    weights = attention_by_rank(attention, lists.depth or int(lists.rank.max(initial=1)))
    found = np.zeros((len(lists.topic), member.shape[1]))
    np.add.at(found, lists.of, member[lists.item] * weights[lists.rank - 1, None])
    return found


def _expected_exposure(lists: "Lists", by: str, target: str, attention: str) -> tuple[Floats, Floats, Floats]:
    """(lists,) EE-L, EE-D and EE-R of the topic of each list."""
    if lists.depth is None:
        raise MeasureError("expected exposure needs a cutoff, as in EE_L@50")
    if by:
        dispersion, relevance, ideal = _of_groups(lists, by, target, attention)
    else:
        dispersion, relevance, ideal = _of_items(lists, _attention_to_all(lists, attention))
    loss = dispersion - 2 * relevance + ideal
    return loss[lists.topic], dispersion[lists.topic], relevance[lists.topic]


def _attention_to_all(lists: "Lists", attention: str) -> Floats:
    """The weights of the ranks down to the cutoff, as far as the catalogue has items for them."""
    return attention_by_rank(attention, lists.depth or 1)[: lists.items.catalogue]


def _of_groups(lists: "Lists", by: str, target: str, attention: str) -> tuple[Floats, Floats, Floats]:
    """(topics,) |ε|², ε ⋅ ε* and |ε*|², of the exposure of groups."""
    due = _shares(lists, by, target) * _attention_to_all(lists, attention).sum()
    exposure = np.zeros(due.shape)
    np.add.at(exposure, lists.topic, _group_exposure(lists, by, attention))
    exposure /= np.maximum(1, np.bincount(lists.topic, minlength=len(due)))[:, None]
    return (exposure**2).sum(axis=1), (exposure * due).sum(axis=1), (due**2).sum(axis=1)


def _of_items(lists: "Lists", weights: Floats) -> tuple[Floats, Floats, Floats]:
    """(topics,) the same of the exposure of items."""
    relevant = lists.relevant
    others = np.maximum(0, lists.items.catalogue - relevant)
    to_relevant = np.concatenate([[0.0], np.cumsum(weights)])[np.minimum(relevant, len(weights))]
    due_relevant = np.where(relevant > 0, to_relevant / np.maximum(1, relevant), np.nan)
    due_other = (weights.sum() - to_relevant) / np.maximum(1, others)
    topic = lists.topic[lists.of]
    cells, first, cell = np.unique(
        topic * len(lists.items) + lists.item, return_index=True, return_inverse=True
    )
    lists_of = np.bincount(lists.topic, minlength=len(relevant))
    exposure = np.bincount(cell, weights[lists.rank - 1] / lists_of[topic], len(cells))
    topic = topic[first]
    due = np.where(lists.wanted[first], due_relevant[topic], due_other[topic])
    dispersion, relevance = (
        np.bincount(topic, exposure * by, len(relevant)).astype(np.float64) for by in (exposure, due)
    )
    return dispersion, relevance, relevant * due_relevant**2 + others * due_other**2


EXPECTED: dict[str, Any] = {"cite": f"{DIAZ}; {TREC}", "needs": ("items", "qrels")}
By = Annotated[
    str, Column(), "the column of the table of items with their groups; without, items are compared"
]


@item_measure(
    "EE_L",
    title="Loss of expected exposure",
    formula="|ε - ε*|²; ε: the mean exposure over the lists of a topic, ε*: the ideal",
    direction=-1,
    other_names=("EE-L",),
    **EXPECTED,
)
def exposure_loss(
    lists: "Lists", by: By = "", target: Target = "relevant", attention: Attention = TRECS
) -> Floats:
    """How far the exposure that items or groups get is from what they should get.

    Ideally, all relevant items of a topic get the same, as at the top of lists in random order; so do the
    others of the catalogue, below. Groups should get their share (`target`) of the attention of all ranks.
    """
    return _expected_exposure(lists, by, target, attention)[0]


@item_measure(
    "EE_D",
    title="Disparity of expected exposure",
    formula="|ε|²; ε: the mean exposure over the lists of a topic",
    direction=-1,
    other_names=("EE-D",),
    **EXPECTED,
)
def exposure_disparity(
    lists: "Lists", by: By = "", target: Target = "relevant", attention: Attention = TRECS
) -> Floats:
    """How unevenly items or groups are exposed; low if lists of a topic vary."""
    return _expected_exposure(lists, by, target, attention)[1]


@item_measure(
    "EE_R",
    title="Relevance of expected exposure",
    formula="ε ⋅ ε*; ε: the mean exposure over the lists of a topic, ε*: the ideal",
    other_names=("EE-R",),
    **EXPECTED,
)
def exposure_relevance(
    lists: "Lists", by: By = "", target: Target = "relevant", attention: Attention = TRECS
) -> Floats:
    """How much exposure goes where it should; half of EE-R in the paper, as at TREC."""
    return _expected_exposure(lists, by, target, attention)[2]
