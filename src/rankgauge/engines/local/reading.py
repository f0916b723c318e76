"""Reading runs over several threads: their documents are ordered and joined with the judgments.

Each run is checked for likely mistakes (`RunWarnings`), which costs the reading of a few rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from rankgauge.core import codes
from rankgauge.core.ids import to_text
from rankgauge.engines.assembly import assemble, blocks, longest, numbers_in_topics
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.local.document_ranks import ranks
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments, RunWarnings
from rankgauge.engines.run_inputs import RunInput, first_topics, load_run
from rankgauge.engines.threads import Progress, available, in_threads, ticker
from rankgauge.errors import InputError
from rankgauge.formats import text_files
from rankgauge.formats.arrow_batches import Batches
from rankgauge.formats.columns import Columns
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import TREC_FIELDS
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.model.id_differences import MAX_IDS, MAX_ROWS, document_difference, documents_of
from rankgauge.model.notes import unjudged
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.run import Run, listing


def read_runs(
    engine: LocalEngine,
    runs: Sequence[RunInput],
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[RetrievedJudgments]:
    """The retrieved judgments of runs, which must have a judged topic."""
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
        return _with_warnings(engine, opened, retrieved).narrowed()

    retrieved = in_threads(read, runs, workers)
    if len(engine.qrels):  # without any, there are only rankings to look at
        refuse_unjudged(runs, retrieved)
    return with_copies(runs, retrieved, engine.order)


BY_CHANCE = 100  # results of a file; so many are not all unjudged by chance


def refuse_unjudged(runs: Sequence[RunInput], retrieved: Sequence[RetrievedJudgments]) -> None:
    """Raise an error if nothing at all is judged, and the cause is clear or a file has many results.

    Without a clear cause, a run in memory may be that of a model which is only beginning to learn.
    """
    if any(each.warnings.judged != 0 for each in retrieved):
        return
    for run, each in zip(runs, retrieved, strict=True):
        results, differ = int(each.retrieved.sum()), each.warnings.ids_differ
        if differ or (results >= BY_CHANCE and not run.in_memory):
            raise InputError(unjudged(run.name, results, differ))


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

    The rankings come in blocks, as (first topic, last + 1, rankings), with every judged document; `depth`
    cuts them.
    """
    retrieved = LocalEngine(qrels, order, detail=detail).retrieve(run.open(), available(threads))
    most, docs = longest([retrieved]), numbers_in_topics(qrels)

    def parts() -> Iterator[tuple[int, int, JudgedRankings]]:
        for first, last, pool in blocks(qrels):
            rankings = assemble([retrieved], first, last, qrels.sorted_grades, pool, most, docs)
            yield first, last, rankings if depth is None else rankings.cut(depth)

    return retrieved, parts()


ROWS = 64  # compared in each of some places


def _with_warnings(engine: LocalEngine, run: Any, retrieved: RetrievedJudgments) -> RetrievedJudgments:
    rising = rising_scores(run) if engine.order.order == "score" else 0
    warnings = RunWarnings(rising_scores=rising, unmapped=getattr(run, "unmapped", 0))
    if retrieved.hardly_any:
        # Those that the measures do not distinguish from unjudged were not looked up: only then, read again.
        judged = retrieved if engine.keeps_all else LocalEngine(engine.qrels, engine.order).retrieve(run)
        if judged.hardly_any:
            found = document_difference(
                documents_of(_rows(run), engine.qrels.sorted_topics), engine.qrels.documents
            )
            warnings = warnings._replace(judged=len(judged.rank), ids_differ=found)
        elif not len(retrieved.rank):
            warnings = warnings._replace(judged=len(judged.rank))
    return retrieved._replace(warnings=warnings)


def rising_scores(run: Any) -> int:
    """How many neighbours among a few rows have scores that rise with ranks; 0 unless nearly all do."""
    if isinstance(run, Source):
        return text_files.rising_scores(run)
    topic: Any
    if isinstance(run, Run):
        topic, scores, ranks = run.topic, run.scores, run.ranks
    elif isinstance(run, Columns):
        topic, scores, ranks = run.topic, run.value, run.rank
    else:
        return 0
    if ranks is None:
        return 0

    def rows(begin: int, end: int) -> Iterator[tuple[Any, float, float]]:
        for row in range(begin, min(end, begin + ROWS)):
            if ranks[row] != codes.NO_RANK:
                yield topic[row], float(ranks[row]), float(scores[row])

    places = [len(scores) * n // text_files.SAMPLES for n in range(text_files.SAMPLES + 1)]
    return text_files.opposed(rows(*part) for part in pairwise(places))


def _rows(run: Any) -> Iterator[tuple[str, str]]:
    return islice(((_text(topic), _text(doc)) for topic, doc in _pairs(run)), MAX_ROWS)


def _text(name: Any) -> str:
    return to_text(name) if isinstance(name, bytes) else str(name)


def _pairs(run: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(run, Source):
        lines = (line.split() for line in run.head.splitlines())
        yield from ((fields[0], fields[2]) for fields in lines if len(fields) == TREC_FIELDS["run"])
    elif isinstance(run, Mapping):
        yield from ((topic, doc) for topic, docs in run.items() for doc in islice(docs, MAX_IDS))
    elif isinstance(run, Batches):
        for batch in islice(run(), 1):
            yield from _pairs(run.columns(batch))
    else:
        rows = run.columns() if isinstance(run, Run) else run
        yield from ((rows.topic[n], rows.doc[n]) for n in range(min(len(rows), MAX_ROWS)))


LARGEST = 1 << 28  # bytes of a run that is read again to be compared


def with_copies(
    runs: Sequence[RunInput], retrieved: Sequence[RetrievedJudgments], order: DocumentOrder
) -> list[RetrievedJudgments]:
    """The retrieved judgments, with the names of the earlier runs they copy."""
    noted = list(retrieved)
    for like in _alike(range(len(runs)), lambda place: retrieved[place].outline):
        for same in _alike(like, lambda place: retrieved[place].contents):
            small = [place for place in same if runs[place].size <= LARGEST]
            for first, *copies in _alike(small, lambda place: _listing(runs[place], order)):
                for place in copies:
                    warnings = retrieved[place].warnings._replace(copy_of=runs[first].name)
                    noted[place] = retrieved[place]._replace(warnings=warnings)
    return noted


def _alike(places: Iterable[int], key: Callable[[int], Hashable]) -> list[list[int]]:
    """The groups of two places and more with the same key."""
    groups: dict[Hashable, list[int]] = {}
    several = [*places]
    for place in several if len(several) > 1 else ():
        groups.setdefault(key(place), []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def _listing(run: RunInput, order: DocumentOrder) -> str:
    loaded = load_run(run.open(), order)
    return listing(loaded.topics, loaded.topic, loaded.docs, ranks(loaded, order))
