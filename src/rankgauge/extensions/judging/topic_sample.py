"""Topics drawn at random for human judgment, perhaps by strata, in a file that records them.

Lines of topic, stratum and whether it was drawn, separated by commas; the first names the columns. Estimates
from human judgments use the strata.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankgauge.errors import InputError, OptionError
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import delimited_rows
from rankgauge.model.output.tables import Table
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import whole_number
from rankgauge.schema.text import counted

HEADER = ("topic", "stratum", "drawn")
DRAWN = {"yes": True, "no": False}
MIN_DRAWN, STRATA = 4, 4  # topics drawn from a stratum, at least; strata, at most


class TopicSample(Frozen):
    """The stratum of every topic, and the topics that were drawn."""

    strata: Mapping[str, str]  # {topic: stratum}
    drawn: frozenset[str]

    @classmethod
    def of(cls, source: Any) -> TopicSample:
        """A sample from a file, or from {topic: stratum}, of which any topic may be drawn."""
        if isinstance(source, cls):
            return source
        if isinstance(source, Mapping):
            return cls({str(t): str(s) for t, s in source.items()}, frozenset(map(str, source)))
        if not isinstance(source, (str, os.PathLike)):
            raise OptionError(f"topics drawn are {{topic: stratum}}, or the path of a file, not {source!r}")
        strata, drawn, file = {}, set(), Source(source)
        for line, cells in delimited_rows(file):
            row = tuple(cell.strip() for cell in cells)
            if tuple(map(str.casefold, row)) == HEADER:
                continue
            if len(row) != len(HEADER) or row[2] not in DRAWN or row[0] in strata:
                raise InputError(
                    f"expected a new topic, its stratum, and yes or no for whether it was drawn, found "
                    f"{quote(', '.join(cells))}; `rankgauge pool --topics` writes such a file",
                    path=file.path,
                    line=line,
                )
            strata[row[0]] = row[1]
            if DRAWN[row[2]]:
                drawn.add(row[0])
        return cls(strata, frozenset(drawn))

    @classmethod
    def draw(
        cls, topics: Iterable[str], size: int, seed: int, by: Mapping[str, float] | None = None
    ) -> TopicSample:
        """So many of the topics, drawn at random; with `by`, from strata of similar values, by their sizes.

        >>> sample = TopicSample.draw(["a", "b", "c"], 2, seed=1)
        >>> len(sample.drawn), {*sample.strata.values()}
        (2, {'all'})
        """
        import numpy as np

        names = sorted({*topics})
        whole_number("topics", size, 1, len(names))
        random = np.random.default_rng(whole_number("seed", seed, 0))
        count = 1 if by is None else max(1, min(STRATA, size // MIN_DRAWN))
        ordered = names if by is None else sorted(names, key=lambda topic: (by.get(topic, 0.0), topic))
        groups = np.array_split(np.array(ordered, dtype=object), count)
        shares = np.diff(np.round(np.cumsum([0, *map(len, groups)]) * size / len(names))).astype(int)
        chosen = [
            random.choice(group, share, replace=False) for group, share in zip(groups, shares, strict=True)
        ]
        titles = ["all"] if count == 1 else [str(number) for number in range(1, count + 1)]
        strata = {topic: title for title, group in zip(titles, groups, strict=True) for topic in group}
        return cls({topic: strata[topic] for topic in names}, frozenset(np.concatenate(chosen).tolist()))

    def check(self, topics: Iterable[str], judged: Iterable[str]) -> None:
        """Refuse topics without a stratum, and topics judged but not drawn."""
        topics, judged = [*topics], [*judged]
        unknown = [topic for topic in topics if topic not in self.strata]
        others = [topic for topic in judged if topic not in self.drawn]
        for some, what in ((unknown, "no stratum"), (others, "human judgments, and was not drawn")):
            if some:
                raise InputError(
                    f"topic {some[0]!r} has {what} ({counted(len(some), 'such topic')}); pass the file that "
                    "`rankgauge pool --topics` wrote for these judgments"
                )
        empty = {self.strata[topic] for topic in topics} - {self.strata[topic] for topic in judged}
        if empty:
            raise InputError(
                f"no topic of stratum {min(empty)!r} has human judgments; judge some of each, or leave out "
                "the strata"
            )

    def notes(self, judged: Iterable[str]) -> Iterator[str]:
        """Notes on topics drawn and not judged, and on strata with a single judged topic."""
        judged = [*judged]
        missing = len(self.drawn - {*judged})
        if missing and len(self.drawn) < len(self.strata):
            yield (
                f"{counted(missing, 'topic')} drawn for human judgment without any; the others are a random "
                "sample only if chance decides which"
            )
        counts = Counter(self.strata[topic] for topic in judged)
        single = sorted(stratum for stratum, count in counts.items() if count == 1)
        if single and len(counts) > 1:
            yield (
                f"stratum {single[0]!r} has only 1 topic with human judgments, and intervals need 2 of each "
                "stratum; judge another topic drawn from it, or join it with a similar stratum"
            )

    def table(self) -> Table:
        """A row for each topic, as a file has it."""
        words = {drawn: word for word, drawn in DRAWN.items()}
        return Table(HEADER, [(t, s, words[t in self.drawn]) for t, s in self.strata.items()], keys=1)
