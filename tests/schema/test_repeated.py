"""Repeated names are found in one pass, however many there are."""

import pytest

from rankgauge import Evaluator
from rankgauge.errors import InputError
from rankgauge.formats import json
from rankgauge.schema.text import repeated

COUNT = 2_000


class Counted(str):
    """A name that counts how often it is compared with another."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other):
        Counted.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.fixture
def names():
    """Many names, the last one twice."""
    Counted.comparisons = 0
    names = [Counted(f"d{number}") for number in range(COUNT)]
    return [*names, Counted(f"d{COUNT - 1}")]


def test_repeated_words_come_in_the_order_of_their_second_occurrence():
    assert repeated("abcbca") == ["b", "c", "a"]
    assert repeated("abc") == []


def test_a_name_twice_in_a_large_json_object_is_found_in_one_pass(names):
    with pytest.raises(ValueError, match=f'"d{COUNT - 1}" occurs twice'):
        json._object([(name, 1) for name in names])
    assert Counted.comparisons < 10 * COUNT


def test_a_candidate_listed_twice_is_found_in_one_pass(names):
    with pytest.raises(InputError, match="a document is listed twice"):
        Evaluator({"1": {"d1": 1}}, "RR").fixed({"1": names})
    assert Counted.comparisons < 10 * COUNT
