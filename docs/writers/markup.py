"""Pieces of Markdown: tables, fenced blocks, docstrings and signatures."""

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rankgauge.schema.parameters import declared

WIDTH = 90  # a longer signature has its parameters on lines of their own


def fenced(text: str, language: str = "text") -> str:
    """A block of code or output."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def code(text: object) -> str:
    """A code span."""
    return f"`{text}`"


def codes(words: Iterable[object]) -> str:
    """Code spans, separated by commas."""
    return ", ".join(map(code, words))


def sentence(text: str) -> str:
    """A title as a sentence; `<` is escaped, so that nothing is taken for HTML."""
    return f"{text[0].upper()}{text[1:]}.".replace("<", "\\<")


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; line breaks inside a cell are kept."""
    lines = [headers, ["---"] * len(headers), *rows]
    cells = ([str(cell).replace("|", "\\|").replace("\n", "<br>") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def prose(docstring: str | None) -> str:
    """A docstring as Markdown: paragraphs unchanged, examples and text in columns as fenced blocks."""
    parts = []
    for paragraph in inspect.cleandoc(docstring or "").split("\n\n"):
        if paragraph.startswith(">>>"):
            parts.append(fenced(paragraph, "pycon"))
        elif "   " in paragraph:
            parts.append(fenced(inspect.cleandoc(paragraph)))
        else:
            parts.append(f"{paragraph}\n")
    return "\n".join(parts)


def _plain(annotation: Any) -> Any:
    """A type without what `Annotated` says of a parameter."""
    if not str(annotation).startswith("Annotated["):
        return annotation
    inner = ast.parse(annotation).body[0].value.slice.elts[0]  # type: ignore[attr-defined]
    return ast.unparse(inner)


def described(function: Callable[..., Any]) -> Iterator[str]:
    """A list of the parameters that a signature describes."""
    parameters = declared(function) if inspect.isfunction(function) else {}
    yield from (f"- `{each.name}`: {each.help}" for each in parameters.values())
    yield from [""] if parameters else []


def signature(name: str, function: Callable[..., Any], *, bound: bool = False) -> str:
    """The signature of a function, with types and defaults; a bound one lacks the first parameter."""
    called = inspect.signature(function)
    parts, keyword_only = [], False
    for p in list(called.parameters.values())[bound:]:
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            parts.append("*")
            keyword_only = True
        default = "" if p.default is p.empty else f" = {p.default!r}"
        parts.append(f"{'**' if p.kind is p.VAR_KEYWORD else ''}{p.name}: {_plain(p.annotation)}{default}")
    silent = called.return_annotation in (called.empty, None, "None")
    returns = "" if silent else f" -> {called.return_annotation}"
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"
