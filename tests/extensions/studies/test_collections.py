"""One study on several collections: what each finds alone, one below the other."""

import json

import pytest
from rankgauge.studies import STUDIES, Campaign, Findings, across, correlation, power

from extensions.studies import small
from rankgauge import figures
from rankgauge.campaigns.collections import side_by_side
from rankgauge.errors import InputError, OptionError
from rankgauge.model.output.documents import FORMATS, document_lines
from rankgauge.model.output.tables import Table

NAMES = list(small.RUNS)


def campaigns():
    """Two collections: all runs, and three of them on fewer topics."""
    some = {topic: small.SUBTOPICS[topic] for topic in list(small.SUBTOPICS)[:7]}
    return {
        "all": small.campaign(),
        "<some>|": Campaign(some, {name: small.RUNS[name] for name in NAMES[:3]}),
    }


@pytest.mark.parametrize("name", STUDIES)
def test_tables_are_those_of_each_collection_below_each_other(name):
    both = campaigns()
    alone = {collection: STUDIES[name].call(campaign) for collection, campaign in both.items()}
    found = across(both, name)
    assert (found.study, found.title) == (name, STUDIES[name].title)
    for table, stacked in found.tables.items():
        assert stacked.headers[0] == "collection"
        assert len({*stacked.headers}) == len(stacked.headers)
        for collection, findings in alone.items():
            rows = [dict(zip(stacked.headers, row, strict=True)) for row in stacked.rows]
            rows = [row for row in rows if row.pop("collection") == collection]
            part = findings.tables.get(table, Table((), ()))
            expected = [dict(zip(part.headers, row, strict=True)) for row in part.rows]
            assert repr([{k: row[k] for k in part.headers} for row in rows]) == repr(expected)
            assert all(row[k] is None for row in rows for k in row.keys() - {*part.headers})
    assert found.as_dict()["collections"] == {key: value.as_dict() for key, value in alone.items()}
    json.dumps(found.as_dict(), allow_nan=False)
    for form in FORMATS:
        text = "\n".join(document_lines(found.document(), form))
        assert form != "html" or "<some>" not in text


def test_marks_captions_and_settings_go_with_their_collection():
    def study(name):
        table = Table(("run", name), [("a", 1), ("b", 2)], {(1, 1)})
        return Findings(
            [f"{name}."], {"t": table, name: table}, {"t": f"Of {name}."}, settings={"n": name, "k": 1}
        )

    found = side_by_side({"A": "x", "B": "y"}, study)
    assert found.table("t").headers == ("collection", "run", "x", "y")
    assert found.table("t").rows == [
        ("A", "a", 1, None),
        ("A", "b", 2, None),
        ("B", "a", None, 1),
        ("B", "b", None, 2),
    ]
    assert found.table("t").best == {(1, 2), (3, 3)}
    assert found.table("y").rows == [("B", "a", 1), ("B", "b", 2)]
    assert found.captions == {"t": "A: Of x. B: Of y."}
    assert found.sentences == ["A: x.", "B: y."]
    assert found.settings == {"collections": ["A", "B"], "n": {"A": "x", "B": "y"}, "k": 1}
    assert "A: x, B: y" in repr(found)


def test_a_study_is_given_by_name_or_as_a_function():
    both = campaigns()
    by_name = across(both, "Correlation", measures="AP RR", samples=0)
    assert by_name.as_dict() == across(both, correlation, measures="AP RR", samples=0).as_dict()
    assert list(by_name.collections) == list(both)
    assert (
        by_name.collections["all"].as_dict()
        == correlation(both["all"], measures="AP RR", samples=0).as_dict()
    )


def test_collections_may_be_scores():
    both = {name: campaign.scores("AP RR") for name, campaign in campaigns().items()}
    found = across(both, power, samples=20)
    assert (
        found.as_dict()
        == across(
            {name: Campaign.of_scores(scores) for name, scores in both.items()}, "power", samples=20
        ).as_dict()
    )


def test_an_error_names_its_collection():
    both = {**campaigns(), "lone": small.campaign().only(NAMES[:1])}
    with pytest.raises(InputError, match=r"^collection lone: the study power needs at least 2 runs"):
        across(both, "power", samples=20)
    with pytest.raises(OptionError, match=r"^collection all: the study power has no option 'nonsense'"):
        across(both, "power", nonsense=1)
    with pytest.raises(InputError, match="there is no collection"):
        across({}, "power")
    with pytest.raises(InputError, match=r"collections are a dict \{name: campaign\}, not list"):
        across([small.campaign()], "power")
    with pytest.raises(OptionError, match="no study named 'powr'"):
        across(both, "powr")


def test_a_figure_draws_one_of_the_collections():
    found = across(campaigns(), correlation, measures="AP RR", samples=0)
    with pytest.raises(InputError, match=r"one collection; choose one of collections: all, <some>\|"):
        figures.correlation(found)
    assert figures.correlation(found.collections["all"]).title == "Kendall's τ-b of measures"
