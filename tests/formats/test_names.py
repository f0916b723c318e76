"""How columns are called, and what happens when they are called otherwise."""

import json
import re
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import rankgauge
from rankgauge.engines import run_inputs
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.columns import NAMES, ROLES, choose, guess

CONVENTIONS = {
    "ir_datasets run": ("run", ["query_id", "doc_id", "score"], "query_id doc_id score"),
    "ir_datasets judgments": (
        "qrels",
        ["query_id", "doc_id", "relevance", "iteration"],
        "query_id doc_id relevance",
    ),
    "PyTerrier run": ("run", ["qid", "docid", "docno", "rank", "score", "query"], "qid docno score"),
    "PyTerrier judgments": ("qrels", ["qid", "docno", "label"], "qid docno label"),
    "trectools run": ("run", ["query", "q0", "docid", "rank", "score", "system"], "query docid score"),
    "trectools judgments": ("qrels", ["query", "q0", "docid", "rel"], "query docid rel"),
    "ranx": ("run", ["q_id", "doc_id", "score"], "q_id doc_id score"),
    "BEIR": ("qrels", ["query-id", "corpus-id", "score"], "query-id corpus-id score"),
    "camel case": ("run", ["queryId", "docId", "Score"], "queryId docId Score"),
    "MS MARCO": ("qrels", ["qid", "pid", "rel"], "qid pid rel"),
    "recommenders": ("qrels", ["userID", "itemID", "rating", "timestamp"], "userID itemID rating"),
    "recommenders run": ("run", ["userID", "itemID", "prediction"], "userID itemID prediction"),
    "both of a recommender, as run": (
        "run",
        ["user_id", "item_id", "rating", "prediction"],
        "user_id item_id prediction",
    ),
    "both of a recommender, as judgments": (
        "qrels",
        ["user_id", "item_id", "rating", "prediction"],
        "user_id item_id rating",
    ),
    "MovieLens": ("qrels", ["userId", "movieId", "rating", "timestamp"], "userId movieId rating"),
    "Surprise run": ("run", ["uid", "iid", "r_ui", "est"], "uid iid est"),
    "Surprise judgments": ("qrels", ["uid", "iid", "r_ui", "est"], "uid iid r_ui"),
    "LensKit": ("run", ["user", "item", "score", "rank"], "user item score"),
    "a shop": ("run", ["query", "sku", "score"], "query sku score"),
    "products": ("qrels", ["query_id", "product_id", "label"], "query_id product_id label"),
    "pages": ("run", ["query", "url", "position"], "query url position"),
    "an id is the last resort": ("run", ["id", "qid", "doc", "score"], "qid doc score"),
    "an id of a document": ("run", ["id", "qid", "score"], "qid id score"),
    "a query of a user": ("run", ["user_id", "query_id", "doc_id", "score"], "query_id doc_id score"),
    "Elasticsearch": ("run", ["query_id", "_id", "_score"], "query_id _id _score"),
    "chunks": ("run", ["question", "chunk_id", "cosine"], "question chunk_id cosine"),
    "RAGAS": ("run", ["user_input", "node_id", "logit"], "user_input node_id logit"),
    "labels": ("qrels", ["search_term", "doc_id", "relevance_label"], "search_term doc_id relevance_label"),
    "truth": ("qrels", ["query_id", "doc_id", "is_relevant"], "query_id doc_id is_relevant"),
    "distances": ("run", ["query_id", "doc_id", "distance", "rank"], "query_id doc_id distance"),
    "scores beside distances": ("run", ["qid", "doc_id", "distance", "score"], "qid doc_id score"),
    "TREC": ("qrels", ["topic", "iteration", "document", "grade"], "topic document grade"),
}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_the_field_s_conventions_are_known(name):
    kind, names, expected = CONVENTIONS[name]
    chosen = choose(names, kind)
    assert " ".join(chosen[role] for role in ("topic", "doc", "value")) == expected


def test_names_settle_what_would_be_guessed():
    chosen = choose(["qid", "my_q", "docno", "score"], "run", {"topic": "my_q"})
    assert chosen == {"topic": "my_q", "doc": "docno", "value": "score"}


@pytest.mark.parametrize(
    ("kind", "names", "columns", "message"),
    [
        (
            "qrels",
            ["a", "b"],
            None,
            'no column for the topic, doc and grade; found "a", "b"; call them query_id, docno and '
            'relevance, or name them: columns={"topic": NAME, "doc": NAME, "grade": NAME} (qrels_columns in '
            "evaluate)",
        ),
        (
            "qrels",
            ["a", "doc", "rel"],
            None,
            'no column for the topic; found "a", "doc", "rel"; call it query_id, qid, topic_id, topic_no, '
            'topic, or name it: columns={"topic": NAME} (qrels_columns in evaluate)',
        ),
        ("run", ["query;doc;score"], None, 'found "query;doc;score" (csv has commas between columns'),
        ("qrels", ["user", "item", "prediction"], None, "(this looks like a run; judgments come first, then"),
        ("run", ["user", "item", "rating"], None, "(this looks like judgments; judgments come first, then"),
        (
            "run",
            ["query", "docno", "score"],
            {"topic": "querry"},
            "no column named 'querry' (did you mean query?); found",
        ),
        (
            "run",
            ["query", "docno", "score"],
            {"scores": "score"},
            "columns can name topic, doc, score, rank, tag, not 'scores'",
        ),
    ],
)
def test_what_is_not_found_is_named_with_what_is(kind, names, columns, message):
    with pytest.raises((InputError, OptionError), match=re.escape(message)):
        choose(names, kind, columns)


def test_every_role_has_names_and_the_first_is_guessed():
    for kind, roles in ROLES.items():
        for role in roles.values():
            first = NAMES[role].split()[0]
            assert guess([first], role) == first, kind


NEAR = {"query_id": ["q", "q", "p"], "doc_id": ["a", "b", "a"], "distance": [0.5, 0.25, 2.0]}


@pytest.mark.parametrize("name", ["csv", "jsonl", "json", "parquet", "frame", "records", "batches"])
def test_the_smallest_distance_is_best_and_a_note_says_so(name, tmp_path, monkeypatch):
    path = tmp_path / f"run.{name}"
    rows = [dict(zip(NEAR, row, strict=True)) for row in zip(*NEAR.values(), strict=True)]
    if name == "csv":
        path.write_text(
            "\n".join(",".join(map(str, row)) for row in (NEAR, *zip(*NEAR.values(), strict=True)))
        )
    elif name.startswith("json"):
        path.write_text("\n".join(map(json.dumps, rows)) if name == "jsonl" else json.dumps(rows))
    elif name in ("parquet", "batches"):
        monkeypatch.setattr(run_inputs, "READ_WHOLE", 0 if name == "batches" else 1 << 20)
        parquet.write_table(pa.table(NEAR), path := tmp_path / "run.parquet")
    held = {"frame": pd.DataFrame(NEAR), "records": rows}.get(name, path)
    scores = rankgauge.evaluate({"q": {"b": 1}, "p": {"a": 1}}, held, "RR")
    assert scores.mean() == {"run": {"RR": 1.0}}
    assert "run: distances were read in place of scores, the smallest as the best" in scores.notes
    assert rankgauge.Run.of(held).to_dict() == {"q": {"a": -0.5, "b": -0.25}, "p": {"a": -2.0}}


def test_parts_with_distances_may_differ_in_type_and_not_in_kind(tmp_path):
    table = pa.table(NEAR)
    for n, part in enumerate((table, table.set_column(2, "dist", table["distance"].cast(pa.float32())))):
        parquet.write_table(
            part.set_column(0, "query_id", pa.array([f"{n}{q}" for q in "qrp"])), tmp_path / f"{n}.parquet"
        )
    scores = rankgauge.evaluate({"0q": {"a": 1}, "1r": {"b": 1}}, {"run": tmp_path}, "RR")
    assert scores.mean() == {"run": {"RR": 1.0}}
    parquet.write_table(table.rename_columns(["query_id", "doc_id", "score"]), tmp_path / "2.parquet")
    with pytest.raises(
        InputError, match=r"2\.parquet: this part of the run has scores, and .* has distances"
    ):
        rankgauge.evaluate({"0q": {"a": 1}}, tmp_path, "RR")


@pytest.mark.parametrize("values", [["True", "false"], [True, False], [Decimal(1), Decimal(0)]])
def test_grades_may_be_truth_values_or_decimals(values, tmp_path):
    columns = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "is_relevant": values}
    expected = {"q": {"a": 1, "b": 0}}
    if isinstance(values[0], str):
        (tmp_path / "q.csv").write_text("query_id,doc_id,is_relevant\nq,a,True\nq,b,false\n")
        assert rankgauge.Qrels.read(tmp_path / "q.csv").to_dict() == expected
        (tmp_path / "r.csv").write_text("query_id,doc_id,score\nq,a,True\n")
        with pytest.raises(InputError, match="the score is not a number"):
            rankgauge.Run.read(tmp_path / "r.csv")
        return
    for held in (
        columns,
        pd.DataFrame(columns),
        pa.table(columns),
        {"q": dict(zip("ab", values, strict=True))},
    ):
        assert rankgauge.Qrels.of(held).to_dict() == expected


@pytest.mark.parametrize(("value", "found"), [("sNaN", "is not a number"), ("NaN", "is NaN")])
def test_a_decimal_that_is_no_number_is_refused(value, found):
    with pytest.raises(InputError, match=f'topic "q", document "a".*: the score {found}'):
        rankgauge.Run.of({"q": {"a": Decimal(value)}})
