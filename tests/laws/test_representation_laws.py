"""How a run is held, in which order, and by how many threads it is read: none of it shows in a result."""

import gzip
import random
import tempfile
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given

import rankgauge
from cases import by_subtopic, campaigns, identical, seeds, settings_of, with_all_measures, written
from rankgauge.measures import MEASURES
from rankgauge.model.run import Run


def rows_of(run):
    return [(topic, doc, score) for topic, results in run.items() for doc, score in results.items()]


def trec(rows):
    return "".join(f"{t} Q0 {d} {n} {s!r} tag\n" for n, (t, d, s) in enumerate(rows, 1)).encode()


def columns(rows):
    names = ("query_id", "doc_id", "score")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def interleaved(rows):
    """The rows of all topics in turns."""
    return sorted(rows, key=lambda row: (sum(r[0] == row[0] for r in rows[: rows.index(row)]), row[0]))


def file(content, name="run.txt"):
    """A form that is a file of this content."""

    def form(run, folder):
        path = folder / name
        path.write_bytes(content(rows_of(run)))
        return path

    return form


def shuffled(rows):
    return random.Random(len(rows)).sample(rows, len(rows))


FORMS = {
    "a dict in another order": lambda run, _: {t: dict(reversed(run[t].items())) for t in reversed(run)},
    "a dict of other numbers": lambda run, _: {
        t: {d: np.float64(s) for d, s in results.items()} for t, results in run.items()
    },
    "a dict of bytes": lambda run, _: {
        t.encode(): {d.encode(): s for d, s in results.items()} for t, results in run.items()
    },
    "a Run": lambda run, _: rankgauge.Run.from_dict(run),
    "a file": file(trec),
    "a file of shuffled lines": file(lambda rows: trec(shuffled(rows))),
    "a file of interleaved topics": file(lambda rows: trec(interleaved(rows))),
    "a file of Windows lines": file(lambda rows: trec(rows).replace(b"\n", b"\r\n")),
    "a file without its last newline": file(lambda rows: trec(rows).rstrip(b"\n")),
    "a file of tabs, comments and blank lines": file(
        lambda rows: b"# a comment\n\n" + trec(rows).replace(b" ", b"\t \t").replace(b"\n", b"\n \n")
    ),
    "a file with a byte order mark": file(lambda rows: b"\xef\xbb\xbf" + trec(rows)),
    "a compressed file": file(lambda rows: gzip.compress(trec(rows)), "run.gz"),
    "a compressed file of shuffled lines": file(lambda rows: gzip.compress(trec(shuffled(rows))), "run.gz"),
    "a CSV file": file(
        lambda rows: "".join(
            ["query_id,doc_id,score\n", *(f"{t},{d},{s!r}\n" for t, d, s in shuffled(rows))]
        ).encode(),
        "run.csv",
    ),
    "a pandas frame": lambda run, _: pandas.DataFrame(columns(shuffled(rows_of(run)))),
    "a polars frame": lambda run, _: polars.DataFrame(columns(shuffled(rows_of(run)))),
    "a pyarrow table": lambda run, _: pyarrow.table(columns(shuffled(rows_of(run)))),
}
TEXTS = [written(name, settings_of(MEASURES[name], seed)) for name in MEASURES for seed in range(2)]
GRADES = [-1, 0, 0, 1, 1, 2]  # those that settings_of knows of when it makes maps


@pytest.mark.parametrize("form", FORMS)
@with_all_measures
@given(campaign=campaigns(grades=GRADES))
def test_a_run_scores_the_same_in_every_form(form, campaign):
    qrels, run = campaign
    expected = rankgauge.evaluate(by_subtopic(qrels), run, TEXTS)
    with tempfile.TemporaryDirectory() as folder:
        given_ = FORMS[form](run, Path(folder))
        found = rankgauge.evaluate(by_subtopic(qrels), {"run": given_}, TEXTS)
    assert identical(found.values, expected.values)
    facts, wanted = found.provenance.runs["run"], expected.provenance.runs["run"]
    assert facts._replace(source=wanted.source) == wanted


@pytest.mark.parametrize("block", [1, 40, 1 << 17])
@with_all_measures
@given(campaign=campaigns(grades=GRADES), seed=seeds())
def test_runs_that_are_measured_together_score_what_each_scores_alone(block, campaign, seed):
    qrels, run = campaign
    rng = random.Random(seed)
    runs = {"a": run}
    for name in "bcdef"[: rng.randint(1, 5)]:
        topics = rng.sample(list(run), rng.randint(1, len(run)))
        runs[name] = {t: {doc: rng.choice([1.0, rng.random()]) for doc in run[t]} for t in topics}
    measures = [m for m in TEXTS if not rankgauge.parse(m).of_lists]  # those depend on how long others are
    alone = {
        name: rankgauge.evaluate(by_subtopic(qrels), {name: one}, measures) for name, one in runs.items()
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankgauge.engines.assembly.BLOCK", block)
        together = rankgauge.evaluate(by_subtopic(qrels), runs, measures)
    for row, (name, one) in enumerate(alone.items()):
        assert identical(together.values[row], one.values[0])
        facts = together.provenance.runs[name]
        assert facts._replace(copy_of="") == one.provenance.runs[name]  # alone, a run is nobody's copy
    assert together.mean() == {name: one.mean()[name] for name, one in alone.items()}


@with_all_measures
@given(campaign=campaigns(grades=GRADES))
def test_topics_without_judgments_change_nothing_but_their_count(campaign):
    qrels, run = campaign
    expected = rankgauge.evaluate(by_subtopic(qrels), run, TEXTS)
    more = {"0": {"d": 1.0}, **run, "zz": {"d": 2.0, "d1": 2.0}}
    found = rankgauge.evaluate(by_subtopic(qrels), more, TEXTS)
    assert identical(found.values, expected.values)
    assert found.provenance.runs["run"] == expected.provenance.runs["run"]._replace(unjudged_topics=2)


@with_all_measures
@given(campaign=campaigns(grades=GRADES), seed=seeds())
def test_the_order_of_judgments_is_invisible(campaign, seed):
    qrels, run = campaign
    expected = rankgauge.evaluate(by_subtopic(qrels), run, TEXTS)
    rng = random.Random(seed)
    turned = {
        topic: dict(rng.sample(list(qrels[topic].items()), len(qrels[topic])))
        for topic in rng.sample(list(qrels), len(qrels))
    }
    found = rankgauge.evaluate(by_subtopic(turned), run, TEXTS)
    assert found.topics == expected.topics
    assert identical(found.values, expected.values)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_number_of_threads_is_invisible(threads, tmp_path, monkeypatch):
    monkeypatch.setattr("rankgauge.engines.local.trec_files.MIN_PART", 1000)
    rng = random.Random(7)
    qrels, runs = {}, {}
    for t in range(40):
        qrels[f"t{t}"] = {f"d{rng.randrange(200)}": rng.choice([-1, 0, 0, 1, 2]) for _ in range(30)}
    for name in "abc":
        run = {
            t: {f"d{d}": rng.choice([1.5, rng.random()]) for d in rng.sample(range(200), 60)} for t in qrels
        }
        path = tmp_path / f"{name}.run"
        path.write_bytes(trec(rows_of(run)))
        runs[name] = run
    qrels = by_subtopic(qrels)
    expected = rankgauge.evaluate(qrels, runs, TEXTS, threads=1)
    found = rankgauge.evaluate(qrels, str(tmp_path / "*.run"), TEXTS, threads=threads)
    assert found.runs == expected.runs
    assert identical(found.values, expected.values)
    assert found.mean() == expected.mean()
    one = rankgauge.evaluate(qrels, tmp_path / "a.run", TEXTS, threads=threads)
    assert identical(one.values[0], expected.values[0])


@pytest.mark.parametrize("duplicates", ["first", "max"])
@with_all_measures
@given(campaign=campaigns(grades=GRADES), seed=seeds())
def test_duplicates_are_dropped_by_one_rule_however_a_run_is_held(duplicates, campaign, seed):
    qrels, run = campaign
    rng = random.Random(seed)
    rows = [(topic, doc, score, rng.randrange(9)) for topic, doc, score in rows_of(run)]
    rows += [
        (topic, doc, rng.choice([score, 0.5, 9.0]), rng.randrange(9)) for topic, doc, score, _ in rows[::2]
    ]
    options = {"ties": rng.choice(["docid_desc", "input", "rank"]), "order": rng.choice(["score", "rank"])}
    by_score = options["order"] == "score"
    measures = [m for m in TEXTS if by_score or not rankgauge.parse(m).spec.needs.scores]
    rows.sort(key=lambda row: row[0] if seed % 2 else rng.random())
    frame = dict(
        zip(("query_id", "doc_id", "score", "rank"), map(list, zip(*rows, strict=True)), strict=True)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        path.write_text("".join(f"{t} Q0 {d} {n} {s!r} tag\n" for t, d, s, n in rows))
        found = [
            rankgauge.evaluate(by_subtopic(qrels), given_, measures, duplicates=duplicates, **options).values
            for given_ in (path, Run.read(path, duplicates=duplicates), polars.DataFrame(frame))
        ]
    assert identical(found[0], found[1])
    assert identical(found[0], found[2])
