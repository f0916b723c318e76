"""Measures by the names that other tools, papers and people have for them."""

import re
import subprocess
import sys

import pytest

from rankgauge import evaluate, measure, parse
from rankgauge.errors import MeasureError
from rankgauge.measures import MEASURES, find, named, other_tools, parse_all
from rankgauge.measures.language import canonical, parse_given
from rankgauge.schema.registry import fold
from registries import restored

# {whose names: {text: the measure}}; tests below compare some of them with the tools themselves
MEANINGS = {
    "trec_eval": {
        "ndcg_cut_10": "nDCG@10",
        "P_5": "P@5",
        "P.5": "P@5",
        "map": "AP",
        "rbp": "RBP(p=0.9,gains=linear)",
        "rbp_resid": "RBP_residual(p=0.9,negatives=unjudged)",
        "dcg": "DCG",
        "ideal_dcg": "IDCG",
        "recip_rank": "RR",
        "G": "G",
        "11pt_avg": "AP11(levels=trec10)",
    },
    "ir_measures": {
        "nDCG(dcg='exp-log2')@10": "nDCG(gains=exp2)@10",
        "SetF(beta=0.5)": "F(beta=0.5)",
        "SetP(relative=True)": "RelP",
        "SetP(relative=False)": "P",
        "SetRelP": "RelP",
        "NumRet(rel=1)": "NumRelRet",
        "NumRet(rel=2)": "NumRelRet(rel=2)",
        "BPM(T=1.0,min_rel=0,max_rel=3)@10": "BPM(max_rel=3)@10",
        "INST(T=2.0,max_rel=3)": "INST(T=2,max_rel=3)",
        "SDCG(dcg='log2',max_rel=3)@10": "SDCG(max_rel=3)@10",
        "Compat(p=0.95,normalize=True)": "Compat",
        "RBP(p=0.8,rel=2)@10": "RBP(rel=2)@10",
        "P(cutoff=5)": "P@5",
        "α_nDCG@20": "alpha_nDCG@20",
    },
    "ranx": {
        "hits": "NumRelRet(average=mean)",
        "hits@10": "NumRelRet(average=mean)@10",
        "hit_rate@5": "Success@5",
        "precision@5": "P@5",
        "recall@5": "R@5",
        "f1@10": "F@10",
        "r-precision": "Rprec",
        "mrr@10": "RR@10",
        "map@100-l2": "AP(rel=2)@100",
        "mrr-l2": "RR(rel=2)",
        "dcg@10": "DCG@10",
        "dcg_burges@10": "DCG(gains=exp2)@10",
        "ndcg@10": "nDCG@10",
        "ndcg_burges@10": "nDCG(gains=exp2)@10",
        "bpref": "Bpref",
    },
    "torchmetrics": {
        "RetrievalMAP": "AP",
        "retrieval_average_precision": "AP",
        "RetrievalMRR(top_k=10)": "RR@10",
        "retrieval_reciprocal_rank": "RR",
        "RetrievalNormalizedDCG(top_k=10)": "nDCG@10",
        "retrieval_normalized_dcg": "nDCG",
        "RetrievalPrecision(top_k=5)": "P@5",
        "RetrievalRecall": "R",
        "RetrievalHitRate": "Success",
        "RetrievalRPrecision": "Rprec",
        "RetrievalFallOut(docs=100)@5": "Fallout(docs=100)@5",
    },
    "BEIR": {
        "NDCG@10": "nDCG@10",
        "MAP@100": "AP@100",
        "Recall@100": "R@100",
        "P@1": "P@1",
        "MRR@10": "RR@10",
        "mrr_cut@10": "RR@10",
        "R_cap@100": "RelP@100",
        "recall_cap@100": "RelP@100",
        "top_k_accuracy@10": "Success@10",
    },
    "MTEB": {
        "ndcg_at_10": "nDCG@10",
        "map_at_1000": "AP@1000",
        "recall_at_100": "R@100",
        "precision_at_1": "P@1",
        "mrr_at_10": "RR@10",
        "hit_rate_at_5": "Success@5",
        "HitRate@5": "Success@5",
        "R_cap_at_10": "RelP@10",
    },
    "scikit-learn": {
        "ndcg_score(k=10)": "nDCG@10",
        "dcg_score": "DCG",
        "label_ranking_average_precision_score": "AP",
    },
    "NTCIREVAL": {
        "MSnDCG@0010": "nDCG@10",
        "Q-measure": "Q",
        "P-plus": "P_plus",
        "D#-nDCG@10": "Dsharp_nDCG@10",
        "I-rec@10": "StRecall@10",
    },
    "ndeval": {"alpha-nDCG@10": "alpha_nDCG@10", "strec@10": "StRecall@10", "ERR-IA@5": "ERR_IA@5"},
    "documents": {
        "AveP": "AP",
        "AveP@100": "AP@100",
        "genAveP": "genAP",
        "O-measure": "O_measure",
        "P-measure": "P_measure",
        "Q_measure(beta=10)@5": "Q(beta=10)@5",
        "q-measure": "Q",
        "R-measure": "R_measure",
        "WAP": "AWP",
        "WP@10": "nCG@10",
        "P+": "P_plus",
        "P+(beta=2)@10": "P_plus(beta=2)@10",
        "α-nDCG@10": "alpha_nDCG@10",
        "α nDCG@10": "alpha_nDCG@10",
        "D♯-nDCG@10": "Dsharp_nDCG@10",
    },
    "people": {
        "mrr": "RR",
        "recall": "R",
        "precision": "P",
        "twist": "Twist",
        "p@10": "P@10",
        "p_10": "P@10",
        "Recall_100": "R@100",
        "NDCG_CUT_10": "nDCG@10",
        "hit rate": "Success",
        "Hit Rate@10": "Success@10",
        "HR@10": "Success@10",
        "Hit@5": "Success@5",
        "success@5": "Success@5",
        "rprec": "Rprec",
        "err@20": "ERR@20",
        "Accuracy": "Accuracy",
        "LRAP": "AP",
        "F1": "F",
        "F_2@10": "F(beta=2)@10",
        "average precision(rel=2)@10": "AP(rel=2)@10",
        "mean reciprocal rank": "RR",
        "expected_reciprocal_rank@20": "ERR@20",
        "NDCG": "nDCG",
        "AvgPrec@10": "AP@10",
        "recall at 10": "R@10",
        "andcg@10": "AnDCG@10",
        "ERR\u2013IA@5": "ERR_IA@5",
        "\u03b1\u2010nDCG@5": "alpha_nDCG@5",
        "\u03b1\u2011nDCG@5": "alpha_nDCG@5",
        "ndcg(REL=2)@10": "nDCG(rel=2)@10",
        "nDCG(Gains=exp2)@10": "nDCG(gains=exp2)@10",
        "P(CUTOFF=5)": "P@5",
        "ndcg@5": "nDCG@5",
        "ERR-ia@5": "ERR_IA@5",
        "gmap": "AP(average=geometric)",
    },
}


@pytest.mark.parametrize(
    ("text", "meant"), [(text, meant) for names in MEANINGS.values() for text, meant in names.items()]
)
def test_a_name_leads_to_its_measure(text, meant):
    assert str(parse(text)) == meant
    assert parse_all([text]) == (parse(meant),)


def test_a_level_behind_the_cutoff_does_not_depend_on_what_is_imported():
    for name in ("P", "AP", "ERR"):
        parse(name)
        assert str(parse(f"{name}@10-l2")) == f"{name}(rel=2)@10"


def test_no_two_measures_differ_only_in_how_a_name_is_written():
    folded = {}
    for name, spec in MEASURES.items():
        for word in (name, *spec.aliases, *spec.trec):
            assert folded.setdefault(fold(word), name) == name, word


@pytest.mark.parametrize("name", list(MEASURES))
def test_case_and_separators_do_not_matter(name):
    spec = MEASURES[name]
    for word in (name, *spec.aliases, spec.title):
        for text in (
            word.upper(),
            word.lower(),
            word.title(),
            word.replace("_", "-"),
            word.replace("-", "_"),
        ):
            assert find(text) is spec
    assert find(name.replace("_", "")) is spec


def test_exact_text_wins():
    assert str(parse("rbp")) == "RBP(p=0.9,gains=linear)"
    assert str(parse("RBP")) == str(parse("Rbp")) == "RBP"
    with restored(MEASURES):

        @measure("p", title="Another", formula="...", cite="...", bounds=(0, 1))
        def another(j: "JudgedRankings") -> "Curve":  # noqa: F821
            """Another measure, the name of which differs from P in case alone."""
            return j.hits

        assert parse("p@10").spec.title == "Another"
        assert parse("P@10").spec.title == "Precision"
    assert parse("p@10").spec.title == "Precision"


def test_a_text_that_is_as_near_to_two_measures_leads_to_neither():
    with restored(MEASURES):
        for name in ("abc_d", "abcD", "aP"):

            def function(j: "JudgedRankings") -> "Curve":  # noqa: F821
                """A measure."""
                return j.hits

            function.__qualname__ = name
            measure(name, title=name, formula="...", cite="...", bounds=(0, 1))(function)
        for name in ("abc_d", "abcD", "aP", "AP"):
            assert parse(name).spec.name == name
        with pytest.raises(MeasureError, match=r"no measure named 'ABCD' \(did you mean abcD\?\)"):
            parse("ABCD")
        with pytest.raises(MeasureError, match="no measure named 'Ap'"):
            parse("Ap")


def test_several_names_with_spaces_and_without():
    text = "nDCG@10 hit rate@5 average precision, reciprocal rank;P@5,10 ndcg_at_5,20 R precision"
    assert [str(each) for each in parse_all(text)] == (
        ["nDCG@10", "Success@5", "AP", "RR", "P@5", "P@10", "nDCG@5", "nDCG@20", "R", "P"]
    )
    assert [str(each) for each in parse_all("hit rate")] == ["Success"]
    for text in ("nonsense rate", "hit nonsense", "rate", "AP nonsense"):
        with pytest.raises(MeasureError, match=r"no measure named '(nonsense|rate)'"):
            parse_all(text)


def test_the_text_that_named_a_measure_is_known():
    given = parse_given("ndcg_cut_10 nDCG@10 P_5,10 hit rate@5")
    assert {text: str(each) for text, each in given.items()} == {
        "ndcg_cut_10": "nDCG@10",
        "nDCG@10": "nDCG@10",
        "P_5": "P@5",
        "P_10": "P@10",
        "hit rate@5": "Success@5",
    }
    assert {text: str(each) for text, each in parse_given("set").items()} == {
        str(each): str(each) for each in parse_all("set")
    }


@pytest.mark.parametrize(("tool", "name", "pattern", "reason"), other_tools.REFUSED)
def test_what_is_no_measure_is_refused_with_a_reason(tool, name, pattern, reason):
    for text in (name, name.upper(), name.lower()):
        with pytest.raises(MeasureError, match=f"of {re.escape(tool)} is not among the measures; "):
            parse(text)
    with pytest.raises(MeasureError, match=re.escape(reason)):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, [name])
    for text in re.findall(r"\b[A-Z]\w*(?:\([^)]*\))?@?\d*", reason):  # what it says to write instead
        assert canonical(text) == text


@pytest.mark.parametrize(("name", "instead"), [row[1:3] for row in other_tools.DIFFERENT])
def test_names_with_another_meaning_here_have_it(name, instead):
    assert str(parse(instead)) == instead
    assert parse(name) != parse(instead)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("map@100", "map@100 divides by all R relevant documents, as trec_eval does; sentence-transformers "),
        ("MAP_at_10", "MAP_at_10 divides by all R relevant documents"),
        (
            "dcg",
            "dcg adds up grades, as ranx does; Elasticsearch adds up 2^grade − 1, which is DCG(gains=exp2)",
        ),
        ("dcg@10", "dcg@10 adds up grades"),
        (
            "hits@10",
            "hits@10 counts relevant documents, as ranx does; in link prediction (PyKEEN) it is Success@10",
        ),
        (
            "Accuracy@10",
            "Accuracy@10 is the share of pairs in the right order, as in ir_measures; in BEIR it is "
            "Success@10",
        ),
        ("Accuracy_at_5", "Accuracy_at_5 is the share of pairs in the right order"),
        ("Map@10", "Map@10 divides by all R relevant documents"),
        ("mAP@10", "mAP@10 divides by all R relevant documents"),
        (
            "map(rel=2)@10",
            "map(rel=2)@10 divides by all R relevant documents, as trec_eval does; sentence-transformers "
            "divides by min(k, R), which is AP(norm=cut,rel=2)@10",
        ),
        (
            "dcg(rel=1)",
            "dcg(rel=1) adds up grades, as ranx does; Elasticsearch adds up 2^grade − 1, which is "
            "DCG(gains=exp2,rel=1)",
        ),
        ("HITS@10", "HITS@10 counts relevant documents"),
        *(
            (text, "")
            for text in (
                *("AP@100", "map", "map_cut_100", "DCG@10", "dcg_burges@5", "Accuracy", "Hit@5"),
                *("map(norm=cut)@5", "dcg(gains=exp2)@5", "DCG(rel=1)", "gm_map"),
            )
        ),
    ],
)
def test_a_text_that_other_tools_read_differently_gets_a_note(text, note):
    scores = evaluate({"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 0.5}}, [text, "P@5"])
    found = [each for each in scores.notes if each.startswith(f"{text} ")]
    assert bool(found) == bool(note)
    assert all(each.startswith(note) for each in found)


def test_a_cutoff_of_as_many_documents_as_are_relevant():
    for text, meant in {"MAP@R": "AP_at_R", "map@r": "AP_at_R", "P@R": "Rprec", "recall@R": "Rprec"}.items():
        assert str(parse(text)) == meant
    with pytest.raises(MeasureError, match="the cutoff must be a whole number"):
        parse("nDCG@R")


# {what the error says: texts}
REFUSALS = {
    "there it is Success@10": ["accuracy@10", "accuracy", "ACCURACY@5", "accuracy_at_1", "accuracy@5-l2"],
    "R@5 is the share of the relevant ones": ["context_recall", "ContextRecall", "llm_context_recall@5"],
    "it divides by the relevant passages found": ["context_precision", "context_precision@5"],
    "`rankgauge diff`": ["RBO", "rbo(p=0.9)", "rbo@10"],
    "write alpha_nDCG, or AnDCG for the average": [
        "a-nDCG@10",
        "a_ndcg_at_10",
        "A nDCG",
        "a-nDCG(alpha=0.3)@5",
    ],
    "write RBP(p=0.95) for binary judgments": ["rbp.95", "rbp_0.95", "rbp.0.8", "rbp_.8", "RBP_95"],
    ": -l2 is rel=2": ["nDCG(rel=3)@10-l2", "AP(rel=1)-l2", "ndcg( rel = 2 )@10-l2"],
    "did you mean": ["hit_rte", "HitRat", "Q-measur", "r-precisio", "nDGC", "twits", "recal"],
    "(did you mean nDCG@10?)": ["ndcg_10", "NDCG_10"],
    "(did you mean RR@10?)": ["rr_10", "RR10"],
    "(did you mean AP@10?)": ["map_10"],
    "(did you mean ERR@20?)": ["err_20"],
    "(did you mean R@1?)": ["r1"],
    "(did you mean nDCG?)": ["ndcg_exp", "\u03b2-ndcg", "u-ndcg"],
    "'; `rankgauge measures --all`": [
        "foo",
        "Q+",
        "bleu",
        "rouge",
        "kappa",
        "perplexity",
        "x",
        "ab",
        "context_recal",  # set_recall is near, and another kind of measure
    ],  # none is near
    "'P_5,10' names several measures, P@5 and P@10; name one": ["P_5,10"],
    "'AP, RR' names several measures, AP and RR; name one": ["AP, RR"],
    "'nDCG @ 10, AP' names several measures, nDCG@10 and AP; name one": ["nDCG @ 10, AP"],
    "P: relative must be true or false, not 7": ["SetP(relative=7)"],
    "BPM: min_rel must be one of 0, not 1": ["BPM(min_rel=1)@5"],
    "NumRelRet: rel must be a number": ["NumRet(rel=x)"],
    "no measure named 'P_k'": ["P_k"],
    "no measure named 'ndcg_cut_k'": ["ndcg_cut_k"],
    "no measure named 'map_cut_k'": ["map_cut_k"],
    "the cutoff is set twice": ["P(top_k=5)@10"],
    "rel is set twice": ["nDCG(rel=2,REL=3)", "nDCG(rel=3)@10-l2"],
}


@pytest.mark.parametrize(
    ("text", "message"), [(text, message) for message, texts in REFUSALS.items() for text in texts]
)
def test_a_text_that_names_no_measure_is_refused_with_what_to_write(text, message):
    with pytest.raises(MeasureError, match=re.escape(message)) as refused:
        parse(text)
    assert text in str(refused.value) or "(" in text


@pytest.mark.parametrize(
    "text", ["x" * 10**6, "P" + "-l2" * 10**5, "P" + "_at_5" * 10**5, "a " * 10**5, "hit " * 3000]
)
def test_hostile_texts_are_refused_at_once(text):
    code = "import sys; from rankgauge.errors import *; from rankgauge.measures import *\n"
    code += "try: parse_all(sys.stdin.read())\nexcept MeasureError: pass\nelse: sys.exit('taken')"
    if text.startswith("hit"):  # many measures in one text are one
        code = code.replace("'taken'", "0")
    subprocess.run([sys.executable, "-c", code], input=text, text=True, check=True, timeout=60)


def test_measures_of_ir_measures_are_measures():
    ir_measures = pytest.importorskip("ir_measures")
    for given, meant in (
        (ir_measures.nDCG @ 10, "nDCG@10"),
        (ir_measures.nDCG(dcg="exp-log2") @ 10, "nDCG(gains=exp2)@10"),
        (ir_measures.SetRelP, "RelP"),
        (ir_measures.NumRelRet, "NumRelRet"),
        (ir_measures.IPrec @ 0.1, "IPrec@0.1"),
        (ir_measures.P(rel=2, judged_only=True) @ 5, "P(rel=2,judged_only=true)@5"),
        (ir_measures.BPM(max_rel=3, min_rel=0) @ 10, "BPM(max_rel=3)@10"),
    ):
        assert str(parse(given)) == str(parse(str(given))) == meant
        assert parse_all(given) == parse_all([given]) == (parse(meant),)
    with pytest.raises(MeasureError, match="IPrec needs recall"):
        parse(ir_measures.IPrec)


def test_a_class_that_looks_like_ir_measures_is_enough():
    class Foreign:
        NAME, params = "nDCG", {"cutoff": 10}

    assert str(parse(Foreign())) == "nDCG@10"
    Foreign.NAME = "nothing"
    with pytest.raises(MeasureError, match="no measure named 'nothing'"):
        parse(Foreign())
    with pytest.raises(MeasureError, match="a measure is a text such as 'nDCG@10', not 3"):
        parse(3)


def parse_foreign(known):
    return named(known.NAME)(**known.params)


def test_every_name_of_ir_measures_is_known():
    ir_measures = pytest.importorskip("ir_measures")
    for name, known in ir_measures.measures.registry.items():
        assert find(name) is named(name).spec is parse_foreign(known).spec
        assert name in find(name).names.tools["ir_measures"].split()


def test_every_name_of_ranx_is_known_or_refused():
    from importlib.util import find_spec
    from pathlib import Path

    ranx = find_spec("ranx")
    if ranx is None:
        pytest.skip("ranx is not installed")
    source = (Path(ranx.submodule_search_locations[0]) / "metrics" / "__init__.py").read_text()
    names = re.findall(r'metric == "([^"]+)"', source)
    assert len(names) > 10
    for name in names:
        if name != "rbp":  # which is nothing without its parameter, and refused with it
            assert name in "".join(find(name).names.tools["ranx"]).replace("(", " ").split()


def test_ranx_hits_are_averaged_and_f1_is_read_at_the_cutoff():
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"x": 2.0, "y": 1.0}}
    means = evaluate(qrels, run, "hits hits@1 f1@1 hit_rate@1").mean()["run"]
    assert list(means.values()) == pytest.approx([1.0, 0.5, 2 * (1 * 0.5) / 1.5 / 2, 0.5])


def test_the_parameter_of_set_f_is_the_square_of_beta():
    assert str(parse("set_F_4")) == str(parse("set_F.4")) == "F(beta=2)"
    assert parse("set_F_1") == parse("set_F") == parse("F")
    assert parse("set_F_0.25").settings["beta"] == 0.5
    assert [str(m) for m in parse_all("set_F_4,set_F_1 P_5")] == ["F(beta=2)", "F", "P@5"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("nDCG @ 10", ["nDCG@10"]),
        ("ndcg (rel=2) @10", ["nDCG(rel=2)@10"]),
        ("recall at 10, ndcg\t@\t5 AP", ["R@10", "nDCG@5", "AP"]),
        ("Recall At 10 hit rate @5", ["R@10", "Success@5"]),
        ("utility.1,-1,0,0", ["Utility"]),
        ("utility.2,-1,0,0", ["Utility(a=2)"]),
        ("ndcg.1=3,2=9", ["nDCG(gains={1:3,2:9})"]),
        ("nDCG(base=2|10) @ 5", ["nDCG(base=2)@5", "nDCG(base=10)@5"]),
        (
            "P@5,10 AP,nDCG(gains={1:1,2:3})@5,20 map_cut.5,10",
            [
                *("P@5", "P@10", "AP", "nDCG(gains={1:1,2:3})@5", "nDCG(gains={1:1,2:3})@20"),
                *("AP@5", "AP@10"),
            ],
        ),
        ("hit rate@5,10; D nDCG", ["Success@5", "Success@10", "D_nDCG"]),
    ],
)
def test_what_one_measure_may_be_written_like_several_may(text, meant):
    assert [str(each) for each in parse_all(text)] == meant
    if len(meant) == 1:
        assert str(parse(text)) == meant[0]


def test_spaces_without_end_are_skipped_at_once():
    assert [str(each) for each in parse_all("nDCG" + " " * 200_000 + "@10")] == ["nDCG@10"]
