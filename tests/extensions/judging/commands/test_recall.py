"""The recall that `rankgauge agreement` estimates from a sample."""

import json

import pytest

from rankgauge.extensions.judging import estimate_recall
from rankgauge.model.output.documents import document_lines

QRELS = "q1 0 d1 1\nq1 0 d2 2\nq1 0 d3 0\n"
RUN = "q1 Q0 d1 1 3 r\nq1 Q0 d2 2 2 r\nq1 Q0 d3 3 1 r\n"


@pytest.fixture
def files(write):
    sample = "".join(f"q1 0 s{n} {2 * (n == 0)}\n" for n in range(100))
    return [str(write(*each)) for each in (("qrels", QRELS), ("sample", sample), ("bm25.run", RUN))]


@pytest.mark.parametrize("options", [{}, {"rel": 2, "level": 0.8}])
def test_recall_is_estimated_as_in_python(files, options, invoke):
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    findings = estimate_recall(*files, docs=203, **options)
    printed = invoke("agreement", *files, "--docs", "203", *words, "--format", "json").out
    assert json.loads(printed) == json.loads(json.dumps(findings.as_dict()))
    lines = document_lines(findings.document())
    assert invoke("agreement", *files, "--docs", "203", *words).out.splitlines() == list(lines)


def test_judgments_and_runs_of_any_columns_are_read(files, write, invoke):
    run = str(write("run.csv", "q,d,s\nq1,d1,3\nq1,d2,2\nq1,d3,1\n"))
    words = [
        "--run-columns",
        "topic=q,doc=d,score=s",
        "--grades",
        "2=1",
        "--table",
        "recall",
        "--format",
        "csv",
    ]
    (_, line) = invoke("agreement", *files[:2], run, "--docs", "203", *words).out.splitlines()
    assert line.startswith("q1,3,2,100,1,2.0,0.5,")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--level", "0.9"], "--level is for --docs; add it"),
        (["--docs", "50"], "docs=50 cannot be the number of documents in the collection"),
        (["--docs", "203", "--level", "95"], "--level must be a number between 0 and 1"),
        (["--docs", "203", "--rel", "nan"], "--rel must be a number, not 'nan'"),
    ],
)
def test_wrong_options_are_refused(files, words, message, invoke):
    assert message in invoke("agreement", *files, *words, code=2).err
