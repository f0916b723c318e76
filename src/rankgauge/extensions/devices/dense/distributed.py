"""Evaluation by the processes of torch.distributed, each of which has a part of the documents.

    scores = rankgauge.dense.distributed.evaluate(qrels, queries, my_documents, "nDCG@10", doc_ids=my_ids)

Vectors of judged documents are gathered, and counts added up: other documents stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.evaluation.evaluator import Measures
from rankgauge.extensions.devices.dense import arrays
from rankgauge.extensions.devices.dense.counts import Counts, JudgedVectors, judged
from rankgauge.extensions.devices.dense.documents import Documents, Options
from rankgauge.extensions.devices.dense.evaluation import count
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.model.rules import Judging
from rankgauge.model.scores import Scores
from rankgauge.schema.lazy import optional_module

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

T = TypeVar("T")


def evaluate(
    qrels: Any,
    queries: Any,
    documents: Any,
    measures: Measures = SEVERAL,
    *,
    group: Any = None,
    depth: int | None = None,
    **options: Unpack[Options],
) -> Scores:
    """The scores of `dense.evaluate` for the documents of all processes of a group, the default one or this.

    Every process calls it with the same arguments but for its own documents and their ids. A document belongs
    to one process. Options are those of `dense.evaluate`.
    """
    judging: Any = {name: given for name, given in options.items() if name in Judging.__annotations__}
    doc_ids = options.pop("doc_ids", None)
    part: list[Documents] = []

    def judged_part() -> JudgedVectors:
        part.append(Documents.of(documents, doc_ids))
        known = judged(qrels, part[0], measures, **judging)
        return known._replace(vectors=arrays.restored(*arrays.stored(known.vectors)))

    def count_part() -> Counts:
        return count(qrels, queries, part[0], measures, judged=whole, depth=depth, **options)

    whole: Any = sum(_gathered(judged_part, group))
    return _added(count_part, group).scores()


def add_up(counts: Counts, group: Any = None) -> Counts:
    """The sum of the counts of all processes of a group, the default one or this, in each of them."""
    return _added(lambda: counts, group)


def _added(make: Callable[[], Counts], group: Any) -> Counts:
    torch = _torch()
    made: list[Counts] = []

    def identity() -> Mapping[str, str]:
        made.append(make())
        return made[0].identity

    identities = _gathered(identity, group)
    counts = made[0]
    for rank, other in enumerate(identities):
        # Compared with the first, so that the error is the same everywhere.
        counts._replace(identity=identities[0]).require_same(other, f"process {rank}: ")
    sums = torch.as_tensor(counts.sums, device=_device(group))
    torch.distributed.all_reduce(sums, group=group)
    return counts.with_sums(sums.cpu().numpy())


def _gathered(make: Callable[[], T], group: Any) -> list[T]:
    """All processes' results; an error in one is raised in all, which would otherwise wait for it."""
    distributed = _torch().distributed
    mine: tuple[T | None, RankgaugeError | None]
    try:
        mine = make(), None
    except RankgaugeError as error:
        mine = None, error
    if distributed.get_rank(group) < 0:
        raise OptionError("this process is not one of the group; call it in the processes of the group alone")
    every: list[Any] = [None] * distributed.get_world_size(group)
    # The text of an error, since not all of them can be pickled.
    sent = (mine[0], None if mine[1] is None else str(mine[1]))
    distributed.all_gather_object(every, sent, group=group)
    if mine[1] is not None:
        raise mine[1]
    for rank, (_, message) in enumerate(every):
        if message is not None:
            raise InputError(f"process {rank}: {message}")
    return [value for value, _ in every]


def _device(group: Any) -> Any:
    """The device of tensors for this group: NCCL sends from graphics cards alone."""
    torch = _torch()
    backend = str(torch.distributed.get_backend(group))
    return torch.device("cuda", torch.cuda.current_device()) if "nccl" in backend else torch.device("cpu")


def _torch() -> Any:
    torch = optional_module("torch", "evaluation by several processes", "torch")
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        raise OptionError(
            "torch.distributed is not initialized; call torch.distributed.init_process_group first, in "
            "processes that torchrun has started; for one process, use rankgauge.dense.evaluate"
        )
    return torch
