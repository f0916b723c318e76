"""Agreement of sets of judgments: of two, of several, and the order of runs by each."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankgauge
from extensions.judging import slow
from extensions.studies import small
from extensions.studies.slow_judgments import means, tau_b
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.judging import agreement
from rankgauge.extensions.judging.assessors import (
    SCALES,
    WEIGHTS,
    fleiss_kappa,
    kappa,
    krippendorff_alpha,
    unique_names,
)

DOCS = [f"d{n}" for n in range(8)]
MEASURES = ["AP", "nDCG@10", "Bpref", "ESL"]
DISTANCES = {
    "none": lambda a, b: a != b,
    "linear": lambda a, b: abs(a - b),
    "quadratic": lambda a, b: (a - b) ** 2,
}


def judged():
    docs = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 0, 1, 1, 2, 3.5]), min_size=1)
    return st.dictionaries(st.sampled_from(["t1", "t10", "t2"]), docs, min_size=1)


def share(part, whole):
    return part / whole if whole else math.nan


def same(value):
    return pytest.approx(value, abs=1e-12, nan_ok=True)


@given(judged(), judged(), st.sampled_from([1, 2, 0.5]))
def test_coefficients_are_those_of_the_definitions(first, second, rel):
    by_topic = slow.in_both(first, second)
    pairs = [pair for both in by_topic.values() for pair in both]
    assume(pairs)
    found = agreement(first, second, rel=rel).agreement
    assert found.documents == len(pairs)
    assert found.alone == tuple(sum(map(len, qrels.values())) - len(pairs) for qrels in (first, second))
    assert found.left_out == (len(first.keys() - second.keys()), len(second.keys() - first.keys()))
    assert found.same == same(sum(a == b for a, b in pairs) / len(pairs))
    for weights, distance in DISTANCES.items():
        assert found.kappa(weights) == same(slow.kappa(pairs, distance))
    relevant = [(a >= rel, b >= rel) for a, b in pairs]
    assert found.binary_kappa() == same(slow.kappa(relevant))
    both, neither = relevant.count((True, True)), relevant.count((False, False))
    differ = len(pairs) - both - neither
    assert found.positive() == same(share(2 * both, 2 * both + differ))
    assert found.negative() == same(share(2 * neither, 2 * neither + differ))
    overlaps = [
        share(sum(a >= rel and b >= rel for a, b in topic), sum(a >= rel or b >= rel for a, b in topic))
        for topic in by_topic.values()
    ]
    defined = [overlap for overlap in overlaps if not math.isnan(overlap)]
    assert found.overlap() == same(share(sum(defined), len(defined)))
    cosines = [
        share(_product(topic, 0, 1), _length(topic, 0) * _length(topic, 1)) for topic in by_topic.values()
    ]
    defined = [cosine for cosine in cosines if not math.isnan(cosine)]
    assert found.relative_relevance() == same(share(sum(defined), len(defined)))


def _product(pairs, one, other):
    return sum(max(pair[one], 0) * max(pair[other], 0) for pair in pairs)


def _length(pairs, one):
    return math.sqrt(_product(pairs, one, one))


@given(judged(), judged())
def test_tables_count_documents_by_grade_and_topic(first, second):
    by_topic = slow.in_both(first, second)
    pairs = [pair for both in by_topic.values() for pair in both]
    assume(pairs)
    found = agreement(first, second)
    levels = sorted({grade for pair in pairs for grade in pair})
    counts = [[row[0], *row[1:-2:2]] for row in found.table("grades").rows[:-1]]
    assert counts == [[f"{a:g}", *(pairs.count((a, b)) for b in levels)] for a in levels]
    for topic, documents, one, other, both, _, value, _ in found.table("topics").rows:
        relevant = [(a >= 1, b >= 1) for a, b in by_topic[topic]]
        assert (documents, one, other) == (len(relevant), *(sum(r[i] for r in relevant) for i in (0, 1)))
        assert both == relevant.count((True, True))
        assert value == same(slow.kappa(relevant))
    assert [row[0] for row in found.table("topics").rows] == sorted(by_topic, key=str.encode)


def test_table_1_of_cumulated_gain_has_its_percentages():
    """Järvelin & Kekäläinen 2002, table I: new judgments by the original ones (irrelevant, relevant)."""
    counts = {0: (2780, 691), 1: (134, 1004), 2: (40, 724), 3: (11, 353)}
    pairs = [(new, old) for new, row in counts.items() for old in (0, 1) for _ in range(row[old])]
    new, old = ({"q": {f"d{n}": pair[side] for n, pair in enumerate(pairs)}} for side in (0, 1))
    found = agreement(new, old)
    rows = found.records("grades")
    printed = [[row["1"], row["1, %"].text, row["0"], row["0, %"].text] for row in rows]
    assert printed == [
        [691, "24.9", 2780, "93.8"],  # 25.0 in the paper, which is rounded so that the column adds up
        [1004, "36.2", 134, "4.5"],
        [724, "26.1", 40, "1.3"],
        [353, "12.7", 11, "0.4"],
        [2772, "100.0", 2965, "100.0"],
    ]
    assert [row["total, %"].text for row in rows] == ["60.5", "19.8", "13.3", "6.3", "100.0"]  # 6.4 there
    assert rows[0]["3"] == 0
    assert rows[0]["3, %"] is None  # no document has this grade there
    assert "the documents in each column" in repr(found)


def test_kappa_of_a_textbook():
    # 50 proposals, two readers: 20 yes-yes, 15 no-no; 0.7 observed and 0.5 by chance.
    assert kappa(np.array([[20, 5], [10, 15]])) == pytest.approx(0.4, abs=1e-15)
    # Fleiss (1981), two raters and three diagnoses, in per cent.
    assert kappa(np.array([[75, 1, 4], [5, 4, 1], [0, 0, 10]])) == pytest.approx(0.676, abs=5e-4)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_statsmodels(seed):
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    counts = np.random.default_rng(seed).integers(0, 40, (4, 4))
    apart = np.abs(np.arange(4)[:, None] - np.arange(4))
    expected = {
        None: (apart > 0).astype(float),
        "linear": apart.astype(float),
        "quadratic": (apart * apart).astype(float),
    }
    for name, weights in expected.items():
        theirs = inter_rater.cohens_kappa(counts, wt=name, return_results=False)
        assert kappa(counts, weights) == pytest.approx(theirs, abs=1e-12)


def test_kappa_of_one_grade_is_undefined():
    found = agreement({"q1": {"d1": 1, "d2": 1}}, {"q1": {"d1": 1, "d2": 1, "d3": 0}})
    assert all(math.isnan(found.agreement.kappa(weights)) for weights in WEIGHTS)
    assert found.agreement.same == 1
    assert "All these documents have a single grade in both, so kappa is undefined." in found.sentences


def changed(qrels):
    """Other judgments: some grades differ, some documents are judged here or there alone, topics too."""
    topics = sorted(qrels)
    other = {
        topic: {
            doc: (grade + (place % 3 == 0)) % 4
            for place, (doc, grade) in enumerate(sorted(qrels[topic].items()))
            if place % 5
        }
        for topic in topics[1:]
    }
    other[topics[1]]["new"] = 2
    return other | {"elsewhere": {"d": 1}}


@pytest.mark.parametrize("rules", [{}, {"ties": "average"}, {"missing": "skip", "undefined": "skip"}])
def test_the_order_of_runs_is_compared_on_the_topics_of_both(rules):
    other = changed(small.QRELS)
    second = sorted(small.QRELS)[1]
    runs = {name: {**run, "elsewhere": {"d": 1.0}} for name, run in small.RUNS.items()}
    first = next(iter(runs.values()))
    first[second] = {"new": 1e9, **first[second]}
    found = agreement(small.QRELS, other, runs, measures=MEASURES, **rules)
    common = small.QRELS.keys() & other.keys()
    assert found.settings["topics"] == len(common) == len(small.QRELS) - 1
    judgments = [{topic: qrels[topic] for topic in common} for qrels in (small.QRELS, other)]
    if rules:
        scores = [rankgauge.evaluate(qrels, runs, MEASURES, **rules).mean() for qrels in judgments]
    else:
        scores = None
    orders = {row[0]: row[1:] for row in found.table("orders").rows}
    assert list(orders) == MEASURES
    for measure, run, *values, rank, other_rank in found.table("runs").rows:
        sign = -1 if measure == "ESL" else 1
        both = (
            [{name: sign * mean[measure] for name, mean in each.items()} for each in scores]
            if scores
            else [means(qrels, runs, measure) for qrels in judgments]
        )
        assert values == [sign * each[run] for each in both]
        assert [rank, other_rank] == [1 + sum(v > each[run] for v in each.values()) for each in both]
        tau, swapped, pairs, *best = orders[measure]
        assert tau == pytest.approx(tau_b(*both), abs=1e-12)
        names = list(runs)
        differ = [
            (both[0][a] - both[0][b]) * (both[1][a] - both[1][b]) < 0
            for place, a in enumerate(names)
            for b in names[place + 1 :]
        ]
        assert (swapped, pairs) == (sum(differ), len(differ))
        assert best == [max(each, key=each.get) for each in both]


def test_equal_judgments_keep_the_order_of_runs():
    found = agreement(small.QRELS, small.QRELS, small.RUNS, measures=["AP", "P@10"])
    assert [row[1] for row in found.table("orders").rows] == [1.0, 1.0]
    assert found.sentences[-1] == "On P@10, τ between the two orders of runs is 1.000."


def test_threads_do_not_show():
    one, two = (
        agreement(small.QRELS, changed(small.QRELS), small.RUNS, threads=threads).as_dict()
        for threads in (1, 3)
    )
    assert one == two


@pytest.mark.parametrize(
    ("other", "rel", "error", "message"),
    [
        ({"q2": {"d1": 1}}, 1, InputError, "have no judged document in common"),
        ({"q1": {"d2": 1}}, 1, InputError, "have no judged document in common"),
        ([], 1, OptionError, "at least two sets of judgments"),
        ([{"q1": {"b": 1}}, {"q1": {"c": 1}}], 1, InputError, r"no two of qrels \(1\), .* have a judged doc"),
        *(
            ({"q1": {"d1": 1}}, rel, OptionError, "rel must be a grade")
            for rel in ("1", None, math.nan, True)
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(other, rel, error, message):
    with pytest.raises(error, match=message):
        agreement({"q1": {"d1": 1}}, other, rel=rel)


def test_sets_of_one_name_get_different_names():
    found = agreement({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0, "d2": 1}})
    assert found.settings["first"] == "qrels (1)"
    assert found.sentences[0].startswith("Judged in both: 2 documents of 1 topic; only in qrels (1): 0")
    assert "kappa is -1.000, that of relevant or not -1.000" in found.sentences[1]


NAN = math.nan


def several():
    return st.integers(3, 4).flatmap(lambda count: st.lists(judged(), min_size=count, max_size=count))


def relevant(grades, rel):
    return [int(grade >= rel) for grade in grades]


@given(several(), st.sampled_from([1, 2, 0.5]))
def test_coefficients_of_several_sets_are_those_of_the_definitions(judgments, rel):
    units = slow.panel(judgments)
    assume(units)
    first, *others = judgments
    found = agreement(first, others, rel=rel).panel
    grades = [list(unit.values()) for unit in units.values()]
    complete = [unit for unit in grades if len(unit) == len(judgments)]
    assert (found.documents, found.in_all) == (len(grades), len(complete))
    for scale in SCALES:
        assert found.alpha(scale) == same(slow.alpha(grades, scale))
    assert found.binary_alpha() == same(slow.alpha([relevant(unit, rel) for unit in grades], "nominal"))
    assert found.fleiss() == same(slow.fleiss(complete) if complete else NAN)
    binary = [relevant(unit, rel) for unit in complete]
    assert found.binary_fleiss() == same(slow.fleiss(binary) if binary else NAN)


@given(several())
def test_every_topic_and_every_two_sets_are_compared(judgments):
    units = slow.panel(judgments)
    assume(units)
    first, *others = judgments
    findings = agreement(first, others)
    topics = sorted({topic for topic, _ in units})
    assert [row[0] for row in findings.table("topics").rows] == topics
    for topic, documents, *alphas, binary in findings.table("topics").rows:
        grades = [list(unit.values()) for (t, _), unit in units.items() if t == topic]
        assert documents == len(grades)
        assert alphas == [same(slow.alpha(grades, scale)) for scale in SCALES]
        assert binary == same(slow.alpha([relevant(unit, 1) for unit in grades], "nominal"))
    pairs = {(one, other): row for one, other, *row in findings.table("pairs").rows}
    for a, b in itertools.combinations(range(len(judgments)), 2):
        both = [pair for topic in slow.in_both(judgments[a], judgments[b]).values() for pair in topic]
        row = pairs.get((f"qrels ({a + 1})", f"qrels ({b + 1})"))
        assert (row is not None) == bool(both)
        if both:
            assert row[:3] == [
                len(both),
                same(sum(x == y for x, y in both) / len(both)),
                same(slow.kappa(both)),
            ]


def test_alpha_of_krippendorffs_example():
    """Four observers, twelve units, some of them missing (Krippendorff 2011)."""
    grades = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
            [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
        ]
    )
    expected = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}
    for scale, value in expected.items():
        assert krippendorff_alpha(grades, scale) == pytest.approx(value, abs=5e-4)


FLEISS = [  # ten subjects and fourteen raters: how many chose each of five categories
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]


def test_kappa_of_an_example_of_fleiss():
    grades = np.array([np.repeat(np.arange(5.0), counts) for counts in FLEISS]).T
    assert fleiss_kappa(grades) == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize("seed", range(3))
def test_fleiss_kappa_is_that_of_statsmodels(seed):
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    grades = np.random.default_rng(seed).integers(0, 4, (5, 40)).astype(float)
    counts, _ = inter_rater.aggregate_raters(grades.T)
    assert fleiss_kappa(grades) == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-12)


def test_runs_are_put_in_order_by_every_set():
    other = changed(small.QRELS)
    third = {topic: {doc: 3 - grade for doc, grade in docs.items()} for topic, docs in other.items()}
    found = agreement(small.QRELS, [other, third], small.RUNS, measures="AP nDCG@10")
    rows = {(measure, one, two): row for measure, one, two, *row in found.table("orders").rows}
    assert len(rows) == 2 * 3
    common = agreement(small.QRELS, other, small.RUNS, measures="AP nDCG@10").table("orders").rows
    for measure, *row in common:
        assert rows[measure, "qrels (1)", "qrels (2)"] == row
    assert found.table("runs").headers == (
        "measure",
        "run",
        *(f"{w} {n}" for w in ("mean", "rank") for n in (1, 2, 3)),
    )
    assert "On AP, τ between two orders of runs is" in found.sentences[-2]


def test_further_files_of_judgments_are_recognised_by_their_content(write, invoke):
    files = [
        str(write(name, text))
        for name, text in {
            "anna.qrels": "q1 0 a 1\nq1 0 b 0\n",
            "ben.txt": "q1 0 a 1\nq1 0 b 1\n",
            "x.run": "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\n",
            "carol.txt": "q1 0 a 1\nq1 0 b 0\n",
            "y.run": "q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\n",
        }.items()
    ]
    found = json.loads(invoke("agreement", *files, "-m", "AP", "--format", "json").out)
    assert found["title"] == "Agreement of 3 sets of judgments"
    assert found["settings"]["sets"] == ["anna", "ben", "carol"]
    assert [row["run"] for row in found["tables"]["runs"]] == ["x", "y"]
    assert (
        invoke("agreement", *files[:2], files[3], "--table", "pairs", "--format", "tsv").out.count("\n") == 4
    )


def test_names_of_sets_differ_whatever_they_are_called():
    assert unique_names("a", "b") == ("a", "b")
    assert unique_names("x", "x", "x (1)") == ("x (1)", "x (2)", "x (1) (3)")


def test_repeated_labels_are_reported():
    labels = [("q1", "d1", 1), ("q1", "d1", 0), ("q1", "d1", 1), ("q1", "d2", 0)]
    found = agreement(labels, {"q1": {"d1": 1, "d2": 0}}, duplicates="majority")
    note = "2 repeated labels of documents were combined with the others (duplicates=majority)"
    assert found.sentences[-1] == f"qrels: {note}."
    campaign = Campaign(labels, {"a": {"q1": {"d1": 1}}}, duplicates="majority")
    assert campaign.notes == (f"the judgments: {note}",)
