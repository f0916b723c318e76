"""Preferences between documents: reading, counting, measuring."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge
from extensions.tools.preferences import slow
from rankgauge.compat.trec_eval.columns import MEASURES, NICKNAMES, PREFS
from rankgauge.errors import InputError, MeasureError, NoCommonTopic
from rankgauge.extensions.tools import preferences

# Topic q: Anna ranks four documents, Ben two of them the other way round.
PREFERENCES = {
    "q": {
        "anna": {"0": {"a": 3, "b": 2, "c": 1, "x": 0}},
        "ben": {"0": {"b": 2, "a": 1}},
    }
}
RUN = {"q": {"a": 0.9, "z": 0.8, "c": 0.7, "b": 0.6}}
DOCS = "abcdefg"


def values(preferred=PREFERENCES, run=RUN, names=tuple(preferences.MEASURES), **options):
    [by_measure] = preferences.evaluate(preferred, run, names, **options).to_dict().values()
    return {name: by_topic["q"] for name, by_topic in by_measure.items()}


def test_a_worked_case():
    # Anna: a>b kept, a>c kept, b>c broken, a>x b>x c>x implied; Ben: b>a broken
    found = values()
    assert found["prefs_num_prefs_poss"] == 7
    assert found["prefs_num_prefs_ful"] == 5
    assert found["prefs_num_prefs_ful_ret"] == 2
    assert found["prefs_simp"] == 5 / 7
    assert found["prefs_simp_ret"] == 2 / 4
    assert found["prefs_pair"] == pytest.approx((0.5 + 1 + 0 + 3) / 6)
    assert found["prefs_avgjg"] == (5 / 6 + 0) / 2
    assert found["prefs_avgjg_ret"] == (2 / 3 + 0) / 2


def test_the_scores_are_scores_like_all_others():
    scores = preferences.evaluate(PREFERENCES, {"one": RUN, "two": {"q": {"b": 1, "a": 0.5}}})
    assert scores.runs == ("one", "two")
    assert scores.measures == preferences.OFFICIAL
    assert scores.mean()["one"]["prefs_simp"] == 5 / 7
    assert "prefs_simp" in repr(scores)
    assert scores.provenance.options["ties"] == "docid_desc"


def test_without_preferences_a_share_is_undefined():
    found = values({"q": {"anna": {"0": {"a": 1, "b": 1}}}})
    assert found["prefs_num_prefs_poss"] == 0
    assert all(math.isnan(found[f"prefs_{name}"]) for name in ("simp", "pair", "avgjg"))


def test_a_missing_topic_scores_0_or_is_left_out():
    preferred = PREFERENCES | {"r": {"anna": {"0": {"a": 1, "b": 0}}}}
    assert preferences.evaluate(preferred, RUN, "prefs_simp").mean()["run"]["prefs_simp"] == 5 / 14
    skipped = preferences.evaluate(preferred, RUN, "prefs_simp", missing="skip")
    assert skipped.mean()["run"]["prefs_simp"] == 5 / 7


def test_equal_scores_are_in_the_one_order_of_documents():
    tied = {"q": {"a": 1.0, "b": 1.0}}
    preferred = {"q": {"anna": {"0": {"a": 1, "b": 0}}}}
    assert values(preferred, tied)["prefs_simp_ret"] == 0
    assert values(preferred, tied, ties="docid_asc")["prefs_simp_ret"] == 1


def test_depth_leaves_out_what_is_below_it():
    assert values(depth=1)["prefs_num_prefs_ful_ret"] == 0
    assert values(depth=4)["prefs_num_prefs_ful_ret"] == 2


levels = st.integers(0, 3)
lists = st.dictionaries(st.sampled_from(DOCS), levels, min_size=1)


@st.composite
def agreeing_groups(draw):
    """Groups of one list, or of several lists that are parts of one."""
    groups = {}
    for name in draw(st.lists(st.sampled_from("uvw"), min_size=1, unique=True)):
        whole = draw(lists)
        parts = draw(st.lists(st.sets(st.sampled_from(sorted(whole)), min_size=1), max_size=3))
        pieces = {str(i): {doc: whole[doc] for doc in part} for i, part in enumerate(parts)}
        groups[name] = pieces or {"0": whole}
    return groups


rankings = st.lists(st.sampled_from(DOCS + "yz"), min_size=1, unique=True)


@given(agreeing_groups(), rankings)
@settings(max_examples=200)
def test_counts_and_shares_are_those_of_the_slow_twin(groups, ranked):
    found = values({"q": groups}, {"q": {doc: -float(i) for i, doc in enumerate(ranked)}})
    shares = [value for name, value in found.items() if not preferences.MEASURES[name].count]
    assert all(math.isnan(share) or 0 <= share <= 1 for share in shares)
    for name in ("poss", "ful", "ful_ret"):
        assert found[f"prefs_num_prefs_{name}"] == slow.count(groups, ranked, name)
    for name, twin in (("simp", slow.simple), ("pair", slow.by_pair), ("avgjg", slow.by_group)):
        for scope in slow.SCOPES:
            expected = twin(groups, ranked, scope)
            assert found[f"prefs_{name}{scope}"] == pytest.approx(expected, nan_ok=True)
    for scope in ("", "_ret"):
        expected = slow.balanced(groups, ranked, scope)
        assert found[f"prefs_avgjg_Rnonrel{scope}"] == pytest.approx(expected, nan_ok=True)


@given(agreeing_groups(), rankings)
def test_blocks_are_invisible(groups, ranked):
    run = {"q": {doc: -float(i) for i, doc in enumerate(ranked)}}
    whole = values({"q": groups}, run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preferences, "BLOCK", 3)
        assert str(values({"q": groups}, run)) == str(whole)


def test_preferences_carry_over_within_a_group_and_not_between_groups():
    chain = {"1": {"a": 2, "b": 1}, "2": {"b": 2, "c": 1}}
    assert values({"q": {"anna": chain}})["prefs_num_prefs_poss"] == 3
    apart = {"anna": {"1": chain["1"]}, "ben": {"2": chain["2"]}}
    assert values({"q": apart})["prefs_num_prefs_poss"] == 2


@pytest.mark.parametrize(
    ("group", "message"),
    [
        (
            {"1": {"a": 2, "b": 1}, "2": {"b": 2, "a": 1}},
            'in group "anna" document "a" is preferred to "b" and vice versa',
        ),
        (
            {"1": {"a": 2, "b": 0}, "2": {"b": 1, "c": 2}},
            'document "b" has level 0 in one subgroup of group "anna"',
        ),
        ({"0": {"a": math.nan}}, "finite"),
        ({"a": 1}, "preferences must be"),
        ({"0": {"a": "x"}}, "preferences must be"),
    ],
)
def test_a_group_that_contradicts_itself_or_has_no_levels_is_an_error(group, message):
    with pytest.raises(InputError, match=message):
        values({"q": {"anna": group}})


def test_files_of_preferences_and_of_judgments_are_distinguished(write):
    prefs = write("prefs", "# comment\nq anna 0 a 2\n\nq anna 0 b 1\n")
    qrels = write("qrels", "q anna a 2\nq anna b 1\n")
    expected = {"q": {"anna": {"0": {"a": 2.0, "b": 1.0}}}}
    assert preferences.read(prefs) == preferences.read(qrels) == expected
    assert preferences.from_qrels(qrels) == preferences.read(qrels, "qrels") == expected
    assert preferences.evaluate(str(prefs), RUN, "prefs_simp").mean() == {"run": {"prefs_simp": 1.0}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q anna 0 a\n", r"prefs:1: expected 5 columns, found 4"),
        ("q anna 0 a 1 x\n", r"prefs:1: expected 5 columns, found 6"),
        ("q anna 0 a 1\nq anna 0 b much\n", r'prefs:2: the level is not a finite number: "much"'),
        ("q anna 0 a inf\n", r"the level is not a finite number"),
        ("q anna 0 a 1\nq anna 0 a 2\n", r'prefs:2: document "a" is in subgroup "0" .* twice'),
        ("", r"the file is empty"),
        ("# only words\n", r"the file is empty"),
        ("q anna 0 \0 1\n", r"prefs:1: "),
    ],
)
def test_a_broken_file_is_an_error_with_its_line(write, content, message):
    path = write("prefs", content)
    with pytest.raises(InputError, match=message):
        preferences.read(path, "prefs")


@pytest.mark.parametrize(
    ("given", "measures", "message"),
    [
        *((wrong, "prefs_simp", "preferences") for wrong in ({}, {"q": 1}, 7)),
        ({"r": PREFERENCES["q"]}, "prefs_simp", "no results for any judged topic"),
        (PREFERENCES, "prefs_simple", "did you mean prefs_simp"),
    ],
)
def test_anything_but_preferences_and_their_measures_is_refused(given, measures, message):
    with pytest.raises((InputError, MeasureError, NoCommonTopic), match=message):
        preferences.evaluate(given, RUN, measures)


def test_a_measure_is_found_in_any_spelling():
    for name in ("prefs_simp", "Prefs-Simp", "PREFSSIMP"):
        assert list(rankgauge.preferences.evaluate(PREFERENCES, RUN, name).measures) == ["prefs_simp"]


def test_an_unknown_format_is_an_error():
    with pytest.raises(InputError, match="prefs or qrels files, not from 'csv'"):
        preferences.read(__file__, "csv")


def test_trec_eval_has_the_same_measures_in_the_same_order():
    assert [name for name, entry in MEASURES.items() if entry.source == PREFS] == list(preferences.MEASURES)
    assert NICKNAMES["prefs"] == ["runid", "num_q", *preferences.OFFICIAL]
