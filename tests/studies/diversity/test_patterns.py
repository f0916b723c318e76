"""Judging by answer patterns, and the equations of the model."""

import math

import pytest

import rankgauge
from rankgauge.errors import InputError, OptionError
from rankgauge.studies import diversity

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


@pytest.mark.parametrize("line", ["85.1", "85 sky", ".1 sky", ""])
def test_lines_that_are_no_patterns_are_refused(line, write):
    with pytest.raises(InputError, match=r"topic\.subtopic pattern"):
        diversity.read_patterns(write("patterns", line))


def test_a_bad_regular_expression_is_refused_with_its_line(write):
    with pytest.raises(InputError, match=r"patterns:2: the pattern .* is not a regular expression"):
        diversity.read_patterns(write("patterns", "85.1 sky\n85.2 (sky\n"))


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
