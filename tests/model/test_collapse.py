"""Passages that are collapsed to documents: a run is read as if its file had documents in the first place."""

import math
import random

import pytest

from cases import evaluate as evaluate_measures
from rankgauge import Evaluator, Run, curves, diff, evaluate, explain
from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli.main import main
from rankgauge.cli.parser import COMMANDS, command_parser, options_of
from rankgauge.errors import InputError, OptionError
from rankgauge.model.collapse import Collapse

QRELS = {"q1": {"d1": 1, "d2": 1}, "q2": {"d3": 2, "d1": 0}}
ROWS = [  # topic, passage, rank, score: not in the order of scores
    ("q1", "d1#2", 3, 7.0),
    ("q1", "d9#1", 1, 9.0),
    ("q1", "d1#1", 2, 8.0),
    ("q1", "d2#7", 4, 6.0),
    ("q2", "d3#1", 3, 4.0),
    ("q2", "d1#3", 1, 5.0),
    ("q2", "d3#3", 2, 4.5),
]
# By hand: AP of q1 is (1/2 + 2/3) / 2 for d9 d1 d2, and (1 + 2/3) / 2 for d1 d9 d2.
BY_HAND = {
    "prefix:#": ({"d1": 8.0, "d9": 9.0, "d2": 6.0}, {"d3": 4.5, "d1": 5.0}, (7 / 12, 1 / 2)),
    "first,prefix:#": ({"d1": 7.0, "d9": 9.0, "d2": 6.0}, {"d3": 4.0, "d1": 5.0}, (7 / 12, 1 / 2)),
    "sum,prefix:#": ({"d1": 15.0, "d9": 9.0, "d2": 6.0}, {"d3": 8.5, "d1": 5.0}, (5 / 6, 1.0)),
}
MEASURES = "AP nDCG@3 R R@2 RR NumRet Bpref"


def lines(rows):
    return "".join(f"{topic} Q0 {passage} {rank} {score} t\n" for topic, passage, rank, score in rows)


def nested(rows):
    topics = dict.fromkeys(topic for topic, *_ in rows)
    return {topic: {p: score for t, p, _, score in rows if t == topic} for topic in topics}


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "passages.run"
    path.write_text(lines(ROWS))
    return str(path)


def passages(seed, topics=4, size=40):
    """Random rows: few documents, many passages, ties, some ids without a separator."""
    draw = random.Random(seed)
    rows = []
    for topic in range(topics):
        ids = [f"d{d}#{p}" for d in range(9) for p in range(6)] + ["d1", "d7", "whole"]
        chosen = draw.sample(ids, size)
        scores = [draw.choice((draw.random(), draw.randrange(4) / 10, -draw.random())) for _ in chosen]
        rows += [(f"t{topic}", p, n, s) for n, (p, s) in enumerate(zip(chosen, scores, strict=True), 1)]
    draw.shuffle(rows)
    return rows


def slow(rows, keep):
    """{topic: {document: (score, rank)}}, in plain loops."""
    found = {}
    for topic, passage, rank, score in rows:
        parts = passage.split("#")
        document = "#".join(parts[:-1]) if len(parts) > 1 else passage
        found.setdefault(topic, {}).setdefault(document, []).append((score, rank))
    scores = {
        "best": lambda each: max(score for score, _ in each),
        "first": lambda each: each[0][0],
        "sum": lambda each: sum(sorted(score for score, _ in each)),
    }[keep]
    ranks = {"best": lambda each: min(rank for _, rank in each), "first": lambda each: each[0][1]}.get(keep)
    return {
        topic: {name: (scores(each), ranks(each) if ranks else None) for name, each in docs.items()}
        for topic, docs in found.items()
    }


@pytest.mark.parametrize("rule", BY_HAND)
def test_documents_by_hand(rule, run):
    first, second, values = BY_HAND[rule]
    collapsed = Collapse.of(rule).documents(Run.read(run))
    assert collapsed.to_dict() == {"q1": first, "q2": second}
    found = evaluate(QRELS, run, "AP", collapse=rule)
    assert found.values[0, 0].tolist() == pytest.approx(values, abs=1e-15)
    assert found.provenance.runs["passages"].collapse == rule
    assert found.provenance.choices["collapse"] == rule


@pytest.mark.parametrize("keep", ["best", "first", "sum"])
@pytest.mark.parametrize("seed", range(4))
def test_collapsing_is_editing_the_file(seed, keep, tmp_path):
    """The scores of a file of passages are, to the last bit, those of a file of their documents."""
    rows = passages(seed)
    draw = random.Random(seed)
    qrels = {f"t{t}": {f"d{d}": draw.choice((0, 0, 1, 2)) for d in range(8)} | {"d0": 1} for t in range(5)}
    twin = slow(rows, keep)
    documents = [(t, d, r, s) for t, docs in twin.items() for d, (s, r) in docs.items()]
    (tmp_path / "run").write_text(lines(rows))
    (tmp_path / "edited").write_text(lines(documents))
    rule = f"{keep},prefix:#"
    orders = [{}, {"ties": "docid_asc"}, *([{"order": "rank"}, {"ties": "rank"}] if keep != "sum" else [])]
    for order in orders:
        found = evaluate_measures(qrels, tmp_path / "run", MEASURES, collapse=rule, **order)
        assert (found.values == evaluate(qrels, tmp_path / "edited", MEASURES, **order).values).all()
        recall = found.values[0, found.measures.index("R")]
        assert (recall[:4] <= 1).all()
        assert recall[:4].any()
        assert recall[4] == 0  # a topic without results
    if keep != "first":
        draw.shuffle(rows)
        again = Collapse.of(rule).documents(Run.of(nested(rows))).to_dict()
        assert again == {t: {d: s for d, (s, _) in docs.items()} for t, docs in twin.items()}


def test_rules_in_every_form_agree(run, tmp_path):
    table = {passage: passage.partition("#")[0] for _, passage, *_ in ROWS}
    for name, separator in (("tabs", "\t"), ("commas", ","), ("blanks", "  ")):
        (tmp_path / name).write_text(
            "passage document\n" * (separator == "  ")
            + "".join(f"{separator.join(pair)}{separator}0\n" for pair in table.items())
        )
    forms = [f"sum,table:{tmp_path / name}" for name in ("tabs", "commas", "blanks")]
    forms += ["sum,regex:(.+)#.*", ("sum", table), ("sum", lambda passage: passage.split("#")[0])]
    expected = evaluate(QRELS, run, MEASURES, collapse="sum,prefix:#").values
    for form in forms:
        for given in (run, nested(ROWS), Run.read(run)):
            assert (evaluate(QRELS, given, MEASURES, collapse=form).values == expected).all(), form


def test_every_function_that_reads_runs_collapses(run):
    rule, documents = "sum,prefix:#", Run.from_dict(dict(zip(QRELS, BY_HAND["sum,prefix:#"], strict=False)))
    edited = {"passages": documents}
    assert Evaluator(QRELS, "AP").evaluate(run, collapse=rule).mean() == evaluate(QRELS, edited, "AP").mean()
    assert curves(QRELS, run, "P", collapse=rule).mean() == curves(QRELS, edited, "P").mean()
    assert explain(QRELS, run, "AP", collapse=rule).value == explain(QRELS, documents, "AP").value
    why = explain(QRELS, run, "AP", topic="q1", collapse=rule)
    assert [step.document for step in why.steps] == ["d1", "d9", "d2"]
    changed = diff(QRELS, run, documents, "AP", collapse=rule)
    assert [each.difference for each in changed.topics] == [0.0, 0.0]
    assert diff(run, documents, collapse=rule).overlap == 1
    campaign = Campaign(QRELS, [run], collapse=rule)
    assert campaign.ranking("passages", "q1").texts == ["d1", "d9", "d2"]
    assert Campaign.of_runs([run], collapse=rule).ranking("passages", "q2").texts == ["d3", "d1"]
    assert Campaign(QRELS, [run], collapse=rule).scores("AP").provenance.choices["collapse"] == rule


def test_every_command_that_reads_runs_has_the_option(run, write):
    flags = [options_of(command_parser(name)) for name in COMMANDS]
    assert any("--collapse" in each for each in flags)
    assert all(("--run-format" in each) == ("--collapse" in each) for each in flags)
    qrels = write("q", "q1 0 d1 1\nq1 0 d2 1\nq2 0 d3 2\nq2 0 d1 0\n")
    assert main(["evaluate", str(qrels), run, "-m", "AP", "--collapse", "sum,prefix:#", "--quiet"]) == 0


def test_what_stays_as_it_is_is_counted(run):
    found = evaluate(QRELS, {"a": run, "b": QRELS}, "AP", collapse={"d1#1": "d1", "d1#2": "d1"})
    assert [facts.unmapped for facts in found.provenance.runs.values()] == [5, 4]
    assert "a: 5 results have no document by collapse and stay as they are" in found.notes
    whole = evaluate(QRELS, {"q1": {"d1": 2.0, "d2#1": 1.0}}, "AP", collapse="prefix:#").notes
    assert "run: 1 result has no document by collapse and stays as it is" in whole
    changes = diff(run, {"q1": {"d1#1": 1.0}, "q2": {"d1": 1.0}}, collapse="prefix:#")
    assert changes.notes == ("run: 1 result has no document by collapse and stays as it is",)
    assert (
        evaluate(QRELS, {"passages": run, "b": QRELS}, "AP")
        .provenance.as_dict()["runs"]["passages"]
        .keys()
        .isdisjoint({"collapse", "unmapped"})
    )


def test_a_passage_that_occurs_twice(run, tmp_path):
    twice = tmp_path / "twice.run"
    twice.write_text(lines([*ROWS, ("q1", "d2#7", 5, 50.0)]))
    with pytest.raises(InputError, match=r"twice.run:8: document .d2#7. occurs twice in topic .q1."):
        evaluate(QRELS, twice, "R", collapse="sum,prefix:#")
    for duplicates, recall, top in (("first", 1.0, "d1"), ("max", 1.0, "d2")):
        rules = {"collapse": "sum,prefix:#", "duplicates": duplicates}
        found = evaluate(QRELS, twice, "R", **rules)
        assert found.values[0, 0, 0] == recall
        assert found.provenance.runs["twice"].duplicates_dropped == 1
        assert explain(QRELS, twice, "R", topic="q1", **rules).steps[0].document == top


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("#", "collapse must be prefix:SEPARATOR, regex:PATTERN or table:FILE, .* not '#'"),
        ("prefix:", "collapse must be prefix:"),
        ("most,prefix:#", "must be one of best, first, sum, not 'most'"),
        (("sum", "first,prefix:#"), "collapse must be prefix:"),
        (("mean", {}), "must be one of best, first, sum, not 'mean'"),
        (7, "collapse must be prefix:.* not 7"),
        ("regex:(", "cannot be read, '\\(': missing \\)"),
        ("regex:d.*", "needs a group around the document"),
        ("prefix:d", "makes '' of passage .d1#2.; a document is a text that is not empty"),
        (lambda _: 3, "makes 3 of passage"),
    ],
)
def test_rules_that_are_refused(rule, message, run):
    with pytest.raises((OptionError, InputError), match=message):
        evaluate(QRELS, run, "AP", collapse=rule)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\td1\nb\n", "table:2: expected a passage and its document, found .b."),
        ("a,d1\na,d2\n", "table:2: passage .a. is of two documents, .d1. and .d2.; remove one line"),
        ("a\0,d1\n", "is not text"),
        (None, "no such file"),
    ],
)
def test_tables_that_are_refused(text, message, run, tmp_path):
    if text is not None:
        (tmp_path / "table").write_text(text)
    with pytest.raises(InputError, match=message):
        evaluate(QRELS, run, "AP", collapse=f"table:{tmp_path / 'table'}")


def test_infinite_scores_of_both_signs_have_no_sum():
    given = {"q1": {"d1#1": math.inf, "d1#2": -math.inf}}
    with pytest.raises(InputError, match=r"document .d1. are infinite with both signs .* collapse=prefix:#"):
        evaluate(QRELS, given, "AP", collapse="sum,prefix:#")


def test_a_sum_has_no_rank(run):
    with pytest.raises(OptionError, match="order=rank needs a rank for every result"):
        evaluate(QRELS, run, "AP", collapse="sum,prefix:#", order="rank")
