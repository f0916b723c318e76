"""A probability for each judgment: that the document contains the subtopic (Clarke et al. 2008, section 4).

The slow twin goes back to equation 1: over all sets of subtopics that the user may want and that documents
may contain, a document is relevant if it contains a subtopic that the user wants and that no document before
contains. Equations 2 and 6 follow from that if everything is independent.
"""

import itertools
import math

import pytest

import rankgauge
from rankgauge.cli.main import main
from rankgauge.errors import MeasureError, OptionError
from rankgauge.studies import diversity
from rankgauge.studies.diversity import gain_vector, novel_relevance, relevance


def over_all_worlds(need, documents):
    """The probability that the last of some documents is relevant; all are {subtopic: probability}."""
    facts = [(-1, subtopic, p) for subtopic, p in need.items()]
    facts += [(k, s, p) for k, document in enumerate(documents) for s, p in document.items()]
    total = 0.0
    for world in itertools.product((True, False), repeat=len(facts)):
        chance = math.prod(p if true else 1 - p for true, (_, _, p) in zip(world, facts, strict=True))
        holds = {(where, s) for true, (where, s, _) in zip(world, facts, strict=True) if true}
        last = len(documents) - 1
        total += chance * any(
            (-1, s) in holds and (last, s) in holds and not any((k, s) in holds for k in range(last))
            for s in need
        )
    return total


def slow_gains(ranking, judgments, weights=None, gamma=None):
    """The gain of each document: the linearised sum of equation 7, or with gamma equation 6."""
    gains = []
    for k, doc in enumerate(ranking):
        terms = []
        for subtopic, judged in judgments.items():
            weight = 1.0 if weights is None else weights.get(subtopic, 0.0)
            missed = math.prod(1 - max(0.0, judged.get(other, 0.0)) for other in ranking[:k])
            terms.append(weight * max(0.0, judged.get(doc, 0.0)) * missed)
        gains.append(sum(terms) if gamma is None else 1 - math.prod(1 - gamma * term for term in terms))
    return gains


def slow_dcg(ranking, judgments, **options):
    return sum(
        gain / math.log2(1 + rank) for rank, gain in enumerate(slow_gains(ranking, judgments, **options), 1)
    )


def slow_greedy(judgments, **options):
    left = sorted({doc for judged in judgments.values() for doc, p in judged.items() if p > 0})
    taken = []
    while left:
        gains = [slow_gains([*taken, doc], judgments, **options)[-1] for doc in left]
        best = next(place for place, gain in enumerate(gains) if gain >= max(gains) - 1e-12)
        taken.append(left.pop(best))
    return taken


def probabilities(random, subtopics, docs):
    return {
        f"s{s}": {f"d{d}": random.choice([0, 0.25, 0.5, 0.8, 1, random.random()]) for d in range(docs)}
        for s in range(subtopics)
    }


def test_equations_2_and_6_are_those_of_all_worlds(cases):
    for _, random in cases(15):
        need = {f"s{s}": random.random() for s in range(2)}
        documents = [{f"s{s}": random.random() for s in range(3) if random.random() < 0.8} for _ in range(3)]
        expected = [over_all_worlds(need, documents[: k + 1]) for k in range(len(documents))]
        assert novel_relevance(documents, gamma=need) == pytest.approx(expected, abs=1e-12)
        assert relevance(need, documents[0]) == pytest.approx(expected[0], abs=1e-12)


def test_judged_documents_and_those_of_a_classifier_stand_in_one_ranking():
    mixed = [["a"], {"a": 0.25, "b": 1.0}, ["a", "b"]]
    same = [{"a": 0.5}, {"a": 0.25, "b": 1.0}, {"a": 0.5, "b": 0.5}]
    assert novel_relevance(mixed, 0.5) == novel_relevance(same)
    assert gain_vector(mixed, 0.5) == gain_vector(same) == [0.5, 1.125, 0.1875]


def test_probabilities_that_are_all_alpha_are_the_judgments_of_the_paper():
    ranking = [["a", "b"], ["a"], ["b", "c"], ["a"]]
    for alpha in (0.25, 0.5, 1.0):
        likely = [dict.fromkeys(document, alpha) for document in ranking]
        assert novel_relevance(likely, gamma=0.5) == pytest.approx(novel_relevance(ranking, alpha, 0.5))
        judged = [alpha * gain for gain in gain_vector(ranking, alpha)]
        assert gain_vector(likely) == pytest.approx(judged)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: novel_relevance([["a"]]), "document 1 has no probabilities of its subtopics; pass alpha"),
        (lambda: gain_vector([{"a": 1.5}]), "document 1['a'] must be a number from 0 to 1, not 1.5"),
        (lambda: gain_vector([{"a": math.nan}]), "must be a number from 0 to 1"),
        (lambda: novel_relevance([{"a": 1}], gamma={"a": 2}), "gamma['a'] must be a number from 0 to 1"),
        (lambda: novel_relevance([{"a": "1"}]), "must be a number from 0 to 1"),
    ],
)
def test_what_is_no_probability_is_refused(call, message):
    with pytest.raises(OptionError) as error:
        call()
    assert message in str(error.value)


def test_measures_read_grades_as_probabilities(cases):
    measures = (
        "alpha_CG(alpha=grade) alpha_CG(alpha=grade)@2 alpha_DCG(alpha=grade) "
        "alpha_nDCG(alpha=grade,ideal=unclipped) alpha_CG(alpha=grade,gamma=0.5)@3 "
        "alpha_nDCG(alpha=grade,gamma=0.5,ideal=unclipped)"
    )
    for _, random in cases(60):
        judgments = probabilities(random, random.randrange(1, 4), random.randrange(1, 6))
        docs = [*next(iter(judgments.values())), "unjudged"]
        random.shuffle(docs)
        run = {"1": {doc: -float(rank) for rank, doc in enumerate(docs)}}
        weights = {s: random.choice([0.25, 1.0, random.random()]) for s in judgments}
        for chosen in (None, weights):
            qrels = rankgauge.SubtopicQrels.from_dict({"1": judgments})
            qrels = qrels if chosen is None else qrels.with_subtopic_probabilities({"1": chosen})
            values = [v["1"] for v in rankgauge.evaluate(qrels, run, measures).to_dict()["run"].values()]
            gains = slow_gains(docs, judgments, chosen)
            likely = slow_gains(docs, judgments, chosen, gamma=0.5)
            best = slow_dcg(slow_greedy(judgments, weights=chosen), judgments, weights=chosen)
            ideal = slow_greedy(judgments, weights=chosen, gamma=0.5)
            best_likely = slow_dcg(ideal, judgments, weights=chosen, gamma=0.5)
            expected = [
                sum(gains),
                sum(gains[:2]),
                slow_dcg(docs, judgments, weights=chosen),
                slow_dcg(docs, judgments, weights=chosen) / best if best else math.nan,
                sum(likely[:3]),
                slow_dcg(docs, judgments, weights=chosen, gamma=0.5) / best_likely
                if best_likely
                else math.nan,
            ]
            assert values == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_the_exact_ideal_is_the_best_of_all_orders(cases):
    for _, random in cases(25):
        judgments = probabilities(random, 2, 4)
        docs = sorted(next(iter(judgments.values())))
        best = max(slow_dcg(order, judgments) for order in itertools.permutations(docs))
        run = {"1": {doc: -float(rank) for rank, doc in enumerate(docs)}}
        (value,) = (
            rankgauge.evaluate({"1": judgments}, run, "alpha_nDCG(alpha=grade,ideal=exact)")
            .mean()["run"]
            .values()
        )
        expected = slow_dcg(docs, judgments) / best if best else math.nan
        assert value == pytest.approx(expected, rel=1e-9, nan_ok=True)


def test_equal_probabilities_are_one_alpha(cases):
    for _, random in cases(30):
        alpha = random.choice([0.25, 0.5, 1.0, 0.36])
        judged = {
            f"s{s}": {f"d{d}": random.choice([0, 1]) for d in range(5)} for s in range(random.randrange(1, 4))
        }
        likely = {s: {doc: alpha * grade for doc, grade in each.items()} for s, each in judged.items()}
        run = {"1": {f"d{d}": random.random() for d in range(5)}}
        options = ("", ",gamma=0.5")
        one, other = (
            rankgauge.evaluate({"1": qrels}, run, [f"alpha_nDCG(alpha={text}{more})" for more in options])
            for qrels, text in ((judged, alpha), (likely, "grade"))
        )
        assert other.values == pytest.approx(one.values, rel=1e-9, nan_ok=True)


def test_tied_documents_of_different_probabilities_are_different():
    qrels = {"1": {"s": {"a": 0.2, "b": 0.9}, "t": {"a": 0.5}}}
    run = {"1": {"a": 1.0, "b": 1.0, "x": 1.0}}
    orders = [slow_gains(order, qrels["1"])[0] for order in itertools.permutations(["a", "b", "x"])]
    value = rankgauge.evaluate(qrels, run, "alpha_CG(alpha=grade)@1", ties="average").mean()["run"]
    assert value["alpha_CG(alpha=grade)@1"] == pytest.approx(sum(orders) / len(orders))


def test_grades_of_zero_and_below_are_no_subtopics():
    qrels = {"1": {"s": {"a": -2, "b": 0.5, "c": 0}}}
    run = {"1": {"a": 3.0, "c": 2.0, "b": 1.0}}
    assert rankgauge.evaluate(qrels, run, "alpha_CG(alpha=grade)").mean() == {
        "run": {"alpha_CG(alpha=grade)": 0.5}
    }


def test_grades_that_are_no_probabilities_are_refused(write, capsys):
    qrels, run = write("qrels.txt", "1 1 a 2\n1 2 a 0.5\n"), write("a.run", "1 Q0 a 1 1 t\n")
    for measure in ("alpha_CG(alpha=grade)", "alpha_nDCG(alpha=grade)"):
        assert main(["evaluate", str(qrels), str(run), "-m", measure]) == 2
        assert "alpha=grade reads grades as probabilities, and the judgments have grade 2" in (
            capsys.readouterr().err
        )
    for rel in (1, 0.5):
        with pytest.raises(MeasureError, match="alpha=grade and rel= exclude each other"):
            rankgauge.parse(f"alpha_nDCG(alpha=grade,rel={rel})")


def test_an_explanation_shows_what_probabilities_are_worth():
    qrels = {"1": {"s": {"a": 0.5, "b": 0.5}, "t": {"b": 1.0}}}
    run = {"1": {"a": 2.0, "b": 1.0}}
    explained = rankgauge.explain(qrels, run, topic="1", measure="alpha_DCG(alpha=grade)")
    assert explained.value == pytest.approx(0.5 + (0.25 + 1.0) / math.log2(3))
    assert explained.definition["rel"] == "any grade above 0 counts as relevant"
    assert "s (new, 0.5)" in str(explained)
    assert "s (seen 1×, 0.25), t (new, 1)" in str(explained)


def test_an_explanation_uses_the_alpha_of_the_measure_and_not_that_of_topics():
    qrels = rankgauge.SubtopicQrels.from_dict({"1": {"s": {"a": 1}}}).with_alphas({"1": 0.25})
    explained = rankgauge.explain(qrels, {"1": {"a": 1.0}}, topic="1", measure="alpha_CG(alpha=0.5,gamma=1)")
    assert explained.value == 0.5
    assert "s (new, 0.5)" in str(explained)


def test_the_functions_are_public():
    assert diversity.gain_vector is gain_vector
