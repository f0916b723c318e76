"""Scores after further judgments are those of an evaluation with all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankgauge.studies import Campaign

import cases
import rankgauge
from rankgauge.errors import InputError
from rankgauge.extensions.judging import Additions, pool

MEASURES = "AP nDCG@3 RR P@2 R@5 bpref RBP numrel AP(average=geometric)"
MICRO = "P(average=micro)@2 AP"
TOPICS = ["t1", "t10", "ü"]


def runs():
    run = st.fixed_dictionaries(
        {"t1": cases.results().filter(bool)},
        optional={topic: cases.results().filter(bool) for topic in TOPICS[1:]},
    )
    return st.dictionaries(st.sampled_from(["bm25", "a b", "é"]), run, min_size=1, max_size=3)


@given(runs(), st.data())
def test_scores_are_those_of_all_judgments(runs, data):
    documents = pool(runs, depth=None).in_order()
    known = documents["t1"]
    judged = {"t1": {doc: data.draw(st.integers(0, 2)) for doc in known[:2]} | {"elsewhere": 1}}
    additions = Additions(Campaign(judged, runs), documents)
    for _ in range(3):  # in any order: nothing is kept from one to the next
        more = {
            topic: {doc: float(data.draw(st.integers(0, 2))) for doc in docs if data.draw(st.booleans())}
            for topic, docs in documents.items()
        }
        both = {t: judged.get(t, {}) | docs for t, docs in more.items() if docs or t in judged}
        for measures in (MEASURES, MICRO):
            expected = rankgauge.evaluate(both, runs, measures).mean()
            assert additions.scores(more, measures).mean() == expected
    assert additions.scores({}, MEASURES).mean() == rankgauge.evaluate(judged, runs, MEASURES).mean()


def test_other_documents_are_refused():
    additions = Additions(Campaign({"q": {"a": 1}}, {"run": {"q": {"a": 2.0, "b": 1.0}}}), {"q": ["b"]})
    assert additions.covers("q", "a")
    assert additions.covers("q", "b")
    with pytest.raises(InputError, match="document 'c' of topic 'q' was not looked up"):
        additions.scores({"q": {"c": 1}}, "AP")
