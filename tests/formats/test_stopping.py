"""Where reading stops: at the first problem, or after very many where all are counted; never at no end."""

import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from rankgauge import formats
from rankgauge.errors import InputError
from rankgauge.formats import FORMATS, problems, text_files
from rankgauge.formats.source import Source

MAX_CHUNKS = 100  # chunks that may be read
GOOD = {  # formats of extensions only where they are installed
    ("trec", "run"): b"1 Q0 d 1 2 t\n",
    ("trec", "qrels"): b"1 0 d 1\n",
    ("msmarco", "run"): b"1 d 1\n",
    ("ntcir", "qrels"): b"1 d L1\n",
    ("strata", "qrels"): b"1 0 d s 1\n",
    ("ntcireval", "run"): b"d\n",
    ("ntcireval", "qrels"): b"d L1\n",
    ("csv", "run"): b"qid,docno,score\n1,d,2\n",
    ("tsv", "qrels"): b"qid\tdocno\tgrade\n1\td\t1\n",
    ("jsonl", "run"): b'{"qid": "1", "docno": "d", "score": 2}\n',
}
GOOD = {(format, kind): line for (format, kind), line in GOOD.items() if format in FORMATS}


class Endless(Source):
    """A file that begins like this, and then repeats the rest forever."""

    def __init__(self, path, rest):
        super().__init__(path)
        self.rest, self.read = rest, 0

    def chunks(self, size=1 << 20, tick=None):
        yield Path(self.file).read_bytes()
        for self.read in count(1):
            assert self.read < MAX_CHUNKS, "reading does not stop"
            yield self.rest


@pytest.fixture
def endless(tmp_path):
    def made(format, kind, rest):
        path = tmp_path / "data"
        path.write_bytes(GOOD[format, kind])
        return Endless(path, rest)

    return made


@pytest.mark.parametrize(("format", "kind"), GOOD)
def test_reading_stops_at_the_first_problem(format, kind, endless):
    source = endless(format, kind, b"a very bad line\n" * 1000)
    with pytest.raises(InputError, match=f"^{source.path}:{1 + GOOD[format, kind].count(10)}: "):
        formats.read(source, kind, format).checked()
    assert source.read == 1


@pytest.mark.parametrize(("format", "kind"), GOOD)
def test_where_all_problems_are_counted_reading_stops_after_very_many(format, kind, endless, monkeypatch):
    monkeypatch.setattr(problems, "MAX_PROBLEMS", 2_500)
    source = endless(format, kind, b"a very bad line\n" * 1000)
    columns = formats.read(source, kind, format, keep=3)
    assert source.read == 3
    assert len(columns) == 1
    assert columns.counts.pop(problems.UNREAD) == 1
    assert sum(columns.counts.values()) >= 2_500
    assert columns.problems[-1].line == columns.lines
    assert "the rest of the file was not read" in columns.problems[-1].sentence(kind)
    assert [problem.line for problem in columns.problems[:3]] == [columns.line[0] + n for n in (1, 2, 3)]


@pytest.mark.parametrize("keep", [None, 3])
@pytest.mark.parametrize(("format", "kind"), GOOD)
def test_a_line_without_end_is_an_error(format, kind, keep, endless, monkeypatch):
    monkeypatch.setattr(text_files, "ENDLESS_LINE", 1 << 23)
    source = endless(format, kind, b"x" * (1 << 20))
    with pytest.raises(InputError, match="a line has more than"):
        formats.read(source, kind, format, keep=keep).checked()
    assert source.read < 10


@pytest.mark.parametrize("junk", [b"\0", b"xyz"])
def test_json_that_does_not_begin_like_json_is_not_read_to_its_end(junk, tmp_path):
    (tmp_path / "data").write_bytes(junk)
    source = Endless(tmp_path / "data", b"x" * 1000)
    with pytest.raises(InputError, match="invalid JSON"):
        formats.read(source, "run", "json")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
@pytest.mark.parametrize("arguments", ["evaluate {} {run}", "evaluate {qrels} {}", "validate {}"])
def test_a_device_without_end_is_refused(device, arguments, write):
    if not Path(device).exists():
        pytest.skip("there is no such device here")
    files = {"run": write("run", "1 Q0 d 1 2 t\n"), "qrels": write("qrels", "1 0 d 1\n")}
    command = [sys.executable, "-m", "rankgauge", *arguments.format(device, **files).split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (1, 2)
    assert device in done.stdout + done.stderr
    assert "bug" not in done.stderr
