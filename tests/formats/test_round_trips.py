"""What is written reads back as it was; the laws of all formats are tested with the registries."""

import numpy as np
import pytest

from rankgauge import formats
from rankgauge.core.ids import Ids
from rankgauge.errors import OptionError
from rankgauge.formats.columns import Columns
from rankgauge.formats.source import OPENERS, Source
from rankgauge.model.run import Run


def rows(columns):
    return sorted(zip(columns.topic, columns.doc, columns.value.tolist(), strict=True))


@pytest.mark.parametrize("suffix", OPENERS)
def test_every_compression_reads_back(suffix, tmp_path, run_columns):
    path = tmp_path / f"bm25.run{suffix}"
    formats.write(run_columns, path)
    assert Source(path).compression == suffix
    assert rows(formats.read(path, "run")) == rows(run_columns)


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
