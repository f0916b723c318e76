"""Every format, as the table of formats lists them: a new one is tested on arrival."""

import itertools

import numpy as np
import pytest

from rankgauge import formats
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import FORMATS
from rankgauge.formats.columns import Columns
from rankgauge.formats.source import OPENERS, Source
from rankgauge.model.run import Run

WRITABLE = [(f.name, kind) for f in FORMATS.values() for kind in f.kinds if f.write is not None]


def rows(columns):
    return sorted(zip(columns.topic, columns.doc, columns.value.tolist(), strict=True))


def orders(columns):
    """The documents of each topic in the order of evaluation."""
    found = {}
    for topic, doc, value in zip(columns.topic, columns.doc, columns.value.tolist(), strict=True):
        found.setdefault(topic, []).append((value, doc))
    return {topic: [doc for _, doc in sorted(pairs, reverse=True)] for topic, pairs in found.items()}


@pytest.mark.parametrize(("name", "kind"), WRITABLE)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_what_is_written_reads_back(name, kind, packed, tmp_path, columns_for):
    format, columns = FORMATS[name], columns_for(name, kind)
    path = tmp_path / f"data{format.extensions[0] if format.extensions else '.x'}{packed}"
    formats.write(columns, path, name)
    back = formats.read(path, kind, name).checked()
    assert sorted(zip(back.topic, back.doc, strict=True)) == sorted(
        zip(columns.topic, columns.doc, strict=True)
    )
    assert orders(back) == orders(columns)
    if "value" in format.keeps:
        assert rows(back) == rows(columns)
    if "label" in format.keeps:
        assert list(back.label) == list(columns.label)
    if kind == "run" and "rank" in format.keeps:
        assert back.rank.tolist() == columns.rank.tolist()


BEGINNINGS = [
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b'{"',
    b"[{",
    b"# ",
    b'"#',
    b"\x80",
    *(bytes([byte]) for byte in range(128)),
]


@pytest.mark.parametrize(("name", "kind"), WRITABLE)
def test_ids_with_any_beginning_read_back_or_are_not_written(name, kind, tmp_path):
    written = 0
    for beginning in BEGINNINGS:
        ids = [beginning + b"7", beginning]
        columns = Columns(kind, Ids.of(ids), Ids.of(ids[::-1]), np.array([2.0, 1.0]))
        try:
            formats.write(columns, tmp_path / "data", name)
        except InputError:
            continue
        written += 1
        back = formats.read(tmp_path / "data", kind, name).checked()
        assert sorted(zip(back.topic, back.doc, strict=True)) == sorted(zip(ids, ids[::-1], strict=True))
    assert written > len(BEGINNINGS) * 0.9


@pytest.mark.parametrize(("name", "kind"), WRITABLE)
def test_a_written_file_is_recognised_by_its_content_and_name(name, kind, tmp_path, columns_for):
    path = tmp_path / ("qrels" if kind == "qrels" else "bm25")
    formats.write(columns_for(name, kind), path, name)
    assert name == "msmarco" or formats.detect(Source(path), kind).name == name
    assert formats.guess_kind(Source(path), name) == kind
    for extension, packed in itertools.product(FORMATS[name].extensions, ("", ".gz", ".zst")):
        assert formats.by_extension(f"x/data{extension}{packed}", kind).name == name


@pytest.mark.parametrize("suffix", OPENERS)
def test_every_compression_reads_back(suffix, tmp_path, run_columns):
    path = tmp_path / f"bm25.run{suffix}"
    formats.write(run_columns, path)
    assert Source(path).compression == suffix
    assert rows(formats.read(path, "run")) == rows(run_columns)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_what_it_is(name):
    format = FORMATS[name]
    assert (format.name, bool(format.title)) == (name, True)
    assert {*format.kinds, *format.keeps} <= {"run", "qrels", "value", "rank", "label"}


def test_a_trec_run_without_ranks_is_written_in_the_order_of_trec_eval(tmp_path):
    run = Run.from_dict({"q": {"a": 1, "c": 2, "b": 1}, "p": {"x": 0.5}}, name="my run")
    run.write(tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text().splitlines() == [
        "q Q0 c 1 2.0 my_run",
        "q Q0 b 2 1.0 my_run",
        "q Q0 a 3 1.0 my_run",
        "p Q0 x 1 0.5 my_run",
    ]


def test_known_ranks_and_the_order_of_lines_survive_a_trec_file(tmp_path):
    text = "q Q0 a 7 1.5 t\np Q0 b 0 2.0 t\nq Q0 c 3 9.25 t\n"
    (tmp_path / "in.txt").write_text(text)
    formats.write(formats.read(tmp_path / "in.txt", "run"), tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == text


def test_whole_grades_are_written_as_integers_and_others_as_they_are(tmp_path):
    columns = Columns("qrels", Ids.of("qqq"), Ids.of("abc"), np.array([1.0, 0.1, 1e300]))
    formats.write(columns, tmp_path / "qrels.txt")
    assert (tmp_path / "qrels.txt").read_text() == "q 0 a 1\nq 0 b 0.1\nq 0 c 1e+300\n"


def test_the_same_data_makes_the_same_packed_file(tmp_path, run_columns):
    for name in ("a.run.gz", "b.run.gz"):
        formats.write(run_columns, tmp_path / name)
    assert (tmp_path / "a.run.gz").read_bytes() == (tmp_path / "b.run.gz").read_bytes()


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("x.res", None, "ntcireval files can be read but not written"),
        ("x", "parket", "did you mean parquet"),
        ("x", "ntcir", r"ntcir files cannot hold a run; use one of .*trec"),
    ],
)
def test_a_format_that_cannot_be_written_is_refused(tmp_path, run_columns, name, format, message):
    with pytest.raises(OptionError, match=message):
        formats.write(run_columns, tmp_path / name, format)
    assert list(tmp_path.iterdir()) == []
