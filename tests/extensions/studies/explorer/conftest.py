"""The explorer of a small campaign, as for the views of the page itself."""

from extensions.pages.explorer.conftest import address, opened, served, session

__all__ = ["address", "opened", "served", "session"]
