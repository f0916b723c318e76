"""The search for what gives a printed number."""

import json
import math
import random
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge
from cases import campaigns, judged_for, plainest
from rankgauge.errors import InputError, OptionError
from rankgauge.explanation import target as search
from rankgauge.explanation.target import Target
from rankgauge.explanation.way_search import OF_SUBTOPICS, WELL_KNOWN
from rankgauge.measures import MEASURES, parse
from rankgauge.model.output.documents import FORMATS, document_lines

P = parse("P@10")
DCG = parse("DCG@10")


@pytest.mark.parametrize(
    ("given", "low", "high"),
    [
        ("0.3421", 0.34205, 0.34215),
        ("0.3420", 0.34195, 0.34205),
        (0.3421, 0.34205, 0.34215),
        (0.342, 0.3415, 0.3425),
        (Decimal("0.3420"), 0.34195, 0.34205),
        (".34", 0.335, 0.345),
        ("34.21", 0.34205, 0.34215),
        ("34.21%", 0.34205, 0.34215),
        (" 34.21 % ", 0.34205, 0.34215),
        ("0.5%", 0.0045, 0.0055),
        ("1", 0.5, 1.5),
        (1, 0.5, 1.5),
        ("1.0", 0.95, 1.05),
        ("3e-2", 0.025, 0.035),
    ],
)
def test_a_number_matches_the_values_that_are_rounded_to_it(given, low, high):
    target = Target.of(given)
    inside, outside = (high - low) / 1000, (high - low) / 1000
    for value in (low, high, (low + high) / 2, low + inside, high - inside):
        assert target.matches(value, P)
    for value in (low - outside, high + outside, math.nan):
        assert not target.matches(value, P)


def test_a_number_above_one_is_a_percentage_only_of_measures_that_stay_below():
    assert Target.of("34.21").matches(34.21, DCG)
    assert not Target.of("34.21").matches(0.3421, DCG)
    assert Target.of("34.21%").matches(0.3421, DCG)
    assert Target.of("17").matches(17, parse("NumRelRet"))


@pytest.mark.parametrize(
    "given",
    [
        *("nan", "inf", "-inf", "", "%", "0,34", "1_0", "x", "1e999", "1e-999", "0x1"),
        *(math.nan, math.inf, Decimal("nan"), True, [0.1], b"0.1"),
    ],
)
def test_what_is_not_a_number_is_refused(given):
    with pytest.raises(OptionError, match=r"target must be a finite number such as 0\.3421 or 34\.21%"):
        Target.of(given)


# Exponential gains: in q1 1 at rank 1 and 7 at rank 2, of (7, 1); in q2 3 at rank 1, of (3, 1); no q3.
QRELS = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"a": 2, "c": 1}, "q3": {"a": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
LOG3 = math.log2(3)
PRINTED = ((1 + 7 / LOG3) / (7 + 1 / LOG3) + 3 / (3 + 1 / LOG3)) / 2


def test_exponential_gains_without_the_missing_topics_are_found_first():
    found = rankgauge.explain(QRELS, RUN, measure="nDCG@10", target=f"{PRINTED:.4f}")
    first = found.matches[0]
    assert first.measure == "nDCG(gains=exp2)@10"
    assert first.rules == {"missing": "skip"}
    assert first.tools == ("gdeval",)
    assert first.value == pytest.approx(PRINTED, rel=1e-12)
    assert first.changes == 1  # the way of a tool
    assert found.value == rankgauge.evaluate(QRELS, RUN, "nDCG@10").mean()["run"]["nDCG@10"]


def test_it_is_found_without_a_measure_and_as_a_percentage():
    for target in (f"{PRINTED:.6f}", f"{100 * PRINTED:.4f}"):
        found = rankgauge.explain(QRELS, RUN, target=target)
        assert (found.measure, found.value) == (None, None)
        assert "nDCG(gains=exp2)@10" in [each.measure for each in found.matches]
        assert all(each.rules == {"missing": "skip"} for each in found.matches)


def test_several_changes_are_found_and_none_of_them_is_idle():
    qrels = QRELS | {"q1": {"a": 3, "b": 1, "c": 2, "d": 2}}
    expected = rankgauge.evaluate(qrels, RUN, "AP(rel=2,average=geometric)", missing="skip").mean()["run"]
    found = rankgauge.explain(qrels, RUN, measure="AP", target=str(*expected.values()))
    assert [(each.measure, each.rules) for each in found.matches[:1]] == [
        ("AP(rel=2,average=geometric)", {"missing": "skip"})
    ]
    assert found.matches[0].changes == 3
    for each in found.matches:  # without ties, no rule for them is among the changes
        assert not {"ties", "score_precision", "order"} & each.rules.keys()


def test_the_closest_definition_comes_first_where_digits_cannot_tell_them_apart():
    found = rankgauge.explain(QRELS, RUN, measure="P@2", target="0.5")
    changes = [each.changes for each in found.matches]
    assert found.matches[0].measure == "P@2"
    assert changes == sorted(changes)
    assert changes[0] == 0 < len(changes) - 1
    assert "The digits given cannot tell these apart" in repr(found)


def test_another_measure_is_found_and_counts_as_one_change():
    qrels = QRELS | {"q1": {"a": 3, "b": 1, "c": 2, "d": 2}}
    ap = rankgauge.evaluate(qrels, RUN, "AP").mean()["run"]["AP"]
    found = rankgauge.explain(qrels, RUN, measure="nDCG@10", target=f"{ap:.6f}")
    first = found.matches[0]
    assert (first.measure, first.rules, first.changes) == ("AP", {}, 1)
    assert f"{ap:.6f} is the run's AP, another measure than nDCG@10." in repr(found)
    topic = rankgauge.explain(qrels, RUN, topic="q2", measure="nDCG@10", target="0.5000")
    assert (topic.matches[0].measure, "is the topic's AP, another" in repr(topic)) == ("AP", True)


def test_other_measures_come_after_the_measure_asked_for_with_as_many_changes():
    found = rankgauge.explain(QRELS, RUN, measure="P@2", target="0.5")
    assert {parse(each.measure).spec.name for each in found.matches} == {"P"}
    found = rankgauge.explain(QRELS, RUN, measure="AP(rel=3)", target="0.5000")
    names = [parse(each.measure).spec.name for each in found.matches if each.changes == 1]
    assert (names[0], "R" in names) == ("AP", True)
    assert "another measure" not in repr(found)


@pytest.mark.parametrize(("digits", "targets"), [(2, 200), (3, 500)])
def test_random_numbers_match_as_often_as_expected_by_chance(digits, targets, monkeypatch):
    rng = random.Random(5)
    docs = [f"d{number}" for number in range(40)]
    qrels = {f"q{n}": {doc: rng.choice([0, 0, 0, 1, 2]) for doc in docs} for n in range(12)}
    run = {topic: {doc: rng.random() for doc in docs[:30]} for topic in qrels}
    kept = []
    estimate = search.matches_by_chance
    monkeypatch.setattr(search, "matches_by_chance", lambda *given: kept.append(given[1]) or estimate(*given))
    rankgauge.explain(qrels, run, measure="nDCG@10", target="0.9999")
    distinct = {round(each.value, 12): each for each in kept[0]}.values()
    matches, expected = 0, 0.0
    for _ in range(targets):
        target = Target.of(f"{rng.random():.{digits}f}")
        matches += sum(target.matches(each.value, each.way.measure) for each in distinct)
        expected += estimate(target, kept[0])[1]
    assert matches > 50
    assert expected == pytest.approx(matches, rel=0.25)


@pytest.mark.parametrize("target", ["0.0000", "-0.5", "1", "34.21%", "16.80"])
def test_matches_by_chance_are_estimated_for_any_number(target):
    found = rankgauge.explain(QRELS, RUN, target=target)
    assert 0 <= found.expected_by_chance < found.values <= found.tried
    for text in (repr(found), found._repr_html_()):
        assert f"{found.values} distinct values" in text
        assert "would match by chance" in text
    assert found.as_dict()["expected_by_chance"] == found.expected_by_chance


def test_where_nothing_matches_the_nearest_is_named():
    found = rankgauge.explain(QRELS, RUN, measure="nDCG@10", target="0.123456789")
    assert not found.matches
    near = [abs(each.difference) for each in found.nearest]
    assert near == sorted(near)
    assert f"none gives 0.123456789. The nearest is {found.nearest[0].measure}" in repr(found)


def test_a_number_that_cannot_be_a_value_is_noted():
    found = rankgauge.explain(QRELS, RUN, measure="nDCG@10", target="342.1")
    assert "342.1 cannot be a value of nDCG, which goes from 0 to 1." in found.notes
    assert "-0.5 cannot be a value of DCG, which goes from 0 upwards." in repr(
        rankgauge.explain(QRELS, RUN, measure="DCG@10", target="-0.5")
    )
    assert rankgauge.explain(QRELS, RUN, measure="P", target="50").notes == ("50 is taken as a percentage.",)


def test_the_value_of_a_topic_is_found():
    found = rankgauge.explain(
        QRELS, RUN, topic="q1", measure="nDCG@10", target=f"{(1 + 7 / LOG3) / (7 + 1 / LOG3):.6f}"
    )
    assert [(each.measure, each.rules) for each in found.matches] == [("nDCG(gains=exp2)@10", {})]
    assert found.topic == "q1"
    assert repr(found).startswith("Which definition gives 0.709810 for topic q1 of run run?")
    with pytest.raises(InputError, match="no judged topic named 'q9'"):
        rankgauge.explain(QRELS, RUN, topic="q9", target="0.5")


def test_an_undefined_value_of_a_topic_counts_as_the_0_that_tools_print():
    found = rankgauge.explain({"q": {"a": 0}}, {"q": {"a": 1.0}}, topic="q", measure="AP", target="0.0000")
    assert found.matches[0].measure == "AP"


def test_ties_are_tried_where_there_are_some():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    first, *others = rankgauge.explain(qrels, run, measure="RR", target="1.0").matches
    assert (first.rules, first.tools) == ({"ties": "input"}, ("ranx",))
    assert [each.rules for each in others if each.changes == 1 and each.rules] == [
        {"ties": "docid_asc"},
        {"ties": "best"},
    ]
    assert rankgauge.explain(qrels, run, measure="RR", target="0.75").matches[0].rules == {"ties": "average"}
    close = {"q": {"a": 1.00000001, "b": 1.0}}
    first = rankgauge.explain(qrels, close, measure="RR", target="0.5").matches[0]
    assert first.rules == {"score_precision": "single"}
    assert "trec_eval 9" in first.tools


def test_without_a_measure_or_a_target_the_default_measure_is_explained():
    assert rankgauge.explain(QRELS, RUN).measure == "nDCG@10"
    assert rankgauge.explain(QRELS, RUN, topic=next(iter(QRELS))).measure == "nDCG@10"


def test_judgments_by_subtopic_have_measures_of_their_own():
    qrels = {"q": {"s1": {"a": 1}, "s2": {"a": 1, "b": 1}}}
    run = {"q": {"b": 2.0, "a": 1.0}}
    value = rankgauge.evaluate(qrels, run, "alpha_nDCG@10").mean()["run"]["alpha_nDCG@10"]
    found = rankgauge.explain(qrels, run, target=f"{value:.6f}")
    assert "alpha_nDCG@10" in [each.measure for each in found.matches]
    assert all(parse(name).spec.needs.subtopics for name in OF_SUBTOPICS)
    assert not any(parse(name).spec.needs.subtopics for name in WELL_KNOWN)


def test_progress_is_reported():
    reports = []
    rankgauge.explain(
        QRELS, RUN, measure="nDCG@10", target="0.5", progress=lambda *done: reports.append(done)
    )
    assert reports[-1][0] == reports[-1][1] > 10
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)


@pytest.mark.parametrize(
    "text",
    [
        "nDCG(gains={1:1,2:10,3:100},judged_only=true,negatives=nonrelevant)@7",
        "AP11(points={0,0.5,1})",
        "AP(grade=2)",
        "AP(rel=2,average=median)",
        "IPrec@0.3",
        "NormRecall(docs=100)",  # which has a parameter with the name of a rule
        "F(beta=2)@3",
    ],
)
def test_the_search_starts_from_any_settings(text):
    value = rankgauge.evaluate(QRELS, RUN, text).mean()["run"][text]
    first = rankgauge.explain(QRELS, RUN, measure=text, target=value).matches[0]
    assert (first.measure, first.rules, first.difference, first.changes) == (text, {}, 0, 0)


@pytest.mark.parametrize("name", list(MEASURES))
@settings(max_examples=2)
@given(campaign=campaigns(), skips=st.booleans())
def test_every_measure_finds_its_own_value_and_candidates_have_those_of_evaluate(name, campaign, skips):
    rules = {"missing": "skip"} if skips else {}
    qrels, run = judged_for(campaign[0], plainest(name)), campaign[1]
    measure = str(parse(plainest(name)))
    value = rankgauge.evaluate(qrels, run, measure, **rules).mean()["run"][measure]
    target = 0.5 if math.isnan(value) or math.isinf(value) else value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankgauge.explanation.way_search.MAX_EVALUATIONS", 40)
        found = rankgauge.explain(qrels, run, measure=measure, target=target, **rules)
    if target == value:
        assert (found.matches[0].measure, found.matches[0].rules) == (measure, {})
        assert found.matches[0].difference == 0
    for each in (*found.matches[:4], *found.nearest[:4]):
        scores = rankgauge.evaluate(qrels, run, each.measure, **rules | each.rules)
        assert scores.mean()["run"][each.measure] == each.value
        assert each.difference == pytest.approx(each.value - target, abs=1e-9) or abs(target) > 1
    for form in FORMATS:
        assert list(document_lines(found.document(limit=2), form))
    assert "<h" not in found._repr_html_()
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["tried"] == found.tried


def test_a_number_below_0_may_be_a_value_where_gains_are():
    qrels, run = {"1": {"a": 1, "b": 0, "c": 0}}, {"1": {"b": 3, "c": 2, "a": 1}}
    found = rankgauge.explain(qrels, run, measure="CG(gains={0:-1,1:1})", target="-1")
    assert [match.measure for match in found.matches] == ["CG(gains={0:-1,1:1})"]
    assert found.notes == ()
