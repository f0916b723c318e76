"""The values of the Twist authors' own code: the numeric core of MATTERS' twist.m, run under Octave.

It has undefined values where ours are not, which none of these collections comes to: the space ratio of the
full-scale run, 0/0 there and 0 by the paper's prose (`test_the_one_case_that_differs`).
"""

import math

import pytest

import rankgauge
from agreement.sets import evaluated, lines
from rankgauge.extensions.studies import effort

COUNTS = {
    "ntcir13_www_english": 200,
    "trec_covid_rnd1": 450,
    "trec_dl_2019_passage": 559,
    "trec_dl_2021_passage": 3_339,
    "trec_web_2012": 200,
}
RATIOS = {
    "rho": "RecoveryRatio(N=1000,crossing=matters)",
    "sigma": "SpaceRatio(N=1000)",
    "twist": "Twist(N=1000,crossing=matters)",
}
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@pytest.mark.parametrize("name", COUNTS)
def test_twist_and_its_parts_are_those_of_the_authors_code(name, data, agree):
    ours = RATIOS | {f"CRP@{k}": f"CRP(N=1000)@{k}" for k in CUTOFFS}
    by_topic, _ = evaluated(data / name, tuple(ours.values()))
    header, *rows = [line.split("\t") for line in lines(data / name / "expected" / "matters_twist.tsv.gz")]
    assert header[2:] == list(ours)

    def compared(columns):
        for run, topic, *values in rows:
            for column, value in zip(header[2:], values, strict=True):
                if column.startswith("CRP") == columns:
                    yield (run, topic, column), by_topic[run][ours[column]][topic], value

    agree(compared(False), 10, 3 * COUNTS[name])
    agree(compared(True), 0, len(CUTOFFS) * COUNTS[name])


def test_the_one_case_that_differs():
    """The full-scale run: its forward and backward ratios are 0, and so is, by the paper, their mean."""
    qrels = {"q": {"a": 1, "b": 2}}
    run = effort.full_scale_run(qrels, 10)
    found = rankgauge.evaluate(qrels, run, "SpaceRatio ForwardSpaceRatio BackwardSpaceRatio").mean()
    assert found["full-scale"] == {"SpaceRatio": 0, "ForwardSpaceRatio": 0, "BackwardSpaceRatio": 0}


@pytest.mark.parametrize(("name", "count"), [("trec_covid_rnd1", 181), ("trec_dl_2021_passage", 1157)])
def test_the_printed_definition_and_the_code_differ_as_often_as_others_have_counted(name, count, data):
    printed, code = "RecoveryRatio(N=1000,crossing=definition)", RATIOS["rho"]
    by_topic, _ = evaluated(data / name, (printed, code))
    values = [(of[printed][t], of[code][t]) for of in by_topic.values() for t in of[code]]
    assert sum(x != y for x, y in values if not math.isnan(x)) == count
