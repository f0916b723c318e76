"""The text of a document."""

from __future__ import annotations

from typing import Any

from rankgauge.explorer.parameters import Parameters
from rankgauge.explorer.session import Session

LONGEST = 20_000  # characters of a text


def document(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The title and the text of a document, as far as there is one; whether the text is cut."""
    name = parameters.text("document")
    text = session.document_texts.get(name) if session.document_texts is not None else None
    return {
        "texts": session.document_texts is not None,
        "known": text is not None,
        "title": text.title if text else "",
        "body": text.body[:LONGEST] if text else "",
        "cut": text is not None and len(text.body) > LONGEST,
    }
