"""What reading took for granted where a file leaves it open: a sentence each, with how to say otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.formats.problems import VALUE
from rankgauge.schema.surface import setting

RANKS, VALUES, NUMBERED, FILE = "ranks", "values", "numbered", "file"
MADE: dict[tuple[str, str], str] = {}  # {(path, kind): what was assumed}, for commands to report
MOST_FILES = 3  # to name


def made() -> Iterator[str]:
    """A sentence for each kind of assumption that was made about files since `MADE` was cleared."""
    alike: dict[tuple[str, str], list[str]] = {}
    for (path, kind), assumed in sorted(MADE.items()):
        alike.setdefault((assumed, kind), []).append(path)
    for (assumed, kind), paths in alike.items():
        names = ", ".join([*paths[:MOST_FILES], *["..."][: len(paths) > MOST_FILES]])
        yield f"{names}: {sentence(assumed, kind)}"


def sentence(assumed: str, kind: str) -> str:
    """What was assumed about a run or judgments."""
    if assumed == RANKS:
        other = setting("format", "triples", kind=kind)
        return (
            "three columns without a header, the last counting from 1, were read as topic, document and "
            f"rank ({other} reads scores)"
        )
    if assumed == VALUES:
        ranks = f"; {setting('format', 'msmarco', kind=kind)} reads ranks" if kind == "run" else ""
        return (
            f"three columns without a header were read as topic, document and {VALUE[kind]} "
            f"(a header can name other columns{ranks})"
        )
    if assumed == NUMBERED:
        return (
            "the responses name no queries, so their topics are numbered from 1 in their order "
            '(add a "query_id" to each to name it)'
        )
    if assumed == FILE:
        return (
            "the response names no query, so its topic is the name of the file "
            '(add a "query_id" beside the hits to name it)'
        )
    return assumed  # by a later version
