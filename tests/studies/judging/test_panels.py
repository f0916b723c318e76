"""Agreement of more than two sets of judgments: Krippendorff's alpha, Fleiss' kappa, every two of them."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rankgauge.cli.main import main
from rankgauge.errors import InputError, OptionError
from rankgauge.studies.judging import agreement
from rankgauge.studies.judging.assessors import SCALES, fleiss_kappa, krippendorff_alpha, unique_names
from studies import small
from studies.judging import slow
from studies.judging.test_agreement import changed, judged, same

GRADES = [-1, 0, 0, 1, 1, 2, 3.5, math.nan]
NAN = math.nan


def several():
    return st.integers(3, 4).flatmap(lambda count: st.lists(judged(), min_size=count, max_size=count))


def relevant(grades, rel):
    return [int(grade >= rel) for grade in grades]


@given(several(), st.sampled_from([1, 2, 0.5]))
def test_coefficients_are_those_of_the_definitions(judgments, rel):
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
    assert "By AP, τ between two orders of runs is" in found.sentences[-2]


def test_one_set_of_judgments_has_nothing_to_agree_with():
    with pytest.raises(OptionError, match="at least two sets of judgments"):
        agreement({"q": {"d": 1}}, [])
    with pytest.raises(
        InputError, match=r"no two of qrels \(1\), qrels \(2\), qrels \(3\) have a judged document"
    ):
        agreement({"q": {"a": 1}}, [{"q": {"b": 1}}, {"q": {"c": 1}}])


def test_further_files_of_judgments_are_recognised_by_their_content(write, capsys):
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
    assert main(["agreement", *files, "-m", "AP", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["title"] == "Agreement of 3 sets of judgments"
    assert found["settings"]["sets"] == ["anna", "ben", "carol"]
    assert [row["run"] for row in found["tables"]["runs"]] == ["x", "y"]
    assert main(["agreement", *files[:2], files[3], "--table", "pairs", "--format", "tsv"]) == 0
    assert capsys.readouterr().out.count("\n") == 4


def test_names_of_sets_differ_whatever_they_are_called():
    assert unique_names("a", "b") == ("a", "b")
    assert unique_names("x", "x", "x (1)") == ("x (1)", "x (2)", "x (1) (3)")
