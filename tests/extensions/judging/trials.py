"""Trials of the journal: what is lost of the decisions that it acknowledged when something goes wrong.

python -m extensions.judging.trials [TRIALS]    from the folder tests; a line for each fault: tried and lost
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rankgauge.extensions.judging import Journal

ASSESSOR = """
import itertools, signal, sys
from rankgauge.extensions.judging import Journal
from rankgauge.errors import RankgaugeError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a full disk is an error of the write
journal = Journal.open(sys.argv[1])
journal.watch(0.2)
for number in itertools.count():
    try:
        journal.record("Ann", "q1", f"d{number}", 1)
    except RankgaugeError:
        continue
    print(f"d{number}", flush=True)
"""


def killed(path, process):
    process.kill()


def hung_up(path, process):
    process.send_signal(signal.SIGHUP)


def deleted(path, process):
    path.unlink()


def replaced(path, process):
    other = path.with_suffix(".other")
    other.write_bytes(b"")
    other.replace(path)


def emptied(path, process):
    os.truncate(path, 0)


def folder_removed(path, process):
    path.unlink()
    path.parent.rename(path.parent.with_name("gone"))


def disk_full(path, process):
    import resource  # not on Windows

    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (path.stat().st_size + 10, resource.RLIM_INFINITY))


FAULTS = {
    each.__name__: each for each in (killed, hung_up, deleted, replaced, emptied, folder_removed, disk_full)
}


def trial(fault, source):
    """(decisions acknowledged, those of them that no file has) of one process, killed a second later."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "judging", "journal.jsonl")
        path.parent.mkdir()
        environment = os.environ | {"TMPDIR": folder}
        command = [sys.executable, "-c", ASSESSOR, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            acknowledged = [process.stdout.readline() for _ in range(source.randint(1, 150))]
            FAULTS[fault](path, process)
            time.sleep(1)
            process.kill()
            acknowledged += process.stdout.readlines()
        found = set()
        for file in Path(folder).rglob("journal*.jsonl"):
            found |= {decision.document for decision in Journal.read(file)}
        given = {line.strip() for line in acknowledged} - {""}
        return len(given), len(given - found)


def run(count, seed=0):
    """{fault: (decisions acknowledged, lost)} of so many trials each."""
    source = random.Random(seed)
    tried = {}
    for fault in FAULTS:
        rows = [trial(fault, source) for _ in range(count)]
        tried[fault] = tuple(map(sum, zip(*rows, strict=True)))
    return tried


if __name__ == "__main__":
    for fault, (recorded, lost) in run(int(sys.argv[1]) if sys.argv[1:] else 10).items():
        print(f"{fault:15} {recorded:7} acknowledged {lost:5} lost")
