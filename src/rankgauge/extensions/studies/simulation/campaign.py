"""A simulated campaign: topics, systems, judgments and runs, each generated on request."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np

from rankgauge.errors import OptionError
from rankgauge.extensions.studies.simulation.files import (
    SHUFFLE,
    Arrangement,
    Written,
    document_ids,
    judgment_lines,
    refuse_occupied,
    run_lines,
    scores,
    write_lines,
)
from rankgauge.extensions.studies.simulation.results import (
    Judgments,
    System,
    judgments,
    results,
    subtopic_judgments,
    system,
)
from rankgauge.extensions.studies.simulation.topics import FULL_POOL, Sizes, Topics
from rankgauge.schema.parameters import Number, Whole
from rankgauge.schema.text import unknown_name


def simulate(
    topics: Annotated[int, Whole(0), "number of topics"] = 50,
    depth: Annotated[int, Whole(0), "documents retrieved per topic"] = 1000,
    systems: Annotated[int, Whole(0), "number of systems: six styles, then variants of these"] = 5,
    *,
    judged: Annotated[
        float | None,
        Number(),
        "mean number of judged documents per topic (default 200, or twice the depth if that is less); "
        "1.1 makes sparse judgments: a relevant document and little else",
    ] = None,
    grades: Annotated[int, Whole(0), "the highest grade; few documents have it"] = 3,
    ties: Annotated[float, Number(), "share of documents with the same score as the previous one"] = 0.01,
    subtopics: Annotated[
        int, Whole(0), "maximum number of subtopics per topic; 0: no judgments by subtopic"
    ] = 0,
    missing: Annotated[float, Number(), "share of topics for which a system retrieves nothing"] = 0.0,
    short: Annotated[
        float, Number(), "share of topics for which it retrieves fewer documents than the depth"
    ] = 0.0,
    unjudged: Annotated[
        float, Number(), "share of the relevant documents, and of the pool, left unjudged"
    ] = 0.05,
    seed: Annotated[int, Whole(0), "seed of the random numbers"] = 1,
) -> Campaign:
    """A simulated campaign; the same arguments always give the same campaign.

    The systems are called bm25, dense, hybrid, rerank, rm3, rewrite, then bm25-2, ...
    """
    judged = min(FULL_POOL, 2.0 * depth) if judged is None else judged
    return Campaign(
        Sizes(topics, depth, systems, judged, grades, ties, subtopics, missing, short, unjudged, seed)
    )


class Campaign:
    """A simulated campaign, stored as its parameters."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes

    def __repr__(self) -> str:
        return f"Campaign({self.sizes})"

    @property
    def topics(self) -> list[str]:
        """The ids of the topics."""
        return [self.sizes.topic_id(number) for number in range(self.sizes.topics)]

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return [system(number, self.sizes.seed).name for number in range(self.sizes.systems)]

    def qrels_dict(self) -> dict[str, dict[str, int]]:
        """Judgments, `{topic: {document: grade}}`."""
        qrels: dict[str, dict[str, int]] = {topic: {} for topic in self.topics}
        for topics in self._batches():
            for topic, _, document, grade in _rows(topics, judgments(topics)):
                qrels[topic][document] = grade
        return qrels

    def subtopics_dict(self) -> dict[str, dict[str, dict[str, int]]]:
        """Judgments by subtopic, `{topic: {subtopic: {document: grade}}}`."""
        qrels: dict[str, dict[str, dict[str, int]]] = {topic: {} for topic in self.topics}
        for topics in self._batches() if self.sizes.subtopics else ():
            for topic, subtopic, document, grade in _rows(topics, subtopic_judgments(topics)):
                qrels[topic].setdefault(str(subtopic), {})[document] = grade
        return qrels

    def run_dict(self, name: str) -> dict[str, dict[str, float]]:
        """A system's run, `{topic: {document: score}}`, without topics that have no results."""
        run = {}
        chosen = self._system(name)
        for topics in self._batches():
            retrieved = results(topics, chosen)
            rows = np.arange(len(topics.ids))[:, None]
            ids = document_ids(topics, rows, retrieved.documents).astype(str).tolist()
            values = scores(retrieved).tolist()
            for row, length in enumerate(retrieved.lengths.tolist()):
                if length:
                    run[topics.ids[row]] = dict(zip(ids[row][:length], values[row][:length], strict=True))
        return run

    def write(
        self,
        directory: str | os.PathLike[str],
        *,
        shuffle: str = "none",
        gz: bool = False,
        force: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Written]:
        """Write TREC files; returns the judgments, then a run for each system.

        The files are `qrels.txt`, `qrels.diversity.txt` (with subtopics) and `runs/<system>.run`. `shuffle`
        is the order of the lines of a run: "none", "lines" or "topics". A directory with such files is an
        error unless `force` is true. `progress` is called with the steps done and their total.
        """
        shuffle = SHUFFLE.check(shuffle)
        root, sizes = Path(directory), self.sizes
        if not force:
            refuse_occupied(root)
        root.mkdir(parents=True, exist_ok=True)
        suffix = ".gz" if gz else ""
        total = sizes.topics * (1 + bool(sizes.subtopics) + sizes.systems)
        done = 0

        def batches() -> Iterator[Topics]:
            nonlocal done
            for topics in self._batches():
                yield topics
                done += len(topics.numbers)
                if progress is not None:
                    progress(done, total)

        judged = (judgment_lines(topics, judgments(topics)) for topics in batches())
        written = [write_lines(root / f"qrels.txt{suffix}", judged)]
        if sizes.subtopics:
            judged = (judgment_lines(topics, subtopic_judgments(topics)) for topics in batches())
            written.append(write_lines(root / f"qrels.diversity.txt{suffix}", judged))
        for number, name in enumerate(self.systems):
            of_run = system(number, sizes.seed)
            lines = (run_lines(topics, of_run, results(topics, of_run)) for topics in batches())
            arranged = Arrangement(shuffle, sizes.seed, number, sizes.topics * sizes.depth, root)(lines)
            written.append(write_lines(root / "runs" / f"{name}.run{suffix}", arranged))
        return written

    def _batches(self) -> Iterator[Topics]:
        return (Topics(self.sizes, numbers) for numbers in self.sizes.batches())

    def _system(self, name: str) -> System:
        if name not in self.systems:
            raise OptionError(unknown_name("system", name, self.systems))
        return system(self.systems.index(name), self.sizes.seed)


def _rows(topics: Topics, judged: Judgments) -> Iterator[tuple[str, int, str, int]]:
    """(topic, subtopic, document, grade) of each judgment."""
    ids = document_ids(topics, judged.rows, judged.documents).astype(str).tolist()
    names = [topics.ids[row] for row in judged.rows.tolist()]
    return zip(names, judged.subtopics.tolist(), ids, judged.grades.tolist(), strict=True)
