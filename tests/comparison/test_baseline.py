"""Saved scores as a baseline: in `compare`, in the command `baseline`, and in the pytest fixture."""

import json
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from rankgauge import Evaluator, Scores, compare, evaluate
from rankgauge.comparison.baseline import failures, is_saved, with_baseline
from rankgauge.errors import InputError, OptionError

pytest_plugins = "pytester"

QRELS = {f"q{n}": {"d1": 2, "d2": 1, "d3": 0} for n in range(12)}
OLD = {topic: ["d1", "d2", "d3"] for topic in QRELS}
NEW = {topic: ["d3", "d1", "d2"] if n % 3 else ["d1", "d2"] for n, topic in enumerate(QRELS)}
DROPS = "nDCG@10 drops by 2% significantly"


@pytest.fixture
def files(working_folder):
    """Judgments and two runs in files, and the baseline of the old one."""
    runs = {
        f"{name}.run": "".join(
            f"{topic} Q0 {doc} {rank} {-rank} x\n" for topic in run for rank, doc in enumerate(run[topic])
        )
        for name, run in {"old": OLD, "new": NEW}.items()
    }
    qrels = "".join(f"{t} 0 {doc} {grade}\n" for t in QRELS for doc, grade in QRELS[t].items())
    folder = working_folder({"qrels.txt": qrels, **runs})
    evaluate("qrels.txt", "old.run", "nDCG@10 AP").save("baseline.json")
    return folder


def test_a_saved_baseline_compares_as_its_run_does(files):
    both = evaluate("qrels.txt", ["old.run", "new.run"], ["nDCG@10", "P(average=micro)@5"])
    saved, new = both.only(runs=["old"]), both.only(runs=["new"])
    joined = with_baseline(new, saved)
    assert joined.runs == both.runs
    assert np.array_equal(joined.values, both.values)
    assert joined.mean() == both.mean()
    assert compare(joined, baseline="old")["nDCG@10"] == compare(both, baseline="old")["nDCG@10"]


def test_topics_of_either_are_kept_and_a_shared_name_is_changed():
    before = evaluate(QRELS, {"a": {"q1": ["d1"], "q2": ["d1"]}}, "AP", missing="skip")
    after = evaluate(QRELS, {"a": {"q2": ["d2"], "q3": ["d1"]}}, "AP", missing="skip")
    joined = with_baseline(after, before).to_dict()
    assert {run: [*values["AP"]] for run, values in joined.items()} == {
        "baseline": ["q1", "q2"],
        "a": ["q2", "q3"],
    }
    assert joined["a"] == after.to_dict()["a"]


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        (lambda: evaluate(QRELS, OLD, "AP"), r"has no nDCG@10, only AP; save the baseline again"),
        (lambda: evaluate(QRELS, {"a": OLD, "b": NEW}, "nDCG@10"), "one run, not of 2"),
        (
            lambda: evaluate(dict([*QRELS.items()][:5]), OLD, "nDCG@10"),
            "with 15 judgments, and the run with 36",
        ),
        (lambda: evaluate(QRELS, OLD, "nDCG@10", missing="skip"), "with skip for missing"),
        (
            lambda: evaluate({**QRELS, "q3": {"d1": 1, "d2": 1, "d3": 0}}, OLD, "nDCG@10"),
            "with other judged documents or grades, and the run with these; save",
        ),
    ],
)
def test_another_evaluation_is_refused(saved, message):
    with pytest.raises(InputError, match=message):
        with_baseline(evaluate(QRELS, NEW, "nDCG@10"), saved())


def test_judgments_are_the_same_in_any_order_from_a_file_or_not_and_old_files_need_not_know_them(files):
    turned = {topic: dict(reversed(QRELS[topic].items())) for topic in reversed(QRELS)}
    rows = [(topic, doc, grade) for topic in sorted(QRELS) for doc, grade in QRELS[topic].items()]
    frame = pa.table(dict(zip(("topic", "doc", "grade"), map(list, zip(*rows, strict=True)), strict=True)))
    saved = Scores.load("baseline.json")
    without_arrays = Evaluator("qrels.txt", "nDCG@10", back_end="programs").evaluate("old.run")
    digests = {evaluate(each, NEW, "nDCG@10").provenance.qrels.digest for each in (QRELS, turned, frame)}
    assert digests == {saved.provenance.qrels.digest, without_arrays.provenance.qrels.digest} != {""}
    known = json.loads(Path("baseline.json").read_text())
    del known["provenance"]["qrels"]["digest"]
    Path("old.json").write_text(json.dumps(known))
    changed = {**QRELS, "q3": {"d1": 1, "d2": 1, "d3": 0}}
    assert len(with_baseline(evaluate(changed, NEW, "nDCG@10"), Scores.load("old.json")).runs) == 2


def test_failures_name_the_condition_and_the_topics_that_lost_most(files):
    for baseline in ("baseline.json", "old.run", OLD, Scores.load("baseline.json")):
        scores, found = failures("qrels.txt", NEW, baseline=baseline, fail_if=[DROPS, "AP below 0.1"])
        assert len(scores.runs) == 2
        assert found[0].startswith("nDCG@10 drops by 2% significantly; run against ")
        assert sum(line.startswith("q") for line in found) == 5
    assert failures(QRELS, NEW, fail_if="nDCG@10 below 0.9")[1][0].startswith("nDCG@10 below 0.9; run: 0.")
    assert failures(QRELS, OLD, baseline=NEW, fail_if=DROPS)[1] == []
    with pytest.raises(OptionError, match="needs a baseline"):
        failures(QRELS, NEW, fail_if=DROPS)
    with pytest.raises(OptionError, match="there is no condition"):
        failures(QRELS, NEW, fail_if=[])


def test_the_command_saves_what_compare_takes(files, invoke, refused):
    invoke("evaluate", "qrels.txt", "main=old.run", "-m", "nDCG@10", "-q", "-o", "main.json")
    assert is_saved("main.json")
    assert not is_saved("old.run")
    gate = ("compare", "qrels.txt", "new.run", "--baseline", "main.json")
    assert "main" in invoke(*gate).out
    assert f"failed: {DROPS}; new against main" in invoke(*gate, "--fail-if", DROPS, code=1).err
    assert "the baseline has no AP" in refused(*gate, "-m", "AP")


def test_the_fixture_fails_a_test_with_the_reason(files, pytester):
    pytester.makeconftest("from rankgauge.compat.pytest_plugin import retrieval_gate")
    pytester.makepyfile(
        f"""
        def test_worse(retrieval_gate):
            retrieval_gate({str(files / "qrels.txt")!r}, {str(files / "new.run")!r},
                           baseline={str(files / "baseline.json")!r}, fail_if={DROPS!r})

        def test_same(retrieval_gate):
            old = {str(files / "old.run")!r}
            scores = retrieval_gate({str(files / "qrels.txt")!r}, old, baseline=old, fail_if={DROPS!r})
            assert scores.runs == ("baseline", "old")
        """
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [f"{DROPS}; new against old: 1.0000 to 0.*", "", "nDCG@10 *", "q1 *", "*loses most against old*"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_the_plugin_is_registered_with_pytest():
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    (module,) = re.findall(r'^\[project.entry-points.pytest11\]\nrankgauge = "(.*)"$', project, re.M)
    assert import_module(module).retrieval_gate


def test_other_grades_are_refused_and_a_name_that_is_taken_is_not_used():
    qrels = {topic: {"a": 1, "b": 2} for topic in "123"}
    run, worse = ({topic: {"a": a, "b": 1.0} for topic in "123"} for a in (2.0, 0.5))
    saved = evaluate(qrels, {"x": run}, "AP", grades={1: 0})
    with pytest.raises(InputError, match=r"evaluated with .* changes of grades, and the run with no"):
        failures(qrels, {"x": run}, fail_if="AP drops", baseline=saved)
    scores, _ = failures(qrels, {"x": run, "baseline": worse}, fail_if="AP drops", baseline={"x": run})
    assert scores.runs == ("baseline-2", "x", "baseline")
