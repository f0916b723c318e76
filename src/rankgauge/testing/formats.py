"""The laws of file formats."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats import files
from rankgauge.formats.columns import Columns
from rankgauge.formats.files import FORMATS, Format
from rankgauge.formats.source import Source
from rankgauge.testing.laws import EXAMPLES, Laws

LAWS: Laws[Format] = Laws("format")
ODD_BEGINNINGS = [b"\xef\xbb\xbf", b"\xff\xfe", b'{"', b"[{", b"# ", b'"#', b"\x80"]


def check_format(
    name: str, *, laws: Iterable[str] | None = None, examples: int = EXAMPLES, seed: int = 0
) -> None:
    """Check that a registered file format obeys the laws of formats.

    Args:
        name: its name, such as "trec"
        laws: the names of the laws to check; by default all
        examples: how many random files each law is checked on
        seed: of the random examples

    """
    LAWS.check(name, FORMATS.find(name), laws, examples, seed)


def _is_written(format: Format) -> bool:
    return format.write is not None


IDS = [b"7", b"007", "q-\u00e4".encode(), b"<b>q</b>", b"\xff\xfe", "\U0001f4a1".encode(), b"a&b", b"FT911-3"]
SCORES = [0.1 + 0.2, 5e-324, -1 / 3, 2.5, 1e17 + 16, float("inf"), 7.0]


def columns_of(kind: str, rng: Random) -> Columns:
    """A run or judgments that every format can hold: awkward ids and scores, topics in several places."""
    docs = rng.sample(IDS, 6)
    topics = [rng.choice(IDS[:3]) for _ in docs]
    if kind == "qrels":
        grades = np.array([float(rng.randint(0, 3)) for _ in docs])
        iterations = Ids.of([rng.choice(["0", "1", "x"]) for _ in docs])
        return Columns(kind, Ids.of(topics), Ids.of(docs), grades, label=iterations)
    scores = np.array([rng.choice(SCORES) for _ in docs])
    ranks = np.array([topics[:row].count(topic) + 1 for row, topic in enumerate(topics)])
    return Columns(kind, Ids.of(topics), Ids.of(docs), scores, ranks, Ids.of(["bm25"] * len(docs)))


def rows_of(columns: Columns) -> list[tuple[bytes, bytes, float]]:
    """(topic, document, value), sorted."""
    return sorted(zip(columns.topic, columns.doc, columns.value.tolist(), strict=True))


def _order(columns: Columns) -> list[tuple[bytes, bytes, int]]:
    """(topic, document, place) in the order of evaluation, sorted."""
    places: dict[bytes, int] = {}
    found = []
    for topic, _value, doc in sorted(
        zip(columns.topic, columns.value.tolist(), columns.doc, strict=True), reverse=True
    ):
        places[topic] = places.get(topic, 0) + 1
        found.append((topic, doc, places[topic]))
    return sorted(found)


@contextmanager
def _written(format: Format, columns: Columns, packed: str = "") -> Iterator[Path]:
    """The path of a file of the format, in a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        ending = format.extensions[0] if format.extensions else ".data"
        path = Path(folder, f"{columns.kind}{ending}{packed}")  # the name says what is in it
        files.write(columns, path, format.name)
        yield path


@LAWS.law("a format says what it is", random=False)
def _described(format: Format, _: Random) -> None:
    assert format.title, "it has no title"
    assert format.kinds, "it holds nothing"
    assert {*format.kinds} <= {"run", "qrels"}, format.kinds
    assert {*format.keeps} <= {"value", "rank", "label"}, format.keeps
    assert all(extension.startswith(".") for extension in format.extensions), format.extensions


@LAWS.law("what is written reads back, also compressed", _is_written)
def _reads_back(format: Format, rng: Random) -> None:
    for kind in format.kinds:
        columns = columns_of(kind, rng)
        with _written(format, columns, rng.choice(["", ".gz"])) as path:
            back = files.read(path, kind, format.name).checked()
        assert _order(back) == _order(columns), f"written: {_order(columns)}\nread: {_order(back)}"
        if "value" in format.keeps:
            assert rows_of(back) == rows_of(columns), f"written: {rows_of(columns)}\nread: {rows_of(back)}"
        for column in {"label", "rank" if kind == "run" else "label"} & {*format.keeps}:
            written, read = ([*getattr(each, column)] for each in (columns, back))
            assert written == read, f"{column}: written: {written}\nread: {read}"


@LAWS.law("a written file is recognised by its content and by its name", _is_written, random=False)
def _recognised(format: Format, rng: Random) -> None:
    for kind in format.kinds:
        with _written(format, columns_of(kind, rng)) as path:
            source = Source(path)
            assert format.sniff(source, kind), f"`sniff` does not recognise a {kind} that `write` made"
            assert files.guess_kind(source, format.name) == kind, f"a file called {path.name}"
        for extension in format.extensions:
            found = files.by_extension(f"x/data{extension}.gz", kind)
            assert found is format, f"data{extension}.gz is taken for {found and found.name}"


@LAWS.law("ids with any beginning read back, or are not written", _is_written)
def _odd_ids(format: Format, rng: Random) -> None:
    beginning = rng.choice([*ODD_BEGINNINGS, *(bytes([byte]) for byte in range(128))])
    for kind in format.kinds:
        ids = [beginning + b"7", beginning]
        columns = Columns(kind, Ids.of(ids), Ids.of(ids[::-1]), np.array([2.0, 1.0]))
        try:
            with _written(format, columns) as path:
                back = files.read(path, kind, format.name).checked()
        except InputError:
            continue
        pairs = sorted(zip(back.topic, back.doc, strict=True))
        assert pairs == sorted(zip(columns.topic, columns.doc, strict=True)), f"{ids}: {pairs}"


@LAWS.law("a damaged file is read or refused in words, and nothing else", _is_written)
def _damaged(format: Format, rng: Random) -> None:
    for kind in format.kinds:
        with _written(format, columns_of(kind, rng)) as path:
            content = bytearray(path.read_bytes())
            for _ in range(rng.randint(1, 4)):
                content[rng.randrange(len(content))] = rng.choice([0, 10, 32, 44, 255, rng.randrange(256)])
            path.write_bytes(content[: rng.randint(1, len(content))])
            try:
                files.read(path, kind, format.name).checked()
            except RankgaugeError:
                continue
