"""`rankgauge evaluate` of answers, by their nuggets."""

import json

import pytest

from rankgauge.extensions.judging.nuggets import MEASURES

LABELS = {"old": ["support", "not_support"], "new": ["support", "partial_support"]}


@pytest.fixture
def answers(working_folder):
    """Files of two runs with one vital and one okay nugget for each of two topics."""

    def nuggets(labels):
        return [
            {"text": name, "importance": name, "assignment": label}
            for name, label in zip(("vital", "okay"), labels, strict=True)
        ]

    records = {
        f"{run}.jsonl": [
            {"qid": topic, "run_id": run, "nuggets": nuggets(order)}
            for topic, order in (("1", labels), ("2", labels[::-1]))
        ]
        for run, labels in LABELS.items()
    }
    working_folder({name: "".join(f"{json.dumps(each)}\n" for each in of) for name, of in records.items()})
    return [*records]


def test_topics_are_shown_against_a_baseline_under_the_names_given(answers, invoke):
    words = ("-m", "V,strict_all_score", "--names", "given", "--baseline", "old", "--worst", "1")
    printed = invoke("evaluate", *answers, *words, "--quiet").out
    assert printed.splitlines() == [
        "measure\ttopic\told\tnew\tΔ new",
        "V\t1\t1.0000\t1.0000\t+0.0000",
        "V\tall\t0.5000\t0.7500\t+0.2500",
        "strict_all_score\t1\t0.5000\t0.5000\t+0.0000",
        "strict_all_score\tall\t0.5000\t0.5000\t+0.0000",
    ]


def test_a_check_fails_and_scores_go_on_to_compare(answers, invoke):
    printed = invoke("evaluate", *answers, "--fail-if", "V below 0.6", code=1)
    assert printed.out == "run\tVital\nold\t0.5000\nnew\t0.7500\n"
    assert "failed: Vital below 0.6; old: 0.5000" in printed.err
    invoke("evaluate", *answers, "-q", "-o", "scores.json")
    assert "new (0.7500) against old (0.5000)" in invoke("compare", "scores.json").out
    shown = ("diff", "scores.json", "old", "new", "-m", "Vital All", "--fail-if", "Vital drops on any topic")
    printed = invoke(*shown, "--view", "report", "--limit", "1")
    assert "Fail if Vital drops on any topic: passed." in printed.out
    assert "2 topics by Vital: 1 better, 1 the same, 0 worse." in printed.out
    assert "moved" not in printed.out
    assert "moved" not in invoke(*shown, "--format", "html").out
    for more, message in {
        ("--topic", "1"): "scores have no documents of topic 1; pass judgments and runs to see them",
        ("--grades", "1=0"): "--grades changes judgments, and a file of scores has none",
        ("--collapse", "prefix:#"): "--collapse is for judgments and runs, and a file of scores has none",
        ("--ties", "input"): "--ties is for judgments and runs",
    }.items():
        assert message in invoke("diff", "scores.json", "old", "new", *more, code=2).err
    assert "no run here named 'b=new'" in invoke("diff", "scores.json", "old", "b=new", code=2).err
    assert (
        "--depth is for judgments" in invoke("diff", "scores.json", "old", "new", "--depth", "5", code=2).err
    )
    assert "--target is for judgments" in invoke("compare", "scores.json", "--target", "these", code=2).err
    study = ("study", "power", "--collection", "A=scores.json", "-m", "AP")
    assert "--missing is for judgments" in invoke(*study, "--missing", "skip", code=2).err


def test_human_assessments_correct_means(answers, invoke):
    printed = invoke("evaluate", "old.jsonl", "-m", "Vital", "--human-qrels", "old.jsonl", "--format", "json")
    (estimate,) = json.loads(printed.out)["estimates"]["old"].values()
    assert (estimate["estimate"], estimate["human_topics"]) == (0.5, 2)


def test_the_file_says_what_it_is(answers, write, invoke, refused):
    answer, document = "qid,run_id,nugget,importance,assignment\n1,a,x,vital,support\n", "qid,docid,nugget,"
    document += "importance,assignment\n1,d1,x,vital,support\n"
    cited = write("cited.csv", "qid,run_id,sentence,citation,support\n1,a,s,d1,full_support\n")
    assert invoke("evaluate", f"b={write('answers.tsv', answer.replace(',', chr(9)))}", "-q").out
    assert "CitationRecall" in invoke("evaluate", cited).out
    run = write("a.run", "1 Q0 d1 1 2.0 a\n")
    assert "a\t1.0000" in invoke("evaluate", write("documents.csv", document), run, "-m", "RR").out
    assert "evaluate QRELS RUN" in refused("evaluate", run)
    assert "--ties is for judgments and runs, and a file of answers has none" in refused(
        "evaluate", *answers, "--ties", "input"
    )


def test_an_unknown_measure_has_the_others_named(answers, refused):
    said = refused("evaluate", *answers, "--fail-if", "Vitl below 0.5")
    assert "measure of answers" in said
    assert all(name in said for name in MEASURES)
