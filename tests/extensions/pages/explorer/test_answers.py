"""The answers for the leaderboard, topics and measures: the numbers of the library, for the page."""

import json
import math
import statistics

import pytest

import rankgauge
from extensions.pages.explorer.small import QRELS, RUNS
from rankgauge.campaigns.campaign import Campaign
from rankgauge.comparison.registry import CORRECTIONS, TESTS
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.views import answer
from rankgauge.extensions.pages.explorer.views.overview import NUMBERS
from rankgauge.extensions.pages.explorer.views.topics import ORDERS, PAGE
from rankgauge.model.output.labels import Labels
from rankgauge.schema.json_text import to_json

MEASURES = "AP nDCG@10 RR"
NAN = math.nan


@pytest.fixture(scope="module")
def scores():
    return rankgauge.evaluate(QRELS, RUNS, MEASURES)


def of_scores(values, measure="AP", **options):
    return Session(Campaign.of_scores(rankgauge.Scores.from_table(values, measure)), **options)


def test_means_and_intervals_are_those_of_scores(session, scores):
    found = answer(session, "overview", {})
    assert found["runs"] == list(RUNS)
    assert [each["text"] for each in found["measures"]] == MEASURES.split()
    for m, text in enumerate(scores.measures):
        assert found["means"][m] == [scores.mean()[run][text] for run in RUNS]
        ends = [scores.interval()[run][text] for run in RUNS]
        assert list(zip(found["low"][m], found["high"][m], strict=True)) == ends


@pytest.mark.parametrize("test", list(TESTS))
def test_every_measure_is_tested_as_compare_does(session, scores, test):
    found = answer(session, "overview", {"baseline": "dense", "test": test})
    comparison = rankgauge.compare(scores, baseline="dense", test=test)
    assert (found["test"], found["correction"]) == (test, comparison.correction)
    for m, compared in enumerate(comparison.compared):
        against = found["against"][m]
        assert [against[name][list(RUNS).index("dense")] for name in NUMBERS] == [None] * len(NUMBERS)
        for pair in compared.pairs:
            run = list(RUNS).index(pair.run)
            assert [against[name][run] for name in NUMBERS] == [getattr(pair, name) for name in NUMBERS]
            assert against["practical"][run] == comparison.practical(pair)
            is_significant = pair.corrected < 0.05 and pair.favours
            assert bool(against["verdict"][run]) == bool(is_significant)


def test_copies_are_those_of_each_measure():
    runs = {"a": {"1": ["x", "u"]}, "b": {"1": ["x", "v", "y"]}, "c": {"1": ["x", "u", "w"]}}
    found = answer(Session(Campaign({"1": {"x": 1, "y": 1}}, runs), "RR AP"), "overview", {})
    assert found["copies"] == [[["b", "a"], ["c", "a"]], [["c", "a"]]]


def test_a_margin_gives_each_run_an_outcome(scores):
    session = Session(Campaign(QRELS, RUNS), MEASURES, baseline="dense", margin=0.4)
    found = answer(session, "overview", {})
    compared = rankgauge.compare(scores, baseline="dense", margin=0.4)["AP"]
    pairs = {pair.run: pair for pair in compared.pairs}
    outcomes = [None if run == "dense" else compared.outcome_of(pairs[run]) for run in RUNS]
    assert (found["margin"], found["against"][0]["outcome"]) == (0.4, outcomes)
    assert "equivalent" in outcomes
    assert "Within a margin of 0.4 on AP, " in " ".join(found["method"])
    assert "outcome" not in answer(Session(Campaign(QRELS, RUNS)), "overview", {})["against"][0]


@pytest.mark.parametrize("correction", list(CORRECTIONS))
def test_corrections_are_those_of_compare(session, scores, correction):
    found = answer(session, "overview", {"baseline": "dense", "correction": correction})
    compared = rankgauge.compare(scores, baseline="dense", correction=correction)["AP"]
    known = [p for p in found["against"][0]["corrected"] if p is not None]
    assert known == [pair.corrected for pair in compared.pairs]


def test_without_a_baseline_the_best_run_is_compared_with_and_the_page_says_so(scores):
    found = answer(Session(Campaign(QRELS, RUNS), MEASURES), "overview", {})
    assert (found["baseline"], found["chosen"]) == (scores.sorted("AP").runs[0], False)
    assert "No baseline was chosen" in found["method"][-1]
    assert "No baseline" not in " ".join(
        answer(Session(Campaign(QRELS, RUNS)), "overview", {"baseline": "bm25"})["method"]
    )


def test_a_test_that_cannot_be_done_leaves_the_means():
    runs = {f"run {i}": {f"t{j}": 0.1 + 0.01 * (i * j % 7) for j in range(5)} for i in range(520)}
    asked = {"test": "randomised-tukey", "correction": "bonferroni"}
    found = answer(of_scores(runs), "overview", asked)
    assert "random samples" in found["problem"]
    assert len(found["means"][0]) == 520
    assert (found["against"], found["summary"]) == ([], [])


def test_the_page_says_where_test_and_means_disagree_and_what_is_corrected():
    often = {"A": [0.5] * 30, "B": [0.52] * 24 + [0.0] * 6, "C": [0.6, 0.7] * 15}
    found = answer(of_scores(often), "overview", {"baseline": "A", "test": "sign"})
    assert found["against"][0]["verdict"] == [None, "better", "better"]
    assert found["against"][0]["disagreement"] == [None, "the means say otherwise", ""]
    assert found["p_name"] == "corrected p"
    method = " ".join(found["method"])
    assert "for each measure (2 tests in all)" in method
    assert "t interval of the mean difference, not corrected." in method
    assert "the means say otherwise for B > A." in method
    alone = answer(of_scores(often), "overview", {"baseline": "A", "test": "sign", "correction": "none"})
    assert alone["p_name"] == "p"


def test_names_are_labels_and_unique():
    labelled = Session(Campaign(QRELS, RUNS), "AP", labels=Labels.read({"bm25": "BM25", "AP": "MAP"}))
    found = answer(labelled, "overview", {"baseline": "BM25"})
    assert found["runs"] == ["BM25", "dense", "hybrid"]
    assert found["measures"][0]["label"] == "MAP"
    with pytest.raises(OptionError, match="bm25"):
        answer(labelled, "overview", {"baseline": "bm25"})


def test_one_run_one_topic_and_nothing_defined():
    one = answer(of_scores({"a": {"t": 0.5}}), "overview", {})
    assert (one["baseline"], one["against"], one["low"]) == (None, [], [[pytest.approx(NAN, nan_ok=True)]])
    nothing = of_scores({"a": {"t": NAN}, "b": {"t": NAN}})
    for view in ("overview", "topics"):
        json.loads(to_json(answer(nothing, view, {}), ascii_only=True))
    assert answer(nothing, "topics", {})["domain"] == [0.0, 1.0]


def test_means_alone_have_a_leaderboard_but_no_topics():
    means = Session(Campaign.of_means({"a": {"AP": 0.25, "my own": 0.5}, "b": {"AP": 0.2, "my own": 0.75}}))
    found = answer(means, "overview", {})
    assert found["means"] == [[0.25, 0.2], [0.5, 0.75]]
    with pytest.raises(InputError, match="only means"):
        answer(means, "topics", {})


def test_scores_are_computed_once(monkeypatch):
    session, asked = Session(Campaign(QRELS, RUNS), "AP RR"), []
    compute = Campaign.scores
    monkeypatch.setattr(
        Campaign,
        "scores",
        lambda self, measures, **options: asked.append(measures) or compute(self, measures, **options),
    )
    for measures in ("AP RR", "RR", "AP nDCG@10 RR", "ndcg_cut_10"):
        answer(session, "overview", {"measures": measures})
        answer(session, "topics", {"measure": measures.split()[0]})
    assert asked == [["AP", "RR"], ["nDCG@10"]]


def test_what_is_kept_is_bounded(monkeypatch):
    monkeypatch.setattr(
        "rankgauge.extensions.pages.explorer.session.MAX_VALUES", 0
    )  # then eight measures are kept
    monkeypatch.setattr("rankgauge.extensions.pages.explorer.session.MAX_COMPARISONS", 5)
    session = Session(Campaign(QRELS, RUNS), "AP")
    for cutoff in range(1, 30):
        answer(session, "overview", {"measures": f"P@{cutoff}"})
    assert (len(session._standings._values), len(session._comparisons._values)) == (8, 5)


# topics


def test_cells_are_the_values_of_topics(session, scores):
    found = answer(session, "topics", {"measure": "nDCG@10"})
    values = scores.to_dict()
    assert found["runs"] == list(scores.sorted("nDCG@10").runs)
    for topic, row in zip(found["topics"], found["values"], strict=True):
        assert row == [values[run]["nDCG@10"][topic] for run in found["runs"]]
    assert found["difficulty"] == sorted(found["difficulty"])
    assert (found["total"], found["domain"]) == (len(QRELS), [0.0, 1.0])
    assert answer(session, "session", {})["queries"] is None


def test_topics_of_a_segment():
    by = {topic: "ab"[place % 2] for place, topic in enumerate(QRELS)}
    session = Session(Campaign(QRELS, RUNS), "AP", by=by)
    a = [topic for topic in QRELS if by[topic] == "a"]
    (name, topics), (other, _) = answer(session, "session", {})["segments"]
    assert (name, other, {*topics}) == ("segment=a", "segment=b", {*a})
    found = answer(session, "topics", {"segment": "segment=a"})
    assert {*found["topics"]} == {*a}
    assert found["total"] == len(a)
    with pytest.raises(OptionError, match="no segment named 'segment=c'"):
        answer(session, "topics", {"segment": "segment=c"})


def test_segments_have_labels_and_outcomes_within_the_margin():
    by = {topic: "ab"[place % 2] for place, topic in enumerate(QRELS)}
    session = Session(Campaign(QRELS, RUNS), "AP", by=by, margin=0.4, labels={"AP": "mean AP"})
    _, differences = session.findings
    assert differences.title == "mean AP by segment"
    assert "outcome" in differences.table.headers
    for margin in (-1, True, {"AP": 0.4}):
        with pytest.raises(OptionError, match=f"margin must be a number above 0, not {margin}"):
            Session(Campaign(QRELS, RUNS), "AP", margin=margin)
    with pytest.raises(OptionError, match="by is for topics, and means alone have none"):
        Session(Campaign.of_means({"a": {"AP": 0.25}, "b": {"AP": 0.5}}), by=by)
    without_judgments = Session(Campaign.of_runs(RUNS), by=by)
    assert without_judgments.findings == ()
    assert len(without_judgments.segments.parts) == 2


@pytest.mark.parametrize("order", list(ORDERS))
def test_orders_of_topics(session, scores, order):
    found = answer(session, "topics", {"order": order, "run": "dense", "against": "bm25"})
    values, topics = scores.to_dict(), found["topics"]
    assert answer(session, "topic-order", {"order": order, "run": "dense", "against": "bm25"}) == {
        "topics": topics
    }
    loss = [values["dense"]["AP"][t] - values["bm25"]["AP"][t] for t in topics]
    keys = {
        "hardest": found["difficulty"],
        "easiest": [-value for value in found["difficulty"]],
        "spread": [-statistics.pstdev(values[run]["AP"][t] for run in RUNS) for t in topics],
        "difference": loss,
        "topic": topics,
    }
    assert keys[order] == sorted(keys[order])
    assert {*topics} == {*QRELS}
    assert found["base"] == [values["bm25"]["AP"][t] for t in topics]


def test_where_lower_is_better_the_hardest_have_high_values():
    found = answer(of_scores({"a": {"t": 3.0, "u": 9.0}}, "ASL"), "topics", {})
    assert (found["topics"], found["domain"]) == (["u", "t"], [3.0, 9.0])


def test_topics_come_in_pages_and_a_topic_finds_its_own():
    values = {
        "a": {f"t{i:03}": i / 1000 for i in range(250)},
        "b": {f"t{i:03}": i / 1000 for i in range(250)},
    }
    session = of_scores(values)
    pages = [answer(session, "topics", {"first": first}) for first in (0, 100, 240)]
    assert [page["first"] for page in pages] == [0, 100, 200]
    assert [name for page in pages for name in page["topics"]] == sorted(values["a"])
    assert answer(session, "topics", {"topic": "t142"})["topics"] == pages[1]["topics"]
    assert len(pages[0]["topics"]) == PAGE
    found = answer(session, "scatter", {"x": "a", "y": "b"})
    assert found["x"] == list(values["a"].values())


def test_more_runs_than_can_be_shown_are_counted():
    session = of_scores({f"r{i:03}": {"t": i / 1000, "u": 0.5} for i in range(130)})
    found = answer(session, "topics", {})
    assert (len(found["runs"]), found["runs_left_out"], found["runs"][0]) == (100, 30, "r129")
    assert answer(session, "topics", {"runs": ["r001", "r000"]})["runs"] == ["r001", "r000"]


def test_queries_are_shown_where_they_are_known():
    texts = {topic: f"query {topic}\x1b" + "x" * 400 for topic in QRELS if topic != "101"}
    session = Session(Campaign(QRELS, RUNS), "AP", topics=texts)
    found = answer(session, "session", {})
    for topic, text in zip(found["topics"], found["queries"], strict=True):
        assert (
            text == "" if topic == "101" else text.startswith(f"query {topic}\\x1b") and text.endswith("x …")
        )
    assert answer(session, "topics", {"find": "104 QUERY"})["topics"] == ["104"]
    assert answer(session, "topics", {"find": "none", "topic": "104"})["total"] == 0


# measures


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("ndcg", "nDCG"),
        ("AP nD", "AP nDCG"),
        ("reciprocal", "RR"),
        ("map", "AP"),
        ("nDCG(ga", "nDCG(gains="),
        ("AP, nDCG(discount=l", "AP, nDCG(discount=log2"),
        ("nDCG(gains=exp2,dis", "nDCG(gains=exp2,discount="),
        ("AP(judged_only=t", "AP(judged_only=true"),
        ("P@1", "P@10"),
        ("nDCG(gains=exp2)@1", "nDCG(gains=exp2)@10"),
        ("offici", "official"),
    ],
)
def test_what_is_typed_is_completed(session, typed, first):
    texts = [each["text"] for each in answer(session, "measures", {"text": typed})["suggestions"]]
    assert first in texts[:3]
    assert len(texts) == len({*texts})


def test_suggestions_can_be_read_or_completed_further(session):
    for typed in ("", "n", "a", "p", "r", "e"):
        found = answer(session, "measures", {"text": typed})
        assert found["suggestions"]
        assert all(each["title"] for each in found["suggestions"])


def test_a_wrong_measure_has_the_message_of_the_language(session):
    for typed in ("nDGC@10", "nDCG(gain=exp2)", "P@0", "P(", "AP((((", "\x00", "x" * 5000, "🙂"):
        found = answer(session, "measures", {"text": typed})
        with pytest.raises(RankgaugeError) as raised:
            rankgauge.measures.parse_all(typed[:2000])
        assert found["error"] == str(raised.value)
        assert found["measures"] == []


def test_measures_are_described(session):
    found = answer(session, "measures", {"text": "ndcg_cut_10 ASL"})
    assert [(each["text"], each["direction"]) for each in found["measures"]] == [("nDCG@10", 1), ("ASL", -1)]
    assert found["measures"][0]["title"] == "Normalised discounted cumulated gain"
    assert found["error"] is None


def test_scores_from_elsewhere_suggest_their_own_measures():
    found = answer(of_scores({"a": {"t": 0.5}}, "my score"), "measures", {"text": "sco"})
    assert [each["text"] for each in found["suggestions"]] == ["my score"]


def test_the_direction_of_a_measure_from_elsewhere_is_that_of_its_scores():
    campaign = Campaign.of_scores({"a": {"cost": {"t": 1.0}}, "b": {"cost": {"t": 2.0}}})
    scores = campaign.scores()
    facts = {"cost": scores.provenance.measure("cost")._replace(direction=-1)}
    lower = scores._replace(provenance=scores.provenance._replace(measures=facts))
    (shown,) = answer(Session(Campaign.of_scores(lower)), "overview", {})["measures"]
    assert (shown["text"], shown["direction"]) == ("cost", -1)


# the session


def test_runs_are_ranked_and_those_with_the_same_values_are_named():
    values = {"a": [0.1, 0.2], "b": [0.3, 0.4], "c": [0.3, 0.4], "d": [math.nan] * 2, "e": [math.nan] * 2}
    scores = rankgauge.Scores.from_table(
        {run: dict(zip("tu", row, strict=True)) for run, row in values.items()}, "AP"
    )
    for baseline, copies in ((None, [["c", "b"]]), ("c", [["b", "c"]])):
        found = answer(Session(Campaign.of_scores(scores), baseline=baseline), "session", {})
        assert (found["ranked"][:3], found["copies"]) == (["b", "c", "a"], copies)


def test_means_that_human_judgments_correct_have_their_own_test():
    topics = [f"t{n:02}" for n in range(20)]
    runs = {name: {t: [first, "b"] for t in topics} for name, first in (("one", "a"), ("two", "c"))}
    llm = {t: {"a": n % 3, "b": 1, "c": n % 2} for n, t in enumerate(topics)}
    human = {t: {"a": 2, "b": 1, "c": n % 2} for n, t in enumerate(topics[:10])}
    session = Session(Campaign(llm, runs, human_qrels=human), "nDCG@10")
    found = answer(session, "overview", {})
    scores = session.standing().scores
    assert found["means"] == [list(scores.mean("nDCG@10").values())]
    assert found["low"] == [[ends["nDCG@10"][0] for ends in scores.interval().values()]]
    assert found["test"] == "corrected-t"
    assert found["method"][0].startswith(f"{scores.correction}, with 95 % confidence intervals")
    assert answer(session, "session", {})["tests"] == [["corrected-t", "t-test of corrected differences"]]
