"""How columns are called, and what happens when they are called otherwise."""

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


def test_a_column_that_is_not_found_is_named_with_those_that_are():
    with pytest.raises(InputError) as caught:
        choose(["a", "b"], "qrels")
    assert str(caught.value) == (
        'no column for the topic, doc and grade; found "a", "b"; call them query_id, docno and relevance, '
        'or name them: columns={"topic": NAME, "doc": NAME, "grade": NAME} (qrels_columns in evaluate)'
    )
    with pytest.raises(InputError) as caught:
        choose(["a", "doc", "rel"], "qrels")
    assert str(caught.value) == (
        'no column for the topic; found "a", "doc", "rel"; call it query_id, qid, topic_id, topic_no, topic, '
        'or name it: columns={"topic": NAME} (qrels_columns in evaluate)'
    )
    with pytest.raises(InputError, match=r'found "query;doc;score" \(csv has commas between columns'):
        choose(["query;doc;score"], "run")


@pytest.mark.parametrize(
    ("kind", "names", "looks"),
    [("qrels", ["user", "item", "prediction"], "a run"), ("run", ["user", "item", "rating"], "judgments")],
)
def test_files_in_the_wrong_order_are_recognised(kind, names, looks):
    with pytest.raises(InputError, match=rf"\(this looks like {looks}; judgments come first, then runs\)"):
        choose(names, kind)


def test_a_name_that_no_column_has_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"no column is called 'querry' \(did you mean query\?\); found"):
        choose(["query", "docno", "score"], "run", {"topic": "querry"})


def test_a_role_that_does_not_exist_is_refused():
    with pytest.raises(OptionError, match=r"columns can name topic, doc, score, rank, tag, not 'scores'"):
        choose(["query", "docno", "score"], "run", {"scores": "score"})


def test_every_role_has_names_and_the_first_is_guessed():
    for kind, roles in ROLES.items():
        for role in roles.values():
            first = NAMES[role].split()[0]
            assert guess([first], role) == first, kind
