"""A small campaign of five runs, made without the simulator, for tests that need some runs of any kind."""

import functools
import random

from rankgauge.campaigns.campaign import Campaign

DEPTH = 30


def made(topics=12, judged=25, subtopics=4, systems=("bm25", "ql", "rm3", "dense", "hybrid"), seed=3):
    """({topic: {subtopic: {document: grade}}}, {run: {topic: {document: score}}})."""
    rng = random.Random(seed)
    qrels, runs = {}, {name: {} for name in systems}
    for topic in map(str, range(101, 101 + topics)):
        docs = [f"D{topic}-{number}" for number in range(2 * DEPTH)]
        grades = {doc: rng.choice([0, 0, 0, 1, 1, 2, 3]) for doc in docs[:judged]}
        qrels[topic] = {str(number): {} for number in range(1, subtopics + 1)}
        for doc, grade in grades.items():
            for subtopic in rng.sample(list(qrels[topic]), rng.randint(1, 2)):
                qrels[topic][subtopic][doc] = grade
        for number, name in enumerate(systems, 1):
            worth = {doc: number * grades.get(doc, 0) + rng.gauss(0, 4) for doc in docs}
            best = sorted(docs, key=worth.get, reverse=True)[:DEPTH]
            runs[name][topic] = {doc: round(worth[doc], 2) for doc in best}
    return qrels, runs


def highest(by_subtopic):
    """{document: its highest grade for any subtopic}."""
    found = {}
    for grades in by_subtopic.values():
        for doc, grade in grades.items():
            found[doc] = max(grade, found.get(doc, 0))
    return found


SUBTOPICS, RUNS = made()
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
