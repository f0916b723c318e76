"""The diff of two runs: the topics that changed, as a record, a document, and a comment on a pull request."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from rankgauge.comparison import Comparison
from rankgauge.comparison.report import segment_sections
from rankgauge.comparison.result import legend
from rankgauge.explanation.report import (
    SCREEN_TITLE,
    SHOWN,
    TITLE,
    Report,
    begun,
    difference,
    on_run,
    shortened,
    table_of,
)
from rankgauge.explanation.topic_diff import TopicDiff
from rankgauge.model.output.documents import Document, Section, document_lines
from rankgauge.model.output.tables import PLACES, Cell, Table, number
from rankgauge.schema.text import counted

MAX_COMMENT = 60_000  # characters; GitHub takes 65,536
# The most that a comment shows: topics that lost most, and that gained most; measures, sentences, documents
MAX_TOPICS, MAX_MEASURES, MAX_SENTENCES, MAX_DOCUMENTS = 5, 20, 12, 10
MAX_SEGMENTED = 3  # measures, whose segments a comment shows
MAX_LISTED = 3  # topics that lost most, and that gained most, in the short answer
MORE = 'More: document() has the topics, topic("ID") the documents of one of them.'
SENTENCE = (400, 200, 50)  # characters: some take 14 in Markdown, so the last one always fits


@dataclass(frozen=True)
class Moved:
    """Numbers of documents that moved, came in and went out, judged ones and all."""

    moved: int
    came: int
    went: int
    judged_moved: int
    judged_came: int
    judged_went: int


@dataclass(frozen=True)
class TopicChange:
    """The values of a topic in both runs, and how documents moved."""

    topic: str
    old: Mapping[str, float]  # {measure: value}; NaN if it is undefined or does not count
    new: Mapping[str, float]
    difference: float  # of the first measure
    moves: Moved | None  # None if rankings are not known
    query: str = ""  # the text of the topic; empty if there is none


@dataclass(frozen=True, repr=False)
class Diff(Report):
    """What changed between an old and a new run: means, tests, conditions, and topics, the worst first.

    `topic` has the documents of one of the topics.
    """

    old_run: str
    new_run: str
    comparison: Comparison  # of the new run against the old one
    direction: int  # of the first measure: 1 if higher is better, -1 if lower is, 0 if neither
    topics: tuple[TopicChange, ...]  # by the difference of the first measure
    checks: Mapping[str, Sequence[str]]  # {condition: why it fails; empty if it passes}
    depth: int | None  # within which moves are counted; None: in all of both rankings
    notes: tuple[str, ...]
    topic: Callable[[str], TopicDiff]  # the diff of one topic
    on_screen = {"titles": SCREEN_TITLE}  # noqa: RUF012  # never changed

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures; topics are ordered by the first."""
        return self.comparison.measures

    @property
    def failed(self) -> bool:
        """Whether a condition holds under which the check fails."""
        return any(self.checks.values())

    @property
    def losses(self) -> tuple[TopicChange, ...]:
        """The topics that became worse, the worst first."""
        return tuple(each for each in self.topics if self._gain(each) < 0)

    @property
    def gains(self) -> tuple[TopicChange, ...]:
        """The topics that became better, the best first."""
        return tuple(each for each in reversed(self.topics) if self._gain(each) > 0)

    def _gain(self, each: TopicChange) -> float:
        return each.difference * (self.direction or 1)

    def fields(self) -> dict[str, Any]:
        """The content, without the diffs of single topics."""
        return {
            "old_run": self.old_run,
            "new_run": self.new_run,
            "measures": self.measures,
            "depth": self.depth,
            "checks": [{"condition": text, "failed": why} for text, why in self.checks.items()],
            "comparison": self.comparison.as_dict(),
            "topics": [asdict(each) for each in self.topics],
            "notes": self.notes,
        }

    def document(
        self,
        *,
        limit: int = SHOWN,
        places: int = PLACES,
        titles: int = TITLE,
        notes: bool = True,
        details: int = 0,
    ) -> Document:
        """The diff as a document to print; tables are cut at `limit` rows, titles at `titles` characters.

        `details` is the number of topics that lost most, and that gained most, whose documents are shown.
        """
        sections = [*self.verdict(), self.means(places), *segment_sections(self.comparison, places)]
        sections.append(self._topics(limit, titles))
        sections += self.details((*self.losses[:details], *self.gains[:details]), limit, places)
        sections += on_run(self.notes if notes else ())
        return Document(self.title(places), tuple(sections))

    def short(self, *, places: int = PLACES, notes: bool = True, more: str = MORE) -> Document:
        """The answer: the check, the means, and the topics that changed most."""
        means = replace(self.means(places), title="", sentences=())
        changed = [self.numbers()]
        for what, topics in (("Worst", self.losses[:MAX_LISTED]), ("Best", self.gains[:MAX_LISTED])):
            listed = ", ".join(
                shortened(each.topic)
                + (f" “{begun(each.query, SCREEN_TITLE)}”" if each.query else "")
                + f" ({number(difference(each.difference), places)})"
                for each in topics
            )
            changed += [f"{what}: {listed}."] * bool(topics)
        outcome = f"{self.comparison.conclusion(places)}{self._interval()}"
        noted = [f"Note: {each}." for each in self.notes if notes]
        below = tuple(filter(None, (" ".join(changed), *noted, more)))
        segments = segment_sections(self.comparison, places, short=True)
        sections = (*self.verdict(), means, Section("", (outcome,)), *segments, Section("", below))
        return Document("", sections)

    def __repr__(self) -> str:
        return str(self.short())

    def _repr_html_(self) -> str:
        return self.short()._repr_html_()

    def title(self, places: int = PLACES) -> str:
        """The runs, and the means by the first measure."""
        pair = self.comparison.compared[0].pairs[0]
        old, new = (number(mean, places, "undefined") for mean in (pair.mean_against, pair.mean))
        runs = f"{shortened(self.new_run)} against {shortened(self.old_run)}"
        lower = " (lower is better)" if self.direction < 0 else ""
        return f"{runs}: {shortened(self.measures[0])} {old} to {new}{lower}"

    def verdict(self) -> Iterator[Section]:
        """Whether the conditions hold under which the check fails."""
        if self.checks:
            sentences = [
                f"Fail if {text}: failed; {'; '.join(why)}." if why else f"Fail if {text}: passed."
                for text, why in sorted(self.checks.items(), key=lambda check: not check[1])
            ]
            yield Section(f"Check: {'failed' if self.failed else 'passed'}", tuple(sentences))

    def means(self, places: int = PLACES, most: int | None = None) -> Section:
        """The means of both runs by some measures, with intervals and tests."""
        rows = []
        shown = self.comparison.compared[:most]
        disagree = any(each.disagreements for each in shown)
        columns = ("%", "p", self.comparison.p_name, *["better"] * disagree)
        for each in shown:
            (pair,) = each.pairs
            cells = self.comparison.pair_cells(each, pair, places)
            row: dict[str, Cell] = {
                "measure": shortened(each.measure),
                "old": pair.mean_against,
                "new": pair.mean,
                "difference": difference(pair.difference),
                **{name: cell for name, cell in cells.items() if name in columns or "interval" in name},
                **({"outcome": cells.get("outcome", "")} if self.comparison.has_margin else {}),
            }
            rows.append(row)
        more = len(self.measures) - len(rows)
        phrase = self.comparison.test_phrase(self.comparison.compared[0])
        sentences = [f"p: by {phrase}; {legend(self.comparison.alpha)}.{self._interval()}"]
        sentences += [self.comparison.cautions] * bool(self.comparison.cautions)
        sentences += [f"{counted(more, 'more measure')} not shown."] * bool(more)
        table = Table(tuple(rows[0]), [[*row.values()] for row in rows])
        return Section("Means", tuple(sentences), table)

    def _interval(self) -> str:
        return f" Interval: {self.comparison.interval_phrase}." if self.comparison.corrects else ""

    def _topics(self, limit: int, titles: int) -> Section:
        rows = [self.topic_row(each, titles) for each in self.topics]
        if len(rows) > limit:
            first = (limit + 1) // 2
            last = len(rows) - (limit - first)
            hidden = {**dict.fromkeys(rows[0]), "topic": f"({counted(last - first, 'more topic')})"}
            rows[first:last] = [hidden]
        return Section(
            "Topics, the worst first", (self.numbers(), *self.on_moves()), table_of(rows) if rows else None
        )

    def numbers(self) -> str:
        """The numbers of topics that became better and worse."""
        undefined = sum(math.isnan(each.difference) for each in self.topics)
        better, worse = len(self.gains), len(self.losses)
        same = len(self.topics) - better - worse - undefined
        parts = [f"{better:,} better", f"{same:,} the same", f"{worse:,} worse"]
        parts += [f"{undefined:,} left out or undefined"] * bool(undefined)
        return f"{counted(len(self.topics), 'topic')} by {shortened(self.measures[0])}: {', '.join(parts)}."

    def on_moves(self) -> Iterator[str]:
        """A legend for the numbers of moves, if there are any."""
        if all(each.moves is None for each in self.topics):
            return
        within = "all ranks" if self.depth is None else f"the first {counted(self.depth, 'rank')}"
        yield f"moved, came, went: judged documents / all documents, within {within}."

    def topic_row(self, each: TopicChange, titles: int = TITLE) -> dict[str, Cell]:
        """A topic by column: its values, and how documents moved."""
        measure, moves = self.measures[0], each.moves
        row: dict[str, Cell] = {
            "topic": shortened(each.topic),
            "old": each.old[measure],
            "new": each.new[measure],
            "difference": difference(each.difference),
        }
        if moves is not None:
            row["moved"] = f"{moves.judged_moved}/{moves.moved}"
            row["came"] = f"{moves.judged_came}/{moves.came}"
            row["went"] = f"{moves.judged_went}/{moves.went}"
        return row | {"query": begun(each.query, titles)}

    def details(self, topics: Sequence[TopicChange], limit: int, places: int = PLACES) -> list[Section]:
        """The documents that changed some topics, folded where possible."""
        measure, ways, sections = self.measures[0], dict[str, None](), []
        for each in topics:
            if each.moves is None:
                continue
            topic = self.topic(each.topic).only(measure)
            ways.update(dict.fromkeys(topic.ways()))
            by = number(difference(each.difference), places, "undefined")
            title = f"Topic {shortened(each.topic)} ({by})" + (f": {begun(each.query)}" if each.query else "")
            sections.append(replace(topic.explained(title, limit=limit, brief=True), folded=True))
        head = Section(f"Documents, and their shares of {shortened(measure)}", tuple(ways))
        return [head, *sections] if sections else []


def comment(diff: Diff, places: int = PLACES) -> str:
    """The verdict, the means, and as many topics and details as there is room for."""
    text = ""
    for longest in SENTENCE:
        sections = [*_sections(diff, places, longest)]
        notes = [replace(_short(each, longest), folded=True) for each in on_run(diff.notes)]
        text = _rendered(diff, [*sections, *notes], places)
        if len(text) <= MAX_COMMENT:
            break
    changed = (*diff.losses[:MAX_TOPICS], *diff.gains[:MAX_TOPICS])
    details = diff.details(changed, MAX_DOCUMENTS, places)
    while details:
        longer = _rendered(diff, [*sections, *details, *notes], places)
        if len(longer) <= MAX_COMMENT:
            return longer
        details = details[:-1]
    return text


def _sections(diff: Diff, places: int, longest: int) -> Iterator[Section]:
    losses, gains = diff.losses[:MAX_TOPICS], diff.gains[:MAX_TOPICS]
    segments = segment_sections(diff.comparison, places, short=True)
    for section in (*diff.verdict(), diff.means(places, MAX_MEASURES), *islice(segments, MAX_SEGMENTED)):
        yield _short(section, longest)
    yield from _topics(diff, "lost", losses)
    yield from _topics(diff, "gained", gains)
    if not losses and not gains:
        yield Section("Topics", (diff.numbers(),))


def _topics(diff: Diff, what: str, topics: Sequence[TopicChange]) -> list[Section]:
    every = len(diff.losses if what == "lost" else diff.gains)
    title = f"The {counted(len(topics), 'topic')} of {every} that {what} most"
    if every <= MAX_TOPICS:
        title = f"{'The topic' if every == 1 else f'All {every} topics'} that {what}"
    rows = [*map(diff.topic_row, topics)]
    return [Section(title, tuple(diff.on_moves()), table_of(rows))] if topics else []


def _short(section: Section, longest: int) -> Section:
    sentences = [begun(sentence, longest) for sentence in section.sentences[:MAX_SENTENCES]]
    more = len(section.sentences) - len(sentences)
    return replace(section, sentences=(*sentences, *[f"{more} more."] * bool(more)))


def _rendered(diff: Diff, sections: Sequence[Section], places: int) -> str:
    document = Document(diff.title(places), tuple(sections))
    return "".join(f"{line}\n" for line in document_lines(document, "markdown", places))
