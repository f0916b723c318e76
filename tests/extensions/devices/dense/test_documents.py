"""Documents from everywhere: the same rows, ids and blocks."""

import gzip
import json
import random
import subprocess
import sys

import numpy as np
import pytest

from extensions.devices.dense.finding import rows_of
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.devices.dense import sources
from rankgauge.extensions.devices.dense.documents import Documents, Queries
from rankgauge.extensions.devices.ids import IdIndex, take

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

IDS = [f"doc-{number:03}" for number in range(57)]


def in_files(array, folder):
    for number, part in zip((1, 2, 10), (array[:20], array[20:20], array[20:]), strict=True):
        np.save(folder / f"d{number}.npy", part)
    return str(folder / "d*.npy")


def in_parquet(array, folder, kind=None, **options):
    kind = kind or pa.list_(pa.float32())
    column = pa.array(list(array), kind)
    parquet.write_table(pa.table({"docno": IDS, "embedding": column}), folder / "d.parquet", **options)
    return folder / "d.parquet"


def in_two_parquet_files(array, folder):
    for number, rows in ((9, slice(0, 30)), (10, slice(30, 57))):
        column = pa.array(list(array[rows]), pa.list_(pa.float32(), 6))
        table = pa.table({"emb": column, "doc_id": IDS[rows]})
        parquet.write_table(table, folder / f"p{number}.parquet", row_group_size=7)
    return folder


def by_columns(array, folder):
    np.save(folder / "f.npy", np.asfortranarray(array))
    return folder / "f.npy"


def in_other_byte_order(array, folder):
    np.save(folder / "big.npy", array.astype(">f4"))
    return folder / "big.npy"


def blocks_of(array, ids, size):
    return [(ids[at : at + size], array[at : at + size]) for at in range(0, len(array), size)]


def tensors(array, _folder):
    return pytest.importorskip("torch").from_numpy(array)


def blocks_of_tensors(array, _folder):
    torch = pytest.importorskip("torch")
    return lambda: ((ids, torch.from_numpy(block)) for ids, block in blocks_of(array, IDS, 9))


class Exported:
    """An array of another library, which is seen through DLPack."""

    def __init__(self, array):
        self._array, self.shape, self.dtype = array, array.shape, array.dtype

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


SOURCES = {
    "array": (lambda array, _: array, True),
    "array in columns": (lambda array, _: np.asfortranarray(array), True),
    "array in another byte order": (lambda array, _: array.astype(">f4"), True),
    "lists": (lambda array, _: [row.tolist() for row in array.astype(np.float64)], True),
    "vectors one by one": (lambda array, _: list(array), True),
    "tensor": (tensors, True),
    "DLPack": (lambda array, _: Exported(array), True),
    "files": (in_files, True),
    "list of files": (lambda array, folder: sorted(in_files(array, folder) and folder.glob("d*")), True),
    "file in columns": (by_columns, True),
    "file in another byte order": (in_other_byte_order, True),
    "parquet": (in_parquet, False),
    "parquet of row groups": (lambda *given: in_parquet(*given, row_group_size=5), False),
    "parquet of fixed size": (lambda *given: in_parquet(*given, pa.list_(pa.float32(), 6)), False),
    "parquet of large lists": (lambda *given: in_parquet(*given, pa.large_list(pa.float32())), False),
    "directory of parquet": (in_two_parquet_files, False),
    "frame": (lambda *given: parquet.read_table(in_parquet(*given)), False),
    "dict": (lambda array, _: dict(zip(IDS, array, strict=True)), False),
    "blocks": (lambda array, _: blocks_of(array, IDS, 10), False),
    "blocks of one": (lambda array, _: lambda: iter(blocks_of(array, IDS, 1)), False),
    "blocks without ids": (lambda array, _: lambda: (array[at : at + 8] for at in range(0, 57, 8)), True),
    "blocks of tensors": (blocks_of_tensors, False),
}


@pytest.fixture(params=SOURCES)
def documents(request, vectors, tmp_path):
    """The same documents from every source."""
    make, needs_ids = SOURCES[request.param]
    given = make(vectors, tmp_path)
    if request.param == "list of files":  # which keep their order: d1, d10, d2, and d2 is empty
        given = [given[0], given[2], given[1]]
    return Documents.of(given, IDS if needs_ids else None)


def test_every_source_has_the_same_rows(documents, vectors):
    wanted = ["doc-056", b"doc-000", "doc-031", "no such", "doc-31"]
    there, found = documents.find(IdIndex(Ids.of(wanted)))
    assert there.tolist() == [1, 2, 0]
    assert np.asarray(found).tolist() == vectors[[0, 31, 56]].tolist()
    assert documents.ids_of([56, 0, 31, 31]).texts() == ["doc-056", "doc-000", "doc-031", "doc-031"]
    assert np.asarray(documents.find(IdIndex(Ids.of(["doc"])))[1]).shape == (0, 6)
    assert (documents.count, documents.dim, tuple(documents.sample.shape)) == (57, 6, (0, 6))
    assert documents.dtype in ("float32", "float64")


@pytest.mark.parametrize("rows", [1, 7, 56, 57, 1000])
def test_every_source_has_the_same_blocks(documents, vectors, rows):
    for _ in range(2):
        first = 0
        for block in documents.blocks(rows):
            size = len(block.vectors)
            assert 1 <= size <= rows
            assert block.first == first
            assert np.asarray(block.vectors).tolist() == vectors[first : first + size].tolist()
            assert take(block.ids, np.arange(size)).texts() == IDS[first : first + size]
            first += size
        assert first == 57


def test_vectors_of_parquet_files_are_decoded_only_where_an_id_is_wanted(vectors, tmp_path, monkeypatch):
    documents = Documents.of(in_parquet(vectors, tmp_path, row_group_size=10))
    decoded, real = [], sources.list_array
    monkeypatch.setattr(sources, "list_array", lambda *given: decoded.append(given[2]) or real(*given))
    there, found = documents.find(IdIndex(Ids.of(["doc-012", "doc-056", "absent"])))
    assert decoded == [10, 50]  # the first rows of groups
    assert there.tolist() == [0, 1]
    assert found.tolist() == vectors[[12, 56]].tolist()
    assert documents.ids_of(range(57)).texts() == IDS


def test_blocks_of_an_array_are_views(vectors):
    assert all(np.shares_memory(block.vectors, vectors) for block in Documents.of(vectors).blocks(10))


def test_a_tensor_stays_where_it_is(vectors, torch):
    tensor = torch.from_numpy(vectors).to(torch.bfloat16).requires_grad_()
    documents = Documents.of(tensor)
    blocks = list(documents.blocks(20))
    assert blocks[0].vectors.data_ptr() == tensor.data_ptr()
    assert not blocks[0].vectors.requires_grad
    assert documents.dtype == "bfloat16"
    assert documents.find(IdIndex(Ids.of(["3"])))[1].dtype == torch.bfloat16


def test_without_ids_documents_are_numbered(vectors):
    documents = Documents.of(vectors)
    wanted = {"0", b"56", "57", "-1", "007", "7.0", " 7", "٧", "x", "9" * 30}
    assert rows_of(documents, wanted) == {"0": 0, b"56": 56}
    assert documents.ids_of([5, 0]).texts() == ["5", "0"]
    assert [block.ids for block in documents.blocks(30)] == [range(30), range(30, 57)]


IDS_GIVEN = {
    "list": lambda ids, _: ids,
    "tuple of bytes": lambda ids, _: tuple(i.encode() for i in ids),
    "array": lambda ids, _: np.array(ids),
    "array of bytes": lambda ids, _: np.array(ids, dtype=bytes),
    "array of objects": lambda ids, _: np.array(ids, dtype=object),
    "arrow": lambda ids, _: pa.array(ids),
    "chunks of arrow": lambda ids, _: pa.chunked_array([ids[:5], [], ids[5:]], pa.string()),
    "dictionary of arrow": lambda ids, _: pa.array(ids).dictionary_encode(),
    "text": lambda ids, path: path.write_text("\n".join(ids)) and path,
    "text with line ends": lambda ids, path: (
        path.write_bytes("".join(f"{i}\r\n" for i in ids).encode()) and path
    ),
    "gzip": lambda ids, path: path.write_bytes(gzip.compress("\n".join(ids).encode() + b"\n")) and path,
    "npy": lambda ids, path: np.save(path.with_suffix(".npy"), ids) or str(path.with_suffix(".npy")),
    "json": lambda ids, path: (
        path.with_suffix(".json").write_text(json.dumps(ids)) and path.with_suffix(".json")
    ),
    "two files": lambda ids, path: [
        path.with_name(name)
        for name, part in (("i2", ids[:9]), ("i10", ids[9:]))
        if path.with_name(name).write_text("\n".join(part))
    ],
}


@pytest.mark.parametrize("kind", IDS_GIVEN)
@pytest.mark.parametrize("values", ["texts", "numbers", "one", "unicode"])
def test_ids_in_every_shape(kind, values, vectors, tmp_path):
    make = {
        "texts": lambda row: f"FBIS3-{row}",
        "numbers": lambda row: str(10 * row),
        "one": lambda row: chr(ord("A") + row),
        "unicode": lambda row: f"ä{row}💡",
    }[values]
    ids = [make(row) for row in range(57)]
    if kind == "array of bytes" and values == "unicode":
        pytest.skip("NumPy makes no bytes of them")
    documents = Documents.of(vectors, IDS_GIVEN[kind](ids, tmp_path / "ids.txt"))
    assert documents.ids_of(range(57)).texts() == ids
    assert rows_of(documents, [*ids, "absent"]) == {name: row for row, name in enumerate(ids)}


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "uint64", ">i4"])
def test_integers_stay_integers(vectors, dtype, tmp_path):
    numbers = np.arange(57, dtype=dtype)[::-1]
    if dtype == "uint64":
        numbers = numbers + np.uint64((1 << 64) - 57)
    np.save(tmp_path / "ids.npy", numbers)
    texts = [str(number) for number in numbers.tolist()]
    for ids in (numbers, tmp_path / "ids.npy", pa.array(numbers.astype(numbers.dtype.newbyteorder("=")))):
        documents = Documents.of(vectors, ids)
        assert documents.ids_of(range(57)).texts() == texts
        assert rows_of(documents, {*texts, "007", "-1"}) == {text: row for row, text in enumerate(texts)}


def test_negative_and_large_integers(vectors):
    ids = [-5, 1 << 62, *range(55)]
    assert rows_of(Documents.of(vectors, ids), ["-5", str(1 << 62), "-05"]) == {"-5": 0, str(1 << 62): 1}
    ids[1] = 1 << 70
    assert rows_of(Documents.of(vectors, ids), ["-5", str(1 << 70)]) == {"-5": 0, str(1 << 70): 1}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_integers_are_found_by_their_decimal_text_alone(dtype):
    of_type = np.iinfo(dtype)
    numbers = {0, 1, 10, of_type.min, of_type.max, of_type.max - 1, of_type.min // 10}
    numbers = np.array(sorted(numbers), dtype=dtype)
    wanted = [str(sign * (size + step)) for sign in (1, -1) for step in (-1, 0, 1) for size in (0, 1, 10)]
    for power in (7, 8, 63, 64):
        wanted += [str(sign * ((1 << power) + step)) for sign in (1, -1) for step in (-1, 0, 1)]
        wanted += [f"0{1 << power}", f"{1 << power}0", f"{(1 << power) - 1} "]
    wanted += [
        "",
        "-",
        "+1",
        "00",
        "-0",
        "1_0",
        "1.",
        "1e1",
        "0x1",
        " 1",
        "1\0",
        "\u0661",
        "9" * 20,
        "9" * 19,
    ]
    wanted += [str(int(number) // 10) for number in numbers]
    expected = {text: row for row, text in enumerate(map(str, numbers.tolist())) if text in wanted}
    assert rows_of(Documents.of(np.ones((len(numbers), 1)), numbers), wanted) == expected
    assert len(expected) > 3


def test_texts_that_exist_as_files_are_ids_in_a_list(vectors, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d0").write_text("x")
    ids = [f"d{row}" for row in range(57)]
    assert rows_of(Documents.of(vectors, ids), ["d0"]) == {"d0": 0}


def test_ids_that_differ_only_in_a_few_places_are_distinguished(vectors):
    shapes = ("https://example.org/{}/page.html", "{}-" + "x" * 40, "x" * 40 + "{}", "{}")
    for shape in shapes:
        ids = [shape.format(row) for row in range(57)]
        expected = {name: 2 * n for n, name in enumerate(ids[::2])}
        assert rows_of(Documents.of(vectors, ids), ids[::2]) == expected


def test_finding_equals_a_dict_on_random_ids():
    rng = random.Random(5)
    for size in (1, 3, 300, 70_000):
        ids = list(dict.fromkeys("".join(rng.choices("ab/0", k=rng.randrange(20))) for _ in range(size)))
        wanted = {*ids[::3], "zzz", "", "b" * 30}
        expected = {name: row for row, name in enumerate(ids) if name in wanted}
        assert rows_of(Documents.of(np.ones((len(ids), 1)), ids), wanted) == expected


@pytest.mark.parametrize("ids", [["a", "b", "a"], [7, 8, 7]])
def test_an_id_that_is_wanted_and_occurs_twice_is_an_error(ids, refused):
    array = np.ones((3, 2))
    assert rows_of(Documents.of(array, ids), [str(ids[1])]) == {str(ids[1]): 1}
    expected = f'rows 0 and 2 (counted from 0) both have the id "{ids[0]}"'
    assert expected in refused(array, ids, find=[str(ids[0])])
    blocks = [(ids[:1], array[:1]), (ids[1:], array[1:])]
    assert expected in refused(lambda: blocks, find=[str(ids[0])])


class Counted:
    """A function that returns blocks, and counts how often it was called."""

    def __init__(self, blocks):
        self.blocks, self.calls = blocks, 0

    def __call__(self):
        self.calls += 1
        return iter(self.blocks)


@pytest.mark.parametrize("look_first", [True, False])
def test_a_stream_is_opened_twice(vectors, look_first):
    source = Counted(blocks_of(vectors, IDS, 5))
    documents = Documents.of(source)
    if look_first:
        assert documents.dim == 6
    assert documents.find(IdIndex(Ids.of(["doc-040", "doc-003"])))[1][:, 0].tolist() == [3, 40]
    assert documents.ids_of([50]).texts() == ["doc-050"]
    assert source.calls == 1
    assert sum(len(block.vectors) for block in documents.blocks(8)) == 57
    assert source.calls == 2


def test_small_blocks_are_put_together(vectors):
    documents = Documents.of(Counted(blocks_of(vectors, IDS, 3)))
    assert [len(block.vectors) for block in documents.blocks(30)] == [30, 27]


def test_an_iterator_is_refused_with_what_to_do(vectors):
    with pytest.raises(OptionError, match=r"pass a function that returns the iterator.*judged="):
        Documents.of(iter(blocks_of(vectors, IDS, 5)))


def test_an_iterator_is_gone_through_once(vectors):
    documents = Documents.of(iter(blocks_of(vectors, IDS, 5)), once=True)
    assert documents.dim == 6
    with pytest.raises(OptionError, match="only once"):
        rows_of(documents, ["doc-000"])
    blocks = list(documents.blocks(20))
    assert [name for block in blocks for name in block.ids] == [*map(str.encode, IDS)]
    assert documents.ids_of([3]).texts() == ["doc-003"]
    with pytest.raises(OptionError, match="only once"):
        list(documents.blocks(20))


@pytest.mark.parametrize("ids", [True, False])
def test_passes_that_differ_are_an_error(vectors, ids):
    passes = iter([blocks_of(vectors, IDS, 5), blocks_of(vectors[::-1], IDS[::-1], 5)])
    if not ids:
        passes = iter([[vectors[:30]], [vectors[:31]]])
    documents = Documents.of(lambda: next(passes))
    rows_of(documents, [])
    with pytest.raises(InputError, match="differ between two passes"):
        list(documents.blocks(20))


def test_queries_are_in_memory_and_have_their_ids(vectors, tmp_path):
    np.save(tmp_path / "q.npy", vectors)
    for given in (vectors, tmp_path / "q.npy", lambda: iter([vectors[:50], vectors[50:]])):
        queries = Queries.of(given, IDS)
        assert queries.ids.texts() == IDS
        assert np.array_equal(queries.vectors, vectors)
    assert Queries.of(vectors[:2]).ids.texts() == ["0", "1"]
    with pytest.raises(InputError, match=r"rows 0 and 2 .* of the queries both have the id \"a\""):
        Queries.of(vectors[:3], ["a", "b", "a"])


def test_ids_of_queries_are_found_by_the_names_of_topics(tmp_path):
    table = {"id": [1, 2], "query_id": ["q1", "q2"], "vector": [[1.0], [2.0]]}
    parquet.write_table(pa.table(table), tmp_path / "q.parquet")
    assert Queries.of(tmp_path / "q.parquet").ids.texts() == ["q1", "q2"]
    (block,) = Documents.of(tmp_path / "q.parquet").blocks(9)
    assert block.ids.tolist() == [1, 2]


def test_torch_is_not_imported(vectors):
    code = (
        "import sys, numpy as np\n"
        "from rankgauge.core.ids import Ids\n"
        "from rankgauge.extensions.devices.dense.documents import Documents\n"
        "from rankgauge.extensions.devices.ids import IdIndex\n"
        "documents = Documents.of(np.ones((3, 2)))\n"
        "documents.find(IdIndex(Ids.of(['1']))), list(documents.blocks(2))\n"
        "assert 'torch' not in sys.modules and 'pyarrow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
