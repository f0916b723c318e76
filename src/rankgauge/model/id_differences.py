"""The likely cause why hardly any id of a run is judged: case, a prefix, leading zeros, `.0` of floats."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial

from rankgauge.formats.problems import quote
from rankgauge.schema.options import setting

MAX_ROWS, MAX_TOPICS = 20_000, 20  # of a run that are looked at
MAX_IDS = 100  # of a topic, on each side, that are compared
MAX_CHARACTERS = 1_000  # longer ids are not compared
MAX_LENGTHS = 20  # of ids, the most frequent ones, that may be others without a prefix or suffix
SHORT = 3  # one id may end with another that is shorter than this by chance; two hardly


def _without(pattern: str) -> Callable[[str], str]:
    return partial(re.compile(pattern).sub, "")


_letters = _without(r"[\W_]+")

# {what differs: the function that makes ids equal which differ only in that}
_ALIKE: dict[str, Callable[[str], str]] = {
    "in case": str.casefold,
    "in whitespace": lambda text: "".join(text.split()),
    "in quotes": lambda text: text.strip("\"'"),
    "in a decimal point": _without(r"\.0+$"),
    "in leading zeros": _without(r"0(?<!\d0)0*(?=\d)"),  # begins with a character: found fast in long ids
    "in the directory or host": lambda text: text.rstrip("/").rpartition("/")[2],
    "in the extension": _without(r"\.[A-Za-z]{1,5}$"),
    "in hyphens and underscores": lambda text: text.replace("-", "").replace("_", "").replace(" ", ""),
    "in case and punctuation": lambda text: (text if text.isalnum() else _letters(text)).casefold(),
}

_MENDS = {  # {what differs: the regular expression for `collapse` whose group is the id that is meant}
    "in a decimal point": r"(.+)\.0+",
    "in leading zeros": r"0*(.+)",
    "in the directory or host": r".*/([^/]+)/*",
    "in the extension": r"(.+)\.[A-Za-z]+",
}


def difference(pairs: Iterable[tuple[Sequence[str], Sequence[str]]], mend: bool = False) -> str:
    """The difference from known ids, if clear: `in case ("D1" in the run, "d1" in the judgments)`.

    Each pair is some ids of the run, and known ids that they may be meant for; with `mend`, the option that
    makes them equal follows, if there is one.
    """
    some = [(_short(ids)[:MAX_IDS], dict.fromkeys(_short(known))) for ids, known in pairs]
    for what, alike in _ALIKE.items():
        for ids, known in some:
            spelled, of_run = {alike(each): each for each in known}, {each: alike(each) for each in ids}
            times = Counter(of_run.values())
            for each, same in of_run.items():
                # What makes two ids of the run equal, such as the host of index.html, is more than spelling.
                if each not in known and same and same in spelled and times[same] == 1:
                    pattern = _MENDS.get(what, "") if mend else ""
                    return f"{what} ({_both(each, spelled[same])}){_mend(pattern, each, spelled[same])}"
    return _affix(some, mend)


def _mend(pattern: str, of_run: str, judged: str) -> str:
    found = re.fullmatch(pattern, of_run) if pattern else None
    if found is None or found[1] != judged:
        return ""
    rule = f"regex:{pattern}"
    return f"; {setting('collapse', shlex.quote(rule), python=repr(rule))} makes them equal"


def _affix(pairs: list[tuple[list[str], dict[str, None]]], mend: bool) -> str:
    """The prefix or suffix that most ids have on one side alone."""
    found: Counter[tuple[str, str, str]] = Counter()  # (affix, place, side): how many ids
    examples: dict[tuple[str, str, str], tuple[str, str]] = {}
    total = 0
    for ids, known in pairs:
        total += len(ids)
        for side, longer, shorter in (
            ("run", ids, known),
            ("judgments", sorted(known)[:MAX_IDS], dict.fromkeys(ids)),
        ):
            lengths = dict(Counter(map(len, shorter)).most_common(MAX_LENGTHS))
            for each in longer:
                for affix, place, rest in _cut(each, lengths, shorter):
                    key = affix, place, side
                    found[key] += 1
                    examples.setdefault(key, (each, rest) if side == "run" else (rest, each))
    if not found:
        return ""
    (affix, place, side), count = found.most_common(1)[0]
    both = examples[affix, place, side]
    scattered = 2 * count <= sum(found.values()) and count * 10 < total
    if scattered or (count == 1 and min(map(len, both)) < SHORT):
        return ""
    pattern = f"{re.escape(affix)}(.+)" if place == "prefix" else f"(.+){re.escape(affix)}"
    return f"by the {place} {quote(affix, 30)} in the {side} ({_both(*both)}){_mend(pattern * mend, *both)}"


def _cut(text: str, lengths: Iterable[int], among: Container[str]) -> Iterator[tuple[str, str, str]]:
    """(what is cut off, where, the rest) for each rest that is among others."""
    for length in lengths:
        if 0 < length < len(text):
            if (rest := text[-length:]) in among and not _in_number(text, len(text) - length):
                yield text[:-length], "prefix", rest
            if (rest := text[:length]) in among and not _in_number(text, length):
                yield text[length:], "suffix", rest


def _in_number(text: str, at: int) -> bool:
    return text[at - 1].isdigit() and text[at].isdigit()


def _short(ids: Iterable[str]) -> list[str]:
    return [each for each in ids if len(each) <= MAX_CHARACTERS]


def _both(of_run: str, judged: str) -> str:
    return f"{quote(of_run, 40)} in the run, {quote(judged, 40)} in the judgments"


def topic_difference(topics: Iterable[str], judged: Iterable[str]) -> str:
    """The difference between topics of a run and judged ones, if clear."""
    return difference([([*topics], [*judged])])


def documents_of(rows: Iterable[tuple[str, str]], judged: Iterable[str]) -> dict[str, list[str]]:
    """{topic: documents} of some judged topics, from (topic, document)."""
    known, documents, full = {*judged}, dict[str, list[str]](), 0
    for topic, doc in rows:
        if topic in known and (topic in documents or len(documents) < MAX_TOPICS):
            documents.setdefault(topic, []).append(doc)
            full += len(documents[topic]) == MAX_IDS
            if full == MAX_TOPICS:
                break
    return documents


def document_difference(
    documents: Mapping[str, Sequence[str]], judged: Callable[[str], Sequence[str]]
) -> str:
    """The difference between documents and those `judged` for their topic, if clear."""
    return difference(((docs, judged(topic)) for topic, docs in documents.items()), mend=True)
