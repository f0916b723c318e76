"""Rows of documents by their ids, as a dict."""

from rankgauge.core.ids import Ids, to_bytes
from rankgauge.evaluation.dense.wanted import Wanted


def rows_of(documents, wanted):
    """{id: its row} for those of the wanted ids that there are, by row."""
    ids = list({to_bytes(each): each for each in wanted}.values())
    rows = documents.find(Wanted(Ids.of(ids))).tolist()
    found = sorted((row, name) for name, row in zip(ids, rows, strict=True) if row >= 0)
    return {name: row for row, name in found}
