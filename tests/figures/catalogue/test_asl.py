"""Achieved significance levels of all pairs of runs."""

from figures.samples import campaign, drawn, rows, studied, table
from rankgauge import figures, studies
from rankgauge.studies import Campaign


def test_asl_curves_have_every_pair_and_power_and_delta_in_the_legend():
    result = studied("power")
    lines = rows(drawn("asl"), "lines")
    power = {row["measure"]: row for row in table(result, "power") if row["alpha"] == 0.05}
    for measure, row in power.items():
        legend = f"{measure} ({row['percent']:.1f} %, Δ = {row['delta']:.3f})"
        own = [(line["x"], line["y"]) for line in lines if line["series"] == legend]
        assert own == [(r["pair"], r["asl"]) for r in table(result, "curve") if r["measure"] == measure]
        assert len(own) == 3
    assert rows(drawn("asl"), "rule") == [{"y": 0.05}]
    assert all(row["y"] <= 0.2 for row in rows(drawn("asl", near=True), "lines"))


def test_gains_are_conditions_of_their_own_and_tests_without_delta_have_none():
    scored = Campaign(*campaign())
    result = studies.power(scored, measures="nDCG", gains=["linear", "exp2"], method="tukey", samples=20)
    labels = {row["series"] for row in rows(figures.asl(result), "lines")}
    assert len(labels) == 2
    assert all(label.startswith("nDCG, ") and "Δ" not in label for label in labels)
