"""Rankings read one topic at a time, from every kind of run."""

import gzip
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.core.ids import Ids, to_text
from rankgauge.engines import run_inputs
from rankgauge.engines.local import document_ranks
from rankgauge.engines.local.document_ranks import (
    RankedRun,
    TextIndex,
    TopicRankings,
    documents_of_topic,
    ranks,
)
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import load_run, resolve_runs
from rankgauge.errors import InputError
from rankgauge.formats import trec
from rankgauge.formats.source import Source
from rankgauge.model.rules import OVER_ORDERS, TIES, DocumentOrder
from rankgauge.model.run import Run

TOPICS = ("1", "10", "q1", ".*", "#no", "é")
ROWS = st.lists(
    st.tuples(st.sampled_from(TOPICS[:4] + TOPICS[5:]), st.integers(0, 30), st.integers(0, 3)),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:2],
)
ONE_ORDER = [ties for ties in TIES.rules if ties not in OVER_ORDERS]


def expected(path_or_run, order):
    """{topic: (documents, scores)} of a run that is read as a whole."""
    [given] = resolve_runs(path_or_run)
    run = load_run(given.open(), order)
    by_topic = {}
    for row in np.lexsort((ranks(run, order), run.topic)).tolist():
        documents, scores = by_topic.setdefault(run.topics.texts()[run.topic[row]], ([], []))
        documents.append(run.docs.texts()[row])
        scores.append(run.scores[row])
    return by_topic


def check(run, order, topics=TOPICS):
    [given] = resolve_runs(run)
    reader, whole = TopicRankings([given], order), expected(run, order)
    ranked = RankedRun(load_run(given.open(), order), order)
    for topic in topics:
        ranking = reader.read(given.name, topic)
        assert (ranking.texts, ranking.scores.tolist()) == whole.get(topic, ([], []))
        assert ranking.texts == documents_of_topic(given.open(), topic, order) == ranked.documents(topic)


def test_a_run_without_topics_has_no_documents():
    run = Run("none", Ids.of([]), np.zeros(0, dtype=np.int64), Ids.of([]), np.zeros(0))
    assert RankedRun(run, DocumentOrder()).documents("1") == []


def lines(rows, end="\n"):
    return "".join(
        f"{topic} Q0 d{doc} {1 + number % 3} {score} t{end}"
        for number, (topic, doc, score) in enumerate(rows)
    )


@given(
    rows=ROWS, ties=st.sampled_from(ONE_ORDER), by=st.sampled_from(["score", "rank"]), size=st.integers(1, 99)
)
def test_interleaved_topics_and_ties_of_a_file(tmp_path_factory, rows, ties, by, size):
    path = tmp_path_factory.mktemp("runs") / "a.run"
    path.write_text(lines(rows), encoding="utf-8")
    check(path, DocumentOrder(order=by, ties=ties))
    places = [*trec.topic_places(Source(path), size)]  # whatever the size of chunks
    text = path.read_bytes()
    found = {}
    for topic, begin, end in places:
        found[topic] = found.get(topic, b"") + text[begin:end]
    assert found == {
        topic.encode(): b"".join(
            line for line in text.splitlines(keepends=True) if line.split()[0] == topic.encode()
        )
        for topic in {row[0] for row in rows}
    }


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n", "\n\n"])
@pytest.mark.parametrize("packing", [bytes, gzip.compress])
def test_blank_lines_comments_and_what_surrounds_a_topic(write, end, last, packing):
    text = [
        "# made by hand",
        "10 Q0 a 1 3 t",
        "",
        "  1\tQ0 x 1 2 t",
        "10 Q0 b 1 9 t",
        " \t ",
        "1 Q0 10 1 5 t",
    ]
    path = write("bm25.run", packing((end.join(text) + last).encode()))
    check(path, DocumentOrder(), ("1", "10", "#", "0"))
    with_mark = write("marked.run", packing(b"\xef\xbb\xbf" + "\n".join(text[1:]).encode()))
    check(with_mark, DocumentOrder(), ("1", "10"))


def test_a_line_that_two_chunks_share_is_read_once(write, monkeypatch):
    source = Source(write("bm25.run", lines([("10", 1, 3), ("1", 2, 2), ("10", 3, 9), ("10", 2, 4)])))
    text = next(source.chunks())
    for size in range(1, len(text) + 1):
        pieces = [text[begin : begin + size] for begin in range(0, len(text), size)]
        monkeypatch.setattr(trec, "text_chunks", lambda _, pieces=pieces: iter(pieces))
        assert trec.read_topic(source, b"10").doc.texts() == ["d1", "d3", "d2"]


def test_a_topic_may_hold_what_has_a_meaning_in_patterns_or_is_not_text(write):
    names = [b"a.b", b"axb", b"(", b"\xff\xfe", b"\\d"]
    path = write("odd.run", b"".join(b"\t %b Q0 d-%b 1 1 t\n" % (name, name) for name in names))
    check(path, DocumentOrder(), [to_text(name) for name in names])


@pytest.mark.parametrize("rule", ["first", "max"])
def test_duplicates_follow_the_rule(write, rule):
    path = write("a.run", "q Q0 d1 1 1 t\nq Q0 d2 2 2 t\nq Q0 d1 3 3 t\n")
    check(path, DocumentOrder(duplicates=rule), ("q",))


@pytest.mark.parametrize("extension", ["parquet", "arrow", "csv", "jsonl", "run.gz"])
@pytest.mark.parametrize("large", [False, True])
def test_other_formats(tmp_path, monkeypatch, extension, large):
    if large:
        monkeypatch.setattr(run_inputs, "READ_WHOLE", 0)
    rows = [(topic, doc, (7 * doc) % 5) for doc in range(60) for topic in TOPICS[:3]]
    path = tmp_path / f"a.{extension}"
    Run.from_dict({t: {f"d{d}": s for each, d, s in rows if each == t} for t in TOPICS[:3]}).write(path)
    if extension == "parquet":
        from pyarrow import parquet

        parquet.write_table(parquet.read_table(path), path, row_group_size=7)
    for _ in range(2):
        check(path, DocumentOrder(ties="docid_asc"))


def test_a_directory_of_parts(tmp_path):
    for number in range(3):
        part = {topic: {f"d{number}{n}": n for n in range(5)} for topic in TOPICS[:3]}
        Run.from_dict(part).write(tmp_path / f"part-{number}.parquet")
    check(tmp_path, DocumentOrder())


@given(rows=ROWS)
def test_runs_in_memory(rows):
    nested = {}
    for topic, doc, score in rows:
        nested.setdefault(topic, {})[f"d{doc}"] = score
    for run in (nested, Run.from_dict(nested), {topic: [*docs] for topic, docs in nested.items()}):
        check(run, DocumentOrder())


def test_only_the_lines_of_the_topic_are_read_again(write, monkeypatch):
    path = write("a.run", "".join(f"{t} Q0 d{d} 1 {d} t\n" for t in range(50) for d in range(20)))
    index = TextIndex(Source(path))
    fed = []
    monkeypatch.setattr(trec, "run_lines", lambda _, chunks: fed.extend(chunks) or "rows")
    assert [*index(b"7")] == ["rows"]
    assert fed == ["".join(f"7 Q0 d{d} 1 {d} t\n" for d in range(20)).encode()]


@pytest.mark.parametrize("extension", ["run", "run.gz", "csv", "parquet"])
@pytest.mark.parametrize("asked_before", [False, True])
def test_a_file_that_changed_is_refused(tmp_path, monkeypatch, extension, asked_before):
    monkeypatch.setattr(run_inputs, "READ_WHOLE", 0)
    path = tmp_path / f"a.{extension}"
    Run.from_dict({"q": {"d1": 2, "d2": 1}}).write(path)
    [given] = resolve_runs(path)
    reader = TopicRankings([given], DocumentOrder())
    if asked_before:
        assert reader.read("a", "q").texts == ["d1", "d2"]
    Run.from_dict({"q": {"d2": 2, "d1": 1}}).write(path)
    os.utime(path, ns=(1, 1))
    with pytest.raises(InputError, match=r"a\.\S+: the file changed"):
        reader.read("a", "q")


def test_few_runs_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(document_ranks, "MAX_ROWS", 5)
    names = [f"r{number}" for number in range(4)]
    for name in names:
        Run.from_dict({"q": {f"{name}-{n}": n for n in range(3)}}).write(tmp_path / f"{name}.csv")
    read = []
    inputs = [
        run._replace(open=lambda run=run: read.append(run.name) or run.open())
        for run in resolve_runs([tmp_path / f"{name}.csv" for name in names])
    ]
    reader = TopicRankings(inputs, DocumentOrder())
    for name in (*names, names[-1]):
        assert reader.read(name, "q").texts[0] == f"{name}-2"
    assert read.count("r3") < 4
    reader.read("r0", "q")
    assert read[-1] == "r0"  # it had to make room


def test_indexes_can_be_made_ahead(write, tmp_path, monkeypatch):
    paths = [write("a.run", "q Q0 d1 1 1 t\n"), write("b.run", gzip.compress(b"q Q0 d2 1 1 t\n"))]
    Run.from_dict({"q": {"d3": 1}}).write(tmp_path / "c.csv")
    made = []
    monkeypatch.setattr(
        document_ranks, "TextIndex", lambda source: made.append(source.path) or TextIndex(source)
    )
    reader = TopicRankings(
        resolve_runs(
            [
                *paths,
                tmp_path / "c.csv",
            ]
        ),
        DocumentOrder(),
    )
    reader.prepare()
    assert [path.endswith("a.run") for path in made] == [True]
    assert [reader.read(name, "q").texts for name in "abc"] == [["d1"], ["d2"], ["d3"]]
    assert len(made) == 1


@pytest.mark.parametrize(("deepest", "dtype"), [(2**31 - 1, np.int32), (2**31, np.int64)])
def test_hits_take_half_the_memory_unless_a_rank_needs_more(deepest, dtype):
    ranks, one = np.array([1, deepest]), np.array([2])
    hits = RetrievedJudgments(one, one, one, np.array([0, 2]), ranks, np.array([0, 5]), 0)
    narrow = hits.narrowed()
    assert narrow.rank.dtype == dtype
    assert narrow.judgment.dtype == np.int32
    assert narrow.contents == hits.contents
    assert narrow.outline == hits.outline
