"""Several runs in one table are runs, by a column such as run, tag or system, as on Spark."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankgauge import Run, evaluate
from rankgauge.errors import InputError

TABLE = {
    "run": ["a", "b", "a", "b"],
    "qid": ["1"] * 4,
    "docno": ["x", "y", "y", "x"],
    "score": [0.9, 0.8, 0.7, 0.6],
}
ROWS = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]
QRELS = {"1": {"x": 1}}
EXPECTED = {"a": {"RR": 1.0}, "b": {"RR": 0.5}}
CSV = "\n".join(",".join(map(str, row)) for row in [TABLE, *zip(*TABLE.values(), strict=True)])


@pytest.mark.parametrize("made", [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda _: ROWS])
def test_a_table_in_memory_has_a_run_per_tag(made):
    assert evaluate(QRELS, made(TABLE), "RR").mean() == EXPECTED
    assert evaluate(QRELS, {"x": made(TABLE)}, "RR").mean() == EXPECTED


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.json", "x.jsonl", "x.parquet", "x.arrow"])
def test_a_file_has_a_run_per_tag(name, tmp_path):
    path = tmp_path / name
    texts = {"csv": CSV, "tsv": CSV.replace(",", "\t"), "json": json.dumps(ROWS)}
    texts["jsonl"] = "\n".join(map(json.dumps, ROWS))
    if path.suffix == ".parquet":
        pl.DataFrame(TABLE).write_parquet(path)
    elif path.suffix == ".arrow":
        pl.DataFrame(TABLE).write_ipc(path, compression="uncompressed")
    else:
        path.write_text(texts[path.suffix[1:]] + "\n")
    assert evaluate(QRELS, path, "RR").mean() == EXPECTED


def test_other_columns_may_have_the_names_and_one_run_keeps_its_own():
    table = pd.DataFrame(TABLE).rename(columns={"run": "model"})
    assert evaluate(QRELS, table, "RR", run_columns={"tag": "model"}).mean() == EXPECTED
    assert evaluate(QRELS, table[table["model"] == "a"], "RR", run_columns={"tag": "model"}).runs == ("run",)
    with pytest.raises(
        InputError, match=r'different tags, "a" and "b": are these several runs in one\? pass one'
    ):
        Run.of(pd.DataFrame(TABLE).assign(docno="x"))
