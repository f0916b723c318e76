"""Results as long frames of any library: one row per value, with its labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rankgauge.core.ids import to_bytes
from rankgauge.errors import MissingDependency

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas
    import polars
    import pyarrow


class LongTable(NamedTuple):
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
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingDependency("an Arrow table", "pyarrow", "arrow") from None
        names, codes, values = self._long()
        return pa.table({**{n: pa.array(names[n]).take(pa.array(codes[n])) for n in names}, "value": values})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame: one column per label and `value`, one row per value."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingDependency("a pandas frame", "pandas", "pandas") from None
        names, codes, values = self._long()
        texts = {n: _labels(names[n])[codes[n]] for n in names}
        return pd.DataFrame({**texts, "value": values})

    def to_polars(self) -> polars.DataFrame:
        """A polars frame: one column per label and `value`, one row per value."""
        try:
            import polars as pl
        except ImportError:
            raise MissingDependency("a polars frame", "polars", "polars") from None
        names, codes, values = self._long()
        return pl.DataFrame({**{n: pl.Series(names[n]).gather(codes[n]) for n in names}, "value": values})


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
