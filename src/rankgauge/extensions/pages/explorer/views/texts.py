"""Texts of documents with the words of the query marked: whole, or the part with most of these words.

A marked text is a list of parts, of which every second one is a word of the query.
"""

from __future__ import annotations

import re
from typing import Any

from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters

LONGEST = 20_000  # characters of a text
SNIPPET = 180  # characters of a snippet
SEARCHED = 1_500  # characters of a text that snippets are taken from
BEFORE = 40  # characters of a snippet before its first marked word
NEAR = 12  # marked words of a snippet that count

_WORD = re.compile(r"\w+")
# Characters of Chinese and Japanese, which are written without spaces.
_CJK = r"\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_WORDS = re.compile(f"[{_CJK}]+")
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")  # of pairs, mostly endings and particles
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
    """A pattern of the words of a query and their English endings; None if there are none to find.

    Of Chinese and Japanese, it finds stretches in which every two characters follow each other in the query.
    """
    words = {
        word.lower() for word in _WORD.findall(_CJK_WORDS.sub(" ", query))
    }  # as re.IGNORECASE does: ß is not ss
    stems = {_ENDING.sub("", word) for word in words - _COMMON or words}
    longest_first = "|".join(sorted(map(re.escape, stems), key=lambda stem: (-len(stem), stem)))
    pairs = {run[at : at + 2] for run in _CJK_WORDS.findall(query) for at in range(max(1, len(run) - 1))}
    pairs = {pair for pair in pairs if not _HIRAGANA.fullmatch(pair)} or pairs
    starts = "|".join(f"{pair[0]}(?={pair[1]})" for pair in sorted(pairs) if len(pair) == 2)
    parts = [rf"(?<![^\W{_CJK}])(?:{longest_first})(?:e?s?|ed|ing)(?![^\W{_CJK}])"] if stems else []
    parts += [f"(?:{starts})+."] if starts else []
    parts += sorted(pair for pair in pairs if len(pair) == 1)
    return re.compile(f"({'|'.join(parts)})", re.IGNORECASE) if parts else None


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
    half = SNIPPET // 2  # at most this far from a word to a space: some texts have none
    begin = 0 if begin < half else max(text.rfind(" ", 0, begin - BEFORE) + 1, begin - half)
    part = text[begin : begin + SNIPPET]
    if is_cut or begin + SNIPPET < len(text):
        space = part.rfind(" ", half)
        part = f"{part if space < 0 else part[:space]} …"
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
