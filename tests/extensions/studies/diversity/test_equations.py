"""Judging by answer patterns, and the equations of the model.

A probability for each judgment says that the document contains the subtopic (Clarke et al. 2008, section 4).
The slow twin goes back to equation 1: over all sets of subtopics that the user may want and that documents
may contain, a document is relevant if it contains a subtopic that the user wants and that no document before
contains. Equations 2 and 6 follow from that if everything is independent.
"""

import itertools
import math

import pytest

import rankgauge
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.studies import diversity
from rankgauge.extensions.studies.diversity import gain_vector, novel_relevance, relevance

TEXTS = {
    "a": "The Norwegian Sky and the Norwegian  Wind",
    "b": "NORWEGIAN WIND\nto Great Stirrup Cay",
    "c": "the sky over Norway",
    "d": "Great Stirrup Cay, or not",
}
PATTERNS = {"85": {"85.1": ["norwegian\\s+(sky|wind)"], "85.3": "stirrup cay"}}
MANUAL = {"85": {"85.1": {"a": 1, "b": 1, "c": 0}, "85.3": {"b": 1, "d": 0}}}


def test_a_document_that_a_pattern_matches_holds_the_nugget():
    found = diversity.judge(PATTERNS, TEXTS)
    assert found == {
        "85": {"85.1": {"a": 1, "b": 1, "c": 0, "d": 0}, "85.3": {"a": 0, "b": 1, "c": 0, "d": 1}}
    }
    assert diversity.judge(PATTERNS, TEXTS, {"85": ["c"]}) == {"85": {"85.1": {"c": 0}, "85.3": {"c": 0}}}
    run = {"85": {"d": 2.0, "a": 1.0}}
    assert rankgauge.evaluate(found, run, "alpha_nDCG@2").mean()["run"]["alpha_nDCG@2"] < 1


def test_precision_against_people_is_an_estimate_of_alpha():
    found = diversity.check(PATTERNS, TEXTS, MANUAL)
    assert (found.matched, found.relevant, found.both) == (4, 3, 3)
    assert (found.precision, found.recall, found.alpha) == (0.75, 1.0, 0.75)
    assert found.topics["85"].alpha == 0.75
    nothing = diversity.check({}, TEXTS, {"85": {"85.1": {"a": 0}}})
    assert math.isnan(nothing.precision)
    assert math.isnan(nothing.recall)


def test_people_are_believed_where_they_judged():
    both = diversity.combined(MANUAL, diversity.judge(PATTERNS, TEXTS))
    assert both["85"]["85.3"] == {"a": 0, "b": 1, "c": 0, "d": 0}
    # b was judged by people, who did not find 85.3 in it; d was not
    some = diversity.combined(
        {"85": {"85.1": {"b": 1}}, "9": {"9.1": {"a": 1}}}, diversity.judge(PATTERNS, TEXTS)
    )
    assert some == {
        "85": {"85.1": {"a": 1, "b": 1, "c": 0, "d": 0}, "85.3": {"a": 0, "b": 0, "c": 0, "d": 1}},
        "9": {"9.1": {"a": 1}},
    }


def test_what_check_counts_as_wrong_is_what_people_overrule():
    manual = {"85": {"85.1": {"a": 1, "b": 1, "c": 0, "d": 0}}}  # nobody looked for 85.3 by itself
    found = diversity.judge(PATTERNS, TEXTS)
    quality = diversity.check(PATTERNS, TEXTS, manual)
    both = diversity.combined(manual, found)["85"]
    overruled = sum(found["85"][nugget][doc] > both[nugget][doc] for nugget in both for doc in both[nugget])
    assert quality.matched - quality.both == overruled == 2


def test_topics_without_an_alpha_of_their_own_have_that_of_all():
    patterns = {**PATTERNS, "9": {"9.1": "cay"}, "10": {"10.1": "nowhere"}}
    manual = {**MANUAL, "10": {"10.1": {"a": 0}}}
    quality = diversity.check(patterns, TEXTS, manual)
    both = diversity.combined(manual, diversity.judge(patterns, TEXTS))
    assert quality.alphas(both) == {"85": 0.75, "9": 0.75, "10": 0.75}
    assert quality.alphas(["85"]) == {"85": quality.topics["85"].alpha}
    qrels = rankgauge.SubtopicQrels.from_dict(both).with_alphas(quality.alphas(both))
    run = {"85": {"d": 2.0, "a": 1.0}, "9": {"b": 1.0}}
    assert rankgauge.evaluate(qrels, run, "alpha_nDCG(alpha=topic)").topics == ("10", "85", "9")


def test_patterns_are_read_from_a_file_as_trec_has_them(write):
    path = write("patterns", "85.1\tnorwegian\\s+sky\n85.1 norwegian wind\n# comment\n1.2.3 a b\n")
    assert diversity.read_patterns(path) == {
        "85": {"85.1": ["norwegian\\s+sky", "norwegian wind"]},
        "1.2": {"1.2.3": ["a b"]},
    }


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        *((line, r"topic\.subtopic pattern") for line in ("85.1", "85 sky", ".1 sky", "")),
        ("85.1 sky\n85.2 (sky\n", r"patterns:2: the pattern .* is not a regular expression"),
    ],
)
def test_lines_that_are_no_patterns_are_refused(lines, message, write):
    with pytest.raises(InputError, match=message):
        diversity.read_patterns(write("patterns", lines))


def test_documents_without_texts_are_refused():
    with pytest.raises(InputError, match="document 'z' of topic '85' has no text"):
        diversity.judge(PATTERNS, TEXTS, {"85": ["z"]})


def test_the_equations_follow_from_each_other():
    need, nuggets = {"n1": 0.5, "n2": 0.25, "n3": 1.0}, ["n1", "n3"]
    held = {nugget: diversity.contains(nugget in nuggets, 0.4) for nugget in need}
    assert diversity.judged_relevance(need, nuggets, 0.4) == diversity.relevance(need, held)
    alike = dict.fromkeys(need, 0.5)
    assert diversity.likely_relevance(nuggets, 0.4, 0.5) == pytest.approx(
        diversity.judged_relevance(alike, nuggets, 0.4)
    )
    ranking = [nuggets, ["n1"], ["n1", "n2"]]
    exact = diversity.novel_relevance(ranking, 0.01, 0.01)
    linear = [0.0001 * gain for gain in diversity.gain_vector(ranking, 0.01)]
    assert exact == pytest.approx(linear, rel=1e-3)  # equation 7 is what equation 6 comes near to
    assert diversity.gain_vector(ranking, 1.0) == [2.0, 0.0, 1.0]
    for bad in (-0.1, 1.1, True, "x", math.nan):
        with pytest.raises(OptionError, match="must be a number from 0 to 1"):
            diversity.gain_vector(ranking, bad)


def over_all_worlds(need, documents):
    """The probability that the last of some documents is relevant; all are {subtopic: probability}."""
    facts = [(-1, subtopic, p) for subtopic, p in need.items()]
    facts += [(k, s, p) for k, document in enumerate(documents) for s, p in document.items()]
    total = 0.0
    for world in itertools.product((True, False), repeat=len(facts)):
        chance = math.prod(p if true else 1 - p for true, (_, _, p) in zip(world, facts, strict=True))
        holds = {(where, s) for true, (where, s, _) in zip(world, facts, strict=True) if true}
        last = len(documents) - 1
        total += chance * any(
            (-1, s) in holds and (last, s) in holds and not any((k, s) in holds for k in range(last))
            for s in need
        )
    return total


def slow_gains(ranking, judgments, weights=None, gamma=None):
    """The gain of each document: the linearised sum of equation 7, or with gamma equation 6."""
    gains = []
    for k, doc in enumerate(ranking):
        terms = []
        for subtopic, judged in judgments.items():
            weight = 1.0 if weights is None else weights.get(subtopic, 0.0)
            missed = math.prod(1 - max(0.0, judged.get(other, 0.0)) for other in ranking[:k])
            terms.append(weight * max(0.0, judged.get(doc, 0.0)) * missed)
        gains.append(sum(terms) if gamma is None else 1 - math.prod(1 - gamma * term for term in terms))
    return gains


def slow_dcg(ranking, judgments, **options):
    return sum(
        gain / math.log2(1 + rank) for rank, gain in enumerate(slow_gains(ranking, judgments, **options), 1)
    )


def slow_greedy(judgments, **options):
    left = sorted({doc for judged in judgments.values() for doc, p in judged.items() if p > 0})
    taken = []
    while left:
        gains = [slow_gains([*taken, doc], judgments, **options)[-1] for doc in left]
        best = next(place for place, gain in enumerate(gains) if gain >= max(gains) - 1e-12)
        taken.append(left.pop(best))
    return taken


def probabilities(random, subtopics, docs):
    return {
        f"s{s}": {f"d{d}": random.choice([0, 0.25, 0.5, 0.8, 1, random.random()]) for d in range(docs)}
        for s in range(subtopics)
    }


def test_equations_2_and_6_are_those_of_all_worlds(cases):
    for _, random in cases(15):
        need = {f"s{s}": random.random() for s in range(2)}
        documents = [{f"s{s}": random.random() for s in range(3) if random.random() < 0.8} for _ in range(3)]
        expected = [over_all_worlds(need, documents[: k + 1]) for k in range(len(documents))]
        assert novel_relevance(documents, gamma=need) == pytest.approx(expected, abs=1e-12)
        assert relevance(need, documents[0]) == pytest.approx(expected[0], abs=1e-12)


def test_judged_documents_and_those_of_a_classifier_stand_in_one_ranking():
    mixed = [["a"], {"a": 0.25, "b": 1.0}, ["a", "b"]]
    same = [{"a": 0.5}, {"a": 0.25, "b": 1.0}, {"a": 0.5, "b": 0.5}]
    assert novel_relevance(mixed, 0.5) == novel_relevance(same)
    assert gain_vector(mixed, 0.5) == gain_vector(same) == [0.5, 1.125, 0.1875]


def test_probabilities_that_are_all_alpha_are_the_judgments_of_the_paper():
    ranking = [["a", "b"], ["a"], ["b", "c"], ["a"]]
    for alpha in (0.25, 0.5, 1.0):
        likely = [dict.fromkeys(document, alpha) for document in ranking]
        assert novel_relevance(likely, gamma=0.5) == pytest.approx(novel_relevance(ranking, alpha, 0.5))
        judged = [alpha * gain for gain in gain_vector(ranking, alpha)]
        assert gain_vector(likely) == pytest.approx(judged)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: novel_relevance([["a"]]), "document 1 has no probabilities of its subtopics; pass alpha"),
        (lambda: gain_vector([{"a": 1.5}]), "document 1['a'] must be a number from 0 to 1, not 1.5"),
        (lambda: gain_vector([{"a": math.nan}]), "must be a number from 0 to 1"),
        (lambda: novel_relevance([{"a": 1}], gamma={"a": 2}), "gamma['a'] must be a number from 0 to 1"),
        (lambda: novel_relevance([{"a": "1"}]), "must be a number from 0 to 1"),
    ],
)
def test_what_is_no_probability_is_refused(call, message):
    with pytest.raises(OptionError) as error:
        call()
    assert message in str(error.value)


def test_measures_read_grades_as_probabilities(cases):
    measures = (
        "alpha_CG(alpha=grade) alpha_CG(alpha=grade)@2 alpha_DCG(alpha=grade) "
        "alpha_nDCG(alpha=grade,ideal=unclipped) alpha_CG(alpha=grade,gamma=0.5)@3 "
        "alpha_nDCG(alpha=grade,gamma=0.5,ideal=unclipped)"
    )
    for _, random in cases(60):
        judgments = probabilities(random, random.randrange(1, 4), random.randrange(1, 6))
        docs = [*next(iter(judgments.values())), "unjudged"]
        random.shuffle(docs)
        run = {"1": {doc: -float(rank) for rank, doc in enumerate(docs)}}
        weights = {s: random.choice([0.25, 1.0, random.random()]) for s in judgments}
        for chosen in (None, weights):
            qrels = rankgauge.SubtopicQrels.from_dict({"1": judgments})
            qrels = qrels if chosen is None else qrels.with_subtopic_probabilities({"1": chosen})
            values = [v["1"] for v in rankgauge.evaluate(qrels, run, measures).to_dict()["run"].values()]
            gains = slow_gains(docs, judgments, chosen)
            likely = slow_gains(docs, judgments, chosen, gamma=0.5)
            best = slow_dcg(slow_greedy(judgments, weights=chosen), judgments, weights=chosen)
            ideal = slow_greedy(judgments, weights=chosen, gamma=0.5)
            best_likely = slow_dcg(ideal, judgments, weights=chosen, gamma=0.5)
            expected = [
                sum(gains),
                sum(gains[:2]),
                slow_dcg(docs, judgments, weights=chosen),
                slow_dcg(docs, judgments, weights=chosen) / best if best else math.nan,
                sum(likely[:3]),
                slow_dcg(docs, judgments, weights=chosen, gamma=0.5) / best_likely
                if best_likely
                else math.nan,
            ]
            assert values == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_the_exact_ideal_is_the_best_of_all_orders(cases):
    for _, random in cases(25):
        judgments = probabilities(random, 2, 4)
        docs = sorted(next(iter(judgments.values())))
        best = max(slow_dcg(order, judgments) for order in itertools.permutations(docs))
        run = {"1": {doc: -float(rank) for rank, doc in enumerate(docs)}}
        (value,) = (
            rankgauge.evaluate({"1": judgments}, run, "alpha_nDCG(alpha=grade,ideal=exact)")
            .mean()["run"]
            .values()
        )
        expected = slow_dcg(docs, judgments) / best if best else math.nan
        assert value == pytest.approx(expected, rel=1e-9, nan_ok=True)


def test_tied_documents_of_different_probabilities_are_different():
    qrels = {"1": {"s": {"a": 0.2, "b": 0.9}, "t": {"a": 0.5}}}
    run = {"1": {"a": 1.0, "b": 1.0, "x": 1.0}}
    orders = [slow_gains(order, qrels["1"])[0] for order in itertools.permutations(["a", "b", "x"])]
    value = rankgauge.evaluate(qrels, run, "alpha_CG(alpha=grade)@1", ties="average").mean()["run"]
    assert value["alpha_CG(alpha=grade)@1"] == pytest.approx(sum(orders) / len(orders))


def test_grades_of_zero_and_below_are_no_subtopics():
    qrels = {"1": {"s": {"a": -2, "b": 0.5, "c": 0}}}
    run = {"1": {"a": 3.0, "c": 2.0, "b": 1.0}}
    assert rankgauge.evaluate(qrels, run, "alpha_CG(alpha=grade)").mean() == {
        "run": {"alpha_CG(alpha=grade)": 0.5}
    }


def test_grades_that_are_no_probabilities_are_refused(write, invoke):
    qrels, run = write("qrels.txt", "1 1 a 2\n1 2 a 0.5\n"), write("a.run", "1 Q0 a 1 1 t\n")
    for measure in ("alpha_CG(alpha=grade)", "alpha_nDCG(alpha=grade)"):
        assert "alpha=grade reads grades as probabilities, and the judgments have grade 2" in (
            invoke("evaluate", qrels, run, "-m", measure, code=2).err
        )
    for rel in (1, 0.5):
        with pytest.raises(MeasureError, match="alpha=grade and rel= exclude each other"):
            rankgauge.parse(f"alpha_nDCG(alpha=grade,rel={rel})")


def test_an_explanation_shows_what_probabilities_are_worth():
    qrels = {"1": {"s": {"a": 0.5, "b": 0.5}, "t": {"b": 1.0}}}
    run = {"1": {"a": 2.0, "b": 1.0}}
    explained = rankgauge.explain(qrels, run, topic="1", measure="alpha_DCG(alpha=grade)")
    assert explained.value == pytest.approx(0.5 + (0.25 + 1.0) / math.log2(3))
    assert explained.definition["rel"] == "any grade above 0 counts as relevant"
    assert "s (new, 0.5)" in str(explained)
    assert "s (seen 1×, 0.25), t (new, 1)" in str(explained)


def test_an_explanation_uses_the_alpha_of_the_measure_and_not_that_of_topics():
    qrels = rankgauge.SubtopicQrels.from_dict({"1": {"s": {"a": 1}}}).with_alphas({"1": 0.25})
    explained = rankgauge.explain(qrels, {"1": {"a": 1.0}}, topic="1", measure="alpha_CG(alpha=0.5,gamma=1)")
    assert explained.value == 0.5
    assert "s (new, 0.5)" in str(explained)
