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
nerr11 = measured(lambda i, gained, g, T=1.0: (1 - g) * as_insq(i, T), rest_of_insq)
