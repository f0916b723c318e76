"""Numbers that the papers print or state in a sentence, exactly; ORIGIN.md says where they come from."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import rankgauge


def cases(kind):
    path = Path(__file__).parent / f"{kind}.json"
    return [pytest.param(case, id=case["id"]) for case in json.loads(path.read_text(encoding="utf-8"))]


def number(text):
    """A number as the papers write it: 1/2, +13, inf."""
    return math.inf if text == "inf" else float(Fraction(text))


@pytest.mark.parametrize("case", cases("statements"))
def test_a_statement_of_a_paper_holds(case):
    retrieved = {f"d{rank}": grade for rank, grade in enumerate(case["grades"], 1)}
    missed = {f"missed{n}": grade for n, grade in enumerate(case["missed"])}
    run = {document: float(-rank) for rank, document in enumerate(retrieved)}
    scores = rankgauge.evaluate({"1": retrieved | missed}, {"1": run}, case["values"]).to_dict()["run"]
    for measure, printed in case["values"].items():
        assert scores[str(rankgauge.parse(measure))]["1"] == pytest.approx(number(printed), rel=1e-12), (
            measure
        )


@pytest.mark.parametrize("case", cases("gains"))
def test_the_gain_vectors_are_those_of_the_paper(case):
    printed = [number(text) for text in case["gain"]]
    names = sorted({nugget for each in case["nuggets"].values() for nugget in each})
    judged = {name: {doc: int(name in each) for doc, each in case["nuggets"].items()} for name in names}
    run = {document: float(-rank) for rank, document in enumerate(case["ranking"])}
    measure = f"alpha_CG(alpha={number(case['alpha']):g})"
    curves = rankgauge.curves({"1": judged}, {"1": run}, measure, depth=len(printed))
    sums = curves.values[0, 0, 0].tolist()
    assert [now - before for now, before in zip(sums, [0.0, *sums], strict=False)] == printed


def test_the_intervals_of_the_ideal_run_are_those_of_the_paper():
    """S001, section on definitions: min and max of hr are 1 and 2, of fr 3, 4, of pr 5, 7, of nr 8, 15."""
    intervals = {3: (1, 2), 2: (3, 4), 1: (5, 7), 0: (8, 15)}
    relevant = {f"r{n}": grade for n, grade in enumerate([3, 3, 2, 2, 1, 1, 1])}
    for grade, (first, last) in intervals.items():
        inside = []
        for rank in range(1, 16):
            run = {f"x{n}": float(-n) for n in range(1, 16)}
            own = next((doc for doc, other in relevant.items() if other == grade), "not relevant")
            del run[f"x{rank}"]
            run[own] = float(-rank)
            value = rankgauge.evaluate({"1": relevant}, {"1": run}, f"RP(N=15)@{rank}").mean()["run"]
            if next(iter(value.values())) == 0:
                inside.append(rank)
        assert inside == [*range(first, last + 1)]
