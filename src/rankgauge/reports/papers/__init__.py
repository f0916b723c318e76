"""Reproduce the experiment of a document on other collections: tables, figures, numbers and a page.

    collections = {"Robust": Campaign("qrels.txt", "runs/*.gz")}
    reproduce("twist", collections, "twist/").document  writes a folder; this is its page
    EXPERIMENTS                                        all experiments by name

`rankgauge reproduce` lists the experiments.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError, RankgaugeError
from rankgauge.reports.papers.registry import EXPERIMENTS, Experiment, Part

if TYPE_CHECKING:
    from rankgauge.model.output.documents import Document
    from rankgauge.reports.papers.folder import Folder
    from rankgauge.reports.papers.given import Given
    from rankgauge.reports.papers.page import Record
    from rankgauge.studies.campaign import Campaign

__all__ = ["EXPERIMENTS", "Experiment", "Part", "Reproduction", "reproduce"]

SAMPLES, SEED = 1000, 1
# Called before each part with (the part, its number, of how many to make, seconds left or None).
Progress = Callable[[Part, int, int, "float | None"], None]


@dataclass(frozen=True)
class Reproduction:
    """An experiment that was reproduced: its page, which is in the folder as index.html and index.md."""

    document: Document
    folder: Path
    failed: Mapping[str, str]  # {part: why it could not be made}


def reproduce(
    name: str,
    collections: Mapping[str, Campaign | Callable[[], Campaign]],
    folder: str | os.PathLike[str],
    *,
    parts: Iterable[str] = (),
    samples: int = SAMPLES,
    seed: int = SEED,
    again: bool = False,
    inputs: Mapping[str, Any] | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> Reproduction:
    """Run the experiment of a document on collections, and write a folder of tables, figures and numbers.

    `collections` are campaigns by name, or functions that return one. `parts` are the tables and figures to
    make, all by default. Parts that are in the folder already, made from the same files with the same
    settings, are not made `again`; `inputs` describes the files for that, and campaigns without a description
    are always studied again. A part that a collection does not allow, such as a correlation of one run, is
    left out with the reason.
    """
    from rankgauge.reports.papers.folder import Folder
    from rankgauge.reports.papers.given import Given
    from rankgauge.reports.papers.layout import require_own_files
    from rankgauge.reports.papers.making import Making
    from rankgauge.schema.checks import whole_number

    experiment = EXPERIMENTS.find(name)
    chosen = experiment.chosen([parts] if isinstance(parts, str) else list(parts))
    experiment.require_collections(len(collections))
    require_own_files(collections)
    settings = {
        "samples": whole_number("samples", samples, least=10),
        "seed": whole_number("seed", seed, least=0),
    }
    making = Making(experiment.name, settings, inputs or {}, command)
    target = Folder(Path(folder), making.stamp)
    resumable = inputs is not None or not collections
    records = {
        part.name: record
        for part in experiment.parts.values()
        if resumable and not (again and part in chosen) and (record := target.finished(part))
    }
    to_make = [part for part in chosen if part.name not in records]
    made, failed = _make(to_make, Given(collections, **settings), target, progress)
    records |= made
    if not records:
        raise InputError(next(iter(failed.values())))
    ordered = [records[part] for part in experiment.parts if part in records]
    return Reproduction(target.finish(experiment, making, ordered, failed), Path(folder), failed)


def _make(
    parts: Sequence[Part], given: Given, folder: Folder, progress: Progress | None
) -> tuple[dict[str, Record], dict[str, str]]:
    """({part: its contents}, {part: why it cannot be made}); what is done is in the folder at once."""
    from rankgauge.figures.drawing import require

    for library in ("altair", "vl_convert") if parts else ():
        require(library)  # fails before anything is computed
    if parts:
        given.read()  # a file that cannot be read ends it all, and so does a folder that cannot be made
        folder.prepare()
    made, failed = {}, {}
    begin, done, work = time.monotonic(), 0.0, sum(part.cost for part in parts)
    for number, part in enumerate(parts, 1):
        start = time.monotonic()
        if progress:
            progress(part, number, len(parts), (start - begin) / done * (work - done) if done else None)
        try:
            contents = part.function(given)
        except RankgaugeError as error:  # what one part refuses, another may take
            failed[part.name] = f"{part.title}: {error}"
        else:
            made[part.name] = folder.keep(part, contents, start)
        done += part.cost
    return made, failed
