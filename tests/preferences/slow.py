"""Measures of preferences, pair by pair, by what the words of their definitions say."""

import itertools
import math


def preferred(subgroups):
    """All (better, worse) pairs of a group, with those that follow from others."""
    pairs = {
        (a, b)
        for levels in subgroups.values()
        for a, b in itertools.permutations(levels, 2)
        if levels[a] > levels[b]
    }
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not more or len(subgroups) == 1:
            return pairs
        pairs |= more


def state(better, worse, ranked):
    """(documents retrieved of the two, whether the preference is fulfilled)."""
    retrieved = (better in ranked) + (worse in ranked)
    if retrieved == 2:
        return 2, ranked.index(better) < ranked.index(worse)
    return retrieved, better in ranked


SCOPES = {"": (0, 1, 2), "_ret": (2,), "_imp": (1, 2)}


def share(part, whole):
    return part / whole if whole else math.nan


def simple(groups, ranked, scope):
    states = [state(a, b, ranked) for g in groups.values() for a, b in preferred(g)]
    states = [fulfilled for retrieved, fulfilled in states if retrieved in SCOPES[scope]]
    return share(sum(states), len(states))


def by_pair(groups, ranked, scope):
    votes = {}
    for group in groups.values():
        for a, b in preferred(group):
            retrieved, fulfilled = state(a, b, ranked)
            if retrieved in SCOPES[scope]:
                votes.setdefault(frozenset((a, b)), []).append(fulfilled)
    return share(sum(sum(v) / len(v) for v in votes.values()), len(votes))


def by_group(groups, ranked, scope):
    shares = [simple({name: group}, ranked, scope) for name, group in groups.items()]
    if all(map(math.isnan, shares)):
        return math.nan
    return sum(0 if math.isnan(x) else x for x in shares) / len(shares)


def count(groups, ranked, name):
    states = [state(a, b, ranked) for g in groups.values() for a, b in preferred(g)]
    return {
        "poss": len(states),
        "ful": sum(fulfilled for _, fulfilled in states),
        "ful_ret": sum(fulfilled for retrieved, fulfilled in states if retrieved == 2),
    }[name]
