"""The page on studies."""

from collections.abc import Iterator

from rankgauge.studies import STUDIES

from writers.markup import fenced, prose


def all_studies() -> Iterator[str]:
    """Every study with its options."""
    yield "# Studies\n"
    yield """Questions about measures, topics and judgments, answered with all runs of a campaign. On the
command line `rankgauge study NAME QRELS RUN...`; in Python `rankgauge.studies.NAME(Campaign(qrels, runs))`,
with the options as keywords; `rankgauge study NAME --help` lists them. Studies that need only scores also
take a file of scores, or `Scores`.
"""
    for study in STUDIES.values():
        yield f"## {study.name}\n"
        yield f"**{study.title}**\n"
        yield prose(study.help.split("\n\n")[0])
        yield f"Source: {study.cite}\n"
        yield fenced(f"rankgauge study {study.name} {study.example}")
