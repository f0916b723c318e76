"""Two runs without judgments: rank-biased overlap, moves, and what is printed."""

import json
import math
import random

import pytest

import rankgauge
from rankgauge.engines.local import document_ranks
from rankgauge.errors import InputError, OptionError
from rankgauge.explanation.run_diff import diff_rankings
from rankgauge.numbers.rank_correlation import rbo, rbo_of_rankings


def slow_rbo(one, other, p):
    """Equation 32 of Webber, Moffat and Zobel 2010, term by term."""
    short, long = sorted((one, other), key=len)
    s, n = len(short), len(long)
    common = [len({*short[:d]} & {*long[:d]}) for d in range(n + 1)]
    first = sum(common[d] / d * p**d for d in range(1, n + 1))
    second = sum(common[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    last = ((common[n] - common[s]) / n + common[s] / s) * p**n
    return (1 - p) / p * (first + second) + last


@pytest.mark.parametrize("seed", range(20))
def test_rbo_of_rankings_is_that_of_the_paper(seed):
    rng = random.Random(seed)
    one, other = (rng.sample("abcdefghijklmnop", rng.randint(1, 12)) for _ in range(2))
    p = rng.choice([0.5, 0.9, 0.98])
    assert rbo_of_rankings(one, other, p) == pytest.approx(slow_rbo(one, other, p), abs=1e-12)
    assert rbo_of_rankings(one, other, p) == rbo_of_rankings(other, one, p)
    values = rng.sample(range(9), 9)  # two orders of the same systems
    orders = ([str(n) for n in sorted(range(9), key=key)] for key in (lambda n: n, lambda n: -values[n]))
    assert rbo_of_rankings(*orders, p) == pytest.approx(rbo([-n for n in range(9)], values, p), abs=1e-12)


def test_an_empty_ranking_has_nothing_in_common():
    assert rbo_of_rankings([], ["a"]) == 0.0
    assert math.isnan(rbo_of_rankings([], []))


OLD = {"1": ["a", "b", "c"], "2": ["a", "b"], "3": ["x"]}
NEW = {"1": ["b", "c", "d"], "2": ["a", "b"], "4": ["y"]}


def test_topics_are_ordered_by_their_similarity():
    found = diff_rankings(OLD, NEW)
    assert [each.topic for each in found.topics] == ["3", "4", "1", "2"]
    assert [each.rbo for each in found.topics] == [0.0, 0.0, pytest.approx(0.585), 1.0]
    assert found.topics[2].overlap == pytest.approx(2 / 3)
    assert (found.topics[2].moved, found.topics[2].came, found.topics[2].went) == (2, 1, 1)
    assert found.overlap == pytest.approx((0 + 0 + 2 / 3 + 1) / 4)
    assert found.notes == (
        "old has no results for 1 topic, whose overlap counts as 0",
        "new has no results for 1 topic, whose overlap counts as 0",
    )
    first = diff_rankings(OLD, NEW, depth=1).topics[2]
    assert (first.overlap, first.moved, first.came, first.went) == (0.0, 0, 1, 1)
    assert "4 topics, 1 with the same ranking." in repr(found)


def test_rankings_that_differ_far_below_are_not_the_same():
    documents = [str(n) for n in range(1000)]
    swapped = [*documents[:-2], "999", "998"]
    assert rbo_of_rankings(documents, swapped) == 1.0
    found = diff_rankings({"1": documents, "2": documents}, {"1": documents, "2": swapped})
    assert [each.topic for each in found.topics] == ["2", "1"]
    assert "2 topics, 1 with the same ranking." in repr(found)


@pytest.mark.parametrize("size", [1, 40, 10**9])
def test_files_are_compared_some_topics_at_a_time_as_in_memory(size, tmp_path, monkeypatch):
    paths = [tmp_path / "old.run", tmp_path / "new.run"]
    for path, run in zip(paths, (OLD, NEW), strict=True):
        rankgauge.Run.from_dict(run).write(path)
    expected = [diff_rankings(OLD, NEW, topic=topic) for topic in (None, "1", "2")]
    monkeypatch.setattr(document_ranks, "BYTES", size)
    monkeypatch.setattr(document_ranks, "load_run", None)  # which takes all of a run into memory
    assert [diff_rankings(*paths, topic=topic) for topic in (None, "1", "2")] == expected
    with pytest.raises(InputError, match="topic of the runs"):
        diff_rankings(*paths, topic="5")


def test_documents_of_a_topic_are_side_by_side_with_their_moves():
    found = diff_rankings(OLD, NEW, topic="1", documents={"a": "apple"}, topics={"1": "fruit"})
    assert [(each.document, each.move) for each in found.documents] == [
        ("b", "↑1"),
        ("c", "↑1"),
        ("d", "new"),
        ("a", "lost"),
    ]
    query, rankings = found.document().sections
    assert query.sentences == ("fruit",)
    assert next(iter(rankings.table.rows)) == (1, "a apple", "lost", "b", "↑1")
    assert "Topic 1: RBO 0.5850, overlap@10 0.6667, from old to new" in repr(found)
    with pytest.raises(InputError, match="no topic of the runs named '9'"):
        diff_rankings(OLD, NEW, topic="9")


def test_the_command_takes_two_runs(working_folder, invoke, refused):
    folder = working_folder({"old.json": json.dumps(OLD), "new.json": json.dumps(NEW), "qrels": "1 0 a 1\n"})
    printed = invoke("diff", "old.json", "new.json")
    assert printed.out.startswith("new against old, without judgments\n")
    assert len(printed.out.splitlines()) <= 12
    assert "note: old has no results for 1 topic" in printed.err
    assert json.loads(invoke("diff", "old.json", "new.json", "--format", "json").out)["depth"] == 10
    invoke("diff", "old.json", "new.json", "--topic", "1", "-o", "diff.html")
    assert "side by side" in (folder / "diff.html").read_text()
    for option in (["-m", "AP"], ["--view", "report"], ["--test", "wilcoxon"]):
        message = refused("diff", "old.json", "new.json", *option)
        assert f"{option[0]} needs judgments; pass QRELS OLD NEW" in message
    assert "--grades changes judgments" in refused("diff", "old.json", "new.json", "--grades", "1=0")
    assert "this line looks like judgments" in refused("diff", "qrels", "old.json")
    assert invoke("diff", "b=old.json", "c=new.json").out.startswith("c against b")


def test_diff_takes_two_runs_in_python():
    assert rankgauge.diff(OLD, NEW) == diff_rankings(OLD, NEW)
    assert rankgauge.diff(OLD, NEW, topic=1, depth=2) == diff_rankings(OLD, NEW, topic="1", depth=2)
    for options in (
        {"measures": "AP"},
        {"fail_if": "AP drops"},
        {"grades": {1: 0}},
        {"qrels_columns": {"doc": "d"}},
    ):
        with pytest.raises(OptionError, match=r"needs judgments; pass diff\(qrels, old, new"):
            rankgauge.diff(OLD, NEW, **options)
