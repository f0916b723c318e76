"""Judged spans of documents as judgments of chunks."""

import itertools
import math
import random

import pytest

from rankgauge import Qrels, SubtopicQrels, evaluate
from rankgauge.errors import InputError, OptionError

SPANS = (
    "query_id\tdoc_id\tstart\tend\trelevance\n"
    "q1\td1\t90\t150\t2\nq1\td1\t380\t390\t1\nq1\td2\t0\t10\t1\nq2\td1\t0\t40\t0\n"
)
CHUNKS = "chunk_id\tdoc_id\tstart\tend\n" + "".join(f"d1#{n}\td1\t{n}00\t{n + 1}00\n" for n in range(4))
# By hand: characters 90 to 150 are to a sixth in d1#0 and to five sixths in d1#1; d2 has no chunk.
JUDGED = {
    "q1": {"d1:90-150": {"d1#1": 2}, "d1:380-390": {"d1#3": 1}, "d2:0-10": {"d2:0-10": 1}},
    "q2": {"d1:0-40": {"d1#0": 0}},
}
RUN = {"q1": {"d1#0": 3.0, "d1#1": 2.0, "d1#3": 1.0}}


@pytest.fixture
def files(write):
    return str(write("spans.tsv", SPANS)), str(write("chunks.tsv", CHUNKS))


def columns(names, rows):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def test_grades_and_recall_by_hand(files):
    qrels = SubtopicQrels.from_spans(*files)
    assert qrels.to_dict() == JUDGED
    scores = evaluate(qrels, RUN, "StRecall@2 StRecall R RR nDCG@2")
    ideal = 2 + 1 / math.log2(3)
    expected = (1 / 3, 2 / 3, 2 / 3, 1 / 2, 2 / math.log2(3) / ideal)
    assert scores.values[0, :, 0].tolist() == pytest.approx(expected)


def test_the_command_writes_what_python_has(files, invoke, tmp_path):
    out = tmp_path / "chunks.qrels"
    assert invoke("convert", files[0], out, "--chunks", files[1]).err == ""
    assert out.read_text().splitlines()[0] == "q1 d1:90-150 d1#1 2"
    assert SubtopicQrels.read(out).to_dict() == JUDGED
    assert Qrels.read(out, duplicates="max").to_dict()["q2"] == {"d1#0": 0}
    invoke("convert", files[0], out, "--chunks", files[1], "--grades", "2=1", "--overlap", "0.1")
    assert SubtopicQrels.read(out).to_dict()["q1"]["d1:90-150"] == {"d1#0": 1, "d1#1": 1}


@pytest.mark.parametrize("overlap", [0.01, 0.5, 0.9, 1.0])
def test_overlaps_are_shares_of_characters(overlap):
    """Against sets of characters, in chunks that overlap each other; and no recall is above 1."""
    draw = random.Random(f"{overlap}")
    parts = [(f"d{draw.randrange(3)}", *sorted(draw.sample(range(60), 2))) for _ in range(60)]
    chunks = [(f"c{n}", *part) for n, part in enumerate(parts[:40])]
    spans = [("q", *part, 1) for part in dict.fromkeys(parts[40:])]
    table = columns(("query_id", "doc_id", "start", "end", "grade"), spans)
    pieces = columns(("chunk", "doc", "begin", "stop"), chunks)
    qrels = SubtopicQrels.from_spans(table, pieces, overlap=overlap)
    for _, doc, start, end, _ in spans:
        own = {*range(start, end)}
        name, found = f"{doc}:{start}-{end}", []
        for chunk, of, begin, stop in chunks:
            shared = own & {*range(begin, stop)}
            if of == doc and shared and len(shared) >= overlap * min(len(own), stop - begin):
                found.append(chunk)
        assert [*qrels.to_dict()["q"][name]] == (found or [name])
    run = {"q": {chunk: draw.random() for chunk, *_ in chunks}}
    assert all(value <= 1 for value in evaluate(qrels, run, "StRecall R R@5").mean()["run"].values())


def test_chunks_without_gaps_leave_no_span_out():
    """Whatever their sizes, one chunk at least has half of the span, or lies in it."""
    draw = random.Random(7)
    cuts = [0, *sorted(draw.sample(range(1, 500), 40)), 500]
    chunks = [(f"c{n}", "d", *each) for n, each in enumerate(itertools.pairwise(cuts))]
    spans = [("q", "d", *sorted(draw.sample(range(501), 2))) for _ in range(100)]
    qrels = SubtopicQrels.from_spans(
        columns(("query_id", "doc_id", "start", "end"), dict.fromkeys(spans)),
        columns(("chunk_id", "doc_id", "start", "end"), chunks),
    )
    run = {"q": {chunk: 1.0 for chunk, *_ in chunks}}
    assert evaluate(qrels, run, "StRecall").mean() == {"run": {"StRecall": 1.0}}


def test_other_formats_of_tables(write):
    lines = '{"qid": "q1", "document": "d1", "start": 90, "end": 150, "grade": 2}\n'
    chunks = write("chunks.csv", CHUNKS.replace("\t", ","))
    found = SubtopicQrels.from_spans(write("spans.jsonl", lines), chunks).to_dict()
    assert found == {"q1": {"d1:90-150": {"d1#1": 2}}}


@pytest.mark.parametrize(
    ("spans", "chunks", "message"),
    [
        (SPANS.replace("start", "from"), CHUNKS, "spans.tsv: no column for the start; name columns start"),
        (SPANS, CHUNKS.replace("chunk_id", "x"), "chunks.tsv: no column for the chunk"),
        (SPANS.replace("\t90\t", "\t190\t"), CHUNKS, "spans.tsv:2: start and end must be whole .* 190.* 150"),
        (SPANS.replace("\t90\t", "\t-1\t"), CHUNKS, "spans.tsv:2: start and end must be"),
        (SPANS.replace("\t90\t", "\t9.5\t"), CHUNKS, "spans.tsv:2: start and end must be"),
        (SPANS.replace("\t90\t", "\tinf\t"), CHUNKS, "spans.tsv:2: start and end must be"),
        (SPANS.replace("\t90\t", "\tx\t"), CHUNKS, "spans.tsv:2: column .start.: .x. is not a number"),
        (SPANS.replace("q2\td1", "q2\t"), CHUNKS, "spans.tsv:5: the doc is missing"),
        (SPANS.replace("150\t2", "150\t"), CHUNKS, "spans.tsv:2: the grade is missing"),
        (SPANS.replace("150\t2", "150\tinf"), CHUNKS, "is not a finite number"),
        (
            SPANS + SPANS.splitlines()[1],
            CHUNKS,
            "spans.tsv:6: span .d1:90-150. of topic .q1. is judged twice",
        ),
        (SPANS, CHUNKS.replace("#1", "#0"), "chunks.tsv:3: chunk .d1#0. occurs twice"),
        (SPANS, CHUNKS.replace("d1#2", "d2:0-10"), "spans.tsv:4: span .d2:0-10. has no chunk, and a chunk"),
        (SPANS.splitlines()[0] + "\n", CHUNKS, "the input has no rows"),
        (
            SPANS,
            CHUNKS.replace("\td1", "\tx1"),
            "spans.tsv: no document has both spans and chunks: .d1. against .x",
        ),
    ],
)
def test_tables_that_are_refused(spans, chunks, message, write):
    with pytest.raises(InputError, match=message):
        SubtopicQrels.from_spans(write("spans.tsv", spans), write("chunks.tsv", chunks))


@pytest.mark.parametrize("percent", range(1, 101))
def test_an_overlap_of_just_the_share_is_enough(percent):
    spans = {"query_id": ["q"], "doc_id": ["d"], "start": [0], "end": [100]}
    chunks = {"chunk_id": ["c"], "doc_id": ["d"], "start": [100 - percent], "end": [200]}
    qrels = SubtopicQrels.from_spans(spans, chunks, overlap=percent / 100)
    assert qrels.to_dict() == {"q": {"d:0-100": {"c": 1}}}


def test_options_that_are_refused(files, refused, invoke):
    chunked = files[0], "-", "--chunks", files[1]
    with pytest.raises(OptionError, match="overlap must be a number above 0 and up to 1"):
        SubtopicQrels.from_spans(*files, overlap=0)
    assert "overlap must be a number above 0" in refused("convert", *chunked, "--overlap", "nan")
    assert invoke("convert", *chunked, "--overlap", "1").out
    assert "--overlap is for judged spans" in refused("convert", files[0], "-", "--overlap", "0.3")
    assert "--from is for runs" in refused("convert", files[0], "-", "--chunks", files[1], "--from", "tsv")
