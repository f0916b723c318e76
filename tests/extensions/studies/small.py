"""A small simulated campaign for studies."""

import functools

from rankgauge import simulate

MADE = simulate(topics=12, depth=30, systems=5, judged=25, subtopics=4, seed=3)
QRELS = MADE.qrels_dict()
SUBTOPICS = MADE.subtopics_dict()  # the same by subtopic, for studies that need that
RUNS = {name: MADE.run_dict(name) for name in MADE.systems}


@functools.cache
def campaign(threads=None):
    """The small campaign; it is never changed."""
    from rankgauge.studies import Campaign

    return Campaign(SUBTOPICS, RUNS, threads=threads)
