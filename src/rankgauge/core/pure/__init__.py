"""The pure-Python twin of the compiled core: the same names, the same results, slower.

It is written for reading, with speed where it costs no clarity: only judged documents are
looked up, and ids are compared only inside ties.
"""

from rankgauge.core.pure.candidates import FixedCandidates
from rankgauge.core.pure.columns import (
    cumulate,
    duplicates,
    encode,
    encode_views,
    pack_views,
    take,
)
from rankgauge.core.pure.hits import gather_hits
from rankgauge.core.pure.join import Join
from rankgauge.core.pure.judgments import Judgments, sort_judgments
from rankgauge.core.pure.lines import Table
from rankgauge.core.pure.order import ranks
from rankgauge.core.pure.permuting import permuted_sums
from rankgauge.core.pure.vectors import dots, near, near_differences

__all__ = [
    "FixedCandidates",
    "Join",
    "Judgments",
    "Table",
    "cumulate",
    "dots",
    "duplicates",
    "encode",
    "encode_views",
    "gather_hits",
    "near",
    "near_differences",
    "pack_views",
    "permuted_sums",
    "ranks",
    "sort_judgments",
    "take",
]
