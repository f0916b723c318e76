"""Input that is broken, odd or meant to do harm: each is either read right or refused with a sentence."""

import bz2
import functools
import gzip
import lzma

import numpy as np
import pyarrow as pa
import pytest

from rankgauge import Qrels, Run, SubtopicQrels, formats
from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats import problems, trec
from rankgauge.formats.columns import concatenated
from rankgauge.formats.source import Source, compression, zstd

RUN = b"401 Q0 FT911-3 1 12.5 bm25\n401 Q0 FT911-4 2 11 bm25\n"
QRELS = b"401 0 FT911-3 1\n401 0 FT911-4 0\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "401 Q0 FT911-3 12.5 bm25",
            '3: expected 6 columns, found 5: "401 Q0 FT911-3 12.5 bm25"; '
            "a line is: topic Q0 document rank score tag",
        ),
        (
            "401 0 FT911-3 1",
            '3: expected 6 columns, found 4: "401 0 FT911-3 1"; a line is: topic Q0 document rank score tag '
            "(this line looks like judgments; judgments come first, then runs)",
        ),
        (
            "401 Q0 d 1 abc t",
            '3: the score is not a number: "abc"; use a number such as 12.5, -3 or 1e-4',
        ),
        ("401 Q0 d 1 1_000 t", '3: the score is not a number: "1_000"'),
        ("401 Q0 d 1 nan t", '3: the score is NaN: "nan"'),
        ("401 Q0 d\0 1 2 t", "3: is this file a run? it contains NUL bytes"),
        ("401 Q0 d 1 \x1b[31m t", '3: the score is not a number: "\\x1b[31m"'),
        ("401 Q0 d 1 \u202e t", '3: the score is not a number: "\\u202e"'),
        ("x " * 400, "3: expected 6 columns, found more than 6"),
        ("x" * 400, "3: expected 6 columns, found at least 1"),
    ],
)
def test_a_bad_line_of_a_run_is_named_with_what_is_allowed(file, line, message, refused):
    assert refused(file(RUN + line.encode() + b"\n")).startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (QRELS + b"401 0 d", "3: expected 4 columns, found 3"),
        (QRELS + b"401 Q0 d 1 2 t", "3: expected 4 columns, found 6"),
        (
            QRELS + b"401 0 d high",
            '3: the grade is not a finite number: "high"; use a finite number such as 0, 2 or 0.5',
        ),
        (QRELS + b"401 0 d nan", "3: the grade is NaN"),
        (QRELS + b"401 0 d inf", "3: the grade is not a finite number"),
        (RUN, "(this line looks like a run; judgments come first, then runs)"),
    ],
)
def test_a_bad_line_of_judgments_is_named_with_what_is_allowed(file, content, message, refused):
    assert message in refused(file(content + b"\n"), "qrels")


def test_the_first_problem_by_line_is_the_one_that_is_told(file, refused):
    assert refused(file("a Q0 d 1 nan t\na Q0 d 1\na Q0 d 1 x t\n")).startswith("1: the score is NaN")
    assert refused(file("a Q0 d 1\na Q0 d 1 nan t\n")).startswith("1: expected 6")


def test_all_problems_are_counted_and_the_first_of_each_kind_kept(file):
    columns = formats.read(file(RUN + b"x\n" * 30 + b"1 Q0 d 1 nan t\n" * 2), "run", keep=3)
    assert columns.counts == {codes.COLUMNS: 30, codes.NOT_A_NUMBER: 2}
    assert [p.line for p in columns.problems if p.code == codes.COLUMNS] == [3, 4, 5]
    assert len(columns) == 2


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n  # but comments\n\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("name", ["data.txt", "data.csv", "data.tsv", "data.json", "data.jsonl"])
def test_an_empty_file_is_refused(file, content, kind, name, refused):
    message = refused(file(content, name), kind)
    assert "the input has no rows" in message or (name == "data.json" and "invalid JSON" in message)


@pytest.mark.parametrize(
    "content",
    [
        RUN.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + RUN,
        RUN.rstrip(b"\n"),
        b"\n# a comment\n\n" + RUN + b"\n\n",
        RUN.replace(b" ", b"\t"),
        RUN.replace(b" ", b" \t \x0b\x0c"),
        b"  " + RUN,
    ],
    ids=["CRLF", "BOM", "no final newline", "comments", "tabs", "any blanks", "leading blanks"],
)
def test_harmless_oddities_change_nothing(file, content, read):
    columns = read(file(content))
    parts = (columns.topic, columns.doc, columns.value.tolist(), columns.rank.tolist(), columns.label)
    assert [*zip(*parts, strict=True)] == [
        (b"401", b"FT911-3", 12.5, 1, b"bm25"),
        (b"401", b"FT911-4", 11, 2, b"bm25"),
    ]


PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: zstd().compress(content),
}


@functools.cache
def packed_long(suffix):
    lines = (b"%d Q0 d%d 1 %d t\n" % (i // 100, (i * 7919) % 10007, i) for i in range(5_000))
    return PACKERS[suffix](b"".join(lines))


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("part", [0.02, 0.5, 0.999])
def test_a_cut_off_archive_is_refused(file, suffix, part, refused):
    packed = packed_long(suffix)
    assert "archive is truncated" in refused(file(packed[: int(len(packed) * part)], f"data{suffix}"))


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_damaged_archive_is_refused(file, suffix, refused):
    packed = bytearray(packed_long(suffix))
    for place in range(len(packed) // 2, len(packed) // 2 + 20):
        packed[place] ^= 0x55
    message = refused(file(bytes(packed), f"data{suffix}"))
    assert "archive is damaged" in message or "archive is truncated" in message


def numbered_runs(count):
    """Runs of two lines, each of a topic of its own."""
    return [RUN.replace(b"401", b"%d" % number) for number in range(count)]


@pytest.mark.parametrize("suffix", PACKERS)
def test_archives_are_known_by_content_and_read_one_after_the_other(file, suffix, read):
    assert len(read(file(PACKERS[suffix](RUN), "data.txt"))) == 2
    assert len(read(file(RUN, f"plain{suffix}"))) == 2
    content = b"".join(map(PACKERS[suffix], [*numbered_runs(30), b""]))
    assert len(read(file(content, f"many{suffix}"))) == 60
    run = b"".join(numbered_runs(9))  # whose lines span archives
    content = b"".join(PACKERS[suffix](run[at : at + 5]) for at in range(0, len(run), 5))
    assert Source(file(content, f"many{suffix}")).head == run
    assert len(read(file(content, f"many{suffix}"))) == 18


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize(
    "foreign",
    [b"\n", b"junk", RUN, gzip.compress(RUN, mtime=0), bz2.compress(RUN), b"\0" * 3],
    ids=["newline", "junk", "text", "gzip", "bzip2", "zeros"],
)
def test_whatever_follows_an_archive_and_is_not_another_one_is_refused(file, suffix, foreign, read, refused):
    content = PACKERS[suffix](RUN) + foreign
    if foreign == b"\0" * 3 and suffix == ".gz":  # may be padded
        assert len(read(file(content, f"data{suffix}"))) == 2
    elif compression(foreign) != suffix:
        message = refused(file(content, f"data{suffix}"))
        assert "archive is damaged" in message or "archive is truncated" in message


def test_padding_after_xz_streams_is_skipped(file, read, refused):
    first, second = map(lzma.compress, numbered_runs(2))
    for zeros in (4, 8, 1 << 16, (1 << 17) + 4):
        assert len(read(file(first + b"\0" * zeros + second + b"\0" * zeros, "data.xz"))) == 4
    assert "5 zero bytes" in refused(file(first + b"\0" * 5 + second, "data.xz"))
    assert "6 zero bytes" in refused(file(first + second + b"\0" * 6, "data.xz"))


def test_other_archives_and_utf_16_are_named(file, refused):
    assert refused(file(b"PK\x03\x04rest")).startswith("zip archives are not supported")
    assert refused(file(RUN.decode().encode("utf-16"))) == "1: the file is UTF-16 text; save it as UTF-8"


@pytest.mark.parametrize(
    "name", ["junk", "junk.csv", "junk.tsv", "junk.json", "junk.jsonl", "junk.parquet", "junk.arrow"]
)
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_binary_junk_is_refused(file, name, kind, refused):
    junk = bytes((i * 197 + 31) % 256 for i in range(5000))
    refused(file(junk, name), kind)


def test_a_size_that_an_arrow_stream_cannot_have_is_refused(file, read):
    sink = pa.BufferOutputStream()
    table = pa.table({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    content = sink.getvalue().to_pybytes()
    messages = []
    for place in range(len(content)):  # one of them belongs to the size of the columns
        damaged = bytearray(content)
        damaged[place] = 127
        try:
            read(file(bytes(damaged), "run.arrow"))
        except InputError as error:
            messages.append(str(error))
    assert any("run.arrow: not enough memory for the size that it states" in each for each in messages)


@pytest.mark.parametrize("name", ["wide.txt", "wide.csv"])
def test_a_line_of_two_mebibytes_is_refused(file, name, refused):
    head = {"wide.csv": "qid,docno,score\n"}.get(name, "")
    message = refused(file(head + "x" * (2 << 20) + "\n", name))
    assert "a line has more than 1,048,576 bytes" in message


def test_numbers_are_doubles_whatever_their_length(file, read):
    run = read(file("q Q0 a 1 123456789012345678901234567890 t\nq Q0 b 1 1e400 t\nq Q0 c 1 -1E-400 t\n"))
    assert run.value.tolist() == [123456789012345678901234567890.0, float("inf"), 0.0]


def test_a_rank_that_is_no_number_is_no_error_of_its_own(file, read):
    assert read(file("q Q0 a first 2 t\nq Q0 b 3 1 t\n")).rank.tolist() == [codes.NO_RANK, 3]
    assert read(file("q Q0 a first 2 t\n")).rank is None


@pytest.mark.parametrize(
    ("topic", "doc", "message"),
    [
        *((bad, "y", "write csv, tsv or jsonl") for bad in ("a b", "", "a\tb", "a\0b", "a\nb")),
        *(("x", bad, "write csv, tsv or jsonl") for bad in ("a b", "", "a\tb", "a\0b", "a\nb")),
        ("#1", "y", "would be a comment"),
    ],
)
def test_ids_that_a_trec_file_cannot_hold_are_not_written(tmp_path, topic, doc, message):
    columns = formats.Columns("run", Ids.of(["x", topic]), Ids.of(["x", doc]), np.arange(2.0))
    with pytest.raises(InputError, match=message):
        formats.write(columns, tmp_path / "x.run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "kind"), [("trec", "run"), ("msmarco", "run"), ("ntcir", "qrels")])
def test_a_topic_that_would_begin_with_a_byte_order_mark_is_not_written_first(tmp_path, name, kind):
    topics, docs = Ids.of(["\ufeff1", "2"]), Ids.of(["a", "b"])
    columns = formats.Columns(kind, topics, docs, np.ones(2))
    with pytest.raises(InputError, match="order mark; write csv"):
        formats.write(columns, tmp_path / "x", name)
    formats.write(columns.take(np.array([1, 0])), tmp_path / "x", name)
    assert "\ufeff1".encode() in formats.read(tmp_path / "x", kind, name).topic


@pytest.mark.parametrize("bad", ["", "a\0b"])
@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
def test_ids_that_a_csv_file_cannot_hold_are_not_written(tmp_path, bad, name):
    columns = formats.Columns("run", Ids.of(["x", "x"]), Ids.of(["y", bad]), np.ones(2))
    with pytest.raises(InputError, match="this format cannot hold it: write jsonl"):
        formats.write(columns, tmp_path / name)
    formats.write(columns, tmp_path / "x.jsonl")
    assert list(formats.read(tmp_path / "x.jsonl", "run").doc) == [b"y", bad.encode()]


def test_what_is_quoted_is_printable_and_short():
    assert problems.quote(b"\x00\x1b\xff\n" + b"x" * 500).isprintable()
    assert len(problems.quote("y" * 500)) == 82
    assert problems.quote("[red]<b>💡") == '"[red]<b>💡"'
    assert problems.quote("\udcff") == '"\\xff"'


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("code", [*range(1, 10), problems.MALFORMED, problems.MISSING])
@pytest.mark.parametrize("found", [b"", b"x", b"\xff" * 300, b"a\0b"])
def test_every_problem_has_a_sentence(code, found, kind):
    assert problems.sentence(code, found, kind).isprintable()


@pytest.mark.parametrize(
    ("content", "name", "what"),
    [
        (b"<!DOCTYPE html>\n<html>404</html>\n", "x.run", "this is an HTML page"),
        (b"  <HTML>\n", "x", "this is an HTML page"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\n",
            "x.run",
            "this is a pointer of Git LFS",
        ),
        (b"PK\x03\x04rest", "x.xlsx", "this is a spreadsheet; save it as CSV"),
        (bytes((i * 197 + 31) % 256 for i in range(5000)), "x.run", "this is a binary file"),
        (b"1,Q0,a,1,2.0,t\n", "x.run", "commas separate these columns"),
    ],
)
def test_what_is_neither_a_run_nor_judgments_is_called_what_it_is(file, content, name, what, refused):
    assert what in refused(file(content, name))
    if not name.endswith("run") or b"," not in content:
        assert what in refused(file(content, name), "qrels")


@pytest.mark.parametrize("kind", [Run, Qrels, SubtopicQrels])
def test_rows_that_a_small_compressed_file_repeats_are_dropped_while_it_is_read(kind, tmp_path, monkeypatch):
    layout = b"%d Q0 d%d %d %d t%d\n" if kind is Run else b"%d %d d%d %d\n"
    places = (0, 2, 3, 1, 2) if kind is Run else (0, 2, 1, 3)
    rows = [(n % 3, n % 7, n % 2, n % 5) for n in range(210)]
    text = b"".join(layout % tuple(row[place] for place in places) for row in rows) * 60
    plain, packed = tmp_path / "plain", tmp_path / "packed.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    held = []
    monkeypatch.setattr(trec, "LEAST_THINNED", 1 << 15)
    monkeypatch.setattr(trec, "text_chunks", lambda source: source.chunks(1 << 14))
    monkeypatch.setattr(
        trec, "concatenated", lambda parts: held.append(sum(map(len, parts))) or concatenated(parts)
    )
    for duplicates in ("first", "max"):
        whole, thinned = (kind.read(path, name="x", duplicates=duplicates) for path in (plain, packed))
        assert (thinned.dropped, len(thinned)) == (whole.dropped, len(whole))
        assert thinned.columns().named() == whole.columns().named()
    assert held
    assert max(held) < len(text.splitlines()) / 2
    with pytest.raises(InputError, match=r"packed\.gz:[0-9]+: document .* occurs twice .* line 1") as error:
        kind.read(packed)
    with pytest.raises(InputError) as same:
        kind.read(plain)
    assert str(error.value).replace("packed.gz", "plain") == str(same.value)
