"""Text and tables in Markdown, HTML, Typst and LaTeX: names from files are no markup and no formulas.

In CSV, a name that a spreadsheet would run gets an apostrophe, which `unguarded` removes where rankgauge
reads such a table.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from unicodedata import normalize
from urllib.parse import quote

from rankgauge.model.output.table_cells import (
    FIGURE_SPACE,
    Cell,
    Markup,
    NumberText,
    TableContent,
    blocks,
    marks,
    number,
    texts,
    width,
)
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import printable

_GREEK = (
    "αalpha βbeta γgamma δdelta εvarepsilon ζzeta ηeta θtheta ιiota κkappa λlambda μmu νnu ξxi πpi ρrho "
    "σsigma ςvarsigma τtau υupsilon φvarphi χchi ψpsi ωomega ΓGamma ΔDelta ΘTheta ΛLambda ΞXi ΠPi ΣSigma "
    "ΥUpsilon ΦPhi ΨPsi ΩOmega"
)
_SYMBOLS = (
    "√surd −- ×times ±pm ·cdot ≤leq ≥geq ≠neq ≈approx ∞infty ∈in →rightarrow ←leftarrow ↑uparrow ↓downarrow "
    "′prime ‖| °circ µmu ∆Delta ∑sum"
)
_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "{}$&#%_"}
    | {word[0]: rf"$\{word[1:]}$" for word in f"{_GREEK} {_SYMBOLS}".split()}
    | {
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedblright{}",  # the straight one is in few fonts
        "`": r"\`{}",
        "²": r"\textsuperscript{2}",
        "³": r"\textsuperscript{3}",
        "−": "$-$",
        "°": r"$^\circ$",
        "′": r"$'$",
        "–": r"\textendash{}",
        "—": r"\textemdash{}",
        "…": r"\ldots{}",
        "†": r"$\dagger$",  # of the fonts of formulas, which every LaTeX has as outlines
        "‡": r"$\ddagger$",
        "§": r"$\S$",
        "¶": r"$\P$",
        "•": r"$\bullet$",
    }
)
# Letters that every LaTeX has in its first font; pdfLaTeX stops at other ones that are not set up.
_LETTERS = "".join({*map(chr, range(0xC0, 0x180))} - {*"ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ"})
_ELSEWHERE = re.compile(rf"[^\x00-\x7f{_LETTERS}‘’“”]")
_LIGATURES = re.compile(r"([-',])(?=\1)")  # two of these are a dash or a quotation mark

_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\`*_<>[]|~&"})
_LINKS = re.compile(r"(?<=\w):(?=//)|(?<=www)\.", re.IGNORECASE)
# On GitHub, a backslash does not keep $x$ from being a formula, @name a person, #1 an issue and a@b.c an
# address, but a tag does. nDCG@10 is none of these.
_ACTIVE = re.compile(r"\$|(?<!\w)@|@(?=[\w-]*\.\w)|(?<!\w)#(?=\d)")
_BLOCK = re.compile(r"(\d*)([-+#=.)])")  # the beginning of a list or heading

RISKY = frozenset("'=+-@\t\r\n＝＋－＠")  # what a formula begins with, or its guard
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠].*[(|!]", re.DOTALL)  # one that could call something


def latex(text: str) -> str:
    """LaTeX that shows a text; characters that fonts lack, such as 日, by their number."""
    if not text.isascii():
        text = _ELSEWHERE.sub(_if_known, normalize("NFC", text).translate(_LATEX))
        return _LIGATURES.sub(r"\1{}", text)
    return _LIGATURES.sub(r"\1{}", text.translate(_LATEX))


# What those letters need of the encoding of the font in use.
_COMMANDS = dict.fromkeys("ĄąĘęĮįŲųǪǫ˛", "k") | {
    **{"Ð": "DH", "ð": "dh", "Þ": "TH", "þ": "th", "Đ": "DJ", "đ": "dj", "Ŋ": "NG", "ŋ": "ng"},
    **{"«": "guillemotleft", "»": "guillemotright", "‹": "guilsinglleft", "›": "guilsinglright"},
    **{"‚": "quotesinglbase", "„": "quotedblbase"},
}


def _if_known(match: re.Match[str]) -> str:
    """A character where a document has it, else its number."""
    character = match[0]
    known = rf"u8:\detokenize{{{character}}}"
    if character in _COMMANDS:
        known = rf"\csname f@encoding\endcsname\string\{_COMMANDS[character]}"
    shown = rf"\ifcsname {known}\endcsname {character}\else U+{ord(character):04X}\fi"
    return rf"{{\ifdefined\Umathchar {character}\else{shown}\fi}}"


def latex_row(cells: list[str]) -> str:
    """A row of a LaTeX table. The row before it would take * and [ as its arguments."""
    row = rf"{' & '.join(cells)} \\"
    return f"{{}}{row}" if row.lstrip()[:1] in ("*", "[") else row


def markdown(text: str) -> str:
    """Markdown that shows a text, within a line."""
    escaped = _LINKS.sub(r"\\\g<0>", text.translate(_MARKDOWN))
    return _ACTIVE.sub(r"<span>\g<0></span>", escaped)


def markdown_paragraph(text: str) -> str:
    """A paragraph of Markdown that is no list and no heading."""
    return _BLOCK.sub(r"\1\\\2", markdown(text), count=1) if _BLOCK.match(text) else markdown(text)


def markdown_html(text: str) -> str:
    """HTML within Markdown that shows a text, where a tag begins the line."""
    return _ACTIVE.sub(r"<span>\g<0></span>", html.escape(text))


def typst(text: str) -> str:
    """A string of Typst, in which nothing is markup."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def paragraph(text: str, form: str) -> str:
    """Text as a paragraph of a format for people."""
    if form == "html":
        return f"<p>{html.escape(text)}</p>"
    if form in ("latex", "siunitx"):
        return latex(text)
    if form == "typst":
        return f"#par({typst(text)})"
    return markdown_paragraph(text) if form == "markdown" else text


def guarded(text: str) -> str:
    """Text as a cell of CSV that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """The text of a cell that `guarded` has made."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _tags(text: Callable[[str], str], best: str) -> Markup:
    """Markup with the tags of HTML."""
    return Markup(
        text=lambda cell: text(printable(cell)),
        best=best.format,
        second="<u>{}</u>".format,
        raised="<sup>{}</sup>".format,
        lowered="<sub>{}</sub>".format,
        pad=lambda digits: FIGURE_SPACE * len(digits),
    )


def markdown_lines(table: TableContent, places: int) -> Iterator[str]:
    """A Markdown table."""
    numeric, headers, rows = texts(table, places, _tags(markdown, "**{}**"))
    yield f"| {' | '.join(headers)} |"
    yield f"|{'|'.join('---:' if right else '---' for right in numeric)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    if table.legend:
        yield ""
        yield markdown_paragraph(printable(table.legend))


def html_lines(table: TableContent, places: int) -> Iterator[str]:
    """A table in HTML."""
    numeric, headers, rows = texts(table, places, _tags(html.escape, "<b>{}</b>"))
    styles = [' style="text-align: right"' if right else "" for right in numeric]

    def row(tag: str, cells: list[str]) -> str:
        inner = (f"<{tag}{style}>{cell}</{tag}>" for style, cell in zip(styles, cells, strict=True))
        return f"<tr>{''.join(inner)}</tr>"

    yield "<table>"
    if table.legend:
        yield f"<caption>{html.escape(printable(table.legend))}</caption>"
    yield f"<thead>{row('th', headers)}</thead>"
    yield "<tbody>"
    for (i, j), file in table.links.items():
        rows[i][j] = f'<a href="{quote(file)}">{rows[i][j]}</a>'
    for (i, j), share in table.bars.items():
        kind = "worse" if share < 0 else "better"
        size = 'viewBox="-100 0 200 10" preserveAspectRatio="none"'
        rows[i][j] += f'<svg class="bar {kind}" {size}><path d="M0 5H{100 * share:.0f}"/></svg>'
    for cells in rows:
        yield row("td", cells)
    yield "</tbody>"
    yield "</table>"


TYPST = Markup(
    text=lambda text: typst(printable(text)),
    best="strong({})".format,
    second="underline({})".format,
    raised=" + super({})".format,
    lowered=" + sub({})".format,
    pad=lambda digits: f'"{FIGURE_SPACE * len(digits)}" + ',
)
TYPST_SIZE = "8pt"


def typst_lines(table: TableContent, places: int) -> Iterator[str]:
    """A table in Typst: a figure if it has a caption."""
    numeric, headers, rows = texts(table, places, TYPST)
    indent = ""
    if table.caption:
        yield "#figure("
        yield f"  caption: {TYPST.text(table.legend)},"
        yield f"  {{ set text(size: {TYPST_SIZE})"
        indent = "  "
    yield f"{indent}{'' if table.caption else '#'}table("
    alignment = "".join("right, " if right else "left, " for right in numeric).strip()
    yield f"{indent}  columns: {len(headers)}, align: ({alignment}), stroke: none, inset: (x: 4pt, y: 3pt),"
    yield f"{indent}  table.hline(stroke: .8pt),"
    yield f"{indent}  table.header({', '.join(headers)}),"
    yield f"{indent}  table.hline(stroke: .5pt),"
    for row in rows:
        yield f"{indent}  {', '.join(row)},"
    yield f"{indent}  table.hline(stroke: .8pt),"
    yield f"{indent})"
    if table.caption:
        yield "  }"
        label = "".join(c if c.isalnum() or c in "_-:." else "-" for c in table.label)
        yield f"){f' <{label}>' if label else ''}"
    elif table.notes:
        yield f"// {printable(table.notes)}"


# The width of a table is only estimated, to choose its shape. LaTeX measures it, and takes the largest of its
# own sizes of type in which it fits.
SIZES = ("small", "footnotesize", "scriptsize", "tiny")
TYPE, EASY_TYPE, LEAST_TYPE = (
    10.0,
    8.0,
    7.0,
)  # pt: normal, before text is wrapped, and before a page is needed
GUTTER, ONE_COLUMN = 18.0, 300.0  # pt: between two columns; a wider one is the only column of its page
SEPARATION, TIGHT = 6.0, 3.0  # pt on each side of a column: usually, and in a table that is wide
SAFETY = 1.15  # the most by which type may be wider than it is taken to be
UNKNOWN = 3  # em of U+65E5, in place of a character that a font lacks
RAISED = 0.8  # type of marks, compared with plain type
MIN_TEXT = 7  # em of a column of text that is wrapped
LINES, LINE = 42, 12.0  # of the rows and the caption in a column of a paper; the height of one in pt
# Some characters begin a line rather than end one; numbers, and short parameters such as rel=2, stay whole.
_BREAKS = re.compile(r"(?=[@(])|(?<=[ _\-,;:/)+|])|(?<=\.)(?!\d)|(?<==)(?=\w{3})")


class _Column(Frozen):
    """A column of a LaTeX table."""

    is_number: bool  # and so never wrapped
    longest: float  # em, of its cells
    header: Sequence[str]  # lines
    wrap: int = 0  # em, where its text is wrapped; 0 if it is not

    @property
    def width(self) -> float:
        return self.wrap or max(self.longest, *map(_em, self.header))

    @property
    def stacked(self) -> _Column:
        pieces = _BREAKS.split(self.header[0])
        most = max(self.longest, *map(_em, pieces))
        lines = [""]
        for piece in pieces:
            if lines[-1] and _em((lines[-1] + piece).rstrip()) > most:
                lines.append("")
            lines[-1] += piece
        return self._replace(header=[line.strip() for line in lines])


def _em(text: str) -> float:
    """The width of a text, roughly, relative to its font size."""
    wide = sum(character.isupper() + (character in "mwMW@%") for character in text)
    return width(text) / 2 + wide / 4 + UNKNOWN * latex(text).count("Umathchar")


def _points(columns: Sequence[_Column], size: float, separation: float = TIGHT) -> float:
    return sum(column.width for column in columns) * size + 2 * separation * (len(columns) - 1)


def latex_lines(table: TableContent, places: int, *, siunitx: bool = False) -> Iterator[str]:
    """A table in LaTeX, a float if it has a caption; `siunitx` aligns its numbers."""
    page, parts = _parts(table, places)
    columns = [_fitted(_columns(part, places), page) for part in parts]
    wraps = any(column.wrap for part in columns for column in part)
    is_tight = any(_points(part, SAFETY * TYPE, SEPARATION) > page for part in columns)
    packages = {"array": wraps, "booktabs": True, "siunitx": siunitx}
    yield rf"% needs \usepackage{{{','.join(name for name, needed in packages.items() if needed)}}}"
    is_float = bool(table.caption) or page > table.width  # only a float is as wide as the page
    environment = "table*" if page > table.width else "table"
    of_caption = math.ceil(_em(table.legend) * SAFETY * TYPE / page)
    for group, rows in enumerate(_row_groups(parts, columns, places, LINES - of_caption)):
        if is_float:
            yield rf"\begin{{{environment}}}[t]"
            yield r"\centering"
            if group:
                yield r"\addtocounter{table}{-1}"
            if table.caption:
                yield rf"\caption{{{latex(printable(table.legend + ' (continued)' * bool(group)))}}}"
            if table.caption and table.label and not group:
                safe = (c if c.isascii() and (c.isalnum() or c in "_-:.+/ ") else "-" for c in table.label)
                yield rf"\label{{{''.join(safe)}}}"
            yield r"\smallskip"
        for index, (part, fitted) in enumerate(zip(parts, columns, strict=True)):
            if index or (group and not is_float):
                yield r"\par\medskip"
            if is_tight:
                begin = "" if is_float else r"\noindent"
                yield rf"{begin}{{\setlength{{\tabcolsep}}{{{TIGHT:g}pt}}\def\tablebody{{%"
            yield from _tabular(part.some_rows(*rows), fitted, places, siunitx)
            if is_tight:
                yield r"}\sbox0{\tablebody}%"
                yield from (rf"\ifdim\wd0>\linewidth\{size}\sbox0{{\tablebody}}\fi" for size in SIZES)
                yield r"\usebox0}"
        if is_float:
            yield rf"\end{{{environment}}}"
    if table.notes and not table.caption:
        yield f"% {printable(table.notes)}"


def _row_groups(
    parts: Sequence[TableContent], columns: Sequence[Sequence[_Column]], places: int, room: int
) -> list[tuple[int, int]]:
    """(first, end) of the rows that fit so many lines, in all blocks of columns."""
    lines = [_row_lines(part, fitted, places) for part, fitted in zip(parts, columns, strict=True)]
    room -= sum(max(len(column.header) for column in fitted) for fitted in columns)
    groups, first, used = [], 0, 0
    for row, needed in enumerate(map(sum, zip(*lines, strict=True))):
        if used + needed > room and row > first:
            groups.append((first, row))
            first, used = row, 0
        used += needed
    return [*groups, (first, len(lines[0]))]


def _row_lines(table: TableContent, columns: Sequence[_Column], places: int) -> list[int]:
    """The number of lines of each row; a line that ends early leaves up to a third of its room."""
    wraps = {j: column.wrap for j, column in enumerate(columns) if column.wrap}
    rows = texts(table, places)[2]
    return [max([1, *(math.ceil(1.5 * _em(row[j]) / wrap) for j, wrap in wraps.items())]) for row in rows]


def fits_column(table: TableContent, places: int) -> bool:
    """Whether a table fits a column of a paper."""
    return _parts(table, places)[0] == table.width


def _parts(table: TableContent, places: int) -> tuple[float, list[TableContent]]:
    """The width of a table, that of a column or of the page, and the blocks that fit it."""

    def least(part: TableContent) -> list[int]:
        columns = (column.stacked for column in _columns(part, places))
        widths = (column.width if column.is_number else min(column.width, MIN_TEXT) for column in columns)
        return [math.ceil(2 * em) for em in widths]

    table = table._replace(rows=list(table.rows))
    whole = table.width if table.width > ONE_COLUMN else 2 * table.width + GUTTER
    for page in (table.width, whole):
        parts = blocks(table, int(2 * page / LEAST_TYPE), least)
        if len(parts) == 1:
            break
    return page, parts


def _columns(table: TableContent, places: int) -> list[_Column]:
    _, headers, rows = texts(table._replace(superscripts={}, subscripts={}), places)
    columns = []
    for j, header in enumerate(headers):
        # Numbers are padded to one width, so any of them may be the longest, and have the longest marks.
        after = [marks(table, (i, j), Markup(raised=str, lowered=str)) for i in range(len(rows))]
        longest = max((_em(row[j]) for row in rows), default=0.0) + RAISED * max(map(_em, after), default=0.0)
        is_number = all(not _is_word(row[j]) for row in table.rows) and bool(rows)
        columns.append(_Column(is_number, longest, [header]))
    return columns


def _is_word(cell: Cell) -> bool:
    return isinstance(cell, str) and cell != "" and not isinstance(cell, NumberText)


def _fitted(columns: list[_Column], page: float) -> list[_Column]:
    """The columns, with stacked headers and wrapped text if they do not fit a page."""
    if _points(columns, EASY_TYPE) <= page:
        return columns
    columns = [column.stacked for column in columns]
    texts = [column.width for column in columns if not column.is_number and column.width > MIN_TEXT]
    lacking = (_points(columns, EASY_TYPE) - page) / EASY_TYPE
    if lacking <= 0 or not texts:
        return columns
    wrap = max(MIN_TEXT, math.floor((sum(texts) - lacking) / len(texts)))
    return [c if c.is_number or c.width <= wrap else c._replace(wrap=wrap) for c in columns]


def _breakable(text: str, wrap: int) -> str:
    """Text that TeX may break after every part of a word, and within long parts."""
    parts = ([part] if _em(part) <= wrap else [*part] for part in _BREAKS.split(printable(text)))
    every = [latex(piece) for part in parts for piece in part]
    return r"\allowbreak{}".join(every).replace(r" \allowbreak{}", " ")  # a line may end at a space anyway


def _latex_markup(wrap: int = 0) -> Markup:
    """The markup of LaTeX; underlined text could not be wrapped."""
    return Markup(
        text=(lambda text: _breakable(text, wrap)) if wrap else (lambda text: latex(printable(text))),
        number=lambda text: latex(printable(text).replace("-", "−")),
        best=r"\textbf{{{}}}".format,
        second=str if wrap else r"\underline{{{}}}".format,
        raised=lambda mark: rf"\textsuperscript{{{mark.replace('*', '$*$')}}}",  # * is raised already
        lowered=lambda mark: rf"\textsubscript{{{mark.replace('*', '$*$')}}}",
        pad=r"\phantom{{{}}}".format,
    )


def _tabular(table: TableContent, columns: Sequence[_Column], places: int, siunitx: bool) -> Iterator[str]:
    numeric, _, rows = texts(table, places, _latex_markup())
    wrap = max(column.wrap for column in columns)  # the same in all that are wrapped
    wrapped = texts(table, places, _latex_markup(wrap))[2] if wrap else rows
    kinds, headers, cells = [], [], []
    for j, column in enumerate(columns):
        shown = [row[j] for row in (wrapped if column.wrap else rows)]
        kind = "r" if numeric[j] else "l"
        header = r"\\".join(map(latex, column.header))
        if len(column.header) > 1:
            header = rf"\shortstack[{kind}]{{{header}}}"
        if column.wrap:
            kind = rf">{{\raggedright\arraybackslash}}p{{{column.wrap}em}}"
            header = _breakable(" ".join(column.header), wrap)
        elif siunitx and column.is_number and not any(isinstance(row[j], str) for row in table.rows):
            kind, shown = _aligned(table, j, places, shown)
            header = f"{{{header}}}"
        kinds.append(kind)
        headers.append(header)
        cells.append(shown)
    yield rf"\begin{{tabular}}{{@{{}}{''.join(kinds)}@{{}}}}"
    yield r"\toprule"
    yield latex_row(headers)
    yield r"\midrule"
    for row in zip(*cells, strict=True):
        yield latex_row([*row])
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _aligned(table: TableContent, j: int, places: int, shown: list[str]) -> tuple[str, list[str]]:
    """The type of a column of siunitx, and its cells; what is no decimal stays as `shown`."""
    before, after, longest, cells = 1, 0, "", []
    for i, row in enumerate(table.rows):
        cell, after_it = row[j], marks(table, (i, j), _latex_markup())
        text = cell if isinstance(cell, str) else number(cell, places, undefined="–")
        whole, _, decimals = text.partition(".")
        longest = max(longest, after_it, key=len)
        if not (whole.lstrip("-").isdigit() and (decimals or "0").isdigit()) or (i, j) in table.second:
            cells.append(f"{{{shown[i]}}}")
            continue
        before, after = max(before, len(whole)), max(after, len(decimals))
        cells.append((r"\bfseries " if (i, j) in table.best else "") + text + after_it)
    space = f",table-space-text-post={{{longest}}},table-align-text-post=false" if longest else ""
    return f"S[table-format={before}.{after},detect-weight=true,mode=text{space}]", cells


WRITERS: dict[str, Callable[[TableContent, int], Iterator[str]]] = {
    "markdown": markdown_lines,
    "latex": latex_lines,
    "siunitx": partial(latex_lines, siunitx=True),
    "typst": typst_lines,
    "html": html_lines,
}
