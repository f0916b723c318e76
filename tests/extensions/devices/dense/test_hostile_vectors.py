"""Vectors and ids that cannot be used: errors that say what was given and what to do."""

import gzip
import io

import numpy as np
import pytest

from extensions.devices.dense.finding import rows_of
from rankgauge.errors import InputError, MissingDependency
from rankgauge.extensions.devices.dense.documents import Documents

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

ARRAYS = {
    "one dimension": (np.ones(3), "1 dimension; use two"),
    "three dimensions": (np.ones((2, 2, 2)), "3 dimensions"),
    "no dimension": (np.float32(1), "0 dimensions"),
    "no rows": (np.ones((0, 3)), "there are no documents"),
    "no columns": (np.ones((3, 0)), "empty"),
    "complex": (np.ones((2, 2), dtype=complex), "complex128"),
    "bool": (np.ones((2, 2), dtype=bool), "bool; use numbers"),
    "text": (np.array([["a", "b"]]), "<U1"),
    "objects": (np.array([[1, None]], dtype=object), "Python objects"),
    "long double": (np.ones((2, 2), dtype=np.longdouble), "use float16"),
    "dates": (np.zeros((2, 2), dtype="datetime64[s]"), "datetime64"),
    "structured": (np.zeros((2, 2), dtype=[("x", "f4")]), "type"),
    "masked": (np.ma.masked_equal([[1.0, 2.0]], 2.0), "masked"),
    "ragged lists": ([[1.0, 2.0], [1.0]], "vector 1 (counted from 0) of the documents has 1 numbers"),
    "numbers": ([1.0, 2.0], "vector 0 (counted from 0) of the documents is a float"),
    "nothing": ([], "there are no documents"),
    "None": (None, "None does not hold the vectors"),
    "a number": (7, "an int does not hold"),
    "a set": ({1, 2}, "block 0"),
    "empty dict": ({}, "there are no documents"),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_that_are_no_vectors(case, refused):
    if case == "long double" and np.longdouble is np.float64:
        pytest.skip("there is none here")
    given, expected = ARRAYS[case]
    assert expected in refused(given)


def test_tensors_that_are_no_vectors(refused, torch):
    assert "complex64" in refused(torch.ones(2, 2, dtype=torch.complex64))
    assert "bool" in refused(torch.ones(2, 2, dtype=torch.bool))
    assert "1 dimension" in refused(torch.ones(2))
    assert "to_dense" in refused(torch.eye(3).to_sparse())
    assert "no documents" in refused(torch.ones(0, 2))


def test_a_sparse_matrix_is_refused(refused):
    sparse = pytest.importorskip("scipy.sparse")
    assert "toarray" in refused(sparse.csr_matrix(np.eye(3)))


def saved(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


GOOD = saved(np.ones((10, 4), dtype=np.float32))
FILES = {
    "empty": (b"", "not an .npy file"),
    "text": (b"1 2 3\n", "not an .npy file"),
    "truncated data": (
        GOOD[:-1],
        "truncated: an array of 10 × 4 float32 takes 288 bytes, and the file has 287",
    ),
    "truncated header": (GOOD[:40], "header"),
    "only magic": (GOOD[:6], "header"),
    "unknown version": (GOOD[:6] + b"\x09\x00" + GOOD[8:], "header"),
    "damaged header": (GOOD[:12] + b"(" * 20 + GOOD[32:], "header"),
    "evil header": (GOOD.replace(b"'<f4'", b"9**9 "), "header"),
    "negative shape": (GOOD.replace(b"(10, 4)", b"(-1, 4)"), "shape"),
    "huge shape": (GOOD.replace(b"(10, 4), }", b"(9**9, 4)}"), "header"),
    "large shape": (GOOD.replace(b"(10, 4)", b"(99,99)"), "truncated"),
    "gzip": (gzip.compress(GOOD), "decompress"),
    "npz": (b"PK\x03\x04" + bytes(100), ".npz"),
    "objects": (saved(np.array([[1, None]], dtype=object), allow_pickle=True), "Python objects"),
    "complex": (saved(np.ones((2, 2), dtype=complex)), "complex128"),
    "one dimension": (saved(np.ones(3)), "1 dimension"),
    "no dimension": (saved(np.float64(3)), "0 dimensions"),
    "no rows": (saved(np.ones((0, 3))), "no documents"),
    "no columns": (saved(np.ones((3, 0))), "0 numbers"),
}


@pytest.mark.parametrize("case", FILES)
def test_files_that_are_no_vectors(case, tmp_path, refused):
    content, expected = FILES[case]
    path = tmp_path / "d.npy"
    path.write_bytes(content)
    assert expected in refused(path, path=None if case == "no rows" else path)


def test_any_damage_is_an_error_or_harmless(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "d.npy"
    for _ in range(300):
        content = bytearray(GOOD)
        for place in rng.integers(0, 128, rng.integers(1, 4)):
            content[place] = rng.integers(0, 256)
        path.write_bytes(content[: rng.integers(1, 400)])
        try:
            documents = Documents.of(path)
            assert sum(len(block.vectors) for block in documents.blocks(3)) == documents.count
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017


def test_a_file_that_becomes_shorter(tmp_path):
    path = tmp_path / "d.npy"
    path.write_bytes(GOOD)
    documents = Documents.of(path)
    path.write_bytes(GOOD[:-20])
    with pytest.raises(InputError, match=r"d\.npy: .*complete"):
        list(documents.blocks(4))


def test_files_that_differ(tmp_path, refused):
    np.save(tmp_path / "a1.npy", np.ones((2, 3), dtype=np.float32))
    np.save(tmp_path / "a2.npy", np.ones((2, 4), dtype=np.float32))
    np.save(tmp_path / "b1.npy", np.ones((2, 3), dtype=np.float16))
    message = refused(str(tmp_path / "a*.npy"), path=tmp_path / "a2.npy")
    assert f"its vectors have 4 numbers, and those of {tmp_path}/a1.npy 3; all must be alike" in message
    message = refused([tmp_path / "a1.npy", tmp_path / "b1.npy"], path=tmp_path / "b1.npy")
    assert f"of type float16, and those of {tmp_path}/a1.npy float32" in message


def test_files_that_are_not_there(tmp_path, refused):
    assert "no such file" in refused(tmp_path / "d.npy")
    assert "no file matches" in refused(str(tmp_path / "d*.npy"))
    assert "no files" in refused(tmp_path)
    (tmp_path / "mixed").mkdir()
    np.save(tmp_path / "mixed/a.npy", np.ones((2, 3)))
    parquet.write_table(pa.table({"vector": [[1.0]]}), tmp_path / "mixed/b.parquet")
    assert "a.npy: this is not a Parquet file" in refused(tmp_path / "mixed")


F4 = pa.list_(pa.float32())
TABLES = {
    "ragged": ({"vector": [[1.0, 2.0], [3.0]]}, "row 1 (counted from 0): 'vector' has 1 numbers"),
    "null row": ({"vector": [[1.0], None]}, "row 1 (counted from 0): 'vector' is null"),
    "null number": (
        {"vector": [[1.0, 2.0], [3.0, None]]},
        "row 1 (counted from 0): 'vector' has a null at place 1",
    ),
    "empty lists": ({"vector": pa.array([[], []], F4)}, "row 0 (counted from 0): 'vector' is an empty list"),
    "texts": ({"vector": [["a"], ["b"]]}, "'vector'"),
    "bools": ({"vector": [[True], [False]]}, "bool"),
    "no lists": ({"vector": [1.0, 2.0]}, 'no column has lists of numbers; found "vector" (double)'),
    "two lists": ({"x": [[1.0]], "y": [[1.0]]}, "several columns have lists"),
    "no rows": ({"vector": pa.array([], F4)}, "no row"),
    "null id": ({"doc_id": ["a", None], "vector": [[1.0], [2.0]]}, "row 1 (counted from 0)"),
    "float ids": ({"doc_id": [1.5, 2.5], "vector": [[1.0], [2.0]]}, "doc_id"),
}


@pytest.mark.parametrize("case", TABLES)
@pytest.mark.parametrize("source", ["file", "frame"])
def test_columns_that_are_no_vectors(case, source, tmp_path, refused):
    columns, expected = TABLES[case]
    table, path = pa.table(columns), tmp_path / "d.parquet"
    if source == "frame":
        assert expected in refused(table)
        return
    parquet.write_table(table, path)
    assert expected in refused(path, path=path)


def test_a_ragged_row_is_named_by_its_number_in_the_file(tmp_path, refused):
    rows = [[1.0, 2.0]] * 25 + [[1.0, 2.0, 3.0]]
    parquet.write_table(pa.table({"vector": rows}), tmp_path / "d.parquet", row_group_size=4)
    assert "row 25 (counted from 0): 'vector' has 3 numbers, and rows before it 2" in refused(
        tmp_path / "d.parquet"
    )


def test_damaged_parquet_files(tmp_path, refused):
    parquet.write_table(pa.table({"vector": [[1.0, 2.0]] * 50}), tmp_path / "d.parquet")
    content = (tmp_path / "d.parquet").read_bytes()
    (tmp_path / "d.parquet").write_bytes(content[:-10])
    assert "not a readable Parquet file" in refused(tmp_path / "d.parquet")
    path = tmp_path / "ids.parquet"
    rows = pa.table({"doc_id": ["a", "b"], "vector": [[1.0], [2.0]]})
    parquet.write_table(rows, path, compression="none", use_dictionary=False)
    begin = parquet.read_metadata(path).row_group(0).column(0).data_page_offset
    content = path.read_bytes()
    path.write_bytes(content[:begin] + b"\xff" * 30 + content[begin + 30 :])
    assert "not a readable Parquet file" in refused(path, path=path)


def test_parquet_files_that_differ(tmp_path, refused):
    for name, columns in {
        "a1": {"vector": [[1.0]], "id": [1]},
        "a2": {"vector": [[1.0, 2.0]], "id": [2]},
        "b1": {"vector": [[1.0]]},
        "c1": {"vector": pa.array([[1.0]], F4), "id": [3]},
    }.items():
        parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    files = {name: tmp_path / f"{name}.parquet" for name in ("a1", "a2", "b1", "c1")}
    assert "a2.parquet: row 0 (counted from 0): 'vector' has 2 numbers" in refused([files["a1"], files["a2"]])
    assert "b1.parquet: there is no column of ids" in refused([files["a1"], files["b1"]])
    assert f"of type float32, and those of {files['a1']} float64" in refused([files["a1"], files["c1"]])


ONE = np.ones((2, 3))
BLOCKS = {
    "no blocks": ([], "no documents"),
    "empty blocks": ([np.ones((0, 3))], "no documents"),
    "too few ids": ([(["a"], ONE)], "block 0 (counted from 0) of the documents: 1 id for 2 vectors"),
    "another dimension": (
        [ONE, np.ones((2, 4))],
        "block 1 (counted from 0) of the documents: its vectors have 4",
    ),
    "another type": ([ONE, ONE.astype(np.float32)], "of type float32, and those of block 0"),
    "ids later": ([ONE, (["a", "b"], ONE)], "it has ids, and block 0"),
    "no ids later": ([(["a", "b"], ONE), ONE], "it has no ids"),
    "a text": (["a"], "block 0 (counted from 0) of the documents: a str is no block"),
    "three things": ([(1, 2, 3)], "is no block"),
    "one dimension": (
        [np.ones(3)],
        "block 0 (counted from 0) of the documents: the vectors have 1 dimension",
    ),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_blocks_that_are_none(case, refused):
    blocks, expected = BLOCKS[case]
    assert expected in refused(lambda: iter(blocks))
    assert "returned None" in refused(lambda: None)
    assert "pass" in refused(lambda: [(["a", "b"], ONE)], doc_ids=["c", "d"])


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_ids_as_vectors(count, refused, tmp_path):
    ids = [f"d{number}" for number in range(count)]
    expected = f"{count} id{'s'[: count - 1]} for 2 vectors of the documents"
    assert expected in refused(ONE, doc_ids=ids)
    assert expected in refused(lambda: [ONE[:1], ONE[1:]], doc_ids=ids)
    (tmp_path / "ids.txt").write_text("\n".join(ids))
    assert expected in refused(ONE, doc_ids=tmp_path / "ids.txt")


IDS = {
    "two dimensions": (np.ones((2, 1), dtype=int), "2 dimensions"),
    "floats": (np.array([1.0, 2.0]), "float64; use texts or integers"),
    "float in a list": (["a", 1.5], "row 1 (counted from 0)"),
    "None in a list": (["a", None], "row 1 (counted from 0)"),
    "a number": (7, "an int does not hold the ids"),
    "bytes": (b"ab", "a bytes does not hold the ids"),
    "a dict": ({"a": 1, "b": 2}, "a dict does not hold the ids"),
    "a set": (iter("ab"), "does not hold the ids"),
}


@pytest.mark.parametrize("case", IDS)
def test_ids_that_are_none(case, refused):
    given, expected = IDS[case]
    assert expected in refused(ONE, doc_ids=given)


ID_FILES = {
    "empty line": (b"a\n\nb\n", ":2: the line is empty"),
    "columns": (b"a\nb\ttext\n", ":2: the line has several columns"),
    "blank": (b"a \nb\n", ":1: the id begins or ends with a blank"),
    "blank first": (b"a\n b\n", ":2: the id begins or ends with a blank"),
    "empty": (b"", "0 ids for 2 vectors"),
    "not JSON": (b"[1, 2", "this is not JSON"),
    "JSON object": (b'{"a": 1}', "a dict; use a JSON list"),
    "nested JSON": (b"[[1], [2]]", "row 0 (counted from 0)"),
    "binary": (b"PAR1\0\1\n\2", "this is neither text nor an .npy file"),
    "truncated gzip": (gzip.compress(b"a\nb\n")[:-6], "truncated"),
    "objects": (saved(np.array(["a", None], dtype=object), allow_pickle=True), "Python objects"),
}


@pytest.mark.parametrize("case", ID_FILES)
def test_files_that_are_no_ids(case, refused, tmp_path):
    content, expected = ID_FILES[case]
    path = tmp_path / ("ids.json" if content.startswith(b"{") else "ids")
    path.write_bytes(content)
    assert expected in refused(ONE, doc_ids=path)


def test_ids_are_bytes_and_never_reinterpreted():
    documents = Documents.of(np.ones((4, 1)), [b"\xff", "007", "7", "é"])
    wanted = [b"\xff", "7", "007", "é", "e"]
    assert rows_of(documents, wanted) == {b"\xff": 0, "007": 1, "7": 2, "é": 3}


class OnDevice:
    """An array on a device that NumPy cannot see."""

    shape, dtype = (2, 3), "float32"

    def __dlpack__(self, **_):
        raise BufferError("not here")

    def __dlpack_device__(self):
        return (2, 0)


def test_an_array_on_another_device_needs_torch(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingDependency, match=r"rankgauge\[torch\]"):
        Documents.of(OnDevice())
