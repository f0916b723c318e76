"""Corpora that do not fit into memory: counted all the same, with as much memory as a block takes."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

DIM, ROWS = 256, 1_500_000  # 1.5 GB
ALLOWED = 500 << 20  # bytes, beyond what the process has before it begins

# Evaluates in a process of its own, which may not have more memory, and prints values and what it took.
PROGRAM = """
import json, resource, sys
import numpy as np
from rankgauge import dense
path, similarity, depth = sys.argv[1], sys.argv[2], int(sys.argv[3])
queries = np.load(sys.argv[4])
qrels = {"0": {"7": 1, sys.argv[5]: 1}, "1": {"1000": 1}}
dense.evaluate({"0": {"0": 1}}, queries, np.ones((100, queries.shape[1]), dtype=np.float32), "RR")
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + int(sys.argv[6])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
options = {"depth": depth} if depth else {}
scores = dense.evaluate(qrels, queries, path, "RR AP R@1000", similarity=similarity, **options)
best = dense.retrieve(queries, path, 3, similarity=similarity).to_dict() if depth else {}
growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps({"growth": growth * 1024, "best": best, **scores.to_dict()["run"]}))
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A file of vectors that are zero, but for a few; where files have holes, most of it is not stored."""
    folder = tmp_path_factory.mktemp("large")
    path = folder / "d.npy"
    header = {"descr": "<f4", "fortran_order": False, "shape": (ROWS, DIM)}
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        begin = file.tell()
        for row, value in ((7, 2), (500, 3), (1000, -1), (700_000, 1), (ROWS - 1, 1.5)):
            file.seek(begin + row * DIM * 4)
            file.write(np.full(DIM, value, dtype=np.float32).tobytes())
        file.truncate(begin + ROWS * DIM * 4)
    queries = np.zeros((2, DIM), dtype=np.float32)
    queries[:, :3] = 1
    np.save(folder / "q.npy", queries)
    return path


def run(*arguments, program=PROGRAM):
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems do not limit the address space"
)
@pytest.mark.parametrize("depth", [0, 2000])
def test_a_file_larger_than_the_memory_that_is_allowed(corpus, depth):
    assert corpus.stat().st_size > 2 * ALLOWED
    result = run(corpus, "dot", depth, corpus.with_name("q.npy"), ROWS - 1, ALLOWED)
    # Of the first query, 500 comes first, then 7 and the last document; of the second, 1000 is the worst.
    assert result["RR"] == {"0": 1 / 2, "1": 0.0 if depth else 1 / ROWS}
    assert result["AP"]["0"] == (1 / 2 + 2 / 3) / 2
    assert result["R@1000"] == {"0": 1.0, "1": 0.0}
    assert result["growth"] < ALLOWED
    if depth:
        assert [*result["best"]["0"]] == ["500", "7", str(ROWS - 1)]


# Goes through a Parquet file, and prints the memory that pyarrow took at most.
PASSES = """
import json, sys
import pyarrow
from rankgauge.core.ids import Ids
from rankgauge.extensions.devices.dense.documents import Documents
from rankgauge.extensions.devices.ids import IdIndex
documents = Documents.of(sys.argv[1])
rows = sum(len(block.vectors) for block in documents.blocks(1000))
documents.find(IdIndex(Ids.of([str(rows - 1), "5"])))
print(json.dumps([rows, pyarrow.default_memory_pool().max_memory()]))
"""


@pytest.mark.parametrize("fixed", [True, False])
def test_a_row_group_is_not_read_at_once(fixed, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    numbers = np.random.default_rng(1).standard_normal(100_000 * 128, dtype=np.float32)  # 51 MB
    if fixed:
        column = pa.FixedSizeListArray.from_arrays(pa.array(numbers), 128)
    else:
        column = pa.ListArray.from_arrays(
            pa.array(np.arange(100_001, dtype=np.int32) * 128), pa.array(numbers)
        )
    parquet.write_table(pa.table({"vector": column}), tmp_path / "d.parquet", row_group_size=100_000)
    rows, taken = run(tmp_path / "d.parquet", program=PASSES)
    assert rows == 100_000
    assert taken < numbers.nbytes / 3
