"""Robustness to incomplete judgments."""

from figures.samples import drawn, rows, studied, table


def test_robustness_has_the_spread_over_shuffles_and_1_with_all_judgments():
    result = {(row["measure"], row["percent"]): row for row in table(studied("robustness"), "spread")}
    points = rows(drawn("robustness"), "lines")
    assert len(points) == len(result) + 2
    for point in points:
        own = (point["y"], point["low"], point["high"])
        if point["x"] == 100:
            assert own == (1, 1, 1)
        else:
            row = result[point["name"], point["x"]]
            assert own == (row["mean"], row["min"], row["max"])
