"""Rank correlation of measures."""

import pytest

from figures.samples import drawn, rows, studied, table
from rankgauge.figures.labels import measure_words


@pytest.mark.parametrize("coefficient", ["tau_b", "tau_a", "tau_ap", "tau_w", "rbo"])
def test_a_correlation_matrix_has_the_coefficients_of_the_study(coefficient):
    result = {
        measure_words(row["measure"]): {measure_words(name): row[name] for name in row if name != "measure"}
        for row in table(studied("correlation"), coefficient)
    }
    for cell in rows(drawn("correlation", coefficient=coefficient)):
        assert cell["value"] == result[cell["row"]][cell["column"]]
