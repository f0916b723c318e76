"""Judgments with the costs of documents."""

import pytest

import rankgauge
from rankgauge.errors import InputError, OptionError

JUDGED = {"q": {"a": 1, "b": 0}}


def test_what_a_document_costs_changes_with_its_length_and_no_other_measure():
    costs = rankgauge.with_costs(JUDGED, {"a": 2, "c": 5}, [{"q": ["b", "c"]}], fixed=1, per_unit=3)
    assert costs.to_dict() == {"q": {"relevance": {"a": 1, "b": 0}, "cost": {"a": -7, "c": -16}}}
    run = {"q": ["c", "a", "b"]}
    for measure in ("AP", "nDCG", "Bpref", "Judged@3"):
        assert (
            rankgauge.evaluate(costs, run, measure).mean() == rankgauge.evaluate(JUDGED, run, measure).mean()
        )


@pytest.mark.parametrize(
    ("costs", "options", "error", "words"),
    [
        ({"a": "x"}, {}, InputError, "the cost of document .a. is no number"),
        ({"a": -1}, {}, InputError, "the cost of document .a. is no number"),
        ({"z": 1}, {}, InputError, "are they the same documents"),
        ({"a": 1}, {"fixed": float("nan")}, OptionError, "fixed must be a number from 0"),
        ({"a": 1}, {"per_unit": 0}, OptionError, "per_unit must be a number above 0"),
    ],
)
def test_wrong_costs_are_refused(costs, options, error, words):
    with pytest.raises(error, match=words):
        rankgauge.with_costs(JUDGED, costs, **options)
