"""Explanations without NumPy are those with it."""

from pathlib import Path

import pytest

import rankgauge
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.errors import InputError
from rankgauge.evaluation import scalar_back_end
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.explanation.explainer import Explainer
from rankgauge.explanation.mean import explain_mean
from rankgauge.explanation.scalar_run import ScalarRun
from rankgauge.explanation.target import Target, find_target
from rankgauge.explanation.ways import Way
from rankgauge.measures import MEASURES, parse
from rankgauge.measures.rankings.vector import Unsupported
from rankgauge.model.rules import OVER_ORDERS, DocumentOrder, TopicRules

QRELS = {"1": "a1 b0 c2 d1 e-1 f2", "2": "a1 x0", "3": "a0"}
RUN = {"1": "b7 a6 u5.5 c5 v5 e4 d3", "2": "x2 u1", "9": "a1"}
# Measures on words, ties or judgments that only arrays have, besides those with subtopics and strata.
ELSEWHERE = {
    *("ACG", "ADCG", "AUC", "AnCG", "AnDCG", "Compat", "ESL", "Frustration", "InterpolatedP", "RHL"),
    *("RelativeRelevance", "SFT", "Satisfaction", "SlidingRatio"),
}


@pytest.fixture
def given(write):
    """(judgments, run) as files."""
    judged = [f"{t} 0 {d[0]} {d[1:]}\n" for t, docs in QRELS.items() for d in docs.split()]
    ranked = [f"{t} Q0 {d[0]} {n} {d[1:]} t\n" for t, docs in RUN.items() for n, d in enumerate(docs.split())]
    return str(write("qrels.txt", "".join(judged))), str(write("a.run", "".join(ranked)))


def way(text, **rules):
    return Way(parse(text), DocumentOrder(**rules), TopicRules())


def scalars(given, topic=None, **options):
    return ScalarRun(given[0], resolve_runs(given[1])[0], topic, **options)


def comparable(found):
    """The content of an explanation; a note and variants of ways left out are not compared."""
    content = found.as_dict()
    variants = content.pop("variants", {})
    return {name: value for name, value in content.items() if name != "notes"}, variants


@pytest.mark.parametrize("name", MEASURES)
def test_a_topic_is_explained_as_with_numpy(name, given):
    text, spec = MEASURES[name].example, MEASURES[name]
    for topic in ("1", "2"):
        try:
            found, variants = comparable(Explainer(scalars(given, topic), way(text)).explain())
        except Unsupported:
            special = spec.needs.ties_or_scores or spec.needs.subtopics or spec.needs.pads_to_longest
            assert special or name in ELSEWHERE or spec.function.__module__.endswith((".cwl", ".effort"))
            continue
        expected, others = comparable(rankgauge.explain(*given, text, topic=topic))
        assert found == expected
        assert variants.items() <= others.items()


@pytest.mark.parametrize("rules", [{}, {"ties": "docid_asc"}, {"order": "rank"}])
def test_a_run_and_a_printed_number_are_explained_as_with_numpy(given, rules):
    for text in ("nDCG@3", "AP", "P(average=micro)@3"):
        asked = way(text, **rules)
        found, _ = comparable(explain_mean(scalars(given), asked))
        expected, _ = comparable(rankgauge.explain(*given, text, **rules))
        expected["rules"] = [
            each for each in expected["rules"] if each["rules"].get("ties") not in OVER_ORDERS
        ]
        assert found == expected
    target = Target.of("0.5")
    one = scalars(given, "1")
    found = find_target(one, target, parse("P@5"), DocumentOrder(), TopicRules())
    expected = rankgauge.explain(*given, "P@5", topic="1", target="0.5")
    texts = [{each.measure for each in search.matches} for search in (found, expected)]
    assert texts[0] <= texts[1]
    assert found.value == expected.value
    assert one.notes(DocumentOrder())[-1].endswith("which need NumPy")


@pytest.mark.parametrize("duplicates", ["first", "max"])
def test_duplicates_are_resolved_as_with_numpy(given, duplicates):
    with Path(given[1]).open("a") as run:
        run.write("2 Q0 x 1 9 t\n2 Q0 a 2 3 t\n2 Q0 a 3 8.5 t\n")
    found, _ = comparable(
        explain_mean(scalars(given, duplicates=duplicates), way("AP", duplicates=duplicates))
    )
    expected, _ = comparable(rankgauge.explain(*given, "AP", duplicates=duplicates))
    assert (found["value"], found["topics"]) == (expected["value"], expected["topics"])
    with pytest.raises(InputError, match="twice"):
        scalars(given).retrieved(DocumentOrder())


def test_ties_are_counted_however_many_judgments_there_are(given, monkeypatch):
    monkeypatch.setattr(scalar_back_end, "MAX_WORK", 0)
    found, _ = comparable(Explainer(scalars(given, "1"), way("RR")).explain())
    assert found["decisive_ties"] == rankgauge.explain(*given, "RR", topic="1").decisive_ties
    assert comparable(explain_mean(scalars(given), way("AP")))[0]["decisive_ties"] == 1


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("1 0 a 1\n1 0 b\n", "1 Q0 a 1 1 t\n"),
        ("1 0 a 1\n1 0 b x\n", "1 Q0 a 1 1 t\n"),
        ("1 0 a 1\n2 0 a 1\n1 0 a 0\n", "1 Q0 a 1 1 t\n"),
        ("1 0 a 1\n", "1 Q0 a 1 1 t\n\n1 Q0 b 2 x t\n"),
        ("1 0 a 1\n", "1 Q0 a 1 1 t\n1 Q0 b 2 0.5\n"),
        ("1 0 a 1\n", "1 Q0 a 1 1 t\n1 Q0 b 2 nan t\n"),
        ("1 0 a 1\n", "1 Q0 a 1 2 t\n2 Q0 c 1 3 t\n1 Q0 a 2 1 t\n"),
        ("1 0 a 1\n", "7 Q0 a 1 2 t\n"),
    ],
)
def test_errors_without_numpy_name_the_same_line(qrels, run, write):
    given = str(write("q.txt", qrels)), str(write("a.run", run))
    messages = []
    for back_end in ("scalars", "arrays"):
        with pytest.raises(InputError) as error:
            Evaluator(given[0], "RR", back_end=back_end).evaluate(given[1])
        messages.append(str(error.value).partition(", first on")[0].partition("; once")[0])
    assert messages[0] == messages[1]
