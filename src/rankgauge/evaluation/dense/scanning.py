"""Going through all documents, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.engines.vectors.arithmetic import Arithmetic
from rankgauge.evaluation.dense.documents import Block, Documents
from rankgauge.evaluation.dense.memory import block_rows
from rankgauge.evaluation.dense.options import SearchOptions
from rankgauge.schema.stopping import checkpoint


def blocks_of(documents: Documents, arithmetic: Arithmetic, search: SearchOptions) -> Iterator[Block]:
    """All documents in blocks, as many at once as the options or the free memory allow, with progress."""
    rows = search["block"] or block_rows(8 * documents.dim, arithmetic.block_rows, arithmetic.device)
    progress, done = search["progress"], 0
    for block in documents.blocks(rows):
        checkpoint()
        yield block
        done += len(block.vectors)
        if progress is not None:
            progress(done, documents.count)
