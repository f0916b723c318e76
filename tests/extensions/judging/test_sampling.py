"""Samples of pools for human judgment, and the estimates that they and LLM judgments give."""

import json
from collections import Counter

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.judging import evaluate_sample, judged_sample, pool, sample
from rankgauge.extensions.judging.samples import sample_table

DOCS = [f"d{n:02}" for n in range(40)]
LLM = {topic: {doc: n % 3 for n, doc in enumerate(DOCS[:36])} for topic in ("q1", "q2")}
RUNS = {
    name: {topic: {doc: float(n * step % 41) for n, doc in enumerate(DOCS)} for topic in LLM}
    for name, step in (("a", 1), ("b", 7), ("c", 13), ("d", 40))
}


@pytest.fixture(scope="module")
def documents():
    return pool(RUNS, depth=20)


def drawn(qrels):
    """{topic: {stratum: (documents, how many are drawn)}}."""
    return {
        topic: {stratum: (len(docs), Counter(docs.values())[-2]) for stratum, docs in strata.items()}
        for topic, strata in qrels.to_dict().items()
    }


@pytest.mark.parametrize("size", [1, 3, 7, 12, 30])
def test_so_many_documents_are_drawn_and_some_of_every_stratum(documents, size):
    for topic, strata in drawn(sample(documents, size, llm_qrels=LLM)).items():
        assert sum(count for _, count in strata.values()) == size
        assert all(min(2, of, size) <= count <= of for of, count in strata.values())
        assert len(strata) <= max(1, size / 2)
        assert {*documents.to_dict()[topic]} == {
            doc for docs in sample(documents, size).to_dict()[topic].values() for doc in docs
        }


def test_strata_are_by_grade_then_rank_then_disagreement(documents):
    strata = {size: {*drawn(sample(documents, size, llm_qrels=LLM))["q1"]} for size in (7, 8, 16, 40)}
    assert strata[7] == {"all"}
    assert strata[8] == {"0", "1", "2", "none"}
    assert strata[16] == {"0/1-10", "0/11-30", "1/1-10", "1/11-30", "2/1-10", "2/11-30", "none/1-10"}
    assert {"0/1-10/split", "0/1-10/agreed"} <= strata[40]
    assert {*drawn(sample(documents, 16))["q1"]} == {
        "none/1-10/split", "none/1-10/agreed", "none/11-30/split", "none/11-30/agreed"
    }  # fmt: skip


def test_a_draw_depends_on_the_seed_and_the_topic_alone(documents):
    first, again, other = (sample(documents, 12, seed=seed).to_dict() for seed in (5, 5, 6))
    assert first == again != other
    assert first["q1"] != first["q2"]
    alone = pool({name: {"q2": run["q2"]} for name, run in RUNS.items()}, depth=20)
    assert sample(alone, 12, seed=5).to_dict() == {"q2": first["q2"]}


def test_more_documents_than_there_are_are_all_of_them(documents):
    assert {grade for *_, grade in sample_table(sample(documents, 999)).rows} == {-2}


def test_the_table_has_the_probability_of_each_document(documents):
    for *_, probability, grade in sample_table(sample(documents, 2)).rows:
        assert probability == pytest.approx(2 / 39)
        assert grade in (-1, -2)


def test_a_sample_that_is_judged_and_written_is_evaluated(documents, tmp_path):
    human = {topic: {doc: int(n % 4 == 0) for n, doc in enumerate(DOCS)} for topic in LLM}
    judged = judged_sample(sample(documents, 10, llm_qrels=LLM), human)
    assert {*judged.grades.tolist()} == {-1, 0, 1}
    path = tmp_path / "sample.qrels"
    judged.write(path, "strata")
    values = rankgauge.evaluate(path, RUNS, "xinfAP infNDCG@10 HT(P@10)").values
    assert np.array_equal(values, rankgauge.evaluate(judged, RUNS, "xinfAP infNDCG@10 HT(P@10)").values)
    assert not np.isnan(values).any()
    rest = judged_sample(sample(documents, 10), {"q1": {"d00": 1}, "q2": {"d00": 1}})
    assert -2 in rest.grades


@pytest.mark.parametrize("size", [0, -1, 1.5, True])
def test_a_sample_of_no_documents_is_refused(documents, size):
    with pytest.raises(OptionError, match="sample must be a whole number"):
        sample(documents, size)


def test_estimates_are_unbiased_and_those_with_llm_judgments_vary_less(documents):
    """The mean over many draws is within 4 standard errors of the values by human judgments of the pool."""
    human = {topic: {doc: (grade + (n % 5 == 0)) % 3 for n, (doc, grade) in enumerate(judged.items())}
             for topic, judged in LLM.items()}  # fmt: skip
    for judged in human.values():
        judged |= dict.fromkeys(DOCS[36:], 1)
    measures = ["P@10", "DCG@20", "RBP(p=0.9)", "AP", "nDCG@10", "Q"]
    draws = [judged_sample(sample(documents, 14, llm_qrels=LLM, seed=seed), human) for seed in range(150)]
    alone = np.array(
        [rankgauge.evaluate(each, RUNS, [f"HT({m})" for m in measures]).values for each in draws]
    )
    helped = np.array([evaluate_sample(LLM, each, RUNS, measures).values for each in draws])
    pooled = {topic: {doc: human[topic][doc] for doc in docs} for topic, docs in documents.to_dict().items()}
    truth = rankgauge.evaluate(pooled, RUNS, measures).values
    for estimates in (alone, helped):
        error = estimates.mean(axis=0) - truth
        chance = estimates.std(axis=0) / np.sqrt(len(draws))
        assert (np.abs(error) <= 4 * chance + 1e-12)[:, :3].all()
        assert (np.abs(error.mean(axis=(0, 2))) < 0.03)[3:].all()  # ratios
    assert helped.std(axis=0).mean() < 0.8 * alone.std(axis=0).mean()


def test_with_the_same_judgments_the_estimate_is_the_value(documents):
    """Whatever is drawn: nothing is left to estimate."""
    judged = judged_sample(sample(documents, 9), {t: {d: LLM[t].get(d, 0) for d in DOCS} for t in LLM})
    pooled = {
        topic: {doc: LLM[topic].get(doc, 0) for doc in docs} for topic, docs in documents.to_dict().items()
    }
    found = evaluate_sample(LLM, judged, RUNS, "P@5 AP nDCG")
    assert found.measures == ("HT(P@5)", "HT(AP)", "HT(nDCG)")
    assert np.allclose(found.values, rankgauge.evaluate(pooled, RUNS, "P@5 AP nDCG").values, rtol=1e-12)


def test_what_a_sample_cannot_correct_is_refused(documents):
    drawn = sample(documents, 9)
    with pytest.raises(InputError, match="no document of the sample is judged; replace the grade -2"):
        evaluate_sample(LLM, drawn, RUNS, "P@5")
    judged = judged_sample(drawn, {topic: dict.fromkeys(DOCS, 2) for topic in LLM})
    with pytest.raises(InputError, match="human judgments have grades up to 2, and the LLM's up to 1"):
        evaluate_sample({topic: dict.fromkeys(DOCS, 1) for topic in LLM}, judged, RUNS, "P@5")
    with pytest.raises(InputError, match="1 topic with human judgments and without LLM judgments: q2"):
        evaluate_sample({"q1": LLM["q1"]}, judged, RUNS, "P@5")
    with pytest.raises(MeasureError, match="ERR@5 cannot be estimated from a sample"):
        evaluate_sample(LLM, judged, RUNS, "P@5 ERR@5")


def test_the_command_evaluates_a_sample_of_human_judgments(documents, tmp_path, invoke):
    judged = judged_sample(sample(documents, 9), {t: {doc: 2 * (doc < "d20") for doc in DOCS} for t in LLM})
    judged.write(tmp_path / "sample.qrels", "strata")
    rankgauge.Qrels.of(LLM).write(tmp_path / "llm.txt")
    rankgauge.Run.from_dict(RUNS["b"]).write(tmp_path / "b.run")
    arguments = (
        str(tmp_path / "llm.txt"),
        str(tmp_path / "b.run"),
        "-m",
        "P@5",
        "--quiet",
        "--format",
        "tsv",
    )
    printed = invoke("evaluate", *arguments, "--human-sample", str(tmp_path / "sample.qrels")).out
    mean = evaluate_sample(LLM, judged, {"b": RUNS["b"]}, "P@5").mean()["b"]["HT(P@5)"]
    assert printed.split() == ["run", "HT(P@5)", "b", f"{mean:.4f}"]
    refused = invoke("evaluate", *arguments, "--human-sample", "x", "--engine", "spark", code=2).err
    assert "--human-sample is for this process; leave it out, or --engine spark" in refused
    refused = invoke("evaluate", *arguments, "--human-sample", "x", "--human-qrels", "y", code=2).err
    assert "--human-qrels has whole topics and --human-sample some documents; pass one of them" in refused


def test_runs_are_compared_and_conditions_checked_by_a_sample_of_human_judgments(working_folder, invoke):
    topics = [f"q{number}" for number in range(6)]
    human = {topic: {f"d{n}": int(n < 2 + place % 2) for n in range(6)} for place, topic in enumerate(topics)}
    orders = {"up": range(6), "down": [*range(6)][::-1]}
    runs = {name: {topic: [f"d{n}" for n in order] for topic in topics} for name, order in orders.items()}
    judged = judged_sample(sample(pool(runs), 4), human)
    working_folder({"human.txt": "", "llm.txt": ""})
    judged.write("sample.qrels", "strata")
    rankgauge.Qrels.of({t: dict.fromkeys(docs, 1) for t, docs in human.items()}).write("llm.txt")
    for name, run in runs.items():
        rankgauge.Run.from_dict(run).write(f"{name}.run")
    argv = ("llm.txt", "up.run", "down.run", "-m", "P@2", "--human-sample", "sample.qrels", "--quiet")
    found = json.loads(invoke("compare", *argv, "--format", "json").out)
    expected = rankgauge.compare(evaluate_sample("llm.txt", "sample.qrels", runs, "P@2"))
    (pair,) = expected["HT(P@2)"].pairs
    assert json.dumps(pair.p) in json.dumps(found)
    assert invoke("evaluate", *argv, "--fail-if", "HT(P@2) below 1", code=1).out


@pytest.mark.parametrize("measure", ["AP", "nDCG", "Q"])
def test_where_llm_judgments_have_no_estimate_that_of_people_stands_alone(measure):
    judged = {"1": {"all": {"d1": 1, "d2": 0, "d3": -1}}}
    llm, runs = {"1": {"d1": 0, "d2": 0, "d3": 1}}, {"r": {"1": ["d1", "d2", "d3"]}}
    (alone,) = rankgauge.evaluate(judged, runs, f"HT({measure})").mean()["r"].values()
    assert alone > 0
    assert [*evaluate_sample(llm, judged, runs, measure).mean()["r"].values()] == [alone]
