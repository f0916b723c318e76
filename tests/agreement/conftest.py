"""The count of all values that were compared, shown at the end of a session."""

import pytest

COMPARED = "values compared"


@pytest.fixture
def agree(record_property):
    """A function that compares (what, found, printed) triples; it fails on any difference, or on too few.

    Values are printed with so many digits behind the point, counts without one.
    """

    def agree(triples, digits, at_least):
        triples = list(triples)
        differing = [t for t in triples if f"{t[1]:.{digits if '.' in t[2] else 0}f}" != t[2]]
        record_property(COMPARED, len(triples))
        assert not differing, f"{len(differing)} of {len(triples)} differ: {differing[:10]}"
        assert len(triples) >= at_least

    return agree


def pytest_terminal_summary(terminalreporter):
    reports = [r for key in ("passed", "failed") for r in terminalreporter.stats.get(key, [])]
    counts = [n for r in reports for name, n in r.user_properties if name == COMPARED]
    if counts:
        differ = sum(r.failed for r in reports if any(name == COMPARED for name, _ in r.user_properties))
        said = f"{differ} of {len(counts)} comparisons differ" if differ else "none differs"
        terminalreporter.write_line(f"agreement with other tools: {sum(counts):,} values compared, {said}")
