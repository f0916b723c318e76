"""JSON of topics with their results inside, and responses of search engines."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from rankgauge import formats
from rankgauge.cli.main import main
from rankgauge.errors import InputError
from rankgauge.formats import objects, problems
from rankgauge.formats.columns import NAMES


def hit(doc, score):
    return {"_index": "docs", "_id": doc, "_score": score, "_source": {"title": f"<b>{doc}</b>"}}


def response(*hits):
    total = {"value": len(hits), "relation": "eq"}
    return {"took": 3, "timed_out": False, "hits": {"total": total, "max_score": 1, "hits": [*hits]}}


def lines(*objects):
    return "".join(f"{json.dumps(each)}\n" for each in objects)


def rows(columns):
    """[(topic, document, value)] of columns."""
    return list(zip(columns.topic.texts(), columns.doc.texts(), columns.value.tolist(), strict=True))


EXPECTED = [("q1", "a", 2.5), ("q1", "b", 1.0), ("q2", "c", 3.0)]
RESULTS = {"q1": [("a", 2.5), ("b", 1)], "q2": [("c", 3)]}
OBJECTS = {topic: [{"id": d, "score": s, "text": "x"} for d, s in found] for topic, found in RESULTS.items()}
PAIRS = {topic: [[d, s] for d, s in found] for topic, found in RESULTS.items()}
DICTS = {topic: dict(found) for topic, found in RESULTS.items()}
FLAT = [{"query_id": q, "doc_id": d, "score": s, "passages": [1]} for q, d, s in EXPECTED]
RESPONSES = {topic: response(*(hit(d, s) for d, s in found)) for topic, found in RESULTS.items()}


def by_row(inside, name="results", topic="query_id"):
    return [{topic: each, "text": "?", name: found} for each, found in inside.items()]


@pytest.mark.parametrize(
    "topics",
    [
        by_row(OBJECTS),
        by_row(PAIRS, "hits"),
        by_row(DICTS, "docs"),
        by_row(OBJECTS, "ctxs", "question_id"),
        by_row(OBJECTS, "retrieved", "id"),
        by_row(RESPONSES, "response"),
        [{"query_id": topic, **found} for topic, found in RESPONSES.items()],
    ],
)
def test_a_topic_has_its_results_inside(topics, file, read):
    assert rows(read(file(lines(*topics), "run.jsonl"))) == EXPECTED
    assert rows(read(file(lines(*topics), "run"))) == EXPECTED
    assert rows(read(file(json.dumps(topics), "run.json"))) == EXPECTED
    assert rows(read(file(json.dumps({"queries": topics}, indent=1), "run.json"))) == EXPECTED


@pytest.mark.parametrize(
    "value",
    [
        OBJECTS,
        PAIRS,
        RESPONSES,
        *(by_row(OBJECTS, name) for name in NAMES["results"].split()),
        {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "c"], "score": [2.5, 1, 3]},  # columns
        FLAT,
        {"results": FLAT},
    ],
)
def test_results_by_topic_columns_and_rows_are_told_apart(value, file, read):
    assert rows(read(file(json.dumps(value), "run.json"))) == EXPECTED


@pytest.mark.parametrize("name", NAMES["judged"].split())
def test_every_name_of_judgments_is_known(name, file, read, refused):
    path = file(lines({"query_id": "q", name: ["a", "b"]}), "x.jsonl")
    assert rows(read(path, "qrels")) == [("q", "a", 1), ("q", "b", 1)]
    assert formats.guess_kind(formats.Source(path)) == "qrels"
    assert "this looks like judgments; judgments come first, then runs" in refused(path)


@pytest.mark.parametrize(
    "topics",
    [
        by_row({"q": ["a"]}),
        [{"query_id": "q", **RESPONSES["q1"]}],
        [RESPONSES["q1"]],
        {"q": RESPONSES["q1"]},
        by_row(OBJECTS),
        by_row({"q": response(hit("a", None))}, "response"),
    ],
)
def test_a_run_is_not_read_as_judgments(topics, file, refused):
    for text in (json.dumps(topics), *([lines(*topics)] if isinstance(topics, list) else [])):
        message = refused(file(text, "run.json"), "qrels")
        assert "this looks like a run; judgments come first, then runs" in message


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("qrels", json.dumps({"q": ["a", "b"]}), [("q", "a", 1), ("q", "b", 1)]),
        ("qrels", json.dumps([{"query_id": "q", "docs": [{"id": "a", "relevance": 2}]}]), [("q", "a", 2)]),
        (  # an id identifies a topic, rather than the text of its query
            "run",
            json.dumps([{"id": "q1", "query": "what?", "results": ["a"]}, {"query": "?", "results": ["b"]}]),
            [("q1", "a", -1), ("?", "b", -1)],
        ),
        (  # topics may be called like lists of documents
            "run",
            json.dumps({"q": {"d": 1}, "results": {"d": 2}, "hits": {"d": 3}}),
            [("q", "d", 1), ("results", "d", 2), ("hits", "d", 3)],
        ),
        (  # a topic may come in pages
            "run",
            lines({"query_id": 1, "results": ["a", "b"]}, {"query_id": 1, "results": ["c"]}),
            [("1", "a", -1), ("1", "b", -2), ("1", "c", -3)],
        ),
    ],
)
def test_topics_and_their_documents_are_recognised(kind, text, expected, file, read):
    assert rows(read(file(text, "x.json"), kind)) == expected


@pytest.mark.parametrize(
    ("value", "expected", "ranks"),
    [
        ({"q": ["b", "a", 7]}, [("q", "b", -1), ("q", "a", -2), ("q", "7", -3)], [1, 2, 3]),
        (
            [{"topic": "q", "hits": [{"id": "b"}, {"id": "a"}, 7]}],
            [("q", "b", -1), ("q", "a", -2), ("q", "7", -3)],
            [1, 2, 3],
        ),
        (  # a search sorted by a field has no scores
            {"q": response(hit("b", None), hit("a", None)), "p": response(hit("c", 4.0))},
            [("q", "b", -1), ("q", "a", -2), ("p", "c", 4)],
            [1, 2, 1],
        ),
        ({"q": [{"id": "a", "rank": 2}, {"id": "b", "rank": 1}]}, [("q", "a", -2), ("q", "b", -1)], [2, 1]),
        (
            {"q": [{"id": "a", "rank": 2, "score": 7}, {"id": "b", "rank": 1, "score": 8}]},
            [("q", "a", 7), ("q", "b", 8)],
            [2, 1],
        ),
    ],
)
def test_without_scores_the_order_or_the_ranks_count(value, expected, ranks, file, read):
    run = read(file(json.dumps(value), "run.json"))
    assert (rows(run), run.rank.tolist()) == (expected, ranks)


ALIKE = {
    "ranks": {"q": [{"id": "a", "rank": 2}, {"id": "b", "rank": 1}]},
    "scores and ranks": {"q": [{"id": "a", "score": 1, "rank": 2}, {"id": "b", "score": 2, "rank": 1}]},
    "no score anywhere": {"q": [{"id": "a", "score": None}, {"id": "b", "score": None}]},
    "a dict beside a list": {"q": {"a": 1}, "p": ["b", "a"]},
    "documents beside pairs": {"q": ["a"], "p": [["b", 2.0], ["a", 3.0]]},
    "documents and objects": {"q": ["a", {"id": "b"}]},
    "pairs": {"q": [["a", 1.0], ["b", 2.0]]},
}


@pytest.mark.parametrize("name", ALIKE)
def test_results_in_a_file_are_those_in_memory(name, file, read):
    for kind in ("run", "qrels"):
        there = read(file(json.dumps(ALIKE[name]), "run.json"), kind)
        here = objects.read(ALIKE[name], kind).checked()
        assert rows(here) == rows(there)
        assert (here.rank is None) == (there.rank is None) == (kind == "qrels")
        assert kind == "qrels" or here.rank.tolist() == there.rank.tolist()


@pytest.mark.parametrize(
    "held",
    [
        {"q": [["a", "x"]]},
        {"q": ["a", ["b", 1]]},
        {"q": ["a", None]},
        {"q": [["a", 1.0, 2]]},
        {"q": [{"page": "a"}]},
        {"q": [{"id": "a", "rank": 1.5}]},
    ],
)
def test_a_result_is_refused_with_the_same_words_in_a_file_and_in_memory(held, file, refused):
    with pytest.raises(InputError) as caught:
        objects.read(held, "run")
    assert refused(file(json.dumps(held), "run.json")).endswith(str(caught.value))


def test_the_written_ranks_of_records_and_pairs_can_order_them():
    qrels, found = {"q": {"a": 1}}, [{"id": "a", "score": 9, "rank": 2}, {"id": "b", "score": 1, "rank": 1}]
    assert rankgauge.evaluate(qrels, {"q": found}, "RR", order="rank").mean()["run"]["RR"] == 0.5
    pairs = {"q": [("b", 1.0), ("a", 9.0)]}
    assert rankgauge.evaluate(qrels, pairs, "RR", order="rank").mean()["run"]["RR"] == 0.5
    assert rankgauge.evaluate(qrels, pairs, "RR").mean()["run"]["RR"] == 1.0


@pytest.mark.parametrize(
    ("name", "query", "assumed"), [("q1.json", {}, problems.FILE), ("x.json", {"query_id": "q1"}, "")]
)
def test_the_topic_of_a_single_response_is_its_file_unless_it_names_one(name, query, assumed, file, read):
    run = read(file(json.dumps({**query, **RESPONSES["q1"]}, indent=1), name))
    assert (rows(run), run.assumed) == (EXPECTED[:2], assumed)


def test_responses_without_queries_are_numbered(file, read, refused):
    found = [*RESPONSES.values()]
    expected = [("1", "a", 2.5), ("1", "b", 1), ("3", "c", 3)]
    found.insert(1, response())
    for text in (json.dumps({"took": 4, "responses": found}), json.dumps(found), lines(*found)):
        run = read(file(text, "run.json"))
        assert (rows(run), run.assumed) == (expected, problems.NUMBERED)
    named = [{"query_id": f"q{number}", **each} for number, each in enumerate(found)]
    run = read(file(json.dumps({"responses": named}), "run.json"))
    assert ([topic for topic, *_ in rows(run)], run.assumed) == (["q0", "q0", "q2"], "")
    for at in (0, 1):
        failed = [*found]
        failed.insert(at, {"error": {"type": "index_not_found_exception"}, "status": 404})
        message = refused(file(json.dumps({"responses": failed}), "run.json"))
        assert "this is an error of the search engine, and no results; search again" in message


def test_ratings_of_rank_eval_are_judgments(file, read):
    rated = {
        "requests": [
            {
                "id": "berlin",
                "request": {"query": {"match": {"text": "berlin"}}},
                "ratings": [
                    {"_index": "x", "_id": "d1", "rating": 3},
                    {"_index": "x", "_id": "d2", "rating": 0},
                ],
            }
        ],
        "metric": {"precision": {"k": 20}},
    }
    path = file(json.dumps(rated), "x.json")
    judgments = read(path, "qrels")
    assert (rows(judgments), judgments.rank) == ([("berlin", "d1", 3), ("berlin", "d2", 0)], None)
    assert formats.guess_kind(formats.Source(path)) == "qrels"


def test_a_line_may_be_long(file, read):
    long = [{**each, "text": "x" * 3_000_000} for each in by_row(OBJECTS)]
    for name in ("run.jsonl", "run.json", "run"):
        assert rows(read(file(lines(*long), name))) == EXPECTED


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"q": ["a", {"x": 1}]},
            'topic "q", result 2: no id of a document in "{\'x\': 1}"; a result is a document, a pair',
        ),
        ({"q": ["a", None]}, 'topic "q", result 2: the id of a document is "None" (NoneType)'),
        ({"q": ["a", True]}, 'the id of a document is "True" (bool)'),
        ({"q": ["a", ["b", 1, 2]]}, "no id of a document in"),
        ({"q": ["a"], "r": 3}, "the results of a topic must be a list of documents"),
        ({"q": [["a", "one"]]}, "the score is not a number"),
        ({"q": [{"id": "a", "rank": "x"}]}, "the rank is not a whole number"),
        (
            {"q": response(hit("b", 2), hit("a", None))},
            'topic "q", result 2: the score is missing, and others of the topic have one',
        ),
        (
            [{"query_id": 1, "results": ["a"]}, {"query_id": 2}],
            "there is no list of documents; call it one of results",
        ),
        (
            [{"query_id": 1, "results": ["a"]}, {"results": ["b"]}],
            "the topic is missing; call it one of query_id",
        ),
        ([{"query_id": 1, "results": ["a"]}, {"query_id": 1.5, "results": ["b"]}], "the topic is not a text"),
        ([{"query_id": 1, "results": ["a"]}, 7], "expected an object with a topic and its results"),
        ([{"query_id": 1, "results": []}], "the input has no rows"),
        ({"responses": [response()]}, "the input has no rows"),
    ],
)
def test_what_is_missing_or_wrong_is_refused(content, message, file, refused):
    assert message in refused(file(json.dumps(content), "run.json"))
    if isinstance(content, list) and content[1:]:
        assert refused(file(lines(*content), "run.jsonl")).startswith("2: ")


def test_damage_is_reported_with_its_line(file, refused):
    whole = lines(*by_row(OBJECTS), *by_row(OBJECTS))
    for size in range(1, len(whole) - 1):
        path = file(whole[:size], "run.jsonl")
        if whole[size - 1] != "\n" and whole[size] != "\n":
            assert "invalid JSON" in refused(path)
    assert refused(file(whole[:-10], "run.jsonl")).startswith("4: invalid JSON")
    assert "the score is NaN" in refused(file('{"q": [["a", NaN]]}', "run.json"))
    assert "nested too deeply" in refused(file('{"q": ' + "[" * 100_000, "run.json"))
    assert refused(file(lines(*by_row(OBJECTS)).encode() + b'{"query_id":"\0"\n', "run.jsonl"))


def test_all_problems_are_counted(file):
    content = lines(
        {"query_id": 1, "results": ["a", None, None]}, {"query_id": 2}, {"query_id": 3, "results": ["b"]}
    )
    columns = formats.read(file(content, "run.jsonl"), "run", keep=1)
    assert (sum(columns.counts.values()), len(columns.problems), len(columns)) == (3, 2, 2)


def test_a_document_twice_is_refused_with_its_line(file):
    path = file(lines({"query_id": 1, "results": ["a"]}, {"query_id": 1, "results": ["a"]}), "run.jsonl")
    with pytest.raises(
        InputError, match=r'run.jsonl:2: document "a" occurs twice in topic "1", first on line 1'
    ):
        rankgauge.Run.read(path)


def test_columns_name_what_is_in_hits(file, refused, read):
    path = file(lines(*by_row(OBJECTS)), "run.jsonl")
    assert rows(read(path, columns={"doc": "text", "score": "score"}))[0] == ("q1", "x", 2.5)
    assert "these lead to nothing" in refused(path, columns={"doc": "page"})


names = st.text('abcd<>&"\\é 01', min_size=1, max_size=4)


@given(st.dictionaries(names, st.dictionaries(names, st.floats(-9, 9), min_size=1, max_size=5), min_size=1))
def test_results_inside_are_those_of_rows(tmp_path_factory, run):
    folder = tmp_path_factory.mktemp("nested")
    flat = [{"query_id": q, "doc_id": d, "score": s} for q, found in run.items() for d, s in found.items()]
    inside = [{"qid": q, "docs": [{"_id": d, "_score": s} for d, s in f.items()]} for q, f in run.items()]
    (folder / "flat.jsonl").write_text(lines(*flat))
    (folder / "inside.jsonl").write_text(lines(*inside))
    (folder / "inside.json").write_text(json.dumps(inside))
    expected = rows(formats.read(folder / "flat.jsonl", "run"))
    for name in ("inside.jsonl", "inside.json"):
        assert rows(formats.read(folder / name, "run")) == expected


def test_what_was_assumed_is_noted(write, invoke):
    qrels = write("qrels.txt", "1 0 a 1\n2 0 c 1\n")
    many = write("many.json", json.dumps({"responses": [*RESPONSES.values()]}))
    one = write("1.json", json.dumps(RESPONSES["q1"]))
    err = invoke("evaluate", qrels, many, one, "-m", "AP", "--no-advice").err
    assert "note: many: the responses name no queries, so their topics are numbered from 1" in err
    assert "note: 1: the response names no query, so its topic is the name of the file" in err
    notes = rankgauge.evaluate(qrels, many, "AP").notes
    assert any("numbered from 1" in note for note in notes)
    assert "remark: the response names no query" in invoke("validate", one).out


def test_a_response_whose_topic_is_not_judged_is_refused_with_where_its_topic_comes_from(write):
    for name, found in (("es.json", RESPONSES["q1"]), ("all.json", {"responses": [*RESPONSES.values()]})):
        run = str(write(name, json.dumps(found)))
        with pytest.raises(InputError) as caught:
            rankgauge.evaluate({"q1": {"a": 1}}, run, "AP")
        assert 'add a "query_id"' in str(caught.value)
    assert main(["evaluate", str(write("qrels", "301 0 a 1\n")), str(write("es.json", "{}"))]) == 2


@pytest.mark.parametrize(
    "found",
    [{"results": [{"id": "b", "score": 3}, {"id": "a", "score": 2}]}, response(hit("b", 3), hit("a", 2))],
)
def test_of_found_and_judged_documents_side_by_side_a_run_has_the_former_and_judgments_the_latter(
    found, write
):
    file = str(write("both.jsonl", lines(*({"query_id": n, **found, "relevant": ["a"]} for n in "12"))))
    assert rankgauge.Qrels.read(file).to_dict() == {"1": {"a": 1}, "2": {"a": 1}}
    assert rankgauge.Run.read(file).to_dict()["1"] == {"b": 3.0, "a": 2.0}
    assert rankgauge.evaluate(file, file, "RR").mean() == {"both": {"RR": 0.5}}


@pytest.mark.parametrize(
    "value", [{"query": ["1"], "doc": ["a"]}, {"qid": ["1"], "doc": ["a"], "score": ["x"]}]
)
def test_errors_of_columns_in_an_object_name_the_file(value, write):
    with pytest.raises(InputError, match=r"run\.json: .*score") as error:
        rankgauge.Run.read(str(write("run.json", json.dumps(value))))
    assert str(error.value).count("run.json") == 1


def leaves(held):
    """The numbers in a dict of dicts."""
    return [held] if not isinstance(held, dict) else [leaf for each in held.values() for leaf in leaves(each)]


KEYS = st.sampled_from(["a", "b", "grade", "1"])


@given(st.recursive(st.integers(0, 3), lambda inner: st.dictionaries(KEYS, inner), max_leaves=8))
def test_of_nested_judgments_every_number_is_read_or_the_error_says_where(held):
    for kind in (rankgauge.Qrels, rankgauge.SubtopicQrels):
        with suppress(InputError):
            assert sorted(leaves(kind.of({"t": held}).to_dict())) == sorted(leaves(held))
