"""The page of a report: the explorer's, with the answers to what a reader may ask."""

from __future__ import annotations

from typing import Any

from rankgauge.explorer import Session
from rankgauge.explorer.page import saved_page


def page(session: Session) -> str:
    """The HTML of the page, which loads nothing."""
    requests: list[tuple[str, dict[str, Any]]] = [("overview", {}), ("curves", {}), ("about", {})]
    return saved_page(session, requests)
