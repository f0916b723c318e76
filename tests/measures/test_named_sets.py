"""Named sets of measures: each says what it is, and those of a paper have its settings."""

import json
import math

import pytest

import rankgauge
from rankgauge.errors import MeasureError
from rankgauge.measures import MEASURES, named_set, parse, set_names
from rankgauge.measures.named_sets import SETS, TITLES

# Järvelin & Kekäläinen 2002, section 4: "evaluate down to shallow ranks only (say, 30), [...] (say,
# 0-1-10-100) and a low base"; "down to deep ranks (say, 200), [...] (say, 0-1-2-3) and a high base".
SCENARIOS = {"busy": (30, (0, 1, 10, 100), 2), "patient": (200, (0, 1, 2, 3), 10)}


def slow_dcg(grades, depth, weights, base):
    """The paper's DCG: no discount before the rank of the base, then divided by the logarithm."""
    return math.fsum(
        weights[grade] / (1 if rank < base else math.log(rank, base))
        for rank, grade in enumerate(grades[:depth], 1)
    )


def test_every_set_has_a_title():
    assert {*TITLES} == {*set_names()}
    assert {*SETS} <= {*TITLES}


def test_no_measure_has_the_name_of_a_set():
    names = {name for spec in MEASURES.own().values() for name in (spec.name, *spec.aliases, *spec.trec)}
    assert not names & {*set_names()}


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_users_of_the_paper_have_its_settings(name, cases):
    for _, random in cases(20):
        grades = [random.randrange(4) for _ in range(random.randrange(1, 300))]
        qrels = {"1": {f"d{number}": grade for number, grade in enumerate(grades)} | {"d": 3}}
        run = {"1": {f"d{number}": float(-number) for number in range(len(grades))}}
        values = rankgauge.evaluate(qrels, run, name).mean()["run"]
        dcg, best = (
            slow_dcg(order, *SCENARIOS[name]) for order in (grades, sorted([*grades, 3], reverse=True))
        )
        assert list(values.values()) == pytest.approx([dcg / best, dcg], rel=1e-12)
        assert list(values) == [str(measure) for measure in named_set(name)]


@pytest.mark.parametrize("name", ["busy", "graded", "official"])
def test_one_measure_cannot_be_a_set(name):
    first = named_set(name)[0]
    with pytest.raises(MeasureError) as error:
        parse(name)
    assert str(error.value) == f"{name} is a set of measures, such as {first}; name one of them"


def test_the_command_describes_sets(invoke):
    page = invoke("measures", "--help", "--all").out
    assert all(f"\n  {name} " in page for name in set_names())
    for name in set_names():
        texts = [str(measure) for measure in named_set(name)]
        head, _, listed = invoke("measures", name).out.partition("\n\n")
        assert head.replace("\n", " ") == f"{name}: {TITLES[name]}"
        assert listed.split() == texts
        described = json.loads(invoke("measures", name, "--format", "json").out)
        assert described == {"name": name, "title": TITLES[name], "measures": texts}


def test_families_of_trec_eval_have_its_default_parameters():
    assert [str(measure) for measure in rankgauge.measures.parse_all("ndcg_cut")] == [
        f"nDCG@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    ]
    assert str(named_set("iprec_at_recall")[1]) == "IPrec(levels=trec10)@0.1"
    assert {*named_set("ndcg_cut"), *named_set("Rprec_mult"), *named_set("unj")} < {*named_set("all_trec")}
    assert str(parse("ndcg_cut_10")) == "nDCG@10"


def test_sets_are_found_in_any_spelling():
    for name in ("all_trec", "ALL-TREC", "All Trec", "alltrec"):
        assert named_set(name) == named_set("all_trec") != ()
    assert rankgauge.measures.parse_all("Graded") == named_set("graded")
    assert named_set("nonsense") == ()


def test_a_set_in_another_spelling_is_described_by_its_name(invoke):
    assert invoke("measures", "ALL-TREC").out.startswith(f"all_trec: {TITLES['all_trec']}")
