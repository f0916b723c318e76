"""Registries: what holds for each, and a way to change one in a test."""

from contextlib import contextmanager
from copy import copy

from rankgauge.schema.registry import FAILURES
from rankgauge.schema.text import repeated


@contextmanager
def restored(registry):
    """A context in which entry points are read anew; at its end the entries are what they were."""
    registry.own()
    before, reported = {name: copy(value) for name, value in vars(registry).items()}, [*FAILURES]
    registry._extended = False
    try:
        yield registry
    finally:
        vars(registry).update(before, _index=None)
        FAILURES[:] = reported


def claim_different_names(registry):
    """Assert that no two entries of ours have a name in common."""
    entries = registry.own().items()
    assert not repeated(claim for name, entry in entries for claim in {name, *registry._claims(entry)})
