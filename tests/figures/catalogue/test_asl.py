"""Achieved significance levels of all pairs of runs."""

from figures.samples import campaign, drawn, rows, studied, table
from rankgauge import figures, studies
from rankgauge.studies import Campaign


def test_asl_curves_have_every_pair_and_power_and_delta_in_the_legend():
    result = studied("power")
    lines = rows(drawn("asl"), "lines")
    power = {row["measure"]: row for row in table(result, "power") if row["alpha"] == 0.05}
    for measure, row in power.items():
        legend = f"{measure} ({row['percent'].text} %, Δ {row['delta'].text}±{row['delta sd'].text})"
        own = [(line["x"], line["y"], line["low"], line["high"]) for line in lines if line["name"] == legend]
        expected = [row for row in table(result, "curve") if row["measure"] == measure]
        assert own == [(row["pair"], row["asl"], row["low"], row["high"]) for row in expected]
        assert len(own) == 3
    assert rows(drawn("asl"), "rule") == [{"y": 0.05}]
    assert all(row["y"] <= 0.2 for row in rows(drawn("asl", near=True), "lines"))


def test_gains_are_conditions_of_their_own_and_a_measure_without_gains_has_one_line():
    scored = Campaign(*campaign())
    result = studies.power(scored, measures="nDCG AP", gains=["linear", "exp2"], samples=20)
    labels = [*dict.fromkeys(row["name"] for row in rows(figures.asl(result), "lines"))]
    assert sorted(label.partition(" (")[0] for label in labels) == ["AP", "nDCG exp2", "nDCG linear"]


def test_a_single_test_has_no_band_and_no_spread_and_an_unknown_delta_is_left_out():
    scored = Campaign(*campaign())
    drawn_once = figures.asl(studies.power(scored, measures="nDCG", repeats=1, samples=40))
    assert "low" not in rows(drawn_once, "lines")[0]
    assert all("Δ" in row["name"] and "±" not in row["name"] for row in rows(drawn_once, "lines"))
    unknown = figures.asl(studies.power(scored, measures="nDCG", samples=10, alphas=0.01))
    assert not any("Δ" in row["name"] for row in rows(unknown, "lines"))
