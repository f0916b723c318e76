import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import score_lists
from entrants import COMPAT, HELP, NUMPY, PYARROW, PYTHON, TREC_EVAL, VERSION, WC, entrants, environment
from goals import verdicts
from measure import Command, Entrant, Result, interleave
from outcomes import Outcome
from report import report
from workloads import WORKLOADS, chosen, files

BENCH = Path(__file__).parents[2] / "bench"


def outcome(name, seconds, megabytes=50, peers=("pytrec_eval",), means=None):
    """What came out of a workload when entrants took these seconds."""
    means = means or {}
    results = {
        entrant: Result([taken], [megabytes], means.get(entrant, {"run AP": 0.5}))
        for entrant, taken in seconds.items()
    }
    return Outcome(WORKLOADS[name], 1.0, results, peers)


def run(*argv):
    """The finished process of the benchmarks."""
    command = [sys.executable, str(BENCH / "run.py"), *argv]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(autouse=True)
def package_is_found(monkeypatch):
    """Have processes find the package, whether or not it is installed."""
    monkeypatch.setenv("PYTHONPATH", str(BENCH.parent / "src"), prepend=os.pathsep)


def test_the_command_prints_a_table_and_says_that_all_agree(tmp_path):
    json_file = tmp_path / "out.json"
    options = ["--scale", "0.01", "--repeat", "1", "--peers", "pytrec_eval"]
    done = run("W1", *options, "--work", str(tmp_path / "work"), "--json", str(json_file))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    header = next(line for line in lines if line.startswith("workload"))
    assert header.split("  ")[-1].strip() == "peak MB"
    rows = [line for line in lines if " ms " in line or " s " in line]
    assert any("W1" in row and "rankgauge" in row for row in rows)
    assert any("rankgauge pure" in row for row in rows)
    assert all(any(name in row for row in rows) for name in (NUMPY, PYTHON, VERSION, HELP))
    agreement = next(line for line in lines if line.startswith("W1: all"))
    assert "agree on 5 means to 4 decimals" in agreement
    kept = json.loads(json_file.read_text())["outcomes"][0]
    assert kept["results"]["rankgauge"]["seconds"][0] > 0
    assert kept["results"]["rankgauge"]["megabytes"][0] > 5


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_trec_eval_takes_part_if_it_is_given(tmp_path, monkeypatch):
    program = tmp_path / "trec_eval"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m rankgauge trec_eval \"$@\"\n")
    program.chmod(0o755)
    workload = WORKLOADS["W1"].scaled(0.06)
    given = files(workload, tmp_path / "work")
    assert TREC_EVAL not in [entrant.name for entrant in entrants(workload, given, [])]
    monkeypatch.setenv("TREC_EVAL", str(program))
    taking_part = [each for each in entrants(workload, given, []) if each.name in ("rankgauge", TREC_EVAL)]
    results = interleave(taking_part, 1, lambda text: None)
    assert not any(result.failure for result in results.values())
    assert len(results[TREC_EVAL].means) == 5
    assert Outcome(workload, 1.0, results, (TREC_EVAL,)).agreement()[0]


def test_bytecode_is_kept(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in environment()


def test_runs_in_memory_take_turns_and_agree(tmp_path):
    workload = WORKLOADS["W5-few-random"].scaled(0.003)
    given = files(workload, tmp_path)
    wanted = ("rankgauge, dict", "rankgauge pure, fixed float64")
    taking_part = [entrant for entrant in entrants(workload, given, []) if entrant.name in wanted]
    results = interleave(taking_part, 2, lambda text: None)
    assert [len(result.seconds) for result in results.values()] == [2, 2]
    assert not any(result.failure for result in results.values())
    assert Outcome(workload, 1.0, results, ()).agreement()[0]


@pytest.mark.parametrize("name", ["W7-1", "W7-50-official"])
def test_pytrec_evals_call_is_measured_and_agrees(name, tmp_path):
    workload = WORKLOADS[name].scaled(0.05)
    taking_part = entrants(workload, files(workload, tmp_path), [])
    assert [entrant.name for entrant in taking_part] == [COMPAT, f"{COMPAT} pure", "rankgauge, dict"]
    results = interleave(taking_part, 1, lambda text: None)
    assert not any(result.failure for result in results.values())
    agrees, sentence = Outcome(workload, 1.0, results, ()).agreement()
    assert agrees
    assert f"all 3 agree on {1 if name == 'W7-1' else 24} means" in sentence


def test_evaluation_of_a_parquet_file_takes_turns_with_its_decoder(tmp_path):
    pytest.importorskip("pyarrow")
    workload = WORKLOADS["W8"].scaled(0.001)
    results = interleave(entrants(workload, files(workload, tmp_path), []), 1, lambda text: None)
    assert [*results] == ["rankgauge", PYARROW]
    assert not any(result.failure for result in results.values())
    assert len(results["rankgauge"].means) == 5
    (line,) = verdicts([outcome("W8", {"rankgauge": 1.5, PYARROW: 1.0}, peers=())])
    assert line == f"W8: rankgauge, time against {PYARROW}: 1.50 ×, goal ≤ 1.4 ×: MISSED"


def test_an_entrant_that_fails_is_reported_and_the_others_go_on():
    fine = [sys.executable, "-c", r"print('bm25\tall\tAP\t0.5')"]
    broken = [sys.executable, "-c", "raise SystemExit('out of memory')"]
    taking_part = [
        Entrant("broken", Command(broken, environment())),
        Entrant("fine", Command(fine, environment())),
        Entrant("slow", Command(fine, environment()), once=True),
    ]
    results = interleave(taking_part, 3, lambda text: None)
    assert results["broken"].failure == "exit code 1: out of memory"
    assert results["broken"].seconds == []
    assert len(results["fine"].seconds) == 3
    assert len(results["slow"].seconds) == 1
    assert results["fine"].means == {"bm25 AP": 0.5}
    found = Outcome(WORKLOADS["W1"], 1.0, results, ())
    text = report([found], ["a machine"], [], markdown=False)
    assert "W1: broken failed: exit code 1: out of memory" in text


def test_means_that_differ_in_the_fourth_decimal_are_no_agreement():
    means = {"rankgauge": {"run AP": 0.5}, "pytrec_eval": {"run AP": 0.5001}}
    agrees, sentence = outcome("W3", {"rankgauge": 1, "pytrec_eval": 20}, means=means).agreement()
    assert not agrees
    assert "run AP: rankgauge 0.500000, pytrec_eval 0.500100" in sentence


def test_ratios_are_against_pytrec_eval_and_against_the_fastest_peer():
    seconds = {"rankgauge": 0.5, "pytrec_eval": 10.0, "ranx": 5.0}
    found = outcome("W3", seconds, peers=("pytrec_eval", "ranx"))
    assert found.times_faster("rankgauge", found.pytrec_eval) == 20
    assert found.times_faster("rankgauge", found.fastest_peer) == 10
    table = report([found], ["a machine"], [], markdown=True)
    cells = [cell.strip() for cell in next(x for x in table.splitlines() if "| rankgauge" in x).split("|")]
    assert cells[5:8] == ["1", "20.0", "10.0"]


def test_goals_are_reached_or_missed():
    w3 = outcome("W3", {"rankgauge": 0.4, "rankgauge pure": 9.0, "pytrec_eval": 10.0, WC: 0.1})
    w4 = outcome("W4", {"rankgauge": 10.0, "pytrec_eval": 80.0}, megabytes=100)
    lines = verdicts([w3, w4])
    assert "W3: rankgauge against the fastest peer: 25.00 ×, goal ≥ 25 ×: reached" in lines
    w3.results["rankgauge"].busy[:], w3.results["pytrec_eval"].busy[:] = [0.5], [9.0]
    [line] = [line for line in verdicts([w3]) if "CPU" in line]
    assert line == "W3: rankgauge against the fastest peer, by CPU: 18.00 ×, goal ≥ 18 ×: reached"
    assert "W3: rankgauge, peak memory: 50.00 MB, goal ≤ 60 MB: reached" in lines
    assert "W3: rankgauge pure against pytrec_eval: 1.11 ×, goal ≥ 1 ×: reached" in lines
    assert "W4: rankgauge against the fastest peer: 8.00 ×, goal ≥ 25 ×: MISSED" in lines
    assert "W4: rankgauge, time for a row against W3: 3.49 ×, goal ≤ 1.2 ×: MISSED" in lines
    assert not any(line.startswith("W1") for line in lines)


def test_a_workload_is_chosen_with_its_variants():
    assert [workload.name for workload in chosen(["W3"])] == ["W3", "W3-lines", "W3-topics"]
    with pytest.raises(ValueError, match="no workload named 'W9'"):
        chosen(["W9"])


def test_results_that_mean_nothing_are_not_written():
    done = run("W1", "--scale", "0.01", "--write")
    assert done.returncode == 2
    assert "leave out --scale or --write" in done.stderr


def test_score_lists_are_timed(monkeypatch):
    # Importing torch and torchmetrics takes ten times as long as all the rest.
    monkeypatch.setattr(score_lists, "places", lambda: [("NumPy", np.asarray, lambda: None)])
    lines = "\n".join(score_lists.report(scale=0.002, repeat=1))
    assert "| 16 × 40 | NumPy | rankgauge: nDCG@10 AP RR R@1000 P@10 |" in lines
    assert "| 1,000 × 1,000 | NumPy | rankgauge: nDCG@10 AP RR R@1000 P@10, judgments by ids |" in lines


def test_counting_from_vectors_is_compared_with_the_product():
    command = [sys.executable, str(BENCH / "vectors.py"), "--scale", "0.01", "--repeat", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "10 × 2,000 × 384 float32" in done.stdout
    for line in ("product, 4096 at once", "rankgauge, array", "rankgauge, file", "memory, file", "goal: "):
        assert line in done.stdout


def test_scaling_measures_small_sizes_and_commands(tmp_path):
    command = [sys.executable, str(BENCH / "scaling.py"), "--most", "100", "--scale", "0.01", "--repeat", "1"]
    places = ["--work", str(tmp_path / "work"), "--json", str(tmp_path / "out.json"), "--only", "topics"]
    done = subprocess.run([*command, *places], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    points = json.loads((tmp_path / "out.json").read_text())["axes"]["topics"]["points"]
    assert [point["size"] for point in points] == [1, 10]
    assert all(point["processor"] > 0 and point["megabytes"] > 5 for point in points)
