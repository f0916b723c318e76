"""A cluster of a master and two workers, one of which dies in the middle of a job; measures of a script."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import rankgauge
from cases import CI
from extensions.devices.spark import cases

PATIENCE = 600  # seconds, for a machine that has much else to do


@pytest.mark.parametrize("plan", ["shuffle"] if CI else ["shuffle", "files"])  # which loses more
def test_a_job_goes_on_when_a_worker_is_killed(cluster, tmp_path, plan):
    master, workers = cluster
    begun = tmp_path / "begun"
    begun.mkdir()
    here = [str(Path(rankgauge.__file__).parents[1]), str(Path(cases.__file__).parents[2])]
    paths = os.pathsep.join([*here, *filter(None, [os.environ.get("PYTHONPATH")])])
    driver = subprocess.Popen(
        [sys.executable, cases.__file__, master, str(begun), plan],
        stdout=subprocess.PIPE,
        stderr=(tmp_path / "driver.log").open("wb"),
        env={
            **os.environ,
            "PYTHONPATH": paths,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
    )
    try:
        end = time.monotonic() + PATIENCE
        while len(list(begun.iterdir())) < cases.TASKS // 3:
            assert driver.poll() is None, (tmp_path / "driver.log").read_text()[-3000:]
            assert time.monotonic() < end
            time.sleep(0.05)
        os.killpg(workers[0].pid, signal.SIGKILL)
        assert workers[0].wait() == -signal.SIGKILL
        assert len(list(begun.iterdir())) < cases.TASKS
        out, _ = driver.communicate(timeout=PATIENCE)
    finally:
        driver.kill()
        driver.stdout.close()
    assert driver.returncode == 0, (tmp_path / "driver.log").read_text()[-3000:]
    attempts = Counter(path.name.partition("-")[0] for path in begun.iterdir())
    assert max(attempts.values()) > 1  # what was lost was done again
    qrels, results = cases.campaign()
    expected = rankgauge.evaluate(qrels, results, cases.MEASURES).to_dict()
    assert json.dumps(json.loads(out)) == json.dumps(expected)
