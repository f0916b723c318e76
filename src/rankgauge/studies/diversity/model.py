"""The probability that a document is relevant, from the subtopics that it shares with the user's need.

Equations 2 to 7 of Clarke et al. 2008, Novelty and diversity in information retrieval evaluation, where a
subtopic is called a nugget. The measures alpha_CG, alpha_DCG and alpha_nDCG build on the last two.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from rankgauge.errors import OptionError


def relevance(need: Mapping[str, float], document: Mapping[str, float]) -> float:
    """Equation 2: a document is relevant if it contains a subtopic that the user wants.

    Both are {subtopic: probability}: that the user wants it, that the document contains it.

    >>> relevance({"price": 0.5, "island": 0.5}, {"price": 1.0, "island": 0.5})
    0.625
    """
    for name, probabilities in (("need", need), ("document", document)):
        for subtopic, probability in probabilities.items():
            _probability(f"{name}[{subtopic!r}]", probability)
    return 1.0 - math.prod(1.0 - wanted * document.get(subtopic, 0.0) for subtopic, wanted in need.items())


def contains(judged: bool, alpha: float) -> float:
    """Equation 3: the probability that a document contains a subtopic, given an assessor's judgment.

    >>> contains(True, 0.36), contains(False, 0.36)
    (0.36, 0.0)
    """
    return _probability("alpha", alpha) if judged else 0.0


def judged_relevance(need: Mapping[str, float], subtopics: Collection[str], alpha: float) -> float:
    """Equation 4: the relevance of a document that was judged to contain these subtopics.

    >>> judged_relevance({"price": 0.5, "island": 0.25}, ["price"], 0.5)
    0.25
    """
    return relevance(need, {subtopic: contains(True, alpha) for subtopic in subtopics})


def likely_relevance(subtopics: Collection[str], alpha: float, gamma: float) -> float:
    """Equation 5: the same, if the user wants every subtopic with probability gamma.

    >>> likely_relevance(["price", "island"], 0.5, 0.5)
    0.4375
    """
    return novel_relevance([subtopics], alpha, gamma)[0]


def novel_relevance(ranking: Iterable[Collection[str]], alpha: float, gamma: float) -> list[float]:
    """Equation 6: the probability that each document is relevant after the user has seen those before it.

    The ranking lists the subtopics of each document, in order.

    >>> novel_relevance([["price"], ["price"], ["price", "island"]], 0.5, 1.0)
    [0.5, 0.25, 0.5625]
    """
    alpha, gamma = _probability("alpha", alpha), _probability("gamma", gamma)
    return [1.0 - math.prod(1.0 - gamma * alpha * each for each in left) for left in _left(ranking, alpha)]


def gain_vector(ranking: Iterable[Collection[str]], alpha: float) -> list[float]:
    """Equation 7: the gain of each document; a subtopic counts less the more often it was seen before.

    >>> gain_vector([["price", "ship"], ["price"], ["price", "island"]], 0.5)
    [2.0, 0.5, 1.25]
    """
    return [math.fsum(left) for left in _left(ranking, _probability("alpha", alpha))]


def _left(ranking: Iterable[Collection[str]], alpha: float) -> Iterable[list[float]]:
    """For each document, the remaining value of each of its subtopics."""
    seen: Counter[str] = Counter()
    for subtopics in ranking:
        contained = sorted(set(subtopics))
        yield [math.pow(1.0 - alpha, seen[subtopic]) for subtopic in contained]
        seen.update(contained)


def _probability(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise OptionError(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)
