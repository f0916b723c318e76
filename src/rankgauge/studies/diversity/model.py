"""The probability that a document is relevant, from the subtopics that it shares with the user's need.

Equations 2 to 7 of Clarke et al. 2008, Novelty and diversity in information retrieval evaluation, where a
subtopic is called a nugget. The measures alpha_CG, alpha_DCG and alpha_nDCG build on the last two, and read
grades as probabilities with `alpha=grade`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

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


def novel_relevance(
    ranking: Iterable[Collection[str] | Mapping[str, float]],
    alpha: float | None = None,
    gamma: float | Mapping[str, float] = 1.0,
) -> list[float]:
    """Equation 6: the probability that each document is relevant after the user has seen those before it.

    The ranking lists the subtopics of each document, in order, or {subtopic: probability that the document
    contains it}, which needs no alpha. `gamma` is the probability that the user wants a subtopic, or
    {subtopic: probability}.

    >>> novel_relevance([["price"], ["price"], ["price", "island"]], 0.5, 1.0)
    [0.5, 0.25, 0.5625]
    >>> novel_relevance([{"price": 0.5}, {"price": 1.0, "island": 0.5}], gamma={"price": 1.0, "island": 0.5})
    [0.5, 0.625]
    """
    if isinstance(gamma, Mapping):
        need = {subtopic: _probability(f"gamma[{subtopic!r}]", p) for subtopic, p in gamma.items()}
        common = 0.0
    else:
        need, common = {}, _probability("gamma", gamma)
    return [
        1.0 - math.prod(1.0 - need.get(each.subtopic, common) * each.chance * each.left for each in document)
        for document in _contents(ranking, alpha)
    ]


def gain_vector(
    ranking: Iterable[Collection[str] | Mapping[str, float]], alpha: float | None = None
) -> list[float]:
    """Equation 7: the gain of each document; a subtopic counts less the more often it was seen before.

    With probabilities in place of judgments, {subtopic: probability} for each document, a subtopic counts its
    probability times that of not being in any document before.

    >>> gain_vector([["price", "ship"], ["price"], ["price", "island"]], 0.5)
    [2.0, 0.5, 1.25]
    >>> gain_vector([{"price": 0.5, "ship": 1.0}, {"price": 0.5}, {"price": 1.0, "ship": 1.0}])
    [1.5, 0.25, 0.25]
    """
    ranking = list(ranking)
    by_chance = any(isinstance(document, Mapping) for document in ranking)  # otherwise alpha is a constant
    return [
        math.fsum(each.chance * each.left if by_chance else each.left for each in document)
        for document in _contents(ranking, alpha)
    ]


class _Contained(NamedTuple):
    """A subtopic of a document."""

    subtopic: str
    chance: float  # the probability that the document contains it
    left: float  # the probability that none of the documents before does


def _contents(
    ranking: Iterable[Collection[str] | Mapping[str, float]], alpha: float | None
) -> Iterator[list[_Contained]]:
    """For each document, its subtopics."""
    judged = None if alpha is None else _probability("alpha", alpha)
    seen: Counter[str] = Counter()  # judged to contain the subtopic
    missed: dict[str, float] = {}  # the probability that those with probabilities do not
    for rank, document in enumerate(ranking, 1):
        if isinstance(document, Mapping):
            chances = {s: _probability(f"document {rank}[{s!r}]", document[s]) for s in sorted(document)}
        elif judged is None:
            raise OptionError(f"document {rank} has no probabilities of its subtopics; pass alpha")
        else:
            chances = dict.fromkeys(sorted(set(document)), judged)
        yield [
            _Contained(s, chance, math.pow(1.0 - (judged or 0.0), seen[s]) * missed.get(s, 1.0))
            for s, chance in chances.items()
        ]
        if isinstance(document, Mapping):
            missed.update({s: missed.get(s, 1.0) * (1.0 - chance) for s, chance in chances.items()})
        else:
            seen.update(chances.keys())


def _probability(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise OptionError(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)
