"""What is wrong with a line, as a sentence: what was found, what is allowed, what to do.

The cores report problems by number (`rankgauge.core.codes`); the text formats that are read in
Python add two of their own. Everything quoted is made printable and short first.
"""

from __future__ import annotations

from rankgauge.core import codes

MALFORMED = 101  # a line that is not of its format at all (JSON, CSV quoting); found: its beginning
MISSING = 102  # a row without one of the values it needs; found: the row

LAYOUT = {"run": "topic Q0 document rank score tag", "qrels": "topic iteration document grade"}
HOLDS = {"run": "a run", "qrels": "judgments"}
VALUE = {"run": "score", "qrels": "grade"}
NUMBER = {
    "run": "a score is a number such as 12.5, -3 or 1e-4",
    "qrels": "a grade is a finite number such as 0, 2 or 0.5",
}


def quote(found: bytes | str, limit: int = 80) -> str:
    """What was found, in quotes: one printable line of at most `limit` characters."""
    text = found.decode("utf-8", "backslashreplace") if isinstance(found, bytes) else found
    shown = "".join(c if c.isprintable() else _escaped(c) for c in text[: limit + 1])
    return f'"{shown}"' if len(shown) <= limit else f'"{shown[: limit - 1]}…"'


def _escaped(character: str) -> str:
    if 0xDC80 <= ord(character) <= 0xDCFF:  # a byte that is no UTF-8, as `Ids.texts` has it
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def wrong_columns(
    expected: str, found: bytes | str, count: int | None = None, size: int | None = None
) -> str:
    """That a line has not the columns of `expected`, of which there are `size`, but `count`."""
    found, size = found.strip(), size or len(expected.split())
    seen = len(found.split()) if count is None else count
    # The cores quote no more than the beginning of a line: of a long one not all columns are seen.
    cut = count is None and len(found) > codes.FOUND_BYTES - 2
    number = f"{'at least ' if seen < size else 'more than '}{min(seen, size)}" if cut else str(seen)
    return f"expected {size} columns, found {number}: {quote(found)}; a line is: {expected}"


def sentence(code: int, found: bytes, kind: str) -> str:
    """A problem of a line in words; `kind` is what the file was read as: run or qrels."""
    holds, value, number = HOLDS[kind], VALUE[kind], NUMBER[kind]
    if code == codes.COLUMNS:
        other = next(k for k in LAYOUT if k != kind)
        alike = len(found.split()) == len(LAYOUT[other].split()) and len(found) < codes.FOUND_BYTES
        hint = f" (this line looks like {HOLDS[other]})" if alike else ""
        return wrong_columns(LAYOUT[kind], found) + hint
    if code in (codes.BAD_SCORE, codes.BAD_GRADE):
        return f"the {value} is no {'finite ' if kind == 'qrels' else ''}number: {quote(found)}; {number}"
    if code == codes.NOT_A_NUMBER:
        return f"the {value} is NaN: {quote(found)}; {number}"
    if code == codes.BAD_RANK:
        return f"the rank is no whole number: {quote(found)}; ranks are whole numbers such as 1, 2, 3"
    if code == codes.DUPLICATE:
        topic, _, doc = found.partition(b"\0")
        return twice(topic, doc)
    if code == codes.BINARY:
        if found[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return "the file is UTF-16 text; save it as UTF-8"
        return f"does this file hold {holds}? it has NUL bytes: {quote(found)}; {holds} must be text"
    if code == codes.LONG_LINE:
        return f"does this file hold {holds}? a line has more than {codes.MAX_LINE:,} bytes: {quote(found)}"
    if code == MALFORMED:
        return f"the line cannot be read: {quote(found)}"
    if code == MISSING:
        return missing(kind, "value", found)
    return f"problem {code}: {quote(found)}"


def missing(kind: str, role: str, found: bytes | str) -> str:
    """That a row lacks something."""
    return f"the {role} is missing: {quote(found)}; every row has a topic, a document and a {VALUE[kind]}"


def twice(topic: bytes, doc: bytes, first: str = "") -> str:
    """That a document is there for the second time; `first` says where it was before."""
    return (
        f"document {quote(doc)} is in topic {quote(topic)} for the second time"
        f"{f', first {first}' if first else ''}; once is allowed: "
        "correct it, or choose duplicates=first or duplicates=max"
    )


def empty(kind: str) -> str:
    """That there is nothing in a file."""
    return f"there is nothing in it; {HOLDS[kind]} must have at least one row"
