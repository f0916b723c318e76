"""Rank correlation over the values of a parameter."""

import pytest

from figures.samples import campaign, drawn, rows, studied, table
from rankgauge import figures, studies
from rankgauge.errors import InputError, OptionError
from rankgauge.studies import Campaign


def test_a_sweep_runs_over_the_parameter_that_varies():
    result = {row["measure"]: row for row in table(studied("correlation"), "sweep")}
    texts = {0.1: "Q(beta=0.1)", 1.0: "Q", 10.0: "Q(beta=10)"}
    points = rows(drawn("sweep"), "lines")
    assert [point["x"] for point in points] == [*texts]
    for point in points:
        row = result[texts[point["x"]]]
        assert (point["series"], point["y"]) == ("Q", row["tau_b to AP"])
        assert (point["low"], point["high"]) == (row["low"], row["high"])


def test_several_parameters_make_a_line_for_each_of_the_others():
    result = studies.correlation(Campaign(*campaign()), measures="AP nDCG(gains=linear|exp2)@5|10", samples=0)
    points = rows(figures.sweep(result), "lines")
    assert {(point["series"], point["x"]) for point in points} == {
        (name, cutoff) for name in ("nDCG", "nDCG(gains=exp2)") for cutoff in (5, 10)
    }
    with pytest.raises(OptionError, match="has no numeric parameter 'gains'"):
        figures.sweep(result, parameter="gains")


def test_without_a_grid_there_is_no_sweep():
    result = studies.correlation(Campaign(*campaign()), measures="AP RR", samples=0)
    with pytest.raises(InputError, match="there is no sweep"):
        figures.sweep(result)
