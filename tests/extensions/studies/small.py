"""A small campaign for studies, and hostile ones."""

import functools

from rankgauge import simulate

MADE = simulate(topics=12, depth=30, systems=5, judged=25, subtopics=4, seed=3)
QRELS = MADE.qrels_dict()
SUBTOPICS = MADE.subtopics_dict()  # the same by subtopic, for studies that need that
RUNS = {name: MADE.run_dict(name) for name in MADE.systems}


def renamed(name):
    """An id with what is markup somewhere, or moves a terminal's cursor."""
    return f"<b>{name}</b>|_$%\\{{&\x1b[31m\t#"


def hostile():
    """{what is odd: (judgments, runs)}."""
    first, *_ = QRELS
    one_topic = {first: SUBTOPICS[first]}
    same = next(iter(RUNS.values()))
    return {
        "markup": (
            {
                renamed(topic): {renamed(subtopic): grades for subtopic, grades in subtopics.items()}
                for topic, subtopics in SUBTOPICS.items()
            },
            {
                renamed(name): {renamed(topic): results for topic, results in run.items()}
                for name, run in RUNS.items()
            },
        ),
        "one topic": (one_topic, RUNS),
        "two topics": ({topic: SUBTOPICS[topic] for topic in list(SUBTOPICS)[:2]}, RUNS),
        "one run": (SUBTOPICS, {"alone": same}),
        "two runs": (SUBTOPICS, dict(list(RUNS.items())[:2])),
        "equal runs": (SUBTOPICS, {"a": same, "b": same, "c": same}),
        "nothing relevant": (
            {topic: {"1": dict.fromkeys(grades, 0)} for topic, grades in QRELS.items()},
            RUNS,
        ),
        "nothing found": (SUBTOPICS, {name: {first: {"unjudged": 1.0}} for name in "abc"}),
    }


@functools.cache
def campaign(threads=None):
    """The small campaign; it is never changed."""
    from rankgauge.studies import Campaign

    return Campaign(SUBTOPICS, RUNS, threads=threads)
