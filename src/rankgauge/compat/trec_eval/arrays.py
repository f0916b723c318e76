"""The values of every column, from any kind of judgments that trec_eval reads, with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from rankgauge.compat.trec_eval.columns import (
    ANY,
    GROUPS,
    JUDGMENTS,
    PREFS,
    QRELS,
    Column,
    Options,
    WrongJudgments,
)
from rankgauge.compat.trec_eval.formulas import RELEVANT, formula
from rankgauge.compat.trec_eval.values import Values, notes_on
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.local.reading import read_rankings
from rankgauge.engines.run_inputs import RunInput, first_topics
from rankgauge.errors import InputError
from rankgauge.formats.source import Source, run_name
from rankgauge.formats.text_files import numbered_lines
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.model.qrels import Qrels

T = TypeVar("T")


def reading(path: str, work: Callable[[RunInput], T]) -> T:
    """The result of `work` on a run, without columns after the sixth."""
    source = Source(path)
    try:
        return work(_run_input(path, source))
    except InputError as error:
        if error.path != source.path:
            raise
    return work(_run_input(path, SixColumns(path)))


def _run_input(path: str, source: Source) -> RunInput:
    return RunInput(run_name(path), source.path, source.size, lambda: source)


class SixColumns(Source):
    """A run without the columns after the sixth."""

    uncompressed = False  # the bytes on disk are not the data

    def chunks(self, size: int = 1 << 20, tick: Callable[[int], None] | None = None) -> Iterator[bytes]:
        """The data, line by line, without byte order mark."""
        for _, line in numbered_lines(Source(self.file)):
            columns = line.split(None, 6)
            yield (b" ".join(columns[:6]) if len(columns) > 6 else line) + b"\n"


RELSTRING = 10  # documents that relstring shows by default


FITTING = {QRELS: "qrels", GROUPS: "qrels_jg", PREFS: "prefs or -R qrels_prefs"}
ALLOWED = {"qrels": QRELS, "qrels_jg": GROUPS, "prefs": PREFS, "qrels_prefs": PREFS}


def compute(options: Options, columns: Sequence[Column]) -> Values:
    """The values of all columns, read as the options demand."""
    for column in columns:
        if column.entry.source not in (ALLOWED[options.rel_format], ANY):
            raise WrongJudgments(
                f"{column.entry.name} cannot be calculated from -R {options.rel_format}; "
                f"it needs -R {FITTING[column.entry.source]}"
            )
    values: Values = JUDGMENTS.load(options.rel_format)(
        options, [c for c in columns if c.entry.source != ANY]
    )
    return values


def from_qrels(options: Options, columns: Sequence[Column]) -> Values:
    """The values by judgments of documents."""
    qrels = Qrels.read(options.qrels, format="trec")
    levels = qrels.levels.tolist()
    of_numbers = [column for column in columns if column.entry.name != "relstring"]
    computed = {column: formula(column, options, levels) for column in of_numbers}

    def work(run: RunInput) -> Values:
        retrieved, blocks = read_rankings(qrels, run, options.order, depth=options.depth)
        if options.needs_results and not retrieved.retrieved.any():
            raise no_common_topic(run.name, qrels.sorted_topics, first_topics(run), retrieved.assumed)
        values = Values(
            qrels.sorted_topics,
            retrieved.retrieved.tolist(),
            {column: [] for column in of_numbers},
            relevant=int((qrels.grades >= RELEVANT).sum()),
            texts={column: [] for column in columns if column.entry.name == "relstring"},
            notes=tuple(notes_on(levels, columns)),
        )
        for _, _, judged in blocks:
            for column, of_topics in computed.items():
                values.numbers[column] += of_topics(judged).astype(float).tolist()  # counts are whole numbers
            for column, texts in values.texts.items():
                texts += relevance_strings(judged, column, options.judged_only)
        return values

    return reading(options.run, work)


def relevance_strings(judged: JudgedRankings, column: Column, judged_only: bool) -> list[str]:
    """The grades of the first documents of each topic, a character each."""
    size = int(min(max(0.0, column.parameters[0]), 1e9)) if column.parameters else RELSTRING
    view = judged.judged_only() if judged_only else judged
    lines = []
    for topic, retrieved in enumerate(view.retrieved[:, 0].tolist()):
        shown = ["-"] * min(size, retrieved)
        rows = slice(view.starts[topic], view.starts[topic + 1])
        for rank, grade in zip(view.rank[rows].tolist(), view.grade[rows].tolist(), strict=True):
            if rank > len(shown):
                break
            shown[rank - 1] = "." if grade < 0 else ">" if grade >= 10 else str(int(grade))
        lines.append("".join(shown))
    return lines
