"""Results of real clients, which run in this process, give the values of a dict; CI installs them last."""

import uuid

import numpy as np
import pytest

from rankgauge import Run, evaluate

VECTORS = {"a": [0.9, 0.436], "b": [0.0, 1.0], "c": [1.0, 0.0], "d": [0.1, 0.995]}
QUERY = [1.0, 0.0]
BEST_FIRST = ["c", "a", "d", "b"]
MEASURES = "RR AP nDCG@3 P@2"
QRELS = {"q": {"a": 1, "d": 2}}
EXPECTED = evaluate(QRELS, {"q": BEST_FIRST}, MEASURES).mean()
HITS = [("c", 0.9), ("a", 0.5), ("d", 0.25), ("b", 0.125)]


def check(found, **columns):
    """The values of a topic's results are those of the dict."""
    assert evaluate(QRELS, {"q": found}, MEASURES, run_columns=columns or None).mean() == EXPECTED


@pytest.mark.parametrize("metric", ["COSINE", "EUCLID", "DOT"])
def test_qdrant(metric):
    qdrant = pytest.importorskip("qdrant_client")
    client, size = (
        qdrant.QdrantClient(":memory:"),
        {"size": 2, "distance": getattr(qdrant.models.Distance, metric)},
    )
    client.create_collection("docs", vectors_config=qdrant.models.VectorParams(**size))
    ids = {uuid.UUID(int=n): name for n, name in enumerate(VECTORS)}
    points = [{"id": str(id), "vector": VECTORS[name], "payload": {"name": name}} for id, name in ids.items()]
    client.upsert("docs", [qdrant.models.PointStruct(**point) for point in points])
    found = client.query_points("docs", query=QUERY, limit=4)
    assert [ids[uuid.UUID(doc)] for doc in by_value(Run.of({"q": found}))] == BEST_FIRST
    check(found, hits="points", doc="payload.name", best="low" if metric == "EUCLID" else "high")


def by_value(run):
    [found] = run.to_dict().values()
    return sorted(found, key=found.get, reverse=True)


@pytest.mark.parametrize("metric", ["COSINE", "IP", "L2"])
def test_milvus(metric, tmp_path):
    pytest.importorskip("milvus_lite")
    client = pytest.importorskip("pymilvus").MilvusClient(str(tmp_path / "x.db"))
    client.create_collection("docs", dimension=2, metric_type=metric, id_type="string", max_length=9)
    client.insert("docs", [{"id": name, "vector": vector} for name, vector in VECTORS.items()])
    found = client.search("docs", data=[QUERY], limit=4)
    check(found[0])
    assert by_value(Run.of(found)) == BEST_FIRST


def test_chroma():
    collection = pytest.importorskip("chromadb").EphemeralClient().create_collection("documents")
    collection.add(ids=list(VECTORS), embeddings=list(VECTORS.values()))
    check(collection.query(query_embeddings=[QUERY], n_results=4))


def test_lance(tmp_path):
    table = (
        pytest.importorskip("lancedb")
        .connect(tmp_path)
        .create_table("docs", [{"id": name, "vector": vector} for name, vector in VECTORS.items()])
    )
    check(table.search(QUERY).limit(4).to_list())


@pytest.mark.parametrize("index", ["IndexFlatIP", "IndexFlatL2"])
def test_faiss(index):
    made = getattr(pytest.importorskip("faiss"), index)(2)
    made.add(np.array(list(VECTORS.values()), dtype="float32"))
    found = by_value(Run.of(made.search(np.array([QUERY], dtype="float32"), 4)))
    assert [list(VECTORS)[int(doc)] for doc in found] == BEST_FIRST


@pytest.mark.parametrize("corpus", [None, ["a", "b", "c", "d"], [{"id": name} for name in "abcd"]])
def test_bm25s(corpus):
    bm25s = pytest.importorskip("bm25s")
    made, texts = bm25s.BM25(), ["the cat", "the dog ran", "cat and dog", "fish"]
    made.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    query = bm25s.tokenize(["cat dog"], show_progress=False)
    found = by_value(Run.of(made.retrieve(query, k=3, corpus=corpus, show_progress=False)))
    assert found == (["2", "0", "1"] if corpus is None else ["c", "a", "b"])


def test_llama_index():
    schema = pytest.importorskip("llama_index.core.schema")
    from llama_index.core.base.response.schema import Response

    def node(doc, score):
        source = {schema.NodeRelationship.SOURCE: schema.RelatedNodeInfo(node_id=doc)}
        text = schema.TextNode(id_=f"{doc}-1", text="x", relationships=source)
        return schema.NodeWithScore(node=text, score=score)

    nodes = [node(*hit) for hit in HITS]
    for found in (nodes, Response("x", source_nodes=nodes)):
        assert by_value(Run.of({"q": found})) == [f"{doc}-1" for doc in BEST_FIRST]
    check(nodes, doc="node.ref_doc_id")
    check(Response("x", source_nodes=nodes), hits="source_nodes", doc="node.ref_doc_id")


def test_langchain():
    document = pytest.importorskip("langchain_core.documents").Document
    documents = [(document(page_content="x", metadata={"source": doc}), score) for doc, score in HITS]
    check(documents)
    check([each for each, _ in documents])


def test_haystack():
    haystack = pytest.importorskip("haystack")
    check({"documents": [haystack.Document(id=doc, content="x", score=score) for doc, score in HITS]})


def test_weaviate():
    classes = pytest.importorskip("weaviate.collections.classes.internal")
    ids = {uuid.uuid4(): doc for doc, _ in HITS}
    beside = {"properties": {}, "references": None, "vector": {}, "collection": "X"}
    distances = [classes.MetadataReturn(distance=1 - score) for _, score in HITS]
    objects = [
        classes.Object(uuid=id, metadata=each, **beside) for id, each in zip(ids, distances, strict=True)
    ]
    found = by_value(Run.of({"q": classes.QueryReturn(objects=objects)}))
    assert [ids[uuid.UUID(doc)] for doc in found] == BEST_FIRST


def test_elasticsearch():
    transport = pytest.importorskip("elastic_transport")
    hits = [{"_id": doc, "_score": score} for doc, score in HITS]
    body = {"took": 1, "hits": {"total": {"value": 4}, "hits": hits}}
    check(transport.ObjectApiResponse(body=body, meta=None))
    several = transport.ObjectApiResponse(body={"took": 1, "responses": [body, body]}, meta=None)
    assert list(Run.of(several).to_dict()) == ["1", "2"]


def test_pinecone():
    pinecone = pytest.importorskip("pinecone")
    matches = [pinecone.ScoredVector(id=doc, score=score) for doc, score in HITS]
    check(pinecone.QueryResponse(matches=matches, namespace=""))


def test_relations_of_one_connection_to_duckdb_are_read_one_at_a_time():
    connection = pytest.importorskip("duckdb").connect()
    connection.sql("create table t as select 'q' qid, 'd' || i docno, -i::double score from range(9999) s(i)")
    runs = {name: connection.sql(f"from t where score <= -{name}") for name in "1234"}
    means = evaluate({"q": {"d5": 1}}, runs, "RR", threads=4).mean()
    assert [means[name]["RR"] for name in "1234"] == [1 / 5, 1 / 4, 1 / 3, 1 / 2]
