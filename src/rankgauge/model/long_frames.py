"""Results as long frames of any library: one row per value, with its labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge.core.ids import to_bytes
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.lazy import optional_module

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas
    import polars
    import pyarrow


class LongTable(Frozen, eq=False):
    """Rows of labels with one value each."""

    names: Mapping[str, list[Any]]  # {column: its distinct labels}
    codes: Mapping[str, npt.NDArray[np.int64]]  # {column: (rows,) index of the row's label}
    values: npt.NDArray[np.float64]  # (rows,)


class Framed(ABC):
    """Results that convert to frames, with the columns of `_long` and `value`."""

    @abstractmethod
    def _long(self) -> LongTable:
        """All values, with their labels."""

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow table: one column per label and `value`, one row per value."""
        pa = optional_module("pyarrow", "an Arrow table", "arrow")
        long = self._long()
        labels = {n: pa.array(names).take(pa.array(long.codes[n])) for n, names in long.names.items()}
        return pa.table({**labels, "value": long.values})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame: one column per label and `value`, one row per value."""
        pd = optional_module("pandas", "a pandas frame", "pandas")
        long = self._long()
        labels = {n: _labels(names)[long.codes[n]] for n, names in long.names.items()}
        return pd.DataFrame({**labels, "value": long.values})

    def to_polars(self) -> polars.DataFrame:
        """A polars frame: one column per label and `value`, one row per value."""
        pl = optional_module("polars", "a polars frame", "polars")
        long = self._long()
        labels = {n: pl.Series(names).gather(long.codes[n]) for n, names in long.names.items()}
        frame: polars.DataFrame = pl.DataFrame({**labels, "value": long.values})
        return frame


def _labels(names: list[Any]) -> npt.NDArray[Any]:
    import numpy as np

    return np.array(names, dtype=np.int64 if names and isinstance(names[0], int) else object)


def texts(identifiers: Sequence[str]) -> list[Any]:
    """Ids for a frame: text, or bytes if some are not UTF-8."""
    try:
        "".join(identifiers).encode()
    except UnicodeEncodeError:
        return [to_bytes(i) for i in identifiers]
    return list(identifiers)
