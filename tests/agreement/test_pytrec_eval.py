"""pytrec_eval's values, all digits, on random runs with ties and odd judgments."""

import random

import pytest

import rankgauge
from agreement.sets import printed
from agreement.test_trec_eval import measure

pytrec_eval = pytest.importorskip("pytrec_eval")

# Measures of texts or preferences, and averages that say nothing of one topic.
PASSED_OVER = ("runid", "relstring", "prefs", "num_q", "gm_", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg")


def random_campaign(seed):
    """Judgments from -1 to 3 and a run with ties, some topics of which have nothing relevant."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for t in range(20):
        docs = [f"d{n}" for n in range(rng.choice([5, 40, 300]))]
        grades = rng.choice([[0, 0, 1], [-1, 0, 0, 1, 2, 3], [0], [1, 2]])
        qrels[f"t{t}"] = {doc: rng.choice(grades) for doc in docs if rng.random() < 0.5} or {"d0": 0}
        run[f"t{t}"] = {
            doc: float(rng.choice([rng.randrange(5), rng.randrange(1 << 20)]))
            for doc in docs
            if rng.random() < 0.7
        } or {"d0": 1.0}
    return qrels, run


@pytest.mark.parametrize("seed", range(8))
def test_random_runs_have_the_values_of_pytrec_eval(seed, record_property):
    qrels, run = random_campaign(seed)
    names = {n for n in pytrec_eval.supported_measures if not n.startswith(PASSED_OVER)}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    ours = {name: str(measure(name, version=9)) for name in next(iter(theirs.values()))}
    assert len(ours) > 85
    found = rankgauge.evaluate(qrels, run, ours.values(), precision="single").to_dict()["run"]
    compared = [
        (topic, name, printed(found[ours[name]][topic]), value)
        for topic, values in theirs.items()
        for name, value in values.items()
    ]
    record_property("values compared", len(compared))
    assert not [row for row in compared if row[2] != pytest.approx(row[3], rel=1e-12, abs=1e-15)]
