"""Simulate claims of equivalence, for docs/studies/levels.md: how often they are wrong at the margin.

python docs/equivalence.py    simulate anew (a minute)
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.special import expit
from writers.markup import table

from rankgauge.comparison.registry import TESTS, TestOptions
from rankgauge.numbers.differences import Floats
from rankgauge.numbers.exact import moments
from rankgauge.numbers.intervals import one_sided

RATES = Path(__file__).parent / "studies" / "equivalence.json"
ALPHA, SEED, SAMPLES = 0.05, 7, 1000
TOPICS, MARGINS = (10, 25, 50, 200), (0.05, 0.1, 0.2)
TRIALS = {"t": 20_000, "bootstrap": 2_000}
FAMILY, FAMILIES, OF_FAMILIES = 10, 2_000, "t with holm"  # runs against one, trials, their test
CLAIMS = ("equivalent", "not worse")

Rates = dict[tuple[str, int, float, str], float]  # {(test, topics, margin, claim): share of trials}


def pairs(topics: int, difference: float, trials: int, seed: int = SEED, runs: int = 1) -> Floats:
    """(runs * trials, topics): differences of runs from the same other one, with this true mean."""
    source = np.random.default_rng([seed, topics])
    runs_of_trial = source.normal(0, 1, (1, trials, topics)) + source.normal(0, 1, (1 + runs, trials, topics))
    scores = expit(runs_of_trial)
    z: Floats = scores[0] - scores[1:] + difference
    return z.reshape(-1, topics)


def rates(
    test: str, topics: int, margin: float, trials: int, seed: int = SEED, runs: int = 1
) -> dict[str, float]:
    """{claim: how often it is made of a run that is worse by exactly the margin}.

    Of several such runs, it is how often Holm's correction makes the claim of any, which has the lowest p.
    """
    z = pairs(topics, -margin, trials, seed, runs)
    if test == "bootstrap":
        options = TestOptions(ALPHA, SAMPLES, seed=seed, threads=1, margin=margin)
        beyond = TESTS[test].function(z, options).beyond
    else:
        of_z = moments(z)
        beyond = one_sided(of_z.mean, of_z.deviation / math.sqrt(topics), topics - 1, margin)
    lowest = (p.reshape(runs, trials).min(axis=0) for p in (beyond.max(axis=0), beyond[0]))
    return {claim: float((p * runs < ALPHA).mean()) for claim, p in zip(CLAIMS, lowest, strict=True)}


def load() -> Rates:
    """The rates of the last simulation."""
    return {(*key,): share for *key, share in json.loads(RATES.read_text())}


def lines(known: Rates) -> Iterator[str]:
    """The section of the page."""
    families = [known[OF_FAMILIES, topics, margin, "not worse"] for topics in TOPICS for margin in MARGINS]
    yield f"""## Equivalence

Level {ALPHA}: how often `compare --margin` calls a run equivalent, or not worse, that is worse by exactly the
margin (pairs of the model above, {TRIALS["t"]:,} for `t`, {TRIALS["bootstrap"]:,} for `bootstrap`). On too
few topics for the margin, nothing is called equivalent. Of {FAMILY} runs against another, all worse by
the margin, Holm's correction (`t`, {FAMILIES:,} trials) calls any not worse in {min(families):.3f} to
{max(families):.3f} of trials, and equivalent in no more.
"""
    headers = ["test", "topics", *(f"equivalent, {margin:g}" for margin in MARGINS), "not worse"]
    cells = [("equivalent", margin) for margin in MARGINS] + [("not worse", MARGINS[0])]  # at any margin
    rows = [
        [f"`{test}`", topics, *(f"{known[test, topics, margin, claim]:.3f}" for claim, margin in cells)]
        for test in TRIALS
        for topics in TOPICS
    ]
    yield table(headers, rows)


def main() -> None:
    """Simulate."""
    tests = [(test, test, trials, 1) for test, trials in TRIALS.items()]
    rows = [
        [name, topics, margin, claim, share]
        for name, test, trials, runs in [*tests, (OF_FAMILIES, "t", FAMILIES, FAMILY)]
        for topics in TOPICS
        for margin in MARGINS
        for claim, share in rates(test, topics, margin, trials, runs=runs).items()
    ]
    RATES.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")


if __name__ == "__main__":
    main()
