"""Tables from files."""

import math

import pytest

from rankgauge.errors import InputError
from rankgauge.extensions.pages.commands.figure import read_table
from rankgauge.model.output.tables import FORMATS, Table, render


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl"])
def test_a_table_comes_back_from_a_file(form, write):
    table = Table(("name", "x,y", "v"), [("a,\"b'", 1.5, 0.25), ("ü\\", math.nan, -2.0)])
    text = render(table, form, places=4)
    result = read_table(str(write(f"t{FORMATS[form].extensions[0]}", text)))
    assert [*result.headers] == ["name", "x,y", "v"]
    first, second = result.rows
    assert [*first] == ["a,\"b'", 1.5, 0.25]
    assert second[0] == "ü\\"
    assert second[1] is None or math.isnan(second[1])
    assert second[2] == -2.0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.txt", "", "one of the extensions .csv, .tsv, .json, .jsonl"),
        ("t.csv", "", "contains no table"),
        ("t.csv", "a,b\n1,2\n3\n", "t.csv:3: expected 2 columns, found 1"),
        ("t.csv", 'a,b\n\n1,"x\ny"\n3\n', "t.csv:5: expected 2 columns, found 1"),
        ("t.csv", f"a,b\n1,{'x' * 140_000}\n", "t.csv:2: the line cannot be read: field larger"),
        ("t.json", "{", "not valid JSON"),
        ("t.json", "[" * 100_000, "nested too deeply"),
        ("t.jsonl", '{"a":' * 100_000, "nested too deeply"),
        ("t.json", f'[{{"a": {"9" * 400}}}]', "too large to be drawn"),
        ("t.json", f'[{{"a": {"9" * 5000}}}]', "not valid JSON: Exceeds the limit"),
        ("t.json", '{"a": 1}', "a list of objects"),
        ("t.json", "[]", "contains no table"),
        ("t.jsonl", '{"a": [1]}', "text and numbers"),
        ("missing.csv", None, "no such file"),
    ],
)
def test_a_file_that_holds_no_table_is_refused(name, text, message, write, tmp_path):
    path = tmp_path / name if text is None else write(name, text)
    with pytest.raises(InputError, match=message):
        read_table(str(path))
