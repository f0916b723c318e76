import gzip
import io
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import rankgauge
from rankgauge import formats
from rankgauge.errors import InputError
from rankgauge.formats.source import Source, expand, run_name, suffixes
from rankgauge.formats.target import writing
from rankgauge.model.validation import validate

RUN = b"401 Q0 FT911-3 1 12.5 bm25\n"
GZ = gzip.compress(RUN * 1000, mtime=0)  # the same in every worker


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25.run", "bm25"),
        ("runs/bm25.run.gz", "bm25"),
        ("bm25.v2.txt.zst", "bm25.v2"),
        ("bm25.v2", "bm25.v2"),
        ("input.bm25", "input.bm25"),
        ("BM25.TXT.GZ", "BM25"),
        ("x.jsonl", "x"),
        ("-", "stdin"),
        (Path("a") / "b.csv", "b"),
    ],
)
def test_a_run_is_called_by_its_file_without_known_extensions(path, name):
    assert run_name(path) == name


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/b.CSV.gz", (".csv", ".gz")), ("a/b.csv", (".csv", "")), ("a.b/c", ("", ""))],
)
def test_suffixes_are_those_of_format_and_compression(path, expected):
    assert suffixes(path) == expected


def test_a_source_can_be_read_any_number_of_times(tmp_path):
    (tmp_path / "x.gz").write_bytes(gzip.compress(RUN))
    source = Source(tmp_path / "x.gz")
    assert [b"".join(source.chunks()) for _ in range(3)] == [RUN] * 3
    assert (source.uncompressed, source.head) == (False, RUN)


def test_a_plain_source_tells_where_its_bytes_are(tmp_path):
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbf" + RUN)
    source = Source(tmp_path / "x")
    assert (source.uncompressed, source.start, source.size) == (True, 3, len(RUN) + 3)
    with source.opened() as file:
        file.seek(source.start)
        assert file.read() == RUN
    assert b"".join(source.chunks(5)) == RUN


def test_standard_input_is_read_once_and_had_twice(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(RUN))))
    assert b"".join(Source("-").chunks()) == RUN
    columns = formats.read("-", "run")
    assert (len(columns), columns.files) == (1, ((0, "stdin"),))


def test_the_copy_of_standard_input_is_gone_at_the_end(tmp_path):
    code = "from rankgauge.formats.source import Source; s = Source('-'); print(s.file, len(s.head))"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], input=RUN, stdout=subprocess.PIPE, env=environment, check=True
    )
    assert done.stdout.split()[1] == b"%d" % len(RUN)
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_read_once_and_had_twice(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(RUN))
    writer.start()
    source = Source(pipe)
    writer.join()
    assert b"".join(source.chunks()) == b"".join(source.chunks()) == RUN
    assert len(formats.read(source, "run").checked()) == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bm2.run", r"bm2.run: no such file \(did you mean bm25.run\?\)"),
        ("nowhere/bm2.run", r"no such file$"),
        ("", "this is a directory; use a file, or a pattern such as"),
        ("a\0b", "cannot be opened"),
    ],
)
def test_what_cannot_be_opened_is_refused_with_what_to_do(tmp_path, name, message):
    (tmp_path / "bm25.run").write_bytes(RUN)
    with pytest.raises(InputError, match=message):
        Source(tmp_path / name)


def test_patterns_name_files_in_order(tmp_path):
    for name in ("b.run", "a.run", "c.txt", "odd[1].run"):
        (tmp_path / name).write_bytes(RUN)
    assert [Path(p).name for p in expand(tmp_path / "?.run")] == ["a.run", "b.run"]
    assert expand(str(tmp_path / "odd[1].run")) == [str(tmp_path / "odd[1].run")]
    assert expand("plain.run") == ["plain.run"]
    assert expand("-") == ["-"]
    with pytest.raises(InputError, match="no file matches"):
        expand(tmp_path / "*.nothing")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "x.run.gz"
    target.write_bytes(b"old")

    def fail():
        with writing(target) as out:
            out.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [p.name for p in tmp_path.iterdir()] == ["x.run.gz"]
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("name", "message"), [("nowhere/x.run", "there is no directory"), ("", "this is a directory")]
)
def test_a_file_that_cannot_be_written_is_named(tmp_path, name, message):
    with pytest.raises(InputError, match=f"the file cannot be written: {message}"), writing(tmp_path / name):
        pass


def test_a_written_file_has_the_permissions_of_any_new_file(tmp_path):
    with writing(tmp_path / "x") as out:
        out.write(b"x")
    (tmp_path / "y").touch()
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "y").stat().st_mode


@pytest.mark.parametrize(("name", "written"), [("-", b"hello\n"), ("/dev/null", b"")])
def test_standard_output_is_a_dash_and_a_device_is_written_in_place(name, written, capfdbinary):
    with writing(name) as out:
        out.write(b"hello\n")
    assert capfdbinary.readouterr().out == written
    assert not Path("/dev/null").is_file()


@pytest.fixture
def process_name():
    """A function that writes a file of the system, which reports its size as 0."""
    path = Path("/proc/self/comm")
    if not path.exists():
        pytest.skip("there is no /proc here")
    before = path.read_text()

    def write(text):
        path.write_text(text)
        assert (path.stat().st_size, path.read_text().strip()) == (0, text)
        return path

    yield write
    path.write_text(before.strip())


@pytest.mark.parametrize("rules", [{}, {"order": "rank"}, {"threads": 2}])
def test_a_run_whose_size_is_reported_as_0_is_read(process_name, rules):
    path = process_name("1 Q0 d 1 2 t")
    assert rankgauge.evaluate({"1": {"d": 1}}, path, "RR", **rules).values.tolist() == [[[1.0]]]
    assert validate(path).ok
    with pytest.raises(InputError, match="expected 6 columns, found 3"):
        rankgauge.evaluate({"1": {"d": 1}}, process_name("1 Q0 d"), "RR", **rules)


def test_judgments_whose_size_is_reported_as_0_are_read(process_name):
    assert float(rankgauge.evaluate(process_name("1 0 d 1"), {"1": {"d": 1}}, "RR")) == 1.0


@pytest.mark.parametrize(
    ("data", "message"), [(GZ[:-9], "truncated; get"), (GZ[:12] + b"x" * 20, "damaged (")]
)
def test_a_broken_archive_has_a_place_only_where_it_is_known(tmp_path, data, message):
    (tmp_path / "x.gz").write_bytes(data)
    with pytest.raises(InputError, match=re.escape(f"x.gz: the .gz archive is {message}")) as caught:
        list(Source(tmp_path / "x.gz").chunks())
    assert "after about" not in str(caught.value)
