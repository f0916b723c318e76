"""Every door gives the same numbers: files of each format, frames, streams, records, responses of clients."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

from rankgauge import Qrels, Run, evaluate
from rankgauge.formats import FORMATS

MEASURES = "AP nDCG@3 RR P@2 Bpref"
# No ranking has the same values when it is turned round, nor when a topic is cut in two.
QRELS = {"q1": {"a": 2, "d": 1, "e": 0}, "q2": {"b": 1, "c": 0, "f": 3}, "q3": {"g": 1}}
RUN = {
    "q1": {"a": 0.9, "b": 0.75, "c": 0.5, "d": 0.25, "e": 0.125},
    "q2": {"c": 7.5, "b": 6.25, "f": 0.5, "g": -1.0},
    "q3": {"d": 2.0, "g": 1.0},
}
ROWS = [(topic, doc, score) for topic, found in RUN.items() for doc, score in found.items()]
COLUMNS = dict(zip(("query_id", "doc_id", "score"), map(list, zip(*ROWS, strict=True)), strict=True))
TABLE = pa.table(COLUMNS)
HITS = {
    topic: [{"_id": doc, "_score": score} for doc, score in found.items()] for topic, found in RUN.items()
}
ELASTIC = {topic: {"hits": {"total": len(found), "hits": found}} for topic, found in HITS.items()}
DOORS = {
    "pairs": {topic: list(found.items()) for topic, found in RUN.items()},
    "ranked lists": {topic: list(found) for topic, found in RUN.items()},
    "columns": COLUMNS,
    "rows": ROWS,
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "Arrow": TABLE,
    "lazy": pl.DataFrame(COLUMNS).lazy(),
    "dataset": pyarrow.dataset.dataset(TABLE),
    "scanner": lambda: pyarrow.dataset.dataset(TABLE).scanner(),
    "batches": lambda: TABLE.to_reader(max_chunksize=2),
    "generator": lambda: iter(ROWS),
    "records": TABLE.to_pylist(),
    "hits": HITS,
    "topics": [{"query_id": topic, "results": found} for topic, found in HITS.items()],
    "Elasticsearch": ELASTIC,
    "Qdrant": {t: {"points": [{"id": d, "score": s} for d, s in found.items()]} for t, found in RUN.items()},
    "Milvus": {t: [{"id": d, "distance": s} for d, s in found.items()] for t, found in RUN.items()},
    "Chroma": {
        t: {"ids": [[*found]], "distances": [[-s for s in found.values()]]} for t, found in RUN.items()
    },
    "Algolia": {t: {"nbHits": 9, "hits": [{"objectID": d} for d in found]} for t, found in RUN.items()},
}
EXPECTED = evaluate(QRELS, RUN, MEASURES).to_dict()["run"]


@pytest.mark.parametrize("name", DOORS)
def test_what_is_in_memory_gives_the_values_of_the_dict(name, tmp_path):
    door = DOORS[name]
    given = door if callable(door) else lambda: door
    assert evaluate(QRELS, given(), MEASURES).to_dict() == {"run": EXPECTED}
    assert evaluate(QRELS, {"x": given(), "y": Run.of(given())}, MEASURES).to_dict() == {
        "x": EXPECTED,
        "y": EXPECTED,
    }
    if isinstance(door, (dict, list)) and name not in ("generator", "rows"):
        (tmp_path / "run.json").write_text(json.dumps(door))
        assert evaluate(QRELS, tmp_path / "run.json", MEASURES).to_dict() == {"run": EXPECTED}


@pytest.mark.parametrize("format", [each for each in FORMATS.values() if each.write and "run" in each.kinds])
def test_files_of_every_format_give_the_values_of_the_dict(format, tmp_path):
    Run.of(RUN).write(tmp_path / "run", format.name)
    found = evaluate(QRELS, tmp_path / "run", MEASURES, run_format=format.name)
    assert found.to_dict() == {"run": EXPECTED}
    if "qrels" in format.kinds and "value" in format.keeps:
        Qrels.of(QRELS).write(tmp_path / "qrels", format.name)
        assert evaluate(tmp_path / "qrels", RUN, MEASURES, qrels_format=format.name).to_dict() == {
            "run": EXPECTED
        }
