"""`--human-qrels`: means by LLM judgments that human judgments of some topics correct; `pool --topics`."""

import csv
import io
import json

import numpy as np
import pytest

from rankgauge import evaluate
from rankgauge.errors import OptionError
from rankgauge.extensions.judging.samples import TopicSample

TOPICS = [f"t{n:02}" for n in range(30)]


@pytest.fixture
def folder(working_folder):
    """LLM judgments of 30 topics, human ones of 12, and three runs."""
    source = np.random.default_rng(4)
    docs = [f"d{n}" for n in range(8)]
    grades = source.integers(0, 3, (len(TOPICS), len(docs)))
    lenient = np.minimum(grades + (source.random(grades.shape) < 0.4), 2)
    human = sorted(source.permutation(len(TOPICS))[:12].tolist())

    def qrels(table, numbers):
        return "".join(f"{TOPICS[n]} 0 {doc} {table[n][d]}\n" for n in numbers for d, doc in enumerate(docs))

    def run(noise):
        scores = grades + source.normal(0, noise, grades.shape)
        return "".join(
            f"{TOPICS[n]} Q0 {doc} 0 {scores[n][d]:.6f} x\n"
            for n in range(len(TOPICS))
            for d, doc in enumerate(docs)
        )

    return working_folder(
        {
            "llm.qrels": qrels(lenient, range(len(TOPICS))),
            "human.qrels": qrels(grades, human),
            **{f"{name}.run": run(noise) for name, noise in (("good", 0.5), ("fair", 1.5), ("poor", 4.0))},
        }
    )


RUNS = ("good.run", "fair.run", "poor.run")
EVALUATE = ("evaluate", "llm.qrels", *RUNS, "-m", "nDCG@10", "--human-qrels", "human.qrels")


@pytest.fixture
def expected(folder):
    return evaluate("llm.qrels", list(RUNS), "nDCG@10", human_qrels="human.qrels")


def test_the_table_has_the_corrected_mean_beside_human_and_llm_only(expected, invoke):
    printed = invoke(*EVALUATE, "--format", "table", "--sort", "nDCG@10")
    headers, *rows = printed.out.splitlines()
    assert headers.split("  ")[0] == "run"
    assert [title in headers for title in ("95 % interval", "human only", "LLM only", "bias")] == [True] * 4
    found = expected.estimates()["good"]["nDCG@10"]
    assert rows[0].split()[:3] == ["good", f"{found.estimate:.4f}", f"[{found.low:.4f},{found.high:.4f}]"]
    assert rows[0].split()[3:] == [f"{found.human:.4f}", f"{found.llm:.4f}", f"{found.bias:+.4f}"]
    assert "corrected by human judgments of 12 (power-tuned estimator), for topics" in " ".join(
        printed.out.split()
    )
    assert "documents that only the LLM judged are unjudged" in printed.err


def test_formats_for_programs_are_complete(expected, invoke):
    rows = [*csv.DictReader(io.StringIO(invoke(*EVALUATE, "--format", "csv").out))]
    found = expected.estimates()
    for row in rows:
        of_run = found[row["run"]][row["measure"]]
        assert {name: float(row[name]) for name in of_run._fields} == pytest.approx(of_run._asdict())
        assert (row["estimator"], row["target"]) == ("power-tuned", "like-these")
        assert (row["low_like_these"], row["high_like_these"]) == (row["low"], row["high"])
    document = json.loads(invoke(*EVALUATE, "--format", "json", "--target", "these").out)
    assert document["target"] == "these"
    assert len(document["human"]["topics"]) == 12
    for ends in document["intervals"]["these"].values():
        assert ends["nDCG@10"] in [[float(row["low_these"]), float(row["high_these"])] for row in rows]
    assert document["mean"]["good"]["nDCG@10"] == document["estimates"]["good"]["nDCG@10"]["estimate"]


def test_compare_and_the_gate_take_human_judgments(expected, invoke):
    arguments = ("compare", "llm.qrels", *RUNS, "-m", "nDCG@10", "--human-qrels", "human.qrels")
    printed = invoke(*arguments, "--baseline", "good", "--view", "report", "--estimator", "difference")
    assert "two-sided t-test of corrected differences with Holm's correction for 2 pairs" in printed.out
    gate = invoke(*arguments, "--baseline", "good", "--fail-if", "nDCG@10 drops significantly", code=1).err
    mean, good = expected.mean("nDCG@10")["poor"], expected.mean("nDCG@10")["good"]
    assert f"poor against good: {good:.4f} to {mean:.4f}" in gate
    mean = expected.mean("nDCG@10")["fair"]
    for limit, code in ((mean + 0.001, 1), (mean - 0.001, 0)):
        invoke(*EVALUATE[:2], "fair.run", *EVALUATE[5:], "--fail-if", f"nDCG@10 below {limit:.6f}", code=code)


def test_few_human_topics_leave_means_and_gates_undecided(folder, invoke):
    lines = (folder / "human.qrels").read_text().splitlines()
    three = sorted({line.split()[0] for line in lines})[:3]
    (folder / "few.qrels").write_text("".join(f"{line}\n" for line in lines if line.split()[0] in three))
    few = (*EVALUATE[:-1], "few.qrels")
    llm = evaluate("llm.qrels", list(RUNS), "nDCG@10").mean("nDCG@10")
    for row in csv.DictReader(io.StringIO(invoke(*few, "--format", "csv").out)):
        assert float(row["estimate"]) == pytest.approx(llm[row["run"]])
        assert (row["gained"], row["low"], row["low_these"]) == ("nan", "nan", "nan")
    document = json.loads(invoke(*few, "--format", "json").out)
    assert document["estimates"]["good"]["nDCG@10"]["gained"] is None
    gate = invoke(
        *("compare", *few[1:], "--baseline", "good", "--fail-if", "nDCG@10 drops by 2%"), code=1
    ).err
    assert "cannot be decided, since means are not corrected: 3 topics with human judgments" in gate


def test_report_and_the_page_show_corrected_means(expected, invoke):
    text = invoke(
        "report", "llm.qrels", *RUNS, "--human-qrels", "human.qrels", "--format", "md", "-o", "-"
    ).out
    assert "corrected by human judgments of 12" in text


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("-q",), "--human-qrels corrects means, and -q is not for them"),
        (("--format", "trec"), "corrects means, and --format trec is not"),
        (("-o", "scores.parquet"), "corrects means, and --format parquet is not"),
        (("--second",), "corrects means, and --second is not"),
        (("--engine", "spark"), "--human-qrels is for this process"),
    ],
)
def test_options_that_corrected_means_have_no_use_for_are_refused(folder, refused, options, problem):
    assert problem in refused(*EVALUATE, *options)


def test_files_that_do_not_belong_together_are_refused(folder, refused):
    (folder / "high.qrels").write_text("t00 0 d0 3\n")
    (folder / "other.qrels").write_text("x 0 d0 2\n")
    (folder / "more.qrels").write_text("t00 0 d0 2\nx 0 d0 2\n")
    for name, problem in (
        ("high", "human judgments have grades up to 3, and the LLM's up to 2; bring both onto one scale"),
        ("other", "human and LLM judgments have no topic in common: x against t00, t01, t02, ..."),
        ("more", "1 topic with human judgments and without LLM judgments: x; judge them"),
    ):
        assert problem in refused(*EVALUATE[:-1], f"{name}.qrels")
    assert "--human-topics is how topics were drawn" in refused(*EVALUATE[:-2], "--human-topics", "x.csv")


@pytest.mark.parametrize("strata", [(), ("--strata", "relevant"), ("--strata", "difficulty")])
def test_pool_draws_topics_and_evaluate_uses_their_strata(folder, invoke, strata):
    draw = ("pool", *RUNS, "--topics", "16", "--seed", "5", "--llm-qrels", "llm.qrels", *strata)
    printed = invoke(*draw, "--record", "topics.csv", "--format", "csv")
    assert invoke(*draw, "--record", "again.csv", "--format", "csv").out == printed.out
    sample = TopicSample.of("topics.csv")
    assert len(sample.drawn) == 16
    assert {row.split(",")[0] for row in printed.out.splitlines()[1:]} == sample.drawn
    assert len({*sample.strata.values()}) == (4 if strata else 1)
    lines = (folder / "llm.qrels").read_text().splitlines()
    human = [line for line in lines if line.split()[0] in sample.drawn]
    (folder / "drawn.qrels").write_text("\n".join(human) + "\n")
    printed = invoke(*EVALUATE[:-1], "drawn.qrels", "--human-topics", "topics.csv", "--format", "table")
    assert ("in 4 strata" in printed.out) == bool(strata)


def test_a_record_that_does_not_fit_is_refused(folder, refused, invoke):
    invoke("pool", *RUNS, "--topics", "4", "--record", "topics.csv", "--quiet")
    assert "has human judgments, and was not drawn" in refused(*EVALUATE, "--human-topics", "topics.csv")
    (folder / "broken.csv").write_text("topic,stratum,drawn\nt00,all,maybe\n")
    message = refused(*EVALUATE, "--human-topics", "broken.csv")
    assert "broken.csv" in message
    assert 'found "t00, all, maybe"' in message
    assert "add --topics N" in refused("pool", *RUNS, "--record", "x.csv")
    assert "--strata needs --llm-qrels" in refused("pool", *RUNS, "--topics", "4", "--strata", "relevant")
    assert "from 1 to 30" in refused("pool", *RUNS, "--topics", "31")


def test_measures_of_diversity_are_corrected_too(folder, invoke):
    source = np.random.default_rng(2)
    grades = source.integers(0, 2, (len(TOPICS), 8, 3))

    def by_subtopic(numbers, flip):
        return "".join(
            f"{TOPICS[n]} {s + 1} d{d} {abs(int(grades[n][d][s]) - flip * (n % 3 == d % 3))}\n"
            for n in numbers
            for s in range(3)
            for d in range(8)
        )

    (folder / "llm.div").write_text(by_subtopic(range(30), 1))
    (folder / "human.div").write_text(by_subtopic(range(0, 30, 3), 0))
    (folder / "weights").write_text("".join(f"{t} {s} {s / 6}\n" for t in TOPICS for s in (1, 2, 3)))
    options = ("-m", "alpha_nDCG@5 ERR_IA@5", "--subtopic-probabilities", "weights", "--format", "csv")
    rows = csv.DictReader(
        io.StringIO(invoke("evaluate", "llm.div", *RUNS, "--human-qrels", "human.div", *options).out)
    )
    alone = csv.DictReader(io.StringIO(invoke("evaluate", "human.div", *RUNS, *options, "--interval").out))
    by_human = {(row["run"], row["measure"]): float(row["value"]) for row in alone}
    for row in rows:
        assert float(row["human"]) == pytest.approx(by_human[row["run"], row["measure"]])
        assert float(row["low"]) < float(row["estimate"]) < float(row["high"])


@pytest.mark.parametrize("option", [("--target", "these"), ("--estimator", "difference")])
def test_options_of_the_correction_need_human_judgments(folder, refused, option):
    problem = f"{option[0]} is for means corrected by --human-qrels FILE; add it"
    assert problem in refused("evaluate", "llm.qrels", *RUNS, *option)
    with pytest.raises(OptionError, match="are for human_qrels"):
        evaluate("llm.qrels", [*RUNS], "AP", **{option[0][2:]: option[1]})
