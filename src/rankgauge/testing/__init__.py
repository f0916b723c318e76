"""A test kit for measures, tests, formats, studies and figures that other packages add.

Each check tries the laws that rankgauge's own entries obey on random examples, and raises `BrokenLaw`, an
AssertionError that names the law and shows the example:

    from rankgauge.testing import check_measure

    def test_my_measure():
        check_measure("MyMeasure")

    check_measure(name)      a measure: its values, its text and its documentation
    check_test(name)         a statistical test: p, statistic and intervals
    check_format(name)       a file format: what is written reads back, and is recognised
    check_study(name)        a study: its options, findings and tables
    check_figure(name)       a figure: its specification, its words and its pictures

The entry has to be registered, by an entry point or by importing its module. `laws` are the names of the laws
to check, by default all that apply to the entry; `laws_of(kind)` lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgauge.schema.lazy import lazy_names

if TYPE_CHECKING:
    from rankgauge.testing.comparisons import check_test
    from rankgauge.testing.formats import check_format
    from rankgauge.testing.laws import BrokenLaw, laws_of
    from rankgauge.testing.measures import check_measure
    from rankgauge.testing.studies import check_study

HOMES = {
    "BrokenLaw": "rankgauge.testing.laws",
    "check_format": "rankgauge.testing.formats",
    "check_measure": "rankgauge.testing.measures",
    "check_study": "rankgauge.testing.studies",
    "check_test": "rankgauge.testing.comparisons",
    "laws_of": "rankgauge.testing.laws",
}
__all__ = ["BrokenLaw", "check_format", "check_measure", "check_study", "check_test", "laws_of"]
__getattr__ = lazy_names(__name__, HOMES)
