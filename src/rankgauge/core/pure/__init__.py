"""The pure-Python twin of the compiled core: the same names, the same results, slower."""

from rankgauge.core.pure.byte_columns import cumulate, duplicates, encode, encode_views, pack_views, take
from rankgauge.core.pure.join import Join
from rankgauge.core.pure.judgment_table import Judgments, gather_hits, sort_judgments
from rankgauge.core.pure.order import FixedCandidates, ranks
from rankgauge.core.pure.program import Program
from rankgauge.core.pure.trec_lines import Table, run_text, topic_lines
from rankgauge.core.pure.vectors import dots, near, near_differences, permuted_sums

__all__ = [
    "FixedCandidates",
    "Join",
    "Judgments",
    "Program",
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
    "run_text",
    "sort_judgments",
    "take",
    "topic_lines",
]
