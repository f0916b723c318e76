"""One registry for measures, statistical tests, corrections, studies, figures and formats.

A registry lists the modules that define its entries. They are imported when an entry is asked for that is
not there yet, or when all are; so a command pays only for what it uses. Installed packages add entries under
an entry point group of the registry's name, such as `rankgauge.measures`: the entry point names a module
that registers entries when imported, or an entry itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from rankgauge.errors import OptionError, RankgaugeError
from rankgauge.schema.text import nearest

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """Entries of one kind by name, in the order of the modules that define them; other packages' come last.

    `group` is the entry point group, `noun` what an entry is called in messages ("measure"), `modules` where
    entries are defined, `spellings` the other names of an entry, and `listing` the command that lists them.
    """

    def __init__(
        self,
        group: str,
        noun: str,
        modules: Sequence[str],
        *,
        error: type[RankgaugeError] = OptionError,
        spellings: Callable[[T], Iterable[str]] = lambda _: (),
        listing: str = "",
    ) -> None:
        self.group, self.noun, self._modules = group, noun, modules
        self._error, self._spellings, self._listing = error, spellings, listing
        self._entries: dict[str, T] = {}
        self._origins: dict[str, tuple[str, str]] = {}  # {name: (module, qualified name of what defines it)}
        self._complete = self._extended = False

    def add(self, name: str, entry: T, origin: Any) -> None:
        """Register an entry; `origin` is the function or class that defines it.

        A name that another entry has is refused. The same function again, as when a notebook's cell is run
        twice, replaces the entry.
        """
        place = origin.__module__, origin.__qualname__
        ours = place[0].startswith("rankgauge.")
        names = {name, *self._spellings(entry)}
        # Modules of this package are imported one by one: the second of two that clash finds the first.
        for other, known in self._entries.items() if ours else self.items():
            if (other, self._origins[other]) != (name, place) and (
                taken := names & {other, *self._spellings(known)}
            ):
                raise self._error(f"the name {min(taken)} belongs to the {self.noun} {other}; choose another")
        self._entries[name], self._origins[name] = entry, place

    def find(self, name: str) -> T:
        """The entry of this name, in any spelling; an unknown name is an error that names the nearest."""
        entry = self.get_loaded(name)
        if entry is not None:
            return entry
        for entries in (self.own, self._all):  # other packages are asked only if ours do not know the name
            entry = self._match(name, entries())
            if entry is not None:
                return entry
        raise self.unknown(name)

    def get_loaded(self, name: str) -> T | None:
        """The entry of exactly this name, if its module was imported before."""
        return self._entries.get(name)

    def unknown(self, name: str, others: Iterable[str] = ()) -> RankgaugeError:
        """The error for a name that no entry has; `others` are further names that would be understood."""
        known = [*others, *(word for entry in self.values() for word in self._spellings(entry)), *self]
        listing = f"`{self._listing}` lists them" if self._listing else f"use one of {', '.join(self)}"
        return self._error(f"no {self.noun} is called {name!r}{nearest(name, known)}; {listing}")

    def _match(self, name: str, entries: Mapping[str, T]) -> T | None:
        """The entry with this name or spelling; else the only one whose name differs in case or - and _."""
        if name in entries:
            return entries[name]
        folded: dict[str, list[T]] = {}
        for known, entry in entries.items():
            spellings = (known, *self._spellings(entry))
            if name in spellings:
                return entry
            for word in {_fold(spelling) for spelling in spellings}:
                folded.setdefault(word, []).append(entry)
        alike = folded.get(_fold(name), ())
        return alike[0] if len(alike) == 1 else None

    def own(self) -> Mapping[str, T]:
        """The entries that this package defines, without those of other packages."""
        if not self._complete:
            from importlib import import_module

            for module in self._modules:
                import_module(module)
            self._complete = True
        return self._entries

    def _all(self) -> dict[str, T]:
        """Ours and those of installed packages, in order."""
        self.own()
        if not self._extended:
            self._extended = True
            self._load_entry_points()
        place = {module: number for number, module in enumerate(self._modules)}
        return dict(
            sorted(self._entries.items(), key=lambda item: self._place(place, self._origins[item[0]][0]))
        )

    @staticmethod
    def _place(places: Mapping[str, int], module: str) -> int:
        while module:
            if module in places:
                return places[module]
            module = module.rpartition(".")[0]  # a family may be a package
        return len(places)

    def _load_entry_points(self) -> None:
        from importlib.metadata import entry_points

        for entry_point in entry_points(group=self.group):
            try:
                loaded = entry_point.load()
                if isinstance(loaded, type(next(iter(self._entries.values())))):
                    self.add(entry_point.name, loaded, _Origin(entry_point.value))
            except Exception as error:
                raise self._error(
                    f"the {self.noun}s of {entry_point.value!r} cannot be loaded "
                    f"({type(error).__name__}: {error}); repair or remove the package that provides them"
                ) from error

    def __getitem__(self, name: str) -> T:
        entry = self.get_loaded(name)
        return entry if entry is not None else self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


class _Origin:
    """Where an entry comes from that an entry point names directly."""

    def __init__(self, value: str) -> None:
        self.__module__, _, self.__qualname__ = value.partition(":")


def _fold(name: str) -> str:
    return name.casefold().replace("_", "-")
