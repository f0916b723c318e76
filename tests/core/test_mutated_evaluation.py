"""Evaluation of mutated files, from path to scores: the same result, or error, with both cores."""

import gzip
import json
import os
import subprocess
import sys
from collections import Counter

from core.mutation import lines, mutated
from core.outcomes import outcomes
from core.twins_of import compiled
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


def of_the_other_core(folder):
    """The outcomes with the core that is not in use."""
    other = {"compiled": "1", "pure": ""}[NAME]
    done = subprocess.run(
        [sys.executable, "-m", "core.outcomes", str(folder)],
        env={**os.environ, "RANKGAUGE_PURE": other, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_mutated_file_gives_scores_or_an_error_of_ours_and_the_same_with_both_cores(tmp_path, cases, count):
    count //= 5
    written(tmp_path, cases(count, seed="evaluation"))
    ours = outcomes(tmp_path)
    used = ours.pop("core")
    kinds = Counter(text.split(":")[0] for text in ours.values())
    assert kinds.total() == count
    scored = sum(n for kind, n in kinds.items() if kind.startswith("("))
    assert scored > count / 20
    errors = {kind for kind in kinds if kind.isidentifier()}
    assert errors <= {"InputError", "NoCommonTopic", "OptionError", "MeasureError"}
    assert kinds["InputError"] > count / 20
    if compiled is not None:
        theirs = of_the_other_core(tmp_path)
        assert {used, theirs.pop("core")} == {"pure", "compiled"}
        differing = {n: (ours[n], theirs[n]) for n in ours if ours[n] != theirs[n]}
        assert not differing
