"""The part that every experiment ends with: the numbers that its document works out by hand."""

from __future__ import annotations

from rankgauge.model.output.tables import Cell, Table
from rankgauge.reports.papers.contents import Contents
from rankgauge.reports.papers.given import Given
from rankgauge.reports.papers.layout import file_name
from rankgauge.reports.papers.registry import Experiment
from rankgauge.reports.papers.worked_examples import Calculation, WorkedExample, of, values
from rankgauge.schema.text import counted

HEADERS = ("measure", "run", "topic", "rank", "printed", "computed", "agrees")


def add_worked_examples(
    experiment: Experiment, document: str, calculations: tuple[Calculation, ...] = ()
) -> None:
    """Add a part that compares every number of a document's examples with what is computed."""

    @experiment.part("worked-examples", title="Worked examples: every printed number", cost=0.3)
    def part(given: Given) -> Contents:
        """Every number that the document prints for its examples."""
        examples = of(document)
        tables = {example.name: _table(example) for example in examples}
        rows = [row for table in tables.values() for row in table.rows]
        agreeing = sum(row[-1] == "yes" for row in rows)
        extra: list[list[Cell]] = [
            [each.title, each.printed, each.value, "yes" if each.agrees else "no"] for each in calculations
        ]
        if extra:
            tables["calculations"] = Table(("number", "printed", "computed", "agrees"), extra)
            agreeing += sum(row[-1] == "yes" for row in extra)
        total = len(rows) + len(extra)
        return Contents(
            sentences=[f"{agreeing} of {counted(total, 'printed number')} agree to the last digit."],
            tables={file_name("worked", name): table for name, table in tables.items()},
            captions={file_name("worked", each.name): f"{each.title} ({each.source})" for each in examples},
            places=4,
        )


def _table(example: WorkedExample) -> Table:
    rows: list[list[Cell]] = [
        [
            check.measure,
            check.run,
            check.topic,
            "" if check.rank is None else check.rank,
            check.text,
            float(value),
            "yes" if check.agrees(value) else "no",
        ]
        for check, value in values(example)
    ]
    return Table(HEADERS, rows)
