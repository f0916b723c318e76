"""Measures of what lists of recommended items cover, repeat, and have in common.

Coverage and inequality are of all lists together. The value of a list is its part in them, so that values
sum up to the measure.
"""

from typing import TYPE_CHECKING, Annotated

import numpy as np

from rankgauge.extensions.items.spec import Column, item_measure
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.schema.parameters import Flag, Word

if TYPE_CHECKING:
    from rankgauge.extensions.items.lists import Lists

ZHOU = "Zhou et al. 2010, Solving the apparent diversity-accuracy dilemma of recommender systems"
GE = "Ge, Delgado-Battenfeld & Jannach 2010, Beyond accuracy: evaluating recommender systems by coverage"


@item_measure(
    "Coverage",
    title="Catalogue coverage",
    formula="items in any list / items in the catalogue",
    cite=GE,
    needs=("items",),
    average="sum",
    share=True,
    other_names=("CatalogCoverage", "ItemCoverage", "CoverageK"),
)
def coverage(lists: "Lists") -> Floats:
    """The share of the catalogue that is in at least one list; lists share an item that several have."""
    times = np.bincount(lists.item, minlength=1)
    return lists.sum(1 / times[lists.item] / lists.items.catalogue)


@item_measure(
    "Gini",
    title="Gini coefficient of the catalogue",
    formula="Σ_i (2i - |I| - 1) n_i / (|I| Σ n), n_i ascending: how often each item is in a list",
    cite="Sun et al. 2019, Debiasing the human-recommender system feedback loop in collaborative filtering",
    needs=("items",),
    direction=-1,
    average="sum",
    share=True,
    other_names=("GiniIndex", "GiniCoefficient"),
)
def gini(lists: "Lists") -> Floats:
    """How unequally items are recommended: 0 if all are alike, near 1 if all lists have the same few."""
    size = lists.items.catalogue
    times = np.bincount(lists.item, minlength=size)
    _, level, count = np.unique(times, return_inverse=True, return_counts=True)
    place = (np.cumsum(count) - (count - 1) / 2)[level]  # items that are equally frequent share a place
    return lists.sum((2 * place[lists.item] - size - 1) / (size * max(1, len(lists.item))))


@item_measure(
    "MIUF",
    title="Mean inverse user frequency",
    formula="mean of log2(users / users who interacted with the item)",
    cite=ZHOU,
    needs=("interactions",),
    other_names=("MeanInvUserFreq", "Novelty"),
)
def mean_inverse_user_frequency(lists: "Lists") -> Floats:
    """How new items are to users: the information in knowing them. Items without users count as one's."""
    known = np.maximum(1, lists.items.interactions[lists.item])
    return lists.mean(np.log2(lists.items.users / known))


@item_measure(
    "Popularity",
    title="Mean popularity",
    formula="mean number of interactions with the items of a list",
    cite="Yin et al. 2012, Challenging the long tail recommendation",
    needs=("interactions",),
    direction=0,
    other_names=("AvgRecPopularity", "AveragePopularity", "ARP"),
)
def popularity(
    lists: "Lists",
    share: Annotated[bool, Flag(), "whether as a share of all interactions"] = False,
) -> Floats:
    """How popular the items of a list are: high values show a bias towards what everybody has."""
    counts = lists.items.interactions
    return lists.mean(counts[lists.item] / (counts.sum() if share else 1))


@item_measure(
    "Serendipity",
    title="Serendipity",
    formula="mean of max(0, P_user - P_any) rel(i); P_user = (|I| + 1 - rank) / |I|, "
    "P_any = (|I| + 1 - rank by popularity) / |I|",
    cite="RecTools' reading of Andrews 2015, Recommender systems: it's not all about the accuracy",
    needs=("items", "interactions", "qrels"),
    share=True,
)
def serendipity(lists: "Lists") -> Floats:
    """How many items users want and would not have found by popularity.

    Items of equal popularity share a rank; P_any is 0 for those without interactions.
    """
    items = lists.items
    counts, level = np.unique(-items.interactions, return_inverse=True)
    size, popular = items.catalogue, counts[level] < 0
    by_anyone = np.where(popular, (size - level) / size, 0.0)[lists.item]
    by_user = (size + 1 - lists.rank) / size
    return lists.mean(np.maximum(0.0, by_user - by_anyone) * lists.wanted)


@item_measure(
    "ILD",
    title="Intra-list diversity",
    formula="mean distance of two items of a list",
    cite="Ziegler et al. 2005, Improving recommendation lists through topic diversification",
    needs=("items",),
    share=True,
    other_names=("IntraListDiversity", "IntraListDiversityK"),
)
def intra_list_diversity(
    lists: "Lists",
    by: Annotated[str, Column(), "the column of the table of items to compare, such as genre"],
    distance: Annotated[
        str, Word(("jaccard", "hamming")), "1 - common / all values of two items, or differing / all columns"
    ] = "jaccard",
) -> Floats:
    """How different the items of a list are by their values of a column; 0 for lists of one item.

    Several values are separated by |. The Hamming distance is over all values that any item has.
    """
    _, has = lists.items.memberships(by)
    found = np.full(len(lists.topic), np.nan)
    starts = np.searchsorted(lists.of, np.arange(len(lists.topic) + 1))
    for place, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        if end > begin:
            rows = has[lists.item[begin:end]].astype(np.float64)
            common, sizes = rows @ rows.T, rows.sum(axis=1)
            differing = sizes[:, None] + sizes - 2 * common
            every = differing + common if distance == "jaccard" else np.full_like(common, has.shape[1])
            distances = np.divide(differing, every, out=np.zeros_like(every), where=every > 0)
            found[place] = distances.sum() / max(1, (end - begin) * (end - begin - 1))
    return found


@item_measure(
    "GAUC",
    title="Grouped area under the ROC curve",
    formula="Σ_u |R_u| AUC_u / Σ_u |R_u|, of users with wanted and other items in their lists",
    cite="Zhu et al. 2017, Optimized cost per click in Taobao display advertising",
    needs=("qrels",),
    average="micro",
    share=True,
    cut=False,
)
def grouped_auc(lists: "Lists") -> Floats:
    """The share of pairs of a wanted and another item in the right order, weighted by wanted items."""
    count = np.bincount(lists.of, minlength=len(lists.topic))
    wanted = np.bincount(lists.of, lists.wanted, len(lists.topic))
    ranks = np.bincount(lists.of, lists.wanted * lists.rank, len(lists.topic))
    pairs = wanted * (count - wanted)
    right = wanted * (count + 1) - wanted * (wanted + 1) / 2 - ranks
    found: Floats = np.divide(right, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
    return found
