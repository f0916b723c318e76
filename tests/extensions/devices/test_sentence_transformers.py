"""The evaluator beside that of sentence-transformers, with a model that needs no download."""

import csv
import weakref

import numpy as np
import pytest

from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.devices import dense

torch = pytest.importorskip("torch")
pytest.importorskip("sentence_transformers")
util = pytest.importorskip("sentence_transformers.util")
theirs = pytest.importorskip("sentence_transformers.sentence_transformer.evaluation")

from rankgauge.compat import sentence_transformers as compat  # noqa: E402 (it needs these)

Ours = compat.InformationRetrievalEvaluator

Theirs = theirs.InformationRetrievalEvaluator

CUTOFFS = {
    "mrr_at_k": [3, 10],
    "ndcg_at_k": [1, 5],
    "accuracy_at_k": [1, 3],
    "precision_recall_at_k": [2, 30],
    "map_at_k": [3, 100],
}


class Card:
    def set_evaluation_metrics(self, evaluator, metrics, epoch, step):
        self.known = (metrics, epoch, step)


class Model:
    """Vectors by the text, which is a number: random, or of small whole numbers with many ties."""

    similarity_fn_name = "cosine"
    similarity = staticmethod(util.cos_sim)

    def __init__(self, whole=False, dim=8):
        self.whole, self.dim = whole, dim
        self.model_card_data = Card()
        self.calls, self.alive, self.most = [], weakref.WeakSet(), 0

    def encode(self, inputs, truncate_dim=None, **options):
        assert options["convert_to_tensor"]
        self.calls.append((len(inputs), options))
        rows = []
        for text in inputs:
            rng = np.random.default_rng(int(text))
            rows.append(rng.integers(-1, 2, self.dim) if self.whole else rng.normal(size=self.dim))
        vectors = torch.tensor(np.array(rows, dtype=np.float32))[:, :truncate_dim]
        self.alive.add(vectors)  # what is freed is freed at once, without a collection of garbage
        self.most = max(self.most, sum(map(len, self.alive)))
        return vectors

    encode_query = encode_document = encode


def collection(documents=60, queries=9, relevant=4, seed=0):
    rng = np.random.default_rng(seed)
    corpus = {f"d{n}": str(1000 + n) for n in rng.permutation(documents)}
    asked = {f"q{n}": str(n) for n in range(queries)}
    found = {query: {f"d{n}" for n in rng.choice(documents + 5, relevant, replace=False)} for query in asked}
    found["q2"], found["q3"] = set(), {"nowhere"}
    del found["q4"]
    return asked, corpus, found


def assert_alike(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("chunk", [1, 7, 50000])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("name", ["", "nano"])
def test_values_are_those_of_sentence_transformers(chunk, whole, name):
    options = {**CUTOFFS, "corpus_chunk_size": chunk, "name": name}
    if whole:  # ties are exact in the product, and not in their cosine
        options["score_functions"] = {"dot": util.dot_score}
    ours, theirs = (kind(*collection(), **options) for kind in (Ours, Theirs))
    model = Model(whole)
    assert_alike(ours(model), theirs(model))
    assert ours.primary_metric == theirs.primary_metric
    assert ours.greater_is_better == theirs.greater_is_better
    assert ours.description == theirs.description


def test_several_score_functions_and_dimensions():
    functions = {"cos_sim": util.cos_sim, "product": util.dot_score, "distance": util.euclidean_sim}
    options = {**CUTOFFS, "score_functions": functions, "truncate_dim": 5, "corpus_chunk_size": 11}
    ours, theirs = (kind(*collection(), **options) for kind in (Ours, Theirs))
    assert_alike(ours(Model()), theirs(Model()))
    assert ours.primary_metric == theirs.primary_metric
    assert ours.get_config_dict() == theirs.get_config_dict() == {"truncate_dim": 5}


def test_the_file_and_the_model_card(tmp_path):
    rows = []
    for kind in (Ours, Theirs):
        evaluator, model = kind(*collection(), **CUTOFFS, name="dev"), Model()
        for epoch in (0, 1):
            evaluator(model, str(tmp_path / kind.__module__ / "deep"), epoch, 50)
        assert model.model_card_data.known[1:] == (1, 50)
        (path,) = (tmp_path / kind.__module__ / "deep").iterdir()
        rows.append((path.name, list(csv.reader(path.read_text().splitlines()))))
    (our_name, (our_head, *ours)), (their_name, (their_head, *theirs)) = rows
    assert our_name == their_name
    assert our_head == their_head
    for one, other in zip(ours, theirs, strict=True):
        assert [*map(float, one)] == pytest.approx([*map(float, other)], abs=1e-12)


def test_a_file_with_other_columns(tmp_path, caplog):
    evaluator = Ours(*collection())
    evaluator(Model(), str(tmp_path))
    assert not caplog.records
    product = Model()
    product.similarity_fn_name = "dot"
    assert "dot_ndcg@10" in evaluator(product, str(tmp_path))
    assert evaluator.primary_metric == "dot_ndcg@10"
    assert "has other columns than ['epoch', 'steps', 'dot-Accuracy@1'" in caplog.text
    assert len(next(tmp_path.iterdir()).read_text().splitlines()) == 3


def test_no_more_than_a_chunk_of_the_corpus_is_held():
    asked, corpus, found = collection(documents=500, relevant=2)
    model = Model()
    Ours(asked, corpus, found, corpus_chunk_size=20)(model)
    judged = len(set.union(*found.values()) & corpus.keys())
    queries = sum(bool(documents) for documents in found.values())
    assert max(size for size, _ in model.calls) <= 20
    assert sum(size for size, _ in model.calls) == queries + 500  # each is encoded once
    assert model.most <= queries + judged + 20


def test_texts_are_read_as_they_are_encoded():
    class Lazy(dict):
        read = 0

        def __getitem__(self, key):
            Lazy.read += 1
            return super().__getitem__(key)

    asked, corpus, found = collection()
    evaluator = Ours(asked, Lazy(corpus), found)
    assert not Lazy.read
    evaluator(Model())
    assert Lazy.read == len(corpus)


def test_other_measures():
    asked, corpus, found = collection()
    evaluator = Ours(asked, corpus, found, name="dev", measures="AP Twist nDCG(gains=exp2)@7")
    results = evaluator(Model())
    model = Model()
    judged = {query: documents for query, documents in found.items() if documents}
    expected = dense.evaluate(
        {query: dict.fromkeys(documents, 1) for query, documents in judged.items()},
        model.encode([asked[query] for query in judged], convert_to_tensor=True),
        model.encode(list(corpus.values()), convert_to_tensor=True),
        "AP Twist nDCG(gains=exp2)@7",
        query_ids=list(judged),
        doc_ids=list(corpus),
        similarity="cosine",
        ties="docid_asc",
    )
    for measure, value in expected.mean()["run"].items():
        assert results[f"dev_cosine_{measure}"] == value
    assert evaluator.scores["cosine"].topics == expected.topics


def test_a_measure_as_the_primary_metric():
    none = {name: [] for name in CUTOFFS}
    evaluator = Ours(*collection(), **none, measures="AP ASL")
    assert evaluator(Model()).keys() == {"cosine_AP", "cosine_ASL"}
    assert (evaluator.primary_metric, evaluator.greater_is_better) == ("cosine_AP", True)
    functions = {"cosine": "cosine", "dot": "dot"}
    lower = Ours(*collection(), **none | {"mrr_at_k": [5]}, measures="ASL", score_functions=functions)
    results = lower(Model())
    assert lower.greater_is_better is False
    assert results[lower.primary_metric] == min(results["cosine_ASL"], results["dot_ASL"])


def test_grades_and_exclusions():
    asked, corpus, found = collection()
    graded = {
        query: {doc: 1 + n for n, doc in enumerate(sorted(docs))} for query, docs in found.items() if docs
    }
    exclude = {"q1": [*sorted(graded["q1"])[:1], "d7"]}
    evaluator = Ours(asked, corpus, graded, measures="nDCG@10", exclude=exclude)
    results = evaluator(Model())
    documents = {doc: Model().encode([text], convert_to_tensor=True)[0] for doc, text in corpus.items()}
    queries = {query: Model().encode([asked[query]], convert_to_tensor=True)[0] for query in graded}
    options = {"similarity": "cosine", "ties": "docid_asc", "exclude": exclude}
    expected = dense.evaluate(graded, queries, documents, "nDCG@10", **options).mean()["run"]["nDCG@10"]
    assert results["cosine_nDCG@10"] == results["cosine_ndcg@10"] == expected


def test_prompts_and_another_model_for_documents():
    model, other = Model(), Model()
    options = {"query_prompt": "ask: ", "corpus_prompt_name": "passage", "batch_size": 3}
    Ours(*collection(), **options)(model, corpus_model=other)
    (_, asked), *more = model.calls
    assert not more
    assert (asked["prompt"], asked["prompt_name"], asked["batch_size"]) == ("ask: ", None, 3)
    assert {(call["prompt"], call["prompt_name"]) for _, call in other.calls} == {(None, "passage")}


def test_vectors_that_are_there_already():
    asked, corpus, found = collection()
    vectors = Model().encode(list(corpus.values()), convert_to_tensor=True)
    model = Model()
    results = Ours(asked, corpus, found, corpus_chunk_size=8)(model, corpus_embeddings=vectors)
    assert results == Ours(asked, corpus, found)(Model())
    assert len(model.calls) == 1  # of queries


def test_a_model_without_judged_documents():
    asked, corpus, _ = collection()
    results = Ours(asked, corpus, {"q1": {"nowhere"}})(Model())
    assert set(results.values()) == {0.0}


def test_ids_that_are_numbers():
    corpus = {n: str(n) for n in range(30)}
    arguments = {"queries": {7: "7"}, "corpus": corpus, "relevant_docs": {7: {3, 9}}}
    assert_alike(Ours(**arguments)(Model()), Theirs(**arguments)(Model()))


@pytest.fixture
def nano(monkeypatch):
    """Collections of NanoBEIR that need no download."""

    def rows(self, subset, split, required_columns):
        asked, corpus, found = collection(seed=len(split))
        if subset == "qrels":
            return [{"query-id": query, "corpus-id": doc} for query, docs in found.items() for doc in docs]
        return [{"_id": id, "text": text} for id, text in (corpus if subset == "corpus" else asked).items()]

    monkeypatch.setattr(theirs.NanoBEIREvaluator, "_load_dataset_subset_split", rows, raising=False)


@pytest.mark.parametrize("functions", [None, {"cosine": util.cos_sim, "dot": util.dot_score}])
def test_nano_beir_has_the_values_and_files_of_sentence_transformers(nano, tmp_path, functions):
    options = {"dataset_names": ["MSMARCO", "nq"], "score_functions": functions, **CUTOFFS}
    found = {}
    for package in (theirs, compat):
        (tmp_path / package.__name__).mkdir()
        evaluator = package.NanoBEIREvaluator(**options)
        results = evaluator(Model(), str(tmp_path / package.__name__), epoch=2)
        files = sorted((tmp_path / package.__name__).iterdir())
        found[package] = (
            evaluator.primary_metric,
            [file.name for file in files],
            files[0].read_text().split("\n")[0],
        )
        if package is theirs:
            expected = results
    assert found[theirs] == found[compat]
    assert_alike(results, expected)
    further = compat.NanoBEIREvaluator(["nq"], measures="Twist nDCG@50", ties="average")
    assert {"NanoNQ_cosine_Twist", "NanoBEIR_mean_cosine_nDCG@50"} <= {*further(Model())}
    assert len(further.evaluators[0].scores["cosine"].topics) == 7


@pytest.mark.parametrize("batched", [True, False])
def test_re_ranking_has_the_values_and_files_of_sentence_transformers(tmp_path, batched):
    rng = np.random.default_rng(5)
    texts = [[str(text) for text in rng.integers(0, 10**6, size)] for size in rng.integers(2, 30, 15)]
    samples = [{"query": str(n), "positive": each[:3], "negative": each[3:]} for n, each in enumerate(texts)]
    samples[1]["positive"] = "17"
    results, files = {}, {}
    for package in (theirs, compat):
        evaluator = package.RerankingEvaluator(samples, at_k=4, name="x", use_batched_encoding=batched)
        results[package] = evaluator(Model(), str(tmp_path / package.__name__), epoch=1, steps=3)
        (file,) = (tmp_path / package.__name__).iterdir()
        with file.open(newline="") as table:
            header, row = csv.reader(table)
        files[package] = file.name, header, [float(number) for number in row]
    assert_alike(results[compat], results[theirs])
    assert files[compat][:2] == files[theirs][:2]
    assert files[compat][2] == pytest.approx(files[theirs][2])
    further = compat.RerankingEvaluator(samples, name="x", measures="P@2", use_batched_encoding=batched)
    value = further(Model())["x_P@2"]
    assert value == further.scores.mean()["run"]["P@2"] > 0
    assert len(further.scores.topics) == sum(len(each) > 3 for each in texts)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"relevant_docs": {"x": {"d1"}}}, InputError, "none of the 9 queries has relevant documents"),
        ({"relevant_docs": {"q1": "d1"}}, InputError, "has a str for the query 'q1'; it must be a set"),
        ({"score_functions": {"l1": util.manhattan_sim}}, OptionError, "'l1' is .* can be counted by dot"),
        ({"score_functions": {"x": "cos"}}, OptionError, "pass one of these texts"),
        ({"write_predictions": True}, OptionError, r"no predictions to write; .*rankgauge\.dense\.retrieve"),
        ({"corpus_chunk_size": 0}, OptionError, "corpus_chunk_size must be"),
        ({"corpus": {}}, InputError, "the corpus has no documents"),
        ({"measures": "nDGC"}, Exception, "nDGC"),
        (
            {"score_functions": {"a": util.cos_sim}, "main_score_function": "dot"},
            OptionError,
            "main_score_function is 'dot', and the score functions are a; name one of them",
        ),
    ],
)
def test_what_is_wrong_is_in_the_message(change, error, message):
    arguments = dict(zip(("queries", "corpus", "relevant_docs"), collection(), strict=True)) | change
    with pytest.raises(error, match=message):
        Ours(**arguments)


def test_numbers_that_are_not_finite():
    class Broken(Model):
        def encode(self, inputs, **options):
            vectors = super().encode(inputs, **options)
            vectors[[text == "1007" for text in inputs]] = float("nan")
            return vectors

        encode_query = encode_document = encode

    with pytest.raises(InputError, match=r"the vector of document .*d7.* has numbers that are not finite"):
        Ours(*collection())(Broken())


def test_a_model_of_sentence_transformers():
    import sentence_transformers
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = [f"w{n}" for n in range(50)]
    tokenizer = Tokenizer(models.WordLevel(dict(zip(words, range(50), strict=True)), unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    torch.manual_seed(0)
    model = sentence_transformers.SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_dim=16)], device="cpu"
    )
    rng = np.random.default_rng(0)
    corpus = {f"d{n}": " ".join(rng.choice(words, 5)) for n in range(200)}
    asked = {f"q{n}": " ".join(rng.choice(words, 3)) for n in range(10)}
    relevant = {query: {*rng.choice(list(corpus), 3).tolist()} for query in asked}
    options = {"corpus_chunk_size": 64, "truncate_dim": 8, "query_prompt": "w1 ", "name": "words"}
    ours, theirs = (kind(asked, corpus, relevant, **options) for kind in (Ours, Theirs))
    assert_alike(ours(model), theirs(model))
