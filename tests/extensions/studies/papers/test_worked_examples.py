"""Every number that the documents print is rankgauge's, to the printed digits."""

from dataclasses import replace

import pytest

from rankgauge.errors import OptionError
from rankgauge.extensions.studies.papers import EXPERIMENTS, worked_examples
from rankgauge.extensions.studies.papers.catalogue.lecture import CALCULATIONS, EXPERIMENT
from rankgauge.extensions.studies.papers.registry import Inputs
from rankgauge.extensions.studies.simulation import examples

EXAMPLES = [example for document in worked_examples.DOCUMENTS for example in worked_examples.of(document)]
# How many numbers are transcribed; a check that gets lost is noticed.
COUNTS = {
    "jarvelin-2002": 10 + 13 + 10 + 12 + 10,
    "ferro-2016": 2 * 5 * 15 + 3 * 3 + 2 * 2,
    "clarke-2008": 8 + 7 + 3 + 3 + 3,
    "sakai-2006": 2,
    "lecture-sets": 6,
    "lecture-ap": 2 * 40 + 6 + 2 + 22,
    "lecture-ranks": 10,
    "lecture-rr": 8 + 8,
    "lecture-ndcg": 30,
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_printed_number_is_that_of_rankgauge(example):
    found = list(worked_examples.values(example))
    assert [check for check, _ in found] == [*example.checks]
    assert not [(check, value) for check, value in found if not check.agrees(value)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_another_last_digit_does_not_agree(example):
    for check, value in worked_examples.values(example):
        for step in (-1, 1):
            changed = replace(check, printed=check.printed + step * 10**-check.places)
            assert not changed.agrees(value), (changed, value)


def test_digits_are_cut_off_only_where_rounding_would_give_others():
    cut = [
        (example.name, check, value)
        for example in EXAMPLES
        for check, value in worked_examples.values(example)
        if check.cut
    ]
    assert [(name, check.run, check.rank) for name, check, _ in cut] == [
        ("jarvelin-2002", "I", 6),
        ("jarvelin-2002", "I", 8),
        *(("lecture-ap", "system-1", rank) for rank in (6, 7, 8, 9)),
    ]
    assert not [check for _, check, value in cut if replace(check, cut=False).agrees(value)]


def test_no_number_is_lost():
    assert {example.name: len(example.checks) for example in EXAMPLES} == COUNTS


def test_every_example_belongs_to_one_document():
    listed = [name for names in worked_examples.DOCUMENTS.values() for name in names]
    assert sorted(listed) == sorted(examples.names())


def test_calculations_have_the_printed_results():
    sizes = [1] * 5 + [99] * 5
    by_student = [size for size in sizes for _ in range(size)]
    macro, micro = sum(sizes) / len(sizes), sum(by_student) / len(by_student)
    assert [*CALCULATIONS.values()] == [(macro, 50), (micro, 98.02)]
    tables = EXPERIMENT.parts["worked-examples"].function(Inputs({})).tables
    assert [row[-1] for row in tables["worked-calculations"].rows] == ["yes", "yes"]


def test_a_check_shows_the_places_that_count():
    _, ndcg, *_ = worked_examples.of("lecture")[-1].checks
    assert (ndcg.measure, ndcg.rank, ndcg.text) == ("DCG(gains=exp2)", 2, "8.89")
    assert worked_examples.of("cumulated-gain")[0].checks[0].text == "3.00"


def test_an_unknown_document_is_named_with_the_nearest():
    with pytest.raises(OptionError, match=r"'lectures' \(did you mean lecture"):
        worked_examples.of("lectures")


@pytest.mark.parametrize(
    ("document", "agreement"),
    [
        (
            "lecture",
            "170 of 174 printed numbers agree to the last digit; 4 are cut off there instead of rounded: "
            "R of system-1 at rank 6, 7, 8, 9.",
        ),
        (
            "cumulated-gain",
            "53 of 55 printed numbers agree to the last digit; 2 are cut off there instead of "
            "rounded: DCG(base=2) of I at rank 6, 8.",
        ),
        ("twist", "163 of 163 printed numbers agree to the last digit."),
    ],
)
def test_numbers_that_are_cut_off_are_listed_as_such(document, agreement):
    contents = EXPERIMENTS[document].parts["worked-examples"].function(Inputs({}))
    assert contents.sentences == [agreement]
    answers = [row[-1] for table in contents.tables.values() for row in table.rows]
    assert answers.count("yes") == int(agreement.split()[0])
    assert {*answers} <= {"yes", "cut off"}
