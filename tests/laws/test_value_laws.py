"""What holds for every registered measure, under any settings: a new measure is tested on arrival."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from cases import (
    at,
    campaigns,
    evaluate,
    identical,
    judged_for,
    levels_of,
    plainest,
    seeds,
    settings_of,
    with_all_measures,
    written,
)
from rankgauge.engines.assembly import blocks
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.measures import MEASURES

NAMES = list(MEASURES)
CURVES = [name for name in NAMES if MEASURES[name].curve]
# The measures that are defined for topics without relevant documents: they do not ask what was to be found.
ASKED_OF_THE_RANKING = {
    **dict.fromkeys(
        ("CG", "DCG", "ACG", "ADCG", "alpha_CG", "alpha_DCG", "gP"),
        "the gain of what was retrieved, which is 0",
    ),
    **dict.fromkeys(
        ("P", "InterpolatedP", "BR", "infP"), "of the first k documents, none is relevant: 0 of k"
    ),
    **dict.fromkeys(
        ("RR", "Success", "ERR", "RBP", "iRBU"), "0 where nothing relevant is found, as trec_eval"
    ),
    **dict.fromkeys(
        ("INSQ", "INST", "BPM", "SDCG", "NPV", "IFT", "TBG", "U_measure"),
        "what users gain per document, which is 0",
    ),
    "ADM": "how near the system's estimates are to the judgments, of which 0 is one",
    **dict.fromkeys(("NERR8", "NERR9", "NERR10", "NERR11"), "what users gain per document, which is 0"),
    **dict.fromkeys(("NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelRet"), "a count"),
    **dict.fromkeys(("infNumRel", "infNumRelRet"), "an estimated count"),
    **dict.fromkeys(("Judged", "Unjudged", "RBP_residual"), "how much is judged, relevant or not"),
    **dict.fromkeys(("Fallout", "Utility", "Frustration"), "what non-relevant documents cost"),
    **dict.fromkeys(("CorrectlyEmpty", "WronglyAnswered", "WronglyEmpty"), "whether nothing is the answer"),
    "HT": "as what it estimates, here P@10",
    "IDCG": "the ideal itself, which is empty",
    "YAAP": "smoothed: with s = R = 0 the odds are 1 to 1",
}


def evaluated(qrels, run, *measures, **options):
    """The values of one run, (measures, topics)."""
    return evaluate(qrels, run, measures, **options).values[0]


def alone_as_together(texts):
    """Those of these measures that do not look at other topics."""
    measures = map(rankgauge.parse, texts)
    return [str(measure) for measure in measures if not (measure.of_collection or measure.of_lists)]


@pytest.mark.parametrize(
    ("text", "high"),
    [
        *(
            (f"{name}(value={value})@2", math.inf)
            for name in ("INSQ", "BPM")
            for value in ("ETU", "ETC", "ED")
        ),
        *(("INSQ@2", 1), ("INSQ(value=EC)@2", 1), ("alpha_nDCG(ideal=exact)@2", 1)),
        *((f"alpha_nDCG(ideal={ideal})@2", math.inf) for ideal in ("unclipped", "ndeval")),
    ],
)
def test_another_quantity_has_bounds_of_its_own(text, high):
    assert rankgauge.parse(text).bounds == (0, high)
    assert evaluated({"1": {"a": 1, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}, text)[0, 0] <= high


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_of_what_was_to_be_found_is_undefined_where_that_is_nothing(name):
    """And 0 neither for what is retrieved, nor for nothing."""
    qrels = {"none": {"a": 0, "b": 0, "c": -1}, "some": {"x": 1}}
    defined = set()
    for retrieved in ({"a": 3.0, "u": 2.0, "b": 1.0, "c": 0.0}, {"u": 1.0}, {}):
        run = {"some": {"x": 1.0}, **({"none": retrieved} if retrieved else {})}
        for text in (plainest(name), *([at(plainest(name), 5)] if MEASURES[name].curve else ())):
            value = evaluated(qrels, run, text)[0][0]
            defined.add(not math.isnan(value))
    assert (True in defined) == (name in ASKED_OF_THE_RANKING)


@with_all_measures
@given(campaign=campaigns(), cells=st.integers(1, 60), seed=seeds())
def test_the_width_of_a_block_is_invisible(campaign, cells, seed):
    qrels, run = campaign
    levels = levels_of(qrels)
    texts = [written(name, settings_of(MEASURES[name], seed, levels)) for name in NAMES]
    evaluator = Evaluator(judged_for(qrels, texts), texts)
    whole = evaluator.evaluate(run).values
    evaluator.back_end.blocks = list(blocks(evaluator.qrels, evaluator.back_end.lowest_grade, cells))
    assert evaluator.back_end.blocks[-1][1] == len(qrels)
    assert identical(evaluator.evaluate(run).values, whole)


@with_all_measures
@given(campaign=campaigns(), seed=seeds())
def test_topics_score_the_same_alone_as_together(campaign, seed):
    qrels, run = campaign
    texts = [written(name, settings_of(MEASURES[name], seed, levels_of(qrels))) for name in NAMES]
    texts = alone_as_together(texts)
    together = evaluate(qrels, run, texts)
    for topic in run:
        alone = evaluate({topic: qrels[topic]}, {topic: run[topic]}, texts)
        column = together.topics.index(topic)
        assert identical(alone.values[0, :, 0], together.values[0, :, column])


@with_all_measures
@given(campaign=campaigns(), seed=st.lists(seeds(), min_size=2, max_size=2))
def test_measures_score_the_same_alone_as_in_any_company(campaign, seed):
    qrels, run = campaign
    levels = levels_of(qrels)
    texts = [written(name, settings_of(MEASURES[name], s, levels)) for s in seed for name in NAMES]
    texts = list(dict.fromkeys(str(rankgauge.parse(text)) for text in texts))
    together = evaluated(qrels, run, *texts)
    assert identical(evaluated(qrels, run, *reversed(texts))[::-1], together)
    for text, values in zip(texts, together, strict=True):
        assert identical(evaluated(qrels, run, text)[0], values), text


def test_named_gains_share_an_ideal_only_where_it_is_the_same():
    qrels, run = {"q": {"a": 1, "b": 3, "c": 2}}, {"q": {"a": 1.0, "b": 3.0, "c": 2.0}}
    mean = rankgauge.evaluate(qrels, run, "nDCG(gains=binary) nDCG nDCG(gains=exp2)").mean()["run"]
    assert mean == {"nDCG(gains=binary)": 1.0, "nDCG": 1.0, "nDCG(gains=exp2)": 1.0}
