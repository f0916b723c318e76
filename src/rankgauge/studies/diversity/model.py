"""The probability that a document is relevant, by the nuggets that it and the user's need have in common.

Equations 2 to 7 of Clarke et al. 2008, Novelty and diversity in information retrieval evaluation, in plain
numbers; the measures alpha_CG, alpha_DCG and alpha_nDCG are made of the last two.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from rankgauge.errors import OptionError


def relevance(need: Mapping[str, float], document: Mapping[str, float]) -> float:
    """Equation 2: a document is relevant if it holds a nugget that the user wants.

    Both are {nugget: probability}: that the user wants it, that the document holds it.

    >>> relevance({"price": 0.5, "island": 0.5}, {"price": 1.0, "island": 0.5})
    0.625
    """
    for name, of in (("need", need), ("document", document)):
        for nugget, probability in of.items():
            _probability(f"{name}[{nugget!r}]", probability)
    return 1.0 - math.prod(1.0 - wanted * document.get(nugget, 0.0) for nugget, wanted in need.items())


def contains(judged: bool, alpha: float) -> float:
    """Equation 3: how likely a document holds a nugget, by what an assessor says of it.

    >>> contains(True, 0.36), contains(False, 0.36)
    (0.36, 0.0)
    """
    return _probability("alpha", alpha) if judged else 0.0


def judged_relevance(need: Mapping[str, float], nuggets: Collection[str], alpha: float) -> float:
    """Equation 4: the same, for a document that was judged to hold these nuggets.

    >>> judged_relevance({"price": 0.5, "island": 0.25}, ["price"], 0.5)
    0.25
    """
    return relevance(need, {nugget: contains(True, alpha) for nugget in nuggets})


def likely_relevance(nuggets: Collection[str], alpha: float, gamma: float) -> float:
    """Equation 5: the same, if the user wants every nugget with probability gamma.

    >>> likely_relevance(["price", "island"], 0.5, 0.5)
    0.4375
    """
    return novel_relevance([nuggets], alpha, gamma)[0]


def novel_relevance(ranking: Iterable[Collection[str]], alpha: float, gamma: float) -> list[float]:
    """Equation 6: how likely each document is relevant, if those before it were seen.

    The ranking has the nuggets of each document, in order.

    >>> novel_relevance([["price"], ["price"], ["price", "island"]], 0.5, 1.0)
    [0.5, 0.25, 0.5625]
    """
    alpha, gamma = _probability("alpha", alpha), _probability("gamma", gamma)
    return [1.0 - math.prod(1.0 - gamma * alpha * each for each in left) for left in _left(ranking, alpha)]


def gain_vector(ranking: Iterable[Collection[str]], alpha: float) -> list[float]:
    """Equation 7: the gain of each document, its nuggets counting less the more often they were seen.

    >>> gain_vector([["price", "ship"], ["price"], ["price", "island"]], 0.5)
    [2.0, 0.5, 1.25]
    """
    return [math.fsum(left) for left in _left(ranking, _probability("alpha", alpha))]


def _left(ranking: Iterable[Collection[str]], alpha: float) -> Iterable[list[float]]:
    """Of each document, what is left of its nuggets when it comes."""
    seen: Counter[str] = Counter()
    for nuggets in ranking:
        held = sorted(set(nuggets))
        yield [math.pow(1.0 - alpha, seen[nugget]) for nugget in held]
        seen.update(held)


def _probability(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise OptionError(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)
