import numpy as np
import pytest

from rankgauge import formats
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats.columns import Columns

TOPICS = ["7", "007", "q-ä", "7", "<b>q</b>", b"\xff\xfe"]
DOCS = ["d1", "d1", "💡", "FT911-3", "a&b", b"\x80d"]
SCORES = [0.1 + 0.2, 5e-324, -1 / 3, 2.5, 1e17 + 16, float("inf")]


@pytest.fixture
def file(tmp_path):
    """Writes a file and returns its path."""

    def write(content, name="data.txt"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def read():
    """Reads a file strictly."""
    return lambda path, kind="run", **options: formats.read(path, kind, **options).checked()


@pytest.fixture
def refused(read):
    """The sentence with which a file is refused, without its path."""

    def sentence(path, kind="run", **options):
        with pytest.raises(InputError) as caught:
            read(path, kind, **options)
        message = str(caught.value)
        assert message.startswith(f"{path}:")
        assert message.isprintable()
        assert len(message) < 1000
        return message.removeprefix(f"{path}:").strip()

    return sentence


@pytest.fixture
def run_columns():
    """A run with awkward ids and scores."""
    ranks, tags = np.array([2, 1, 1, 1, 1, 1]), Ids.of(["bm25"] * 6)
    return Columns("run", Ids.of(TOPICS), Ids.of(DOCS), np.array(SCORES), ranks, tags)


@pytest.fixture
def columns_for(run_columns):
    """A run or judgments that a format can hold."""

    def made(name, kind):
        if kind == "run":
            return run_columns
        grades = [0, 1, 2, 0, 1, 3] if name == "ntcir" else [0, 1, 2, 0.5, -1, 3]
        iterations = Ids.of(["0", "1", "2", "0", "0", "x"])
        return Columns("qrels", Ids.of(TOPICS), Ids.of(DOCS), np.array(grades, float), label=iterations)

    return made
