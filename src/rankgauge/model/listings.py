"""What a run lists: the documents of each topic in order. Its copies list the same, whatever their names."""

from __future__ import annotations

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.formats.columns import Ints


def listing(topics: Ids, topic: Ints, docs: Ids, rank: Ints) -> str:
    """A digest of topics and their documents by rank; `topic` is the number of each document's topic."""
    import hashlib  # which loads OpenSSL

    names = [*topics]
    by_name = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names), dtype=np.int64)
    place[by_name] = np.arange(len(names))
    ordered = docs.take(np.lexsort((rank, place[topic])))
    digest = hashlib.blake2b(digest_size=16)
    known = topics.take(np.array(by_name, dtype=np.int64))
    for part in (known.data, known.offsets, np.bincount(place[topic]), ordered.data, ordered.offsets):
        digest.update(bytes(part))
        digest.update(b"\0")
    return digest.hexdigest()
