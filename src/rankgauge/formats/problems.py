"""Messages about lines: what was found, what is allowed, what to do.

The cores report problems by number (`rankgauge.core.codes`); quoted text is made printable and short.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.core import codes
from rankgauge.schema.options import setting
from rankgauge.schema.text import counted

MALFORMED = 101  # a line that does not follow its format at all (JSON, CSV quoting)
MISSING = 102  # a row without one of the values it needs
UNREAD = 103  # what follows the problems at which reading stopped
KEEP = 10  # problems of each kind that are reported one by one; all are counted
MAX_PROBLEMS = 1_000_000  # at which reading stops where all problems are counted: the file may have no end

LAYOUT = {"run": "topic Q0 document rank score tag", "qrels": "topic iteration document grade"}
HOLDS = {"run": "a run", "qrels": "judgments"}
KINDS = tuple(HOLDS)
VALUE = {"run": "score", "qrels": "grade"}
BAD_VALUE = {"run": codes.BAD_SCORE, "qrels": codes.BAD_GRADE}
LARGEST_GRADE = 1e100  # sums and squares of grades and of gains stay far from the largest number
NUMBER = {
    "run": "use a number such as 12.5, -3 or 1e-4",
    "qrels": "use a finite number such as 0, 2 or 0.5",
}


def limits(keep: int | None) -> tuple[int, int]:
    """(problems of each kind to keep, problems at which reading stops)."""
    return (1, 1) if keep is None else (keep, MAX_PROBLEMS)


def quote(text: bytes | str, limit: int = 80) -> str:
    """Text in quotes: printable, on one line, at most `limit` characters."""
    text = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    shown = "".join(c if c.isprintable() else _escape(c) for c in text[: limit + 1])
    return f'"{shown}"' if len(shown) <= limit else f'"{shown[: limit - 1]}…"'


def _escape(character: str) -> str:
    if 0xDC80 <= ord(character) <= 0xDCFF:  # a byte that is not UTF-8, as `Ids.texts` decodes it
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def wrong_columns(expected: str, line: bytes | str, count: int | None = None, size: int | None = None) -> str:
    """The message for a line with another number of columns."""
    line, size = line.strip(), size or len(expected.split())
    seen = len(line.split()) if count is None else count
    # The cores quote only the beginning of a long line, so some of its columns may not be seen.
    cut = count is None and len(line) > codes.FOUND_BYTES - 2
    number = f"{'at least ' if seen < size else 'more than '}{min(seen, size)}" if cut else str(seen)
    return f"expected {counted(size, 'column')}, found {number}: {quote(line)}; a line is: {expected}"


def sentence(code: int, text: bytes, kind: str) -> str:
    """The message for a problem with some text of a run or qrels."""
    holds, value, number, found = HOLDS[kind], VALUE[kind], NUMBER[kind], quote(text)
    bad_value = f"the {value} is not a {'finite ' if kind == 'qrels' else ''}number: {found}; {number}"
    rank = parse_number(text)
    wrong_rank = "beyond 2^53" if rank and abs(rank) >= codes.LARGE_RANK else "not a whole number"
    topic, _, doc = text.partition(b"\0")
    binary = f"is this file {holds}? it contains NUL bytes: {found}; {holds} must be text"
    utf_16 = "the file is UTF-16 text; save it as UTF-8"
    sentences = {
        codes.COLUMNS: wrong_columns(LAYOUT[kind], text) + _columns_hint(text, kind),
        codes.BAD_SCORE: bad_value,
        codes.BAD_GRADE: bad_value,
        codes.NOT_A_NUMBER: f"the {value} is NaN: {found}; {number}",
        codes.BAD_RANK: f"the rank is {wrong_rank}: {found}; use whole numbers such as 1, 2, 3",
        codes.DUPLICATE: twice(topic, doc),
        codes.BINARY: utf_16 if text[:2] in (b"\xff\xfe", b"\xfe\xff") else binary,
        codes.LONG_LINE: f"is this file {holds}? a line has more than {codes.MAX_LINE:,} bytes: {found}",
        MALFORMED: f"the line cannot be read: {found}",
        MISSING: missing(kind, "value", text),
        UNREAD: "reading stopped here, after so many problems; the rest of the file was not read",
    }
    return sentences.get(code, f"problem {code}: {found}")


def looks_like(kind: str, what: str = "this") -> str:
    """The hint that this looks like the other kind."""
    return f"{what} looks like {HOLDS[kind]}; judgments come first, then runs"


def _columns_hint(text: bytes, kind: str) -> str:
    other, fields = next(each for each in LAYOUT if each != kind), text.split()
    if len(fields) == len(LAYOUT[other].split()) and len(text) < codes.FOUND_BYTES:
        return f" ({looks_like(other, 'this line')})"
    if text.count(b",") == len(LAYOUT[kind].split()) - 1:
        return " (commas separate these columns; `tr , ' '` makes them spaces)"
    if len(fields) != 3 or parse_number(fields[2]) is None:
        return ""
    ranks = f"; {setting('format', 'msmarco', kind=kind)}: topic document rank" if kind == "run" else ""
    return f" ({setting('format', 'triples', kind=kind)}: topic document {VALUE[kind]}{ranks})"


def parse_number(text: bytes) -> float | None:
    """The number in a field, or None; 1_000 is none."""
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None


def too_large(grade: float) -> str:
    """The message for a grade that cannot be computed with."""
    return f"the grade {grade:g} is too large; use a number from {-LARGEST_GRADE:g} to {LARGEST_GRADE:g}"


def missing(kind: str, role: str, text: bytes | str) -> str:
    """The message for a row without one of its values."""
    return f"the {role} is missing: {quote(text)}; every row needs a topic, a document and a {VALUE[kind]}"


def twice(topic: bytes, doc: bytes, first: str = "") -> str:
    """The message for a repeated document; `first` is where it occurred before."""
    return (
        f"document {quote(doc)} occurs twice in topic {quote(topic)}"
        f"{f', first {first}' if first else ''}; once is allowed: "
        f"remove one, or use {setting('duplicates', 'first')} or {setting('duplicates', 'max')}"
    )


def empty(kind: str) -> str:
    """The message for input without rows."""
    return f"the input has no rows; {HOLDS[kind]} must have at least one"


def unnamed_columns(kind: str) -> str:
    """The message for names of columns that have none."""
    return (
        f"{setting('columns', kind=kind)} names columns, and the lines of this file have no names; leave it "
        f"out, or name the format of the file: {setting('format', 'csv', kind=kind)}"
    )


# What reading assumed where a file leaves it open.
RANKS, VALUES, NUMBERED, FILE, DISTANCES = "ranks", "values", "numbered", "file", "distances"
SIMILARITIES = "similarities"
FAILED = "failed"
ASSUMPTIONS: dict[tuple[str, str], str] = {}  # {(path, kind): what was assumed}, for commands to report
MAX_FILES = 3  # to name


def assumption_notes() -> Iterator[str]:
    """A sentence for each kind of assumption in `ASSUMPTIONS`, with its files."""
    alike: dict[tuple[str, str], list[str]] = {}
    for (path, kind), assumed in sorted(ASSUMPTIONS.items()):
        alike.setdefault((assumed, kind), []).append(path)
    for (assumed, kind), paths in alike.items():
        names = ", ".join([*paths[:MAX_FILES], *["..."][: len(paths) > MAX_FILES]])
        yield f"{names}: {assumption(assumed, kind)}"


def assumption(assumed: str, kind: str) -> str:
    """What was assumed about a run or judgments, and how to set it."""
    ranks = f"; {setting('format', 'msmarco', kind=kind)} reads ranks" if kind == "run" else ""
    topics = setting("columns", "topics=FILE", kind=kind, python='{"topics": [id, ...]}')
    sentences = {
        RANKS: "three columns without a header, the last counting from 1, were read as topic, document and "
        f"rank ({setting('format', 'triples', kind=kind)} reads scores)",
        VALUES: f"three columns without a header were read as topic, document and {VALUE[kind]} "
        f"(a header can name other columns{ranks})",
        NUMBERED: "the responses name no queries, so their topics are numbered from 1 in their order "
        f'(add a "query_id" to each, or name them: {topics})',
        FILE: "the response names no query, so its topic is the name of the file "
        '(add a "query_id" beside the hits to name it)',
        FAILED: "labels that are `failed` were read as not_support",
        DISTANCES: "distances were read in place of scores, the smallest as the best",
        SIMILARITIES: "what is called distance falls from the first result of each topic on, so it was read "
        "as a similarity, the largest as the best",
    }
    # An unknown one is a later version's.
    return "; ".join(sentences.get(each, each) for each in assumed.split())
