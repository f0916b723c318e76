"""The page on fusion methods and normalisations."""

from collections.abc import Iterator

from rankgauge.extensions.tools.fusion_methods import FUSION_METHODS, NORMALISATIONS
from writers.markup import code, table


def fusion() -> Iterator[str]:
    """Every method and every normalisation."""
    yield "# Fusion methods and normalisations\n"
    yield """Values of `rankgauge fuse --method` and `--normalise`, and of `rankgauge.fuse`.
[Combine runs](../how-to/combine-runs.md) says when to use which.
"""
    yield "## Methods\n"
    rows = (
        (
            code(name),
            each.title,
            each.help.replace("\n", " "),
            "ranks" if each.ranks else "scores",
            ", ".join(map(code, each.parameters)),
            each.cite,
        )
        for name, each in FUSION_METHODS.items()
    )
    yield table(("name", "method", "score of a document", "uses", "parameters", "source"), rows)
    yield "## Normalisations\n"
    yield "For methods that use scores. Scores are normalised by run and topic.\n"
    rows = ((code(name), each.title, each.help.replace("\n", " ")) for name, each in NORMALISATIONS.items())
    yield table(("name", "effect", "definition"), rows)
