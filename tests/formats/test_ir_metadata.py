"""The header of ir_metadata is YAML, whatever the metadata are."""

from datetime import date

import numpy as np
import pytest

from rankgauge.errors import OptionError
from rankgauge.formats.trec import header


def read(metadata):
    yaml = pytest.importorskip("yaml")
    lines = header(metadata).decode().split("\n")
    assert (lines[0], lines[-2:]) == ("# ir_metadata.start", ["# ir_metadata.end", ""])
    return yaml.safe_load("\n".join(line.removeprefix("# ") for line in lines[1:-2]))


@pytest.mark.parametrize(
    "key", ["no", "Yes", "null", "- a", "a: b", "a ", "1", "", "é", "😀", "\ud800", "\x85"]
)
def test_a_key_is_the_text_that_it_was(key):
    assert read({key: 1, "in": {key: [{key: 2}]}}) == {key: 1, "in": {key: [{key: 2}]}}


@pytest.mark.parametrize(
    "value", ["no", "1", "😀\ud800", "\x7f\u2028\n", [], {}, [[], {}], None, True, 1.5, "a # b", {"x": {}}]
)
def test_a_value_is_what_it_was(value):
    assert read({"a": value, "b": [value]}) == {"a": value, "b": [value]}


def test_keys_are_text_dates_too_and_other_objects_are_refused():
    day = date(2026, 11, 18)
    found = read({2026: day, day: np.float32(0.5), "mean": float("nan"), "some": np.arange(2)})
    assert found == {"2026": "2026-11-18", "2026-11-18": 0.5, "mean": None, "some": [0, 1]}
    with pytest.raises(OptionError, match=r"metadata have a set, \{1\}; use text, numbers"):
        header({"a": [{"b": {1}}]})
