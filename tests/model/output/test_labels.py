"""Labels from dicts and files, and what is refused."""

import json
import re

import pytest

from rankgauge.errors import InputError
from rankgauge.model.output.labels import Labels


@pytest.fixture
def read(tmp_path):
    def read_text(text, name="labels.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Labels.read(path)

    return read_text


def test_a_name_without_a_label_is_its_own():
    assert Labels.read(None)("bm25") == Labels.read({})("bm25") == Labels.read({"ql": "QL"})("bm25") == "bm25"


@pytest.mark.parametrize("spelling", ["nDCG@10", "ndcg@10", "ndcg_cut_10", "ndcg_cut.10"])
def test_a_measure_is_named_in_any_spelling(spelling):
    assert Labels.read({spelling: "nDCG"})("nDCG@10") == "nDCG"


def test_a_label_of_the_very_name_comes_first():
    # A run may have the name of a measure.
    for labels in ({"map": "our run", "AP": "MAP"}, {"AP": "MAP", "map": "our run"}):
        assert (Labels.read(labels)("map"), Labels.read(labels)("AP")) == ("our run", "MAP")


@pytest.mark.parametrize(
    "text",
    [
        'a,"Smith, 2020"\nb,"the ""best"" one"\n',
        '\ufeffname,label\r\na,"Smith, 2020"\r\n\r\nb,"the ""best"" one"\r\n',
        '# what the paper calls them\na\tSmith, 2020\n# and others\nb\t"the ""best"" one"',
        'Name;Label\n"a";Smith, 2020\nb;the "best" one\n',
        json.dumps({"a": "Smith, 2020", "b": 'the "best" one'}, indent=1),
    ],
)
def test_a_file_has_two_columns_or_an_object(read, text):
    labels = read(text)
    assert (labels("a"), labels("b"), labels("name")) == ("Smith, 2020", 'the "best" one', "name")


def test_names_that_are_not_utf8_are_found(read):
    assert read(b"r\xfcn,R\xc3\xbcn\n")("r\udcfcn") == "Rün"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,A\n\nb\n", 'labels.csv:3: expected a name and its label, found "b"'),
        ("a,A\nb,B,C\n", "labels.csv:2: expected a name and its label"),
        ("a,A\nb,\n", "labels.csv:2: expected a name and its label"),
        ("a,A\nb,B\na,C\n", 'labels.csv:3: "a" has two labels, "A" and "C"; keep one'),
        ("a,A\na,A\n", 'labels.csv:2: "a" has two labels'),
        ("map,A\nAP(rel=1),B\n", 'labels.csv:2: "map" and "AP(rel=1)" are the same measure, with two labels'),
        ('{"a": "A",\n "b" "B"}', "labels.csv:2: is not JSON: Expecting ':' delimiter"),
        ('{"a": "A", "a": "B"}', 'labels.csv: "a" has two labels'),
        ('{"a": 1}', "labels.csv: the label of 'a' is 1; both must be texts"),
        ('{"a": {"b": "c"}}', "both must be texts"),
        ("{" * 100_000, "labels.csv"),
        ('{"a": ' + "1" * 5000 + "}", "labels.csv: a number is too long"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        (b"a\0,b", "labels.csv:1: is not text"),
    ],
)
def test_what_is_refused(read, text, problem):
    with pytest.raises(InputError, match=re.escape(problem)):
        read(text)


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv"):
        Labels.read(tmp_path / "none.csv")


def test_labels_of_nothing_are_named_once_as_they_were_written():
    labels = Labels.read({"ndcg@10": "nDCG", "bm25": "BM25", "P@5": "P"})
    assert labels.unmatched(["nDCG@10", "bm25", "P@5", "AP"]) == []
    assert labels.unmatched(["bm25", "P@5"]) == [
        'no run, measure or topic named "ndcg@10"; the label is not used'
    ]
    many = Labels.read({f"r{i}": "x" for i in range(9)})
    (sentence,) = many.unmatched([])
    assert 'named "r0", "r1", "r2", "r3", "r4" and 4 more; these labels are not used' in sentence
    assert Labels.read(None).unmatched([]) == []
