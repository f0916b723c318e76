"""Registries that a test may change."""

from contextlib import contextmanager
from copy import copy

from rankgauge.schema.registry import FAILURES


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
