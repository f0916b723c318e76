"""One study on several collections, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.registry import STUDIES
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.model.output.tables import Cell, Table

COLLECTION = "collection"  # the first column of every table


@dataclass(frozen=True, repr=False, eq=False)
class CollectionFindings(Findings):
    """The findings of one study on several collections: tables with a first column `collection`.

    `collections` has the findings on each. Settings that differ between collections are dicts by collection.
    """

    collections: Mapping[str, Findings] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """{"study", "title", "collections": {name: its findings}}, ready for JSON."""
        by_name = {name: findings.as_dict() for name, findings in self.collections.items()}
        return {"study": self.study, "title": self.title, "collections": by_name}


def across(
    collections: Mapping[str, Any], study: str | Callable[..., Findings], **options: Any
) -> CollectionFindings:
    """The findings of a study on several collections, {name: campaign, scores or a file of scores}.

    The study is a name or a function of `rankgauge.studies`; its options are the same for all collections.

    >>> runs = {"a": {"q": {"d": 1}}, "b": {"q": {"x": 1}}, "c": {"q": {"x": 2, "d": 1}}}
    >>> from rankgauge.studies import Campaign
    >>> one, other = Campaign({"q": {"d": 1}}, runs), Campaign({"q": {"x": 1}}, runs)
    >>> found = across({"one": one, "other": other}, "correlation", measures="AP RR", samples=0)
    >>> [row[:4] for row in found.table("tau_b").rows]
    [('one', 'AP', 1.0, 1.0), ('one', 'RR', 1.0, 1.0), ('other', 'AP', 1.0, 1.0), ('other', 'RR', 1.0, 1.0)]
    """
    if not isinstance(collections, Mapping):
        raise InputError(f"collections are a dict {{name: campaign}}, not {type(collections).__name__}")
    call = STUDIES.find(study).call if isinstance(study, str) else study
    sources = {str(name): source for name, source in collections.items()}
    return side_by_side(sources, lambda campaign: call(campaign, **options))


def side_by_side(collections: Mapping[str, Any], study: Callable[[Any], Findings]) -> CollectionFindings:
    """The findings of a study, a function of a collection, one below the other."""
    by_name: dict[str, Findings] = {}
    for name, collection in collections.items():
        with errors_naming(name):
            by_name[name] = study(collection)
    if not by_name:
        raise InputError("there is no collection; pass at least one, {name: campaign}")
    every = list(by_name.values())
    names = dict.fromkeys(table for findings in every for table in findings.tables)
    return CollectionFindings(
        sentences=[f"{name}: {sentence}" for name, each in by_name.items() for sentence in each.sentences],
        tables={
            table: stacked({n: each.tables[table] for n, each in by_name.items() if table in each.tables})
            for table in names
        },
        captions=dict(_captions(names, by_name)),
        data=[*dict.fromkeys(table for findings in every for table in findings.data)],
        study=every[0].study,
        title=every[0].title,
        settings=_settings(by_name),
        collections=by_name,
    )


@contextmanager
def errors_naming(collection: str) -> Iterator[None]:
    """Have errors of this package begin with the collection they are about."""
    try:
        yield
    except RankgaugeError as error:
        error.args = (f"collection {collection}: {error}",)
        raise


def stacked(parts: Mapping[str, Table]) -> Table:
    """One table of the tables of collections; columns that a collection lacks are empty there."""
    headers = [*dict.fromkeys(header for part in parts.values() for header in part.headers)]
    rows: list[tuple[Cell, ...]] = []
    best = set()
    for name, part in parts.items():
        best |= {(len(rows) + row, 1 + headers.index(part.headers[column])) for row, column in part.best}
        for row in part.rows:
            cells = dict(zip(part.headers, row, strict=True))
            rows.append((name, *(cells.get(header) for header in headers)))
    return Table((COLLECTION, *headers), rows, best)


def _captions(tables: Mapping[str, Any], by_name: Mapping[str, Findings]) -> Iterator[tuple[str, str]]:
    """(table, its caption), or the captions of all collections where they differ."""
    for table in tables:
        captions = {
            name: findings.captions[table] for name, findings in by_name.items() if table in findings.captions
        }
        if len({*captions.values()}) > 1:
            yield table, " ".join(f"{name}: {caption}" for name, caption in captions.items())
        elif captions:
            yield table, next(iter(captions.values()))


def _settings(by_name: Mapping[str, Findings]) -> dict[str, Any]:
    """{setting: value}, or {setting: {collection: value}} where values differ."""
    settings: dict[str, Any] = {"collections": [*by_name]}
    for setting in dict.fromkeys(key for findings in by_name.values() for key in findings.settings):
        values = {name: findings.settings.get(setting) for name, findings in by_name.items()}
        first = next(iter(values.values()))
        settings[setting] = first if all(value == first for value in values.values()) else values
    return settings
