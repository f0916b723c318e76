"""Simulate the test of interaction, for docs/studies/levels.md: how often it errs.

python docs/interaction.py    simulate anew (two minutes)
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from equivalence import pairs
from writers.markup import table

from rankgauge.comparison.procedures.permutation import interaction_p

RATES = Path(__file__).parent / "studies" / "interaction.json"
ALPHA, SEED, TRIALS = 0.05, 7, 4000
SEGMENTS = (25, 25), (12, 12, 13, 13), (10, 40), (5, 45), (2, 48), (100, 100), (20, 180)  # topics of each
WIDER = (1, 2, 3)  # how much wider differences scatter in the first segment

Rates = dict[tuple[str, int], float]  # {(topics of the segments, how much wider): share of trials}


def rate(sizes: Sequence[int], wider: float, trials: int = TRIALS, seed: int = SEED) -> float:
    """How often segments whose true differences are equal are called different."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    z = pairs(len(labels), 0.0, trials, seed) * np.where(labels == 0, wider, 1)
    values = np.vstack((z, np.zeros(len(labels))))
    p = interaction_p(values, labels, np.arange(trials), np.full(trials, trials), seed)
    return float((p < ALPHA).mean())


def load() -> Rates:
    """The rates of the last simulation."""
    return {(*key,): share for *key, share in json.loads(RATES.read_text())}


def name(sizes: Sequence[int]) -> str:
    """The topics of segments, as in a row of the table."""
    return " + ".join(map(str, sizes))


def lines(known: Rates) -> Iterator[str]:
    """The section of the page."""
    yield f"""## Differences by segment

Level {ALPHA}: how often `--by` says that a difference depends on the segment, where it is the same in all
({TRIALS:,} pairs of the model above), if it varies more in the first segment, by this factor.
"""
    headers = ("topics", *(f"×{wider}" for wider in WIDER))
    yield table(headers, [[name(each), *(f"{known[name(each), w]:.3f}" for w in WIDER)] for each in SEGMENTS])


if __name__ == "__main__":
    found = [[name(sizes), wider, rate(sizes, wider)] for sizes in SEGMENTS for wider in WIDER]
    RATES.write_text("[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n")
