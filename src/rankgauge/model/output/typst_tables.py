"""Tables in Typst. Every text is a string there, in which nothing is markup."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.model.output.markup import typst
from rankgauge.model.output.table_cells import FIGURE_SPACE, Markup, TableContent, printable, texts

SIZE = "8pt"


def _text(text: str) -> str:
    return typst(printable(text))


MARKUP = Markup(
    text=_text,
    number=typst,
    best="strong({})".format,
    second="underline({})".format,
    raised=" + super({})".format,
    lowered=" + sub({})".format,
    pad=lambda text: f'"{FIGURE_SPACE * len(text)}" + ',
)


def typst_lines(table: TableContent, places: int) -> Iterator[str]:
    """The lines of a table in Typst: a figure if it has a caption."""
    numeric, headers, lines = texts(table, places, MARKUP)
    indent = ""
    if table.caption:
        yield "#figure("
        yield f"  caption: {_text(table.legend)},"
        yield f"  {{ set text(size: {SIZE})"
        indent = "  "
    yield f"{indent}{'' if table.caption else '#'}table("
    alignment = "".join("right, " if right else "left, " for right in numeric).strip()
    yield f"{indent}  columns: {len(headers)}, align: ({alignment}), stroke: none, inset: (x: 4pt, y: 3pt),"
    yield f"{indent}  table.hline(stroke: .8pt),"
    yield f"{indent}  table.header({', '.join(headers)}),"
    yield f"{indent}  table.hline(stroke: .5pt),"
    for line in lines:
        yield f"{indent}  {', '.join(line)},"
    yield f"{indent}  table.hline(stroke: .8pt),"
    yield f"{indent})"
    if table.caption:
        yield "  }"
        yield f"){f' <{_name(table.label)}>' if table.label else ''}"
    elif table.note:
        yield f"// {printable(table.note)}"


def _name(label: str) -> str:
    """A label with the characters that Typst allows in one."""
    return "".join(c if c.isalnum() or c in "_-:." else "-" for c in label)
