"""Responses of search engines and vector stores, results of frameworks, and lists by their place."""

import json
import random
import warnings
from collections import UserDict
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from rankgauge import Qrels, Run, evaluate
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats import problems
from rankgauge.formats.shapes import SHAPES as CLIENTS

FOUND = {"q1": [("a", 0.9), ("b", 0.5)], "q2": [("c", 0.75)], "q3": []}
SCORES = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"c": 0.75}}
DISTANCES = {topic: {doc: score - 1 for doc, score in docs.items()} for topic, docs in SCORES.items()}


def named(found, score="score", id="id"):
    return [{id: doc, score: value, "payload": {"topic": "x"}} for doc, value in found]


def weaviate(score):
    def response(found):
        found = [(doc, 1 - value if score == "distance" else value) for doc, value in found]
        hits = [{"title": "x", "_additional": {"id": doc, score: str(value)}} for doc, value in found]
        return {"data": {"Get": {"Page": hits}}}

    return response


def vespa(found):
    root = {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": len(found)}}
    return {"root": root | ({"children": named(found, "relevance")} if found else {})}


def record(field, score, doc, **beside):
    """A response with a list of hits, by the paths of an id and a number."""

    def hit(path, value):
        name, _, rest = path.partition(".")
        return {name: hit(rest, value) if rest else value}

    return lambda found: {field: [hit(doc, d) | (hit(score, s) if score else {}) for d, s in found]} | beside


def chroma(found):
    return {
        "ids": [[doc for doc, _ in found]],
        "distances": [[1 - value for _, value in found]],
        "documents": None,
    }


SHAPES = {
    "Elasticsearch": lambda found: {"hits": {"total": len(found), "hits": named(found, "_score", "_id")}},
    "Solr": lambda found: {"responseHeader": {}, "response": {"numFound": 2, "docs": named(found)}},
    "Vespa": vespa,
    "Weaviate": weaviate("certainty"),
    "Weaviate's distances": weaviate("distance"),
    "Qdrant": lambda found: {"result": named(found), "status": "ok", "time": 0.1},
    "Qdrant's points": lambda found: {"result": {"points": named(found)}, "status": "ok"},
    "Pinecone": lambda found: {"matches": named(found), "namespace": "", "results": []},
    "OpenAI": lambda found: {"object": "page", "search_query": ["x"], "data": named(found, id="file_id")},
    "Chroma": chroma,
    "Meilisearch": record("hits", "_rankingScore", "id", processingTimeMs=1),
    "Bedrock": record("retrievalResults", "score", "location.s3Location.uri"),
    "Bedrock's pages": record("retrievalResults", "score", "location.webLocation.url"),
    "a reranker (Cohere, Jina)": record("results", "relevance_score", "index", warnings="none"),
    "a reranker (Voyage)": record("data", "relevance_score", "index", model="x"),
    "Haystack": record("documents", "score", "id"),
    "LlamaIndex": record("source_nodes", "score", "node_id", response="x"),
    "Algolia": record("hits", "score", "objectID", nbHits=2),
    "Typesense": record("hits", "text_match", "document.id", search_time_ms=1),
    "Azure AI Search": record("value", "@search.score", "id"),
}
BY_PLACE = ("Algolia", "Typesense", "Azure AI Search")
PLACES = {"q1": {"a": -1.0, "b": -2.0}, "q2": {"c": -1.0}}
NEAR = ("Weaviate's distances", "Chroma")


@pytest.mark.parametrize("name", SHAPES)
def test_responses_are_read_in_memory_and_from_files(name, write):
    by_topic = {topic: SHAPES[name](found) for topic, found in FOUND.items()}
    listed = [{"query_id": topic, **each} for topic, each in by_topic.items()]
    inside = [{"query_id": topic, "response": each} for topic, each in by_topic.items()]
    expected = DISTANCES if name in NEAR else PLACES if name in BY_PLACE else SCORES
    held = (
        by_topic,
        listed,
        inside,
        {topic: UserDict(each) for topic, each in by_topic.items()},
        {topic: SimpleNamespace(body=each) for topic, each in by_topic.items()},
        write("run.json", json.dumps(by_topic)),
        write("list.json", json.dumps(listed, indent=1)),
        write("run.jsonl", "\n".join(map(json.dumps, listed))),
        write("inside.jsonl", "\n".join(map(json.dumps, inside))),
    )
    for each in held:
        run = Run.of(each)
        assert (run.to_dict(), run.assumed) == (expected, problems.DISTANCES if name in NEAR else "")
        [mean] = evaluate({"q1": {"a": 1}, "q2": {"c": 1}}, each, "RR").mean().values()
        assert mean["RR"] == 1.0
        with pytest.raises(InputError, match="this looks like a run; judgments come first, then runs"):
            Qrels.of(each)
    assert len(evaluate({"q1": {"a": 1}}, {"x": by_topic, "y": by_topic}, "RR").runs) == 2


@pytest.mark.parametrize("name", SHAPES)
def test_the_response_to_one_query_has_no_topic(name, write):
    response = SHAPES[name](FOUND["q1"])
    for held in (response, [response, response]):
        with pytest.raises(InputError, match=r"response to one query, without its topic; pass \{topic: resp"):
            evaluate({"q1": {"a": 1}}, held, "RR")
    run = Run.read(write("q1.json", json.dumps(response)))
    assumed = f"{problems.FILE} {problems.DISTANCES}" if name in NEAR else problems.FILE
    assert (list(run.to_dict()), run.assumed) == (["q1"], assumed)
    both = evaluate({"q1": {"a": 1}}, write("q1.json", json.dumps(response)), "RR").notes[0]
    assert ("the name of the file" in both, "distances were read" in both) == (True, name in NEAR)
    assert list(Run.read(write("x.json", json.dumps([response, response]))).to_dict()) == ["1", "2"]


def test_what_is_called_distance_and_falls_is_a_similarity(write):
    lists = {topic: named(found, "distance") for topic, found in FOUND.items()}  # as Milvus returns them
    rows = [{"query_id": topic, "results": found} for topic, found in lists.items()]
    for held in (lists, rows, write("run.json", json.dumps(lists)), write("run.jsonl", json.dumps(rows))):
        assert (Run.of(held).to_dict(), Run.of(held).assumed) == (SCORES, problems.SIMILARITIES)
    assert "the largest as the best" in evaluate({"q1": {"a": 1}}, lists, "RR").notes[0]
    for held in (
        lists | {"q3": named(FOUND["q1"])},
        write("x.json", json.dumps(lists | {"q3": named(FOUND["q1"])})),
    ):
        with pytest.raises(InputError, match="some topics have distances and others do not"):
            Run.of(held)
    near = named([("a", 0.1), ("b", 0.3)], "distance")
    for other in ({"a": 0.9, "b": 0.5}, ["a", "b"], [("a", 0.9), ("b", 0.5)]):
        with pytest.raises(InputError, match="some topics have distances and others do not"):
            Run.of({"q1": other, "q2": near})
    assert Run.of({"q1": [], "q2": near}).to_dict() == {"q2": {"a": -0.1, "b": -0.3}}


LACKING = {
    "Solr": ({"response": {"numFound": 2}}, "from Solr without documents (response.docs)"),
    "Solr's grouping": ({"response": {"numFound": 2, "docs": None}}, "from Solr without documents"),
    "Elasticsearch": (
        {"hits": {"total": {"value": 3}}},
        "from Elasticsearch or OpenSearch without documents",
    ),
    "Vespa": ({"root": {"fields": {"totalCount": 7}}}, "from Vespa without documents (root.children)"),
    "Weaviate": ({"data": {"Get": {"A": [], "B": []}}}, "from Weaviate without documents (data.Get.*)"),
    "Pinecone": ({"matches": None}, "from Pinecone without documents (matches)"),
    "Qdrant": ({"result": None, "time": 0.1}, "from Qdrant without documents (result)"),
    "an error": ({"error": {"type": "x"}, "status": 400}, "this is an error of the search engine"),
    "errors": ({"errors": [{"message": "x"}], "data": None}, "this is an error of the search engine"),
}


@pytest.mark.parametrize("name", LACKING)
def test_a_response_without_results_is_refused_with_its_topic(name, write):
    response, message = LACKING[name]
    for held in ({"q1": response}, {"q0": SHAPES["Solr"](FOUND["q1"]), "q1": response}):
        with pytest.raises(InputError) as caught:
            Run.of(held)
        assert message in str(caught.value)
        assert 'topic "q1"' in str(caught.value)
        with pytest.raises(InputError) as caught:
            Run.read(write("run.json", json.dumps(held)))
        assert message in str(caught.value)


def test_results_of_another_kind_among_responses_are_refused():
    with pytest.raises(InputError, match='topic "q2": there are no results here, unlike in others'):
        Run.of({"q1": SHAPES["Solr"](FOUND["q1"]), "q2": {"a": 1.0}})
    for distances in ([[0.5]], [[0.5], [0.75]], [0.5, 0.75], 0.5):
        response = {"ids": [["a", "b"]], "distances": distances}
        with pytest.raises(InputError, match=r'topic "q": .* Chroma whose distances do not fit its ids'):
            Run.of({"q": response})
        for held in ({"x": {"q": response}}, response, {**response, "ids": [["a", "b"], ["c"]]}):
            with pytest.raises(InputError, match="Chroma whose distances do not fit its ids"):
                evaluate({"q": {"a": 1}}, held, "RR")
    with pytest.raises(InputError, match=r'topic "q", document "a".*: the score is not a number: "\'x\'"'):
        Run.of({"q": {"ids": ["a"], "distances": ["x"]}})
    with pytest.raises(InputError, match=r'topic "q".*: the score is NaN'):
        Run.of({"q": SHAPES["Pinecone"]([("a", float("nan"))])})
    with pytest.raises(InputError, match=r'topic "q", result 2: the id of a document is "1\.5"'):
        Run.of({"q": SHAPES["Pinecone"]([("a", 1), (1.5, 0.5)])})


NEAREST = {"0": {"a": -0.5, "b": -0.75}, "1": {"c": -0.25, "d": -0.5}}
ARRAY = np.array([[0.5, 0.75], [0.25, 0.5]])


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({"ids": [["a", "b"], ["c", "d"]], "distances": ARRAY}, NEAREST),
        ({"ids": [["a", "b"], ["c", "d"]], "distances": [*ARRAY]}, NEAREST),
        ({"q": {"matches": [{"id": "a", "score": 0.5}], "vector": ARRAY[0]}}, {"q": {"a": 0.5}}),
    ],
)
def test_responses_may_have_arrays(response, expected):
    assert Run.of(response).to_dict() == expected


def test_an_error_in_lists_of_chroma_names_the_file(write):
    path = write("run.json", json.dumps({"ids": [["a", "b"]], "distances": [[0.5]]}))
    with pytest.raises(InputError, match=r"run\.json: this looks like a response of Chroma"):
        Run.of(path)


@pytest.mark.parametrize("name", ["result", "matches", "points"])
def test_results_called_like_those_of_vector_stores_may_have_other_names_inside(name, write):
    for inside, value in (("similarity", 1), ("distance", -1), ("rank", -1)):
        hits = [{"doc_id": doc, inside: number} for doc, number in (("a", 1), ("b", 2))]
        topics = [{"query_id": "q", name: hits}]
        for held in ({"q": topics[0]}, write("run.json", json.dumps(topics))):
            assert Run.of(held).to_dict() == {"q": {"a": value, "b": 2 * value}}


@pytest.mark.parametrize("name", ["data", "result", "matches", "points", "objects"])
def test_topics_may_be_called_like_parts_of_responses(name, write):
    hits, more = [{"id": "a", "score": 2.0}], ["b", "c"]
    for run in ({name: [], "q": more}, {name: hits, "q": more}, {"q": more, name: []}):
        for held in (run, write("run.json", json.dumps(run))):
            assert Run.of(held).to_dict()["q"] == {"b": -1.0, "c": -2.0}
    for judged in ({name: [{"id": "a", "grade": 2}]}, {name: [{"id": "a", "grade": 2}], "q": []}):
        for held in (judged, write("qrels.json", json.dumps(judged))):
            assert Qrels.of(held).to_dict() == {name: {"a": 2}}
    lone = {name: hits}
    with pytest.raises(InputError, match="response to one query, without its topic"):
        Run.of(lone)
    read = Run.of(write("q1.json", json.dumps(lone)))
    assert (read.to_dict(), read.assumed) == ({"q1": {"a": 2.0}}, problems.FILE)


ORDINARY = {
    "documents called like parts of responses": {"q1": {"hits": 2.0, "data": 1.0, "error": 3.0, "ids": 0.5}},
    "topics called like parts of responses": {"data": {"a": 1.0}, "result": {"b": 2.0}, "ids": {"c": 3.0}},
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_runs_are_no_responses(name, write):
    run = ORDINARY[name]
    assert Run.of(run).to_dict() == Run.read(write("run.json", json.dumps(run))).to_dict() == run
    lists = {"data": [{"id": "a", "score": 1.0}], "matches": [{"id": "b", "score": 2.0}]}
    assert Run.of(lists).to_dict() == {"data": {"a": 1.0}, "matches": {"b": 2.0}}
    rows = {"data": [{"query_id": "q", "doc_id": "a", "score": 1.0}]}
    assert Run.read(write("rows.json", json.dumps(rows))).to_dict() == {"q": {"a": 1.0}}
    nested = {"data": [{"id": "q", "results": [{"id": "a", "score": 1.0}]}]}
    assert Run.read(write("nested.json", json.dumps(nested))).to_dict() == {"q": {"a": 1.0}}


class Document(SimpleNamespace):
    @property
    def __fields__(self):  # as pydantic has it
        warnings.warn("deprecated", DeprecationWarning, stacklevel=2)


def document(doc, **metadata):
    return Document(id=doc, metadata=metadata, page_content="...", type="Document")


NODES = [SimpleNamespace(node=document(doc), node_id=doc, score=score) for doc, score in FOUND["q1"]]
FRAMEWORKS = {
    "LangChain": [(document(doc), score) for doc, score in FOUND["q1"]],
    "LangChain with metadata": [(document(None, chunk_id=doc), score) for doc, score in FOUND["q1"]],
    "LlamaIndex": NODES,
    "semantic_search": [{"corpus_id": doc, "score": score} for doc, score in FOUND["q1"]],
    "Pinecone's client": SimpleNamespace(matches=[SimpleNamespace(id=d, score=s) for d, s in FOUND["q1"]]),
    "Qdrant's client": SimpleNamespace(points=[SimpleNamespace(id=d, score=s) for d, s in FOUND["q1"]]),
    "OpenAI's client": SimpleNamespace(data=[SimpleNamespace(file_id=d, score=s) for d, s in FOUND["q1"]]),
    "Weaviate's client": SimpleNamespace(
        objects=[
            SimpleNamespace(uuid=d, metadata=SimpleNamespace(distance=None, score=s)) for d, s in FOUND["q1"]
        ]
    ),
}


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_results_of_frameworks(name):
    run = {"q1": FRAMEWORKS[name]}
    assert Run.of(run).to_dict() == {"q1": SCORES["q1"]}
    assert evaluate({"q1": {"b": 1}}, run, "RR").mean() == {"run": {"RR": 0.5}}
    assert evaluate({"q1": {"b": 1}}, {"x": run}, "RR").mean() == {"x": {"RR": 0.5}}


SEARCHES = {
    "LangChain": lambda found: [(document(doc), score) for doc, score in found],
    "Qdrant": SHAPES["Qdrant"],
    "Qdrant's points": SHAPES["Qdrant's points"],
    "Qdrant's client": lambda found: SimpleNamespace(points=named(found)),
    "Pinecone": SHAPES["Pinecone"],
}


@pytest.mark.parametrize("name", SEARCHES)
def test_scores_that_rise_from_the_nearest_on_are_distances(name, write):
    run = {"q1": SEARCHES[name]([("a", 0.5), ("b", 0.9)]), "q2": SEARCHES[name]([("c", 0.75)])}
    mixed = {**run, "q2": SEARCHES[name]([("c", 0.75), ("d", 0.5)])}
    plain = isinstance(run["q1"], dict)
    for held in (run, write("run.json", json.dumps(run))) if plain else (run,):
        read = Run.of(held)
        assert (read.to_dict()["q1"], read.assumed) == ({"a": -0.5, "b": -0.9}, problems.DISTANCES)
        assert "distances were read" in evaluate({"q1": {"a": 1}}, held, "RR").notes[0]
    for held in (mixed, write("mixed.json", json.dumps(mixed))) if plain else (mixed,):
        with pytest.raises(
            InputError, match=r'rise in .* \(topic "q1"\) and fall in others \(topic "q2"\); a'
        ):
            Run.of(held)


def test_documents_without_scores_are_in_their_order():
    for metadata in ({}, {"score": 1.0}, {"distance": 0.5}, {"relevance_score": 0.9}):
        listed = [document("b"), document("a", **metadata)]
        for held in (listed, [{"id": each.id, "metadata": each.metadata} for each in listed]):
            assert Run.of({"q": held}).to_dict() == {"q": {"b": -1.0, "a": -2.0}}
    with pytest.raises(InputError, match=r'topic "q", result 2: .*id of a document'):
        Run.of({"q": [document("b"), document(None)]})


RAGAS = {"user_input": "what?", "retrieved_context_ids": ["b", "a"], "reference_context_ids": ["a"]}


@pytest.mark.parametrize("made", [dict, lambda row: SimpleNamespace(**row)])
def test_records_with_lists_hold_a_run_and_judgments(made, write):
    held = [made(RAGAS), made({**RAGAS, "user_input": "why?", "retrieved_context_ids": ["a"]})]
    assert evaluate(held, held, "RR").values.tolist() == [[[0.5, 1.0]]]
    assert evaluate(iter(held), iter(held), "RR").mean() == {"run": {"RR": 0.75}}
    file = write(
        "ragas.jsonl", "\n".join(json.dumps(vars(each) if made is not dict else each) for each in held)
    )
    assert evaluate(file, file, "RR").mean() == {"ragas": {"RR": 0.75}}


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ([{"query_id": "q", "relevant": ["a"]}], "this looks like judgments; judgments come first"),
        (
            [{"query_id": "q", "results": ["a"]}, {"query_id": "p"}],
            r"row 1 \(counted from 0\): there is no list",
        ),
        (
            [{"query_id": "q", "results": ["a"]}, 7],
            r"row 1 \(counted from 0\): expected an object with a topic",
        ),
        (
            [{"query_id": "q", "results": ["a", None]}],
            'topic "b\'q\'"|result 2: the id of a document is "None"',
        ),
        ([{"query_id": "q", "results": []}], "the input has no rows"),
    ],
)
def test_records_with_lists_that_hold_no_run_are_refused(held, message):
    with pytest.raises(InputError, match=message):
        Run.of(held)


LISTS = {
    "documents": [["b", "a"], ["c"]],
    "hits": [
        [{"corpus_id": "b", "score": 2.0}, {"corpus_id": "a", "score": 1.0}],
        [{"corpus_id": "c", "score": 3}],
    ],
    "pairs": [[("b", 2.0), ("a", 1.0)], [("c", 3.0)]],
    "pairs of documents": [[(document("b"), 2.0), (document("a"), 1.0)], [(document("c"), 3.0)]],
    "Chroma": {"ids": [["b", "a"], ["c"]], "distances": [[0.5, 0.75], [0.25]]},
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_topics_by_their_place(name, write):
    judged = [["a"], ["c"]]
    assert evaluate(judged, LISTS[name], "RR").values.tolist() == [[[0.5, 1.0]]]
    if name != "pairs of documents":
        file = write("run.json", json.dumps(LISTS[name]))
        assert evaluate(judged, file, "RR").mean() == {"run": {"RR": 0.75}}
    with pytest.raises(
        InputError, match="the run has 2 lists, and the judgments have 1; both need one for each"
    ):
        evaluate([["a"]], LISTS[name], "RR")


def test_lists_of_text_that_may_be_rows_are_refused():
    for held in (
        [["q1", "d1"], ["q1", "d2"]],
        [["q1", "d1", "1"]],
        [["q1", "0", "d1", "1"]],
        [["0", "Q0", "d1", "1", "2.5"]],
        [["q1", "Q0", "d1", "1", "2.5", "tag"]],
    ):
        for kind in (Run, Qrels):
            with pytest.raises(
                InputError, match=r"not a row .*; for such rows, pass ids as text .* dict\(zip\(topics, lists"
            ):
                kind.of(held)
        assert len(Run.of(dict(zip("01", held, strict=False)))) == sum(map(len, held))
    assert len(Run.of([["q1", "d1"], ["q1"]])) == 3


def test_rows_of_trec_are_lists_or_tuples():
    run = [["q1", "Q0", "a", 1, 2.5, "bm25"], ("q1", "Q0", "b", 2, 1.5, "bm25")]
    read = Run.of(run)
    assert (read.to_dict(), read.tag, read.ranks.tolist()) == ({"q1": {"a": 2.5, "b": 1.5}}, "bm25", [1, 2])
    judged = [["q1", 0, "a", 1], ["q1", 0, "b", 0]]
    assert Qrels.of(judged).to_dict() == {"q1": {"a": 1, "b": 0}}
    assert evaluate(judged, {"x": run}, "RR").mean() == {"x": {"RR": 1.0}}
    for kind, held, other in ((Qrels, run, "a run"), (Run, judged, "judgments")):
        with pytest.raises(InputError, match=f"this looks like {other}; judgments come first"):
            kind.of(held)
    with pytest.raises(InputError, match=r"row 1 \(counted from 0\) is .*; every row must be of 6 values"):
        Run.of([*run[:1], run[1][:5]])


def test_every_response_has_a_test():
    tested = {name.split("'")[0].replace("Elasticsearch", "Elasticsearch or OpenSearch") for name in SHAPES}
    assert {each.client for each in CLIENTS} <= tested | {"Elasticsearch's _rank_eval"}


def damaged(value, rng):
    """The same value with something in it replaced, removed or cut."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        name = rng.choice([*value])
        if rng.random() < 0.2:
            return {other: held for other, held in value.items() if other != name}
        return {**value, name: damaged(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        return value[:place] + [damaged(value[place], rng)] * rng.choice([0, 1, 1]) + value[place + 1 :]
    return rng.choice(
        [None, True, -1, 2**70, 1.5, float("nan"), "", "x\0", "\ud800", [], {}, [[]], [{}], {"id": {}}]
    )


@pytest.mark.parametrize("name", SHAPES)
def test_damaged_responses_are_read_or_refused_with_our_errors(name, write):
    rng = random.Random(name)
    whole = {topic: SHAPES[name](found) for topic, found in FOUND.items()}
    for trial in range(40):
        held = damaged(whole if trial % 2 else [{"query_id": q, **r} for q, r in whole.items()], rng)
        path = write("run.json", json.dumps(held))
        for read in (partial(evaluate, {"q1": {"a": 1}}), Qrels.of, Run.of):
            for each in (held, path):
                with suppress(RankgaugeError):
                    read(each)
    assert Run.of(whole)
