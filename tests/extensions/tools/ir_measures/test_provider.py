"""rankgauge inside ir_measures: as a provider, for measures that other programs computed."""

import math
import random

import pandas as pd
import pytest

import rankgauge
from rankgauge.compat import ir_measures as compat
from rankgauge.extensions.tools.ir_measures.measures import registry

# {ir_measures' text: ours}, every measure with and without its parameters
OURS = {
    "AP": "AP",
    "AP(rel=2)@10": "AP(rel=2)@10",
    "AP(judged_only=True)": "AP(judged_only=true)",
    "Accuracy": "Accuracy",
    "Accuracy(rel=2)@5": "Accuracy(rel=2)@5",
    "BPM(max_rel=3)@10": "BPM(max_rel=3)@10",
    "BPM(T=2.0,min_rel=1,max_rel=3)@10": "BPM(T=2,gains={1:0,2:1,3:2})@10",
    "Bpref(rel=2)": "Bpref(rel=2)",
    "Compat": "Compat(end=lists)",
    "Compat(p=0.8,normalize=False)": "Compat(p=0.8,normalize=false,end=lists)",
    "ERR@20": "ERR(max_rel=4)@20",
    "ERR": "ERR(max_rel=4)",
    "INSQ(T=2.0,max_rel=3)": "INSQ(T=2,max_rel=3)@1000",
    "INST(max_rel=3)": "INST(max_rel=3)@1000",
    "IPrec@0.5": "IPrec(levels=trec9)@0.5",
    "IPrec(rel=2,judged_only=True)@0.1": "IPrec(rel=2,judged_only=true,levels=trec9)@0.1",
    "Judged": "Judged(negatives=nonrelevant)",
    "Judged@10": "Judged(negatives=nonrelevant)@10",
    "NERR8(max_rel=3)@10": "NERR8(max_rel=3)@10",
    "NERR9(max_rel=3)@10": "NERR9(max_rel=3)@10",
    "NERR10(p=0.8,max_rel=3)": "NERR10(p=0.8,max_rel=3)@1000",
    "NERR11(max_rel=3)": "NERR11(max_rel=3)@1000",
    "NumQ": "NumQ",
    "NumRel(rel=2)": "NumRel(rel=2)",
    "NumRet": "NumRet",
    "NumRet(rel=1)": "NumRelRet",
    "NumRet(rel=2)": "NumRelRet(rel=2)",
    "P@10": "P@10",
    "P(rel=2,judged_only=True)@10": "P(rel=2,judged_only=true)@10",
    "R@10": "R@10",
    "R(rel=2)@10": "R(rel=2)@10",
    "RBP": "RBP(gains=linear)",
    "RBP(p=0.5,rel=2)": "RBP(p=0.5,rel=2)",
    "RBP(rel=1)@10": "RBP@10",
    "RR": "RR",
    "RR(rel=2)@10": "RR(rel=2)@10",
    "Rprec(rel=2)": "Rprec(rel=2)",
    "SDCG(max_rel=3)@10": "SDCG(max_rel=3)@10",
    "SetAP": "SetAP",
    "SetF": "F",
    "SetF(rel=2,beta=4.0)": "F(beta=2,rel=2)",
    "SetP(judged_only=True)": "P(judged_only=true)",
    "SetP(relative=True)": "RelP",
    "SetR(rel=2)": "R(rel=2)",
    "Success@5": "Success@5",
    "infAP": "infAP",
    "nDCG": "nDCG",
    "nDCG@10": "nDCG@10",
    "nDCG(dcg='exp-log2')@10": "nDCG(gains=exp2)@10",
    "nDCG(gains={2:10})@10": "nDCG(gains={1:1,2:10,3:3})@10",
    "nDCG(judged_only=True)": "nDCG(judged_only=true)",
}
DIVERSE = {
    "AP_IA": "AP_IA",
    "ERR_IA(rel=2)@10": "ERR_IA(rel=2)@10",
    "NRBP(alpha=0.3,beta=0.7)": "NRBP(alpha=0.3,beta=0.7)",
    "P_IA@10": "P_IA@10",
    "StRecall@5": "StRecall@5",
    "alpha_DCG@5": "alpha_DCG@5",
    "alpha_nDCG(alpha=0.2)@5": "alpha_nDCG(alpha=0.2,ideal=ndeval)@5",
    "alpha_nDCG@50": "alpha_nDCG(ideal=ndeval)@50",
    "nERR_IA(judged_only=True)@5": "nERR_IA(judged_only=true)@5",
    "nNRBP": "nNRBP",
}


def campaign(seed=1):
    """(judgments by subtopic, results) as frames with ir_measures' columns; a topic has no results."""
    rng = random.Random(seed)
    judged = [
        (f"q{topic}", f"d{doc}", rng.choice([-1, 0, 0, 1, 2, 3]), str(subtopic))
        for topic in range(6)
        for doc in rng.sample(range(40), 20)
        for subtopic in rng.sample(range(3), rng.choice([1, 1, 2]))
    ]
    results = [
        (f"q{topic}", f"d{doc}", float(rng.randrange(60)))
        for topic in range(5)
        for doc in rng.sample(range(60), 30)
    ]
    return (
        pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance", "iteration"]),
        pd.DataFrame(results, columns=["query_id", "doc_id", "score"]),
    )


def theirs(ir_measures, text):
    """The measure of ir_measures itself."""
    ours = compat.parse_measure(text)
    return ir_measures.measures.registry[ours.NAME](**ours.params)


@pytest.mark.parametrize("texts", [OURS, DIVERSE], ids=["adhoc", "diversity"])
def test_values_are_those_of_rankgauge(texts, answered):
    qrels, run = campaign()
    if texts is OURS:
        qrels = qrels.drop_duplicates(["query_id", "doc_id"])
    rules = {"score_precision": "single", "missing": "skip"}
    ours = rankgauge.evaluate(qrels, run, texts.values(), **rules).to_dict()["run"]
    measures = {theirs(answered, text): str(rankgauge.parse(text_of)) for text, text_of in texts.items()}
    expected = {}
    for measure, text in measures.items():
        for topic in qrels.query_id.unique():
            value = ours[text].get(topic, math.nan)  # undefined, or without results
            if measure.NAME != "Accuracy" or not math.isnan(value):
                expected[topic, str(measure)] = 0.0 if math.isnan(value) else value
    found = list(answered.iter_calc(measures, qrels, run))
    assert {(m.query_id, str(m.measure)): m.value for m in found} == pytest.approx(expected, abs=0, rel=1e-15)
    assert len(found) == len(expected)
    assert all(type(metric) is answered.Metric for metric in found)
    assert sum(value > 0 for value in expected.values()) > len(expected) / 2  # not all are 0


def test_every_measure_is_compared():
    compared = {compat.parse_measure(text).NAME for text in (*OURS, *DIVERSE)}
    assert compared == {measure.NAME for measure in registry.values()}


@pytest.mark.parametrize("text", [*OURS, *DIVERSE])
def test_rankgauge_answers_before_all_others(text, answered):
    measure = theirs(answered, text)
    supporting = [each for each in answered.DefaultPipeline.providers if each.supports(measure)]
    assert supporting[0].NAME == "rankgauge"
    assert supporting[0].is_available()


def test_what_needs_pytrec_eval_otherwise_is_answered(answered):
    qrels, run = {"Q0": {"D0": 0, "D1": 1}}, {"Q0": {"D0": 1.2, "D1": 1.0}}
    measures = [answered.nDCG @ 10, answered.AP, answered.P(rel=2) @ 10]
    assert answered.calc_aggregate(measures, qrels, run) == {
        measures[0]: 0.6309297535714575,
        measures[1]: 0.5,
        measures[2]: 0.0,
    }
    assert answered.AP.calc_aggregate(qrels, run) == 0.5
    assert answered.evaluator(measures, qrels).calc_aggregate(run)[measures[1]] == 0.5
    with pytest.raises(ValueError, match="pytrec_eval"):  # without us
        answered.providers.FallbackProvider([answered.pytrec_eval]).calc_aggregate(measures, qrels, run)


def test_generators_are_taken_and_read_once(answered):
    qrels = (answered.Qrel("q", doc, grade) for doc, grade in [("a", 1), ("b", 0)])
    run = (answered.ScoredDoc("q", doc, score) for doc, score in [("b", 2.0), ("a", 1.0)])
    prepared = answered.evaluator([answered.RR, answered.Judged @ 1], qrels)
    assert prepared.calc_aggregate(run) == {answered.RR: 0.5, answered.Judged @ 1: 1.0}


def test_measures_that_users_define_are_left_to_ir_measures(answered):
    def longest(qrels, run):
        return float(len(run))

    mine = answered.define_byquery(longest, name="nDCG")  # even under a known name
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}
    assert not answered.providers.registry["rankgauge"].supports(mine)
    assert answered.calc_aggregate([mine], qrels, run) == {mine: 2.0}
    other = answered.define_byquery(longest, name="Length")
    assert answered.calc_aggregate([other, answered.AP], qrels, run) == {other: 2.0, answered.AP: 1.0}


def test_registering_twice_is_registering_once(answered):
    assert compat.register() is compat.register() is answered.providers.registry["rankgauge"]
    names = [provider.NAME for provider in answered.DefaultPipeline.providers]
    assert names[:2] == ["runtime", "rankgauge"]
    assert names.count("rankgauge") == 1


def test_counts_are_added_up_and_missing_topics_are_0(answered):
    qrels, run = {"a": {"d": 1}, "b": {"d": 1}}, {"a": {"d": 1.0}}
    assert answered.calc_aggregate([answered.NumRet, answered.AP], qrels, run) == {
        answered.NumRet: 1.0,
        answered.AP: 0.5,
    }


def test_inputs_are_declared_for_pyterrier(answered):
    measures = [answered.nDCG @ 10, answered.alpha_nDCG @ 10]
    assert {*answered.run_inputs(measures)} == {"query_id", "doc_id", "score"}
    assert {*answered.qrel_inputs(measures)} == {"query_id", "doc_id", "relevance"}
    assert len(answered.providers.registry["rankgauge"].SUPPORTED_MEASURES) == len(
        {measure.NAME for measure in registry.values()}
    )


def test_our_measures_and_parameters_are_measures_of_ir_measures(answered):
    qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 2}}}
    flat = {"q": {"a": 1, "b": 1, "c": 2}}
    run = {"q": {"b": 3.0, "x": 2.5, "a": 2.0, "c": 1.0}}
    for text in ("Q", "Q(beta=2)@3", "Twist", "CG@2"):
        measure = answered.parse_measure(text)
        assert str(measure) == text
        assert next(iter(answered.iter_calc([measure], flat, run))).value == value(flat, run, text)
    rows = [
        answered.Qrel("q", doc, grade, part)
        for doc, parts in qrels["q"].items()
        for part, grade in parts.items()
    ]
    records = [answered.ScoredDoc("q", *row) for row in run["q"].items()]
    greedy = answered.parse_measure("alpha_nDCG(alpha=0.5,ideal='greedy')@3")
    expected = value(
        rankgauge.SubtopicQrels.from_dict({"q": {"1": {"a": 1, "b": 1}, "2": {"a": 1}, "3": {"c": 2}}}),
        run,
        "alpha_nDCG@3",
    )
    assert answered.calc_aggregate([greedy], rows, records)[greedy] == expected
    with pytest.raises(ValueError, match="Q"):
        answered.calc_aggregate([answered.parse_measure("Q(beta='x')@3")], flat, run)


def value(qrels, run, text):
    """The only value of a measure."""
    return rankgauge.evaluate(qrels, {"r": run}, text).mean()["r"][text]
