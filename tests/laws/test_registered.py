"""Every registered measure, test and format obeys the laws of its kind: a new one is tested on arrival."""

import pytest

from cases import SEED, THOROUGH, checked
from rankgauge.comparison.registry import TESTS
from rankgauge.formats import FORMATS
from rankgauge.measures import MEASURES
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
