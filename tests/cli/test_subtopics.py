"""Judgments by subtopic on the command line: every command that measures takes them, and their options."""

import collections
import csv
import io
import json
import math
import statistics

import pytest

import installed
from rankgauge.cli.main import main
from rankgauge.model.validation import validate

QRELS = "1 1 a 1\n1 2 a 2\n1 2 b 1\n1 3 c 0\n2 1 a 1\n2 2 d 1\n3 1 e 1\n"
RUNS = {
    "one.run": "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 x 1 2 t\n2 Q0 d 2 1 t\n3 Q0 e 1 2 t\n",
    "two.run": "1 Q0 b 1 3 t\n1 Q0 x 2 2 t\n2 Q0 a 1 2 t\n2 Q0 d 2 1 t\n3 Q0 x 1 2 t\n3 Q0 e 2 1 t\n",
}
WEIGHTS = "1 1 0.7\n1 2 0.2\n1 3 0.1\n2 1 0.5\n2 2 0.5\n3 1 1\n"
MEASURES = "ERR_IA@2 alpha_nDCG@2 P_IA@2"
OPTIONS = ["--subtopic-probabilities", "weights.txt"]


@pytest.fixture(autouse=True)
def folder(working_folder):
    """A directory with judgments by subtopic, their probabilities and alphas, and two runs."""
    alphas = "1 0.25\n2 0.5\n3 0.75\n"
    working_folder({"qrels.txt": QRELS, "weights.txt": WEIGHTS, "alphas.txt": alphas, **RUNS})


def means(invoke, *options):
    text = invoke("evaluate", "qrels.txt", "one.run", "two.run", "--format", "csv", *options).out
    return {row["run"]: row for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.parametrize(
    "options",
    [
        ["-m", MEASURES],
        ["-m", MEASURES, *OPTIONS],
        ["-m", "alpha_nDCG(alpha=topic)@2", "--topic-alphas", "alphas.txt"],
    ],
)
def test_compare_measures_what_evaluate_does(options, invoke):
    expected = means(invoke, *options)
    files = ["qrels.txt", "one.run", "two.run"]
    compared = json.loads(invoke("compare", *files, *options, "--format", "json").out)
    for each in compared["measures"]:
        (pair,) = each["pairs"]
        assert pair["mean"] == pytest.approx(float(expected[pair["run"]][each["measure"]]), abs=1e-12)
        assert pair["mean_against"] == pytest.approx(
            float(expected[pair["against"]][each["measure"]]), abs=1e-12
        )


def test_probabilities_change_what_is_compared(invoke):
    plain, weighed = means(invoke, "-m", MEASURES), means(invoke, "-m", MEASURES, *OPTIONS)
    assert all(plain[run]["ERR_IA@2"] != weighed[run]["ERR_IA@2"] for run in plain)


@pytest.mark.parametrize(
    "command", installed.rows(["evaluate", "compare", "report", "evaluate --curve", "figure curve"])
)
def test_a_diversity_measure_refuses_judgments_without_subtopics(command, invoke, write):
    write("plain.json", json.dumps({"1": {"a": 1}, "2": {"a": 1}}))
    where = ["-o", "x.json"] if "figure" in command else ["-o", "x.html"] if command == "report" else []
    argv = [*command.split(), "plain.json", "one.run", "two.run", "-m", "alpha_nDCG", *where]
    assert "these judgments have no subtopics" in invoke(*argv, code=2).err


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("9 1 0.5\n", 'subtopic "1" of topic "1" has relevant documents and no probability'),
        (WEIGHTS + "1 1 0.5\n", 'weights.txt:7: subtopic "1" of topic "1" occurs twice'),
        (WEIGHTS.replace("0.7", "7"), 'weights.txt:1: "7" is not a number from 0 to 1'),
        (WEIGHTS.replace("0.7", "nan"), 'weights.txt:1: "nan" is not a number from 0 to 1'),
        ("1 1\n", "weights.txt:1:"),
    ],
)
@pytest.mark.parametrize("command", installed.rows(["compare", "report"]))
def test_probabilities_that_do_not_fit_are_refused(command, lines, message, refused, write):
    write("weights.txt", lines)
    where = ["--format", "md"] if command == "report" else []
    assert message in refused(command, "qrels.txt", "one.run", "two.run", "-m", MEASURES, *OPTIONS, *where)


@pytest.mark.parametrize("command", installed.rows(["compare", "study power"]))
def test_a_file_of_scores_has_no_subtopics(command, invoke):
    assert main(["evaluate", "qrels.txt", "one.run", "two.run", "-q", "-m", MEASURES, "-o", "s.json"]) == 0
    assert "--subtopic-probabilities changes judgments, and a file of scores has none" in (
        invoke(*command.split(), "s.json", *OPTIONS, code=2).err
    )


def test_validate_shows_how_subtopics_are_spread(invoke):
    lines = invoke("validate", "qrels.txt").out.splitlines()
    assert lines[1:6] == [
        "  3 topics, 5 subtopics, 7 judgments, 1 to 4 per topic (median 2)",
        "  grades 0: 1, 1: 5, 2: 1",
        "  1 to 2 subtopics per topic (mean 1.67, median 2); 1 topic with only one",
        "  1 to 2 relevant documents per subtopic (mean 1.20, median 1); 4 subtopics with only one",
        "  1 to 2 subtopics per relevant document (mean 1.20, median 1)",
    ]
    (facts,) = json.loads(invoke("validate", "qrels.txt", "--json").out)
    assert facts["subtopics_per_topic"] == {"min": 1, "mean": pytest.approx(5 / 3), "median": 2.0, "max": 2}
    assert facts["topics_with_one_subtopic"] == 1
    assert facts["subtopics_without_relevant"] == 1


def slow_statistics(rows):
    """The same, by dicts; rows are (topic, subtopic, document, grade)."""
    by_topic, by_subtopic, by_document = (collections.defaultdict(set) for _ in range(3))
    for topic, subtopic, doc, grade in rows:
        by_topic[topic] |= {subtopic} if grade > 0 else set()
        by_subtopic[topic, subtopic] |= {doc} if grade > 0 else set()
        if grade > 0:
            by_document[topic, doc].add(subtopic)
    relevant = [len(docs) for docs in by_subtopic.values()]
    return {
        "subtopics": sum(map(len, by_topic.values())),
        "subtopics_per_topic": spread([len(each) for each in by_topic.values()]),
        "relevant_per_subtopic": spread([count for count in relevant if count]),
        "subtopics_per_relevant": spread([len(each) for each in by_document.values()]),
        "topics_with_one_subtopic": sum(len(each) == 1 for each in by_topic.values()),
        "subtopics_with_one_relevant": relevant.count(1),
        "subtopics_without_relevant": relevant.count(0),
    }


def spread(counts):
    if not counts:
        return None
    return {
        "min": min(counts),
        "mean": pytest.approx(math.fsum(counts) / len(counts)),
        "median": statistics.median(counts),
        "max": max(counts),
    }


def test_the_statistics_are_those_of_a_slow_count(cases, write):
    for _, random in cases(100):
        keys = {
            (f"t{random.randrange(4)}", f"s{random.randrange(4)}", f"d{random.randrange(5)}")
            for _ in range(random.randrange(1, 40))
        }
        rows = [(*key, random.choice([-2, 0, 0, 1, 2])) for key in keys]
        path = write("random.txt", "".join(f"{' '.join(map(str, row))}\n" for row in rows))
        facts = validate(
            path, kind="qrels", format="trec", topic_alphas=dict.fromkeys(("t0", "t1", "t2", "t3"), 0)
        ).facts
        expected = slow_statistics(rows)
        assert {name: facts[name] for name in expected} == expected


def test_validate_compares_probabilities_with_judgments(invoke, write):
    assert "no problems" in invoke("validate", "qrels.txt", *OPTIONS).out
    write("weights.txt", "1 1 0.7\n1 3 0.1\n2 1 0.5\n9 1 1\n8 1 1\n3 1 1\n3 7 0.5\n")
    lines = invoke("validate", "qrels.txt", *OPTIONS, code=1).out.splitlines()
    start = lines.index("  problem: subtopic with relevant documents and no probability, 2 times")
    assert lines[start + 1 : start + 3] == [
        '    topic "1", subtopic "2"',
        '    topic "2", subtopic "2"',
    ]
    assert '  remark: 2 topics with probabilities and no judgments, left out: "9", "8"' in lines
    assert (
        '  remark: the probabilities of 3 topics do not add up to 1 (topic "1": 0.8), '
        "which intent-aware means such as ERR_IA expect" in lines
    )
    assert (
        "  remark: 2 subtopics with a probability and no relevant document, which StRecall counts: "
        '"1 3", "3 7"' in lines
    )


def test_validate_compares_alphas_with_judgments(invoke, write):
    assert "no problems" in invoke("validate", "qrels.txt", "--topic-alphas", "alphas.txt").out
    write("alphas.txt", "1 0.5\n7 0.5\n")
    out = invoke("validate", "qrels.txt", "--topic-alphas", "alphas.txt", "--limit", "1", code=1).out
    assert '  problem: topic without an alpha, 2 times\n    topic "2"\n    … and 1 more\n' in out
    assert '  remark: 1 topic with an alpha and no judgments, left out: "7"\n' in out


def test_validate_needs_judgments_by_subtopic_for_probabilities(invoke, write):
    write("plain.json", json.dumps({"1": {"a": 1}}))
    assert (
        "  problem: no subtopics\n"
        in invoke("validate", "plain.json", "--kind", "qrels", *OPTIONS, code=1).out
    )
    assert "--subtopic-probabilities is compared with judgments, and all files are runs" in (
        invoke("validate", "one.run", *OPTIONS, code=2).err
    )
    assert (
        "nowhere.txt"
        in invoke("validate", "qrels.txt", "--subtopic-probabilities", "nowhere.txt", code=2).err
    )


def test_real_subtopics_are_spread_as_their_file_says(data):
    report = validate(data / "trec_web_2012" / "qrels.diversity.txt.gz")
    assert report.ok
    assert report.facts["subtopics"] == 187  # as in ndeval's file
    assert report.facts["subtopics_per_topic"] == {"min": 2, "mean": 3.74, "median": 4.0, "max": 6}
    assert report.facts["subtopics_without_relevant"] == 8
    assert '8 subtopics without a relevant document: "167 5", "170 2", "174 2", …' in report.remarks
