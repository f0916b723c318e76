"""Ranks at the limits of what is exact, through every way in which Python reads them."""

import numpy as np
import pytest

from rankgauge import Run
from rankgauge.core.codes import LARGE_RANK, NO_RANK
from rankgauge.errors import InputError
from rankgauge.formats import frames
from rankgauge.formats.row_reader import whole

EXACT = [0, -3, LARGE_RANK - 1, 1 - LARGE_RANK]
BEYOND = [LARGE_RANK, -LARGE_RANK]


def of_column(dtype):
    """A function from a rank to what a frame with a column of this type makes of it."""

    def read(rank):
        columns = {"query_id": ["q"], "doc_id": ["d"], "score": [1.0], "rank": np.array([rank], dtype)}
        return frames.read(columns, "run").rank.tolist()[0]

    return read


READERS = {"alone": lambda rank: whole(float(rank)), "integers": of_column("i8"), "floats": of_column("f8")}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("rank", EXACT + BEYOND)
def test_a_rank_is_a_whole_number_below_the_largest_that_is_exact(reader, rank):
    assert READERS[reader](rank) == (rank if rank in EXACT else NO_RANK)


@pytest.mark.parametrize("value", [None, 1.5])
def test_anything_else_is_no_rank(value):
    assert whole(value) == NO_RANK


@pytest.mark.parametrize("rank", EXACT)
def test_a_line_has_such_a_rank(rank, write):
    assert Run.read(write("x.tsv", f"q\td\t{rank}\n"), format="msmarco").to_dict() == {"q": {"d": -rank}}


@pytest.mark.parametrize("rank", BEYOND)
def test_a_line_with_another_rank_is_refused(rank, write):
    with pytest.raises(InputError, match=r'x\.tsv:1: the rank is beyond 2\^53: "-?9007199254740992'):
        Run.read(write("x.tsv", f"q\td\t{rank}\n"), format="msmarco")
