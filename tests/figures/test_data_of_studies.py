"""The data of figures of studies are what the studies found."""

import math

import pytest

import rankgauge
from figures.samples import campaign, drawn, rows, studied
from rankgauge import figures, studies
from rankgauge.errors import InputError, OptionError
from rankgauge.studies import Campaign


def table(findings, name):
    found = findings.table(name)
    return [dict(zip(found.headers, row, strict=True)) for row in found.rows]


def test_asl_curves_have_every_pair_and_power_and_delta_in_the_legend():
    found = studied("power")
    lines = rows(drawn("asl"), "lines")
    power = {row["measure"]: row for row in table(found, "power") if row["alpha"] == 0.05}
    for measure, row in power.items():
        legend = f"{measure} ({row['percent']:.1f} %, Δ = {row['delta']:.3f})"
        own = [(line["x"], line["y"]) for line in lines if line["series"] == legend]
        assert own == [(r["pair"], r["asl"]) for r in table(found, "curve") if r["measure"] == measure]
        assert len(own) == 3
    assert rows(drawn("asl"), "rule") == [{"y": 0.05}]
    assert all(row["y"] <= 0.2 for row in rows(drawn("asl", near=True), "lines"))


def test_gains_are_conditions_of_their_own_and_tests_without_delta_have_none():
    scored = Campaign(*campaign())
    found = studies.power(scored, measures="nDCG", gains=["linear", "exp2"], method="tukey", samples=20)
    labels = {row["series"] for row in rows(figures.asl(found), "lines")}
    assert len(labels) == 2
    assert all(label.startswith("nDCG, ") and "Δ" not in label for label in labels)


@pytest.mark.parametrize("coefficient", ["tau_b", "tau_a", "tau_ap", "rbo"])
def test_a_correlation_matrix_has_the_coefficients_of_the_study(coefficient):
    found = {row["measure"]: row for row in table(studied("correlation"), coefficient)}
    for cell in rows(drawn("correlation", coefficient=coefficient)):
        assert cell["value"] == found[cell["row"]][cell["column"]]


def test_a_sweep_runs_over_the_parameter_that_varies():
    found = {row["measure"]: row for row in table(studied("correlation"), "sweep")}
    texts = {0.1: "Q(beta=0.1)", 1.0: "Q", 10.0: "Q(beta=10)"}
    points = rows(drawn("sweep"), "lines")
    assert [point["x"] for point in points] == [*texts]
    for point in points:
        row = found[texts[point["x"]]]
        assert (point["series"], point["y"]) == ("Q", row["tau_b to AP"])
        assert (point["low"], point["high"]) == (row["low"], row["high"])


def test_several_parameters_make_a_line_for_each_of_the_others():
    found = studies.correlation(Campaign(*campaign()), measures="AP nDCG(gains=linear|exp2)@5|10", samples=0)
    points = rows(figures.sweep(found), "lines")
    assert {(point["series"], point["x"]) for point in points} == {
        (name, cutoff) for name in ("nDCG", "nDCG(gains=exp2)") for cutoff in (5, 10)
    }
    with pytest.raises(OptionError, match="has no number for 'gains'"):
        figures.sweep(found, parameter="gains")


def test_without_a_grid_there_is_no_sweep():
    found = studies.correlation(Campaign(*campaign()), measures="AP RR", samples=0)
    with pytest.raises(InputError, match="there is no sweep"):
        figures.sweep(found)


def test_robustness_has_the_spread_over_shuffles_and_1_with_all_judgments():
    found = {(row["measure"], row["percent"]): row for row in table(studied("robustness"), "spread")}
    points = rows(drawn("robustness"), "lines")
    assert len(points) == len(found) + 2
    for point in points:
        own = (point["y"], point["low"], point["high"])
        if point["x"] == 100:
            assert own == (1, 1, 1)
        else:
            row = found[point["name"], point["x"]]
            assert own == (row["mean"], row["min"], row["max"])


def test_significance_has_the_corrected_p_of_every_pair_from_the_best_run_on():
    scores = rankgauge.evaluate(*campaign(), "AP")
    compared = rankgauge.compare(scores, test="randomisation", correction="bh", seed=5)
    figure = figures.significance(scores, test="randomisation", correction="bh", seed=5)
    p = {(pair.run, pair.against): pair.corrected for pair in compared["AP"].pairs}
    cells = rows(figure)
    order = sorted(scores.runs, key=lambda run: -scores.mean()[run]["AP"])
    assert [cell["column"] for cell in cells[: len(order)]] == order
    for cell in cells:
        pair = (cell["row"], cell["column"])
        if pair[0] == pair[1]:
            assert math.isnan(cell["value"])
        else:
            assert cell["value"] == p.get(pair, p.get(pair[::-1]))
    assert figures.significance(compared).spec == figure.spec
    assert "paired randomisation test, the Benjamini–Hochberg correction" in figure.caption
    assert "(seed 5)" in figure.caption
    with pytest.raises(OptionError, match="of one measure, not of 2"):
        figures.significance(rankgauge.evaluate(*campaign(), "AP RR"))
    with pytest.raises(OptionError, match="no test is called 'z'; use one of t, wilcoxon"):
        figures.significance(scores, test="z")
