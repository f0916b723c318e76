"""Twist and its parts, from definitions 1 to 6 of Ferro et al., on vectors of all N ranks.

`longest` is how many documents the longest list of all has; N is that, unless it is given.
"""

import math
from itertools import accumulate

from twins.cumulated import divisor, gain_of


class Walk:
    """The vectors RP and CRP of a ranking, of its full-scale run, and all that follows from them."""

    def __init__(self, ranking, judgments, N, longest, rel, gains, discount, domain="pad"):
        self.given = longest if N is None else N
        relevant = {doc: grade for doc, grade in judgments.items() if grade >= rel}
        self.base = len(relevant)
        self.undefined = self.base == 0 or (domain == "strict" and self.given < 2 * self.base)
        self.length = max(self.given, 2 * self.base)
        # gains come first where they are mapped, and then grades
        self.degree = {
            doc: (gain_of(grade, gains) if isinstance(gains, dict) else 0.0, grade)
            for doc, grade in relevant.items()
        }
        self.worth = {d: 1.0 if gains == "binary" else gain_of(g, gains) for d, g in relevant.items()}
        self.ideal = self.filled(sorted(relevant, key=self.degree.get, reverse=True))
        self.interval = {}
        for rank, doc in enumerate(self.ideal, 1):
            first, _ = self.interval.get(self.degree.get(doc), (rank, rank))
            self.interval[self.degree.get(doc)] = first, rank
        # what each step to a rank counts
        self.steps = [1 / divisor(rank, discount, None) for rank in range(1, self.length + 1)]
        self.exact = gains == "binary" and discount == "none"
        self.rp = self.relative_positions(self.filled(ranking[: self.given]))
        self.full = self.relative_positions(self.ideal[::-1])
        self.crp = list(accumulate(self.rp))
        self.undefined = self.undefined or self.space(self.full, -1) == 0

    def filled(self, docs):
        """Documents that are not relevant are all alike: None."""
        known = [doc if doc in self.degree else None for doc in docs]
        return known + [None] * (self.length - len(known))

    def relative_positions(self, docs):
        found = []
        for rank, doc in enumerate(docs, 1):
            first, last = self.interval[self.degree.get(doc)]
            weight = max(self.worth.get(doc, 0.0), self.worth.get(self.ideal[rank - 1], 0.0))
            if rank < first:
                found.append(-weight * math.fsum(self.steps[rank:first]))
            else:
                found.append(weight * math.fsum(self.steps[last:rank]))
        return found

    @staticmethod
    def space(vector, sign):
        return math.fsum(sign * rp for rp in vector if sign * rp > 0)

    def ratio(self, sign):
        return 1 - self.space(self.rp, sign) / self.space(self.full, sign)

    def space_ratio(self):
        forward, backward = self.ratio(1), self.ratio(-1)
        return 0.0 if forward + backward == 0 else 2 * forward * backward / (forward + backward)

    def first_crossing(self, rule):
        least = 0.0 if self.exact else 1e-12 * self.space(self.full, -1)
        crp = [0.0 if abs(value) <= least else value for value in self.crp]
        for j in range(1, self.length):
            now, then = crp[j - 1], crp[j]
            if rule == "definition" and ((now <= 0 and then >= 0) or (now >= 0 and then <= 0)):
                return j
            if rule == "return" and now < 0 <= then:
                return j
            if rule == "matters" and ((now <= 0 < then) or (now > 0 >= then)):
                return j
        return math.inf

    def balance_point(self, rule):
        if not any(self.rp):
            return self.base
        return max(self.base, self.first_crossing(rule))

    def recovery_ratio(self, rule):
        return self.base / self.balance_point(rule)


def relative_position(
    ranking, judgments, cutoff=None, N=None, gains="binary", discount="none", rel=1, longest=None
):
    walk = Walk(ranking, judgments, N, longest, rel, gains, discount)
    last = len(ranking) if cutoff is None else cutoff
    if walk.undefined or last == 0:
        return None if walk.undefined else 0.0
    return walk.rp[last - 1] if last <= walk.length else 0.0


def cumulated_relative_position(
    ranking, judgments, cutoff=None, N=None, gains="binary", discount="none", rel=1, longest=None
):
    walk = Walk(ranking, judgments, N, longest, rel, gains, discount)
    if walk.undefined:
        return None
    return walk.crp[-1] if cutoff is None or cutoff > walk.length else walk.crp[cutoff - 1]


def _measure(value, crossing=False):
    """A twin from a function of the walk."""

    def without(
        ranking,
        judgments,
        cutoff=None,
        N=None,
        domain="pad",
        gains="binary",
        discount="none",
        rel=1,
        longest=None,
    ):
        walk = Walk(ranking, judgments, N, longest, rel, gains, discount, domain)
        return None if walk.undefined else value(walk)

    def with_crossing(
        ranking,
        judgments,
        cutoff=None,
        N=None,
        crossing="return",
        domain="pad",
        gains="binary",
        discount="none",
        rel=1,
        longest=None,
    ):
        walk = Walk(ranking, judgments, N, longest, rel, gains, discount, domain)
        return None if walk.undefined else value(walk, crossing)

    return with_crossing if crossing else without


forward_space = _measure(lambda walk: walk.space(walk.rp, 1))
backward_space = _measure(lambda walk: walk.space(walk.rp, -1))
forward_space_ratio = _measure(lambda walk: walk.ratio(1))
backward_space_ratio = _measure(lambda walk: walk.ratio(-1))
space_ratio = _measure(Walk.space_ratio)
balance_point = _measure(Walk.balance_point, crossing=True)
recovery_ratio = _measure(Walk.recovery_ratio, crossing=True)
twist = _measure(
    lambda walk, crossing: (walk.recovery_ratio(crossing) + walk.space_ratio()) / 2, crossing=True
)
