"""Whatever is small enough to be evaluated without NumPy has the same scores, bit for bit."""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

import rankgauge
from cases import campaigns, cutoffs, for_each_measure, levels_of, seeds, settings_of, written
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.errors import RankgaugeError
from rankgauge.evaluation.evaluator import evaluate_small
from rankgauge.measures import MEASURES, parse
from rankgauge.model.rules import OPTIONS, OVER_ORDERS, TIES

RULES = OPTIONS
# Measures that no program can express: they look at ties, or for words that only arrays have.
ELSEWHERE = "AUC", "Compat", "ESL", "Frustration", "RHL", "RelativeRelevance"
# Families whose other measures both back ends must evaluate; more may be, and then have the same values.
EVERYDAY = ("ranked", "cumulated", "sets", "graded", "incomplete", "usermodels")


def rules_of(seed, **fixed):
    rng = random.Random(seed)
    return {option.name: rng.choice([*option.rules, option.default]) for option in RULES} | fixed


def is_everyday(spec):
    return spec.function.__module__.rpartition(".")[2] in EVERYDAY and spec.name not in ELSEWHERE


def files(campaign, folder, seed=0):
    """The campaign as TREC files, their lines in any order."""
    judgments, run = campaign
    rng = random.Random(seed)
    rows = [f"{t} Q0 {d} {rng.randint(1, 9)} {s!r} tag\n" for t, docs in run.items() for d, s in docs.items()]
    grades = [f"{t} 0 {d} {g}\n" for t, docs in judgments.items() for d, g in docs.items()]
    if seed % 2:
        rng.shuffle(rows)
        rng.shuffle(grades)
    paths = folder / "qrels.txt", folder / "a.run"
    for path, lines in zip(paths, (grades, rows), strict=True):
        path.write_text("".join(lines), encoding="utf-8")
    return str(paths[0]), [str(paths[1])]


def found(scores):
    """All that the command takes from scores, comparable although NaN is not equal to itself."""
    tables = [scores.table(topics=t).rows for t in (False, True)] + [scores.long_table().rows]
    rows = [["undefined" if cell != cell else cell for cell in row] for table in tables for row in table]
    return rows, scores.provenance, scores.topics, scores.best()


def both(campaign, text, seed=0, **rules):
    """(what is found without NumPy, what with it), None where there is none or an error."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        # Runs of which hardly anything is judged are otherwise left to NumPy, and looked into.
        patch.setattr(RetrievedJudgments, "hardly_any", False)
        given = *files(campaign, Path(folder), seed), text
        try:
            array = found(rankgauge.evaluate(*given, **rules))
        except RankgaugeError:
            array = None
        alone = evaluate_small(*given, **rules)
        return alone and found(alone), array


@pytest.mark.parametrize("name", [name for name in MEASURES if name not in ELSEWHERE])
@for_each_measure
@given(campaign=campaigns(), cutoff=cutoffs(), seed=seeds())
def test_a_measure_has_the_same_values_without_numpy(name, campaign, cutoff, seed):
    spec = MEASURES[name]
    text = written(name, settings_of(spec, seed, levels_of(campaign[0])), cutoff if spec.curve else None)
    rules = rules_of(
        seed,
        ties=random.Random(seed).choice(sorted({*TIES.rules} - {*OVER_ORDERS})),
    )
    alone, array = both(campaign, text, seed, **rules)
    if alone is not None or is_everyday(spec):
        assert alone == array, text


@given(campaign=campaigns(), seed=seeds())
def test_several_measures_have_the_same_values_without_numpy(campaign, seed):
    rng = random.Random(seed)
    texts = " ".join(
        f"{name}@{rng.randint(1, 9)}" for name in rng.sample(["P", "AP", "nDCG", "Judged", "R"], 3)
    )
    rules = rules_of(seed, ties="docid_desc")
    alone, array = both(campaign, f"{texts} P(average=micro)@3 AP RR", seed, **rules)
    assert alone == array is not None


@pytest.mark.parametrize("name", ELSEWHERE)
def test_measures_of_other_words_are_left_to_numpy(name):
    campaign = {"1": {"a": 1, "b": 0, "c": 2}}, {"1": {"a": 3.0, "b": 2.0, "x": 1.0}}
    alone, array = both(campaign, MEASURES[name].example, **rules_of(0, ties="docid_desc", order="score"))
    assert alone is None
    assert array is not None


@pytest.mark.parametrize("ties", OVER_ORDERS)
def test_all_orders_of_tied_documents_are_left_to_numpy(ties):
    campaign = {"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}
    alone, array = both(campaign, "AP", **rules_of(0, ties=ties))
    assert alone is None
    assert array is not None


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
from rankgauge.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_numpy_is_not_even_imported(tmp_path):
    rng = random.Random(1)
    docs = [f"d{n}" for n in range(30)]
    campaign = (
        {str(t): {doc: rng.randint(-1, 3) for doc in rng.sample(docs, 20)} for t in range(5)},
        {str(t): {doc: rng.random() for doc in docs} for t in range(5)},
    )
    qrels, runs = files(campaign, tmp_path)
    texts = [str(parse(spec.example)) for spec in MEASURES.values() if is_everyday(spec)]
    for form in ("tsv", "csv", "jsonl", "trec", "table", "markdown"):
        command = ["evaluate", qrels, *runs, "-q", "--format", form, "-m", " ".join(texts)]
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_NUMPY, *command], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout
