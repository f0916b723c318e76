"""The C/W/L measures, from their continuation probabilities alone, rank by rank.

A user who never stops for sure is followed for a while after the last document; from there on, nothing has
a gain, and the rest is the known sum of the series.
"""

import math

from twins.cumulated import gain_vector
from twins.usermodels import shares

A_WHILE = 60


def numbers(gain, continues, depth, rest, value):
    """The number asked for, of a user who goes on from rank i with probability continues(i, gained, g)."""
    seen, total, likely, gained = 0.0, 0.0, 1.0, 0.0
    for i in range(1, depth + 1):
        g = gain[i - 1] if i <= len(gain) else 0.0
        seen += likely
        total += likely * g
        gained += g
        likely *= continues(i, gained, g)
    seen += likely * rest(depth, gained)
    if seen == 0:
        return {"ETU": 0.0, "ETC": 0.0, "ED": 0.0}.get(value)
    return {"EU": total / seen, "ETU": total, "EC": 1.0, "ETC": seen, "ED": seen}[value]


def squares(x):
    """1/x² + 1/(x+1)² + ..., for a large x."""
    return 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7)


def nothing(depth, gained):
    return 0.0


def measured(continues, rest=None):
    """The twin of a user model; those without a rest stop with the ranking, if there is no cutoff."""

    def twin(
        ranking, judgments, cutoff=None, value="EU", gains="linear", max_rel=None, highest=None, **setting
    ):
        gain = shares(gain_vector(ranking, judgments, gains), gains, highest, max_rel)
        depth = len(ranking) if cutoff is None else cutoff
        if cutoff is None and rest is not None:
            return numbers(
                gain,
                lambda i, gained, g: continues(i, gained, g, **setting),
                depth + A_WHILE,
                lambda depth, gained: rest(depth, gained, **setting),
                value,
            )
        return numbers(gain, lambda i, gained, g: continues(i, gained, g, **setting), depth, nothing, value)

    return twin


def as_insq(i, T):
    return ((i + 2 * T - 1) / (i + 2 * T)) ** 2


def rest_of_insq(depth, gained, T=1.0):
    """1 + C(d+1) + C(d+1) C(d+2) + ... of the ranks after depth d."""
    return (depth + 2 * T) ** 2 * squares(depth + 2 * T)


def rest_of_inst(depth, gained, T=1.0):
    return rest_of_insq(depth, 0.0, T - gained / 2)


insq = measured(lambda i, gained, g, T=1.0: as_insq(i, T), rest_of_insq)
inst = measured(
    lambda i, gained, g, T=1.0: ((i + T + (T - gained) - 1) / (i + T + (T - gained))) ** 2, rest_of_inst
)
bpm = measured(lambda i, gained, g, T=1.0: 1.0 if gained < T else 0.0)
sdcg = measured(lambda i, gained, g: math.log(i + 1) / math.log(i + 2))
nerr8 = measured(lambda i, gained, g: 1 - g)
nerr9 = measured(lambda i, gained, g: (1 - g) * i / (i + 1))
nerr10 = measured(lambda i, gained, g, p=0.9: p * (1 - g), lambda depth, gained, p=0.9: 1 / (1 - p))
npv = measured(
    lambda i, gained, g, rate=0.1: 1 / (1 + rate), lambda depth, gained, rate=0.1: (1 + rate) / rate
)
nerr11 = measured(lambda i, gained, g, T=1.0: (1 - g) * as_insq(i, T), rest_of_insq)


def exponential(x):
    return math.exp(min(x, 700))


def goes_on_foraging(i, gained, g, T=2.0, b1=0.9, R1=1.0, A=0.2, b2=0.9, R2=1.0):
    wants_more = 1 - 1 / (1 + b1 * exponential((T - gained) * R1))
    return wants_more / (1 + b2 * exponential((A - gained / i) * R2))


def ift(ranking, judgments, cutoff=None, highest=None, **settings):
    """At most 1000 documents are seen."""
    cutoff = min(cutoff or 1000, 1000)
    return measured(goes_on_foraging)(ranking, judgments, cutoff, highest=highest, **settings)


def costs_of(ranking, subtopics, cost):
    """What each document says that it costs, where all grades are below 0."""
    tables = [each for each in subtopics.values() if max(each.values(), default=0) < 0]
    own = [-sum(table.get(doc, 0) for table in tables) for doc in ranking]
    return [each or cost for each in own]


def spending(share_left, rest):
    """The twin of a user of whom a share is left after a cost: share_left(spent, **setting).

    Below the ranking the rest is the known sum of the series: rest(spent, cost, **setting).
    """

    def twin(
        ranking,
        judgments,
        subtopics,
        cutoff=None,
        cost=1.0,
        value="EU",
        gains="linear",
        max_rel=None,
        highest=None,
        **setting,
    ):
        gain = shares(gain_vector(ranking, judgments, gains), gains, highest, max_rel)
        costs = costs_of(ranking, subtopics, cost)
        seen, total, paid, spent, rank = 0.0, 0.0, 0.0, 0.0, 0
        while rank < (len(ranking) if cutoff is None else cutoff):
            left = share_left(spent, **setting)
            own = costs[rank] if rank < len(ranking) else cost
            seen += left
            total += left * (gain[rank] if rank < len(ranking) else 0.0)
            paid += left * own
            spent += own
            rank += 1
        if cutoff is None:
            seen += rest(spent, cost, **setting)
            paid += rest(spent, cost, **setting) * cost
        if seen == 0:
            return {"ETU": 0.0, "ETC": 0.0, "ED": 0.0}.get(value)
        return {"EU": total / seen, "ETU": total, "EC": paid / seen, "ETC": paid, "ED": seen}[value]

    return twin


def rest_of_text(spent, cost, L=132_000.0):
    terms = max(0, math.ceil((L - spent) / cost))
    return terms * (1 - spent / L) - cost / L * terms * (terms - 1) / 2


time_biased_gain = spending(
    lambda spent, halflife=224.0: 2 ** (-spent / halflife),
    lambda spent, cost, halflife=224.0: (
        2 ** (-spent / halflife) / -math.expm1(-math.log(2) * cost / halflife)
    ),
)
u_measure = spending(lambda spent, L=132_000.0: max(0.0, 1 - spent / L), rest_of_text)
