"""Simulate the test of interaction, for docs/studies/levels.md: how often it errs.

python docs/interaction.py    simulate anew (ten minutes)
"""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from equivalence import pairs
from writers.markup import table

from rankgauge.comparison.procedures.interaction import interaction_p
from rankgauge.numbers.differences import Floats
from rankgauge.numbers.partial_pooling import shrunken

RATES = Path(__file__).parent / "studies" / "interaction.json"
ALPHA, SEED, TRIALS = 0.05, 7, 2000
SEGMENTS = (  # topics of each
    (25, 25),
    (10, 40),
    (5, 45),
    (5, 5, 40),
    (5, 5, 5, 35),
    (*[5] * 8, 60),
    (*[3] * 5, 35),
    (*[1] * 4, 50),
    (3,) * 40,
    (20, 180),
)
WIDER = (1, 3)  # how much wider differences scatter in all segments but the last
SHAPES = {
    "of scores": "of the model above",
    "skewed": "of an exponential distribution",
    "sparse": "the same, but 0 on four topics of five",
}

SHRUNKEN = (3,) * 40, (*[5] * 8, 60), (*[3] * 5, 35), (25, 25, 10)
SPREADS = (0, 0.1, 0.2, 0.5)  # of true differences

Rates = dict[tuple[str, str, int], Any]  # {(topics, shape, how much wider): share of trials}


def drawn(shape: str, topics: int, trials: int, seed: int) -> Floats:
    """(trials, topics): differences whose true mean is 0."""
    if shape == "of scores":
        return pairs(topics, 0.0, trials, seed)
    source = np.random.default_rng([seed, topics])
    z: Floats = source.exponential(1, (trials, topics))
    if shape == "sparse":
        return z * (source.random(z.shape) < 0.2) - 0.2
    return z - 1


def rate(sizes: Sequence[int], shape: str, wider: float, trials: int = TRIALS, seed: int = SEED) -> float:
    """How often segments whose true differences are equal are called different."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    z = drawn(shape, len(labels), trials, seed) * np.where(labels == len(sizes) - 1, 1, wider)
    values = np.vstack((z, np.zeros(len(labels))))
    p = interaction_p(values, labels, np.arange(trials), np.full(trials, trials), seed)
    return float((p < ALPHA).mean())


def held(
    sizes: Sequence[int], spread: float, wider: float, trials: int = 500, seed: int = SEED
) -> list[float]:
    """[the share of shrunken intervals that hold the true difference of a segment, error against own means].

    True differences scatter by `spread`. The error is a root mean square, as a share of that of own means.
    """
    labels = np.repeat(np.arange(len(sizes)), sizes)
    z = pairs(len(labels), 0.0, trials, seed) * np.where(labels == len(sizes) - 1, 1, wider)
    true = np.random.default_rng([seed, len(sizes)]).normal(0, spread, (trials, len(sizes)))
    z += true[:, labels]
    value, low, high = shrunken(z, labels, ALPHA)
    own = np.stack([z[:, labels == number].mean(axis=1) for number in range(len(sizes))], axis=1)
    error, of_own = (float(((each - true) ** 2).mean()) for each in (value, own))
    return [float(((low <= true) & (true <= high)).mean()), (error / of_own) ** 0.5]


def load() -> Rates:
    """The rates of the last simulation."""
    return {(*key,): share for *key, share in json.loads(RATES.read_text())}


def name(sizes: Sequence[int]) -> str:
    """The topics of segments, as in a row of the table."""
    counted = [(len([*each]), size) for size, each in groupby(sizes)]
    return " + ".join(f"{size}" if count == 1 else f"{count} × {size}" for count, size in counted)


def lines(known: Rates) -> Iterator[str]:
    """The section of the page."""
    lists = "\n".join(f"- {shape}: {text};" for shape, text in SHAPES.items())[:-1] + "."
    yield f"""## Differences by segment

Level {ALPHA}: how often `--by` says that a difference depends on the segment, where it is the same in all
({TRIALS:,} pairs), if it varies more in all segments but the last, by this factor. Differences are those

{lists}

p is the larger of two: by Brown and Forsythe's F, which holds where segments vary differently, and by
permutations, which hold where they vary alike. Neither does where small segments vary more and are skewed.
"""
    headers = ("topics", *(f"{shape} ×{wider}" for shape in SHAPES for wider in WIDER))
    rows = [
        [name(each), *(f"{known[name(each), shape, w]:.3f}" for shape in SHAPES for w in WIDER)]
        for each in SEGMENTS
    ]
    yield table(headers, rows)
    yield """
With three segments or more, `--by` shrinks differences toward their mean, too. The share of 95 % intervals
that hold the true difference, and the error relative to that of own means, by the spread (±) of true
differences (500 pairs of the model above; standard errors are at most 0.012):
"""
    headers = ("topics", *(f"±{spread:g} ×{wider}" for wider in WIDER for spread in SPREADS))
    rows = [
        [
            name(each),
            *("{:.2f} {:.2f}".format(*known[name(each), f"±{s:g}", w]) for w in WIDER for s in SPREADS),
        ]
        for each in SHRUNKEN
    ]
    yield table(headers, rows)


if __name__ == "__main__":
    found = [
        [name(sizes), shape, wider, rate(sizes, shape, wider)]
        for sizes in SEGMENTS
        for shape in SHAPES
        for wider in WIDER
    ]
    found += [
        [name(sizes), f"±{spread:g}", wider, held(sizes, spread, wider)]
        for sizes in SHRUNKEN
        for spread in SPREADS
        for wider in WIDER
    ]
    RATES.write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in found) + "\n]\n")
