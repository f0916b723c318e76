"""Texts that are made in one place: messages, repeated names."""

import pytest

from rankgauge.errors import OptionError
from rankgauge.formats import json
from rankgauge.schema.options import read_whole_number
from rankgauge.schema.text import MAX_LISTED, repeated, unknown_name, unknown_option

COUNT = 2_000


def test_an_unknown_name_is_answered_with_the_nearest_and_all_of_few():
    assert unknown_name("run", "bm52", ["bm25", "ql"]) == (
        "no run named 'bm52' (did you mean bm25?); use one of bm25, ql"
    )
    assert unknown_name("run", "x", ["bm25"], "there is one") == "no run named 'x'; there is one"


def test_of_many_names_some_are_listed():
    names = [f"run{number}" for number in range(MAX_LISTED + 1)]
    message = unknown_name("run", "x", names)
    assert message.endswith("use one of run0, run1, run2, run3, run4, ... (26 in all)")


def test_an_unknown_option_is_answered_with_those_there_are():
    assert unknown_option("the study power", "option", "tset", ["test", "seed"]) == (
        "the study power has no option 'tset' (did you mean test?); it has test, seed"
    )
    assert unknown_option("it", "option", "x", []).endswith("it has none")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *((text, f"'{text}'") for text in ("", "x", "1.5", "-1", "1_0")),
        ("0", "0"),
        ("11", "11"),
        ("9" * 5000, "9" * 30),
    ],
)
def test_what_is_no_whole_number_in_the_range_is_refused(text, shown):
    with pytest.raises(OptionError, match=f"--depth must be a whole number from 1 to 10, not {shown}$"):
        read_whole_number("--depth", text, 1, 10)


def test_whole_numbers_are_read():
    assert [read_whole_number("n", text, 0) for text in ("0", " 7 ", "007", "1" * 18)] == [
        0,
        7,
        7,
        int("1" * 18),
    ]


class Counted(str):
    """A name that counts how often it is compared with another."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other):
        Counted.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_repeated_words_come_in_the_order_of_their_second_occurrence():
    assert repeated("abcbca") == ["b", "c", "a"]
    assert repeated("abc") == []


def test_one_of_many_words_that_is_repeated_is_found_in_one_pass():
    names = [*(Counted(f"d{number}") for number in range(COUNT)), Counted(f"d{COUNT - 1}")]
    Counted.comparisons = 0
    with pytest.raises(ValueError, match=f'"d{COUNT - 1}" occurs twice'):
        json.unique_names([(name, 1) for name in names])
    assert Counted.comparisons < 10 * COUNT
