"""Collapse of a run of passages to a run of documents.

A document has the best score and rank of its passages, those of the first in the input, or the sum of their
scores. Passages without a document stay, and are counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.problems import quote
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import delimited_rows
from rankgauge.model.run import Run
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import choice, setting
from rankgauge.schema.pattern_matching import full_matches

KEEP = ("best", "first", "sum")  # the score of a document among those of its passages

Document = Callable[[str], str | None]  # of a passage; None if it has none


class Collapse(Frozen, eq=False):
    """The document of a passage, and the score of a document."""

    text: str  # such as prefix:#, for a provenance
    document: Document
    keep: str = KEEP[0]

    @classmethod
    def of(cls, value: Any) -> Collapse:
        """The collapse of a text such as prefix:# or sum,table:FILE, of a dict, or of a function.

        A dict or a function from passages to documents can be the second of a pair, ("sum", {...}).
        """
        keep, how = KEEP[0], value
        if isinstance(value, tuple) and len(value) == 2:
            keep, how = value
        kind, argument = type(how).__name__, ""
        if isinstance(how, str):
            head, _, argument = how.partition(":")
            kept, comma, kind = head.rpartition(",")
            keep = kept if comma else keep
            if kind not in _HOW or not argument or (comma and how is not value):
                raise _unknown(value)
            document = _HOW[kind](argument)
        elif isinstance(how, Mapping):
            document = {str(passage): str(each) for passage, each in how.items()}.get
        elif callable(how):
            document = how
        else:
            raise _unknown(value)
        choice("the score of a document in collapse", keep, KEEP)
        named = f"{kind}:{argument}" if argument else kind
        return cls(named if keep == KEEP[0] else f"{keep},{named}", document, keep)

    def documents(self, run: Run) -> Run:
        """The run with documents in place of their passages."""
        number, distinct = run.docs.encode()
        passages = distinct.texts()
        if isinstance(self.document, _Group):
            found = full_matches(self.document.pattern, passages, 1)
        else:
            found = [self.document(passage) for passage in passages]
        for passage, document in zip(passages, found, strict=True):
            if document == "" or not isinstance(document, str | None):
                raise InputError(
                    f"{setting('collapse', self.text)} makes {document!r} of passage {quote(passage)}; a "
                    "document is a text that is not empty"
                )
        unmapped = np.array([document is None for document in found])
        names = (name if name is not None else own for name, own in zip(found, passages, strict=True))
        docs = Ids.of(names).take(number)
        pairs = core.duplicates(run.topic, docs.data, docs.offsets)
        others, first = (np.frombuffer(each, dtype=np.int64) for each in pairs)
        scores, ranks = run.scores.copy(), None if run.ranks is None else run.ranks.copy()
        if self.keep == "best":
            np.maximum.at(scores, first, run.scores[others])
            if ranks is not None and run.ranks is not None:
                np.minimum.at(ranks, first, run.ranks[others])
        elif self.keep == "sum":
            # From the lowest score on, so that the order of lines is invisible in the last digit.
            owner = np.arange(len(run))
            owner[others] = first
            rows = np.argsort(run.scores)
            scores, ranks = np.bincount(owner[rows], run.scores[rows], len(run)), None
            if np.isnan(scores).any():
                document = quote(docs[int(np.isnan(scores).argmax())])
                raise InputError(
                    f"the scores of document {document} are infinite with both signs and have no sum; "
                    f"use {setting('collapse', self.text.removeprefix('sum,'))}"
                )
        kept = np.ones(len(run), dtype=np.bool_)
        kept[others] = False
        rows = np.flatnonzero(kept)
        return replace(
            run,
            topic=run.topic[rows],
            docs=docs.take(rows),
            scores=scores[rows],
            ranks=None if ranks is None else ranks[rows],
            shape=None,
            unmapped=int(unmapped[number].sum()),
        )


def _unknown(value: Any) -> OptionError:
    return OptionError(
        "collapse must be prefix:SEPARATOR, regex:PATTERN or table:FILE, such as prefix:#, or one of these "
        f"with another score than the best, such as first,prefix:# or sum,prefix:#; not {value!r}"
    )


def _prefix(separator: str) -> Document:
    def document(passage: str) -> str | None:
        before, found, _ = passage.rpartition(separator)
        return before if found else None

    return document


def _group(pattern: str) -> Document:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise OptionError(
            f"collapse has a regular expression that cannot be read, {pattern!r}: {error}"
        ) from None
    if not compiled.groups:
        raise OptionError(
            f"the regular expression of collapse needs a group around the document, such as (.+)_p[0-9]+, "
            f"not {pattern!r}"
        )

    return _Group(pattern)


class _Group(Frozen):
    """The document of a passage by the first group of a regular expression."""

    pattern: str

    def __call__(self, passage: str) -> str | None:
        return full_matches(self.pattern, [passage], 1)[0]


def _table(path: str | os.PathLike[str]) -> Document:
    source, documents = Source(path), dict[str, str]()
    for line, cells in delimited_rows(source):
        names = [cell.strip() for cell in cells] if len(cells) > 1 else cells[0].split()
        if len(names) < 2 or not all(names[:2]):
            message = f"expected a passage and its document, found {quote(', '.join(cells))}"
            raise InputError(message, path=source.path, line=line)
        passage, document = names[:2]
        if documents.setdefault(passage, document) != document:
            known = f"{quote(documents[passage])} and {quote(document)}"
            message = f"passage {quote(passage)} is of two documents, {known}; remove one line"
            raise InputError(message, path=source.path, line=line)
    return documents.get


_HOW: dict[str, Callable[[str], Document]] = {"prefix": _prefix, "regex": _group, "table": _table}
