"""Runs that are copies of others: the same documents in the same order, whatever their names."""

from __future__ import annotations

from collections.abc import Sequence

from rankgauge.engines.local.document_ranks import load_run, ranks
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.run import listing

LARGEST = 1 << 28  # bytes of a run that is read again to be compared


def with_copies(
    runs: Sequence[RunInput], retrieved: Sequence[RetrievedJudgments], order: DocumentOrder
) -> list[RetrievedJudgments]:
    """The retrieved judgments, with the names of earlier runs that they are copies of.

    Runs are compared document by document only if the same judged documents are at the same ranks.
    """
    earlier: dict[tuple[int, int, int], list[int]] = {}
    noted = list(retrieved)
    for place, (run, of_run) in enumerate(zip(runs, retrieved, strict=True)):
        alike = earlier.setdefault(of_run.outline, [])
        for other in alike:
            if of_run.is_same(retrieved[other]) and _is_copy(run, runs[other], order):
                noted[place] = of_run._replace(doubts=of_run.doubts._replace(copy_of=runs[other].name))
                break
        else:
            alike.append(place)
    return noted


def _is_copy(run: RunInput, other: RunInput, order: DocumentOrder) -> bool:
    if max(run.size, other.size) > LARGEST:
        return False
    loaded = (load_run(each.open(), order) for each in (run, other))
    first, second = (listing(each.topics, each.topic, each.docs, ranks(each, order)) for each in loaded)
    return first == second
