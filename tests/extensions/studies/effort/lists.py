"""Small lists with graded judgments, one topic at a time."""

import random

import rankgauge


def draw(seed, *, most=6, grades=(1, 2, 3), longest=None):
    """({document: grade} of a topic, documents in order, N): some relevant, some not, some not retrieved."""
    rng = random.Random(seed)
    base = rng.randint(1, most)
    relevant = {f"r{n}": rng.choice(grades) for n in range(base)}
    judged = relevant | {f"n{n}": rng.choice([0, -1]) for n in range(rng.randint(0, 4))}
    length = rng.randint(2 * base, longest or 4 * base)
    pool = [*judged, *(f"u{n}" for n in range(length))]
    ranking = rng.sample(pool, rng.randint(0, length))
    return judged, rng.choice([ranking, sorted(ranking, key=lambda d: -judged.get(d, 0))]), length


def run_of(ranking):
    """The documents as results; a run has at least one topic in common with the judgments."""
    return {"q": {doc: float(-rank) for rank, doc in enumerate(ranking)}, "other": {"x": 1.0}}


def qrels_of(judged):
    return {"q": judged, "other": {"x": 0}}


def values(judged, ranking, *texts):
    """The values of measures for the one topic."""
    found = rankgauge.evaluate(qrels_of(judged), run_of(ranking), texts).to_dict()["run"]
    return {text: found[str(rankgauge.parse(text))]["q"] for text in texts}


def vector(judged, ranking, text, depth):
    """The vector of a measure for the one topic."""
    curves = rankgauge.curves(qrels_of(judged), run_of(ranking), text, depth=depth)
    return curves.values[0, 0, curves.topics.index("q")].tolist()
