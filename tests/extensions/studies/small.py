"""A small simulated campaign for studies, and random ones."""

import functools

import numpy as np
from rankgauge.studies import Campaign

from rankgauge import simulate

MADE = simulate(topics=12, depth=30, systems=5, judged=25, subtopics=4, seed=3)
QRELS = MADE.qrels_dict()
SUBTOPICS = MADE.subtopics_dict()  # the same by subtopic, for studies that need that
RUNS = {name: MADE.run_dict(name) for name in MADE.systems}


@functools.cache
def campaign(threads=None):
    """The small campaign; it is never changed."""
    return Campaign(SUBTOPICS, RUNS, threads=threads)


def campaign_by_grade(seed, preference, runs, topics=30, documents=40):
    """Random runs; with a preference, the first rank grade 1 higher, and the last grade 3."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(4, (topics, documents), p=[0.6, 0.2, 0.12, 0.08])
    grades[:, :3] = [1, 2, 3]
    for_high = np.linspace(0, 1, runs)[:, None, None]
    skill = preference * np.where(grades == 1, 1 - for_high, np.where(grades == 3, for_high, 0))
    order = np.argsort(-(rng.normal(size=(runs, topics, documents)) + skill), axis=2)
    names, topic_names = [f"d{d}" for d in range(documents)], [f"t{t}" for t in range(topics)]
    qrels = {
        t: dict(zip(names, row, strict=True)) for t, row in zip(topic_names, grades.tolist(), strict=True)
    }
    ranked = {
        f"r{run}": {t: [names[d] for d in row] for t, row in zip(topic_names, each, strict=True)}
        for run, each in enumerate(order.tolist())
    }
    return Campaign(qrels, ranked)
