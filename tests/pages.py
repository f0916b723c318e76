"""The pages of documentation as tests see them: their examples, headings and links.

A `python` block is run, or checked like a doctest when it has prompts. In a `console` block what follows
`$ ` is a command, and what follows that, if anything, is what it prints on a terminal; lines with tabs are
what it prints into a pipe. In a `sh` block only lines that begin with `rankgauge ` are run: the others
install things. The blocks of a page run in order, in one empty directory; `<!-- not run: reason -->` on
the line before a block leaves it out, and `<!-- needs: library -->` where the library is not installed.
"""

import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {str(p.relative_to(ROOT)): p for p in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]}
RUN = ("python", "console", "sh")

_FENCE = re.compile(
    r"^(?:<!-- (?:not run: (?P<reason>[^\n]*?)|needs: (?P<needs>[\w ]+?)) -->\n)?"
    r"```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.M | re.S,
)
# A backslash at the end of a line continues a command.
_COMMAND = re.compile(r"(?P<command>(?:[^\n]*\\\n)*[^\n]*)\n(?P<output>.*)", re.S)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    line: int  # of the page, on which the text begins
    reason: str | None  # why it is not run
    needs: tuple[str, ...] = ()  # libraries without which it is not run

    @property
    def can_run(self):
        """Whether it is to be run, and what it needs is installed."""
        return self.reason is None and all(map(importlib.util.find_spec, self.needs))


def read(name):
    """The text of a page."""
    return PAGES[name].read_text(encoding="utf-8")


def blocks(name):
    """The blocks of a page that are examples, also those that are not run."""
    page = read(name)
    found = [
        Block(
            m["language"],
            m["text"],
            page[: m.start("text")].count("\n") + 1,
            m["reason"],
            tuple((m["needs"] or "").split()),
        )
        for m in _FENCE.finditer(page)
    ]
    return [block for block in found if block.language in RUN]


def commands(block):
    """[(command, what it prints or "")] of a `console` or `sh` block."""
    if block.language == "sh":
        lines = _joined(block.text).splitlines()
        return [(line, "") for line in lines if line.startswith("rankgauge ")]
    first, *parts = re.split(r"^\$ ", block.text, flags=re.M)
    assert not first.strip(), f"a console block begins with a command, not with {first!r}"
    found = [_COMMAND.match(part) for part in parts]
    return [(_joined(m["command"]), m["output"]) for m in found]


def _joined(text):
    return text.replace("\\\n", " ")


def _unfenced(name):
    return re.sub(r"`[^`\n]+`", "", _FENCE.sub("", read(name)))


def links(name):
    """The links of a page that lead to files."""
    return [link for link in _LINK.findall(_unfenced(name)) if not re.match(r"\w+:", link)]


def anchors(text):
    """The names under which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.*)$", _FENCE.sub("", text), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def script(name, monkeypatch):
    """A script of the docs as a module."""
    monkeypatch.syspath_prepend(DOCS)
    spec = importlib.util.spec_from_file_location(f"{name}_script", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # dataclasses look it up there
    spec.loader.exec_module(module)
    return module
