"""Store every measure's values on the real data and the demonstration campaign, or compare with stored ones.

    python tests/snapshot.py write values.npz       before a change that must not change a value
    python tests/snapshot.py compare values.npz     after it: bit for bit, or exit status 1

Run it once per core (`RANKGAUGE_PURE=1` chooses the pure one). Files are never committed: the real data is
read from $RANKGAUGE_DATA or ../shared/data, and left out, with a message, where it is absent.
"""

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

import rankgauge
import rankgauge.errors
from rankgauge.measures import MEASURES, parse

DATA = Path(os.environ.get("RANKGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
QRELS = {
    "ntcir13_www_english": "wwwE.trec.qrels.gz",
    "trec_covid_rnd1": "qrels-covid_d1_j0.5-1.txt.gz",
    "trec_dl_2019_passage": "qrels.dl19-passage.txt.gz",
    "trec_dl_2021_passage": "qrels.dl21-passage.txt.gz",
    "trec_web_2012": "qrels.adhoc.txt.gz",
}
SUBTOPIC_QRELS = {
    "trec_dl_2019_passage": "qrels.dl19-passage.novelty-subtopics.txt.gz",
    "trec_web_2012": "qrels.diversity.txt.gz",
}
RUNS = 6  # of each collection


def measures(by_subtopic):
    """Each measure as in its example, by default and, where it takes one, at a cutoff of 10."""
    chosen = {}
    for spec in MEASURES.values():
        for text in (spec.example, *spec.variants, spec.name, f"{spec.name}@10"):
            try:
                measure = parse(text)
            except rankgauge.errors.MeasureError:
                continue
            if spec.needs.subtopics == by_subtopic:
                chosen[str(measure)] = None
    return list(chosen)


def cases():
    """(name, judgments, runs, whether judgments are by subtopic, options)."""
    campaign = rankgauge.simulate(topics=50, depth=1000, systems=5, seed=2026)
    with tempfile.TemporaryDirectory() as folder:
        campaign.write(folder)
        qrels, runs = f"{folder}/qrels.txt", sorted(map(str, Path(folder, "runs").glob("*.run")))
        yield "demo", qrels, runs, False, {}
        yield "demo, ties=average", qrels, runs[:1], False, {"ties": "average"}
        yield "demo, ties=worst", qrels, runs[:1], False, {"ties": "worst", "missing": "skip"}
    for table in (QRELS, SUBTOPIC_QRELS):
        for name, qrels in table.items():
            runs = sorted(map(str, (DATA / name / "runs").glob("*.run.gz")))[:RUNS]
            if runs:
                yield f"{name}/{qrels}", str(DATA / name / qrels), runs, table is SUBTOPIC_QRELS, {}
            else:
                print(f"{name}: not found in {DATA}, left out", file=sys.stderr)


def values():
    """{case, measure: (runs, topics)}."""
    found = {}
    for name, qrels, runs, by_subtopic, options in cases():
        for text in measures(by_subtopic):
            try:
                scores = rankgauge.evaluate(qrels, runs, text, **options)
            except rankgauge.errors.RankgaugeError as error:
                found[f"{name}: {text}"] = np.array(type(error).__name__)
                continue
            found[f"{name}: {text}"] = np.array(scores.values)[:, 0]
        print(f"{name}: done", file=sys.stderr)
    return found


def main(action, path):
    """Write or compare; returns the exit status."""
    found = values()
    if action == "write":
        np.savez_compressed(path, **found)
        print(f"{len(found)} arrays, {sum(each.size for each in found.values())} values written")
        return 0
    stored = np.load(path)
    differ = [key for key in stored.files if key not in found or not same(stored[key], found[key])]
    new = found.keys() - {*stored.files}
    print(f"{len(stored.files)} arrays compared, {len(differ)} differ, {len(new)} are new")
    for key in differ[:20]:
        print(f"  {key}")
    return 1 if differ else 0


def same(one, other):
    """Whether two arrays are equal bit for bit, undefined values included."""
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
