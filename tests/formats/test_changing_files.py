"""A file that is replaced while it is read gives what it was; one that is written to is refused."""

import bz2
import gzip
import io
import itertools
import os
import random
import threading

import pyarrow as pa
import pytest
from pyarrow import parquet

from rankgauge import Evaluator, Qrels, core, evaluate
from rankgauge.errors import InputError
from rankgauge.formats import arrow, arrow_batches
from rankgauge.formats.source import Source

CHANGED = "the file changed while it was read, or since"
QRELS = {str(topic): {"d1": 1} for topic in range(300)}
JUDGED = "".join(f"{topic} 0 d1 1\n" for topic in QRELS)


def run_text(rank, interleaved=False):
    """A run whose relevant documents are all at this rank; all such runs are of one size."""
    docs = {1: "12345", 2: "21345", 4: "23415"}[rank]
    lines = [
        f"{topic} Q0 d{doc} 1 {9 - place} tag\n" for topic in range(300) for place, doc in enumerate(docs)
    ]
    if interleaved:
        random.Random(1).shuffle(lines)
    return "".join(lines).encode()


def replace(path, content):
    """Another file under the same name, at once."""
    new = path.with_name("new")
    new.write_bytes(content)
    new.replace(path)


def rewrite(path, content):
    """Other bytes in the same file, later than before whatever the clock."""
    later = path.stat().st_mtime_ns + 1_000_000_000
    path.write_bytes(content)
    os.utime(path, ns=(later, later))


WRITES = {
    "cut off": lambda path: os.truncate(path, path.stat().st_size // 2),
    "emptied": lambda path: os.truncate(path, 0),
    "made longer": lambda path: os.truncate(path, path.stat().st_size + 10),
    "written again": lambda path: rewrite(path, path.read_bytes()[::-1]),
}
writes = pytest.mark.parametrize("change", WRITES.values(), ids=WRITES)
compressed = pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress], ids=["", "gz", "bz2"])


@writes
@compressed
def test_a_file_that_is_written_to_while_it_is_read_is_refused(write, change, compress):
    path = write("run", compress(random.Random(1).randbytes(1 << 17)))
    source = Source(path)
    chunks = source.chunks(1 << 12)
    assert len(next(chunks)) == 1 << 12
    change(path)
    with pytest.raises(InputError, match=rf"run: {CHANGED}"):
        list(chunks)
    with pytest.raises(InputError, match=rf"run: {CHANGED}"):
        next(source.chunks())


def test_the_message_has_both_sizes_if_they_differ(write):
    source = Source(path := write("run", b"1" * 2000))
    os.truncate(path, 1234)
    with pytest.raises(
        InputError, match=r"\(it had 2,000 bytes, and has 1,234 now\); read it when nothing writes"
    ):
        next(source.chunks())


@compressed
def test_a_file_that_is_replaced_while_it_is_read_is_read_to_its_end(write, compress):
    content = random.Random(1).randbytes(1 << 17)
    path = write("run", compress(content))
    source = Source(path)
    chunks = source.chunks(1 << 12)
    first = next(chunks)
    replace(path, compress(content[::-1]))
    assert first + b"".join(chunks) == content


@pytest.fixture
def small_parts(monkeypatch):
    """Parts and slices so small that any file has many."""
    monkeypatch.setattr("rankgauge.engines.local.trec_files.STEP", 1 << 10)
    monkeypatch.setattr("rankgauge.engines.local.trec_files.CHUNK", 1 << 10)
    monkeypatch.setattr("rankgauge.engines.local.trec_files.MIN_PART", 1 << 12)


def once(action):
    """A callback that acts the second time it is called, long before anything is read to its end."""
    calls = itertools.count()
    return lambda *_: action() if next(calls) == 1 else None


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("interleaved", [False, True])
def test_a_run_that_is_replaced_while_it_is_read_has_the_values_of_one_file(
    write, small_parts, threads, interleaved
):
    path = write("run", run_text(2, interleaved))
    progress = once(lambda: replace(path, run_text(4, interleaved)))
    assert evaluate(QRELS, path, "RR", threads=threads, progress=progress).mean()["run"]["RR"] == 0.5
    assert evaluate(QRELS, path, "RR", threads=threads).mean()["run"]["RR"] == 0.25


@writes
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("interleaved", [False, True])
def test_a_run_that_is_written_to_while_it_is_read_is_refused(
    write, small_parts, threads, interleaved, change
):
    path = write("run", run_text(2, interleaved))
    with pytest.raises(InputError, match=rf"run: {CHANGED}"):
        evaluate(QRELS, path, "RR", threads=threads, progress=once(lambda: change(path)))


def test_a_compressed_run_that_is_replaced_before_its_second_pass_is_refused(write, small_parts):
    path = write("run.gz", gzip.compress(run_text(2, interleaved=True)))
    progress = once(lambda: rewrite(path, gzip.compress(run_text(4, interleaved=True), 1)))
    with pytest.raises(InputError, match=CHANGED):
        evaluate(QRELS, path, "RR", progress=progress)


def change_when_called(monkeypatch, name, path):
    """Cut the file off when the core begins to read."""
    original = getattr(core, name)
    monkeypatch.setattr(core, name, lambda *args: WRITES["cut off"](path) or original(*args))


def test_the_back_end_for_small_files_refuses_a_run_that_is_written_to(write, monkeypatch):
    qrels, path = write("qrels", JUDGED), write("run", run_text(2))
    change_when_called(monkeypatch, "Join", path)
    with pytest.raises(InputError, match=CHANGED):
        Evaluator(str(qrels), "RR", back_end="programs").evaluate([path])


def test_judgments_that_are_written_to_while_they_are_read_are_refused(write, monkeypatch):
    path = write("qrels", JUDGED)
    change_when_called(monkeypatch, "Table", path)
    with pytest.raises(InputError, match=rf"qrels: {CHANGED}"):
        Qrels.read(path)


@pytest.mark.parametrize("batches", [False, True], ids=["whole", "in batches"])
@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_a_parquet_or_arrow_file_that_is_written_to_is_refused(write, monkeypatch, batches, format):
    topics = [topic for topic in QRELS for _ in range(5)]
    table = pa.table({"qid": topics, "docno": [f"d{n % 5}" for n in range(1500)], "score": [1.0] * 1500})
    out = io.BytesIO()
    if format == "parquet":
        parquet.write_table(table, out, row_group_size=100)
    else:
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=100)
    path = write(f"run.{format}", out.getvalue())
    monkeypatch.setattr("rankgauge.engines.run_inputs.READ_WHOLE", 0 if batches else 1 << 30)
    monkeypatch.setattr("rankgauge.formats.arrow_batches.BATCH", 100)
    assert evaluate(QRELS, path, "RR").mean()["run"]["RR"] > 0
    # called while the file is open
    for module, name in ((arrow, "choose"), (arrow_batches, "choose"), (arrow, "arrow_reader")):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, f=original: rewrite(path, out.getvalue()) or f(*args))
    with pytest.raises(InputError, match=rf"^{path}: {CHANGED}"):
        evaluate(QRELS, path, "RR")


def test_whenever_a_run_is_replaced_no_value_is_of_two_files(write, small_parts, cases, count):
    values = {1.0: run_text(1), 0.25: run_text(4)}
    path = write("run", values[1.0])
    ended = threading.Event()

    def disturb():
        for content in itertools.cycle(values.values()):
            replace(path, content)
            if ended.is_set():
                return

    thread = threading.Thread(target=disturb)
    thread.start()
    found = set()
    try:
        for n, _ in cases(count // 30):
            try:
                found.add(evaluate(QRELS, path, "RR", threads=1 + n % 3).mean()["run"]["RR"])
            except InputError as error:  # replaced between detecting the format and reading
                found.add(str(error).partition("; ")[0])
    finally:
        ended.set()
        thread.join()
    assert found <= {*values, f"{path}: {CHANGED}"}
