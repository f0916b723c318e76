"""How columns are called, and what happens when they are called otherwise."""

import re

import pytest

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
            "no column is called 'querry' (did you mean query?); found",
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
