"""The GitHub action: its script runs as on a runner, and no input becomes part of it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
INSTALL, EVALUATE = ACTION["runs"]["steps"]
BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(not BASH or os.name == "nt", reason="needs bash")


@pytest.fixture
def step(working_folder):
    """A function that runs the script with some inputs and returns (process, outputs, the job summary)."""
    lines = {
        name: "".join(f"{t} Q0 {doc} {rank} {-rank} x\n" for t in "123456" for rank, doc in enumerate(docs))
        for name, docs in {"old.run": "ab", "new.run": "ba"}.items()
    }
    folder = working_folder({"qrels.txt": "".join(f"{t} 0 a 1\n" for t in "123456"), **lines})

    def run(**inputs):
        given = {name: spec.get("default", "") for name, spec in ACTION["inputs"].items()} | inputs
        from_inputs = {
            name: given[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)[1]]
            for name, value in EVALUATE["env"].items()
            if name != "PYTHON"
        }
        paths = os.pathsep.join(sys.path)
        runner = {
            "PYTHONPATH": paths,
            "GITHUB_OUTPUT": "outputs",
            "GITHUB_STEP_SUMMARY": "summary",
            "RUNNER_TEMP": str(folder),
            "PYTHON": sys.executable,
        }
        for name in ("outputs", "summary"):
            (folder / name).write_text("")
        done = subprocess.run(
            [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", EVALUATE["run"]],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                **runner,
                **from_inputs,
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        outputs = dict(line.split("=", 1) for line in (folder / "outputs").read_text().splitlines())
        return done, outputs, (folder / "summary").read_text("utf-8")

    return run


def test_inputs_reach_scripts_as_variables_only():
    used = set()
    for each in (INSTALL, EVALUATE):
        assert "${{" not in each["run"]
        assert all(f"${name}" in each["run"] or f"${{{name}" in each["run"] for name in each["env"])
        used |= set(re.findall(r"inputs\.([\w-]+)", " ".join(each["env"].values())))
    assert used == {*ACTION["inputs"]}


@needs_bash
def test_runs_are_evaluated_and_inputs_are_not_run_as_code(step):
    hostile = "$(touch hacked);`touch hacked`\"'; touch hacked #"
    done, outputs, summary = step(
        qrels="qrels.txt", runs=f"{hostile}=new.run\n*.run\n", measures="RR", **{"fail-if": "RR below 0.5"}
    )
    assert done.returncode == 0, done.stderr
    assert outputs == {"comment": "rankgauge.md", "passed": "true"}
    assert "| old | **1.0000** |" in summary
    assert "passed: RR below 0.5" in summary
    assert not Path("hacked").exists()
    done, outputs, _ = step(qrels="qrels.txt", runs="new.run", measures=hostile)
    assert (done.returncode, outputs) == (2, {})
    assert not Path("hacked").exists()


@needs_bash
def test_a_run_is_compared_with_a_baseline_and_the_gate_fails(step, invoke):
    gate = {"qrels": "qrels.txt", "runs": "new.run", "fail-if": "RR drops\n\nRR below 0.1\n"}
    done, outputs, summary = step(**gate, baseline="old.run", comment="diff.md")
    assert done.returncode == 1
    assert outputs == {"comment": "diff.md", "passed": "false"}
    assert summary == Path("diff.md").read_text("utf-8")
    assert summary.startswith("# new against old: RR 1.0000 to 0.5000")
    invoke("evaluate", "qrels.txt", "old.run", "-m", "RR", "-q", "-o", "baseline.json")
    done, outputs, summary = step(**gate, baseline="baseline.json")
    assert (done.returncode, outputs["passed"]) == (1, "false")
    assert "- failed: RR drops; new against old: 1.0000 to 0.5000" in summary


@needs_bash
def test_conditions_name_segments(step):
    Path("topics.csv").write_text("qid,intent\n" + "".join(f"{t},{'ab'[t > 3]}\n" for t in range(1, 7)))
    done, outputs, summary = step(
        qrels="qrels.txt",
        runs="new.run",
        baseline="old.run",
        by="topics.csv:intent\n\n",
        **{"fail-if": "RR below 0.4 in intent=b"},
    )
    assert (done.returncode, outputs["passed"]) == (0, "true"), done.stderr
    assert "| intent=b | 3 | -0.5000 |" in summary
