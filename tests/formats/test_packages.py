"""Objects of other packages: ir_measures, ir_datasets, ranx, Hugging Face, Elasticsearch."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from rankgauge import Qrels, Run, SubtopicQrels, evaluate
from rankgauge.errors import InputError
from rankgauge.formats import objects

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"ä<b>": 2}}
RUN = {"q1": {"a": 0.25, "c": 0.5}, "q2": {"ä<b>": 1.0, "b": 0.5}}
RESULT = {"RR": 0.75, "AP": 0.75}


def rows(nested):
    return [(topic, doc, value) for topic, docs in nested.items() for doc, value in docs.items()]


def check(qrels, run, name="run"):
    assert evaluate(qrels, run, "RR AP").mean() == {name: RESULT}
    assert Qrels.of(qrels).to_dict() == QRELS
    assert Run.of(run).to_dict() == RUN
    assert Run.of(run).name == name


def test_records_of_ir_measures(write):
    ir_measures = pytest.importorskip("ir_measures")
    qrels = [ir_measures.Qrel(*row) for row in rows(QRELS)]
    run = [ir_measures.ScoredDoc(*row) for row in rows(RUN)]
    check(qrels, run)
    assert evaluate(iter(qrels), (each for each in run), "RR AP").mean() == {"run": RESULT}
    judged = write("qrels", "".join(f"{q} 0 {d} {g}\n" for q, d, g in rows(QRELS)))
    found = write("run", "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows(RUN)))
    pair = ir_measures.read_trec_qrels(str(judged)), ir_measures.read_trec_run(str(found))
    assert evaluate(*pair, "RR AP").mean() == {"run": RESULT}
    with pytest.raises(InputError, match="this looks like judgments; judgments come first"):
        evaluate(QRELS, qrels, "RR")


def test_records_of_ir_datasets():
    formats = pytest.importorskip("ir_datasets.formats")
    qrels = [formats.TrecQrel(*row, "0") for row in rows(QRELS)]
    run = [formats.GenericScoredDoc(*row) for row in rows(RUN)]
    check(qrels, run)
    check([formats.GenericQrel(*row) for row in rows(QRELS)], run)
    judged = [("q1", "a", 1, "s1"), ("q1", "a", 1, "s2"), ("q1", "c", 1, "s2"), ("q2", "b", 1, "s1")]
    by_subtopic = [formats.TrecSubQrel(*row) for row in judged]
    nested = {"q1": {"s1": {"a": 1}, "s2": {"a": 1, "c": 1}}, "q2": {"s1": {"b": 1}}}
    assert SubtopicQrels.of(by_subtopic).to_dict() == nested
    expected = evaluate(nested, RUN, "alpha_nDCG@10").mean()
    assert evaluate(iter(by_subtopic), RUN, "alpha_nDCG@10").mean() == expected


def test_a_dataset_of_ir_datasets_is_iterated(tmp_path):
    ir_datasets = pytest.importorskip("ir_datasets")
    (tmp_path / "q").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rows(QRELS)))
    (tmp_path / "r").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows(RUN)))
    without = ir_datasets.create_dataset(qrels_trec=tmp_path / "q")
    download = ir_datasets.util.LocalDownload(tmp_path / "r")
    dataset = ir_datasets.Dataset(without, ir_datasets.formats.TrecScoredDocs(download))
    check(dataset, dataset)
    assert evaluate(dataset, {"x": dataset, "y": RUN}, "RR AP").mean() == {"x": RESULT, "y": RESULT}
    assert evaluate(dataset, [dataset, RUN], "RR").runs == ("run1", "run2")
    assert evaluate(dataset.qrels, dataset.scoreddocs, "RR AP").mean() == {"run": RESULT}
    with pytest.raises(InputError, match=r"the dataset does not hold a run: it has no scoreddocs_iter\(\)"):
        evaluate(without, without, "RR")


def test_objects_of_ranx():
    ranx = pytest.importorskip("ranx")
    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN, name="bm25")
    check(qrels, run, "bm25")
    assert evaluate(qrels, ranx.Run(RUN), "RR AP").mean() == {"run": RESULT}
    assert evaluate(qrels, [run, RUN, ranx.Run(RUN)], "RR").runs == ("bm25", "run1", "run2")
    assert evaluate(qrels, {"x": run}, "RR").runs == ("x",)
    for pair, message in (
        ((run, qrels), "expected judgments, not ranx's Run; judgments come first"),
        ((qrels, qrels), "expected a run, not ranx's Qrels"),
        ((ranx.Qrels(), run), "the input has no rows"),
    ):
        with pytest.raises(InputError, match=message):
            evaluate(*pair, "RR")


def test_datasets_of_hugging_face():
    datasets = pytest.importorskip("datasets")

    def made(nested):
        columns = zip(*rows(nested), strict=True)
        return datasets.Dataset.from_dict(dict(zip(("query-id", "corpus-id", "score"), columns, strict=True)))

    qrels, run = made(QRELS), made(RUN)
    check(qrels, run)
    check(datasets.DatasetDict(test=qrels), datasets.DatasetDict(train=run))
    turned = run.select([3, 1, 0, 2, 0]).select([0, 1, 2, 3]).select([2, 1, 3, 0])  # a view of other rows
    check(qrels, turned)
    assert evaluate(qrels.to_iterable_dataset(), run.to_iterable_dataset(), "RR AP").mean() == {"run": RESULT}
    assert evaluate(qrels.with_format("numpy"), {"x": run, "y": RUN}, "RR").runs == ("x", "y")
    several = datasets.DatasetDict(dev=qrels, test=qrels)
    for pair in ((several, RUN), (QRELS, several)):
        with pytest.raises(InputError, match=r'has 2 splits, "dev", "test"; pass one: dataset\[\'dev\'\]'):
            evaluate(*pair, "RR")


def test_frames_of_pyterrier():
    run = pd.DataFrame(
        [(q, 17, d, s, 0, "words of a query") for q, d, s in rows(RUN)],
        columns=["qid", "docid", "docno", "score", "rank", "query"],
    )
    qrels = pd.DataFrame(rows(QRELS), columns=["qid", "docno", "label"])
    check(qrels, run)
    check(qrels.assign(label=qrels["label"].astype("Int8"), qid=qrels["qid"].astype("category")), run)


def test_arrays_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    truth, scores = rng.integers(0, 4, (20, 12)), rng.random((20, 12))
    [found] = evaluate(truth, scores, "nDCG nDCG@5").mean().values()
    assert found["nDCG"] == pytest.approx(metrics.ndcg_score(truth, scores), abs=1e-12)
    assert found["nDCG@5"] == pytest.approx(metrics.ndcg_score(truth, scores, k=5), abs=1e-12)
    [lists] = evaluate(truth.tolist(), scores.tolist(), "nDCG").mean().values()
    assert lists["nDCG"] == found["nDCG"]


def test_tensors_of_torch(torch):
    truth, scores = torch.tensor([[0, 1, 0], [1, 0, 0]]), torch.tensor([[0.1, 0.5, 0.4], [0.2, 0.9, 0.1]])
    for given in (scores, scores.requires_grad_(), scores.bfloat16()):
        assert evaluate(truth, given, "RR").mean() == {"run": {"RR": 0.75}}
    nested = {"q": {"a": scores[0, 0], "b": scores[0, 1].detach()}}
    assert evaluate({"q": {"a": truth[0, 1]}}, nested, "RR").mean() == {"run": {"RR": 0.5}}


def test_none_of_these_packages_is_imported():
    code = (
        "import sys; from rankgauge import evaluate; "
        "evaluate([('q', 'a', 1)], [{'qid': 'q', 'docno': 'a', 'score': 1.0}], 'RR'); "
        "assert not {'ranx', 'datasets', 'ir_datasets', 'ir_measures', 'torch', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


class Odd:
    """An object that has every attribute, as mocks do."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_an_object_that_claims_to_be_everything_is_refused(kind):
    with pytest.raises(InputError):
        objects.read(Odd(), kind)


class Response:
    """As the client of Elasticsearch returns it: not a dict, but with one inside."""

    def __init__(self, body):
        self.body = body

    def __len__(self):
        return len(self.body)

    def __iter__(self):
        return iter(self.body)

    def __getitem__(self, name):
        return self.body[name]


def response(docs):
    hits = [{"_index": "i", "_id": doc, "_score": score, "_source": {}} for doc, score in docs.items()]
    return {"took": 3, "timed_out": False, "hits": {"total": {"value": len(hits)}, "hits": hits}}


@pytest.mark.parametrize("wrap", [dict, Response])
def test_responses_of_elasticsearch_by_topic(wrap):
    run = {topic: wrap(response(docs)) for topic, docs in RUN.items()}
    check(QRELS, run)
    both = {"x": run, "y": {**run, "q1": wrap(response({}))}}
    assert evaluate(QRELS, both, "RR").mean() == {"x": {"RR": 0.75}, "y": {"RR": 0.5}}
    sorted_by_a_field = {topic: wrap(response(dict.fromkeys(docs))) for topic, docs in RUN.items()}
    assert Run.of(sorted_by_a_field).to_dict()["q1"] == {"a": -1.0, "c": -2.0}


@pytest.mark.parametrize(
    ("kind", "held", "message"),
    [
        (Run, response(RUN["q1"]), r"without its topic; pass \{topic: response\}"),
        (Run, {"hits": response(RUN["q1"])["hits"]}, "without its topic"),
        (Qrels, {"q1": response(RUN["q1"])}, "looks like a run"),
        (
            Run,
            {"q1": response(RUN["q1"]), "q2": {"error": {}, "status": 400}},
            'topic "q2": this is an error of the search',
        ),
        (Run, {"q1": response({"a": 1.0, "b": None})}, 'topic "q1", result 2: the score is missing'),
    ],
)
def test_responses_that_hold_no_run_are_refused(kind, held, message):
    with pytest.raises(InputError, match=message):
        Qrels.of(held) if kind is Qrels else evaluate(QRELS, held, "RR")
