"""The command `dense`: the values of a run that is never written, and of one that is."""

import sys

import numpy as np
import pytest

import rankgauge
from rankgauge import evaluate
from rankgauge.cli.main import main
from rankgauge.errors import OptionError
from rankgauge.extensions.devices import dense
from rankgauge.model.scores import Scores

MEASURES = "nDCG@10 AP RR R@100"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Vectors of 300 documents in three files and of 12 queries, with their ids and judgments."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    documents = np.round(rng.normal(size=(300, 5)) * 2).astype(np.float32)  # with ties
    queries = np.round(rng.normal(size=(12, 5)) * 2).astype(np.float32)
    for number, part in zip((1, 2, 10), np.split(documents, [100, 250]), strict=True):
        np.save(f"d{number}.npy", part)
    np.save("q.npy", queries)
    (tmp_path / "d.txt").write_text("".join(f"doc-{row}\n" for row in range(300)))
    (tmp_path / "q.txt").write_text("".join(f"t{row}\n" for row in range(12)))
    lines = [f"t{query} 0 doc-{row} {row % 3}\n" for query in range(12) for row in rng.permutation(300)[:20]]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    (tmp_path / "seen.txt").write_text("t0 doc-3\nt0 doc-7\nt5 doc-9\nt5 unknown\n")
    return tmp_path


VECTORS = ["--queries", "q.npy", "--query-ids", "q.txt", "--documents", "d*.npy", "--doc-ids", "d.txt"]


def written(*argv):
    """The scores that the command writes, as {measure: {topic: value}}."""
    assert main(["dense", "qrels.txt", *argv, "-m", MEASURES, "-o", "scores.parquet", "--quiet"]) == 0
    (values,) = Scores.load("scores.parquet").to_dict().values()
    return values


def expected(**options):
    given = {"query_ids": "q.txt", "doc_ids": "d.txt", **options}
    (values,) = dense.evaluate("qrels.txt", "q.npy", "d*.npy", MEASURES, **given).to_dict().values()
    return values


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"similarity": "cosine"},
        {"similarity": "euclidean", "ties": "average"},
        {"depth": 20},
        {"ties": "docid_asc", "score_precision": "single"},
    ],
)
def test_the_values_are_those_of_the_library(options, folder):
    argv = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    values = written(*VECTORS, *argv)
    assert values == expected(**options)
    assert values != expected(depth=1)


@pytest.mark.parametrize("options", [{}, {"similarity": "cosine"}, {"ties": "docid_asc"}])
@pytest.mark.parametrize("name", ["out.run.gz", "out.parquet"])
def test_a_written_run_has_the_same_values(options, name, folder):
    argv = [text for option, value in options.items() for text in (f"--{option}", value)]
    values = written(*VECTORS, *argv, "--depth", "30", "--run", name, "--name", "my run")
    rules = {option: rule for option, rule in options.items() if option == "ties"}
    (of_file,) = evaluate("qrels.txt", name, MEASURES, **rules).to_dict().values()
    assert values == of_file == expected(depth=30, **options)


def test_the_run_has_its_name_and_as_many_documents_as_asked(folder):
    written(*VECTORS, "--depth", "30", "--run", "out.run", "--name", "bge")
    lines = [line.split() for line in (folder / "out.run").read_text().splitlines()]
    assert len(lines) == 12 * 30
    assert {line[-1] for line in lines} == {"bge"}
    assert [int(line[3]) for line in lines[:30]] == [*range(1, 31)]


@pytest.mark.parametrize("argv", [[], ["--depth", "50", "--run", "out.run"]])
def test_excluded_documents(argv, folder):
    depth = {"depth": 50} if argv else {}
    exclude = {"t0": ["doc-3", "doc-7"], "t5": ["doc-9"]}
    values = written(*VECTORS, "--exclude", "seen.txt", *argv)
    assert values == expected(exclude=exclude, **depth)


def test_tables_of_topics_and_the_name(folder, invoke):
    argv = ["dense", "qrels.txt", *VECTORS, "-m", "RR", "-q", "--format", "tsv", "--name", "e5"]
    lines = invoke(*argv).out.splitlines()
    assert lines[0].split("\t")[0] == "run"
    assert {line.split("\t")[0] for line in lines[1:]} == {"e5"}
    assert (
        "The 3 of 12 topics where RR is lowest."
        in invoke(*argv[:-4], "--worst", "3", "--format", "markdown").out
    )


def test_parquet_files_bring_their_ids(folder):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    vectors = np.concatenate([np.load(f"d{number}.npy") for number in (1, 2, 10)])
    ids = (folder / "d.txt").read_text().split()
    parquet.write_table(pa.table({"docno": ids, "vector": list(vectors)}), "d.parquet")
    names = (folder / "q.txt").read_text().split()
    parquet.write_table(pa.table({"query_id": names, "emb": list(np.load("q.npy"))}), "q.parquet")
    assert written("--queries", "q.parquet", "--documents", "d.parquet") == expected()


def test_files_in_the_order_of_a_shell(folder, refused):
    by_shell = sorted(path.name for path in folder.glob("d*.npy"))
    assert by_shell == ["d1.npy", "d10.npy", "d2.npy"]
    argv = ["--queries", "q.npy", "--query-ids", "q.txt", "--documents", *by_shell]
    message = refused("dense", "qrels.txt", *argv, "--doc-ids", "d.txt")
    assert "d1.npy d10.npy d2.npy" in message
    assert "quote the pattern" in message
    ids = (folder / "d.txt").read_text().splitlines(keepends=True)
    for number, rows in ((1, slice(0, 100)), (2, slice(100, 250)), (10, slice(250, 300))):
        (folder / f"i{number}.txt").write_text("".join(ids[rows]))
    assert written(*argv, "--doc-ids", "i1.txt", "i10.txt", "i2.txt") == expected()
    message = refused("dense", "qrels.txt", *argv, "--doc-ids", "i1.txt", "i2.txt", "i10.txt")
    assert message.startswith("rankgauge: i2.txt: 150 ids for the 50 vectors of d10.npy")


def test_files_in_a_chosen_order(folder):
    parts = ["d1.npy", "d2.npy", "d10.npy"]
    argv = ["--queries", "q.npy", "--query-ids", "q.txt", "--documents", *parts, "--doc-ids", "d.txt"]
    assert written(*argv) == expected()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([*VECTORS, "--run", "out.run"], "add --depth N"),
        ([*VECTORS[:5], "d3.npy"], "no such file"),
        ([*VECTORS[:-1], "q.txt"], "12 ids for 300 vectors"),
        ([*VECTORS[:2], *VECTORS[4:]], "no results for any judged topic"),
        ([*VECTORS, "--order", "rank"], "order=rank"),
        ([*VECTORS, "--depth", "5", "--run", "x.tsv", "-o", "x.tsv"], "both be written to x.tsv"),
        ([*VECTORS, "--depth", "5", "--run", "q.txt"], "same file as the input q.txt"),
        ([*VECTORS, "-o", "d2.npy", "--format", "csv"], "same file as the input d2.npy"),
        ([*VECTORS, "--exclude", "bad.txt"], "bad.txt:2: expected 2 columns, found 4"),
        (["--queries", "narrow.npy", *VECTORS[2:]], "queries 4, documents 5"),
        (["--queries", "cut.npy", *VECTORS[2:]], "cut.npy: the file is truncated"),
        # before anything is read
        (
            ["--queries", "none", "--documents", "none", "--depth", "5", "--run", "no/x.run"],
            "there is no directory 'no'",
        ),
    ],
)
def test_what_is_refused(argv, message, folder, refused):
    (folder / "bad.txt").write_text("t0 doc-1\nt1 0 doc-2 1\n")
    np.save("narrow.npy", np.ones((12, 4), dtype=np.float32))
    (folder / "cut.npy").write_bytes((folder / "q.npy").read_bytes()[:-1])
    assert message in refused("dense", "qrels.txt", *argv)


@pytest.mark.usefixtures("folder")
def test_a_device_needs_torch(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "pip install 'rankgauge[torch]'" in refused("dense", "qrels.txt", *VECTORS, "--device", "cuda")


@pytest.mark.usefixtures("folder")
def test_devices(refused, torch):
    assert "--device must be one of torch's, such as cpu" in refused(
        "dense", "qrels.txt", *VECTORS, "--device", "warp"
    )
    absent = f"cuda:{torch.cuda.device_count()}"
    assert f"the device is {absent}" in refused("dense", "qrels.txt", *VECTORS, "--device", absent)
    assert written(*VECTORS, "--device", "cpu") == expected()


def test_metadata_are_the_header_of_the_run(folder, refused):
    yaml = pytest.importorskip("yaml")
    argv = [
        "qrels.txt",
        *VECTORS,
        "--depth",
        "5",
        "--run",
        "out.run",
        "--name",
        "e5: α",
        "-m",
        "AP",
        "--quiet",
    ]
    assert main(["dense", *argv, "-o", "plain.csv"]) == 0
    plain = (folder / "out.run").read_text()
    assert main(["dense", *argv, "--metadata", "-o", "scores.csv"]) == 0
    lines = (folder / "out.run").read_text().splitlines(keepends=True)
    assert lines[0] == "# ir_metadata.start\n"
    end = lines.index("# ir_metadata.end\n")
    assert "".join(lines[end + 1 :]) == plain
    assert (folder / "scores.csv").read_text() == (folder / "plain.csv").read_text()
    found = yaml.safe_load("".join(line.removeprefix("# ") for line in lines[1:end]))
    assert found["tag"] == "e5: α"
    assert found["research goal"] == {"evaluation": {"reported measures": ["AP"]}}
    assert found["data"]["test collection"] == {"qrels": "qrels.txt"}
    assert found["method"]["retrieval"] == [
        {"name": "e5: α", "method": "exact search", "similarity": "dot", "depth": 5}
    ]
    (folder / "plain.run").write_text(plain)
    for run in ("out.run", rankgauge.Run.read("out.run")):
        (values, expected_values) = (
            evaluate("qrels.txt", each, "AP").values.tolist() for each in (run, "plain.run")
        )
        assert values == expected_values
    assert "add --run FILE" in refused("dense", "qrels.txt", *VECTORS, "--metadata")
    with pytest.raises(OptionError, match="metadata are for TREC runs, not csv"):
        rankgauge.Run.read("out.run").write("out.csv", metadata={"tag": "x"})
