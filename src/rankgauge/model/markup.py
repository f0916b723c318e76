"""Text in LaTeX, Markdown, notebooks and spreadsheets: names from files must not act as markup or formulas.

Only what is meant for reading is escaped. JSON, TSV and the files that `convert` writes have every name as it
is. A CSV table is read by programs and opened in spreadsheets alike, so a name that a spreadsheet would run
gets an apostrophe, which `unguarded` removes where rankgauge reads such a table.
"""

from __future__ import annotations

import re

_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "{}$&#%_"}
    | {
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
        "α": r"$\alpha$",
        "β": r"$\beta$",
        "χ": r"$\chi$",
        "²": r"\textsuperscript{2}",
        "√": r"$\surd$",
        "−": r"$-$",
    }
)
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
    """Text without control characters as LaTeX that shows it."""
    return _LIGATURES.sub(r"\1{}", text.translate(_LATEX))


def latex_row(cells: list[str]) -> str:
    """A row of a LaTeX table. The end of the row before it would take * and [ as its arguments."""
    row = rf"{' & '.join(cells)} \\"
    return f"{{}}{row}" if row.lstrip()[:1] in ("*", "[") else row


def markdown(text: str) -> str:
    """Text without control characters as Markdown that shows it, within a line."""
    escaped = _LINKS.sub(r"\\\g<0>", text.translate(_MARKDOWN))
    return _ACTIVE.sub(r"<span>\g<0></span>", escaped)


def markdown_paragraph(text: str) -> str:
    """Text as a paragraph of Markdown, which is no list and no heading."""
    return _BLOCK.sub(r"\1\\\2", markdown(text), count=1) if _BLOCK.match(text) else markdown(text)


def paragraph(text: str, form: str) -> str:
    """Text without control characters as a paragraph of a format for people; as it is in plain text."""
    if form == "html":
        import html

        return f"<p>{html.escape(text)}</p>"
    return latex(text) if form == "latex" else markdown_paragraph(text) if form == "markdown" else text


def notebook(html: str) -> str:
    """HTML as a notebook shows it, which would typeset $x$ as a formula."""
    return f'<div class="tex2jax_ignore mathjax_ignore">\n{html}\n</div>'


def guarded(text: str) -> str:
    """Text as a cell of a CSV table, which no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """The text of a cell that `guarded` has made."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
