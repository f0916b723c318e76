"""Documents in order, in all orders that their scores allow, and condensed to the judged ones."""

from itertools import permutations


def in_order(results, ties="docid_desc", ranks=None):
    """Documents by score descending; equal scores by the bytes of the id, by their ranks, or as they came."""
    ranking = []
    for doc, score in results.items():
        place = 0
        while place < len(ranking) and _is_before(ranking[place], (doc, score), ties, ranks):
            place += 1
        ranking.insert(place, (doc, score))
    return [doc for doc, _ in ranking]


def _is_before(earlier, later, ties, ranks):
    """Whether the first of two (document, score) stays before the second, which came after it."""
    if earlier[1] != later[1]:
        return earlier[1] > later[1]
    if ties == "input":
        return True
    if ties == "rank" and ranks[earlier[0]] != ranks[later[0]]:
        return ranks[earlier[0]] < ranks[later[0]]
    ids = earlier[0].encode(), later[0].encode()
    return ids[0] < ids[1] if ties == "docid_asc" else ids[0] > ids[1]


def condensed(ranking, judgments, negatives):
    """The judged documents of a ranking; those below 0 are unjudged, or non-relevant like any other."""
    judged = [doc for doc in ranking if doc in judgments]
    return [doc for doc in judged if judgments[doc] >= 0 or negatives == "nonrelevant"]


def all_orders(results):
    """Every order of the documents in which scores descend."""
    orders = [()]
    for score in sorted(set(results.values()), reverse=True):
        tied = [doc for doc in results if results[doc] == score]
        orders = [(*before, *order) for before in orders for order in permutations(tied)]
    return orders
