"""What judgments buy: predicted widths against errors of simulated designs."""

import numpy as np
import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.judging import draw_topics, evaluate_sample, judged_sample, pool, sample
from rankgauge.extensions.judging.corrected_scores import CorrectedScores
from rankgauge.extensions.judging.planning import plan
from rankgauge.numbers.intervals import NORMAL, t_quantile

TOPICS, DOCUMENTS, DEPTH = [f"q{n:02}" for n in range(40)], [f"d{n:02}" for n in range(24)], 10


@pytest.fixture(scope="module")
def collection():
    """(pool, labels, human judgments, runs): people are stricter on some topics than on others."""
    source = np.random.default_rng(3)
    human, llm, runs = {}, {}, {run: {} for run in "abcd"}
    for topic in TOPICS:
        strict = source.normal(0, 0.8)
        worth = source.normal(size=len(DOCUMENTS))
        human[topic] = {
            d: int(w + 0.6 * source.normal() > 0.6 + strict) for d, w in zip(DOCUMENTS, worth, strict=True)
        }
        llm[topic] = {d: int(w > 0.3) for d, w in zip(DOCUMENTS, worth, strict=True)}
        for run in runs:
            seen = worth + 1.5 * source.normal(size=len(DOCUMENTS))
            runs[run][topic] = [DOCUMENTS[place] for place in np.argsort(-seen)]
    return pool(runs, depth=DEPTH), llm, human, runs


def test_widths_are_those_of_errors(collection):
    documents, llm, human, runs = collection
    whole, part = plan(documents, 240, llm, human).records("designs")
    assert whole["judgments"] == pytest.approx(240, abs=25)
    true = evaluate(human, runs, "P@10").mean("P@10")
    by_llm = evaluate(llm, runs, "P@10")
    count = int(whole["option"].split()[1])
    errors = {"topics": [], "documents": []}
    for seed in range(60):
        drawn = draw_topics(llm, count, seed=seed).drawn
        some = evaluate({topic: human[topic] for topic in drawn}, runs, "P@10")
        corrected = CorrectedScores.of(by_llm, some, target="these").mean("P@10")
        judged = judged_sample(sample(documents, 6, llm_qrels=llm, seed=seed), human)
        (estimated,) = (
            {run: of.popitem()[1] for run, of in evaluate_sample(llm, judged, runs, "P@10").mean().items()},
        )
        for name, found in (("topics", corrected), ("documents", estimated)):
            errors[name].append([found[run] - true[run] for run in runs])
    rms = {
        name: float(np.median(np.sqrt((np.array(rows) ** 2).mean(axis=0)))) for name, rows in errors.items()
    }
    assert whole["±mean"] == pytest.approx(t_quantile(0.05, count - 1) * rms["topics"], rel=0.3)
    assert part["±mean"] == pytest.approx(NORMAL * rms["documents"], rel=0.3)
    assert part["±mean"] < whole["±mean"]


def test_part_of_the_topics_is_enough_for_a_pilot(collection):
    documents, llm, human, _ = collection
    some = {topic: human[topic] for topic in TOPICS[:15]}
    for all_of_it, pilot in zip(
        plan(documents, 400, llm, human).records("designs"),
        plan(documents, 400, llm, some).records("designs"),
        strict=True,
    ):
        assert pilot["±mean"] == pytest.approx(all_of_it["±mean"], rel=0.4)


def test_all_judgments_leave_no_interval_and_few_topics_give_none(collection):
    documents, llm, human, _ = collection
    whole, part = plan(documents, 40 * 24, llm, human).records("designs")
    assert (whole["±mean"], part["±mean"], part["±difference"]) == (0, 0, 0)
    whole, _ = plan(documents, 60, llm, human).records("designs")
    assert np.isnan(whole["±mean"])  # means of fewer than eight topics are not corrected


def test_plans_that_cannot_be_made_are_refused(collection):
    documents, llm, human, _ = collection
    with pytest.raises(InputError, match="judges the pool of 3 topics completely, and it takes 8"):
        plan(documents, 100, llm, {topic: human[topic] for topic in TOPICS[:3]})
    with pytest.raises(OptionError, match="plan"):
        plan(documents, 10, llm, human)


def test_the_command_shows_the_designs(collection, write, invoke):
    documents, llm, human, runs = collection
    lines = "".join(f"{t} 0 {d} {g}\n" for t, of in llm.items() for d, g in of.items())
    people = "".join(f"{t} 0 {d} {g}\n" for t, of in human.items() for d, g in of.items())
    files = [str(write("llm.txt", lines)), str(write("human.txt", people))]
    ranked = [
        str(
            write(
                f"{run}.run",
                "".join(f"{t} Q0 {d} {k} {-k} {run}\n" for t, of in topics.items() for k, d in enumerate(of)),
            )
        )
        for run, topics in runs.items()
    ]
    words = ["--depth", "10", "--plan", "240", "--llm-qrels", files[0]]
    found = invoke("pool", *ranked, *words, "--judged", files[1], "--format", "csv")
    expected = plan(documents, 240, llm, human).table("designs")
    assert found.out.splitlines()[0] == ",".join(expected.headers)
    assert [row.split(",")[1] for row in found.out.splitlines()[1:]] == [row[1] for row in expected.rows]
    assert "needs --llm-qrels" in invoke("pool", *ranked, *words, code=2).err
