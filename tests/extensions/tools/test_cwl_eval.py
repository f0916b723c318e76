"""Measures of costs and goals: what cwl_eval 1.0.12 computed, and computes where it is installed."""

import zlib

import numpy as np
import pytest

import rankgauge
from rankgauge.schema.extensions import is_installed

GRADES = [2, 0, 3, None, 1, 0, None, None, 3, 0, 2]
DOCS = [f"d{n}" for n in range(len(GRADES))]
COSTS = {doc: 5.0 + zlib.crc32(doc.encode()) % 400 / 10 for doc in DOCS[:-2]}
JUDGED = {"t": {doc: grade for doc, grade in zip(DOCS, GRADES, strict=True) if grade is not None}}
RUN = {"t": {doc: -float(rank) for rank, doc in enumerate(DOCS)}}
# {measure: EU, ETU, EC, ETC and ED, by cwl_eval's classes with max_cost=20 where there are costs}
RECORDED = {
    "TBG(halflife=60,cost=20)@1000": [
        0.3364874630934865,
        1.7466062534675442,
        19.05873606736354,
        98.92822541562604,
        5.19070231446419,
    ],
    "U_measure(L=300,cost=20)@1000": [
        0.31151089659207254,
        2.366444444444445,
        21.504616059675293,
        163.3634,
        7.596666666666668,
    ],
    "NPV(rate=0.2)@1000": [0.31035009464538393, 1.862100567872304, 1.0, 6.000000000000001, 6.000000000000002],
    "IFT(T=1.5,R1=10,A=0.3,b2=0.5,R2=5)": [
        0.49470846843347177,
        1.3200711160244685,
        1.0,
        2.668381886011704,
        2.6683818860117032,
    ],
    "IFT(T=1.5,R1=10,b2=0)": [
        0.5285397373213336,
        1.6731654036054002,
        0.9999999999999999,
        3.165637861185401,
        3.165637861185401,
    ],
}
CLASSES = {
    "TBG(halflife=60,cost=20)@1000": ("tbg", "TBGCWLMetric", (60,)),
    "U_measure(L=300,cost=20)@1000": ("umeasure", "UMeasureCWLMetric", (300,)),
    "NPV(rate=0.2)@1000": ("npv", "NPVCWLMetric", (0.2,)),
    "IFT(T=1.5,R1=10,A=0.3,b2=0.5,R2=5)": ("ift", "IFTGoalRateCWLMetric", (1.5, 0.9, 10, 0.3, 0.5, 5)),
    "IFT(T=1.5,R1=10,b2=0)": ("ift", "IFTGoalCWLMetric", (1.5, 0.9, 10)),
}


def of_cwl_eval(measure):
    from importlib import import_module

    ranking = pytest.importorskip("cwl.ruler.ranking")
    module, name, settings = CLASSES[measure]
    timed = "cost=" in measure
    gains = np.array([np.nan if grade is None else grade / 3 for grade in GRADES])
    costs = np.array([COSTS.get(doc, 20.0) if timed else 1.0 for doc in DOCS])
    metric = getattr(import_module(f"cwl.ruler.measures.cwl_{module}"), name)(*settings)
    metric.measure(ranking.Ranking("t", gains, costs, max_cost=20.0 if timed else 1.0))
    return [*map(float, metric.get_scores())]


def values(measure):
    timed = "cost=" in measure
    if timed and not is_installed("tools"):
        pytest.skip("costs are added to judgments by an extension")
    qrels = rankgauge.with_costs(JUDGED, COSTS, [RUN]) if timed else JUDGED
    inside, _, cutoff = measure.partition(")")
    texts = [f"{inside},value={value}){cutoff}" for value in ("EU", "ETU", "EC", "ETC", "ED")]
    return rankgauge.evaluate(qrels, RUN, texts).values[0, :, 0].tolist()


@pytest.mark.parametrize("measure", RECORDED)
def test_values_are_those_recorded(measure):
    assert values(measure) == pytest.approx(RECORDED[measure], rel=1e-12)


@pytest.mark.parametrize("measure", CLASSES)
def test_values_are_those_of_cwl_eval(measure):
    expected = of_cwl_eval(measure)
    assert values(measure) == pytest.approx(expected, rel=1e-12)


@pytest.mark.skipif(not is_installed("tools"), reason="costs are added to judgments by an extension")
def test_costs_change_no_other_measure(tmp_path):
    (tmp_path / "costs.tsv").write_text("".join(f"{doc} {cost}\n" for doc, cost in COSTS.items()))
    timed = rankgauge.with_costs(JUDGED, tmp_path / "costs.tsv", [RUN], fixed=1, per_unit=2)
    assert timed.to_dict()["t"]["cost"] == {doc: -1 - 2 * cost for doc, cost in COSTS.items()}
    others = "nDCG AP Bpref Judged@5 RR RBP P@5"
    assert (
        rankgauge.evaluate(timed, RUN, others).values == rankgauge.evaluate(JUDGED, RUN, others).values
    ).all()
    with pytest.raises(rankgauge.errors.InputError, match='the cost of document "x" is no number from 0 on'):
        rankgauge.with_costs(JUDGED, {"x": -1})
    with pytest.raises(
        rankgauge.errors.InputError, match="no document that is judged or retrieved has a cost"
    ):
        rankgauge.with_costs(JUDGED, {"x": 1})
