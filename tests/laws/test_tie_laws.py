"""What holds of values over all orders of tied documents, for every registered measure."""

import random
from itertools import chain, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings

import rankgauge
from cases import THOROUGH, by_subtopic, campaigns, evaluate, identical, seeds, settings_of, written
from rankgauge.campaigns.campaign import Campaign
from rankgauge.engines import tie_orders
from rankgauge.engines.assembly import blocks
from rankgauge.errors import OptionError
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.measures import MEASURES
from rankgauge.model.rules import OVER_ORDERS, TIES, DocumentOrder

TEXTS = [written(name, settings_of(MEASURES[name], 1)) for name in MEASURES]
TEXTS += ["AP@3", "nDCG@2", "ERR@4", "FirstRank@2", "ESL", "Bpref", "Judged@3"]
# Of equal documents, their greedy ideals take the first or the last by name.
BY_NAME = ("alpha_nDCG", "nERR_IA", "nNRBP", "StPrecision")
NAMELESS = [text for text in TEXTS if not text.startswith(BY_NAME)]
GRADES = [-1, 0, 0, 1, 1, 2]  # those that settings_of knows of when it makes maps
RULES = pytest.mark.parametrize("rule", OVER_ORDERS)
FEW = settings(max_examples=6 if THOROUGH else 3)


@pytest.fixture(autouse=True, scope="module")
def few_orders():
    """Random orders come up in small campaigns, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tie_orders, "MAX_ORDERS", 30)
        patch.setattr(tie_orders, "RANDOM_ORDERS", 20)
        yield


def decided(run):
    """A run with the ties of another decided, one way or the other."""
    return {t: {doc: -n for n, doc in enumerate(sorted(docs, key=docs.get))} for t, docs in run.items()}


@RULES
@FEW
@given(campaign=campaigns(grades=GRADES))
def test_without_ties_that_could_change_it_a_value_is_the_plain_one_bit_for_bit(rule, campaign):
    qrels, run = campaign
    plain = evaluate(qrels, decided(run), TEXTS)
    assert identical(evaluate(qrels, decided(run), TEXTS, ties=rule).values, plain.values)
    judged = {topic: dict.fromkeys(run.get(topic, ()), 1) for topic in qrels} | {"other": {"x": 1}}
    alike = {topic: {"s1": docs, "s2": docs} for topic, docs in judged.items()}
    run = {**run, "other": {"x": 1.0}}  # all documents that tie are judged alike
    plain = rankgauge.evaluate(alike, run, TEXTS)
    assert not plain.provenance.runs["run"].decisive_ties
    assert identical(rankgauge.evaluate(alike, run, TEXTS, ties=rule).values, plain.values)


@RULES
@FEW
@given(campaign=campaigns(grades=GRADES), seed=seeds())
def test_blocks_and_other_runs_topics_and_measures_are_invisible(rule, campaign, seed):
    qrels, run = campaign
    rng = random.Random(seed)
    other = {t: {doc: rng.choice([1.0, 2.0]) for doc in docs} for t, docs in run.items()}
    runs = {"a": run, "b": other, "c": decided(run)}  # lists are of equal length
    together = evaluate(qrels, runs, TEXTS, ties=rule)
    for row, (name, one) in enumerate(runs.items()):
        alone = evaluate(qrels, {name: one}, TEXTS, ties=rule)
        assert identical(together.values[row], alone.values[0])
        beside_others = together.provenance.runs[name]._replace(copy_of="")  # which no run is, alone
        assert beside_others == alone.provenance.runs[name]
    evaluator = Evaluator(by_subtopic(qrels), TEXTS, ties=rule)
    evaluator.back_end.blocks = list(
        blocks(evaluator.qrels, evaluator.back_end.lowest_grade, rng.randint(1, 30))
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tie_orders, "BLOCK", rng.randint(1, 60))
        assert identical(evaluator.evaluate(runs).values, together.values)
    some = rng.sample(range(len(together.measures)), 5)
    few = evaluate(qrels, runs, [together.measures[n] for n in some], ties=rule)
    assert identical(few.values, together.values[:, some])
    parsed = map(rankgauge.parse, together.measures)
    fixed = [str(m) for m in parsed if not (m.of_collection or m.of_lists)]
    for topic in run:
        alone = evaluate({topic: qrels[topic]}, {topic: run[topic]}, fixed, ties=rule)
        rows = [together.measures.index(m) for m in fixed]
        assert identical(alone.values[0, :, 0], together.values[0, rows, together.topics.index(topic)])


@RULES
@FEW
@given(campaign=campaigns(grades=GRADES), seed=seeds())
def test_names_and_the_order_of_documents_are_invisible(rule, campaign, seed):
    qrels, run = campaign
    docs = sorted({doc for part in (*qrels.values(), *run.values()) for doc in part})
    names = dict(zip(docs, random.Random(seed).sample([f"n{i}" for i in range(99)], len(docs)), strict=True))
    qrels = by_subtopic(qrels)

    def renamed(part):
        return {names[doc]: x for doc, x in reversed(part.items())}

    others = (
        {t: {s: renamed(part) for s, part in whole.items()} for t, whole in qrels.items()},
        {t: renamed(part) for t, part in run.items()},
    )
    first, second = (rankgauge.evaluate(q, r, NAMELESS, ties=rule).values for q, r in ((qrels, run), others))
    assert np.allclose(first, second, rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("measure", ["alpha_DCG", "D_nDCG", "IA(AP)", "NRBP", "ERR_IA"])
def test_random_orders_of_documents_on_different_subtopics_do_not_depend_on_their_names(measure):
    """The documents have the same best grade and are on different subtopics, alone or on several."""
    subtopics = {"s1": "abcd", "s2": "cdef", "s3": "ag"}

    def value(names):
        judged = {s: dict.fromkeys((names[doc] for doc in docs), 1) for s, docs in subtopics.items()}
        run = {names[doc]: 1.0 for doc in "abcdefgxyz"}
        scores = rankgauge.evaluate({"q": judged}, {"q": run}, measure, ties="average")
        assert scores.provenance.runs["run"].random_orders.topics
        return scores.values[0, 0, 0]

    values = {
        value(dict(zip("abcdefgxyz", names, strict=True)))
        for names in ("abcdefgxyz", "zyxgfedcba", "daxbzcygef")
    }
    assert len(values) == 1


@FEW
@given(campaign=campaigns(grades=GRADES))
def test_the_best_is_no_worse_than_the_average_and_that_no_worse_than_the_worst(campaign):
    qrels, run = campaign
    best, average, worst = (evaluate(qrels, run, TEXTS, ties=rule) for rule in ("best", "average", "worst"))
    for row, text in enumerate(best.measures):
        measure = rankgauge.parse(text)
        # of random orders, the best one need not reach the mean that a formula has over all
        if measure.spec.laws.tied is None and not measure.is_linear:
            way = -1 if measure.spec.direction < 0 else 1
            high, mean, low = (way * scores.values[0, row] for scores in (best, average, worst))
            defined = ~np.isnan(mean)
            assert (np.isnan(high) == ~defined).all(), text
            assert (high[defined] >= mean[defined] - 1e-12).all(), text
            assert (mean[defined] >= low[defined] - 1e-12).all(), text


def test_random_orders_are_reported_and_near_to_the_mean_over_all(monkeypatch):
    qrels = {"t": {f"d{n}": n % 3 for n in range(8)}, "u": {"d1": 1}}
    run = {"t": dict.fromkeys([*qrels["t"], "x", "y"], 1.0), "u": {"d1": 1.0, "d2": 1.0}}
    with monkeypatch.context() as patch:
        patch.setattr(tie_orders, "RANDOM_ORDERS", 1000)
        drawn = rankgauge.evaluate(qrels, run, "ERR AP", ties="average")
    assert drawn.provenance.runs["run"].random_orders.topics == {"ERR": 1}
    assert any("ERR over " in note for note in drawn.notes)
    with monkeypatch.context() as patch:
        patch.setattr(tie_orders, "MAX_ORDERS", 1 << 20)
        whole = rankgauge.evaluate(qrels, run, "ERR AP", ties="average")
    assert whole.provenance.runs["run"].random_orders.topics == {}
    found, expected = (scores.values[0, 0] for scores in (drawn, whole))
    assert found[1] == expected[1]
    assert 0 < abs(found[0] - expected[0]) < 0.02


def test_what_needs_one_order_of_documents_refuses_to_look_at_several():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    for refused in (
        lambda: rankgauge.curves(qrels, run, "AP", ties="average"),
        lambda: rankgauge.explain(qrels, run, topic="q", measure="AP", ties="best"),
    ):
        with pytest.raises(OptionError, match=r"one order of documents.*use one of docid_desc, docid_asc"):
            refused()


def test_scores_that_are_ignored_cannot_be_looked_at():
    with pytest.raises(OptionError, match="RelativeRelevance depends on scores, and order=rank ignores them"):
        Evaluator("no file is read before", "RelativeRelevance", order="rank")
    with pytest.raises(OptionError, match="RelativeRelevance depends on scores, and order=rank ignores them"):
        Evaluator({"q": {"a": 1}}, "AP RelativeRelevance", order="rank")


def test_equal_ranks_are_ties_where_ranks_put_documents_in_order(write):
    run = write("r", "1 Q0 a 1 3 t\n1 Q0 b 1 2 t\n1 Q0 c 2 1 t\n")
    mean = rankgauge.evaluate({"1": {"b": 1}}, run, "ESL RR", order="rank", ties="average").mean()["r"]
    assert mean == {"ESL": 1.5, "RR": 0.75}


def test_every_rule_is_one_that_the_core_knows_or_one_over_all_orders():
    names = {rule: DocumentOrder(ties=rule).core_rules()[1] for rule in TIES.rules}
    assert {names[rule] for rule in OVER_ORDERS} == {TIES.default}
    assert all(names[rule] == rule for rule in TIES.rules if rule not in OVER_ORDERS)


CUT = [f"{name}@{cutoff}" for name in ("nDCG", "P", "RR", "AP", "Success") for cutoff in (1, 3)]
SEEN = list(
    dict.fromkeys([*NAMELESS, *CUT, "P", "R", "CG", "P(judged_only=true)@2", "AP(rel=2)", "P(grade=1)@2"])
)


def tied_campaigns(count, seed=7, topics="12", most=7):
    """Judgments and runs of few documents, most of them tied."""
    rng = random.Random(seed)
    for _ in range(count):
        yield (
            {
                t: {d: rng.choice(numbers) for d in rng.sample("abcdefgh", rng.randint(1, most))}
                for t in topics
            }
            for numbers in (GRADES, [1.0, 2.0, 3.0])
        )


def decisive(scores):
    return scores.provenance.runs["run"].decisive_ties


def all_orders(run):
    """The run in every order of its tied documents, without ties."""
    ties = [[doc for doc in run if run[doc] == score] for score in sorted({*run.values()}, reverse=True)]
    for parts in product(*map(permutations, ties)):
        yield {doc: float(-place) for place, doc in enumerate(chain.from_iterable(parts))}


def changed(qrels, run, texts):
    """Which of the measures have different values in different orders of tied documents."""
    runs = {str(n): {"1": order} for n, order in enumerate(all_orders(run["1"]))}
    values = evaluate(qrels, runs, texts).values[:, :, 0]
    same = np.isclose(values, values[0], rtol=1e-12, atol=1e-12, equal_nan=True)
    return {text for text, of_text in zip(texts, same.T, strict=True) if not of_text.all()}


def test_a_tie_is_counted_if_some_order_of_its_documents_changes_a_value():
    """And for the measures in everyday use, only then: these runs are small enough to compare all orders."""
    plain = ["Rprec", "Bpref", "infAP", "Success@3", "Twist", "IPrec@0.1", "AP", "nDCG@3", "F@2"]
    texts = list(dict.fromkeys(map(str, map(rankgauge.parse, [*SEEN, *TEXTS, *plain]))))
    both = {text: {False: 0, True: 0} for text in texts}
    judged = {"1": {"a": 2, "b": 0, "c": 1}}, {"1": {"a": 1.0, "b": 1.0, "c": 0.5}}
    last = {"1": {"d": 1}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0}}
    for qrels, run in (judged, last, *tied_campaigns(12, topics="1", most=5)):
        change = changed(qrels, run, texts)
        for text in texts:
            if rankgauge.parse(text).spec.needs.ties_or_scores:  # it handles ties itself
                continue
            counted = bool(decisive(evaluate(qrels, run, text)))
            assert counted or text not in change, (text, qrels, run)
            assert not counted or text in change or not is_exact(text), (text, qrels, run)
            both[text][counted] += 1
    assert [text for text in plain if not all(both[text].values())] == []


def is_exact(text):
    """Whether every tie that is counted for a measure changes its value."""
    measure = rankgauge.parse(text)
    everyday = measure.spec.name in ("CG", "nCG", "DCG", "nDCG", "Judged", "P", "R", "F", "AP", "RR")
    return everyday and measure.settings.keys() <= {"rel", "grade", "gains", "average"}


def test_the_ties_of_several_measures_are_those_that_one_of_them_sees():
    for qrels, run in tied_campaigns(20):
        of_each = [decisive(rankgauge.evaluate(qrels, run, text)) for text in ("RR", "P@2", "nDCG@3")]
        together = decisive(rankgauge.evaluate(qrels, run, "RR P@2 nDCG@3"))
        assert max(of_each) <= together <= sum(of_each)


def test_every_way_to_count_ties_counts_the_same(tmp_path):
    for number, (qrels, run) in enumerate(tied_campaigns(6)):
        paths = [str(tmp_path / f"{number}.{kind}") for kind in ("qrels", "run")]
        rankgauge.Qrels.from_dict(qrels).write(paths[0], format="trec")
        rankgauge.Run.from_dict(run).write(paths[1], format="trec")
        campaign = Campaign(qrels, {"run": run})
        for text in ("AP", "nDCG@3", "RR P@2", "Bpref AP(rel=2)@3", "Success@2 nDCG(gains={1:1,2:1})"):
            scores = rankgauge.evaluate(qrels, run, text)
            assert decisive(campaign.scores(text)) == decisive(scores), text
            if not scores.provenance.runs["run"].none_relevant:  # which only the other back end looks into
                small = Evaluator(paths[0], text, back_end="programs").evaluate({"run": paths[1]})
                assert decisive(small) == decisive(scores), text
            if " " not in text:
                topics = [rankgauge.explain(qrels, run, measure=text, topic=topic) for topic in qrels]
                assert sum(topic.decisive_ties for topic in topics) == decisive(scores), text


def test_measures_that_declare_it_see_no_order():
    declared = {
        name: spec.laws.unordered
        for name, spec in MEASURES.items()
        if spec.laws.unordered and not spec.needs.strata
    }
    assert {"P", "R", "F", "CG", "NumRet", "Judged"} <= declared.keys()
    assert set(declared.values()) == {"uncut", "always"}
    rng = random.Random(5)
    for _ in range(20):
        qrels = {"t": {f"d{n}": rng.choice(GRADES) for n in range(12)} | {"d0": 2}}
        docs = rng.sample([f"d{n}" for n in range(16)], 9)
        orders = [rng.sample(docs, len(docs)) for _ in range(3)]
        runs = {
            str(n): {"t": {doc: float(-place) for place, doc in enumerate(order)}}
            for n, order in enumerate(orders)
        }
        texts = [text for text in map(example, declared) if text]
        first, *others = rankgauge.evaluate(qrels, runs, texts).values
        for other in others:
            np.testing.assert_allclose(other, first, rtol=1e-12)


def example(name):
    """A measure without a cutoff, as in its example."""
    return MEASURES[name].example.partition("@")[0]


def test_measures_that_declare_it_see_nothing_below_the_first_relevant_document():
    declared = [name for name, spec in MEASURES.items() if spec.laws.stops_at_first]
    assert {"RR", "FirstRank", "Success"} <= {*declared}
    rng = random.Random(6)
    for _ in range(20):
        qrels = {"t": {f"d{n}": rng.choice(GRADES) for n in range(12)}}
        docs = rng.sample([f"d{n}" for n in range(16)], 9)
        first = next((n for n, doc in enumerate(docs) if qrels["t"].get(doc, 0) > 0), len(docs))
        below = rng.sample(docs[first + 1 :], len(docs[first + 1 :]))
        orders = docs, docs[: first + 1] + below
        runs = {
            str(n): {"t": {doc: float(-place) for place, doc in enumerate(order)}}
            for n, order in enumerate(orders)
        }
        texts = [f"{name}{cutoff}" for name in declared for cutoff in ("", "@2", "@5")]
        one, other = rankgauge.evaluate(qrels, runs, texts).values
        assert identical(one, other)
