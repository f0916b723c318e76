"""A small campaign of five runs, made without the simulator, for tests that need some runs of any kind."""

import functools

from rankgauge.campaigns.campaign import Campaign
from rankgauge.testing.examples import large_campaign


def highest(by_subtopic):
    """{document: its highest grade for any subtopic}."""
    found = {}
    for grades in by_subtopic.values():
        for doc, grade in grades.items():
            found[doc] = max(grade, found.get(doc, 0))
    return found


SUBTOPICS, RUNS = large_campaign()
QRELS = {topic: highest(by_subtopic) for topic, by_subtopic in SUBTOPICS.items()}


def write(folder):
    """The judgments and runs as TREC files: qrels.txt and runs/NAME.run."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    grades = (f"{t} 0 {doc} {grade}\n" for t, judged in QRELS.items() for doc, grade in judged.items())
    (folder / "qrels.txt").write_text("".join(grades))
    for name, run in RUNS.items():
        rows = (
            f"{t} Q0 {doc} 1 {score!r} {name}\n" for t, docs in run.items() for doc, score in docs.items()
        )
        (folder / "runs" / f"{name}.run").write_text("".join(rows))


@functools.cache
def campaign():
    """The campaign; it is never changed."""
    return Campaign(SUBTOPICS, RUNS)
