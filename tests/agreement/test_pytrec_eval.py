"""pytrec_eval's values, all digits, on random runs with ties and odd judgments."""

import random

import pytest

import rankgauge
from agreement.sets import printed
from agreement.test_trec_eval import measure

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
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_campaign(seed)
    names = {n for n in pytrec_eval.supported_measures if not n.startswith(PASSED_OVER)}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    ours = {name: str(measure(name, version=9)) for name in next(iter(theirs.values()))}
    assert len(ours) > 85
    found = rankgauge.evaluate(qrels, run, ours.values(), score_precision="single").to_dict()["run"]
    compared = [
        (topic, name, printed(found[ours[name]][topic]), value)
        for topic, values in theirs.items()
        for name, value in values.items()
    ]
    record_property("values compared", len(compared))
    assert not [row for row in compared if row[2] != pytest.approx(row[3], rel=1e-12, abs=1e-15)]


@pytest.mark.parametrize("seed", range(4))
def test_random_runs_have_the_accuracy_and_the_judged_share_of_ir_measures(seed, record_property):
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = random_campaign(seed)
    rng = random.Random(seed)
    for topic, judged in qrels.items():  # it takes grades below 0 for judged, and other rules for ties
        qrels[topic] = {doc: max(grade, 0) for doc, grade in judged.items()}
        run[topic] = {doc: rng.random() for doc in run[topic]}
        run[topic]["never judged"] = -1.0  # without another document, it divides by 0
    texts = ["Accuracy", "Accuracy@10", "Judged@5", "Judged@100"]
    theirs = [
        (row.query_id, str(row.measure), row.value)
        for measure_ in texts
        for row in quietly(ir_measures, measure_, qrels, run)
    ]
    found = rankgauge.evaluate(qrels, run, texts).to_dict()["run"]
    record_property("values compared", len(theirs))
    assert len(theirs) > 40
    assert not [row for row in theirs if found[row[1]][row[0]] != pytest.approx(row[2], rel=1e-12)]


def quietly(ir_measures, text, qrels, run):
    """The values of a measure by topic; those of a topic that ir_measures stumbles over are left out."""
    for topic in qrels:
        try:
            yield from ir_measures.iter_calc(
                [ir_measures.parse_measure(text)], {topic: qrels[topic]}, {topic: run[topic]}
            )
        except ZeroDivisionError:
            continue
