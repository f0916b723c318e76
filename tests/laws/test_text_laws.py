"""The text of a measure is its identity, whatever the measure."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import MeasureError
from rankgauge.measures import find, measure, named_set, parse, parse_all, set_names
from rankgauge.measures.language import pieces


def test_a_name_that_stands_for_settings_takes_more_of_them_but_not_the_same_again():
    assert str(parse("GMAP(rel=2)@10")) == "AP(rel=2,average=geometric)@10"
    with pytest.raises(MeasureError, match="average is set twice"):
        parse("GMAP(average=mean)")


@pytest.mark.parametrize("cutoff", ["0", "-1", "1.5", "²", "٣", "ten", "1e2", "9" * 10, "9" * 5000, "1_0"])
@pytest.mark.parametrize("text", ["P@{}", "P(cutoff={})"])
def test_a_cutoff_is_a_whole_number_from_one(text, cutoff):
    with pytest.raises(MeasureError):
        parse(text.format(cutoff))


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("nDCG(dcg='exp-log2')@10", "nDCG(gains=exp2)@10"),
        ('nDCG(dcg="log2")@10', "nDCG@10"),
        ("P(cutoff=5)", "P@5"),
        ("nDCG(discount=jk)", "nDCG(base=2)"),
        ("nDCG(base=10,discount=jk)@5", "nDCG(base=10)@5"),
        ("DCG( base = 2.50 , gains = { 2 : 10 , 1 : 1.0 } ) @ 007", "DCG(gains={1:1,2:10},base=2.5)@7"),
        ("AP(rel=2.0)", "AP(rel=2)"),
        ("AP(judged_only=YES)", "AP(judged_only=true)"),
        ("ndcg_cut_10", "nDCG@10"),
        ("map_cut.20", "AP@20"),
        ("IPrec@.10", "IPrec@0.1"),
        ("IPrec(recall=1,rel=2)", "IPrec(rel=2)@1"),
        ("iprec_at_recall_0.10", "IPrec(levels=trec10)@0.1"),
        ("Rprec_mult_0.20", "Rprec(times=0.2)"),
        ("11pt_avg", "AP11(levels=trec10)"),
        ("11pt_avg_.25,.5,.75", "AP11(points={0.25,0.5,0.75},levels=trec10)"),
        ("utility_2,-1,0,0", "Utility(a=2)"),
        ("ndcg_1=3,2=9", "nDCG(gains={1:3,2:9})"),
        ("AP(average=mean)", "AP"),
        ("FirstRank(average=median)", "FirstRank"),
        ("SetP(average=micro)", "P(average=micro)"),
    ],
)
def test_a_measure_has_one_canonical_text(text, means):
    assert str(parse(text)) == means


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "@5",
            "P@",
            "P@5@6",
            "P(",
            "P()x",
            "P(rel)",
            "P(rel=)",
            "P(rel=1",
            "P(rel=1 judged_only=true)",
        ),
        *("P(rel=1,rel=2)", "nDCG(gains={1:1,1:2})", "nDCG(gains={1})", "nDCG(dcg={1:2})", "nDCG(dcg=exp)"),
        *(
            "nDCG(base=2,discount=log2)",
            "P(negatives=unjudged,rel=2,)",
            "P(negatives=nonrelevant)",
            "P(cutoff=1)@2",
            "P(rel=1,grade=2)",
            "F(beta=2,alpha=0.5)",
            "Utility(d=1)",
            "AP(average=micro)",
            "IPrec@1.1",
            "IPrec@x",
            "IPrec(recall=0.1)@0.1",
            "AP11(points={})",
            "AP11(points={0.5,0.25})",
            "AP11(points={0.5,1:2})",
            "nDCG(gains={1:2,3})",
            "Rprec@5",
            "utility_1,2",
        ),
        *("DCG(base=1)", "CG(grade=2)", "map_cut_0", "P.0", "nDCG(gains={1:1)@5", "\x00", "P@5\n;;"),
    ],
)
def test_text_that_is_no_measure_is_an_error_of_ours(text):
    with pytest.raises(MeasureError):
        parse(text)


@given(st.text(alphabet="PRAGCDn@(){}=:,;'\" \n\t0123456789.-+_eéλ", max_size=30))
def test_any_text_is_measures_or_an_error_of_ours(text):
    try:
        found = parse_all(text)
    except MeasureError:
        return
    assert parse_all(" ".join(map(str, found))) == found


@pytest.mark.parametrize("given_", [None, 5, 2.5, b"P", ["P"]])
def test_what_is_no_text_is_no_measure(given_):
    with pytest.raises(MeasureError, match="a measure is a text such as"):
        parse(given_)


def test_several_measures_are_split_outside_brackets_and_each_counts_once():
    found = parse_all(["P@5, nDCG(gains={1:1, 2:10})@5;AP", "P.5,10", parse("RR"), "MAP"])
    assert list(map(str, found)) == ["P@5", "nDCG(gains={1:1,2:10})@5", "AP", "P@10", "RR"]


def test_no_measure_at_all_is_an_error():
    for nothing in ("", [], ", ;"):
        with pytest.raises(MeasureError, match="no measures; name at least one"):
            parse_all(nothing)


def test_a_named_set_stands_for_its_measures():
    assert {"official", "all_trec", "set", "graded"} <= set(set_names())
    for name in set_names():
        members = named_set(name)
        assert members
        assert parse_all(name) == tuple(dict.fromkeys(members))
    assert all("graded" in m.spec.sets for m in named_set("graded"))


def test_trec_evals_sets_have_the_measures_it_prints():
    every = [str(m) for m in parse_all("all_trec")]
    assert set(map(str, parse_all("official set"))) <= set(every)
    assert len(every) == 97  # of 96 numbers that trec_eval prints, Rprec and Rprec_mult_1.00 are one
    assert every[:6] == ["NumQ", "NumRet", "NumRel", "NumRelRet", "AP", "AP(average=geometric)"]


def test_two_measures_cannot_have_one_name():
    with pytest.raises(MeasureError, match="the name P belongs to the measure P"):

        @measure("P", title="Another", formula="", cite="", bounds=(0, 1))
        def another(j) -> "Curve":  # noqa: F821
            """Never registered."""

    assert find("P").title == "Precision"


LONG = 300_000
LONG_TEXTS = {
    "digits after @": ("a@", "1", "x"),
    "digits after _": ("a_", "1", "x"),
    "digits": ("", "1", "x"),
    "digits in brackets": ("nDCG(base=", "1", "x)"),
    "round brackets": ("", "(", ""),
    "round brackets and words": ("", "(a", ""),
    "curly brackets": ("", "{", ""),
    "measures inside of each other": ("", "IA(", ""),
}


@pytest.mark.parametrize("case", LONG_TEXTS)
def test_a_long_text_is_read_in_one_pass(case):
    """With two passes for each character this would take hours; the limit is far above what one takes."""
    begin, middle, end = LONG_TEXTS[case]
    code = (
        "import rankgauge.errors, rankgauge.measures\n"
        f"text = {begin!r} + {middle!r} * {LONG} + {end!r}\n"
        "try:\n"
        "    rankgauge.measures.parse_all(text)\n"
        "except rankgauge.errors.MeasureError:\n"
        "    print('refused')\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert found.stdout == "refused\n", found.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P@5,10", ["P@5", "P@10"]),
        ("nDCG(gains={1:1,2:10}, base=2)@5; AP", ["nDCG(gains={1:1,2:10}, base=2)@5", "AP"]),
        (" P@.5 ,", ["P@.5"]),
        ("IA(AP(gains={1:1, 2:3}, rel=2))@3 RR", ["IA(AP(gains={1:1, 2:3}, rel=2))@3", "RR"]),
        ("P(rel=1)) AP", ["P(rel=1))", "AP"]),
    ],
)
def test_measures_are_split_outside_brackets(text, expected):
    assert list(pieces(text)) == expected


@pytest.mark.parametrize("depth", [21, 900, 100_000])
def test_measures_inside_of_too_many_others_are_refused_in_words(depth):
    with pytest.raises(MeasureError, match="more than 20 measures inside of each other"):
        parse("IA(" * depth + "P" + ")" * depth)
