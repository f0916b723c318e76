"""Questions that need several documents at once: how often, and where, the last of them is found."""
