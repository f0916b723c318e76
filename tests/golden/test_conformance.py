"""The folder `conformance`, and what its runner finds of this package and of others."""

import sys
from pathlib import Path

import pytest

import rankgauge
from golden.conformance import SUITE, suite
from rankgauge import conformance

PYTREC_EVAL = """
import sys, pytrec_eval
(_, qrels, run, measure), judged, scores = sys.argv, {}, {}
for topic, _, doc, grade in map(str.split, open(qrels)):
    judged.setdefault(topic, {})[doc] = int(grade)
for topic, _, doc, _, score, _ in map(str.split, open(run)):
    scores.setdefault(topic, {})[doc] = float(score)
for topic, found in pytrec_eval.RelevanceEvaluator(judged, {measure}).evaluate(scores).items():
    print(topic, *found.values())
"""
IR_MEASURES = """
import sys, ir_measures
_, qrels, run, measure = sys.argv
qrels, run = ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
for each in ir_measures.iter_calc([ir_measures.parse_measure(measure)], qrels, run):
    print(each.query_id, each.value)
"""
OTHERS = [
    ("pytrec_eval", PYTREC_EVAL, "map", "AP, genAP(gains=binary)"),
    ("pytrec_eval", PYTREC_EVAL, "ndcg_cut_10", "nDCG(gains=linear)@10"),
    ("pytrec_eval", PYTREC_EVAL, "bpref", "Bpref(over=min)"),
    ("ir_measures", IR_MEASURES, "nDCG@10", "nDCG(gains=linear)@10"),
    ("ir_measures", IR_MEASURES, "RR", "RR"),
]


def found(capsys, measures, *command):
    """(exit code, {measure: what is printed})."""
    status = conformance.main(
        ["--suite", str(SUITE), *(part for each in measures for part in ("-m", each)), "--", *command]
    )
    return status, dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())


def test_the_folder_has_what_the_golden_cases_have():
    for name, text in suite().items():
        assert (SUITE / name).read_text("utf-8") == text, f"{name}: python tests/golden/conformance.py"


def test_this_package_agrees_with_every_definition():
    known = conformance.definitions(SUITE)
    scores = rankgauge.evaluate(SUITE / "qrels.txt", SUITE / "run.txt", list(known))
    values = scores.to_dict()["run"]
    for text, expected in known.items():
        by_topic = values[str(rankgauge.parse(text))]
        shown = {topic: repr(by_topic[topic]) for topic in expected}
        (agreement,) = conformance.compared(shown, {text: expected})
        assert agreement.whole, (agreement, shown)


def test_a_command_agrees_with_the_definitions_of_its_measures(capsys):
    command = [sys.executable, "-m", "rankgauge", "evaluate", "{qrels}", "{run}", "-m", "{measure}", "-q"]
    status, lines = found(capsys, ["AP", "nDCG@10", "R@1000"], *command)
    assert lines["AP"] == "AP, genAP(gains=binary)"
    assert lines["nDCG@10"] == "nDCG(gains=linear)@10"
    assert lines["R@1000"].startswith("SetR")
    assert status == 0
    status, lines = found(capsys, ["NumRet", "nonsense"], *command)
    assert lines["NumRet"].startswith("none; nearest ")
    assert "the command failed" in lines["nonsense"]
    assert status == 1


@pytest.mark.parametrize(("package", "code", "measure", "definitions"), OTHERS)
def test_other_packages_agree_with_these_definitions(package, code, measure, definitions, capsys):
    pytest.importorskip(package)
    command = (sys.executable, "-c", code, "{qrels}", "{run}", "{measure}")
    # The braces of the code are no places for names.
    command = (*command[:2], code.replace("{", "{{").replace("}", "}}"), *command[3:])
    assert found(capsys, [measure], *command) == (0, {measure: definitions})


@pytest.mark.parametrize(
    ("text", "value", "same"),
    [
        ("0.5", 0.54, True),
        ("0.5000", 0.50004, True),
        ("0.5000", 0.5001, False),
        ("1", 1.0, True),
        ("1e-3", 0.001, True),
        ("nan", 0.5, False),
        ("", 0.5, False),
    ],
)
def test_values_agree_to_the_digits_that_are_printed(text, value, same):
    assert conformance.agrees(text, value) is same


def test_lines_of_any_form_have_a_topic_and_then_a_value():
    lines = "map\t1001\t0.5\nrun,1002,0.25\nmap all 0.375\nP_5 1003 x"
    assert conformance.printed(lines, ["1001", "1002", "1003"]) == {
        "1001": "0.5",
        "1002": "0.25",
        "1003": "x",
    }


def test_what_is_missing_is_named(tmp_path, capsys):
    for arguments, message in (
        (["-m", "AP", "--suite", str(tmp_path), "--", "x"], "name the folder conformance by --suite"),
        (["-m", "AP", "--suite", str(SUITE), "--", str(Path(tmp_path, "none"))], "cannot be run"),
    ):
        with pytest.raises(SystemExit):
            conformance.main(arguments)
        assert message in capsys.readouterr().err
