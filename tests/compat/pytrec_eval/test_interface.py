"""pytrec_eval's names, keys, topics and errors."""

import math
from collections import OrderedDict, defaultdict
from types import MappingProxyType

import numpy as np
import pytest

import rankgauge
from rankgauge.compat import pytrec_eval
from rankgauge.engines.programs import Programmed
from rankgauge.errors import RankgaugeError
from rankgauge.measures.rankings.programs import Unsupported

QREL = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {"d1": 1.5, "d2": 0.2, "d3": 0.5}}
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
COUNTS = {"runid", "num_q", "num_ret", "num_rel", "num_rel_ret"}
OFFICIAL = (
    COUNTS
    | {"map", "gm_map", "Rprec", "bpref", "recip_rank"}
    | {f"iprec_at_recall_{n / 10:.2f}" for n in range(11)}
    | {f"P_{k}" for k in CUTOFFS}
)
SET = COUNTS | {"utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"}
ALL_TREC = (
    OFFICIAL
    | SET
    | {"relstring", "infAP", "gm_bpref", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"}
    | {f"{name}_{k}" for name in ("recall", "ndcg_cut", "map_cut", "relative_P") for k in CUTOFFS}
    | {f"Rprec_mult_{n / 5:.2f}" for n in range(1, 11)}
    | {f"success_{k}" for k in (1, 5, 10)}
    | {"num_nonrel_judged_ret"}
)


def keys(*measures):
    """The keys of each topic, which are the same for all."""
    (found,) = {tuple(values) for values in evaluate(measures).values()}
    return found


def evaluate(measures, qrel=QREL, run=RUN, **options):
    return pytrec_eval.RelevanceEvaluator(qrel, measures, **options).evaluate(run)


@pytest.mark.parametrize("name", ["official", "set", "all_trec"])
def test_nicknames_have_the_keys_of_pytrec_eval(name):
    expected = {"official": OFFICIAL, "set": SET, "all_trec": ALL_TREC}[name]
    assert {*keys(name)} == expected
    assert {*keys(*pytrec_eval.supported_nicknames[name])} == expected


def test_supported_measures_are_those_of_all_trec():
    assert pytrec_eval.supported_measures == pytrec_eval.supported_nicknames["all_trec"]
    assert len(pytrec_eval.supported_measures) == 34
    assert pytrec_eval.supported_nicknames.keys() == {
        "official",
        "set",
        "all_trec",
        "all_prefs",
        "prefs",
        "qrels_jg",
    }


def test_nicknames_and_measures_combine():
    assert {*keys("official", "set", "ndcg")} == OFFICIAL | SET | {"ndcg"}


@pytest.mark.parametrize(
    ("measures", "expected"),
    [
        (["ndcg_cut.5,10"], ("ndcg_cut_5", "ndcg_cut_10")),
        (["ndcg_cut_10"], ("ndcg_cut_10",)),
        (["ndcg_cut_5,10", "ndcg_cut.10,20"], ("ndcg_cut_5", "ndcg_cut_10", "ndcg_cut_20")),
        (["P_5,1,5", "P.5"], ("P_1", "P_5")),
        (["P_5", "P"], ("P_5",)),  # parameters replace the defaults, which only `official` alone has
        (["iprec_at_recall_0.10"], ("iprec_at_recall_0.10",)),
        (["iprec_at_recall.0.1,0.25"], ("iprec_at_recall_0.10", "iprec_at_recall_0.25")),
        (["Rprec_mult_0.5"], ("Rprec_mult_0.50",)),
        (["set_F_0.5"], ("set_F",)),  # what has no cutoff or level keeps its name
        (["utility.1,-1,0,0"], ("utility",)),
        (["11pt_avg"], ("11pt_avg",)),
        (["ndcg_cut_3", "map", "P_1"], ("map", "P_1", "ndcg_cut_3")),  # in the order of trec_eval's table
    ],
)
def test_measures_are_written_as_in_pytrec_eval(measures, expected):
    for collection in (list, set, tuple, frozenset, iter):
        assert {*evaluate(collection(measures))} == {"q1", "q2"}
    assert keys(*measures) == expected


def test_parameters_count():
    assert evaluate({"set_F"}) != evaluate({"set_F_4"})
    [(_, low), (_, high)] = [*evaluate({"set_F_4"})["q1"].items(), *evaluate({"set_F_0.25"})["q1"].items()]
    precision, recall = 1 / 3, 1.0
    assert low == pytest.approx(5 * precision * recall / (4 * precision + recall))
    assert high == pytest.approx(1.25 * precision * recall / (0.25 * precision + recall))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("nonsense", "unsupported measure nonsense: .* it has 11pt_avg"),
        ("ndgc_cut_10", "unsupported measure ndgc_cut_10: .*did you mean ndcg_cut"),
        ("nDCG@10", "unsupported measure nDCG@10"),
        ("rbp", "is newer"),
        ("yaap", "rankgauge trec_eval -m yaap"),
        ("prefs", "prefs_"),
        ("qrels_jg", "avgjg"),
        ("map_5", "map takes no parameters"),
        ("P_0", "whole number from 1"),
        ("P_5x", "whole number from 1"),
        ("", "unsupported measure"),
    ],
)
def test_unsupported_measures_are_value_errors(measure, message):
    with pytest.raises(ValueError, match=message) as caught:
        evaluate({measure})
    assert isinstance(caught.value, RankgaugeError)


def test_two_measures_under_one_key_are_refused():
    with pytest.raises(ValueError, match="would both be 'set_F'"):
        evaluate({"set_F_0.5", "set_F_2"})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate({"map"}, qrel=[("q1", "d1", 1)]), "query_relevance must be a dict .*not list"),
        (lambda: evaluate({"map"}, qrel={"q1": ["d1"]}), "query_relevance: topic 'q1' has a list"),
        (
            lambda: evaluate({"map"}, qrel={"q1": {"d1": "yes"}}),
            "query_relevance: .*the grade is not a number",
        ),
        (lambda: evaluate({"map"}, run=[RUN]), "scores must be a dict .*not list"),
        (lambda: evaluate({"map"}, run={"q1": ["d1"]}), "scores: topic 'q1' has a list"),
        (lambda: evaluate({"map"}, run={"q1": {"d1": "high"}}), "scores: .*the score is not a number"),
        (lambda: evaluate({"map"}, run={"q1": {"d1": None}}), "scores: .*the score is not a number"),
        (lambda: evaluate({"map"}, run={"q1": {"d1": math.nan}}), "scores: .*NaN"),
        (lambda: evaluate(7), "measures are a set of names .*not 7"),
        (lambda: evaluate({"map", 7}), "measures are a set of names .*not 7"),
        (lambda: evaluate({"map"}, relevance_level=0), "relevance_level must be a whole number from 1 on"),
        (lambda: evaluate({"map"}, relevance_level=1.5), "relevance_level must be a whole number from 1 on"),
    ],
)
def test_unusable_input_is_a_type_error_that_names_the_argument(call, message):
    with pytest.raises(TypeError, match=message) as caught:
        call()
    assert isinstance(caught.value, RankgaugeError)


TIED = {"q": {"a": 1.0, "b": 1.0}}
CONDENSED = {"qrel": {"q": {"a": 1, "b": 0}}, "run": {"q": {"x": 3.0, "y": 2.0, "b": 1.5, "a": 1.0}}}
SOME = {"q2": {"d": 1.0}, "other": {"d": 1.0}, "q1": {"e": 2.0}, "unjudged": {"d": 1.0}}
EXAMPLES = {
    "no measure": ((), {}, {"q1": {}, "q2": {}}),
    "measures that say nothing of a topic": (
        ("num_q", "runid", "relstring"),
        {"run": {"q1": RUN["q1"]}},
        {"q1": {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}},
    ),
    "topics of both, in the order of the run": (
        "map",
        {"qrel": {"q3": {"d": 1}, "q1": {"d": 1}, "q2": {"d": 1}, "unjudged": {}}, "run": SOME},
        {"q2": {"map": 1.0}, "q1": {"map": 0.0}},
    ),
    "an empty run": ("map", {"run": {}}, {}),
    "no judged topic": ("map", {"run": {"other": {"d1": 1.0}}}, {}),
    "no judgments": ("map", {"qrel": {}}, {}),
    "a topic without judgments": ("map", {"qrel": {"q1": {}}}, {}),
    "numbers as ids": ("map", {"qrel": {1: {10: 1}}, "run": {1: {10: 0.5, 11: 0.7}}}, {1: {"map": 0.5}}),
    "any text as ids": (
        ("map", "num_ret"),
        {
            "qrel": {"q 1": {"a b": 1, "ü/€": 2, "": 0}},
            "run": {"q 1": {"a b": 0.5, "ü/€": 0.4, "": 0.9}},
        },
        {"q 1": {"num_ret": 3.0, "map": (1 / 2 + 2 / 3) / 2}},
    ),
    "ties, the lower id relevant": (
        "recip_rank",
        {"qrel": {"q": {"a": 1}}, "run": TIED},
        {"q": {"recip_rank": 0.5}},
    ),
    "ties, the higher id relevant": (
        "recip_rank",
        {"qrel": {"q": {"b": 1}}, "run": TIED},
        {"q": {"recip_rank": 1.0}},
    ),
    "ties in single precision": (
        "recip_rank",
        {"qrel": {"q": {"a": 1}}, "run": {"q": {"a": 1.00000001, "b": 1.0}}},
        {"q": {"recip_rank": 0.5}},
    ),
    "unjudged documents": (
        ("recip_rank", "num_ret"),
        CONDENSED,
        {"q": {"num_ret": 4.0, "recip_rank": 0.25}},
    ),
    "unjudged documents left out": (
        ("recip_rank", "num_ret"),
        {**CONDENSED, "judged_docs_only_flag": True},
        {"q": {"num_ret": 2.0, "recip_rank": 0.5}},
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    measures, given, expected = EXAMPLES[name]
    assert [*evaluate(measures, **given).items()] == [*expected.items()]


def test_a_topic_without_results_scores_0():
    found = evaluate({"all_trec"}, run={"q1": {}, "q2": {}})["q2"]
    low = math.log(0.00001)
    assert {key: value for key, value in found.items() if value} == {
        "num_q": 1.0,
        "num_rel": 2.0,
        "gm_map": low,
        "gm_bpref": low,
    }


def test_a_topic_without_relevant_documents_scores_0():
    found = evaluate({"all_trec"}, {"q": {"d": 0}}, {"q": {"d": 1.0}})["q"]
    assert not [key for key, value in found.items() if not math.isfinite(value)]
    assert found["map"] == found["ndcg"] == found["recall_5"] == found["set_recall"] == 0.0


def test_all_values_are_floats():
    found = evaluate({"all_trec"})
    assert {type(value) for values in found.values() for value in values.values()} == {float}


@pytest.mark.parametrize("kind", [defaultdict, OrderedDict, MappingProxyType])
def test_other_mappings_are_taken_as_well(kind):
    def as_kind(nested):
        inner = {t: defaultdict(float, d) if kind is defaultdict else kind(d) for t, d in nested.items()}
        return defaultdict(dict, inner) if kind is defaultdict else kind(inner)

    run = as_kind(RUN)
    assert evaluate({"map", "ndcg"}, as_kind(QREL), run) == evaluate({"map", "ndcg"})
    assert {*run} == {*RUN}  # nothing was added to it


@pytest.mark.parametrize("grade", [np.int64, np.int32, np.uint8, float])
@pytest.mark.parametrize("score", [np.float32, np.float64, int])
def test_numbers_that_pytrec_eval_refuses_are_taken(grade, score):
    qrel = {topic: {doc: grade(g) for doc, g in docs.items()} for topic, docs in QREL.items()}
    run = {topic: {doc: score(s * 10) for doc, s in docs.items()} for topic, docs in RUN.items()}
    assert evaluate({"official"}, qrel, run) == evaluate({"official"})


def test_the_level_of_relevance_changes_measures_without_grades():
    qrel, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    assert evaluate({"map", "ndcg"}, qrel, run)["q"]["map"] == 1.0
    stricter = evaluate({"map", "ndcg"}, qrel, run, relevance_level=2)["q"]
    assert stricter["map"] == 0.5
    assert stricter["ndcg"] == evaluate({"ndcg"}, qrel, run)["q"]["ndcg"]


def test_an_evaluator_keeps_the_judgments_it_was_made_with():
    qrel = {"q1": {"d1": 1}}
    made = pytrec_eval.RelevanceEvaluator(qrel, {"map"})
    qrel["q1"]["d1"] = 0
    assert made.evaluate({"q1": {"d1": 1.0}}) == {"q1": {"map": 1.0}}


def test_an_evaluator_serves_run_after_run_whatever_topics_they_have():
    made = pytrec_eval.RelevanceEvaluator(QREL, {"all_trec"})
    whole = made.evaluate(RUN)
    for topic in ("q2", "q1", "q2"):
        assert made.evaluate({topic: RUN[topic]}) == {topic: whole[topic]}
    assert made.evaluate(RUN) == whole


def test_one_topic_of_many_and_many_at_once_have_the_same_values_with_and_without_programs():
    rng = np.random.default_rng(7)
    names = [f"d{n}" for n in range(40)]
    qrel = {f"q{t}": {d: int(rng.integers(-1, 4)) for d in rng.choice(names, 12, False)} for t in range(30)}
    run = {t: {d: float(rng.integers(0, 9)) for d in rng.choice(names, 25, False)} for t in qrel}
    run["q3"] = {}
    made = pytrec_eval.RelevanceEvaluator(qrel, {"all_trec", "ndcg_cut_3", "set_F_2"})
    whole = made.evaluate(run)
    some = {topic: run[topic] for topic in ("q7", "q3", "q29")}
    expected = {topic: whole[topic] for topic in some}
    assert made.evaluate(some) == expected
    made._programmed = None
    assert made.evaluate(run) == whole
    assert made.evaluate(some) == expected


def test_what_a_program_cannot_do_is_left_to_arrays(monkeypatch):
    made = pytrec_eval.RelevanceEvaluator(QREL, {"map"})
    expected = made.evaluate(RUN)

    def unsupported(*_):
        raise Unsupported("it")

    monkeypatch.setattr(Programmed, "of_mapping", unsupported)
    assert made.evaluate(RUN) == expected


def test_lines_are_parsed_to_dicts_that_make_topics_as_pytrec_evals_do():
    run = pytrec_eval.parse_run(
        ["q1 Q0 d1 1 2.5 mine\n", "q1 Q0 d2 2 -1e3 mine\n", "\n", "q2\tQ0\td1\t1\t7\tmine"]
    )
    assert run == {"q1": {"d1": 2.5, "d2": -1000.0}, "q2": {"d1": 7.0}}
    qrel = pytrec_eval.parse_qrel(["q1 0 d1 1\n", "q1 0 d2 -2\n"])
    assert qrel == {"q1": {"d1": 1, "d2": -2}}
    assert type(qrel["q1"]["d1"]) is int
    assert run["unheard of"] == qrel["unheard of"] == {}


@pytest.mark.parametrize(
    ("parse", "lines", "message"),
    [
        ("parse_run", ["q1 Q0 d1 1 2.5 mine", "q1 Q0 d2 2"], "^2: expected 6 columns, found 4"),
        ("parse_run", ["q1 Q0 d1 1 high mine"], "^1: the score is not a number: 'high'"),
        ("parse_run", ["q1 Q0 d1 1 2 mine", "q1 Q0 d1 2 1 mine"], "^2: document 'd1' occurs twice"),
        ("parse_qrel", ["q1 0 d1"], "^1: expected 4 columns, found 3"),
        ("parse_qrel", ["q1 0 d1 1.5"], "^1: the grade is not a whole number: '1.5'"),
        ("parse_qrel", ["q1 0 d1 1", "q1 0 d1 2"], "^2: document 'd1' occurs twice in topic 'q1'"),
    ],
)
def test_lines_that_cannot_be_read_are_value_errors_with_their_number(parse, lines, message):
    with pytest.raises(ValueError, match=message) as caught:
        getattr(pytrec_eval, parse)(lines)
    assert isinstance(caught.value, RankgaugeError)


def test_counts_are_added_up_logarithms_averaged_and_exponentiated_and_the_rest_averaged():
    aggregate = pytrec_eval.compute_aggregated_measure
    assert aggregate("num_rel", [1.0, 2.0, 4.0]) == 7.0
    assert aggregate("gm_map", [math.log(0.1), math.log(0.4)]) == pytest.approx(0.2)
    assert aggregate("map", [0.25, 0.75]) == 0.5
    assert type(aggregate("map", np.array([0.25]))) is float


def test_it_has_a_version_which_others_look_for():
    assert pytrec_eval.__version__ == rankgauge.__version__
