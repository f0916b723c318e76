"""The explorer: one page to look at judgments and runs, served live or saved as a file.

A *view* is what the page shows at an address. Its numbers come from a function of `views/`, its picture from
a module of `assets/` of the same name. The page does not know whether a server (`server.py`) or a saved page
(`page.py`) answers.
"""

from __future__ import annotations

from rankgauge.extensions.pages.explorer.exploration import Exploration, explore
from rankgauge.extensions.pages.explorer.session import Session

__all__ = ["Exploration", "Session", "explore"]
