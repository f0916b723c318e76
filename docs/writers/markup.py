"""Pieces of Markdown: tables, fenced blocks, docstrings and signatures."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

WIDTH = 90  # a longer signature has its parameters on lines of their own


def fenced(text: str, language: str = "text") -> str:
    """A block of code or output."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def code(text: object) -> str:
    """A word of code in a sentence."""
    return f"`{text}`"


def codes(words: Iterable[object]) -> str:
    """Words of code, parted by commas."""
    return ", ".join(map(code, words))


def sentence(text: str) -> str:
    """A title as a sentence; what looks like HTML is none."""
    return f"{text[0].upper()}{text[1:]}.".replace("<", "\\<")


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; lines inside a cell stay lines."""
    lines = [headers, ["---"] * len(headers), *rows]
    cells = ([str(cell).replace("|", "\\|").replace("\n", "<br>") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def prose(docstring: str | None) -> str:
    """A docstring as Markdown: paragraphs as they are, examples and anything in columns fenced."""
    parts = []
    for paragraph in inspect.cleandoc(docstring or "").split("\n\n"):
        if paragraph.startswith(">>>"):
            parts.append(fenced(paragraph, "pycon"))
        elif "   " in paragraph:
            parts.append(fenced(inspect.cleandoc(paragraph)))
        else:
            parts.append(f"{paragraph}\n")
    return "\n".join(parts)


def signature(name: str, function: Callable[..., Any], *, bound: bool = False) -> str:
    """How a function is called, with types and defaults; without the first parameter when it is bound."""
    found = inspect.signature(function)
    parts, keyword_only = [], False
    for p in list(found.parameters.values())[bound:]:
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            parts.append("*")
            keyword_only = True
        default = "" if p.default is p.empty else f" = {p.default!r}"
        parts.append(f"{'**' if p.kind is p.VAR_KEYWORD else ''}{p.name}: {p.annotation}{default}")
    silent = found.return_annotation in (found.empty, None, "None")
    returns = "" if silent else f" -> {found.return_annotation}"
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"
