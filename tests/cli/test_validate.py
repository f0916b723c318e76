import gzip
import io
import json
import sys
from dataclasses import replace
from functools import partial

import pytest

from rankgauge.cli.main import main
from rankgauge.formats import trec
from rankgauge.model import validation
from rankgauge.model.validation import SubmissionRules, validate

GOOD = "1 Q0 a 1 3.5 t\n1 Q0 b 2 2.5 t\n2 Q0 a 1 1 t\n"
QRELS = "1 0 a 1\n1 0 b 0\n3 0 c 2\n"
BY_SUBTOPIC = "1 1 a 1\n1 2 a 0\n1 3 a 0\n2 1 b 1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return tmp_path

    return write


REPORTS = {
    GOOD: "x.txt: a run, trec\n"
    "  2 topics, 3 results, 1 to 2 per topic (median 1.5)\n"
    "  scores 1 to 3.5, ranks from 1\n"
    "  no problems\n",
    QRELS: "x.txt: judgments, trec\n"
    "  2 topics, 3 judgments, 1 to 2 per topic (median 1.5)\n"
    "  grades 0: 1, 1: 1, 2: 1\n"
    "  no problems\n",
    BY_SUBTOPIC: "x.txt: judgments, trec\n"
    "  2 topics, 2 subtopics, 4 judgments, 1 to 3 per topic (median 2)\n"
    "  grades 0: 2, 1: 2\n"
    "  1 subtopic per topic; 2 topics with only one\n"
    "  1 relevant document per subtopic; 2 subtopics with only one\n"
    "  1 subtopic per relevant document\n"
    "  remark: documents are judged by subtopic, for measures of diversity; "
    "others need --duplicates max, the highest grade of each document\n"
    '  remark: 2 subtopics without a relevant document: "1 2", "1 3"\n'
    "  no problems, 2 remarks\n",
}


@pytest.mark.parametrize(("content", "report"), REPORTS.items(), ids=["run", "judgments", "by subtopic"])
def test_what_is_valid_is_described(folder, invoke, content, report):
    folder(x_txt=content)
    assert invoke("validate", "x.txt").out == report


def test_a_run_is_compared_with_judgments_by_subtopic(folder, invoke):
    folder(x_txt=BY_SUBTOPIC, good_run=GOOD)
    invoke("validate", "good.run", "--qrels", "x.txt")
    assert validate("good.run", "x.txt").ok


@pytest.mark.parametrize(
    ("content", "problem", "place"),
    [
        (
            "1 1 a 1\n1 2 a 0\n1 1 a 0\n",
            "document more than once in a subtopic",
            (3, 'topic "1", document "a", first on line 1'),
        ),
        (
            "1 0 a 1\n1 0 a 0\n",
            "document more than once in a topic",
            (2, 'topic "1", document "a", first on line 1'),
        ),
        ('{"q": {"d": NaN, "e": 1}}', "score is NaN", (None, 'topic "q", document "d": nan')),
    ],
)
def test_a_problem_has_a_title_and_a_place(folder, content, problem, place):
    (group,) = validate(folder(x_txt=content) / "x.txt").problems
    assert (group.title, group.count, group.first) == (problem, 1, (place,))


def test_a_file_that_is_not_there_does_not_keep_the_others_from_being_checked(folder, invoke):
    folder(fine_run=GOOD)
    printed = invoke("validate", "nothing.run", "fine.run", code=2)
    assert "nothing.run: no such file" in printed.err
    assert "no problem" in printed.out


def test_every_problem_is_listed_with_its_line_and_count(folder, invoke):
    lines = (
        ["1 Q0 a 1 2 t"]
        + ["1 Q0 c 1"] * 3
        + ["1 Q0 d 1 abc t", "1 Q0 e 1 nan t", "1 Q0 a 1 2 t", "1 Q0 a 1 1 t"]
    )
    folder(bad_run="\n".join(lines))
    assert invoke("validate", "bad.run", "--limit", "2", code=1).out.splitlines()[3:] == [
        "  problem: wrong number of columns, 3 times",
        '    line 2: expected 6 columns, found 4: "1 Q0 c 1"; a line is: topic Q0 document rank score tag '
        "(this line looks like judgments; judgments come first, then runs)",
        '    line 3: expected 6 columns, found 4: "1 Q0 c 1"; a line is: topic Q0 document rank score tag '
        "(this line looks like judgments; judgments come first, then runs)",
        "    … and 1 more",
        "  problem: score is not a number",
        '    line 5: the score is not a number: "abc"; use a number such as 12.5, -3 or 1e-4',
        "  problem: value is NaN",
        '    line 6: the score is NaN: "nan"; use a number such as 12.5, -3 or 1e-4',
        "  problem: document more than once in a topic, 2 times",
        '    line 7: topic "1", document "a", first on line 1',
        '    line 8: topic "1", document "a", first on line 1',
        "  remark: 2 results with tied scores, in 1 topic; --ties decides their order",
        "  remark: 2 results with the same rank as another of the topic",
        "  7 problems, 2 remarks",
    ]


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("1 Q0 a 1 2 t\n1 Q0 b 2 2 t\n", "2 results with tied scores, in 1 topic"),
        ("1 Q0 a 2 3 t\n1 Q0 b 1 2 t\n1 Q0 c 3 1 t\n", "ranks contradict scores in 1 topic"),
        ("1 Q0 a 1 3 t\n1 Q0 b 2 2 u\n", '2 different tags: "t", "u"'),
        ("1 Q0 a x 3 t\n1 Q0 b 2 2 t\n", "1 result whose rank is not a whole number"),
        ("1 Q0 a 1 3 t\n2 Q0 b 1 2 t\n1 Q0 c 2 2 t\n", "the lines are not grouped by topic"),
        ("1 0 a -2\n1 0 b 1\n", "1 judgment below 0"),
        ("1 0 a 0.5\n1 0 b 1\n", "1 judgment with a fraction"),
        ("1 1 a 1\n1 2 b 1\n1 2 c 1\n2 2 a 1\n2 3 b 0\n", "the second column has 1.5 values per topic"),
        ("1 0 a 0\n2 0 b 1\n", "1 topic without a document of grade 1 or higher"),
    ],
)
def test_a_remark_is_no_problem(folder, text, remark):
    report = validate(folder(x_txt=text) / "x.txt")
    assert report.ok
    assert any(found.startswith(remark) for found in report.remarks), report.remarks


def test_topics_are_compared_with_the_judged_ones(folder, invoke):
    folder(good_run=GOOD, qrels_txt=QRELS)
    out = invoke("validate", "good.run", "--qrels", "qrels.txt").out
    assert '  remark: 1 judged topic without results, scoring 0 unless --missing skip: "3"\n' in out
    assert '  remark: 1 topic without judgments, left out: "2"\n' in out


def test_no_common_topic_is_a_problem(folder, invoke):
    folder(good_run=GOOD, qrels_txt="9 0 a 1\n")
    assert (
        'the run has "1", "2", the judgments have "9"'
        in invoke("validate", "good.run", "--qrels", "qrels.txt", code=1).out
    )


def test_a_run_without_a_judged_document_is_remarked_upon(folder, invoke):
    folder(x_run="1 Q0 X-a 1 2 t\n1 Q0 X-b 2 1 t\n2 Q0 a 1 1 t\n", qrels_txt=QRELS)
    assert (
        "  remark: none of the 2 results of judged topics is judged: document ids differ by the prefix "
        '"X-" in the run ("X-a" in the run, "a" in the judgments)'
    ) in invoke("validate", "x.run", "--qrels", "qrels.txt").out
    folder(x_run="1 Q0 y 1 2 t\n1 Q0 z 2 1 t\n")
    assert (
        '  remark: none of the 2 results of judged topics is judged: topic "1" has "y", and "a" is judged; '
        "check that run and judgments use the same document ids\n"
    ) in invoke("validate", "x.run", "--qrels", "qrels.txt").out
    folder(x_run="1 Q0 X-a 1 2 t\n1 Q0 b 2 1 t\n")
    assert "none of" not in invoke("validate", "x.run", "--qrels", "qrels.txt").out


def test_scores_that_rise_with_the_ranks_are_remarked_upon(folder):
    lines = ("1 Q0 a 1 0.1 t", "1 Q0 b 2 0.2 t", "1 Q0 c 3 0.2 t", "2 Q0 a 1 5 t")
    report = validate(folder(x_run="\n".join(lines)) / "x.run")
    assert report.ok
    assert report.remarks[-1] == (
        "scores rise with the ranks in 1 topic, so that the last document comes first; "
        "are they distances? (order=rank goes by the ranks)"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the input has no rows"),
        (gzip.compress(GOOD.encode() * 1000, mtime=0)[:-20], "the .gz archive is truncated"),
        (b"\x7fELF\0\0\0", "this is a binary file"),
        (b'{"1": {"a": 1', "invalid JSON"),
        (b"a,b,c\n1,2,3\n", "expected 6 columns, found 1"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_problem(folder, invoke, content, message):
    (folder() / "x").write_bytes(content)
    assert message in invoke("validate", "x", code=1).out


def test_one_bad_file_of_several_makes_the_exit_code(folder, invoke):
    folder(a_run=GOOD, b_run="x\n")
    assert main(["validate", "a.run", "b.run"]) == 1
    assert invoke("validate", "?.run", code=1).out.count(": a run, trec") == 4


def test_reports_as_json(folder, invoke):
    folder(a_run=GOOD, b_run="x\n", c_txt=QRELS)
    good, bad, qrels = json.loads(invoke("validate", "a.run", "b.run", "c.txt", "--json", code=1).out)
    assert good == {
        "path": "a.run",
        "ok": True,
        "kind": "run",
        "format": "trec",
        "lines": 3,
        "rows": 3,
        "topics": 2,
        "per_topic": {"min": 1, "median": 1.5, "max": 2},
        "scores": {"min": 1.0, "max": 3.5},
        "first_rank": 1,
        "ties": 0,
        "problems": [],
        "remarks": [],
    }
    assert (bad["ok"], bad["rows"], bad["problems"][0]["count"]) == (False, 0, 1)
    assert bad["problems"][0]["first"][0]["line"] == 1
    assert (qrels["kind"], qrels["grades"]) == ("qrels", {"0": 1, "1": 1, "2": 1})


def test_infinite_scores_are_no_problem_to_json(folder, invoke):
    folder(a_run="1 Q0 a 1 inf t\n1 Q0 b 2 -inf t\n")
    assert json.loads(invoke("validate", "a.run", "--json").out, parse_constant=pytest.fail)[0]["scores"] == {
        "min": None,
        "max": None,
    }


def test_standard_input_is_validated(invoke, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    assert invoke("validate", "-").out.startswith("stdin: a run, trec\n")


def test_other_formats_and_names_are_validated(folder, invoke):
    folder(x_csv="a,b,c\nq,d,1\nq,d,2\nq,e,x\n")
    names = ["--columns", "topic=a,doc=b,score=c"]
    out = invoke("validate", "x.csv", "--kind", "run", *names, code=1).out
    assert 'line 3: topic "q", document "d", first on line 2' in out
    assert 'line 4: the score is not a number: "x"' in out
    assert (
        "column names look like topic=my_q,doc=my_d, not 'topic'"
        in invoke("validate", "x.csv", "--columns", "topic", code=2).err
    )
    assert main(["validate", "x.csv", "--format", "cvs"]) == 2


def test_ids_cannot_reach_the_terminal(folder, invoke):
    folder(x_run="\x1b[31m Q0 a 1 1 t\n\x1b[31m Q0 a 1 1 t\n")
    assert "\x1b" not in invoke("validate", "x.run", code=1).out


RUNS = [
    GOOD,
    GOOD.removesuffix("\n"),
    "# a comment\n" + GOOD + "# another\n3 Q0 a 1 1 t\n",
    "".join(f"{topic} Q0 d{n} {n} {(n * 7) % 5} t{topic}\n" for topic in range(9) for n in range(topic + 1)),
    "".join(f"{topic} Q0 d{n} {n} {n} t\n" for topic in range(5) for n in range(6)),
    "1 Q0 a x 1 t\n1 Q0 b 1 1 t\n2 Q0 c 1 1 t\n3 Q0 d y 1 t\n",
    "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 b 1 2 t\n",  # a topic comes again
    "1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n2 Q0 b 1 2 t\n",
    "1 Q0 a 1 2 t\n2 Q0 b 1 two t\n3 Q0 b 1 2\n",
    "1 Q0 z 1 2 t\n3 Q0 z 1 2 t\n",  # none is judged
    "7 Q0 z 1 2 t\n",
]


@pytest.mark.parametrize("text", RUNS)
@pytest.mark.parametrize("size", [1, 40, 100])
@pytest.mark.parametrize("qrels", [None, "q.txt"])
def test_a_run_in_parts_has_the_report_of_the_whole(folder, monkeypatch, text, size, qrels):
    folder(q_txt=QRELS, a_run=text).joinpath("a.run.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr(validation, "parts_of_topics", partial(trec.parts_of_topics, size=size))
    rules = SubmissionRules(max_depth=3, topics=["1", "x"], one_tag=True)
    parts, whole = (validate(name, qrels, rules=rules) for name in ("a.run", "a.run.gz"))
    assert parts == replace(whole, path=parts.path)
