"""What if: the values of a changed ranking are those of the library for the changed files."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankgauge
from cases import identical, with_all_measures
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.views import perform
from rankgauge.extensions.pages.explorer.views.what_if import Change, WhatIf
from rankgauge.measures import MEASURES, parse

TEXTS = [spec.example for spec in MEASURES.values() if not parse(spec.example).spec.needs.subtopics]
MEASURES_BY_SUBTOPIC = [
    spec.example for spec in MEASURES.values() if parse(spec.example).spec.needs.subtopics
]
DOCUMENTS = [f"d{number}" for number in range(9)]
GRADES = st.sampled_from([-1, 0, 1, 2, 3, 0.5])


@st.composite
def changes(draw):
    """(judgments, runs, topic, documents of the changed ranking or None, changed grades)."""
    topics = ("a", "b", "c")
    judged = st.dictionaries(st.sampled_from(DOCUMENTS), GRADES, min_size=1, max_size=6)
    results = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 4), min_size=1, max_size=8)
    qrels = {topic: draw(judged) for topic in topics}
    runs = {
        name: {topic: draw(results) for topic in topics if topic == "a" or draw(st.booleans())}
        for name in ("one", "two")
    }
    topic = draw(st.sampled_from(topics))
    known = sorted({*qrels[topic], *runs["one"].get(topic, {})})
    ranking = draw(st.none() | st.lists(st.sampled_from(known), unique=True))
    regraded = draw(st.dictionaries(st.sampled_from(known), st.none() | GRADES, max_size=3))
    return qrels, runs, topic, ranking, regraded


def apply(qrels, runs, topic, ranking, regraded):
    """(judgments, runs) after the change."""
    new = {**qrels[topic], **regraded}
    one = dict(runs["one"])
    if ranking is not None:
        one[topic] = ranking
    judged = {doc: grade for doc, grade in new.items() if grade is not None}
    return {**qrels, topic: judged}, {**runs, "one": one}


def numbered(what_if, ranking, regraded):
    place = {document: number for number, document in enumerate(what_if.documents)}
    return Change(
        ranking=None if ranking is None else [place[document] for document in ranking],
        grades={place[document]: grade for document, grade in regraded.items()},
    )


@pytest.mark.parametrize(
    "rules",
    [{}, {"ties": "docid_asc", "undefined": "zero"}, {"missing": "skip", "score_precision": "single"}],
    ids=str,
)
@with_all_measures
@given(case=changes())
def test_values_are_those_of_evaluate_for_the_changed_files(rules, case):
    qrels, runs, topic, ranking, regraded = case
    after_qrels, after_runs = apply(*case)
    what_if = WhatIf(Campaign(qrels, runs, **rules), "one", topic)
    change = numbered(what_if, ranking, regraded)
    if not after_qrels[topic]:
        with pytest.raises(InputError, match="a topic needs a judgment"):
            what_if.values(TEXTS, change)
        return
    if not any(after_runs["one"].values()):
        return  # `evaluate` refuses an empty run
    scores = rankgauge.evaluate(after_qrels, after_runs, TEXTS, **rules)
    values = what_if.values(TEXTS, change)
    place = scores.topics.index(topic)
    assert identical(values.topic, scores.values[0, :, place])
    assert identical(values.mean, [*scores.mean()["one"].values()])
    before = rankgauge.evaluate(qrels, runs, TEXTS, **rules)
    assert identical(what_if.values(TEXTS).mean, [*before.mean()["one"].values()])


def changed(case):
    """(what may change, the change, judgments and runs after it), if these can be evaluated."""
    qrels, runs, topic, ranking, regraded = case
    after_qrels, after_runs = apply(*case)
    assume(after_qrels[topic] and any(after_runs["one"].values()))
    what_if = WhatIf(Campaign(qrels, runs), "one", topic)
    return what_if, numbered(what_if, ranking, regraded), after_qrels, after_runs


@given(case=changes())
def test_curves_are_those_of_the_library(case):
    what_if, change, *after = changed(case)
    curves = rankgauge.curves(*after, "DCG P CRP", depth=7)
    expected = curves.values[0, :, curves.topics.index(what_if.topic)]
    assert identical(what_if.curves("DCG P CRP", 7, change), expected)


def best_by_hand(what_if, text, change, documents):
    """{document: the value after its best move up, by trying all}, of those that can move up."""
    start = [*range(what_if.retrieved)] if change.ranking is None else [*change.ranking]
    way = parse(text).spec.direction or 1
    best = {}
    for document in documents:
        others = [number for number in start if number != document]
        ranks = range(start.index(document) if document in start else len(start) + 1)
        moved = [change._replace(ranking=[*others[:at], document, *others[at:]]) for at in ranks]
        values = [what_if.values(text, each).topic[0] for each in moved]
        if values:
            best[document] = max((value * way for value in values if value == value), default=math.nan) * way
    return best


def check_helps(what_if, text, change, relevant):
    helps, left_out = what_if.helps(text, change)
    assert left_out == 0
    [before] = what_if.values(text, change).topic
    start = [*range(what_if.retrieved)] if change.ranking is None else [*change.ranking]
    expected = best_by_hand(what_if, text, change, relevant)
    assert {help.document for help in helps} == {*expected}
    for help in helps:
        assert help.rank == (start.index(help.document) + 1 if help.document in start else None)
        assert help.rank is None or help.place < help.rank  # never down
        others = [number for number in start if number != help.document]
        ranking = [*others[: help.place - 1], help.document, *others[help.place - 1 :]]
        [after] = what_if.values(text, change._replace(ranking=ranking)).topic
        assert identical(help.value, after)
        assert identical(help.difference, after - before)
        assert help.value == pytest.approx(expected[help.document], abs=1e-11, nan_ok=True)
    differences = [help.difference * (parse(text).spec.direction or 1) for help in helps]
    defined = [each for each in differences if each == each]
    assert defined == sorted(defined, reverse=True)


@given(case=changes(), text=st.sampled_from([text for text in TEXTS if not parse(text).spec.needs.scores]))
def test_what_would_help_is_the_best_move_of_each_relevant_document(case, text):
    what_if, change, after_qrels, _ = changed(case)
    grades = after_qrels[what_if.topic]
    relevant = [n for n, doc in enumerate(what_if.documents) if doc in grades]
    check_helps(
        what_if, text, change, [n for n in relevant if parse(text).is_relevant(grades[what_if.documents[n]])]
    )


SUBTOPICS = st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=4, unique=True)


@given(
    subtopics=st.lists(SUBTOPICS, min_size=1, max_size=3),
    ranking=st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True),
    text=st.sampled_from([text for text in MEASURES_BY_SUBTOPIC if not parse(text).spec.needs.scores]),
)
def test_the_best_moves_by_subtopic_are_those_found_by_hand(subtopics, ranking, text):
    qrels = {"q": {f"s{n}": dict.fromkeys(docs, 1) for n, docs in enumerate(subtopics)}}
    what_if = WhatIf(Campaign(qrels, {"r": {"q": ranking}}, by_subtopic=True), "r", "q")
    relevant = {doc for docs in subtopics for doc in docs}
    check_helps(what_if, text, Change(), [what_if.documents.index(doc) for doc in sorted(relevant)])


@pytest.mark.parametrize("text", ["nDCG@10", "AP", "RR", "alpha_nDCG@5"])
def test_moves_that_close_half_of_the_gap(text):
    relevant = {f"d{n}": n % 3 + 1 for n in range(6)}
    qrels = {"q": {"s1": {"d0": 1, "d1": 1}, "s2": {"d4": 1}}} if "alpha" in text else {"q": relevant}
    run = {"q": [*"xyz", *sorted(relevant, reverse=True)]}
    what_if = WhatIf(Campaign(qrels, {"r": run}, by_subtopic="alpha" in text), "r", "q")
    found = what_if.halfway(text)
    numbers, values = [*range(what_if.retrieved)], []
    for document, place in found.moves:
        numbers.remove(document)
        numbers.insert(place - 1, document)
        values += what_if.values(text, Change(ranking=numbers)).topic
    middle = (found.before + found.ideal) / 2
    assert identical([found.before, found.after], [*what_if.values(text).topic, values[-1]])
    assert found.ideal == pytest.approx(1)
    assert found.after >= middle - 1e-11
    assert all(value < middle for value in values[:-1])
    best = [what_if.documents.index(each) for each in sorted(relevant, key=relevant.get, reverse=True)]
    assert text != "AP" or what_if.halfway(text, Change(ranking=best)) is None


def test_rankings_change_under_judgments_by_subtopic():
    qrels = {"q": {"s1": {"d1": 1, "d2": 1}, "s2": {"d3": 1}}, "p": {"s1": {"d1": 1}}}
    run = {"q": {"d1": 3, "d2": 2, "x": 1.5, "d3": 1}, "p": {"d1": 1}}
    texts = "alpha_nDCG@3 AP nDCG"
    what_if = WhatIf(Campaign(qrels, {"r": run}, by_subtopic=True), "r", "q")
    documents = ["d3", "d1", "d2"]
    change = Change(ranking=[what_if.documents.index(each) for each in documents])
    scores = rankgauge.evaluate(qrels, {"r": {**run, "q": documents}}, texts)
    assert identical(what_if.values(texts, change).topic, scores.values[0, :, 1])
    with pytest.raises(InputError, match="for each subtopic"):
        what_if.values(texts, Change(grades={0: 2.0}))


def test_a_matrix_has_the_worth_of_each_subtopic_beside_the_ideal():
    about = {"q": {"a": {"d1": 1, "d2": 1}, "b": {"d1": 1, "d3": 1}, "c": {"d4": 1}}}
    session = Session(Campaign(about, {"r": {"q": ["d2", "x", "d1"]}}, by_subtopic=True), "alpha_nDCG@10")
    asked = {"topic": "q", "run": "r"}
    found = perform(session, "what-if", asked)
    (run, ideal), measure = found["matrix"]["sides"], found["matrix"]["measure"]["label"]
    assert (found["matrix"]["names"], measure) == (["a", "b", "c"], "α-nDCG@10")
    assert run["rows"] == [
        ["d2", [1, None, None], None],
        ["x", [None] * 3, None],
        ["d1", [0.5, 1, None], None],
    ]
    assert [cells for _, cells, _ in ideal["rows"][:2]] == [[1, 1, None], [None, None, 1]]  # d1, and d4
    assert (run["value"], ideal["value"]) == (found["topic"][0], 1)
    own = found["curves"][0]
    assert own["title"] == "α-nDCG by rank"
    assert own["before"] == own["after"] == pytest.approx(rankgauge_curve(about, ["d2", "x", "d1"]))
    moved = perform(session, "what-if", {**asked, "ranking": [2, 0, 1], "dragged": 1})
    assert moved["matrix"]["sides"][0]["rows"][0] == ["d1", [1, 1, None], None]
    assert moved["curves"][0]["after"][0] == 1
    assert "helps" not in moved


def rankgauge_curve(about, ranking):
    return rankgauge.curves(about, {"r": {"q": ranking}}, "alpha_nDCG", depth=3).values[0, 0, 0].tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Change(ranking=[0, 2]), "none is number 2"),
        (Change(grades={-1: 1.0}), "none is number -1"),
        (Change(ranking=[0, 0]), "twice"),
    ],
)
def test_wrong_changes_are_refused(change, message):
    what_if = WhatIf(Campaign({"q": {"d1": 1}}, {"r": {"q": {"d1": 1, "d2": 0.5}}}), "r", "q")
    with pytest.raises(OptionError, match=message):
        what_if.values("AP", change)


def test_scores_and_several_orders_are_refused():
    with pytest.raises(MeasureError, match="looks at scores"):
        WhatIf(Campaign({"q": {"d1": 1}}, {"r": {"q": {"d1": 1}}}), "r", "q").helps("RelativeRelevance")
    with pytest.raises(OptionError, match="one order"):
        WhatIf(Campaign({"q": {"d1": 1}}, {"r": {"q": {"d1": 1}}}, ties="average"), "r", "q")


def test_values_alone_are_those_of_scores():
    qrels = {"a": {"x": 2, "y": 0}, "b": {"x": 1, "z": -1}}
    runs = {"one": {"a": {"x": 1, "y": 1}, "b": {"z": 2, "x": 1}}, "two": {"b": {"q": 1}}}
    campaign = Campaign(qrels, runs)
    assert identical(campaign.values(TEXTS), campaign.scores(TEXTS).values)


def test_rejudging_keeps_all_other_judgments(write):
    path = write("qrels", "a 0 x 1\nb 7 y 2\na 0 z 0\n")
    campaign = Campaign(path, {"r": {"a": {"x": 1}, "b": {"y": 1}}})
    changed = campaign.qrels.rejudged("a", {"x": None, "z": 3, "w": 0.5})
    assert changed.to_dict() == {"a": {"z": 3, "w": 0.5}, "b": {"y": 2}}
    assert changed.iterations.texts() == ["7", "0", "0"]
    assert campaign.qrels.to_dict() == {"a": {"x": 1, "z": 0}, "b": {"y": 2}}
    assert changed.grades_of("a") == {"w": 0.5, "z": 3.0}
    assert changed.grades_of("nothing") == {}
    with pytest.raises(InputError, match="a topic needs a judgment"):
        campaign.qrels.rejudged("b", {"y": None})
