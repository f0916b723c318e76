"""What `compare` takes: scores and measures, or judgments, runs and measures."""

import pytest

import rankgauge
from rankgauge import Qrels, Run, Scores, compare, curves, evaluate
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.measures.named_sets import CURVE, ONE, SEVERAL

QRELS = {f"q{n}": {"a": 1, "b": 0, "c": 1 + n % 2} for n in range(6)}
RUNS = {
    "one": {f"q{n}": {"a": 3.0, "b": 2.0, "c": 1.0} for n in range(6)},
    "two": {f"q{n}": {"a": 1.0 + n, "b": 2.5, "c": 0.5} for n in range(6)},
}


def numbers(comparison):
    return comparison.table().rows


@pytest.fixture
def files(tmp_path, monkeypatch):
    """qrels.txt, one.run and two.run, in the current directory."""
    lines = [f"{topic} 0 {doc} {grade}\n" for topic, docs in QRELS.items() for doc, grade in docs.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for name, run in RUNS.items():
        lines = [f"{t} Q0 {d} 0 {score} {name}\n" for t, docs in run.items() for d, score in docs.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)


def test_judgments_and_runs_are_evaluated_first():
    direct = compare(QRELS, RUNS, "AP RR", baseline="one", test="sign", correction="none")
    assert numbers(direct) == numbers(
        compare(evaluate(QRELS, RUNS, "AP RR"), baseline="one", test="sign", correction="none")
    )
    assert (direct.measures, direct.baselines) == (("AP", "RR"), ("one",))


@pytest.mark.parametrize(
    "given",
    [
        ((QRELS, RUNS), {}),
        ((QRELS,), {"runs": RUNS}),
        ((QRELS, RUNS, ONE), {}),
        ((QRELS, RUNS), {"measures": rankgauge.parse(ONE)}),
        ((Qrels.of(QRELS), RUNS), {}),
    ],
)
def test_the_same_judgments_and_runs_in_every_way_with_the_measure_of_the_command(given):
    arguments, named = given
    assert numbers(compare(*arguments, **named)) == numbers(compare(evaluate(QRELS, RUNS, ONE)))


@pytest.mark.parametrize("runs", [["one.run", "two.run"], "*.run", ["one.run", RUNS["two"]]])
def test_files_are_judgments_and_runs(files, runs):
    assert compare("qrels.txt", runs, "AP").measures == ("AP",)
    assert compare("qrels.txt", runs).measures == (ONE,)


def test_options_of_evaluate_pass_on():
    grades = {2: 0}
    assert numbers(compare(QRELS, RUNS, "AP", grades=grades, ties="worst")) == numbers(
        compare(evaluate(QRELS, RUNS, "AP", grades=grades, ties="worst"))
    )
    short = {**RUNS, "two": {"q0": RUNS["two"]["q0"]}}
    assert compare(QRELS, short, "AP", missing="skip")["AP"].pairs[0].topics == 1


def test_notes_on_runs_are_those_of_the_comparison_where_nobody_else_shows_them():
    short = {**RUNS, "two": {"q0": RUNS["two"]["q0"]}}
    scores = evaluate(QRELS, short, "AP")
    note = next(note for note in scores.notes if "no results" in note)
    assert note in compare(QRELS, short, "AP").notes
    assert note not in compare(scores).notes


def test_scores_and_tables_take_measures_second_as_before(files):
    scores = evaluate(QRELS, RUNS, "AP RR")
    for measures in ("RR", ["RR"], ("RR",), {"RR"}, rankgauge.parse("RR"), iter(["RR"])):
        assert compare(scores, measures).measures == ("RR",)
    assert compare(scores, measures="recip_rank").measures == ("RR",)
    table = {run: {m: dict(enumerate(range(6), 1)) for m in ("AP", "RR")} for run in RUNS}
    assert compare(table, "RR").measures == ("RR",)
    scores.save("scores.json")
    assert compare(Scores.load("scores.json"), "AP").measures == ("AP",)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda s: compare(s, RUNS), OptionError, "without runs to evaluate, and dict is no measure"),
        (lambda s: compare(s, RUNS, "AP"), OptionError, "without runs to evaluate, and dict is no measure"),
        (
            lambda s: compare(s, Run.of(RUNS["one"])),
            OptionError,
            "without runs to evaluate, and Run is no measure",
        ),
        (lambda s: compare(s, "AP", "AP"), OptionError, "without runs to evaluate, and str is no measure"),
        (lambda s: compare(s, ties="worst"), OptionError, "ties: for judgments and runs"),
        (lambda s: compare(Qrels.of(QRELS)), OptionError, "judgments without runs"),
        (lambda s: compare("qrels.txt", "three.run"), OptionError, "compare(qrels, runs, 'AP')"),
        (lambda s: compare(QRELS, RUNS, "AP", tie="worst"), OptionError, "tie"),
        (lambda s: compare(QRELS, RUNS["one"], "AP"), OptionError, "at least two runs"),
        (lambda s: compare(QRELS, RUNS, []), RankgaugeError, "no measures"),
    ],
)
def test_what_is_mixed_up_is_refused_with_what_is_allowed(files, call, error, message):
    with pytest.raises(error) as caught:
        call(evaluate(QRELS, RUNS, "AP"))
    assert message in str(caught.value)


def test_measures_have_the_defaults_of_the_command_line():
    assert evaluate(QRELS, RUNS).measures == tuple(SEVERAL.split())
    assert rankgauge.Evaluator(QRELS).evaluate(RUNS).measures == tuple(SEVERAL.split())
    assert curves(QRELS, RUNS).measures == (CURVE,)


@pytest.mark.parametrize("given", [{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0}}, {"q1": {"d1": True}}])
def test_judgments_without_runs_are_not_read_as_scores(given, tmp_path):
    with pytest.raises(OptionError, match=r"judgments without runs.*compare\(qrels, runs, 'AP'\)"):
        compare(given)
    path = tmp_path / "qrels.txt"
    path.write_text("q1 0 d1 1\nq2 0 d1 0\n")
    for file in (path, str(path)):
        with pytest.raises(OptionError, match="judgments without runs"):
            compare(file)
    whole = {"a": {"1": 1, "2": 0, "3": 1}, "b": {"1": 0, "2": 0, "3": 1}}
    assert compare(Scores.from_table(whole)).measures
    assert compare({run: {topic: float(x) for topic, x in of.items()} for run, of in whole.items()}).measures


def test_a_run_in_the_place_of_judgments_is_refused(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    for given in (str(path), path):
        with pytest.raises(InputError, match=r"a\.run:1: .*this line looks like a run; judgments come first"):
            compare(given, [str(path), str(path)], "AP")
