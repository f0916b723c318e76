"""Reproduce the experiment of a document on other collections: tables, figures, numbers and a page.

collections = {"Robust": Campaign("qrels.txt", "runs/*.gz").select(teams="teams.txt")}
reproduce("twist", collections, "twist/").document  writes a folder; this is its page
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.collections import errors_naming
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.extensions.pages.figures.drawing import require
from rankgauge.extensions.studies.papers.folder import Folder
from rankgauge.extensions.studies.papers.registry import (
    EXPERIMENTS,
    Experiment,
    Inputs,
    Part,
    require_own_files,
)
from rankgauge.model.output.documents import Document
from rankgauge.model.output.labels import Labels
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import Flag, Text, Whole

if TYPE_CHECKING:
    from rankgauge.model.output.labels import LabelsLike

__all__ = ["EXPERIMENTS", "Experiment", "Part", "Reproduction", "reproduce"]

SAMPLES, SEED = 1000, 1
# Called before each part with (the part, its number, of how many to make, seconds left or None).
Progress = Callable[[Part, int, int, "float | None"], None]


@dataclass(frozen=True)
class Reproduction:
    """A reproduced experiment: its page, in the folder as index.html and index.md."""

    document: Document
    folder: Path
    failed: Mapping[str, str]  # {part: why it could not be made}
    notes: Sequence[str] = ()  # on labels that name nothing


def reproduce(
    name: str,
    collections: Mapping[str, Campaign | Callable[[], Campaign]],
    folder: str | os.PathLike[str],
    *,
    parts: Iterable[str] = (),
    samples: Annotated[int, Whole(), "random samples of topics for tests and intervals"] = SAMPLES,
    seed: Annotated[int, Whole(0), "seed of everything random"] = SEED,
    baseline: Annotated[
        str | None,
        Text(),
        "the run that others are compared with, where the document has a baseline (alpha-ndcg)",
    ] = None,
    runs: Iterable[str] = (),
    labels: LabelsLike = None,
    again: Annotated[bool, Flag(), "redo finished parts too"] = False,
    inputs: Mapping[str, Any] | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> Reproduction:
    """Run the experiment of a document on collections, and write a folder of tables, figures and numbers.

    `collections` are campaigns by name, or functions that return one. `parts` are the tables and figures to
    make, by default all; `baseline` is the run to compare with, and `runs` those that are compared with it;
    `labels` are display names of runs and collections, a dict or a file. Parts that the folder has, made from
    the same files with the same settings, are not made `again`; `inputs` describes the files for that, and
    campaigns without a description are
    always studied again. A part that a collection does not allow, such as a correlation of one run, is left
    out with the reason.
    """
    experiment = EXPERIMENTS.find(name)
    chosen = experiment.chosen([parts] if isinstance(parts, str) else list(parts))
    experiment.require_collections(len(collections))
    compared = (runs,) if isinstance(runs, str) else tuple(runs)
    if (baseline is not None or compared) and not experiment.takes_baseline:
        raise OptionError(f"the experiment {experiment.name} has no baseline and chosen runs; leave them out")
    named = Labels.read(labels)
    titles = named.distinct("collections", collections)
    require_own_files(titles)
    sampling = {
        "samples": whole_number("samples", samples, least=10),
        "seed": whole_number("seed", seed, least=0),
    }
    chosen_names = {"baseline": baseline, "runs": list(compared), "labels": dict(named.by_name)}
    settings = {**sampling, **{key: value for key, value in chosen_names.items() if value}}
    for library in ("altair", "vl_convert"):
        require(library)  # fails before anything is computed
    target = Folder(Path(folder), experiment, settings, inputs or {}, command)
    resumable = inputs is not None or not collections
    records = {
        part.name: record
        for part in experiment.parts.values()
        if resumable and not (again and part in chosen) and (record := target.finished(part))
    }
    missing = [part for part in chosen if part.name not in records]
    campaigns: dict[str, Campaign] = {}
    notes: list[str] = []
    if missing:
        for title, source in zip(titles, collections.values(), strict=True):
            with errors_naming(title):  # a file that cannot be read ends it all
                campaigns[title] = source() if callable(source) else source
        runs = (run for campaign in campaigns.values() for run in campaign.runs)
        notes = named.unmatched([*collections, *runs])
        campaigns = {title: campaign.labelled(named) for title, campaign in campaigns.items()}
        target.prepare()
    failed: dict[str, str] = {}
    begin, done, work = time.monotonic(), 0.0, sum(part.cost for part in missing)
    for number, part in enumerate(missing, 1):
        start = time.monotonic()
        if progress:
            progress(part, number, len(missing), (start - begin) / done * (work - done) if done else None)
        base = baseline and named(baseline)
        try:
            contents = part.function(
                Inputs(campaigns, **sampling, baseline=base, runs=tuple(map(named, compared)))
            )
        except RankgaugeError as error:  # what one part refuses, another may take
            failed[part.name] = f"{part.title}: {error}"
        else:
            records[part.name] = target.write_part(part, contents, start)  # in the folder at once
        done += part.cost
    if not records:
        raise InputError(next(iter(failed.values())))
    ordered = [records[part] for part in experiment.parts if part in records]
    return Reproduction(target.write_page(ordered, list(failed.values())), Path(folder), failed, notes)
