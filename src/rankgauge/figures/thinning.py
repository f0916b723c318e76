"""Which points are drawn where there are too many."""

MAX_POINTS = 25_000  # more than these a page cannot draw at once, nor an eye see


def thin_ranks(depth: int, lines: int) -> list[int]:
    """The ranks at which so many lines are drawn: all, or the first and then evenly spread ones."""
    room = max(60, MAX_POINTS // max(1, lines))
    if depth <= room:
        return [*range(1, depth + 1)]
    first = room // 3  # where curves bend
    spread = {first + round(step * (depth - first) / (room - first)) for step in range(room - first + 1)}
    return sorted({*range(1, first + 1), *spread})
