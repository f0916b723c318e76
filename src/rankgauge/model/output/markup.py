"""Text in LaTeX, Typst, Markdown, notebooks and spreadsheets: names from files are no markup, no formulas.

Only what is meant for reading is escaped. JSON, TSV and the files that `convert` writes have every name as it
is. A CSV table is read by programs and opened in spreadsheets alike, so a name that a spreadsheet would run
gets an apostrophe, which `unguarded` removes where rankgauge reads such a table.
"""

from __future__ import annotations

import re

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
    """Text without control characters as LaTeX that shows it.

    A character that the document's fonts lack, as those of pdfLaTeX lack 日, is shown by its number.
    """
    if not text.isascii():
        from unicodedata import normalize

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
    """A character where a document has it, else its number; XeLaTeX and LuaLaTeX know the first command."""
    character = match[0]
    known = rf"u8:\detokenize{{{character}}}"
    if character in _COMMANDS:
        known = rf"\csname f@encoding\endcsname\string\{_COMMANDS[character]}"
    shown = rf"\ifcsname {known}\endcsname {character}\else U+{ord(character):04X}\fi"
    return rf"{{\ifdefined\Umathchar {character}\else{shown}\fi}}"


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


def markdown_html(text: str) -> str:
    """Text without control characters as HTML within Markdown that shows it, where a tag begins the line."""
    import html

    return _ACTIVE.sub(r"<span>\g<0></span>", html.escape(text))


def typst(text: str) -> str:
    """Text without control characters as an expression of Typst that shows it: a string, without markup."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def paragraph(text: str, form: str) -> str:
    """Text without control characters as a paragraph of a format for people; as it is in other formats."""
    if form == "html":
        import html

        return f"<p>{html.escape(text)}</p>"
    if form in ("latex", "siunitx"):
        return latex(text)
    if form == "typst":
        return f"#par({typst(text)})"
    return markdown_paragraph(text) if form == "markdown" else text


def guarded(text: str) -> str:
    """Text as a cell of a CSV table, which no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """The text of a cell that `guarded` has made."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
