"""Names to show: unique and printable, whatever is in the files."""

from __future__ import annotations

from collections.abc import Iterable

from rankgauge.figures.labels import legible, unique_labels
from rankgauge.model.output.labels import Labels


def names_to_show(names: Iterable[str], labels: Labels, taken: Iterable[str] = ()) -> dict[str, str]:
    """{name in the files: name to show}: its label, no two alike, and none of those `taken`."""
    return unique_labels(names, taken, lambda name: legible(labels(name)))
