"""Folders of BEIR, MTEB and Hugging Face, and datasets of ir_datasets by name."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from rankgauge import Qrels, Run, evaluate
from rankgauge.errors import InputError, MissingDependency
from rankgauge.formats import guess_kind
from rankgauge.formats.source import Source

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}
RUN = {"q1": {"d1": 0.25, "d2": 0.5}, "q2": {"d1": 1.5}}


@pytest.fixture
def beir(tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "a"}\n')
    (tmp_path / "qrels").mkdir()
    rows = [f"{q}\t{doc}\t{grade}\n" for q, docs in QRELS.items() for doc, grade in docs.items()]
    for name in ("dev", "test"):
        (tmp_path / f"qrels/{name}.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(rows))
    return tmp_path


def predictions(folder, task, **subsets):
    folder.mkdir(exist_ok=True)
    content = {"mteb_model_meta": {"model_name": "a/b", "revision": "1"}, **subsets}
    (folder / f"{task}_predictions.json").write_text(json.dumps(content))
    return folder


def test_a_folder_of_beir_has_judgments(beir):
    assert Qrels.read(beir).to_dict() == QRELS
    assert guess_kind(Source(beir)) == "qrels"
    assert evaluate(beir, RUN, "RR").mean() == {"run": {"RR": 0.75}}
    (beir / "qrels/test.tsv").rename(beir / "qrels/train.tsv")
    with pytest.raises(InputError, match=r'"dev.tsv", "train.tsv" and no test.tsv; pass one'):
        Qrels.read(beir)
    with pytest.raises(InputError, match="this is a directory"):
        evaluate(QRELS, beir, "RR")


def test_predictions_of_mteb_are_a_run(tmp_path):
    folder = predictions(tmp_path / "model", "NFCorpus", default={"test": RUN})
    for path in (folder, folder / "NFCorpus_predictions.json"):
        assert Run.read(path).to_dict() == RUN
        assert evaluate(QRELS, path, "RR").mean("RR") == {Run.read(path).name: 0.75}
    content = {"mteb_model_meta": None, "default": {"test": RUN}}
    (folder / "NFCorpus_predictions.json").write_text(json.dumps(content))
    assert Run.read(folder).to_dict() == RUN
    (folder / "NFCorpus_predictions.json").write_text(json.dumps(RUN))  # as MTEB 1 wrote them
    assert Run.read(folder).to_dict() == RUN
    predictions(folder, "SciFact", en={"test": RUN}, de={"test": RUN})
    with pytest.raises(InputError, match=r'2 tasks, "NFCorpus_predictions.json", "SciFact_pred'):
        Run.read(folder)
    with pytest.raises(
        InputError, match=r"2 subsets and splits, \['en'\]\['test'\], \['de'\]\['test'\]; load"
    ):
        Run.read(folder / "SciFact_predictions.json")


def test_a_saved_dataset_of_hugging_face_has_runs_and_judgments(tmp_path):
    datasets = pytest.importorskip("datasets")
    rows = {
        "query_id": ["q1", "q1", "q2"],
        "corpus_id": ["d1", "d2", "d1"],
        "score": [0.25, 0.5, 1.5],
    }
    saved = datasets.Dataset.from_dict(rows)
    saved.save_to_disk(tmp_path / "run", num_shards=2)
    (tmp_path / "run/cache-0123.arrow").write_bytes((tmp_path / "run/data-00000-of-00002.arrow").read_bytes())
    assert Run.read(tmp_path / "run").to_dict() == RUN
    assert evaluate(QRELS, tmp_path / "run", "RR").mean("RR") == {"run": 0.75}
    graded = datasets.Dataset.from_dict({**rows, "score": [1, 0, 2]})
    splits = datasets.DatasetDict({"test": graded})
    splits.save_to_disk(tmp_path / "qrels-of-test")
    assert Qrels.read(tmp_path / "qrels-of-test").to_dict() == QRELS
    datasets.DatasetDict({"dev": graded, "test": graded}).save_to_disk(tmp_path / "two")
    assert Qrels.read(tmp_path / "two/test").to_dict() == QRELS
    with pytest.raises(InputError, match=r'2 splits, "dev", "test"; pass one, such as .*test'):
        Qrels.read(tmp_path / "two")
    with pytest.raises(InputError, match="2 splits"):
        evaluate(QRELS, tmp_path / "two", "RR")


def test_datasets_of_ir_datasets_are_read_if_they_are_here(tmp_path, monkeypatch, write):
    library = pytest.importorskip("ir_datasets")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    lines = "".join(f"{q} 0 {doc} {grade}\n" for q, docs in QRELS.items() for doc, grade in docs.items())
    local = library.util.LocalDownload(write("local.qrels", lines))
    dataset = library.Dataset(library.formats.TrecQrels(local, {}))
    monkeypatch.setitem(library.registry._registered, "rankgauge-test", dataset)
    assert Qrels.read("irds:rankgauge-test").to_dict() == QRELS
    assert evaluate("irds:rankgauge-test", RUN, "RR").mean("RR") == {"run": 0.75}
    with pytest.raises(InputError, match=r"irds:rankgauge-test: .*no scoreddocs_iter"):
        Run.read("irds:rankgauge-test")
    with pytest.raises(
        InputError, match=r"ir_datasets has no 'rankgauge-tost' \(did you mean rankgauge-test"
    ):
        Qrels.read("irds:rankgauge-tost")


def refusal(name):
    with pytest.raises(InputError) as error:
        Qrels.read(name)
    return str(error.value)


def test_nothing_is_downloaded(tmp_path, monkeypatch):
    library = pytest.importorskip("ir_datasets")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    requests = library.lazy_libs.requests
    with pytest.raises(
        InputError, match=r"not on this computer.*`ir_datasets export vaswani qrels > qrels.txt`"
    ):
        Qrels.read("irds:vaswani")
    with ThreadPoolExecutor(4) as threads:
        assert all("downloads nothing" in text for text in threads.map(refusal, ["irds:vaswani"] * 8))
    assert library.lazy_libs.requests is requests
    monkeypatch.setitem(__import__("sys").modules, "ir_datasets", None)
    with pytest.raises(MissingDependency, match=r"irds:NAME needs ir-datasets.*pip install ir-datasets"):
        Qrels.read("irds:vaswani")


@pytest.mark.parametrize("format", ["beir", "mteb", "dataset", "irds"])
def test_anything_else_is_refused_by_name(format, write):
    path = write("a.txt", "1 Q0 d 1 2.5 t\n")
    with pytest.raises(InputError, match=r"a\.txt: (this is not|ir_datasets has no) "):
        (Qrels if format == "beir" else Run).read(path, format)


@pytest.mark.parametrize("content", ["[]", "{}", '{"splits": 1}', '{"mteb_model_meta": 1, "a": 2}', "{"])
def test_damaged_folders_are_refused(content, tmp_path):
    for name in ("state.json", "dataset_dict.json", "a_predictions.json"):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError):
            Run.read(tmp_path)
        (tmp_path / name).unlink()


@pytest.mark.parametrize("splits", ["test", [], [1], ["dev", 1], None])
def test_splits_are_a_list_of_names(splits, tmp_path):
    (tmp_path / "dataset_dict.json").write_text(json.dumps({"splits": splits}))
    with pytest.raises(InputError, match=r'dataset_dict.json: this is not a list of splits, \{"splits": \['):
        Run.read(tmp_path)
