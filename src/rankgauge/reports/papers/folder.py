"""The folder of a reproduced experiment: its files, and which parts of it are done.

    tables/NAME.tex, .csv      every table, for print and for programs
    figures/NAME.pdf, .svg     every figure, and NAME.json with its data
    numbers/PART.json          all numbers of a part, with the settings they were computed by
    index.html, index.md       everything on one page
    made-with.json             commands, settings, seeds, versions, and the files that were read

The numbers of a part are written last. So if they are there, and were computed with the same settings from
the same files, the part is done: an interrupted experiment goes on where it stopped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats.target import writing
from rankgauge.model.output.documents import Document, document_lines
from rankgauge.model.output.tables import Table, render
from rankgauge.reports.papers.contents import Contents
from rankgauge.reports.papers.making import Making
from rankgauge.reports.papers.page import Record, document
from rankgauge.reports.papers.registry import Experiment, Part
from rankgauge.schema.json_text import json_value, to_json

DIRECTORIES = ("tables", "figures", "numbers")
PLACES = (*DIRECTORIES, "index.html", "index.md", "made-with.json")  # what a folder has, and is replaced
TABLE_FORMS = {"latex": ".tex", "csv": ".csv"}
FIGURE_FORMS = (".pdf", ".svg", ".json")


class Folder:
    """A folder that an experiment is written to; `stamp` identifies its settings and files."""

    def __init__(self, path: Path, stamp: str) -> None:
        self.path, self.stamp = path, stamp

    def prepare(self) -> None:
        """Make the folder, which is not there before something is to be written."""
        for name in DIRECTORIES:
            try:
                (self.path / name).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"the folder cannot be made: {error.strerror}", path=str(self.path / name)
                ) from None

    def finished(self, part: Part) -> Record | None:
        """The contents of a part that was made before, in the same way; None if it has to be made."""
        try:
            record = json.loads((self.path / "numbers" / f"{part.name}.json").read_text(encoding="utf-8"))
            files = [self.path / file for file in _files(record)]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # absent, cut or changed
            return None
        done = record.get("stamp") == self.stamp and all(file.is_file() for file in files)
        return record if done else None

    def keep(self, part: Part, contents: Contents, start: float) -> Record:
        """Write the files of a part, its numbers last; `start` is when its making began."""
        tables = {name: self._table(name, table, contents) for name, table in contents.tables.items()}
        figures = {}
        for name, figure in contents.figures.items():
            files = [f"figures/{name}{form}" for form in FIGURE_FORMS]
            for file in files:
                figure.save(self.path / file)
            figures[name] = {"title": figure.title, "caption": figure.caption, "files": files}
        record = {
            "part": part.name,
            "title": part.title,
            "stamp": self.stamp,
            "seconds": round(time.monotonic() - start, 1),
            "sentences": list(contents.sentences),
            "commands": list(contents.commands),
            "places": contents.places,
            "claims": [
                {"claim": claim.text, "outcomes": {name: o._asdict() for name, o in claim.outcomes.items()}}
                for claim in contents.claims
            ],
            "tables": tables,
            "figures": figures,
            "reported": [_cells(table) | {"caption": text} for text, table in contents.reported.items()],
        }
        self.write(f"numbers/{part.name}.json", to_json(record, indent=1, infinity="text"))
        return record

    def _table(self, name: str, table: Table, contents: Contents) -> dict[str, Any]:
        caption = contents.captions.get(name, "")
        table = table._replace(rows=list(table.rows), caption=caption, label=f"tab:{name}")
        files = [f"tables/{name}{extension}" for extension in TABLE_FORMS.values()]
        for form, file in zip(TABLE_FORMS, files, strict=True):
            self.write(file, render(table, form, contents.places))
        return _cells(table) | {"caption": caption, "files": files}

    def finish(
        self, experiment: Experiment, making: Making, records: Sequence[Record], failed: Mapping[str, str]
    ) -> Document:
        """Write the page of all parts that are there, and how they were made; returns the page."""
        result = document(experiment, records, making.sentences, list(failed.values()))
        for form, file in (("html", "index.html"), ("markdown", "index.md")):
            self.write(file, "".join(f"{line}\n" for line in document_lines(result, form)))
        self.write("made-with.json", to_json(making.as_dict(records), indent=1))
        return result

    def write(self, name: str, text: str) -> None:
        """Write a file of the folder; it appears when it is complete."""
        with writing(self.path / name) as stream:
            stream.write(text.encode("utf-8", "surrogateescape"))


def _files(record: Record) -> list[str]:
    entries = [*record["tables"].values(), *record["figures"].values()]
    return [file for entry in entries for file in entry["files"]]


def _cells(table: Table) -> dict[str, Any]:
    return {
        "headers": list(table.headers),
        "rows": [json_value(row, infinity="text") for row in table.rows],
        "best": sorted(table.best),
    }
