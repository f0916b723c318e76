"""trec_eval's table of measures, and ours: nothing is said twice in two ways."""

import pytest

from rankgauge.compat.trec_eval.columns import MEASURES, NICKNAMES, Options, requested
from rankgauge.compat.trec_eval.formulas import measure
from rankgauge.measures import named_set

OURS = ("official", "set", "all_trec")
TEXTS = ("runid", "relstring")


def measures_of(text, **options):
    """Our measures behind a `-m`, by the labels of their columns."""
    columns, _ = requested([text], options.get("rules", 10))
    return {
        column.label: measure(column, Options(qrels="qrels", run="run", **options), [0.0, 1.0])
        for column in columns
        if column.entry.name not in TEXTS
    }


@pytest.mark.parametrize("name", OURS)
def test_a_nickname_is_the_set_of_the_same_name_in_the_language(name):
    assert list(map(str, measures_of(name).values())) == list(map(str, named_set(name)))


def test_members_of_nicknames_exist():
    assert {member for members in NICKNAMES.values() for member in members} <= set(MEASURES)


def test_version_9_has_recall_levels_of_its_own():
    assert str(measures_of("11pt_avg", rules=9)["11pt_avg"]) == "AP11(levels=trec9)"
    assert (
        str(measures_of("iprec_at_recall..5", rules=9)["iprec_at_recall_0.50"]) == "IPrec(levels=trec9)@0.5"
    )


def test_options_become_settings_of_every_measure_that_has_them():
    found = measures_of("official", level=2, judged_only=True)
    assert str(found["map"]) == "AP(rel=2,judged_only=true)"
    assert str(found["P_5"]) == "P(rel=2,judged_only=true)@5"
    assert str(measures_of("ndcg", level=2)["ndcg"]) == "nDCG"
    assert str(measures_of("ndcg.1=3")["ndcg_1=3"]) == "nDCG(gains={1:3})"
