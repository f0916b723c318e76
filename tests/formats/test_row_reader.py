"""Values of rows that are read in Python: ranks at the limits of what is exact."""

import pytest

from rankgauge.core.codes import LARGE_RANK, NO_RANK
from rankgauge.formats.row_reader import whole


@pytest.mark.parametrize(
    ("value", "rank"),
    [
        (None, NO_RANK),
        (1.5, NO_RANK),
        (0.0, 0),
        (-3.0, -3),
        (LARGE_RANK - 1.0, LARGE_RANK - 1),
        (float(LARGE_RANK), NO_RANK),
        (1.0 - LARGE_RANK, 1 - LARGE_RANK),
        (-float(LARGE_RANK), NO_RANK),
    ],
)
def test_a_rank_is_a_whole_number_below_the_largest_that_is_exact(value, rank):
    assert whole(value) == rank
