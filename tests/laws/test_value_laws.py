"""What holds for every registered measure, under any settings: a new measure is tested on arrival."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankgauge
from cases import (
    at,
    campaigns,
    curves,
    cutoffs,
    evaluate,
    for_each_measure,
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
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.measures.rankings.gains import LINEAR

NAMES = list(MEASURES)
CURVES = [name for name in NAMES if MEASURES[name].curve]
SLACK = 1e-12  # sums in another order differ in the last bits
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
    **dict.fromkeys(("INSQ", "INST", "BPM", "SDCG"), "what users gain per document, which is 0"),
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


def at_least(value, other):
    """Whether a value is no smaller than another, or both are undefined."""
    return (math.isnan(value) and math.isnan(other)) or value >= other - SLACK * max(1.0, abs(other))


def ideal_run(qrels, text):
    """{topic: {document: score}}: the best ranking the judgments allow, as the measure sees it."""
    measure = rankgauge.parse(text)
    if measure.spec.ideal is not None:
        return own_ideal_run(qrels, measure)
    run = {}
    for topic, judged in qrels.items():
        worth = worth_of(measure, judged)
        docs = sorted((doc for doc in judged if worth[doc] > 0), key=lambda doc: (-worth[doc], -judged[doc]))
        run[topic] = {doc: float(-rank) for rank, doc in enumerate(docs)}
    return run


def own_ideal_run(qrels, measure):
    """The same for a measure that knows its best ranking itself."""
    evaluator = Evaluator(judged_for(qrels, measure), [measure])
    [(_, _, pool)] = evaluator.back_end.blocks
    ideal = measure.ideal(pool)
    assert isinstance(ideal, JudgedRankings)
    judged = evaluator.qrels
    docs = judged.sorted_docs.texts()
    kept = [
        n for n, grade in enumerate(judged.sorted_grades.tolist()) if grade >= evaluator.back_end.lowest_grade
    ]
    run = {}
    for number, topic in enumerate(judged.sorted_topics):
        hits = slice(ideal.starts[number], ideal.starts[number + 1])
        places = [kept[pool.starts[number] + doc] for doc in ideal.doc[hits].tolist()]
        run[topic] = {docs[place]: float(-rank) for rank, place in enumerate(places)}
    return run


def worth_of(measure, judged):
    """{document: what the measure takes it for}: its gain, whether it is relevant, or both."""
    graded = any(p.name == "gains" for p in measure.spec.parameters)
    gain = {doc: measure.gains.worth(float(grade)) if graded else 0.0 for doc, grade in judged.items()}
    if not measure.spec.binary:
        return gain if graded else {doc: LINEAR.worth(float(grade)) for doc, grade in judged.items()}
    return {doc: 1.0 + gain[doc] if measure.is_relevant(grade) else 0.0 for doc, grade in judged.items()}


def law_settings(spec, seed, qrels, varied=False):
    """Settings under which all that the registry says of a measure holds; bounds do if it is `varied`."""
    settings = settings_of(spec, seed, levels_of(qrels))
    if not varied:
        settings.pop(spec.laws.varies, None)
    if settings.get("N", 20) < 20:  # lists cut above the last document of the ideal ranking
        del settings["N"]
    return settings


def alone_as_together(texts):
    """Those of these measures that do not look at other topics."""
    measures = map(rankgauge.parse, texts)
    return [str(measure) for measure in measures if not (measure.of_collection or measure.of_lists)]


@pytest.mark.parametrize("name", NAMES)
@for_each_measure
@given(campaign=campaigns(), cutoff=cutoffs(), seed=seeds())
def test_a_value_is_within_the_bounds_of_its_measure_or_undefined(name, campaign, cutoff, seed):
    qrels, run = campaign
    spec = MEASURES[name]
    text = written(name, law_settings(spec, seed, qrels, varied=True), cutoff if spec.curve else None)
    low, high = rankgauge.parse(text).bounds
    for value in evaluated(qrels, run, text)[0]:
        assert math.isnan(value) or low <= value <= high + SLACK, text


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


@pytest.mark.parametrize("name", [name for name in NAMES if MEASURES[name].best != "open"])
@for_each_measure
@given(campaign=campaigns(grades=[0, 0, 1, 1, 2, 3, 0.5, 10]), cutoff=cutoffs(), seed=seeds())
def test_no_ranking_is_better_than_the_ideal_one(name, campaign, cutoff, seed):
    qrels, run = campaign
    spec = MEASURES[name]
    text = written(name, law_settings(spec, seed, qrels), cutoff if spec.curve else None)
    best = ideal_run(qrels, text)
    assume(any(best.values()))  # if nothing is worth anything, there is no ideal run
    # Divided by what is retrieved, a short ranking may be better than a complete one.
    assume(cutoff is not None or spec.laws.beyond_end != "less" or spec.best == "one")
    values = zip(evaluated(qrels, best, text)[0], evaluated(qrels, run, text)[0], strict=True)
    for ideal, value in values:
        defined = not (math.isnan(ideal) or math.isnan(value))
        assert not defined or at_least(spec.direction * ideal, spec.direction * value), text


@pytest.mark.parametrize("name", [name for name in NAMES if MEASURES[name].best == "one"])
@for_each_measure
@given(campaign=campaigns(grades=[0, 0, 1, 1, 2, 3, 0.5, 10]), seed=seeds())
def test_the_ideal_ranking_scores_one_on_a_normalised_measure_or_is_undefined(name, campaign, seed):
    qrels, _ = campaign
    text = written(name, law_settings(MEASURES[name], seed, qrels))
    best = ideal_run(qrels, text)
    assume(any(best.values()))
    gains = rankgauge.parse(text).gains
    for topic, value in zip(sorted(qrels, key=str.encode), evaluated(qrels, best, text)[0], strict=True):
        nothing = all(gains.worth(float(qrels[topic][doc])) == 0 for doc in best[topic])
        assert value == 1 or (nothing and (math.isnan(value) or value == 0)), (text, topic)


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


@pytest.mark.parametrize("name", [name for name in NAMES if MEASURES[name].laws.monotone])
@for_each_measure
@given(campaign=campaigns(), cutoff=cutoffs(), seed=seeds(), at=st.integers(0, 20))
def test_a_better_document_moved_up_never_hurts(name, campaign, cutoff, seed, at):
    qrels, run = campaign
    spec = MEASURES[name]
    text = written(name, law_settings(spec, seed, qrels), cutoff if spec.curve else None)
    measure = rankgauge.parse(text)
    before, after = {}, {}
    for topic, found in run.items():
        worth = worth_of(measure, qrels[topic])
        docs = sorted(found)
        swapped = list(docs)
        i = at % len(docs)
        if i + 1 < len(docs) and worth.get(docs[i + 1], 0.0) > worth.get(docs[i], 0.0):
            swapped[i : i + 2] = docs[i + 1], docs[i]
        before[topic] = {doc: float(-rank) for rank, doc in enumerate(docs)}
        after[topic] = {doc: float(-rank) for rank, doc in enumerate(swapped)}
    values = zip(evaluated(qrels, after, text)[0], evaluated(qrels, before, text)[0], strict=True)
    assert all(at_least(spec.direction * new, spec.direction * old) for new, old in values), text


@pytest.mark.parametrize("name", [name for name in CURVES if MEASURES[name].laws.beyond_end != "other"])
@for_each_measure
@given(campaign=campaigns(), seed=seeds(), beyond=st.integers(0, 9))
def test_a_cutoff_past_the_end_of_ranking_and_judgments_is_none_at_all(name, campaign, seed, beyond):
    qrels, run = campaign
    settings = law_settings(MEASURES[name], seed, qrels)
    longest = max(len(part) for part in (*qrels.values(), *run.values()))
    texts = written(name, settings, longest + beyond), written(name, settings)
    cut, uncut = evaluated(qrels, run, *texts)
    if MEASURES[name].laws.beyond_end == "less":
        assert all(c <= u for c, u in zip(cut, uncut, strict=True) if not math.isnan(u))
    else:
        assert identical(cut, uncut)


@pytest.mark.parametrize("name", CURVES)
@for_each_measure
@given(campaign=campaigns(), seed=seeds(), depth=st.integers(1, 20))
def test_the_vector_of_a_measure_is_its_value_at_every_cutoff_bit_for_bit(name, campaign, seed, depth):
    qrels, run = campaign
    settings = settings_of(MEASURES[name], seed, levels_of(qrels))
    vectors = curves(qrels, run, written(name, settings), depth=depth)
    values = evaluated(qrels, run, *(written(name, settings, rank) for rank in range(1, depth + 1)))
    assert identical(vectors.values[0, 0].T, values)


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


@pytest.mark.parametrize("name", NAMES)
@for_each_measure
@given(campaign=campaigns(), seed=seeds())
def test_a_topic_depends_on_others_only_by_their_grades_and_the_longest_list(name, campaign, seed):
    qrels, run = campaign
    text = written(name, settings_of(MEASURES[name], seed, levels_of(qrels)))
    others = "with the highest grade, or all that count, and the longest list"
    levels = levels_of(qrels) if "gains=levels" in text else [max(levels_of(qrels))]
    highest = {others: {f"x{place}": level for place, level in enumerate(levels)}}
    longest = {others: max(run.values(), key=len)}
    together = evaluate(qrels, run, text)
    for topic in run:
        alone = evaluate({topic: qrels[topic], **highest}, {topic: run[topic], **longest}, text)
        assert identical(
            alone.values[0, 0, alone.topics.index(topic)], together.values[0, 0, together.topics.index(topic)]
        )


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
