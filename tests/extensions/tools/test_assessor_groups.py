"""Judgment groups: scored alone, then averaged."""

import math

import pytest

import rankgauge
from rankgauge.errors import InputError, NoCommonTopic, OptionError
from rankgauge.extensions.tools import assessor_groups as groups

JUDGED = {
    "q1": {"anna": {"a": 1, "b": 0}, "ben": {"b": 2}},
    "q2": {"anna": {"c": 1}},
}
RUN = {"q1": {"a": 0.9, "b": 0.8, "z": 0.7}, "q2": {"z": 0.2, "c": 0.1}}
MEASURES = "AP RR P@1 nDCG@5 AP(rel=2)"


def one_group(name):
    return {topic: judged[name] for topic, judged in JUDGED.items() if name in judged}


def test_a_topic_has_the_mean_of_its_groups():
    found = groups.evaluate(JUDGED, RUN, MEASURES).to_dict()["run"]
    anna, ben = (
        rankgauge.evaluate(one_group(name), RUN, MEASURES).to_dict()["run"] for name in ("anna", "ben")
    )
    for measure in ("AP", "RR", "P@1", "nDCG@5"):
        assert found[measure]["q1"] == (anna[measure]["q1"] + ben[measure]["q1"]) / 2
        assert found[measure]["q2"] == anna[measure]["q2"]


def test_what_is_undefined_for_one_group_counts_as_0_or_not_at_all():
    assert groups.evaluate(JUDGED, RUN, "AP(rel=2)").to_dict()["run"]["AP(rel=2)"]["q1"] == 0.25
    skipped = groups.evaluate(JUDGED, RUN, "AP(rel=2)", undefined="skip").to_dict()["run"]["AP(rel=2)"]
    assert skipped["q1"] == 0.5
    assert math.isnan(skipped["q2"])


def test_a_file_has_the_group_in_its_second_column(write):
    path = write("qrels", "q1 anna a 1\nq1 anna b 0\nq1 ben b 2\nq2 anna c 1\n")
    assert str(groups.evaluate(path, RUN, MEASURES).to_dict()) == str(
        groups.evaluate(JUDGED, RUN, MEASURES).to_dict()
    )


def test_missing_topics_and_depth_are_options_here_too():
    short = {"q1": RUN["q1"]}
    assert groups.evaluate(JUDGED, short, "RR").mean()["run"]["RR"] == 0.375
    assert groups.evaluate(JUDGED, short, "RR", missing="skip").mean()["run"]["RR"] == 0.75
    assert groups.evaluate(JUDGED, RUN, "RR", depth=1).mean()["run"]["RR"] == 0.25


def test_a_group_whose_topics_the_run_has_not_is_no_error():
    judged = JUDGED | {"q3": {"cleo": {"a": 1}}}
    assert groups.evaluate(judged, RUN, "RR").provenance.runs["run"].missing == 1


def test_a_run_of_other_topics_is_an_error():
    with pytest.raises(NoCommonTopic):
        groups.evaluate(JUDGED, {"q9": {"a": 1.0}}, "RR")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "the input has no rows"),
        ({"q": 1}, 'topic "q" has an int'),
        (7, "an int is not judgments"),
        (
            {"q": {"anna": 3}},
            "these judgments have no groups; judgments by group must be a TREC file, a dict",
        ),
        ({"q": ["a"]}, "these judgments have no groups"),
    ],
)
def test_anything_but_judgments_by_group_is_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        groups.evaluate(wrong, RUN, "RR")


def test_records_and_columns_have_groups_too():
    rows = [
        (q, group, d, g) for q, by in JUDGED.items() for group, docs in by.items() for d, g in docs.items()
    ]
    columns = dict(
        zip(("query_id", "iteration", "doc_id", "relevance"), zip(*rows, strict=True), strict=True)
    )
    records = (dict(zip(columns, row, strict=True)) for row in rows)
    expected = groups.evaluate(JUDGED, RUN, "RR AP").to_dict()
    assert groups.evaluate(columns, RUN, "RR AP").to_dict() == expected
    assert groups.evaluate(records, RUN, "RR AP").to_dict() == expected


def test_a_document_twice_in_one_group_is_an_error(write):
    path = write("qrels", "q1 anna a 1\nq1 ben a 0\nq1 anna a 0\n")
    with pytest.raises(InputError, match="occurs twice"):
        groups.evaluate(path, RUN, "RR")


def test_groups_and_preferences_need_one_order_of_documents():
    with pytest.raises(OptionError, match="one order of documents"):
        groups.evaluate(JUDGED, RUN, "AP", ties="worst")
    with pytest.raises(OptionError, match="one order of documents"):
        rankgauge.preferences.evaluate({"q1": {"anna": {"0": {"a": 1, "b": 0}}}}, RUN, ties="average")
