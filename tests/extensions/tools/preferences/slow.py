"""Measures of preferences, pair by pair, straight from their definitions."""

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


def balanced(groups, ranked, scope):
    """The mean over groups with R documents that are not relevant, as trec_eval has it."""
    return sum(one_balanced(group, groups, ranked, scope) for group in groups.values()) / len(groups)


def one_balanced(group, groups, ranked, scope):
    known = {doc for g in groups.values() for levels in g.values() for doc in levels}
    order = [doc for doc in ranked if doc in known] + sorted(known - set(ranked))  # not retrieved: by id
    level = {doc: grade for levels in group.values() for doc, grade in levels.items()}
    docs = [doc for doc in order if doc in level]
    counted = [doc for doc in docs if doc in ranked] if scope == "_ret" else docs
    wanted = [doc for doc in counted if level[doc] > 0]
    unwanted = [doc for doc in counted if level[doc] <= 0]
    all_wanted = [doc for doc in docs if level[doc] > 0]
    states = [(a, b, *state(a, b, ranked)) for a, b in preferred(group)]
    states = [s for s in states if s[2] in SCOPES[scope]]
    missing = len(wanted) - len(unwanted)
    if missing >= 0:  # as many more, that nobody retrieved
        found = sum(doc in ranked for doc in wanted)
        return share(sum(s[3] for s in states) + found * missing, len(states) + len(all_wanted) * missing)
    if len(group) > 1:  # the first R of them
        rest = [doc for doc in docs if level[doc] <= 0][len(all_wanted) :]
        states = [s for s in states if s[0] not in rest and s[1] not in rest]
        return share(sum(s[3] for s in states), len(states))
    lowest = min(level.values())
    first = [doc for doc in docs if level[doc] == lowest][: len(wanted)]
    first = [doc for doc in first if doc in counted]
    states = [s for s in states if lowest not in (level[s[0]], level[s[1]])]
    kept = [(a, b) for a in counted for b in first if order.index(a) < order.index(b) and a in ranked]
    return share(sum(s[3] for s in states) + len(kept), len(states) + len(counted) * len(first))
