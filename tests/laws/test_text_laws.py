"""The text of a measure is its identity, whatever the measure."""

import copy
import inspect
import pickle
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cutoffs, evaluate, for_each_measure, plainest, seeds, settings_of, written
from rankgauge.errors import MeasureError
from rankgauge.measures import MEASURES, find, measure, named, named_set, parse, parse_all, set_names
from rankgauge.measures.language import pieces

NAMES = list(MEASURES)


def measures(name, seed, cutoff):
    spec = MEASURES[name]
    return parse(written(name, settings_of(spec, seed), cutoff if spec.curve else None))


@pytest.mark.parametrize("name", NAMES)
@for_each_measure
@given(seed=seeds(), cutoff=cutoffs())
def test_a_measure_reads_back_from_its_text(name, seed, cutoff):
    found = measures(name, seed, cutoff)
    again = parse(str(found))
    assert again == found
    assert str(again) == str(found)
    assert again.settings == found.settings
    assert again.cutoff == found.cutoff
    assert parse_all(f"{found}, {found}") == (found,)


@pytest.mark.parametrize("name", NAMES)
@for_each_measure
@given(seed=seeds(), cutoff=cutoffs())
def test_the_text_of_a_measure_has_its_parameters_in_declared_order_and_no_defaults(name, seed, cutoff):
    found = measures(name, seed, cutoff)
    declared = {p.name: p.default for p in MEASURES[name].parameters}
    assert list(found.settings) == [p for p in declared if p in found.settings]
    assert all(found.settings[p] != declared[p] for p in found.settings)
    assert " " not in str(found)


@pytest.mark.parametrize("name", NAMES)
@for_each_measure
@given(seed=seeds(), other=seeds(), cutoff=cutoffs())
def test_measures_are_equal_when_their_texts_are(name, seed, other, cutoff):
    one, two = measures(name, seed, cutoff), measures(name, other, None)
    assert (one == two) == (str(one) == str(two))
    assert (hash(one) == hash(two)) or one != two
    assert one != str(one)


@pytest.mark.parametrize("name", NAMES)
@for_each_measure
@given(seed=seeds(), cutoff=cutoffs())
def test_a_measure_travels_as_its_text(name, seed, cutoff):
    found = measures(name, seed, cutoff)
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found
    assert str(found) in repr(found)


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_of_defaults_is_written_as_its_name(name):
    spec = MEASURES[name]
    written_out = {
        p.name: p.default
        for p in spec.parameters
        if p.written_default and (p.name != "negatives" or spec.own_negatives)
    } | parse(plainest(name)).settings
    texts = {p: spec.parameter(p).kind.write(value) for p, value in written_out.items()}
    assert str(parse(f"{name}({','.join(f'{p}={text}' for p, text in texts.items())})")) == plainest(name)
    if plainest(name) == name:
        assert str(parse(f" {name} ( ) ")) == name


@pytest.mark.parametrize("name", [name for name in NAMES if plainest(name) != name])
def test_a_measure_that_lacks_what_it_needs_is_an_error_with_its_example(name):
    with pytest.raises(MeasureError) as error:
        parse(name)
    assert f"{name} needs " in str(error.value)
    assert MEASURES[name].example in str(error.value)


@pytest.mark.parametrize("name", NAMES)
def test_other_spellings_of_a_measure_are_understood(name):
    spec = MEASURES[name]
    for spelling in (*spec.aliases, *spec.trec):
        meaning = spec.meanings.get(spelling, "")
        stem, _, parameters = spelling.rstrip("}").partition("_{")
        values = dict(zip(filter(None, parameters.split(",")), (0.5, 0.25, 0.125, 0.0), strict=False))
        if "gains" in values:
            inside, tail = "gains={1:5,2:7.5}", "1=5,2=7.5"
        else:
            inside = ",".join(f"{p}={value}" for p, value in values.items())
            tail = ",".join(map(str, values.values()))
        if not parameters and any(p.required for p in spec.parameters):  # Fallout(docs=...)
            assert named(spelling) == named(name)
            continue
        settings = ",".join(filter(None, (meaning, inside)))
        meant = parse(f"{name}({settings})" + ("@7" if spelling.endswith("_k") else ""))
        for separator in "_.":
            text = f"{stem}{separator}{tail}" if tail else re.sub("_k$", f"{separator}7", spelling)
            assert parse(text) == meant


def test_a_name_that_stands_for_settings_takes_more_of_them_but_not_the_same_again():
    assert str(parse("GMAP(rel=2)@10")) == "AP(rel=2,average=geometric)@10"
    with pytest.raises(MeasureError, match="average is set twice"):
        parse("GMAP(average=mean)")


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_says_what_it_is(name):
    spec = MEASURES[name]
    for text in (spec.title, spec.formula, spec.cite, spec.example, spec.help):
        assert text.strip()
    assert spec.help.splitlines()[0].rstrip().endswith(".")
    assert parse(spec.example).spec is spec
    assert inspect.getdoc(spec.function) == spec.help
    low, high = spec.bounds
    assert low < high
    assert all(p.kind.words for p in spec.parameters)


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_measure_can_be_evaluated(name):
    spec = MEASURES[name]
    scores = evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "c": 1.0}}, spec.example)
    assert scores.measures == (str(parse(spec.example)),)
    assert scores.provenance.measures[scores.measures[0]].title == spec.title


@pytest.mark.parametrize("name", NAMES)
def test_a_name_with_a_slip_gets_the_nearest_name_in_the_error(name):
    nearest = rf" \(did you mean {name}\?\)" if len(name) > 1 else ""  # half of a text is no slip
    with pytest.raises(MeasureError, match=rf"no measure is called '{name}x'{nearest};"):
        parse(f"{name}x")


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_with_a_slip_gets_the_nearest_one_and_all_there_are_in_the_error(name):
    spec = MEASURES[name]
    for parameter in spec.parameters:
        slip = parameter.name[:-1] + "x"
        with pytest.raises(MeasureError) as error:
            parse(f"{name}({slip}=1)")
        assert f"{name} has no parameter '{slip}'" in str(error.value)
        assert all(p.name in str(error.value) for p in spec.parameters)
    with pytest.raises(MeasureError, match=r"did you mean judged_only\?"):
        parse(f"{name}(judge_only=true)")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["nonsense", "-1e999", "{}", "{1:-1}", "1" + "0" * 400, "{1:1e999}", "''"])
def test_a_value_that_a_parameter_cannot_have_is_an_error_that_says_what_it_can(name, value):
    for parameter in MEASURES[name].parameters:
        if value == "{1:-1}" and getattr(parameter.kind, "signed", False):
            continue
        with pytest.raises(MeasureError) as error:
            parse(f"{name}({parameter.name}={value})")
        assert f"{name}: {parameter.name} must be {parameter.kind.words}, not " in str(error.value)


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
