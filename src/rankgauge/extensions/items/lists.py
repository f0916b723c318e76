"""Lists of recommended items, and what is known of the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids, to_bytes
from rankgauge.errors import InputError, MeasureError
from rankgauge.formats.columns import guess, joined_ids
from rankgauge.formats.problems import quote
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.model.qrels import Qrels
from rankgauge.model.score_tables import TableColumns, cell_text, is_absent
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import setting
from rankgauge.schema.text import unknown_name

IDS = ("item", "movie_id", "movieid", "product_id", "id")  # columns with ids, beside those of documents
SEVERAL = "|"  # between the values of an item, as in MovieLens
KNOWLEDGE = {
    "items": "a table of items",
    "interactions": "earlier interactions of users with items",
    "qrels": "judgments, the items that users turned out to want",
}


class Items:
    """All items: those of a catalogue, and those that anybody interacted with, wants, or was recommended."""

    def __init__(
        self, items: Any, interactions: Qrels | None, judged: Qrels | None, docs: Sequence[Ids]
    ) -> None:
        table = None if items is None else _table(items)
        listed = Ids.of(map(to_bytes, _ids(table) if table else []))
        if table and not len(listed):
            raise table.error("the table of items has no rows; list all items that may be recommended")
        sources = [listed, *(each.docs for each in (interactions, judged) if each is not None), *docs]
        codes, self.ids = joined_ids(sources).encode()
        parts = np.split(codes, np.cumsum([len(each) for each in sources])[:-1])
        first = int(np.bincount(parts[0], minlength=1).argmax()) if len(listed) else 0
        if len(np.unique(parts[0])) < len(listed):
            raise InputError(
                f"item {quote(self.ids[first])} is in the table of items twice; remove one row",
                path=table.path if table else None,
            )
        self.catalogue = len(listed)  # the first items are those of the catalogue, in its order
        self.known = {
            name: given is not None
            for name, given in zip(KNOWLEDGE, (items, interactions, judged), strict=True)
        }
        self._table, self._interactions, self._judged = table, interactions, judged
        self._of_interactions, self._of_judged = (
            parts[1 + (interactions is not None) * place] if given is not None else parts[0][:0]
            for place, given in enumerate((interactions, judged))
        )
        self.of_runs = parts[len(parts) - len(docs) :]

    def __len__(self) -> int:
        return len(self.ids)

    def check_catalogue(self, run: str, items: Ints) -> None:
        """Raise an error if a run has items that are not in the catalogue."""
        if self.catalogue and len(items) and items.max() >= self.catalogue:
            unknown = self.ids[int(items.max())]
            raise InputError(
                f"run {run!r} recommends {quote(unknown)}, which is not in the table of items; add it"
            )

    @cached_property
    def interactions(self) -> Ints:
        """(items,) how many users interacted with each; a user counts once."""
        assert self._interactions is not None
        return np.bincount(self._of_interactions[self._interactions.grades > 0], minlength=len(self))

    @cached_property
    def users(self) -> int:
        """The number of users with interactions."""
        assert self._interactions is not None
        return len(np.unique(self._interactions.topic[self._interactions.grades > 0]))

    def wanted(self, topics: Ids) -> tuple[Ints, Ints]:
        """(number of the topic, item) of all items that these topics want."""
        if self._judged is None:
            return self._of_judged, self._of_judged
        code, _ = joined_ids([topics, self._judged.topics]).encode()
        topic = code[len(topics) :][self._judged.topic]
        rows = np.flatnonzero((self._judged.grades > 0) & (topic < len(topics)))
        return topic[rows], self._of_judged[rows]

    def memberships(self, column: str) -> tuple[tuple[str, ...], Bools]:
        """(the values of a column, (items, values) which an item has)."""
        if column not in self._memberships:
            self._memberships[column] = self._read_memberships(column)
        return self._memberships[column]

    @cached_property
    def _memberships(self) -> dict[str, tuple[tuple[str, ...], Bools]]:
        return {}

    def _read_memberships(self, column: str) -> tuple[tuple[str, ...], Bools]:
        table = self._table
        if table is None:
            raise MeasureError(
                f"by={column} needs {KNOWLEDGE['items']} with a column {column}; pass {setting('items')}"
            )
        if column not in table.columns:
            raise table.error(unknown_name("column", column, table.columns))
        texts = ["" if is_absent(cell) else cell_text(cell) for cell in table.columns[column]]
        of_items = [[each.strip() for each in text.split(SEVERAL) if each.strip()] for text in texts]
        values = tuple(sorted({value for of_item in of_items for value in of_item}))
        if not values:
            raise table.error(f"column {quote(column)} has no values")
        place = {value: number for number, value in enumerate(values)}
        found = np.zeros((len(self), len(values)), dtype=np.bool_)
        for row, of_item in enumerate(of_items):
            found[row, [place[value] for value in of_item]] = True
        return values, found


def _table(items: Any) -> TableColumns:
    if isinstance(items, Mapping) and all(isinstance(each, Mapping) for each in items.values()):
        names = dict.fromkeys(name for row in items.values() for name in row)
        items = {"item": [*items]} | {name: [row.get(name) for row in items.values()] for name in names}
    elif isinstance(items, (list, tuple, set, frozenset)) and all(isinstance(i, (str, int)) for i in items):
        items = {"item": sorted(items, key=str) if isinstance(items, (set, frozenset)) else [*items]}
    return TableColumns.of(items)


def _ids(table: TableColumns) -> list[str]:
    column = _id_column(table)
    for row, cell in enumerate(table.columns[column]):
        if is_absent(cell) or cell == "":
            raise table.error(f"row {row + 1} of the table of items has no id in column {quote(column)}", row)
    return table.texts(column)


def _id_column(table: TableColumns) -> str:
    found = guess([*table.columns], "doc") or next((n for n in table.columns if n.casefold() in IDS), None)
    if found is None:
        names = ", ".join(map(quote, [*table.columns][:8]))
        raise table.error(f"no column has the ids of items; call one item_id (there are {names})")
    return found


class Lists(Frozen, eq=False):
    """The lists of all topics by one run, as rows sorted by list and rank; a topic may have several lists."""

    items: Items
    topic: Ints  # (lists,)
    of: Ints  # (rows,) number of the list
    rank: Ints  # (rows,)
    item: Ints  # (rows,) number in `items`
    wanted: Bools  # (rows,) whether it is judged relevant
    relevant: Ints  # (topics,) the number of items that are
    wanted_pairs: tuple[Ints, Ints]  # (topic, item) of all that are judged relevant
    targets: Floats | None = None  # (topics, groups)
    depth: int | None = None

    def cut(self, depth: int | None) -> Lists:
        """The first items of each list."""
        if depth is None:
            return self
        rows = np.flatnonzero(self.rank <= depth)
        kept = {name: getattr(self, name)[rows] for name in ("of", "rank", "item", "wanted")}
        return self._replace(**kept, depth=depth)

    def sum(self, of_rows: Any) -> Floats:
        """(lists,) the sum over each; NaN for those without items."""
        lengths = np.bincount(self.of, minlength=len(self.topic))
        total = np.bincount(self.of, of_rows, len(self.topic))
        found: Floats = np.where(lengths > 0, total, np.nan)
        return found

    def mean(self, of_rows: Any) -> Floats:
        """(lists,) the mean over each; NaN for those without items."""
        lengths = np.bincount(self.of, minlength=len(self.topic))
        found: Floats = self.sum(of_rows) / np.maximum(1, lengths)
        return found
