"""Texts of documents with the words of the query marked: whole, or the part with most of these words.

A marked text is a list of parts, of which every second one is a word of the query.
"""

from __future__ import annotations

import re
from typing import Any

from rankgauge.explorer.session import Session
from rankgauge.explorer.views import Parameters

LONGEST = 20_000  # characters of a text
SNIPPET = 180  # characters of a snippet
SEARCHED = 1_500  # characters of a text that snippets are taken from
BEFORE = 40  # characters of a snippet before its first marked word
NEAR = 12  # marked words of a snippet that count

_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?<=\w{3})(?:s|es|ed|ing)$")
_COMMON = {  # words of English questions that say nothing about their subject
    *_WORD.findall(
        "a about an and are as at be by can did do does for from has have how i in is it its me my of"
    ),
    *_WORD.findall(
        "on or that the their there these this to was were what when where which who why will with you"
    ),
}

Pattern = re.Pattern[str]


def words_of(query: str) -> Pattern | None:
    """A pattern of the words of a query and their English endings; None if there are none to find."""
    words = {word.lower() for word in _WORD.findall(query)}  # as re.IGNORECASE does: ß is not ss
    stems = {_ENDING.sub("", word) for word in words - _COMMON or words}
    longest_first = "|".join(sorted(map(re.escape, stems), key=lambda stem: (-len(stem), stem)))
    return re.compile(rf"\b((?:{longest_first})(?:e?s?|ed|ing))\b", re.IGNORECASE) if stems else None


def marked(text: str, words: Pattern | None) -> list[str]:
    """The parts of a text, of which every second one is a word that the pattern found."""
    return [text] if words is None else words.split(text)


def snippet(text: str, words: Pattern | None) -> list[str]:
    """The part of a text with most different words of the query, marked; it begins with a word."""
    is_cut = len(text) > SEARCHED
    text = " ".join(text[:SEARCHED].split())
    found = [] if words is None else [(each.start(), each[0].casefold()) for each in words.finditer(text)]
    begin, most, all_words = 0, 0, len({word for _, word in found})
    for number, (first, _) in enumerate(found):
        end = max(0, first - BEFORE) + SNIPPET
        different = len({word for at, word in found[number : number + NEAR] if at < end})
        if different > most:
            begin, most = first, different
        if most == all_words:
            break
    begin = 0 if begin < SNIPPET // 2 else text.rfind(" ", 0, begin - BEFORE) + 1
    part = text[begin : begin + SNIPPET]
    if is_cut or begin + SNIPPET < len(text):
        part = f"{part[: part.rfind(' ')] if ' ' in part else part} …"
    return marked(f"… {part}" if begin else part, words)


def document(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The title and the text of a document, as far as there is one, marked; whether the text is cut."""
    name, topic = parameters.text("document"), parameters.text("topic", "")
    words = words_of(query_of(session, session.topic_called(topic))) if topic else None
    text = session.document_texts.get(name) if session.document_texts is not None else None
    return {
        "texts": session.document_texts is not None,
        "known": text is not None,
        "title": marked(text.title, words) if text else [],
        "body": marked(text.body[:LONGEST], words) if text else [],
        "cut": text is not None and len(text.body) > LONGEST,
    }


def query_of(session: Session, topic: str) -> str:
    """The query of a topic by its name in the files; empty if it is not known."""
    text = session.topic_texts.get(topic) if session.topic_texts is not None else None
    return (text.title or text.body) if text else ""
