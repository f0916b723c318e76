"""Explanations of means: every number in them is one that evaluation would give, for every measure."""

import json
import math
from itertools import groupby

import pytest
from hypothesis import given

import rankgauge
from cases import (
    campaigns,
    cutoffs,
    few_for_each_measure,
    identical,
    judged_for,
    levels_of,
    seeds,
    settings_of,
    written,
)
from rankgauge.compat.trec_eval.columns import MEASURES as TREC_EVAL
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.explanation.ways import NEW_IN_10, TOOLS
from rankgauge.measures import MEASURES, parse
from rankgauge.model.output.documents import FORMATS, document_lines

NAMES = list(MEASURES)


def means(qrels, run, texts, **rules):
    """The means that evaluation has for one run."""
    return rankgauge.evaluate(qrels, run, texts, **rules).mean()["run"]


def law(name, campaign, seed, cutoff, **rules):
    """(explanation, measure, judgments, run) under the settings of a seed."""
    qrels, run = campaign
    spec = MEASURES[name]
    text = written(name, settings_of(spec, seed, levels_of(qrels)), cutoff if spec.curve else None)
    judged = judged_for(qrels, text)
    return rankgauge.explain(judged, run, measure=text, **rules), parse(text), judged, run


@pytest.mark.parametrize("name", NAMES)
@few_for_each_measure
@given(campaign=campaigns(), seed=seeds(), cutoff=cutoffs())
def test_every_value_is_that_of_evaluate_and_contributions_add_up(name, campaign, seed, cutoff):
    asked = {"missing": ["zero", "skip"][seed % 2], "undefined": ["zero", "skip"][seed // 2 % 2]}
    found, measure, qrels, run = law(name, campaign, seed, cutoff, **asked)
    expected = means(qrels, run, [measure, *found.variants], **asked)
    assert identical(found.value, expected[str(measure)])
    assert found.measure == str(measure)
    assert str(measure) not in found.variants
    for text, value in found.variants.items():
        assert identical(value, expected[text])

    others = [(sorted((asked | each.rules).items()), each) for each in (*found.rules, *found.tools)]
    for rules, group in groupby(sorted(others, key=lambda other: other[0]), lambda other: other[0]):
        alike = [each for _, each in group]
        expected = means(qrels, run, [each.measure for each in alike], **dict(rules))
        for each in alike:
            assert identical(each.value, expected[each.measure]), each

    scores = rankgauge.evaluate(qrels, run, measure, missing="zero")
    by_topic = scores.to_dict()["run"][str(measure)]
    assert {each.topic for each in found.topics} == by_topic.keys()
    assert all(identical(each.value, by_topic[each.topic]) for each in found.topics)
    assert found.missing == sum(not run.get(topic) for topic in campaign[0])
    left_out = {each.topic for each in found.topics if not each.counts}
    assert left_out == ({t for t in campaign[0] if not run.get(t)} if asked["missing"] == "skip" else set())

    parts = [each.contribution for each in found.topics if each.contribution is not None]
    if measure.average in ("geometric", "median"):
        assert not parts
    elif parts and not math.isnan(found.value):
        assert math.fsum(parts) == pytest.approx(found.value, rel=1e-9, abs=1e-9)
    assert repr(found).startswith(f"{measure} of run run is ")
    for form in FORMATS:
        assert list(document_lines(found.document(limit=1), form))
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["measure"] == str(measure)


QRELS = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1}, "q4": {"z": 0}, "q5": {"a": 1}}
RUN = {"q1": {"a": 2.0}, "q2": {"x": 3.0, "a": 2.0}, "q3": {"x": 1.0}, "q4": {"a": 1.0}}


def test_topics_come_with_the_best_first_and_those_without_a_value_last():
    found = rankgauge.explain(QRELS, RUN, measure="AP")
    assert found.value == (1 + 1 / 4) / 5
    assert [each.topic for each in found.topics] == ["q1", "q2", "q3", "q5", "q4"]
    assert [each.contribution for each in found.topics] == [1 / 5, 1 / 4 / 5, 0, 0, 0]
    assert (found.missing, found.undefined) == (1, 1)
    shown = repr(found)
    assert "1 judged topic without results counted as empty results." in shown
    assert "1 topic without a value, by the rule undefined=zero." in shown
    assert "1 topic of 5 makes up half of the value." in shown


def test_lower_values_come_first_where_lower_is_better():
    found = rankgauge.explain(QRELS, RUN, measure="ASL")
    values = [each.value for each in found.topics if not math.isnan(each.value)]
    assert values == sorted(values)


def test_rules_show_what_they_change_and_name_those_that_change_nothing():
    found = rankgauge.explain(QRELS, RUN, measure="AP")
    by_rule = {each.name: each.value for each in found.rules}
    assert by_rule["missing=skip"] == (1 + 1 / 4) / 4
    assert by_rule["undefined=skip"] == (1 + 1 / 4) / 4
    assert not any(name.startswith("ties=") for name in by_rule)  # there are none
    assert "No difference: score_precision=single." in repr(found)  # a dict has no ranks
    tied = RUN | {"q1": {"a": 1.0, "b": 1.0}}
    by_rule = {each.name: each.value for each in rankgauge.explain(QRELS, tied, measure="AP").rules}
    assert by_rule["ties=docid_asc"] == by_rule["ties=best"] == (1 + 1 / 4) / 5
    assert by_rule["ties=average"] == (3 / 4 + 1 / 4) / 5


def test_averages_are_among_the_definitions():
    variants = rankgauge.explain(QRELS, RUN, measure="P@2").variants
    assert variants["P(average=micro)@2"] == 2 / 10
    assert variants["P(average=median)@2"] == 0
    assert "P(average=sum)@2" not in variants
    assert set(rankgauge.explain(QRELS, RUN, measure="NumRel").variants) == {"NumRel(judged_only=true)"}


def test_other_tools_have_their_own_definitions_and_rules():
    qrels, run = QRELS | {"q1": {"a": 3, "b": 1}}, RUN | {"q1": {"b": 2.0, "a": 1.0}}
    tools = {each.name: each for each in rankgauge.explain(qrels, run, measure="nDCG@10").tools}
    assert tools["gdeval"].measure == "nDCG(gains=exp2)@10"
    assert tools["gdeval"].rules == {"missing": "skip"}
    assert (
        tools["gdeval"].value
        == means(qrels, run, "nDCG(gains=exp2)@10", missing="skip")["nDCG(gains=exp2)@10"]
    )
    assert tools["trec_eval 9"].rules == {"score_precision": "single", "missing": "skip"}
    assert tools["trec_eval 10 -c"].rules == {}
    assert not rankgauge.explain(qrels, run, measure="ASL").tools


def test_rules_of_trec_eval_hold_whatever_rules_were_asked_for():
    asked = {"ties": "input", "missing": "skip", "undefined": "skip", "score_precision": "single"}
    found = rankgauge.explain(QRELS, RUN, measure="AP", **asked)
    [tool] = [each for each in found.tools if each.name == "trec_eval 10 -c"]
    assert tool.value == rankgauge.explain(QRELS, RUN, measure="AP").value
    assert tool.rules.keys() == asked.keys()


def test_measures_that_are_new_in_version_10_are_those_of_the_command():
    table = {name for name, entry in TREC_EVAL.items() if entry.since == 10}
    assert {name.removesuffix("_k") for name in NEW_IN_10} == table


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: f"{tool.name}-{tool.rules}")
def test_every_tool_has_measures(tool):
    texts = ["AP@10", "AP", "nDCG@10", "RR@10", "ERR@20", "alpha_nDCG@10"]
    assert any(tool.measure(parse(text)) is not None for text in texts)


def test_long_tables_show_the_best_and_the_worst_topics():
    qrels = {f"t{n:02}": {"a": 1} for n in range(30)}
    run = {f"t{n:02}": {**{f"x{m}": 99.0 - m for m in range(n)}, "a": 1.0} for n in range(30)}
    found = rankgauge.explain(qrels, run, measure="RR")
    [section] = [each for each in found.document(limit=5).sections if each.title.startswith("Topics, the")]
    rows = list(section.table.rows)
    assert [row[0] for row in rows] == ["t00", "t01", "t02", "(25 more topics)", "t28", "t29"]
    assert math.fsum(row[2] for row in rows) == pytest.approx(found.value)
    assert math.fsum(row[3] for row in rows) == pytest.approx(1)


def test_a_mean_over_orders_of_tied_documents_can_be_explained_and_a_topic_cannot():
    tied = RUN | {"q1": {"a": 1.0, "b": 1.0}}
    assert rankgauge.explain(QRELS, tied, measure="AP", ties="average").value == (3 / 4 + 1 / 4) / 5
    with pytest.raises(OptionError, match="an explanation of a topic shows one order"):
        rankgauge.explain(QRELS, tied, topic="q1", measure="AP", ties="average")


@pytest.mark.parametrize(
    ("inputs", "options", "error", "message"),
    [
        ((QRELS, RUN), {"order": "rank"}, OptionError, "needs a rank"),
        (({"q": {"a": 2000}}, {"q": {"a": 1.0}}), {"measure": "nDCG(gains=exp2)"}, MeasureError, None),
        ((QRELS, {"other": {"a": 1.0}}), {}, InputError, None),
        ((QRELS, {}), {}, InputError, None),
        ((QRELS, RUN), {"misspelt": "x"}, OptionError, "misspelt"),
    ],
)
def test_what_evaluate_refuses_is_refused(inputs, options, error, message):
    with pytest.raises(error, match=message):
        rankgauge.explain(*inputs, **{"measure": "AP"} | options)


@pytest.mark.parametrize("tied", [False, True])
def test_a_run_is_read_once_for_each_order_that_can_make_a_difference(tied, monkeypatch):
    orders, retrieve = [], LocalEngine.retrieve

    def counted(engine, *arguments):
        orders.append(engine.order.core_rules())
        return retrieve(engine, *arguments)

    monkeypatch.setattr(LocalEngine, "retrieve", counted)
    run = rankgauge.Run.from_dict(RUN | ({"q1": {"a": 1.0, "b": 1.0}} if tied else {}))
    rankgauge.explain(QRELS, run, measure="nDCG@10")
    expected = [("score", "docid_desc", "double"), ("score", "docid_desc", "single")]
    expected += [("rank", "docid_desc", "double"), ("score", "rank", "double")]  # which find no ranks
    expected += [("score", ties, "double") for ties in ("docid_asc", "input")] if tied else []
    assert sorted(orders) == sorted(expected)


def test_tools_with_the_same_value_share_a_line():
    found = rankgauge.explain(QRELS, RUN, measure="AP")
    [section] = [each for each in found.document().sections if each.title == "As other tools compute it"]
    assert [(row[0], row[2]) for row in section.table.rows] == [
        ("trec_eval 10 -c, trec_eval 9 -c, ir_measures, ranx", ""),
        ("trec_eval 10, trec_eval 9, pytrec_eval", "missing=skip"),
    ]


def test_rules_of_different_names_that_do_the_same_are_shown_by_one_of_them(write):
    qrels = write("qrels", "q 0 a 1\n")
    run = write(
        "bm25.run", "q Q0 a 1 1 t\nq Q0 b 2 1 t\n"
    )  # ties by input or by rank put the relevant one first
    found = rankgauge.explain(qrels, run, measure="nDCG@10")
    [section] = [each for each in found.document().sections if each.title == "As other tools compute it"]
    rows = {row[0]: row[2] for row in section.table.rows}
    assert rows["ranx, NTCIREVAL MSnDCG"] == "ties=input"
