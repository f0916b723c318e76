"""Rows of documents by their ids, as a dict."""

from rankgauge.core.ids import Ids, to_bytes
from rankgauge.extensions.devices.ids import IdIndex


def rows_of(documents, wanted):
    """{id: its row} for those of the wanted ids that there are, by row."""
    ids = list({to_bytes(each): each for each in wanted}.values())
    there, vectors = documents.find(IdIndex(Ids.of(ids)))
    rows = {name: row for row, name in enumerate(documents.ids_of(range(documents.count)))}
    assert len(vectors) == len(there)
    return {ids[place]: rows[to_bytes(ids[place])] for place in there.tolist()}
