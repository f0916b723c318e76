"""Measures as they are sent to workers: with those that a notebook or script defines."""

from __future__ import annotations

from typing import Any

from rankgauge.measures import MEASURES, Measure, parse
from rankgauge.measures.spec import Spec


class SentMeasures(tuple[Measure, ...]):
    """Measures that are pickled by their text, as always, and with definitions that workers cannot import."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """How they are pickled: Spark's pickles hold functions of a notebook or script as a whole."""
        return _received, (_definitions(self), tuple(map(str, self)))


def _definitions(measures: tuple[Measure, ...]) -> tuple[Spec, ...]:
    found = {}
    for measure in measures:
        part: Any = measure
        while part is not None:
            if part.spec.function.__module__ == "__main__":
                found[part.spec.name] = part.spec
            part = part.inner
    return tuple(found.values())


def _received(definitions: tuple[Spec, ...], texts: tuple[str, ...]) -> SentMeasures:
    """The measures, on a worker; definitions of an earlier job are replaced."""
    for spec in definitions:
        earlier = MEASURES.get_loaded(spec.name)
        if earlier is not None and earlier.function.__module__ == "__main__":
            MEASURES.remove(spec.name)  # of another notebook, perhaps, whose function has another name
        MEASURES.add(spec.name, spec, spec.function)
    return SentMeasures(map(parse, texts))
