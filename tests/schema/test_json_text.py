"""JSON text: NaN, infinity, NumPy and text in any script."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest

from rankgauge.schema.json_text import json_value, to_json

VALUES = {"a": [1, 0.5, math.nan, math.inf], "b": (True, None, -math.inf, "x"), "c": {1: np.float64("nan")}}


@pytest.mark.parametrize(("infinity", "high", "low"), [("null", None, None), ("text", "inf", "-inf")])
def test_nan_is_null_and_infinity_is_null_or_text(infinity, high, low):
    expected = {"a": [1, 0.5, None, high], "b": [True, None, low, "x"], "c": {"1": None}}
    assert json_value(VALUES, infinity=infinity) == expected
    assert json.loads(to_json(VALUES, infinity=infinity)) == expected


def test_numbers_keep_every_digit_and_their_kind():
    assert to_json([1, 1.0, 0.1 + 0.2, True]) == "[1, 1.0, 0.30000000000000004, true]"


def test_scalars_and_arrays_of_numpy_are_numbers():
    values = {"n": np.int64(3), "x": np.float32(0.5), "row": np.array([1.0, math.nan])}
    assert to_json(values) == '{"n": 3, "x": 0.5, "row": [1.0, null]}'
    assert json_value(values) == {"n": 3, "x": 0.5, "row": [1.0, None]}


def test_anything_else_is_refused_unless_there_is_a_way_to_convert_it():
    with pytest.raises(TypeError, match="set cannot be written as JSON"):
        to_json({"a": {1}})
    assert json_value([{1}], other=str) == ["{1}"]


def test_text_is_kept_in_any_script_and_escaped_where_it_is_not_unicode():
    assert to_json("Ärger 日本") == '"Ärger 日本"'
    assert to_json("Ärger", ascii_only=True) == '"\\u00c4rger"'
    broken = b"\xff".decode("utf-8", "surrogateescape")
    assert to_json([broken]).encode("utf-8")
    assert json.loads(to_json([broken])) == [broken]


def test_text_is_on_one_line_indented_or_compact():
    assert to_json({"a": [1, 2]}) == '{"a": [1, 2]}'
    assert to_json({"a": [1]}, indent=1) == '{\n "a": [\n  1\n ]\n}'
    assert to_json({"a": [1, 2]}, compact=True) == '{"a":[1,2]}'
    nested = {"a": [1, {"b": 2}], "c": {"d": 3}}
    assert to_json(nested, indent=1, compact=True) == json.dumps(nested, indent=1, separators=(",", ":"))


@pytest.mark.parametrize("indent", [0, 2])
@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(
    "value",
    [
        [{"a": 1, "b": '},{\0"'}, {"c": 0.5}, {"d": None, "é": True}],
        [{"a": 1}, {}],
        [{"a": 1}, {"b": [{"c": 1}, {"c": 2}]}, [], (1, 2), "x"],
        {"a": {}, 2: [[], [[1], [2, 3]]], None: {"b": ({"c": 1, "d": 2},)}},
        [],
        "a\nb",
    ],
)
def test_indented_text_is_that_of_python(value, indent, ascii_only):
    expected = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert to_json(value, indent, ascii_only=ascii_only) == expected
    assert to_json({"n": np.array([1, 2])}, indent) == json.dumps({"n": [1, 2]}, indent=indent)


def test_importing_the_module_imports_neither_json_nor_numpy():
    code = "import sys, rankgauge.schema.json_text; print([m for m in ('json', 'numpy') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"
