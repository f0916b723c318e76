"""Random examples for tests: small campaigns and settings of measures, as Hypothesis draws them.

What is drawn is made from a seed by `rankgauge.testing.examples`: drawing it piece by piece would take longer
than testing it.
"""

import os
import random

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from rankgauge.testing import examples
from rankgauge.testing.examples import GRADES as GRADES
from rankgauge.testing.examples import SCORES as SCORES
from rankgauge.testing.examples import by_subtopic as by_subtopic
from rankgauge.testing.examples import curves as curves
from rankgauge.testing.examples import evaluate as evaluate
from rankgauge.testing.examples import judged_for as judged_for
from rankgauge.testing.examples import levels_of as levels_of
from rankgauge.testing.examples import plainest as plainest
from rankgauge.testing.examples import settings_of as settings_of
from rankgauge.testing.examples import written as written

# The same few examples come every time; with `make thorough`, new ones come, and many.
THOROUGH = bool(os.environ.get("RANKGAUGE_THOROUGH"))
SEED = random.SystemRandom().randrange(1 << 30) if THOROUGH else 0

# Here and not in conftest.py, since settings made before a profile is loaded do not follow it.
settings.register_profile(
    "rankgauge", max_examples=60 if THOROUGH else 8, deadline=None, derandomize=not THOROUGH
)
settings.load_profile("rankgauge")
for_each_measure = settings(max_examples=25 if THOROUGH else 2)
few_for_each_measure = settings(max_examples=10 if THOROUGH else 2)  # of what takes long
with_all_measures = settings(max_examples=15 if THOROUGH else 2)  # each takes as long as the catalogue is


def campaigns(most=3, grades=GRADES):
    """(judgments, run) by topic, as small as they are awkward."""
    return seeds().map(lambda seed: examples.campaign(random.Random(seed), grades, most))


def judgments():
    """{document: grade} of one topic."""
    return seeds().map(lambda seed: examples.judgments(random.Random(seed)))


def results():
    """{document: score} of one topic."""
    return seeds().map(lambda seed: examples.results(random.Random(seed)))


def seeds():
    """Seeds for `settings_of` and for other examples."""
    return st.integers(0, 1 << 40)


def cutoffs():
    """No cutoff, or one inside or past any ranking here."""
    return st.one_of(st.none(), st.integers(1, 20))


def at(text, cutoff):
    """A measure's text with a cutoff."""
    return f"{text}@{cutoff}"


def identical(values, others):
    """Whether two arrays are equal bit for bit, undefined where undefined."""
    return np.array_equal(values, others, equal_nan=True)


def checked(kind, registry):
    """(entry, law) for all entries of a registry of rankgauge, with the laws that apply to each."""
    from rankgauge.testing import laws_of

    return [(name, law) for name, entry in registry.own().items() for law in laws_of(kind, entry)]
