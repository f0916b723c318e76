"""Reading runs over several threads: their documents are ordered and joined with the judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankgauge.engines.assembly import assemble, longest
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.judgments import blocks, numbers_in_topics
from rankgauge.engines.local.copies import with_copies
from rankgauge.engines.local.doubts import with_doubts
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput, first_topics
from rankgauge.engines.threads import Progress, available, in_threads, ticker
from rankgauge.errors import InputError
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.qrels import Qrels


def read_runs(
    engine: LocalEngine,
    runs: Sequence[RunInput],
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[RetrievedJudgments]:
    """The retrieved judgments of each run; a run without any judged topic is an error."""
    workers = available(threads)
    tick = ticker(sum(run.size for run in runs), progress)

    def read(run: RunInput) -> RetrievedJudgments:
        reported = [0]

        def tick_run(size: int) -> None:
            reported.append(size)
            tick(size)

        try:
            opened = run.open()  # which reads what is in memory
            retrieved = engine.retrieve(opened, max(1, workers // len(runs)), tick_run)
        except InputError as error:
            if error.path is not None or len(runs) == 1:
                raise
            raise InputError(f"run {run.name!r}: {error}") from error  # which of them
        tick(run.size - sum(reported))  # corrects for bytes not reported, or read twice
        if not retrieved.retrieved.any():
            raise no_common_topic(run.name, engine.qrels.sorted_topics, first_topics(run), retrieved.assumed)
        return with_doubts(engine, opened, retrieved)

    return with_copies(runs, in_threads(read, runs, workers), engine.order)


def read_rankings(
    qrels: Qrels,
    run: RunInput,
    order: DocumentOrder,
    *,
    depth: int | None = None,
    threads: int | None = None,
    detail: bool = False,
) -> tuple[RetrievedJudgments, Iterator[tuple[int, int, JudgedRankings]]]:
    """(retrieved judgments, judged rankings) of one run, for evaluation outside the measure language.

    The rankings come in blocks, as (first topic, last + 1, rankings), with every judged document. `depth`
    cuts each ranking at that rank.
    """
    retrieved = LocalEngine(qrels, order, detail=detail).retrieve(run.open(), available(threads))
    most, docs = longest([retrieved]), numbers_in_topics(qrels)

    def parts() -> Iterator[tuple[int, int, JudgedRankings]]:
        for first, last, pool in blocks(qrels):
            rankings = assemble([retrieved], first, last, qrels.sorted_grades, pool, most, docs)
            yield first, last, rankings if depth is None else rankings.cut(depth)

    return retrieved, parts()
