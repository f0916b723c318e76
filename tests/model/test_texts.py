"""Titles and texts of documents and topics: every format, any ids, and what is wrong with a file."""

import gc
import gzip
import json
import random
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from rankgauge.errors import InputError
from rankgauge.formats.source import Source
from rankgauge.model.run import Run
from rankgauge.model.texts import Text, Texts

HOSTILE = ["<script>", "a|b", "ünï", "-", "007", "7", "x" * 1000, 'quo"te', "back\\slash"]


@pytest.fixture
def records() -> dict[str, Text]:
    rng = random.Random(7)
    ids = HOSTILE + [f"d{number}" for number in range(500)]
    rng.shuffle(ids)
    return {each: Text(f"title of {each[:9]}", "words " * rng.randrange(1, 60) + "end") for each in ids}


def _written(path: Path, records: dict[str, Text], form: str) -> Path:
    if form == "jsonl":
        lines = (json.dumps({"_id": i, "title": t.title, "text": t.body}) for i, t in records.items())
    elif form == "ascii":
        lines = (
            json.dumps({"docid": i, "title": t.title, "contents": t.body}, ensure_ascii=False)
            for i, t in records.items()
        )
    elif form == "tsv":
        lines = (f"{i}\t{t.title}\t{t.body}" for i, t in records.items())
    else:
        lines = iter(["docno\tBody\tTitle", *(f"{i}\t{t.body}\t{t.title}" for i, t in records.items())])
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


@pytest.mark.parametrize("form", ["jsonl", "ascii", "tsv", "header"])
@pytest.mark.parametrize("compressed", [False, True])
def test_every_text_is_found_by_its_id(tmp_path, records, form, compressed):
    path = _written(tmp_path / "documents", records, form)
    if compressed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    texts = Texts.open(path)
    assert len(texts) == len(records)
    assert texts.kind == ("jsonl" if form in ("jsonl", "ascii") else "tsv")
    assert texts.path == str(path)
    assert texts.get_many([*records, "absent"]) == records
    assert all(texts.get(each) == text for each, text in records.items())
    assert texts.get("absent") is None
    assert texts.get(b"007") == records["007"]


def test_parquet_is_read_by_row_groups(tmp_path, records):
    table = pa.table(
        {
            "text": [t.body for t in records.values()],
            "docno": list(records),
            "title": [t.title for t in records.values()],
            "other": list(range(len(records))),
        }
    )
    parquet.write_table(table, tmp_path / "documents.parquet", row_group_size=37)
    texts = Texts.open(tmp_path / "documents.parquet")
    assert (len(texts), texts.kind) == (len(records), "parquet")
    assert texts.get_many([*records, "absent"]) == records
    assert texts.get("d17") == records["d17"]
    parquet.write_table(pa.table({"id": [3, 5], "passage": ["three", "five"]}), tmp_path / "p.parquet")
    assert Texts.open(tmp_path / "p.parquet").get_many(["5", "05"]) == {"5": Text("", "five")}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("1\tblack bear attacks\n2\tschool choice\n", {"1": Text("", "black bear attacks")}),
        ("1\thttps://a.org\tA title\tA body\n", {"1": Text("A title", "A body")}),
        (
            '{"qid": 1, "query": "bears"}\n\n{"qid": 2, "query": null}',
            {"1": Text("", "bears"), "2": Text("", "")},
        ),
        ('{"number": "1", "title": "T", "text": ["a", "b"]}', {"1": Text("T", "a\nb")}),
        ("\ufeff7\tseven\n", {"7": Text("", "seven")}),
        ('\ufeff{"id": "7", "text": "seven"}', {"7": Text("", "seven")}),
        ("7\tseven\r\n8\teight\r\n", {"7": Text("", "seven"), "8": Text("", "eight")}),
        ("7\tfirst\n7\tsecond\n", {"7": Text("", "first")}),
    ],
)
def test_layouts_that_people_have(tmp_path, content, expected):
    (tmp_path / "texts").write_text(content, encoding="utf-8", newline="")
    assert Texts.open(tmp_path / "texts").get_many(expected) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "<top>\n\n<num> Number: 301\n<title> International Organized Crime\n\n<desc> Description:\n"
            "Identify organizations\nthat participate.\n\n<narr> Narrative:\nA\n</top>\n\n"
            "<top>\n<num> Number: 302 \n<title>Polio & post\n"
            "<desc> Description: Is it under control?\n</top>",
            {
                "301": Text("International Organized Crime", "Identify organizations that participate."),
                "302": Text("Polio & post", "Is it under control?"),
            },
        ),
        (
            '<?xml version="1.0"?>\n<topics task="x">\n<topic number="1">\n'
            "<query>origin of &lt;it&gt;</query>\n<question>what is it?</question></topic>\n"
            '<topic number="2" type="faceted"><query>two</query>\n<description>Second.</description></topic>'
            "\n</topics>\n",
            {"1": Text("origin of <it>", "what is it?"), "2": Text("two", "Second.")},
        ),
    ],
    ids=["ad hoc", "attributes"],
)
def test_topics_of_trec(tmp_path, content, expected):
    (tmp_path / "topics").write_text(content)
    texts = Texts.open(tmp_path / "topics")
    assert (len(texts), texts.kind, texts.get_many(expected)) == (2, "trec", expected)


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (b'{"id": 1, "text": "a"}\n{"id": 2,\n', ":2:", "invalid JSON"),
        (b'{"id": 1, "text": "a"}\n\n{"text": "a"}\n', ":3:", "no id among"),
        (b'{"id": null, "text": "a"}\n', ":1:", "is no id"),
        (b'{"id": 1, "text": "a"}\n[1]\n', ":2:", "expected an object"),
        (b"1\ta\nb\n", ":2:", "expected an id, a tab and a text"),
        (b"id\ttext\n1\ta\tb\n", ":2:", "expected 2 columns, found 3"),
        (b"<top>\n<num> Number: 1\n</top>\n<top>\n</top>\n", ":4:", "no number"),
        (b"", "", "no texts"),
        (b"hello world\n", "", "not known"),
        (b"\0\0\0", "", "not text"),
        (b'[{"id": 1}]', "", "one object per line"),
        (b"PAR1 is not enough", "", "Parquet"),
    ],
)
def test_errors_name_the_file_and_the_line(tmp_path, content, place, message):
    path = tmp_path / "texts"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        Texts.open(path)
    assert str(error.value).startswith(f"{path}{place}")
    gc.collect()  # a file that is left open would be a warning


@pytest.mark.parametrize(
    ("columns", "message"),
    [({"text": ["a"]}, 'no id among "text"'), ({"id": ["x", None], "text": ["a", "b"]}, "row 1 ")],
)
def test_parquet_without_an_id_or_with_an_empty_one(tmp_path, columns, message):
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=message):
        Texts.open(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("content", "id", "begin"),
    [(b"a\xff\tcaf\xe9\n", b"a\xff", "caf"), (b'{"id": "x", "text": "half \\ud800"}', "x", "half ")],
)
def test_bytes_that_are_not_utf8_are_replaced_in_texts_and_kept_in_ids(tmp_path, content, id, begin):
    (tmp_path / "texts").write_bytes(content)
    text = Texts.open(tmp_path / "texts").get(id)
    assert text.body.encode().startswith(begin.encode())


def test_a_file_that_changed_is_refused(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("1\tone\n")
    texts = Texts.open(path)
    with path.open("a") as file:
        file.write("2\ttwo\n")
    with pytest.raises(InputError, match="changed"):
        texts.get("1")


def test_equal_hashes_are_distinguished_by_the_id_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("rankgauge.model.texts.hash", lambda _: 1, raising=False)
    path = tmp_path / "t.tsv"
    path.write_text("".join(f"{number}\ttext {number}\n" for number in range(9)))
    texts = Texts.open(path)
    assert texts.get_many(["3", "8", "9"]) == {"3": Text("", "text 3"), "8": Text("", "text 8")}


def test_several_threads_read_at_once(tmp_path, records):
    texts = Texts.open(_written(tmp_path / "t", records, "jsonl"))
    wrong = []

    def read(seed: int) -> None:
        rng = random.Random(seed)
        wrong.extend(each for each in rng.sample(sorted(records), 200) if texts.get(each) != records[each])

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_heading_is_one_line():
    assert Text("", "a\n b").heading == "a b"
    assert Text("T\t", "body").heading == "T"


def test_a_file_of_other_topics_is_noticed(tmp_path):
    texts = Texts.open(_written(tmp_path / "t", {"q1": Text("", "one")}, "jsonl"))
    assert texts.unmatched(["q0", "q1"]) == texts.unmatched([]) == []
    assert texts.unmatched(["q0\x1b", "q2"]) == [
        f'{tmp_path / "t"} has a text for no topic of the judgments, such as "q0\\x1b"'
    ]


def test_texts_in_memory():
    texts = Texts.of({"a": "one", b"\xff": Text("two", ""), "c": "\udc80"})
    assert (len(texts), texts.get("a"), texts.get(b"\xff")) == (3, Text("", "one"), Text("two", ""))
    assert texts.get_many(["c", "d"]) == {"c": Text("", "\ufffd")}
    assert Texts.of(texts) is texts
    with pytest.raises(InputError, match="expected a file of texts or a dict"):
        Texts.of(3)


FOUND = [{"id": "a", "title": "A", "text": "one", "score": 2.0}, {"id": "b", "score": 1.0}]
RESULTS = {
    "results of a topic": [{"query_id": "1", "query": "first", "results": FOUND}],
    "rows": [{"qid": "1", "query": "first", "docno": each["id"], **each} for each in FOUND],
    "Elasticsearch": [
        {
            "query_id": "1",
            "query": "first",
            "hits": {"hits": [{"_id": "a", "_score": 2.0, "_source": {"title": "A", "body": ["one"]}}]},
        }
    ],
    "Qdrant": [
        {
            "query_id": "1",
            "query": "first",
            "result": [{"id": "a", "score": 2.0, "payload": {"title": "A", "text": "one"}}],
        }
    ],
    "Vespa": [
        {
            "query_id": "1",
            "question": "first",
            "root": {
                "fields": {"totalCount": 1},
                "children": [{"id": "a", "relevance": 1.0, "fields": {"title": "A", "text": "one"}}],
            },
        }
    ],
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("separator", ["", "\n"])
def test_runs_in_json_have_texts_of_their_own(tmp_path, name, separator):
    path = tmp_path / "run.json"
    lines = separator.join(map(json.dumps, RESULTS[name])) if separator else json.dumps(RESULTS[name])
    path.write_text(lines)
    documents, topics = Texts.of_runs(None, None, [None, Source(path), Source(path)])
    assert documents.get_many(["a", "b"]) == {"a": Text("A", "one")}
    assert topics.get("1") == Text("", "first")
    assert topics.unmatched(["2"])[0].startswith("the JSON of the runs has a text for no topic of the judg")
    given, topics = Texts.of_runs({"a": "other"}, None, [Source(path)])
    assert (given.get("a"), topics.get("1")) == (Text("", "other"), Text("", "first"))
    given, _ = Texts.of_runs({}, None, [Source(path)])
    assert given.get("a") is None


def test_lines_of_json_may_have_comments_between_them(tmp_path):
    first, second = map(json.dumps, RESULTS["rows"])
    path = tmp_path / "run.jsonl"
    path.write_text(f"{first}\n# a comment\n\n{second}\n")
    assert len(Run.read(path)) == 2
    assert Texts.of_runs(None, None, [Source(path)])[0].get("a") == Text("A", "one")


@pytest.mark.parametrize(
    "content",
    [
        *("1 Q0 a 1 2.0 x\n", '{"1": {"a": 2.0}}', '{"1": ["a"]}', '[["a"], ["b"]]'),
        '{"ids": [["a"], ["b"]], "distances": [[0.1], [0.2]], "documents": [["one"], ["two"]]}',
    ],
)
def test_runs_without_texts(tmp_path, content):
    path = tmp_path / "run"
    path.write_text(content)
    assert Texts.of_runs(None, None, [Source(path)]) == (None, None)
