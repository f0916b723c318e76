"""What may be wrong with a run that was read: documents that are not judged, scores that rise with the ranks.

The first costs nothing unless hardly any document is judged, and the second the reading of a few rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, pairwise
from typing import Any

from rankgauge.core import codes
from rankgauge.core.ids import to_text
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import Doubts, RetrievedJudgments
from rankgauge.formats import text_files
from rankgauge.formats.arrow_batches import Batches
from rankgauge.formats.columns import Columns
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import TREC_FIELDS
from rankgauge.model.id_differences import MOST_ROWS, document_difference, documents_of
from rankgauge.model.run import Run

ROWS = 64  # compared in each of some places


def with_doubts(engine: LocalEngine, run: Any, retrieved: RetrievedJudgments) -> RetrievedJudgments:
    """The retrieved judgments of what `RunInput.open` returned, with doubts about the run."""
    doubts = Doubts(rising_scores=rising_scores(run) if engine.order.order == "score" else 0)
    if retrieved.hardly_any:
        # Those that the measures do not distinguish from unjudged were not looked up: only then, read again.
        judged = retrieved if engine.keeps_all else LocalEngine(engine.qrels, engine.order).retrieve(run)
        if judged.hardly_any:
            found = document_difference(
                documents_of(_rows(run), engine.qrels.sorted_topics), engine.qrels.documents
            )
            doubts = doubts._replace(judged=len(judged.rank), ids_differ=found)
        elif not len(retrieved.rank):
            doubts = doubts._replace(judged=len(judged.rank))
    return retrieved._replace(doubts=doubts)


def rising_scores(run: Any) -> int:
    """The neighbours among a few rows whose scores rise with the ranks; 0 unless nearly all do."""
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
    """(topic, document) of the first rows."""
    return islice(((_text(topic), _text(doc)) for topic, doc in _pairs(run)), MOST_ROWS)


def _text(name: Any) -> str:
    return to_text(name) if isinstance(name, bytes) else str(name)


def _pairs(run: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(run, Source):
        lines = (line.split() for line in run.head.splitlines())
        yield from ((fields[0], fields[2]) for fields in lines if len(fields) == TREC_FIELDS["run"])
    elif isinstance(run, Mapping):
        yield from ((topic, doc) for topic, docs in run.items() for doc in docs)
    elif isinstance(run, Batches):
        for batch in islice(run(), 1):
            yield from _pairs(run.columns(batch))
    else:
        rows = run.columns() if isinstance(run, Run) else run
        yield from ((rows.topic[n], rows.doc[n]) for n in range(min(len(rows), MOST_ROWS)))
