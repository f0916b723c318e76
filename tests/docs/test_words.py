"""The English of the project: words that would confuse a reader stay out of code and documentation."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSTEAD = {  # {retired word: what to write instead}
    "told": "reported, passed, given, listed; or name the value itself",
    "said": "the noun it is: message, text, value, note; or stated, declared",
    "parted": "separated, split, divided",
    "minds": "depends on, takes into account",
    "stranger": "a run without a topic in common; unknown, unjudged",
    "packed": "compressed (and decompressed for unpacked); contiguous",
}
PHRASES = {  # {pattern of a retired phrase: what to write instead}
    r"no (?:[\w'{}.-]+ ){1,6}is called(?= ['\"{])": "no measure named 'x'",
    r"(?:may|can) be repeated": "repeatable",
    r"somebody else": "anyone else, others",
    r"under other rules|rules that differ": "with other settings, settings changed",
    r"goes on where it stopped": "resumes where it left off",
    r"best and worst show by how much": "best and worst show the range",
    r"this run has not\b(?! \w)": "and this run has none",
    r"(?:is|are) not shown to": "shows no ..., does not demonstrably ...",
    r"what to call\b": "display names for",
    r"above 0 to below 1": "between 0 and 1 (exclusive)",
    r"\bBy (?:\{measure\}|(?:nDCG|AP|RR|P)(?:[@(][\w=@)]+)?), ": "On nDCG@10, ...",
    r"\bnDCG at \d|\((?:rel|base|gains) = ": "the text of the measure: nDCG@10, AP(rel=2)",
}
RETIRED = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b", re.IGNORECASE)
TEXT = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}

SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def texts(source: str) -> Iterator[tuple[int, str]]:
    """(line number, text) of each line of the comments and string literals, docstrings included."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in TEXT:
            continue
        text = token.string
        if re.match("[a-z]*f", text, re.IGNORECASE):  # before Python 3.12, with the expressions in it
            text = re.sub(r"\{[^{}]*\}", lambda expression: "\n" * expression[0].count("\n"), text)
        yield from enumerate(text.split("\n"), token.start[0])


def retired(lines: Iterator[tuple[int, str]]) -> list[str]:
    """A message for each retired word or phrase in some lines of text."""
    patterns = {RETIRED: "", **{re.compile(text): instead for text, instead in PHRASES.items()}}
    return [
        f"line {number}: '{found[0]}' in {line.strip()!r}; write: {instead or INSTEAD[found[0].lower()]}"
        for number, line in lines
        for pattern, instead in patterns.items()
        for found in pattern.finditer(line)
    ]


@pytest.mark.parametrize(
    "line",
    ["no run is called 'a'", "no {noun} is called {name!r}", "By nDCG@10, a is best", "can be repeated"],
)
def test_phrases_are_reported(line):
    assert len(retired(iter([(1, line)]))) == 1
    assert not retired(iter([(1, "no function is called here; by nDCG@10; which this run has not judged")]))


def test_words_are_reported_in_docstrings_comments_and_strings_but_not_in_code():
    source = '"""One\ntold."""\nsaid = 1  # Said\nprint(f"{said} packed", "unsaid", \'minds\')\n'
    assert [sentence.partition(" in ")[0] for sentence in retired(texts(source))] == [
        "line 2: 'told'",
        "line 3: 'Said'",
        "line 4: 'packed'",
        "line 4: 'minds'",
    ]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_no_retired_word_is_in_the_text_of_a_module(path):
    messages = retired(texts(path.read_text("utf-8")))
    assert not messages, "\n".join(messages)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_retired_word_is_on_a_page(path):
    messages = retired(enumerate(path.read_text("utf-8").split("\n"), 1))
    assert not messages, "\n".join(messages)
