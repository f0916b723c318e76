import numpy as np
import pytest

from extensions.devices.dense.finding import rows_of
from rankgauge.errors import RankgaugeError
from rankgauge.extensions.devices.dense.documents import Documents


@pytest.fixture
def vectors():
    """Vectors of 57 documents, each with a first number of its own."""
    rng = np.random.default_rng(1)
    array = rng.normal(size=(57, 6)).astype(np.float32)
    array[:, 0] = np.arange(57)
    return array


@pytest.fixture
def refused():
    """The message with which documents are refused; with a path, the error has it."""

    def message(*given, find=(), path=None, **options):
        def use():
            documents = Documents.of(*given, **options)
            rows_of(documents, find)
            list(documents.blocks(10))

        with pytest.raises(RankgaugeError) as caught:
            use()
        text = str(caught.value)
        if path is not None:
            assert (caught.value.path, text.count(str(path))) == (str(path), 1)
            assert text.startswith(f"{path}:")
        return text

    return message
