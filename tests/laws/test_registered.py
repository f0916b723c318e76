"""Every registered measure, test and format obeys the laws of its kind: a new one is tested on arrival."""

from typing import get_args

import pytest

from cases import SEED, THOROUGH, checked
from rankgauge.comparison.registry import CORRECTIONS, FAMILIES, TESTS, CorrectionName, Family, TestName
from rankgauge.formats import FORMATS
from rankgauge.measures import MEASURES
from rankgauge.model import rules
from rankgauge.testing import check_format, check_measure, check_test

EXAMPLES = 25 if THOROUGH else 4


@pytest.mark.parametrize(("name", "law"), checked("measure", MEASURES))
def test_measures(name, law):
    check_measure(name, laws=[law], examples=EXAMPLES, seed=SEED)


@pytest.mark.parametrize(("name", "law"), checked("test", TESTS))
def test_statistical_tests(name, law):
    check_test(name, laws=[law], examples=2 * EXAMPLES, seed=SEED)


@pytest.mark.parametrize(("name", "law"), checked("format", FORMATS))
def test_formats(name, law):
    check_format(name, laws=[law], examples=10 * EXAMPLES, seed=SEED)


@pytest.mark.parametrize(
    "option", [*rules.OPTIONS, *rules.CORRECTION_OPTIONS], ids=lambda option: option.name
)
def test_editors_and_type_checkers_know_the_rules(option):
    literal = getattr(rules, option.name.title().replace("_", ""))
    assert get_args(literal) == tuple(option.rules)
    assert rules.CorrectedInputs.__annotations__[option.name] == literal


def test_editors_and_type_checkers_know_the_tests():
    own = [name for name, test in TESTS.items() if test.function.__module__.startswith("rankgauge.")]
    assert get_args(TestName) == tuple(own)
    assert get_args(CorrectionName) == tuple(CORRECTIONS)
    assert get_args(Family) == tuple(FAMILIES)
