"""The documents of one topic in rank order, from every kind of run."""

import gzip

import pytest
from hypothesis import given

from campaigns import campaigns
from rankgauge.core.ids import to_text
from rankgauge.engines.local.document_ranks import RankedRun, documents_of_topic
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.formats import trec
from rankgauge.formats.arrow_batches import Batches
from rankgauge.formats.source import Source
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.run import Run
from twins.order import in_order

ROWS = [("10", "a", 3.0), ("1", "x", 2.0), ("10", "b", 9.0), ("1", "10", 5.0), ("", "", 0), ("10", "c", 4)]
LINES = [f"{topic} Q0 {doc} 1 {score} t" if topic else "" for topic, doc, score in ROWS]


def documents(run, topic, **rules):
    """The documents of a topic of a run as users pass it."""
    [given] = resolve_runs(run)
    return documents_of_topic(given.open(), topic, DocumentOrder(**rules))


@given(campaign=campaigns())
def test_a_dict_a_run_and_a_frame_have_the_same_documents(campaign):
    _, run = campaign
    rows = [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]
    frame = dict(zip(("topic", "doc", "score"), map(list, zip(*rows, strict=True)), strict=True))
    for topic in [*run, "no such topic"]:
        expected = in_order(run.get(topic, {}))
        assert documents(run, topic) == expected
        assert documents(Run.from_dict(run), topic) == expected
        assert documents(frame, topic) == expected
        assert RankedRun(Run.from_dict(run), DocumentOrder()).documents(topic) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
@pytest.mark.parametrize("packing", [bytes, gzip.compress])
def test_the_lines_of_a_topic_are_found_wherever_they_are_in_a_file(write, end, last, packing):
    path = write("bm25.run", packing((end.join(LINES) + last).encode()))
    assert documents(path, "10") == ["b", "c", "a"]
    assert documents(path, "1") == ["10", "x"]  # "1" is neither "10" nor a document
    assert documents(path, "0") == []


def test_a_line_that_two_chunks_share_is_read_once(write, monkeypatch):
    source = Source(write("bm25.run", "\n".join(LINES)))
    text = next(source.chunks())
    for size in range(1, len(text) + 1):
        pieces = [text[begin : begin + size] for begin in range(0, len(text), size)]
        monkeypatch.setattr(trec, "text_chunks", lambda _, pieces=pieces: iter(pieces))
        assert trec.read_topic(source, b"10").doc.texts() == ["a", "b", "c"]


def test_a_topic_may_hold_what_has_a_meaning_in_patterns_or_is_not_text(write):
    names = [b"a.b", b"axb", b"(", b"\xff\xfe", b"\\d"]
    path = write("odd.run", b"".join(b"\t %b Q0 d-%b 1 1 t\n" % (name, name) for name in names))
    for name in names:
        assert documents(path, to_text(name)) == [to_text(b"d-" + name)]


def test_a_run_in_batches_is_read_topic_by_topic(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "run.parquet"
    Run.from_dict({"t": {"a": 1.0, "b": 2.0}, "s": {"c": 1.0}}).write(path)
    batches = Batches([Source(path)])
    assert documents_of_topic(batches, "t", DocumentOrder()) == ["b", "a"]
    assert documents_of_topic(batches, "q", DocumentOrder()) == []


def test_rules_decide_ties_and_duplicates(write):
    path = write("twice.run", "q Q0 a 1 1 t\nq Q0 b 2 1 t\nq Q0 a 3 0 t\n")
    assert documents(path, "q", duplicates="first") == ["b", "a"]
    assert documents(path, "q", duplicates="max", ties="docid_asc") == ["a", "b"]
    assert documents(path, "q", duplicates="first", order="rank") == ["a", "b"]
