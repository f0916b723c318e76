"""Formulas of measures, which the registry has as text, as MathML.

A slash between spaces divides all of a term to its left by all to its right; one without spaces divides
its two neighbours. `_` and `^` are followed by a symbol or by brackets, `@` by a rank. Two spaces begin a
new line.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+(?:\.\d+)?|\.\.\.)"
    r"|(?P<sum>[ΣΠ])|(?P<word>[^\W\d_](?:\u0302|♯|['-](?=[^\W\d_])|[^\W_])*(?:\+(?=\s))?)|(?P<sign>.)"
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "|": "|"}
_LARGE = {"Σ": "∑", "Π": "∏"}
_BREAKS = frozenset("=<>≤≥+-−,:;")  # these end a term
_RAISED = {"⁺": "+", "⁻": "−", "²": "2"}
_SPACE = '<mspace width=".25em"></mspace>'
_TIGHT = ' lspace="0" rspace="0"'
_WORDS = re.compile("<mtext>([^<]*)</mtext>")


def typeset(formula: str) -> str:
    """The formula in HTML: terms of MathML, between which a line can be broken."""
    lines = re.split(r"(?<=[,;])\s\s+", formula)
    return f'<div class="formula">{"".join(f"<p>{_Line(line).html()}</p>" for line in lines)}</div>\n'


@dataclass(frozen=True)
class _Token:
    text: str
    kind: str
    spaced: bool  # there is space before it


def _tokens(text: str) -> Iterator[_Token]:
    spaced = False
    for match in _TOKEN.finditer(text):
        if match.lastgroup != "space":
            yield _Token(match[0], str(match.lastgroup), spaced)
        spaced = match.lastgroup == "space"


def _element(tag: str, *content: str) -> str:
    return f"<{tag}>{''.join(content)}</{tag}>"


def _sign(text: str, attributes: str = "") -> str:
    return f"<mo{attributes}>{html.escape(text)}</mo>"


def _row(content: list[str]) -> str:
    return content[0] if len(content) == 1 else _element("mrow", *content)


class _Line:
    """A line of a formula, read from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens = [*_tokens(text)]
        self._place = 0

    def html(self) -> str:
        """Terms and the signs between them, each a formula of its own; words alone are text."""
        shown = ""
        for piece in self._pieces(""):
            if mark := re.fullmatch("<mo>([,:;])</mo>", piece):
                is_math = shown.endswith("</math>")  # where no line may be broken before the mark
                shown = shown.removesuffix("</math>") + (
                    f"<mtext>{mark[1]}</mtext></math>" if is_math else mark[1]
                )
                continue
            words = _WORDS.fullmatch(piece)
            shown += " " + (words[1] if words else f'<math displaystyle="true">{piece}</math>')
        return shown.strip()

    def _next(self) -> _Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _take(self) -> _Token:
        self._place += 1
        return self._tokens[self._place - 1]

    def _pieces(self, end: str) -> list[str]:
        """Terms and the signs between them, up to a closing bracket."""
        found = []
        while (token := self._next()) and token.text != end:
            if token.text in _BREAKS:
                found.append(_sign(self._take().text.replace("-", "−")))
            else:
                found.append(self._term(end))
        self._place += 1
        return found

    def _term(self, end: str) -> str:
        """A product, or a quotient of products."""
        found = self._product(end)
        while (token := self._next()) and token.text == "/":
            self._take()
            found = [_fraction(found, self._product(end))]
        return _row(found)

    def _product(self, end: str) -> list[str]:
        """Factors, up to a slash between spaces or the end of the term."""
        found: list[str] = []
        while (token := self._next()) and token.text not in _BREAKS and token.text != end:
            if token.text == "/" and token.spaced:
                break
            if token.text == "/":
                self._take()
                found[-1] = _fraction(found[-1:], [self._factor()])
                continue
            factor = self._factor()
            if found and _WORDS.fullmatch(found[-1]) and (words := _WORDS.fullmatch(factor)):
                found[-1] = found[-1].replace("</", f" {words[1]}</")
            else:
                found += [_SPACE, factor] if found and token.spaced else [factor]
        return found

    def _factor(self) -> str:
        """A symbol with its arguments, rank, subscripts and powers."""
        large = self._tokens[self._place].text in _LARGE
        is_word = self._tokens[self._place].kind == "word"
        found = self._atom()
        while (mark := self._next()) and not mark.spaced:
            if mark.text in ("_", "^"):
                self._take()
                tag = "msup" if mark.text == "^" else "munder" if large else "msub"
                found = _element(tag, found, self._script())
            elif mark.text in _RAISED:
                found = _element("msup", found, _element("mn", _RAISED[self._take().text]))
            elif mark.text in ("(", "[") and is_word:
                found = _element("mrow", found, self._atom())
            elif mark.text == "@":
                found = _element("mrow", found, _sign(self._take().text, _TIGHT), self._factor())
            else:
                break
        return found

    def _script(self) -> str:
        """What is below or above a symbol."""
        token = self._next()
        if token and token.text in ("{", "("):
            return _row(self._pieces(_CLOSING[self._take().text]))
        return self._atom()

    def _atom(self) -> str:
        token = self._take()
        text = token.text
        if text == "√":
            return _element("msqrt", _unbracketed([self._atom()]))
        if text in _CLOSING:
            inner = _row(self._pieces(_CLOSING[text]))
            # Brackets that may grow have wide margins, even if they do not.
            attributes = _TIGHT if re.search("<m(frac|under)>", inner) else f'{_TIGHT} stretchy="false"'
            return _element("mrow", _sign(text, attributes), inner, _sign(_CLOSING[text], attributes))
        if token.kind != "word":
            return _element("mn", text) if token.kind == "number" else _sign(_LARGE.get(text, text))
        if text[-1] in _RAISED:
            return _element("msup", _element("mi", text[:-1]), _element("mn", _RAISED[text[-1]]))
        if text[-1] == "\u0302":
            return _element("mover", _element("mi", text[:-1]), _sign("^"))
        if text == "log2":
            return _element("msub", "<mi>log</mi>", "<mn>2</mn>")
        following = self._next()
        article = text == "a" and following and following.spaced
        named = following and not following.spaced and following.text in "([_@/^"
        is_prose = article or (len(text) > 1 and not named)
        return _element("mtext" if is_prose else "mi", html.escape(text, quote=False))


def _fraction(above: list[str], below: list[str]) -> str:
    return _element("mfrac", _unbracketed(above), _unbracketed(below))


def _unbracketed(content: list[str]) -> str:
    """A row without the round brackets around all of it: a fraction or a root needs none."""
    bracketed = re.fullmatch(r"<mrow><mo[^>]*>\(</mo>(.*)<mo[^>]*>\)</mo></mrow>", content[0])
    return bracketed[1] if len(content) == 1 and bracketed else _row(content)
