"""Measures of ir_measures as values: how they print, compare and are parsed."""

import math
import pickle
import sys

import numpy as np
import pytest
from rankgauge.compat.ir_measures import (
    AP,
    BPM,
    ERR,
    MAP,
    SDCG,
    IPrec,
    Measure,
    NumRelRet,
    NumRet,
    P,
    R,
    SetF,
    SetP,
    SetRelP,
    Success,
    alpha_nDCG,
    nDCG,
    parse_measure,
    parse_trec_measure,
    α_nDCG,
)

from rankgauge.compat import ir_measures
from rankgauge.errors import MeasureError
from rankgauge.extensions.tools.ir_measures.evaluation import TRANSLATED
from rankgauge.extensions.tools.ir_measures.measures import registry

TEXTS = [
    "AP",
    "AP(rel=2)",
    "AP@100",
    "nDCG@20",
    "P(rel=2)@10",
    "P(rel=2,judged_only=True)@10",
    "nDCG(dcg='exp-log2')@10",
    "nDCG(gains={0:1,1:5})@10",
    "IPrec@0.1",
    "IPrec(rel=2)@1.0",
    "RBP(p=0.5,rel=1)",
    "NumRet(rel=1)",
    "SetP(relative=True)",
    "SDCG(max_rel=3)@10",
    "Compat(p=0.8,normalize=False)",
    "alpha_nDCG(alpha=0.3)@20",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_measure_is_its_text(text):
    measure = parse_measure(text)
    assert str(measure) == repr(measure) == text
    assert parse_measure(str(measure)) == measure
    assert {measure: 1}[parse_measure(text)] == 1
    assert parse_measure(measure) is measure


def test_measures_are_composed():
    assert str(P(rel=2) @ 10) == "P(rel=2)@10" == str((P @ 10)(rel=2)) == str(P(cutoff=10, rel=2))
    assert P @ 10 == P(rel=1) @ 10 == parse_measure("P@10")  # a default is not stated
    assert P @ 10 != P @ 5
    assert P @ 10 != "P@10"
    assert str(P @ 5 @ 10) == "P@10"
    assert str(P(judged_only=True, rel=2) @ 5) == "P(rel=2,judged_only=True)@5"
    assert P(judged_only=True, rel=2) @ 5 == P(rel=2, judged_only=True) @ 5
    assert (P(rel=2) @ 10)["rel"] == 2
    assert (P @ 10)["rel"] == 1
    assert isinstance(P @ 10, Measure)


def test_aliases_are_the_same_measure():
    assert MAP is AP
    assert α_nDCG is alpha_nDCG
    assert NumRelRet == NumRet(rel=1)
    assert SetRelP == SetP(relative=True)
    assert parse_measure("NDCG@10") == nDCG @ 10
    assert parse_measure("MRR") == ir_measures.RR
    assert parse_measure("α_nDCG@10") == alpha_nDCG @ 10


def test_numbers_of_numpy_and_whole_numbers_for_real_ones_are_taken():
    assert nDCG @ np.int64(10) == nDCG @ 10
    assert str(IPrec @ 1) == "IPrec@1.0"
    assert str(SetF(beta=2)) == "SetF(beta=2.0)"


def test_measures_are_pickled_and_copied():
    measure = P(rel=2) @ 10
    assert pickle.loads(pickle.dumps(measure)) == measure


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: P(relevance=2),
            "no parameter 'relevance'.*; its parameters are cutoff, rel, judged_only",
        ),
        (lambda: P(rels=2), r"no parameter 'rels' \(did you mean rel\?\)"),
        (lambda: P @ 1.5, "P: cutoff must be a whole number, not 1.5"),
        (lambda: P @ True, "P: cutoff must be a whole number, not True"),
        (lambda: P(judged_only=1), "P: judged_only must be True or False, not 1"),
        (lambda: nDCG(dcg="log10"), "nDCG: dcg must be one of log2, exp-log2, not 'log10'"),
        (lambda: nDCG(gains=[1]), "nDCG: gains must be a dict from grade to gain"),
        (lambda: nDCG(gains={"a": 1}), "nDCG: gains must be a dict from grade to gain"),
        (lambda: ERR(rel=2), "ERR has no parameter 'rel'"),
        (lambda: parse_measure("nDGC@10"), r"no measure 'nDGC' \(did you mean nDCG\?\)"),
        (lambda: parse_measure("P(2)@10"), "cannot read the measure"),
        (lambda: parse_measure("P@10 R@10"), "cannot read the measure"),
        (lambda: parse_measure("P@open('x')"), "cannot read the measure"),
        (lambda: parse_measure("__import__('os').system('x')"), "cannot read the measure"),
        (lambda: parse_measure("(" * 100_000), "cannot read the measure"),
        (lambda: parse_measure(10), "a measure is a text such as 'nDCG@10', not 10"),
        (lambda: parse_trec_measure("ndgc_cut_10"), "no measure for 'ndgc_cut_10'"),
        (lambda: parse_trec_measure("P_1.5"), "P: cutoff must be"),
        (lambda: parse_trec_measure("map_3"), "no measure for 'map_3'"),
        (lambda: parse_trec_measure("gm_map"), "no measure for 'gm_map'"),
    ],
)
def test_what_cannot_be_is_refused_at_once(make, message):
    with pytest.raises(MeasureError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: parse_measure("nDGC@10"), NameError),
        (lambda: parse_measure("P(2)@10"), ValueError),
        (lambda: parse_trec_measure("gm_map"), ValueError),
        (lambda: P(relevance=2), AssertionError),
        (lambda: P.validate_params(), AssertionError),
    ],
)
def test_errors_are_also_of_the_types_that_ir_measures_raises(make, error):
    with pytest.raises(error) as raised:
        make()
    assert isinstance(raised.value, MeasureError)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (P, "P needs cutoff, as in P@10"),
        (R, "R needs cutoff"),
        (Success, "Success needs cutoff"),
        (IPrec, "IPrec needs recall, as in IPrec@0.1"),
        (BPM(max_rel=3), "BPM needs cutoff"),
        (SDCG @ 10, "SDCG needs max_rel, as in SDCG"),
        (SetF(beta=-1), "beta must be"),
        (nDCG(gains={1: 3}, dcg="exp-log2"), "gains= and dcg='exp-log2' exclude each other"),
        (nDCG(gains={1: math.inf}), "gains must be"),
        (P @ 0, "the cutoff must be a whole number from 1"),
    ],
)
def test_what_is_missing_is_refused_when_the_measure_is_used(measure, message):
    with pytest.raises(MeasureError, match=message):
        ir_measures.calc_aggregate([measure], {"q": {"d": 1}}, {"q": {"d": 1.0}})


TREC = {
    "map": "AP",
    "P": "P@5 P@10 P@15 P@20 P@30 P@100 P@200 P@500 P@1000",
    "P_3,8": "P@3 P@8",
    "P.3,8": "P@3 P@8",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.10": "nDCG@10",
    "map_cut_100": "AP@100",
    "recall_5": "R@5",
    "recip_rank": "RR",
    "num_rel_ret": "NumRet(rel=1)",
    "set_F": "SetF",
    "set_F.2": "SetF(beta=2.0)",
    "set_relative_P": "SetP(relative=True)",
    "iprec_at_recall_0.10": "IPrec@0.1",
    "success": "Success@1 Success@5 Success@10",
}


@pytest.mark.parametrize(("name", "expected"), TREC.items())
def test_names_of_trec_eval(name, expected):
    assert " ".join(map(str, parse_trec_measure(name))) == expected


def test_sets_of_trec_eval_without_what_ir_measures_lacks():
    with pytest.warns(UserWarning, match="official: ir_measures has no gm_map; rankgauge.evaluate has"):
        official = parse_trec_measure("official")
    assert str(official) == (
        "[P@5, P@10, P@15, P@20, P@30, P@100, P@200, P@500, P@1000, Rprec, Bpref, IPrec@0.0, IPrec@0.1, "
        "IPrec@0.2, IPrec@0.3, IPrec@0.4, IPrec@0.5, IPrec@0.6, IPrec@0.7, IPrec@0.8, IPrec@0.9, IPrec@1.0, "
        "AP, NumQ, NumRel, NumRet(rel=1), NumRet, RR]"
    )
    with pytest.warns(UserWarning, match="utility"):
        assert SetF in parse_trec_measure("set")


def test_every_measure_is_exported_and_translated():
    assert {measure.NAME for measure in registry.values()} == set(TRANSLATED)
    assert {*registry} <= {*ir_measures.__all__}
    for module in (ir_measures, ir_measures.measures):
        assert all(getattr(module, name) == measure for name, measure in registry.items())
        with pytest.raises(AttributeError, match=r"no measure 'nDGC' \(did you mean nDCG\?\)"):
            module.nDGC  # noqa: B018
    assert len({*ir_measures.__all__}) == len(ir_measures.__all__)
    assert all(hasattr(ir_measures, name) for name in ir_measures.__all__)


def test_older_names_are_there():
    assert ir_measures.convert_trec_name("map") == [AP]
    assert [*ir_measures.parse_trec_qrels("q 0 d 1\n")] == [ir_measures.GenericQrel("q", "d", 1)]
    assert [*ir_measures.parse_trec_run("q 0 d 1 2 x\n")] == [ir_measures.GenericScoredDoc("q", "d", 2.0)]


def test_all_names_but_those_of_internals_are_there():
    theirs = pytest.importorskip("ir_measures")
    left_out = {"calc_ctxt", "util", "lazylibs", "__version__", "measures"}
    assert {*theirs.__all__} - {*ir_measures.__all__} == left_out


MORE = [("SetP", "cutoff"), ("SetR", "cutoff")]  # which ir_measures reads, and its provider ranx computes


def test_names_parameters_and_defaults_are_those_of_ir_measures():
    theirs = pytest.importorskip("ir_measures").measures.registry

    def described(measure):
        """(text, what follows the @, {parameter: (type, required, default, choices)})."""
        return (
            repr(measure),
            measure.AT_PARAM,
            {
                name: (
                    info.dtype,
                    info.required,
                    info.default if isinstance(info.default, (int, float, str)) else None,
                    list(info.choices) if isinstance(info.choices, (list, tuple)) else [],
                )
                for name, info in measure.SUPPORTED_PARAMS.items()
                if (measure.NAME, name) not in MORE
            },
            type(measure.aggregator()).__name__,
        )

    assert {name: described(measure) for name, measure in registry.items()} == {
        name: described(measure) for name, measure in theirs.items()
    }


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures parses with what Python 3.14 lacks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_those_of_ir_measures(text):
    theirs = pytest.importorskip("ir_measures")
    assert str(theirs.parse_measure(text)) == str(parse_measure(text))
