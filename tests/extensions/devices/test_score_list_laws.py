"""Scores of a matrix or of lists, in any library, are worth what the run is that one would have written."""

import math
import random

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from cases import by_subtopic, campaigns, identical, seeds, settings_of, with_all_measures, written
from rankgauge.extensions.devices.tensors.arrays import HOST, Arrays
from rankgauge.measures import MEASURES
from rankgauge.model.provenance import OtherReading
from rankgauge.model.rules import TIES

TEXTS = [written(name, settings_of(MEASURES[name], seed)) for name in MEASURES for seed in range(2)]
GRADES = [-1, 0, 0, 1, 1, 2]  # those that settings_of knows of when it makes maps
RULES = [rule for rule in TIES.rules if rule != "rank"]
SOME = 30  # measures in each example: over all forms and examples, every measure meets every rule
FILLED = 99.0  # where there is no candidate: it would be the best


def to_torch(values, device="cpu"):
    torch = pytest.importorskip("torch")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    return torch.as_tensor(np.asarray(values), device=device)


def to_jax(values):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(values)


LIBRARIES = {
    "numpy": np.asarray,
    "torch": to_torch,
    "standard": array_api_strict.asarray,
    "torch on a GPU": lambda values: to_torch(values, "cuda"),
    "jax": to_jax,
    "cupy": lambda values: pytest.importorskip("cupy").asarray(values),
}


def finite(run):
    """The run without infinite scores, which arrays may not have."""
    return {
        topic: {doc: math.copysign(3e300, s) if math.isinf(s) else s for doc, s in results.items()}
        for topic, results in run.items()
    }


def padded(run, fill=FILLED):
    width = max(map(len, run.values()))
    return [[*results.values(), *[fill] * (width - len(results))] for results in run.values()]


def lengths(run):
    return [len(results) for results in run.values()]


def listed(run):
    return [list(results) for results in run.values()]


def flat(lists):
    return [each for one in lists for each in one]


def columns(run):
    return list(dict.fromkeys(flat(listed(run))))


def on_all_columns(run):
    return [[results.get(doc, FILLED) for doc in columns(run)] for results in run.values()]


def known(run):
    return np.array([[doc in results for doc in columns(run)] for results in run.values()])


def shuffled_with_indexes(run, make):
    """Flat scores of all queries in turns, and the numbers of the queries."""
    rows = [(n, doc, s) for n, results in enumerate(run.values()) for doc, s in results.items()]
    order = sorted(range(len(rows)), key=lambda i: (sum(rows[j][0] == rows[i][0] for j in range(i)), i))
    numbers, docs, scores = zip(*(rows[i] for i in order), strict=True)
    return make([float(s) for s in scores]), {
        "indexes": make([n * 7 - 3 for n in numbers]),
        "doc_ids": list(docs),
    }


# {form: (run, make) -> (scores, arguments)}; columns are in the order of the run wherever a rule is `input`
FORMS = {
    "a padded matrix and lengths": lambda run, make: (
        make(padded(run)),
        {"lengths": lengths(run), "doc_ids": listed(run)},
    ),
    "a padded matrix of NaN and a mask": lambda run, make: (
        make(padded(run, math.nan)),
        {
            "mask": make((np.arange(max(lengths(run))) < np.array(lengths(run))[:, None]).tolist()),
            "doc_ids": [docs + ["d"] * (max(lengths(run)) - len(docs)) for docs in listed(run)],
        },
    ),
    "a list of arrays": lambda run, make: (
        [make([float(s) for s in results.values()]) for results in run.values()],
        {"doc_ids": listed(run)},
    ),
    "flat scores and lengths": lambda run, make: (
        make([float(s) for s in flat(results.values() for results in run.values())]),
        {"lengths": np.array(lengths(run)), "doc_ids": flat(listed(run))},
    ),
    "flat scores and indexes": shuffled_with_indexes,
    "all documents and a mask": lambda run, make: (
        make(on_all_columns(run)),
        {"mask": make(known(run).tolist()), "doc_ids": columns(run)},
    ),
    "all documents and exclusions": lambda run, make: (
        make(on_all_columns(run)),
        {
            "doc_ids": columns(run),
            "exclude": {t: [doc for doc in columns(run) if doc not in run[t]] for t in run},
        },
    ),
}


def in_small_steps(patch, rng):
    """Blocks of few rows, and counting wherever there are few judged documents."""
    steps = [1, 20, 1 << 20]
    sizes = rng.choice(steps), rng.choice(steps), 1, rng.choice([-1, 0, 1, 2, 100])
    patch.setattr(Arrays, "on_host", sizes)
    for name, size in zip(("sorted_at_once", "counted_at_once", "long", "few"), sizes, strict=True):
        patch.setattr(Arrays, name, size)
        patch.setattr(HOST, name, size)
    patch.setattr(Arrays, "per_judged", 1)
    patch.setattr(HOST, "per_judged", 1)
    patch.setattr("rankgauge.extensions.devices.tensors.ranks.PLACES", rng.choice(steps))
    patch.setattr("rankgauge.extensions.devices.tensors.ranks.FEW_SCORES", rng.choice([0, 20]))
    if rng.random() < 0.5:  # the operations of other devices than the host
        patch.setattr(Arrays, "is_host", False)


def in_column_order(run, form):
    """The run as `ties=input` sees the form: columns, not each query, have an order where all share them."""
    if not form.startswith("all documents"):
        return run
    return {t: {doc: results[doc] for doc in columns(run) if doc in results} for t, results in run.items()}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("form", FORMS)
@with_all_measures
@given(campaign=campaigns(grades=GRADES), seed=seeds(), single=st.booleans())
def test_scores_are_worth_what_the_run_is(form, library, campaign, seed, single):
    qrels, run = by_subtopic(campaign[0]), in_column_order(finite(campaign[1]), form)
    rng, make = random.Random(seed), LIBRARIES[library]
    rules = {"ties": rng.choice(RULES), "score_precision": "single" if single else "double"}
    if rng.random() < 0.3:
        run = {"0 unjudged": {"d": 1.0, "d1": 2.0}, **run}
        run = in_column_order(run, form)
    texts = rng.sample(TEXTS, SOME)
    expected = rankgauge.evaluate(qrels, run, texts, **rules)
    scores, options = FORMS[form](run, make)
    with pytest.MonkeyPatch.context() as patch:
        in_small_steps(patch, rng)
        found = rankgauge.Evaluator(qrels, texts, **rules).evaluate_scores(
            scores, query_ids=list(run), **options
        )
    assert found.topics == expected.topics
    assert identical(found.values, expected.values)
    facts, wanted = found.provenance.runs["run"], expected.provenance.runs["run"]
    assert facts._replace(source=wanted.source) == wanted


@pytest.mark.parametrize("library", [name for name in LIBRARIES if name != "numpy"])
@with_all_measures
@given(campaign=campaigns(grades=GRADES), seed=seeds())
def test_fixed_candidates_rank_scores_where_they_are(library, campaign, seed):
    qrels, run = by_subtopic(campaign[0]), campaign[1]
    rng, make = random.Random(seed), LIBRARIES[library]
    rules = {"ties": rng.choice(RULES), "score_precision": rng.choice(["single", "double"])}
    texts = rng.sample(TEXTS, SOME)
    fixed = rankgauge.Evaluator(qrels, texts, **rules).fixed({t: list(docs) for t, docs in run.items()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Arrays, "is_host", False)
        for scores in (run, finite(run)):  # the infinite ones are brought to the host
            flat_scores = [float(score) for results in scores.values() for score in results.values()]
            expected = rankgauge.evaluate(qrels, scores, texts, **rules)
            for given_ in (
                make(flat_scores),
                [make([*map(float, docs.values())]) for docs in scores.values()],
            ):
                found = fixed.evaluate(given_)
                assert identical(found.values, expected.values)
                facts, wanted = found.provenance.runs["run"], expected.provenance.runs["run"]
                assert facts.decisive_ties == wanted.decisive_ties
                assert facts.tied_documents == wanted.tied_documents


PLAIN = [text for text in TEXTS if not rankgauge.parse(text).spec.needs.subtopics]
LABELLED = {name: form for name, form in FORMS.items() if name != "all documents and exclusions"}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("form", LABELLED)
@with_all_measures
@given(campaign=campaigns(grades=GRADES), seed=seeds(), single=st.booleans())
def test_labels_beside_scores_are_judgments_of_all_candidates(form, library, campaign, seed, single):
    qrels, run = campaign
    run = in_column_order(finite(run), form)
    rng, make = random.Random(seed), LIBRARIES[library]
    graded = {t: {doc: float(qrels[t].get(doc, 0)) for doc in results} for t, results in run.items()}
    rules = {"ties": rng.choice(RULES), "score_precision": "single" if single else "double"}
    texts = rng.sample(PLAIN, SOME)
    expected = rankgauge.evaluate(graded, run, texts, **rules)
    scores, options = FORMS[form](run, make)
    labels, _ = FORMS[form](graded, make)
    with pytest.MonkeyPatch.context() as patch:
        in_small_steps(patch, rng)
        found = rankgauge.evaluate_scores(labels, scores, texts, query_ids=list(run), **options, **rules)
    assert found.topics == expected.topics
    assert identical(found.values, expected.values)
    facts, wanted = found.provenance.runs["run"], expected.provenance.runs["run"]
    assert facts._replace(source=wanted.source) == wanted
    assert found.provenance.qrels.judgments == expected.provenance.qrels.judgments
    # Runs alone are also read by other definitions.
    for text, of_measure in expected.provenance.measures.items():
        assert found.provenance.measures[text] == of_measure._replace(other_reading=OtherReading())


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("ties", RULES)
@given(seed=seeds())
def test_rows_and_columns_without_ids_are_those_of_an_array(library, ties, seed):
    rng = np.random.default_rng(seed)
    rows, width = rng.integers(1, 15, 2)
    grades, scores = rng.integers(-1, 3, (rows, width)), rng.integers(0, 1 + rng.integers(9), (rows, width))
    expected = rankgauge.evaluate(grades, scores.astype(float), "nDCG@3 AP RR bpref", ties=ties)
    make = LIBRARIES[library]
    labels, values = make(grades.tolist()), make(scores.tolist())
    for found in (
        rankgauge.evaluate_scores(labels, values, "nDCG@3 AP RR bpref", ties=ties),
        rankgauge.Evaluator(grades, "nDCG@3 AP RR bpref", ties=ties).evaluate_scores(values),
    ):
        assert found.topics == expected.topics
        assert identical(found.values, expected.values)
