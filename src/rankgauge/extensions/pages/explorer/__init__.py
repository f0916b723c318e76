"""The explorer: one page to look at judgments and runs, served live or saved as a file.

A *view* is what the page shows at an address: the leaderboard, topics, a ranking. Its numbers come from a
function of `views/`, its picture from a module of `assets/` of the same name. The page asks for an answer and
does not know whether a server computes it (`server.py`) or a saved page holds it (`page.py`).
"""

from __future__ import annotations

from rankgauge.extensions.pages.explorer.exploration import Exploration, explore
from rankgauge.extensions.pages.explorer.session import Session

__all__ = ["Exploration", "Session", "explore"]
