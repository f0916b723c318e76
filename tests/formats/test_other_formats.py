"""CSV, JSON, NTCIR and MS MARCO files: what is read, and with which words the rest is refused."""

import json

import pytest

BAD_FILES = {
    "data.csv": [
        ("query_id,doc_id\nq,d\n", 'no column for the score; found "query_id", "doc_id"; call it score'),
        ("a,b,c\n1,2,3\n", 'no column for the topic, doc and score; found "a", "b", "c"'),
        ("q1,d1,x,0.5\nq1,d2,x,0.4\n", "(is the header missing?)"),
        ("qid,docno,score\nq,d,x\n", '2: the score is not a number: "x"'),
        ("qid,docno,score\nq,d,nan\n", "2: the score is NaN"),
        ("qid,docno,score\nq,d\n", '2: expected 3 columns, found 2: "q,d"; a line is: "qid,docno,score"'),
        ("qid,docno,score\n\nq,d,1\nq,,2\n", "4: the document is missing"),
        ('qid,docno,score\nq,"d,1\n', "2: the line cannot be read"),
        ('qid,docno,score\nq,"d"x,1\n', "2: the line cannot be read"),
        ("qid,docno,score\nq,d\0,1\n", "2: is this file a run? it contains NUL bytes"),
    ],
    "data.tsv": [
        ('qid\tdocno\tscore\nq\t"d"x\t1\n', r"""2: the line cannot be read ('\t' expected after '"')"""),
    ],
    "data.json": [
        ("{", "invalid JSON"),
        ("[1, x]", '1: invalid JSON: Expecting value "x]"; is the file truncated? If it is not JSON'),
        ('{"q": {"d": 1}', "1: invalid JSON"),
        ('{"q": {"d": 1, "d": 2}}', '"d" occurs twice in one object'),
        (
            '{"q": {"d": 1}, "q": {"e": 2}}',
            'invalid JSON: "q" occurs twice in one object; give each name once',
        ),
        ('{"q": {"d": "one"}}', 'topic "q", document "d": the score is not a number'),
        ('{"q": {"d": null}}', 'topic "q", document "d": the score is not a number'),
        ('{"q": {"d": NaN}}', 'topic "q", document "d" (row 0, counted from 0): the score is NaN'),
        ('{"q": {"d": 1' + "0" * 400 + "}}", "the score is not a number"),
        ('{"q": 3}', 'topic "q" has an int'),
        ('{"q": {"\\ud800": 1}}', "the id of a document is"),
        ("[1, 2]", "expected an object"),
        ("3", 'unexpected JSON "3"; use {topic: {document: score}}'),
        ("[" * 100_000, "the JSON is nested too deeply"),
        (
            '[{"qid": 1, "docno": "d", "score": 2}, {"qid": 1, "docno": 1.5, "score": 2}]',
            "the document is missing",
        ),
        ('[{"qid": 1, "docno": "d", "score": 2}, {"qid": 1, "docno": 2}]', "the score is missing"),
    ],
    "qrels.txt": [
        ("q d L1\nq e 2\n", '2: the grade is not a level: "2"; use L and a whole number'),
        ("q d L1\nq e L-1\n", "2: the grade is not a level"),
        ("q d L1\nq e\n", "2: expected 3 columns, found 2"),
        ("q 1 d L1\nq e L1\n", "2: expected 4 columns, found 3"),
    ],
}


@pytest.mark.parametrize(
    ("name", "content", "message"), [(name, *case) for name, cases in BAD_FILES.items() for case in cases]
)
def test_a_bad_file_is_refused_with_its_line(file, name, content, message, refused):
    assert message in refused(file(content, name), "qrels" if name == "qrels.txt" else "run")


@pytest.mark.parametrize("row", ["#7,1,9", '"#7",1,9'])
def test_a_row_of_a_csv_file_may_begin_like_a_comment(file, row, read):
    run = read(file(f'# a "comment\n\n # another\ndoc_id,query_id,score\n{row}\nd1,1,5\n', "data.csv"))
    assert (list(run.doc), run.line.tolist()) == ([b"#7", b"d1"], [5, 6])


@pytest.mark.parametrize(("name", "mark"), [("data.csv", ","), ("data.tsv", "\t")])
def test_two_columns_of_one_name_are_refused_if_they_are_used(file, name, mark, read, refused):
    header = mark.join(["qid", "docno", "score", "text", "text"])
    row = mark.join(["q", "d", "1", "x", "y"])
    assert read(file(f"{header}\n{row}\n", name)).value.tolist() == [1]
    header = header.replace("text", "score", 1)
    assert "columns are named" in refused(file(f"{header}\n{row}\n", name))


def test_csv_with_quotes_blanks_and_line_ends_in_ids(file, read):
    run = read(file('score,"query_id",doc_id\r\n1.5,"a, b","say ""hi"""\r\n2,c,"two\nlines"\r\n', "data.csv"))
    assert list(run.topic) == [b"a, b", b"c"]
    assert list(run.doc) == [b'say "hi"', b"two\nlines"]


def test_deeply_nested_json_is_refused(file, refused):
    refused(file('{"q":' * 200_000, "deep.json"))
    refused(file('{"q":' * 200_000, "deep.jsonl"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "3: invalid JSON"),
        ("[1]", "3: expected an object"),
        ('{"qid": "q", "docno": "d"}', "3: the score is missing"),
        ('{"qid": null, "docno": "d", "score": 1}', "3: the topic is missing"),
        ('{"qid": 1.5, "docno": "d", "score": 1}', "3: the topic is missing"),
        ('{"qid": "q", "docno": "d", "score": "one"}', "3: the score is not a number: \"'one'\""),
        ('{"qid": "q", "docno": "d", "score": NaN}', "3: the score is NaN"),
        ('{"qid": "q", "docno": "d", "score": 1, "score": 2}', '3: invalid JSON ("score" occurs twice in'),
    ],
)
def test_a_bad_line_of_jsonl_is_named(file, line, message, refused):
    good = json.dumps({"qid": 7, "docno": "d", "score": 1})
    assert refused(file(f"{good}\n\n{line}\n", "data.jsonl")).startswith(message)


def test_ntcir_judgments_with_and_without_subtopics(file, read):
    assert read(file("q d L2\nq e L0\n"), "qrels").value.tolist() == [2, 0]
    assert list(read(file("q 3 d L2\nq 4 d L0\n"), "qrels").label) == [b"3", b"4"]


def test_the_files_of_ntcireval_are_of_the_topic_they_are_called_by(file, read):
    judgments = read(file("d1 L3\nd2 L0\n", "0001.rel"), "qrels")
    assert (list(judgments.topic), judgments.value.tolist()) == ([b"0001"] * 2, [3, 0])
    results = read(file("d2\n\nd1\n", "0001.res"))
    assert list(
        zip(results.topic, results.doc, results.value.tolist(), results.rank.tolist(), strict=True)
    ) == [
        (b"0001", b"d2", -1, 1),
        (b"0001", b"d1", -2, 2),
    ]


def test_ms_marco_runs_are_read_when_asked_for(file, refused, read):
    run = read(file("1\ta\t1\n1\tb\t2\n"), format="msmarco")
    assert (run.value.tolist(), run.rank.tolist(), run.label) == ([-1, -2], [1, 2], None)
    assert refused(file("1\ta\t1\n"), format="trec") == (
        '1: expected 6 columns, found 3: "1\\ta\\t1"; a line is: topic Q0 document rank score tag '
        "(format=triples (run_format in evaluate): topic document score; "
        "format=msmarco (run_format in evaluate): topic document rank)"
    )
