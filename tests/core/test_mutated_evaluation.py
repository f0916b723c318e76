"""Evaluation of mutated files, from path to scores: the same result, or error, with both cores."""

import gzip
import json
import os
import subprocess
import sys
from collections import Counter

from core.mutation import lines, mutated
from core.outcomes import outcomes
from core.twins_of import needs_compiled
from rankgauge.core import NAME


def whole(rng, kind):
    return b"\n".join(lines(rng, kind)) + b"\n"


def written(folder, cases):
    """A folder of mutated judgments and runs, some of the runs packed; one case in ten is left as it is."""
    for n, rng in cases:
        make = whole if n % 10 == 0 else mutated
        (folder / f"{n}.qrels").write_bytes(make(rng, "qrels"))
        run = make(rng, "run")
        if rng.random() < 0.1:
            (folder / f"{n}.run.gz").write_bytes(gzip.compress(run)[: rng.choice([None, None, -9])])
        else:
            (folder / f"{n}.run").write_bytes(run)


def test_a_mutated_file_gives_scores_or_an_error_of_ours(tmp_path, cases, count):
    count //= 5
    written(tmp_path, cases(count, seed="evaluation"))
    kinds = Counter(text.split(":")[0] for text in list(outcomes(tmp_path).values())[1:])
    assert kinds.total() == count
    scored = sum(n for kind, n in kinds.items() if kind.startswith("("))
    assert scored > count / 20
    errors = {kind for kind in kinds if kind.isidentifier()}
    assert errors <= {"InputError", "NoCommonTopic", "OptionError", "MeasureError"}
    assert kinds["InputError"] > count / 20


@needs_compiled
def test_both_cores_give_the_same_scores_and_the_same_messages(tmp_path, cases, count):
    written(tmp_path, cases(count // 5, seed="evaluation of both"))
    ours = outcomes(tmp_path)
    other = {"compiled": "1", "pure": ""}[NAME]
    done = subprocess.run(
        [sys.executable, "-m", "core.outcomes", str(tmp_path)],
        env={**os.environ, "RANKGAUGE_PURE": other, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        check=True,
    )
    theirs = json.loads(done.stdout)
    assert {ours.pop("core"), theirs.pop("core")} == {"pure", "compiled"}
    differing = {n: (ours[n], theirs[n]) for n in ours if ours[n] != theirs[n]}
    assert not differing
