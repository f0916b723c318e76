from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Word = TypeVar("Word", bound=Hashable)

MAX_LISTED = 25  # names that a message lists

MEANT = {"metric": "measure", "metrics": "measures"}  # what others call it


def nearest(word: str, known: Iterable[str], fold: Callable[[str], str] = str.casefold) -> str:
    """' (did you mean X?)' for the known word that is nearest to `word`, or '' if none is near.

    `fold` makes words equal that differ only in how they are written.
    """
    from difflib import get_close_matches  # slow to import, and needed for errors only

    by_folded, folded = {fold(name): name for name in known}, fold(MEANT.get(word, word))
    begun = [name for name in by_folded if len(folded) > 2 and name.startswith(folded)]
    swapped = [name for name in by_folded if sorted(name) == sorted(folded)]
    matches = get_close_matches(folded, by_folded, n=1, cutoff=0.7) or begun or swapped  # no more than slips
    return f" (did you mean {by_folded[matches[0]]}?)" if matches else ""


def repeated(words: Iterable[Word]) -> list[Word]:
    """The words that occur more than once."""
    seen: set[Word] = set()
    again: dict[Word, None] = {}
    for word in words:
        if word in seen:
            again[word] = None
        seen.add(word)
    return list(again)


def unknown_name(noun: str, name: str, known: Iterable[str], listing: str = "") -> str:
    """The message for an unknown name: the nearest one, and a `listing`."""
    known = list(known)
    if not listing:
        shown = known if len(known) <= MAX_LISTED else [*known[:5], f"... ({len(known):,} in all)"]
        listing = f"use one of {', '.join(shown)}"
    return f"no {noun} named {name!r}{nearest(name, known)}; {listing}"


def unknown_option(owner: str, noun: str, name: str, known: Iterable[str]) -> str:
    """The message for an unknown option or parameter."""
    known = list(known)
    return f"{owner} has no {noun} {name!r}{nearest(name, known)}; it has {', '.join(known) or 'none'}"


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 topic, 1,000 topics."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def are(number: int) -> str:
    """The verb of a number of things: 1 is, 2 are."""
    return f"{number:,} {'is' if number == 1 else 'are'}"


def spanned(counts: Iterable[int], noun: str = "") -> str:
    """Counts with their noun: 1 topic, 9 to 12 topics."""
    ordered = sorted(counts)
    least, most = ordered[0], ordered[-1]
    span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{span} {noun}{'' if least == most == 1 else 's'}" if noun else span


def letters(count: int) -> list[str]:
    """a, b, ..., z, aa, ab, ..."""
    return [_letter(number) for number in range(count)]


def _letter(number: int) -> str:
    before, last = divmod(number, 26)
    return (_letter(before - 1) if before else "") + chr(ord("a") + last)


def described(value: object) -> str:
    """The type of a value with its article: a list, an int, None."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def brief(value: object) -> str:
    """A value as Python writes it; its type if it is nested too deeply for that."""
    try:
        return repr(value)
    except RecursionError:
        return f"{described(value)} that is nested too deeply to show"


def joined(words: Iterable[str]) -> str:
    """Words as a sentence lists them: a, b and c."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def format_number(value: float) -> str:
    """The shortest exact text of a number: 2 rather than 2.0."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e16 else repr(float(value))


def notebook(html: str) -> str:
    """HTML for a notebook, which would typeset $x$ as a formula."""
    return f'<div class="tex2jax_ignore mathjax_ignore">\n{html}\n</div>'


def printable(text: str, kept: str = "") -> str:
    """Text without control characters, but those `kept`, and invalid bytes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else c.encode("unicode_escape").decode() for c in text)


def terminal_width() -> int:
    """The width of the terminal, or 80."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns or 80
    except (OSError, ValueError):
        return 80
