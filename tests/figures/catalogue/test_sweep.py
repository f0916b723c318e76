"""Rank correlation over the values of a parameter."""

import json

import pytest

from figures.samples import campaign, drawn, rows, studied, table, views
from rankgauge import figures, studies
from rankgauge.errors import InputError, OptionError
from rankgauge.studies import Campaign


def test_a_sweep_runs_over_the_parameter_that_varies_with_a_line_for_each_reference():
    result = {(row["measure"], row["reference"]): row for row in table(studied("correlation"), "sweep")}
    texts = {0.1: "Q(beta=0.1)", 1.0: "Q", 10.0: "Q(beta=10)"}
    figure = drawn("sweep")
    for name, reference in {"with AP": "AP", "with β = 1": "Q"}.items():
        points = [point for point in rows(figure, "lines") if point["series"] == name]
        assert [point["x"] for point in points] == [*texts]
        for point in points:
            row = result[texts[point["x"]], reference]
            assert (point["y"], point["low"], point["high"]) == (row["tau_b"], row["low"], row["high"])
    assert len(rows(figure, "lines")) == 6
    assert axes(figure) == {("β", "Kendall's τ")}
    assert "tau_b" not in json.dumps(figure.spec)
    assert "order of runs by Q and that by AP or β = 1, for each value of β" in figure.caption


def axes(figure):
    """The titles of both axes, wherever they are set."""
    return {(encoding["x"]["title"], encoding["y"]["title"]) for _, encoding in views(figure.spec)}


def test_a_sweep_has_a_line_for_any_measure_that_is_asked_for():
    result = studies.correlation(
        Campaign(*campaign()), measures="nDCG(base=2|3|10)", reference="RR P@10", samples=0
    )
    figure = figures.sweep(result)
    lines = {point["series"] for point in rows(figure, "lines")}
    assert lines == {"with P at 10", "with RR", "with base = 2"}
    only = studies.correlation(Campaign(*campaign()), measures="Q(beta=1|10)", reference="Q", samples=0)
    assert axes(figures.sweep(only)) == {("β", "Kendall's τ with Q")}


def test_several_parameters_make_a_line_for_each_of_the_others():
    result = studies.correlation(Campaign(*campaign()), measures="AP nDCG(gains=linear|exp2)@5|10", samples=0)
    points = rows(figures.sweep(result), "lines")
    assert {(point["series"], point["x"]) for point in points} == {
        (name, cutoff)
        for name in (
            "nDCG with AP",
            "nDCG with cutoff = 5",
            "nDCG (gains = exp2) with AP",
            "nDCG (gains = exp2) with nDCG at 5",
        )
        for cutoff in (5, 10)
    }
    with pytest.raises(OptionError, match="has no numeric parameter 'gains'"):
        figures.sweep(result, parameter="gains")


def test_without_a_grid_there_is_no_sweep():
    result = studies.correlation(Campaign(*campaign()), measures="AP RR", samples=0)
    with pytest.raises(InputError, match="there is no sweep"):
        figures.sweep(result)
