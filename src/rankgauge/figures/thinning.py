"""Which points to draw if there are too many."""

MAX_POINTS = 25_000  # more are slow to draw in a browser, and cannot be seen


def thin_ranks(depth: int, lines: int) -> list[int]:
    """The ranks at which to draw this number of lines: all, or the first ones and then evenly spaced ones."""
    room = max(60, MAX_POINTS // max(1, lines))
    if depth <= room:
        return [*range(1, depth + 1)]
    first = room // 3  # where curves bend
    spaced = {first + round(step * (depth - first) / (room - first)) for step in range(room - first + 1)}
    return sorted({*range(1, first + 1), *spaced})
