"""trec_eval's values on real runs, by the names of ir_measures: of the drop-in, and inside ir_measures."""

import csv
import functools
import random
import re

import pytest

from agreement.sets import QRELS, lines
from cases import THOROUGH
from rankgauge.compat import ir_measures as compat
from rankgauge.errors import MeasureError

# trec_eval 9.0.4 prints the same as version 10 but for the values in a file of their own.
BOTH, NINE = "trec_eval_10.0-rc3.all_trec.q.tsv.gz", "trec_eval_9.0.4.differs.tsv.gz"
LEVEL_2 = "trec_eval_10.0-rc3.l2.q.tsv.gz"
VALUES = {"ntcir13_www_english": 12_800, "trec_covid_rnd1": 28_800, "trec_dl_2019_passage": 35_776}


@functools.cache
def measure(name):
    """ir_measures' measure for one of trec_eval's names; None if it has none."""
    try:
        found = compat.parse_trec_measure(re.sub(r"iprec_at_recall_(.*)", r"iprec_at_recall.\1", name))
    except MeasureError:
        return None
    return found[0] if len(found) == 1 else None


@functools.cache
def expected(folder, files, **params):
    """{run: {(topic, measure): printed value}} of the measures that ir_measures has; for topics alone."""
    values = {}
    for file in files:
        for run, name, topic, value, *_ in (line.split("\t") for line in lines(folder / "expected" / file)):
            if topic != "all" and measure(name) is not None:
                values.setdefault(run, {})[topic, str(measure(name)(**params))] = value
    return values


def rows(path):
    return [line.split() for line in lines(path)]


@pytest.fixture(params=["compat", "provider"])
def tool(request):
    """Our drop-in, and ir_measures itself with rankgauge in it."""
    return compat if request.param == "compat" else request.getfixturevalue("answered")


def compare(tool, folder, by_run, at_least):
    """Compare the values of all runs with those expected; a difference in any digit fails."""
    qrels = {}
    for topic, _, doc, grade in rows(folder / QRELS[folder.name]):
        qrels.setdefault(topic, {})[doc] = int(grade)
    texts = {text for of_run in by_run.values() for _, text in of_run}
    ours = [compat.parse_measure(text) for text in sorted(texts)]
    evaluator = tool.evaluator([getattr(tool, each.NAME)(**each.params) for each in ours], qrels)
    compared, differing = 0, []
    for run, values in by_run.items():
        results = {}
        for topic, _, doc, _, score, _ in rows(folder / "runs" / f"{run}.run.gz"):
            results.setdefault(topic, {})[doc] = float(score)
        found = {(m.query_id, str(m.measure)): m.value for m in evaluator.iter_calc(results)}
        compared += len(values)
        differing += [
            (run, key, found[key], value)
            for key, value in values.items()
            if f"{found[key]:.{4 if '.' in value else 0}f}" != value
        ]
    assert not differing, f"{len(differing)} of {compared} differ: {differing[:5]}"
    assert compared >= at_least


@pytest.mark.parametrize("name", VALUES)
def test_values_are_those_of_trec_eval(name, tool, data):
    if not THOROUGH and tool is not compat and name != "ntcir13_www_english":
        pytest.skip("ir_measures itself evaluates one collection; `make thorough` all")
    compare(tool, data / name, expected(data / name, (BOTH, NINE)), VALUES[name])


def test_values_at_the_second_level_of_relevance_are_those_of_trec_eval(tool, data):
    folder = data / "trec_dl_2019_passage"
    compare(tool, folder, expected(folder, (LEVEL_2,), rel=2), 7 * 559)


DIVERSITY = {
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
    "MAP-IA": "AP_IA",
    **{
        f"{theirs}@{k}": f"{ours}@{k}"
        for theirs, ours in (
            ("ERR-IA", "ERR_IA"),
            ("nERR-IA", "nERR_IA"),
            ("alpha-nDCG", "alpha_nDCG"),
            ("P-IA", "P_IA"),
            ("strec", "StRecall"),
        )
        for k in (5, 10, 20)
    },
}


def test_values_of_diversity_are_those_of_ndeval(tool, data):
    folder = data / "trec_web_2012"
    ours = {column: compat.parse_measure(text) for column, text in DIVERSITY.items()}
    measures = [getattr(tool, each.NAME)(**each.params) for each in ours.values()]
    qrels = tool.read_trec_qrels(str(folder / "qrels-for-ndeval.txt.gz"))
    evaluator = tool.evaluator(measures, qrels)
    printed = csv.DictReader(lines(folder / "expected" / "ndeval_4.5.csv.gz"))
    by_run = {}
    for row in printed:
        if row["options"] == "-traditional" and row["topic"] != "amean":
            by_run.setdefault(row["run"], []).append(row)
    compared = 0
    for run, of_topics in by_run.items():
        results = tool.read_trec_run(str(folder / "runs" / f"{run}.run.gz"))
        found = {(m.query_id, str(m.measure)): m.value for m in evaluator.iter_calc(results)}
        for row in of_topics:
            for column, measure_ in ours.items():
                assert found[row["topic"], str(measure_)] == pytest.approx(float(row[column]), abs=0.51e-6)
                compared += 1
    assert compared >= 3_000


def campaign(seed):
    """Judgments and a run without ties, and without documents scored below 0, which it takes for 0."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for topic in range(1, 13):
        docs = [f"d{n}" for n in range(40)]
        qrels[str(topic)] = {doc: rng.choice([-1, 0, 0, 1, 2, 3, 4]) for doc in rng.sample(docs, 20)}
        if topic != 7:  # which has no results
            ranked = rng.sample(docs, rng.choice([5, 30]))
            run[str(topic)] = {doc: float(len(ranked) - rank) for rank, doc in enumerate(ranked)}
            run[str(topic)]["unjudged"] = 0.5  # without a non-relevant one, its Accuracy divides by 0
    return qrels, run


OWN = {
    "judged": ["Judged", "Judged@5", "Judged@100"],
    "accuracy": ["Accuracy", "Accuracy(rel=2)@10"],
    "compat": ["Compat", "Compat(p=0.8)", "Compat(normalize=False)"],
    "msmarco": ["RR", "RR@3", "RR(rel=2)@10"],
    "gdeval": ["ERR@20", "ERR@5", "nDCG(dcg='exp-log2')@10"],
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("provider", OWN)
def test_values_are_those_of_ir_measures_where_it_needs_no_other_package(provider, seed):
    ir_measures = pytest.importorskip("ir_measures")
    program = ir_measures.providers.registry[provider]
    if not program.is_available():
        pytest.skip("gdeval is written in Perl")
    qrels, run = campaign(seed)
    ours = [compat.parse_measure(text) for text in OWN[provider]]
    theirs = [getattr(ir_measures, each.NAME)(**each.params) for each in ours]
    expected = {(m.query_id, str(m.measure)): m.value for m in program.iter_calc(theirs, qrels, run)}
    found = {(m.query_id, str(m.measure)): m.value for m in compat.iter_calc(ours, qrels, run)}
    digits = 5.1e-6 if provider == "gdeval" else 1e-12  # it prints five
    assert found == pytest.approx(expected, abs=digits)
    assert program.calc_aggregate(theirs, qrels, run)[theirs[0]] == pytest.approx(
        compat.calc_aggregate(ours, qrels, run)[ours[0]], abs=digits
    )
