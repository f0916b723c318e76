"""The rules of evaluate: their effect, and the facts that are counted."""

import gzip
import json
import math

import numpy as np
import pytest

import rankgauge
from evaluation.small import QRELS, QRELS_TEXT, RUN, RUN_TEXT
from rankgauge import Qrels, Run, core, evaluate
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.model.provenance import QrelsFacts
from rankgauge.model.rules import DocumentOrder


@pytest.mark.parametrize(
    ("missing", "undefined", "mean"),
    [
        ("zero", "zero", (5 / 6 + 1 / 2 + 0 + 0) / 4),
        ("zero", "skip", (5 / 6 + 1 / 2 + 0) / 3),
        ("skip", "zero", (5 / 6 + 1 / 2 + 0) / 3),
        ("skip", "skip", (5 / 6 + 1 / 2) / 2),
    ],
)
def test_missing_and_undefined_topics_count_as_the_options_say(missing, undefined, mean):
    qrels = {**QRELS, "4": {"a": 1}}  # topic 3 has no relevant document, topic 4 no results
    run = {**RUN, "3": {"x": 1.0}, "9": {"a": 1.0}}
    scores = evaluate(qrels, run, "AP P", missing=missing, undefined=undefined)
    assert scores.mean()["run"]["AP"] == pytest.approx(mean)
    assert list(scores.to_dict()["run"]["AP"]) == ["1", "2", "3", "4"][: 4 if missing == "zero" else 3]
    facts = scores.provenance.runs["run"]
    assert (facts.topics, facts.missing, facts.unjudged_topics, facts.retrieved) == (3, 1, 1, 6)
    assert facts.undefined == ({"AP": 1, "P": 1} if missing == "zero" else {"AP": 1})
    assert scores.provenance.options["missing"] == missing
    assert scores.provenance.options["undefined"] == undefined


def test_a_mean_over_nothing_is_undefined():
    assert math.isnan(
        evaluate({"1": {"a": 0}}, {"1": {"a": 1.0}}, "AP", undefined="skip").mean()["run"]["AP"]
    )


TIED = {"1": {"b": 1.0, "c": 1.0, "a": 1.0, "z": 0.5}}


@pytest.mark.parametrize(("ties", "order"), [("docid_desc", "cba"), ("docid_asc", "abc"), ("input", "bca")])
def test_ties_are_decided_by_the_rule(ties, order):
    for doc in "abc":
        scores = evaluate({"1": {doc: 1}}, TIED, "RR", ties=ties)
        assert scores.mean()["run"]["RR"] == 1 / (order.index(doc) + 1)
        facts = scores.provenance.runs["run"]
        assert (facts.tied_topics, facts.tied_documents, facts.decisive_ties) == (1, 3, 1)


def test_ties_that_cannot_change_a_score_are_not_decisive():
    facts = evaluate({"1": dict.fromkeys("abc", 1)}, TIED, "RR").provenance.runs["run"]
    assert (facts.tied_documents, facts.decisive_ties) == (3, 0)
    facts = evaluate({"1": {"z": 1}}, TIED, "RR").provenance.runs["run"]
    assert (facts.tied_documents, facts.decisive_ties) == (0, 0)


@pytest.mark.parametrize(("rules", "order"), [({"ties": "rank"}, "zbdca"), ({"order": "rank"}, "bdcaz")])
def test_the_rank_column_may_order_documents_or_those_that_tie(rules, order, write):
    run = write("r", "1 Q0 a 3 1 t\n1 Q0 b 1 1 t\n1 Q0 c 2 1 t\n1 Q0 d 2 1 t\n1 Q0 z 4 9 t\n")
    for given in (run, Run.read(run)):
        values = [evaluate({"1": {doc: 1}}, given, "RR", **rules).mean()["r"]["RR"] for doc in order]
        assert values == [1 / rank for rank in range(1, 6)]


def test_a_rank_that_is_not_a_number_matters_only_when_it_is_used(write):
    run = write("r", "1 Q0 a 1 3 t\n1 Q0 b two 2 t\n1 Q0 c 3 1 t\n")
    assert evaluate(QRELS, run, "RR").provenance.runs["r"].retrieved == 3
    with pytest.raises(InputError, match=r'r:2: the rank is not a whole number: "two"'):
        evaluate(QRELS, run, "RR", order="rank")
    with pytest.raises(OptionError, match="needs a rank for every result"):
        evaluate(QRELS, Run.read(run), "RR", order="rank")


LARGEST = (1 << 53) - 1


def test_ranks_are_compared_exactly(write):
    ranks = {"a": LARGEST, "b": LARGEST - 1, "c": -LARGEST, "d": 1 - LARGEST}
    text = write("r", "".join(f"1 Q0 {doc} {rank} 1 t\n" for doc, rank in ranks.items()))
    frame = {"qid": ["1"] * 4, "docno": list(ranks), "rank": np.array([*ranks.values()]), "score": [1] * 4}
    rows = [{"qid": "1", "docno": doc, "rank": rank, "score": 1} for doc, rank in ranks.items()]
    for run in (text, Run.read(text), frame, write("r.json", json.dumps(rows))):
        order = [
            evaluate({"1": {doc: 1}}, {"r": run}, "RR", order="rank").mean()["r"]["RR"] for doc in "cdba"
        ]
        assert order == [1, 1 / 2, 1 / 3, 1 / 4]


@pytest.mark.parametrize("rank", [1 << 53, -(1 << 53), (1 << 53) + 1, 1 << 63, (1 << 64) - 1])
@pytest.mark.parametrize("option", [{"order": "rank"}, {"ties": "rank"}])
def test_ranks_that_doubles_cannot_tell_apart_are_refused(write, rank, option):
    text = write("r", f"1 Q0 a 1 2 t\n1 Q0 b {rank} 3 t\n")
    with pytest.raises(InputError, match=rf'r:2: the rank is beyond 2\^53: "{rank}"'):
        evaluate({"1": {"a": 1}}, text, "RR", **option)
    column = np.array([1, rank], dtype=np.uint64 if rank > 0 else np.int64)
    frame = {"qid": ["1", "1"], "docno": ["a", "b"], "rank": column, "score": [2, 3]}
    rows = [
        {"qid": "1", "docno": "a", "rank": 1, "score": 2},
        {"qid": "1", "docno": "b", "rank": rank, "score": 3},
    ]
    for run in (Run.read(text), frame, Run.of(frame), write("r.json", json.dumps(rows))):
        with pytest.raises(OptionError, match="needs a rank for every result"):
            evaluate({"1": {"a": 1}}, run, "RR", **option)
        assert evaluate({"1": {"a": 1}}, {"r": run}, "RR").mean()["r"]["RR"] == 0.5  # scores decide
    del frame["score"]
    with pytest.raises(InputError, match=r"the rank is beyond 2\^53"):
        evaluate({"1": {"a": 1}}, frame, "RR")


def test_scores_equal_in_single_precision_are_ties_only_there():
    run = {"1": {"a": 16777217.0, "b": 16777216.0}}
    assert evaluate({"1": {"a": 1}}, run, "RR").mean()["run"]["RR"] == 1
    single = evaluate({"1": {"a": 1}}, run, "RR", score_precision="single")
    assert single.mean()["run"]["RR"] == 0.5
    assert single.provenance.runs["run"].decisive_ties == 1


TWICE = "1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n1 Q0 a 3 3 t\n"


@pytest.mark.parametrize("name", ["r.run", "r.gz", "r.csv"])
def test_a_document_twice_is_refused_or_counts_once(write, name):
    content = TWICE.encode()
    if name == "r.csv":
        content = b"query_id,doc_id,score\n1,a,1\n1,b,2\n1,a,3\n"
    run = write(name, gzip.compress(content) if name == "r.gz" else content)
    with pytest.raises(InputError, match=r'document "a" occurs twice in topic "1", first on line'):
        evaluate({"1": {"a": 1}}, run, "RR")
    for rule, value in (("first", 0.5), ("max", 1.0)):
        scores = evaluate({"1": {"a": 1}}, run, "RR", duplicates=rule)
        assert scores.mean()["r"]["RR"] == value
        assert scores.provenance.runs["r"].duplicates_dropped == 1
        assert scores.provenance.runs["r"].retrieved == 2


def test_a_judgment_twice_is_refused_or_counts_once(write):
    qrels = write("qrels", "1 0 a 0\n1 0 a 1\n")
    with pytest.raises(InputError, match="occurs twice"):
        evaluate(qrels, {"1": {"a": 1.0}}, "RR")
    for rule, value in (("first", 0), ("max", 1)):
        scores = evaluate(qrels, {"1": {"a": 1.0}}, "RR", duplicates=rule)
        assert scores.mean()["run"]["RR"] == value
        assert scores.provenance.qrels.duplicates_dropped == 1


@pytest.mark.parametrize(("rule", "grades"), [("majority", [1, 0]), ("median", [2, 1]), ("mean", [2.5, 1])])
def test_repeated_labels_are_combined_and_counted(rule, grades, write):
    labels = {"a": [1, 3, 5, 1], "b": [2, 0], "c": [1]}
    qrels = write("qrels", "".join(f"1 0 {doc} {g}\n" for doc, given in labels.items() for g in given))
    scores = evaluate(qrels, {"1": {"a": 2, "b": 1}}, "CG@2", duplicates=rule)
    assert Qrels.read(qrels, duplicates=rule).to_dict() == {"1": {"a": grades[0], "b": grades[1], "c": 1}}
    assert scores.mean()["run"]["CG@2"] == sum(grades)
    assert any("4 repeated labels of documents were combined" in note for note in scores.notes)


@pytest.mark.parametrize("rule", ["majority", "median", "mean"])
@pytest.mark.parametrize("backend", ["file", "frame", "columns"])
def test_results_of_a_run_are_not_combined(rule, backend, write):
    run = write("r.run", TWICE)
    if backend == "frame":
        run = {"query_id": ["1", "1"], "doc_id": ["a", "a"], "score": [1.0, 2.0]}
    elif backend == "columns":
        run = Run.read(run, duplicates="first")
        assert evaluate({"1": {"a": 1}}, run, "RR", duplicates=rule).mean()["r"]["RR"] == 0.5
        return
    with pytest.raises(InputError, match="occurs twice"):
        evaluate({"1": {"a": 1}}, run, "RR", duplicates=rule)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        *(
            (option, "sKip", rf"{option} must be one of .*, not 'sKip'")
            for option in ("order", "ties", "score_precision", "duplicates", "missing", "undefined")
        ),
        *(("threads", number, "threads must be a whole number from 1") for number in (0, -1)),
        *((option, "rank", "needs a rank for every result") for option in ("order", "ties")),
    ],
)
def test_an_option_that_cannot_have_a_value_is_an_error_that_says_why(option, value, message):
    with pytest.raises(OptionError, match=message):
        evaluate(QRELS, RUN, "AP", **{option: value})


def test_results_say_how_they_were_made(write):
    qrels, run = write("my.qrels", QRELS_TEXT), write("my.run", RUN_TEXT)
    provenance = evaluate(qrels, run, "nDCG(gains=exp2)@10", ties="docid_asc").provenance
    assert provenance.qrels._replace(digest="") == QrelsFacts(str(qrels), topics=3, judgments=5)
    assert provenance.runs["my"].source == str(run)
    assert provenance.options == {
        **{"order": "score", "ties": "docid_asc", "score_precision": "double", "duplicates": "error"},
        **{"missing": "zero", "undefined": "zero"},
    }
    assert provenance.measures["nDCG(gains=exp2)@10"].title == "Normalised discounted cumulated gain"
    assert provenance.versions["rankgauge"] == rankgauge.__version__
    assert provenance.versions["core"] == core.NAME


def test_gains_that_leave_out_a_grade_are_an_error():
    with pytest.raises(
        MeasureError, match=r"the judgments have grade 2, which gains=\{1:1\} does not map; add 2:GAIN"
    ):
        evaluate(QRELS, RUN, "nDCG(gains={1:1})")


def test_score_lists_and_vectors_refuse_a_rule_for_ties_that_they_do_not_know():
    assert DocumentOrder(ties="average").tie_rule == "docid_desc"
    with pytest.raises(OptionError, match="ties must be one of docid_desc, docid_asc, input, not 'rank'"):
        _ = DocumentOrder(ties="rank").tie_rule
