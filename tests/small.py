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


def made(**sizes):
    """(judgments, {run: results}) of `large_campaign`."""
    by_subtopic, runs = large_campaign(**sizes)
    return {topic: highest(judged) for topic, judged in by_subtopic.items()}, runs


SUBTOPICS = large_campaign()[0]
QRELS, RUNS = made()


def write(folder, **sizes):
    """Write judgments and runs as TREC files: qrels.txt and runs/NAME.run."""
    qrels, runs = made(**sizes)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    grades = (f"{t} 0 {doc} {grade}\n" for t, judged in qrels.items() for doc, grade in judged.items())
    (folder / "qrels.txt").write_text("".join(grades))
    for name, run in runs.items():
        rows = (
            f"{t} Q0 {doc} 1 {score!r} {name}\n" for t, docs in run.items() for doc, score in docs.items()
        )
        (folder / "runs" / f"{name}.run").write_text("".join(rows))


@functools.cache
def campaign():
    """The campaign; it is never changed."""
    return Campaign(SUBTOPICS, RUNS)
