"""What evaluation makes of files, as text that can be compared: run as a program for the other core.

python -m core.outcomes FOLDER
"""

import json
import random
import sys
from pathlib import Path

import rankgauge
from rankgauge import core
from rankgauge.errors import RankgaugeError
from rankgauge.model.rules import OPTIONS

MEASURES = "P@3 R AP RR nDCG DCG(base=2)@5 nDCG(gains=exp2) AP(judged_only=true)"


def outcome(folder, number):
    """The scores of a case and how they came about, or the error's message."""
    rng = random.Random(number)
    options = {option.name: rng.choice(list(option.rules)) for option in OPTIONS if rng.random() < 0.3}
    qrels, [run] = folder / f"{number}.qrels", folder.glob(f"{number}.run*")
    try:
        scores = rankgauge.evaluate(qrels, run, MEASURES, threads=1, **options)
    except RankgaugeError as error:
        return f"{type(error).__name__}: {error}"
    return repr((scores.values.tolist(), scores.mean(), scores.provenance.runs))


def outcomes(folder):
    """{number of the case: outcome} of all cases in a folder."""
    numbers = sorted(int(path.stem) for path in folder.glob("*.qrels"))
    return {"core": core.NAME} | {str(number): outcome(folder, number) for number in numbers}


if __name__ == "__main__":
    json.dump(outcomes(Path(sys.argv[1])), sys.stdout)
