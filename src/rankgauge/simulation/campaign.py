"""A campaign: topics, systems, judgments and runs that do not exist until they are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from rankgauge.errors import OptionError
from rankgauge.schema.text import nearest
from rankgauge.simulation.files import SHUFFLE, Arrangement, Written, refuse_occupied, write_lines
from rankgauge.simulation.judgments import Judgments, judgments, subtopic_judgments
from rankgauge.simulation.lines import document_ids, judgment_lines, run_lines, scores
from rankgauge.simulation.results import results
from rankgauge.simulation.sizes import FULL_POOL, Sizes
from rankgauge.simulation.systems import System, system
from rankgauge.simulation.topics import Topics


def simulate(
    topics: int = 50,
    depth: int = 1000,
    systems: int = 5,
    *,
    judged: float | None = None,
    grades: int = 3,
    ties: float = 0.01,
    subtopics: int = 0,
    missing: float = 0.0,
    short: float = 0.0,
    unjudged: float = 0.05,
    seed: int = 1,
) -> Campaign:
    """A campaign of this many topics and systems, the same for the same numbers and seed.

    topics     how many topics
    depth      how many documents a system returns for a topic
    systems    how many systems: bm25, dense, hybrid, rerank, rm3, rewrite, then bm25-2, …
    judged     how many documents a topic has judged on average; 200 by default, or twice the depth
               if that is less. About 1.1 makes sparse judgments: a relevant document and nothing else.
    grades     the highest grade; few documents have it
    ties       share of documents returned with the same score as the one before
    subtopics  the most subtopics a topic has; 0 for judgments of whole topics only
    missing    share of topics for which a system returns nothing
    short      share of topics for which a system returns less than the depth
    unjudged   share of the relevant documents, and of the pool, that nobody judged
    """
    judged = min(FULL_POOL, 2.0 * depth) if judged is None else judged
    return Campaign(
        Sizes(topics, depth, systems, judged, grades, ties, subtopics, missing, short, unjudged, seed)
    )


class Campaign:
    """A simulated evaluation campaign, held as the numbers it is made from."""

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
        """The judgments, as `{topic: {document: grade}}`."""
        held: dict[str, dict[str, int]] = {topic: {} for topic in self.topics}
        for topics in self._batches():
            for topic, _, document, grade in _rows(topics, judgments(topics)):
                held[topic][document] = grade
        return held

    def subtopics_dict(self) -> dict[str, dict[str, dict[str, int]]]:
        """The judgments of subtopics, as `{topic: {subtopic: {document: grade}}}`."""
        held: dict[str, dict[str, dict[str, int]]] = {topic: {} for topic in self.topics}
        for topics in self._batches() if self.sizes.subtopics else ():
            for topic, subtopic, document, grade in _rows(topics, subtopic_judgments(topics)):
                held[topic].setdefault(str(subtopic), {})[document] = grade
        return held

    def run_dict(self, name: str) -> dict[str, dict[str, float]]:
        """A system's run, as `{topic: {document: score}}`; a missing topic is missing."""
        held = {}
        made = self._system(name)
        for topics in self._batches():
            found = results(topics, made)
            rows = np.arange(len(topics.ids))[:, None]
            ids = document_ids(topics, rows, found.documents).astype(str).tolist()
            values = scores(found).tolist()
            for row, length in enumerate(found.lengths.tolist()):
                if length:
                    held[topics.ids[row]] = dict(zip(ids[row][:length], values[row][:length], strict=True))
        return held

    def write(
        self,
        directory: str | os.PathLike[str],
        *,
        shuffle: str = "none",
        gz: bool = False,
        force: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Written]:
        """Write TREC files and return what was written: the judgments, then a run for each system.

        `qrels.txt`, with subtopics `qrels.diversity.txt`, and `runs/<system>.run`. `shuffle` is the
        order of lines in the runs: "none", "lines" or "topics". A directory that holds such files
        is refused unless `force` is given. `progress` is called with the steps done and the steps
        in total.
        """
        shuffle = SHUFFLE.check(shuffle)
        root, sizes = Path(directory), self.sizes
        if not force:
            refuse_occupied(root)
        root.mkdir(parents=True, exist_ok=True)
        packed = ".gz" if gz else ""
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
        written = [write_lines(root / f"qrels.txt{packed}", judged)]
        if sizes.subtopics:
            judged = (judgment_lines(topics, subtopic_judgments(topics)) for topics in batches())
            written.append(write_lines(root / f"qrels.diversity.txt{packed}", judged))
        for number, name in enumerate(self.systems):
            made = system(number, sizes.seed)
            lines = (run_lines(topics, made, results(topics, made)) for topics in batches())
            arranged = Arrangement(shuffle, sizes.seed, number, sizes.topics * sizes.depth, root)(lines)
            written.append(write_lines(root / "runs" / f"{name}.run{packed}", arranged))
        return written

    def _batches(self) -> Iterator[Topics]:
        return (Topics(self.sizes, numbers) for numbers in self.sizes.batches())

    def _system(self, name: str) -> System:
        if name not in self.systems:
            known = ", ".join(self.systems)
            raise OptionError(f"no system is called {name!r}{nearest(name, self.systems)}; there are {known}")
        return system(self.systems.index(name), self.sizes.seed)


def _rows(topics: Topics, judged: Judgments) -> Iterator[tuple[str, int, str, int]]:
    """Judgments one by one: topic, subtopic, document, grade."""
    ids = document_ids(topics, judged.rows, judged.documents).astype(str).tolist()
    names = [topics.ids[row] for row in judged.rows.tolist()]
    return zip(names, judged.subtopics.tolist(), ids, judged.grades.tolist(), strict=True)
