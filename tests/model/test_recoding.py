"""Grades that are changed before anything else: judgments are read as if their file had been edited."""

import random

import numpy as np
import pytest

from rankgauge import Evaluator, Qrels, Scores, SubtopicQrels, curves, evaluate, explain
from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli.main import main
from rankgauge.errors import InputError, OptionError
from rankgauge.model.recoding import Recoding

WEB = {-2: 0, 3: 2}  # spam is not relevant, a key page highly relevant: the Web track as in the Twist paper
MAPS = [WEB, {1: 0, 2: 1, 3: 1, 4: 1}, {0: None, -2: None}, {1: 2, 2: 1}, {0.5: 7, 2: -1.25, 9: 3}, {4: None}]
MEASURES = "AP nDCG@5 Bpref Twist Judged@3"
GRADES = (-2, 0, 0, 1, 2, 3, 4, 0.5)


def judged_lines(seed, topics=5, docs=9):
    """(topic, document, grade); some documents are judged twice."""
    draw = random.Random(seed)
    rows = [(f"t{t}", f"d{d}", draw.choice(GRADES)) for t in range(topics) for d in range(docs)]
    return rows + [(topic, doc, draw.choice(GRADES)) for topic, doc, _ in draw.sample(rows, 6)]


def edited(rows, grades):
    """The lines as an editor would leave them."""
    return [(t, d, grades.get(g, g)) for t, d, g in rows if grades.get(g, g) is not None]


def as_file(path, rows, subtopics=3):
    lines = [f"{topic} {int(doc[1:]) % subtopics} {doc} {grade}\n" for topic, doc, grade in rows]
    path.write_text("".join(lines))
    return str(path)


def run_of(seed, topics=5):
    draw = random.Random(seed)
    return {f"t{t}": {f"d{d}": draw.random() for d in range(12)} for t in range(topics)}


def same(one, other):
    assert one.topics == other.topics
    assert one.provenance.qrels.judgments == other.provenance.qrels.judgments
    np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.parametrize("grades", MAPS, ids=str)
@pytest.mark.parametrize("duplicates", ["first", "max"])
def test_it_is_as_if_the_file_had_been_edited(tmp_path, grades, duplicates):
    rows, run = judged_lines(len(grades)), run_of(1)
    before, after = (
        as_file(tmp_path / name, some) for name, some in (("a.txt", rows), ("b.txt", edited(rows, grades)))
    )
    found = evaluate(before, run, MEASURES, grades=grades, duplicates=duplicates)
    same(found, evaluate(after, run, MEASURES, duplicates=duplicates))
    text = str(Recoding.of(grades))
    assert found.provenance.qrels.grades == text
    same(found, evaluate(before, run, MEASURES, grades=text, duplicates=duplicates))


@pytest.mark.parametrize("grades", MAPS, ids=str)
def test_judgments_by_subtopic_dicts_frames_and_objects_are_recoded_alike(tmp_path, grades):
    rows, run = judged_lines(4), run_of(2)
    file = as_file(tmp_path / "a.txt", rows)
    expected = SubtopicQrels.read(as_file(tmp_path / "b.txt", edited(rows, grades)), duplicates="first")
    assert SubtopicQrels.read(file, duplicates="first", grades=grades).to_dict() == expected.to_dict()
    found = evaluate(file, run, "alpha_nDCG@5 AP_IA", duplicates="first", grades=grades)
    same(found, evaluate(expected, run, "alpha_nDCG@5 AP_IA"))
    once = {(t, d): g for t, d, g in rows}
    nested, left = {}, {}
    for (t, d), g in once.items():
        nested.setdefault(t, {})[d] = g
        if grades.get(g, g) is not None:
            left.setdefault(t, {})[d] = grades.get(g, g)
    topic, doc = zip(*once, strict=True)
    frame = {"topic": list(topic), "doc": list(doc), "grade": list(map(float, once.values()))}
    for source in (nested, frame, Qrels.of(nested), Qrels.of(frame)):
        assert Qrels.of(source, grades=grades).to_dict() == left
    assert Qrels.of(nested).recoded(grades).to_dict() == left


def test_every_verb_recodes(tmp_path):
    rows, grades, runs = (
        edited(judged_lines(3), {}),
        {1: 0, 2: 1, 3: 1, 4: 1},
        {"a": run_of(3), "b": run_of(4)},
    )
    file, strict = as_file(tmp_path / "a.txt", rows), as_file(tmp_path / "b.txt", edited(rows, grades))
    chosen = {"grades": grades, "duplicates": "first"}
    campaign, plain = Campaign(file, runs, **chosen), Campaign(strict, runs, duplicates="first")
    same(campaign.scores("AP nDCG"), plain.scores("AP nDCG"))
    assert campaign.settings["grades"] == "1=0,2=1,3=1,4=1"
    assert "grades" not in plain.settings
    one = curves(file, runs, "CG", depth=5, **chosen)
    assert one.mean() == curves(strict, runs, "CG", depth=5, duplicates="first").mean()
    why = explain(file, runs["a"], topic="t1", measure="nDCG@5", **chosen)
    expected = explain(strict, runs["a"], topic="t1", measure="nDCG@5", duplicates="first")
    assert why.value == expected.value
    assert why.definition["grades"].startswith("1=0,2=1,3=1,4=1 ")
    same(
        Evaluator(file, "AP", **chosen).evaluate(runs),
        Evaluator(strict, "AP", duplicates="first").evaluate(runs),
    )


def test_saved_scores_remember_the_recoding(tmp_path):
    evaluate({"q": {"a": 1, "b": 2}}, {"q": {"a": 1.0}}, "AP", grades="1=0").save(tmp_path / "s.parquet")
    assert Campaign.of_scores(Scores.load(tmp_path / "s.parquet")).settings["grades"] == "1=0"


def test_a_topic_without_judgments_is_left_out_as_if_it_had_never_been_judged():
    judged = {"q1": {"a": 1}, "q2": {"b": 2}}
    scores = evaluate(judged, {"q1": {"a": 1.0}, "q2": {"b": 1.0}}, "AP", grades={1: None})
    assert scores.topics == ("q2",)
    assert scores.provenance.runs["run"].unjudged_topics == 1


def test_a_recoding_is_applied_once():
    qrels = Qrels.of({"q": {"a": 1, "b": 2}}, grades={1: 0, 2: 1})
    assert qrels.to_dict() == {"q": {"a": 0, "b": 1}}
    assert qrels.recoded("2=1, 1=0") is qrels
    assert Qrels.of(qrels, grades={2: 1, 1: 0}).to_dict() == {"q": {"a": 0, "b": 1}}
    assert qrels.only(np.array([True, False])).recoding == "1=0,2=1"
    with pytest.raises(InputError, match=r"grades='1=2' would change .* that grades='1=0,2=1' has changed"):
        qrels.recoded({1: 2})


def test_probabilities_of_subtopics_survive():
    qrels = SubtopicQrels.of({"q": {"1": {"a": 1}, "2": {"b": 3}}})
    weighed = qrels.with_subtopic_probabilities({"q": {"1": 0.75, "2": 0.25}}).recoded({3: 1})
    assert weighed.subtopic_probabilities == {"q": {"1": 0.75, "2": 0.25}}
    assert weighed.to_dict() == {"q": {"1": {"a": 1}, "2": {"b": 1}}}


@pytest.mark.parametrize(
    ("grades", "text"),
    [
        ("3=1, 1=0,2 = unjudged", "1=0,2=unjudged,3=1"),
        ({2: None, -1: 0, 0.5: 2e3}, "-1=0,0.5=2000,2=unjudged"),
        ("-2=-0.0", "-2=0"),
        ("1e2=1", "100=1"),
    ],
)
def test_the_text_is_canonical(grades, text):
    assert str(Recoding.of(grades)) == text
    assert Recoding.of(text) == Recoding.of(grades)


@pytest.mark.parametrize(
    "grades",
    [
        "", " ", ",", "1", "1=", "=1", "1=0,", "1=a", "a=1", "nan=1", "1=nan", "1=inf", "1=1e101", "1_0=2",
        "1=0=2", "1=None", {}, {True: 1}, {1: True}, {1: float("nan")}, {float("inf"): 1}, {"1": 0}, {1: "0"},
        [(1, 0)], 7, {1: 10**400},
    ],
)  # fmt: skip
def test_what_is_no_recoding_is_refused(grades):
    with pytest.raises(OptionError, match=r"grades.*use old=new with finite numbers, such as grades="):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", grades=grades)


@pytest.mark.parametrize("grades", ["1=0,1=2", "1=0,1.0=0", "0=1,-0=1"])
def test_a_grade_has_one_new_grade(grades):
    with pytest.raises(OptionError, match=r"grades names grade [01] twice"):
        Recoding.of(grades)


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        ("5=1", "--grades 5=1 changes none of the judgments, whose grades are 0, 1; name some"),
        ("0=unjudged,1=unjudged", "--grades 0=unjudged,1=unjudged leaves no judgment"),
    ],
)
def test_a_recoding_that_changes_nothing_or_leaves_nothing_is_an_error(grades, message, write, invoke):
    qrels, run = str(write("q.txt", "q 0 d1 1\nq 0 d2 0\n")), str(write("r.txt", "q Q0 a 1 1.0 t\n"))
    assert f"{qrels}: {message}" in invoke("evaluate", qrels, run, "--grades", grades, code=2).err


def test_errors_still_name_file_and_line(write):
    with pytest.raises(InputError, match=r"q\.txt:4: .*on line 2"):
        Qrels.read(write("q.txt", "q 0 x 2\nq 0 a 1\nq 0 b 2\nq 0 a 0\n"), grades={2: None})


COMMANDS = [
    "evaluate Q A -m AP",
    "compare Q A B -m AP",
    "evaluate Q A B -m CG --curve --depth 5",
    "explain Q A --topic t1 -m AP",
    "convert Q - --kind qrels --to csv",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_option(tmp_path, monkeypatch, capsys, command):
    rows = [(t, d, g) for (t, d), g in {(t, d): g for t, d, g in judged_lines(5)}.items()]
    strict = {-2: None, 1: 0, 2: 1, 3: 1, 4: 1}
    outputs = []
    for name, some in (("before", rows), ("after", edited(rows, strict))):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        as_file(folder / "Q", some, subtopics=1)
        for run, seed in (("A", 1), ("B", 2)):
            lines = [f"{t} Q0 {d} 1 {s} {run}\n" for t, docs in run_of(seed).items() for d, s in docs.items()]
            (folder / run).write_text("".join(lines))
        option = ["--grades", "-2=unjudged,1=0,2=1,3=1,4=1"] if name == "before" else []
        status = main([*command.split(), *option])
        outputs.append((status, capsys.readouterr().out))
    before, after = ([line for line in out.splitlines() if "grades" not in line] for _, out in outputs)
    assert outputs[0][0] == outputs[1][0] == 0
    assert before == after
    assert before


def test_runs_and_scores_have_no_grades(tmp_path, write, invoke):
    run = str(write("r.txt", "q Q0 a 1 1.0 t\n"))
    evaluate({"q": {"a": 1}}, run, "AP").save(tmp_path / "s.parquet")
    for command, message in (
        (["convert", run, "-"], "this is a run"),
        (["compare", str(tmp_path / "s.parquet")], "a file of scores has none"),
    ):
        assert message in invoke(*command, "--grades", "1=0", code=2).err
