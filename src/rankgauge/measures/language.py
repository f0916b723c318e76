"""The measure language: from text to measure.

    measures = measure { ("," | ";" | space) (measure | cutoff) }
    measure  = name [ "(" [ setting { "," setting } ] ")" ] [ "@" (cutoff | number) ]
    setting  = name "=" value | measure            (the latter is an inner measure, and comes first)
    value    = number | word | "'" text "'" | "{" pair { "," pair } "}" | "{" number { "," number } "}"
    pair     = number ":" number

A measure is found by any of its names: trec_eval's (`ndcg_cut_10`, `P.5`), those of other tools and papers,
in any case, and whatever separates their parts (`hit_rate`, `HitRate`, `hit rate`); `_at_10` is `@10`. The
canonical text, `str(measure)`, has parameters in declared order, without defaults.

Where several measures can be named, a grid can: alternatives of a value or of a cutoff, separated by |, stand
for all their combinations. `nDCG(base=2|10)@10|100` is four measures.
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from rankgauge.errors import MeasureError, RankgaugeError
from rankgauge.measures import named_sets
from rankgauge.measures.other_tools import (
    LEVEL_TAIL,
    PIECE,
    TREC,
    from_other_tools,
    from_trec,
    is_foreign,
    read,
)
from rankgauge.measures.reader import NAME, SPACED, Reader, named, set_members
from rankgauge.measures.registry import MEASURES
from rankgauge.measures.settings import Measure, complete, compose
from rankgauge.schema.text import joined, pattern

_AT = pattern(rf".+@(?P<cutoff>{PIECE.pattern})")
_AROUND_AT = pattern(r" ?@ ?| at (?=\d)", re.IGNORECASE)  # nDCG @ 10, recall at 10
_BEFORE_BRACKET = pattern(r"(?<=\w) (?=\()")
_BRACKET_OR_GAP = pattern(r"[(){}]|[\s,;]")
MOST_WORDS = 4  # of a name
MOST_TEXTS = 1000
_EVERYDAY: dict[str, Measure] = {}  # {text: measure}, without settings: evaluators are made often


def parse(text: str | Measure) -> Measure:
    """The measure that a text names, such as `nDCG(gains=exp2)@10`; ir_measures' measures are taken, too."""
    if isinstance(text, Measure):
        return complete(text)
    if not isinstance(text, str):
        if is_foreign(text):
            return complete(named(text.NAME)(**text.params))
        raise MeasureError(f"a measure is a text such as 'nDCG@10', not {text!r}")
    if "|" in text:
        from rankgauge.measures import grids  # seldom needed

        grids.refuse(text)
    try:
        return _everyday(text.strip()) or read(text.strip())
    except MeasureError:
        measure = from_trec(text.strip(), MEASURES)  # with the measures of other packages
        if measure is None:
            _refuse_several(text)
            raise
        return measure


def _refuse_several(text: str) -> None:
    """Raise an error if a text names several measures."""
    texts = list(pieces(text))
    if len(texts) > 1:
        try:
            names = joined(str(member) for piece in texts for member in _members(piece))
        except MeasureError:
            return
        raise MeasureError(f"{text!r} names several measures, {names}; name one of them")


def lookup(text: str) -> Measure | None:
    """The measure that a text names; None if it names none, as the columns of a table may."""
    try:
        return parse(text)
    except RankgaugeError:
        return None


def canonical(text: str) -> str:
    """The canonical text of a measure; any other text unchanged."""
    measure = lookup(text)
    return text if measure is None else str(measure)


def _everyday(text: str) -> Measure | None:
    """The measure that a text names, if its family is imported already and the name is spelled exactly."""
    if "-l" in text and LEVEL_TAIL.fullmatch(text):  # ranx's, whatever is imported
        return None
    name = NAME.match(text)
    spec = MEASURES.get_loaded(name[0]) if name else None
    if name is None or spec is None or text[name.end() :].lstrip()[:1] not in ("", "(", "@"):
        return None
    known = _EVERYDAY.get(text)
    if known is None or known.spec is not spec:
        known = Reader(text).measure()
        if not known.settings and len(_EVERYDAY) < MOST_TEXTS:
            _EVERYDAY[text] = known
    return known


def parse_all(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """The measures that texts name, each once, in order; a text may name several, or a set."""
    return tuple(dict.fromkeys(parse_given(measures).values()))


def parse_given(measures: str | Measure | Iterable[str | Measure]) -> dict[str, Measure]:
    """{text as it was given: the measure that it names}, in order; those of a set have their own texts."""
    one = isinstance(measures, (str, Measure)) or is_foreign(measures)
    if isinstance(measures, bytes) or not (one or isinstance(measures, Iterable)):
        raise MeasureError(f"measures are a text such as 'nDCG@10 AP', or several, not {measures!r}")
    given: dict[str, Measure] = {}
    items: Any = [measures] if one else measures
    for item in items:
        for text, members in _read(item) if isinstance(item, str) else [(item, (parse(item),))]:
            given.update((str(text if len(members) == 1 else member), member) for member in members)
    if not given:
        raise MeasureError("no measures; name at least one, such as nDCG@10")
    return given


def _read(text: str) -> list[tuple[str, tuple[Measure, ...]]]:
    """(text, the measures it names) of each part of a text, or of those that only together are a name."""
    texts = list(pieces(text))
    try:
        return [(text, _members(text)) for text in texts]
    except MeasureError:
        with suppress(MeasureError):  # trec_eval separates parameters by commas: utility.1,-1,0,0
            return [(text.strip(), (parse(text),))]
        together = _joined(texts)
        if together == texts:
            raise
        return [(text, _members(text)) for text in together]


def _joined(texts: list[str]) -> list[str]:
    """The texts, with neighbours joined that are a name, unless each is one alone: `average precision@5`."""
    joined: list[str] = []
    at = 0
    while at < len(texts):
        for count in range(min(MOST_WORDS, len(texts) - at), 1, -1):
            together = " ".join(texts[at : at + count])
            spaced = SPACED.match(together)
            words = spaced[0].split() if spaced else []
            if spaced and len(words) == count and _is_name(spaced[0]) and not all(map(_is_name, words)):
                break
        else:
            count, together = 1, texts[at]
        joined.append(together)
        at += count
    return joined


def _is_name(text: str) -> bool:
    return MEASURES.match(text) is not None


def _members(text: Any) -> tuple[Measure, ...]:
    """The measure that a text names, or those of the set that it names."""
    if not isinstance(text, str) or _everyday(text):
        return (parse(text),)
    if text in named_sets.SETS or any(text in spec.sets for spec in MEASURES.own().values()):
        return named_set(text)
    try:
        return (parse(text),)
    except MeasureError:
        members = named_set(text)  # other packages may have sets of their own
        if not members:
            raise
        return members


def named_set(name: str) -> tuple[Measure, ...]:
    """The measures of a named set such as `graded`, in any spelling; none if there is no such set."""
    return tuple(map(parse, set_members(name)))


def pieces(text: str) -> Iterator[str]:
    """The texts of the measures in a text, split outside brackets; `P@5,10` and `P@5|10` are P@5 and P@10."""
    if "|" in text:
        from rankgauge.measures import grids  # seldom needed

        for piece in _pieces(text):
            yield from grids.expand(piece)
    else:
        yield from _pieces(text)


def _pieces(text: str) -> Iterator[str]:
    stem = ""
    for piece in _split(text):
        ends_in_digit = piece[-1].isdecimal()  # compiling the patterns takes time
        if stem and ends_in_digit and PIECE.fullmatch(piece):
            yield f"{stem}{piece}"
            continue
        cut = (_AT.fullmatch(piece) or TREC.fullmatch(piece)) if ends_in_digit else None
        has_cutoff = cut and ("@" in piece or from_other_tools(piece))
        stem = piece[: cut.start("cutoff")] if cut and has_cutoff else ""
        yield piece


def _split(text: str) -> Iterator[str]:
    """The parts of a text between commas, semicolons and spaces outside brackets, unless around @."""
    text = _AROUND_AT.sub("@", _BEFORE_BRACKET.sub("", " ".join(text.split())))
    begin = depth = 0
    for mark in _BRACKET_OR_GAP.finditer(text):
        if mark[0] in "({":
            depth += 1
        elif mark[0] in ")}":
            depth = max(0, depth - 1)
        elif depth == 0:
            if mark.start() > begin:
                yield text[begin : mark.start()]
            begin = mark.end()
    if begin < len(text):
        yield text[begin:]


def _restored(text: str) -> Measure:
    """The measure that a pickle holds: it may lack a required setting, as `measures.IPrec` does."""
    return Reader(text, compose).measure()


# Pickles and copies of a measure hold its text, which is its identity: functions are not pickled.
copyreg.pickle(Measure, lambda measure: (_restored, (str(measure),)))
