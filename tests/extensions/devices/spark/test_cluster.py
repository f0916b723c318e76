"""A cluster of a master and two workers, one of which dies in the middle of a job; measures of a script."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import rankgauge
from extensions.devices.spark import cases

PATIENCE = 600  # seconds, for a machine that has much else to do


def partition_of(task):
    return task.partition("-")[0].partition(".")[2]


def test_a_job_goes_on_when_a_worker_is_killed(cluster, tmp_path):
    """Each plan loses a worker that is done with a task, whose output it has, and holds another."""
    master, workers = cluster
    log, folder = tmp_path / "driver.log", tmp_path / "gates"
    folder.mkdir()
    gates = [cases.Gate(folder, plan) for plan in cases.PLANS]
    paths = [str(Path(rankgauge.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    driver = subprocess.Popen(
        [sys.executable, cases.__file__, master, str(folder)],
        stdout=subprocess.PIPE,
        stderr=log.open("wb"),
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
    )

    def next_task(gate, worker, *earlier):
        """The task that a worker holds; since it has one core, it is done with earlier ones."""
        end = time.monotonic() + PATIENCE
        while not (found := gate.tasks(worker) - {*earlier}):
            assert driver.poll() is None, log.read_text()[-3000:]
            assert time.monotonic() < end
            time.sleep(0.05)
        return found.pop()

    lost = []
    try:
        for gate, worker in zip(gates, workers, strict=False):  # the last worker stays
            done = next_task(gate, worker)
            gate.let(done)
            held = next_task(gate, worker, done)
            os.killpg(worker.pid, signal.SIGKILL)
            assert worker.wait() == -signal.SIGKILL
            gate.let()
            lost.append({done, held})
        out, _ = driver.communicate(timeout=PATIENCE)
    finally:
        for gate in gates:
            gate.let()
        driver.kill()
        driver.stdout.close()
    assert driver.returncode == 0, log.read_text()[-3000:]
    for gate, tasks in zip(gates, lost, strict=True):
        assert {*map(partition_of, tasks)} <= {*map(partition_of, gate.tasks() - tasks)}
    qrels, results = cases.campaign()
    expected = rankgauge.evaluate(qrels, results, cases.MEASURES).to_dict()
    assert [*map(json.loads, out.splitlines())] == [json.loads(json.dumps(expected))] * len(gates)
