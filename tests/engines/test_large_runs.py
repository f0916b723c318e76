"""Large runs, read in parts by several threads, with progress."""

import gzip
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from evaluation.small import QRELS, RUN_TEXT
from rankgauge import core, evaluate
from rankgauge.errors import InputError


def test_progress_is_reported_in_bytes_up_to_the_end(write):
    paths = [write(f"{n}.run", RUN_TEXT * 1 + "# comment\n" * 50_000) for n in range(3)]
    paths.append(write("compressed.gz", gzip.compress(RUN_TEXT.encode())))
    paths.append(write("table.csv", "qid,docno,score\n1,a,1.0\n"))
    paths.append(write("interleaved.run", "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n1 Q0 b 2 1 t\n"))  # is read twice
    reported = []
    evaluate(QRELS, paths, "AP", progress=lambda done, total: reported.append((done, total)))
    total = sum(path.stat().st_size for path in paths)
    assert {t for _, t in reported} == {total}
    assert [done for done, _ in reported] == sorted(done for done, _ in reported)
    assert reported[-1] == (total, total)
    assert len(reported) > len(paths)


def large(topics, documents, seed=1):
    """The lines of a run, topic after topic, and its judgments."""
    rng = random.Random(seed)
    lines, qrels = [], {}
    for t in range(topics):
        docs = rng.sample(range(10 * documents), documents)
        qrels[f"t{t}"] = {f"d{d}": rng.choice([0, 1, 2]) for d in docs[:: max(1, documents // 10)]}
        lines += [f"t{t} Q0 d{d} 1 {rng.choice([0.5, rng.random()])} tag\n" for d in docs]
    return lines, qrels


@pytest.mark.parametrize("shape", ["sorted", "shuffled", "interleaved", "one topic twice"])
def test_a_file_read_in_parts_gives_the_same_scores(shape, write, monkeypatch):
    lines, qrels = large(30, 100)
    expected = evaluate(qrels, write("run", "".join(lines)), "AP nDCG", threads=1)
    if shape == "shuffled":
        for t in range(30):
            random.Random(t).shuffle(lines[t * 100 : t * 100 + 100])
        lines = [line for t in range(30) for line in random.Random(t).sample(lines[t * 100 :][:100], 100)]
    elif shape == "interleaved":
        random.Random(3).shuffle(lines)
    elif shape == "one topic twice":
        lines = [*lines[50:], *lines[:50]]
    path = write("run", "# a comment\n\n" + "".join(lines))
    monkeypatch.setattr("rankgauge.engines.local.trec_files.MIN_PART", 1 << 10)
    monkeypatch.setattr("rankgauge.engines.local.trec_files.NEAR", 1 << 9)
    for threads in (1, 2, 3, 7, 50):
        found = evaluate(qrels, path, "AP nDCG", threads=threads)
        assert np.array_equal(found.values, expected.values)
        assert found.provenance.runs == expected.provenance.runs


@pytest.mark.parametrize(
    ("rules", "line", "message"),
    [
        ({}, "t23 Q0 d1 1 high tag", 'the score is not a number: "high"'),
        ({"order": "rank"}, "t23 Q0 d1 first 2.5 tag", 'the rank is not a whole number: "first"'),
        ({"ties": "rank"}, "t23 Q0 d1 first 2.5 tag", 'the rank is not a whole number: "first"'),
    ],
)
@pytest.mark.parametrize("interleaved", [False, True])
def test_an_error_in_a_file_read_in_parts_has_the_line_of_the_whole_file(
    rules, line, message, interleaved, write, monkeypatch
):
    lines, qrels = large(30, 100)
    if interleaved:
        random.Random(3).shuffle(lines)
    lines[2345] = f"{line}\n"
    path = write("run", "# a comment\n" + "".join(lines))
    monkeypatch.setattr("rankgauge.engines.local.trec_files.MIN_PART", 1 << 10)
    for threads in (1, 2, 4):
        with pytest.raises(InputError, match=f"run:2347: {message}"):
            evaluate(qrels, path, "AP", threads=threads, **rules)


def test_the_first_bad_run_is_the_one_that_is_reported(write):
    paths = [write(f"{n}.run", RUN_TEXT) for n in range(4)]
    for n in (1, 3):
        paths[n].write_text(RUN_TEXT + "1 Q0 z 1\n")
    for threads in (1, 4):
        with pytest.raises(InputError, match=r"1\.run:6: expected 6 columns, found 4"):
            evaluate(QRELS, paths, "AP", threads=threads)


def test_a_topic_may_have_very_many_results(write):
    lines = "".join(f"1 Q0 d{n} {n} {-(n % 1000)} t\n" for n in range(200_000))
    judged = {f"d{n}": 1 for n in range(0, 200_000, 20_000)}
    scores = evaluate({"1": judged}, write("run", lines), "R@1 R@200000 RR P")
    # those that tie at the top are ordered by id, descending; the judged ones are among them
    tied = sorted((f"d{n}" for n in range(0, 200_000, 1000)), reverse=True)
    first = min(tied.index(doc) for doc in judged) + 1
    assert scores.mean()["run"] == {"R@1": 0.0, "R@200000": 1.0, "RR": 1 / first, "P": 10 / 200_000}
    assert scores.provenance.runs["run"].tied_documents == 200


def test_there_may_be_very_many_topics(write):
    lines = "".join(f"{t} Q0 d{t} 1 1.5 t\n{t} Q0 e 2 0.5 t\n" for t in range(20_000))
    qrels = {str(t): {f"d{t}": 1} if t % 2 else {"e": 1} for t in range(20_000)}
    scores = evaluate(qrels, write("run", lines), "RR")
    assert scores.mean()["run"]["RR"] == 0.75
    assert scores.topics == tuple(sorted(qrels))
    values = scores.to_dict()["run"]["RR"]
    assert all(values[t] == (1.0 if int(t) % 2 else 0.5) for t in values)


def test_memory_does_not_grow_with_the_file(tmp_path):
    resource = pytest.importorskip("resource")
    assert resource
    rows = 200_000 if core.NAME == "compiled" else 40_000
    script = """
import resource, sys
import rankgauge, rankgauge.engines.local.engine, numpy
path, qrels = sys.argv[1], {f"t{t}": {"d1": 1, f"{'document' * 8}-1": 1} for t in range(100)}
with open(path, "w") as file:
    file.writelines(f"t{t} Q0 d1 1 0.5 t\\n" for t in range(100))
rankgauge.evaluate(qrels, path, "AP", threads=1)
with open(path, "w") as file:
    for t in range(100):
        file.writelines(f"t{t} Q0 {'document' * 8}-{d} {d} {-d} tag\\n" for d in range(ROWS // 100))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rankgauge.evaluate(qrels, path, "AP", threads=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
""".replace("ROWS", str(rows))
    path = tmp_path / "run"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script, path], env=env, stdout=subprocess.PIPE, check=True)
    kilobytes = int(done.stdout) / (1024 if sys.platform == "darwin" else 1)
    assert path.stat().st_size > 80 * rows
    assert kilobytes < path.stat().st_size / 1024 / 4


@pytest.mark.parametrize("order", ["score", "rank"])
@pytest.mark.parametrize("again", ["a", "b"])
def test_an_unjudged_topic_in_two_places_is_one_topic_whatever_the_threads(order, again, write, monkeypatch):
    lines, qrels = large(30, 100)
    path = write("run", "".join(["u Q0 a 1 5 t\n", *lines, f"u Q0 {again} 2 4 t\n"]))
    monkeypatch.setattr("rankgauge.engines.local.trec_files.MIN_PART", 1 << 10)
    monkeypatch.setattr("rankgauge.engines.local.trec_files.NEAR", 1 << 9)
    outcomes = []
    for threads in (1, 2, 5):
        try:
            outcomes.append(evaluate(qrels, path, "AP", threads=threads, order=order).provenance.runs)
        except InputError as error:
            outcomes.append(str(error))
    assert outcomes == outcomes[:1] * 3
    if again == "a":
        assert 'run:3002: document "a" occurs twice in topic "u", first on line 1' in outcomes[0]
    else:
        assert outcomes[0]["run"].unjudged_topics == 1


def test_an_unjudged_topic_in_two_places_of_columns_is_one_topic_whatever_the_threads(monkeypatch):
    topic = ["u", *(f"t{n // 10}" for n in range(300)), "u"]
    rows = {"qid": topic, "docno": [f"d{n}" for n in range(302)], "score": [float(-n) for n in range(302)]}
    monkeypatch.setattr("rankgauge.engines.local.trec_files.MIN_ROWS", 40)
    facts = [evaluate({"t3": {"d31": 1}}, rows, "RR", threads=n).provenance.runs["run"] for n in (1, 2, 5)]
    assert [fact.unjudged_topics for fact in facts] == [30, 30, 30]
