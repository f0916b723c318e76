"""One registry for measures, statistical tests, corrections, studies, figures and formats.

A registry lists the modules that define its entries; extensions add to them (`schema.extensions`). They are
imported when a name is not registered yet, or all entries are listed. Other packages add entries under an
entry point group of the registry's name, such as `rankgauge.measures`, which names an entry or a module that
registers some. One that cannot be loaded takes nothing else with it (`FAILURES`); one that fails is named
(`errors_of`).
"""

from __future__ import annotations

import functools
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Generic, TypeVar

from rankgauge.errors import ExtensionError, OptionError, RankgaugeError
from rankgauge.schema import extensions
from rankgauge.schema.lazy import dependencies
from rankgauge.schema.text import nearest, unknown_name

GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "ρ": "rho", "σ": "sigma", "τ": "tau", "♯": "#"}
# Greek letters of names such as α-nDCG, and what separates their parts
HYPHENS = "-\u2010\u2011\u2013"
_SEPARATORS = str.maketrans(dict.fromkeys(f"_ {HYPHENS}", ""))
_FOLDED = {**str.maketrans(GREEK), **_SEPARATORS}
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
# A sentence on each entry point that could not be loaded; the command line prints them.
FAILURES: list[str] = []


class Registry(Mapping[str, T]):
    """Entries of one kind by name, in the order of the modules that define them; other packages' come last.

    `noun` is what an entry is called in messages ("measure"), `spellings` the other names of an entry, and
    `listing` the command that lists all entries. `claims` are the names that no other entry may have, if not
    just its spellings; `titles` are found like spellings, but several entries may have the same.
    """

    def __init__(
        self,
        group: str,
        noun: str,
        modules: Sequence[str],
        *,
        error: type[RankgaugeError] = OptionError,
        spellings: Callable[[T], Iterable[str]] = lambda _: (),
        claims: Callable[[T], Iterable[str]] | None = None,
        titles: Callable[[T], Iterable[str]] = lambda _: (),
        listing: str = "",
    ) -> None:
        self.group, self.noun, self._listing = group, noun, listing
        self._error, self._spellings, self._claims = error, spellings, claims or spellings
        self._titles = titles
        self._modules = modules
        self._entries: dict[str, T] = {}
        self._origins: dict[str, tuple[str, str]] = {}  # {name: (module, qualified name of what defines it)}
        self._index: Index[T] | None = None
        self._failures: list[str] = []
        self._complete = self._extended = self._sorted = False

    def add(self, name: str, entry: T, origin: Any) -> None:
        """Register an entry; `origin` is the function or class that defines it.

        A name that another entry has is refused; the same function again, as in a notebook's cell, replaces
        the entry.
        """
        place = origin.__module__, origin.__qualname__
        if not is_own(origin):  # ours are imported one by one, and a test compares all of their names
            names = {name, *self._claims(entry)}
            for other, its in self._all().items():
                for taken in sorted(names & {other, *self._claims(its)}):
                    if other != name:
                        raise self._taken(taken, other)
        if self._origins.get(name, place) != place:
            raise self._taken(name, name)
        self._index = None
        self._sorted = False
        self._entries[name], self._origins[name] = entry, place

    def _taken(self, name: str, owner: str) -> RankgaugeError:
        return self._error(f"the name {name} belongs to the {self.noun} {owner}; choose another")

    def remove(self, name: str) -> None:
        """Forget an entry."""
        self._index = None
        del self._entries[name], self._origins[name]

    def find(self, name: str) -> T:
        """The entry of a name in any spelling; an error names the nearest."""
        entry = self.search(name)
        if entry is None:
            raise self.unknown(name)
        return entry

    def search(self, name: str) -> T | None:
        """The entry of a name in any spelling, or None."""
        match = self.match(name)
        return None if match is None else match[0]

    def match(self, name: str) -> tuple[T, str] | None:
        """(entry, the name of it that is meant) of a name in any spelling, or None."""
        entry = self.get_loaded(name)
        if entry is not None:
            return entry, name
        match = self._indexed().match(name)
        if match is None and not self._extended:  # ask other packages only for names that ours do not have
            self._all()
            match = self._indexed().match(name)
        return match

    def _indexed(self) -> Index[T]:
        entries = self.own()
        if self._index is None:
            self._index = Index(
                (entry, [name, *self._spellings(entry)], self._titles(entry))
                for name, entry in entries.items()
            )
        return self._index

    def get_loaded(self, name: str) -> T | None:
        """The entry of exactly this name, if it is registered already."""
        return self._entries.get(name)

    def loaded(self) -> Mapping[str, T]:
        """The entries that are registered now."""
        return dict(self._entries)

    def unknown(self, name: str, others: Iterable[str] = (), meant: str = "") -> RankgaugeError:
        """The error for a name that no entry has; `others` are further names that would be understood.

        `meant` is what is probably meant, if that is clear; otherwise the nearest name is.
        """
        words = [*others, *(word for entry in self.values() for word in self._spellings(entry)), *self]
        plain = _plain(name)
        known = [word for word in words if _is_slip(plain, _plain(word))]
        listing = f"`{self._listing}` lists them all" if self._listing else f"use one of {', '.join(self)}"
        failures = "".join(f"; {failure}" for failure in self._failures)  # one of them may have it
        near = f" (did you mean {meant}?)" if meant else nearest(name, known, _plain)
        return self._error(f"no {self.noun} named {name!r}{near}; {listing}{failures}")

    def own(self) -> Mapping[str, T]:
        """All entries, without importing what other packages offer through entry points."""
        if not self._complete:
            with dependencies():
                for module in (*self._modules, *extensions.modules_for(self.group)):
                    import_module(module)
            self._complete = True
        if not self._sorted:  # which module was imported first must not show
            self._sorted = True
            modules = (*self._modules, *extensions.modules_for(self.group))
            places = {module: place for place, module in enumerate(modules)}
            place = {name: _place(origin, places) for name, (origin, _) in self._origins.items()}
            self._entries = {name: self._entries[name] for name in sorted(place, key=place.__getitem__)}
        return self._entries

    def _all(self) -> Mapping[str, T]:
        self.own()
        if not self._extended:
            self._extended = True
            self._load_entry_points()
        return self.own()

    def _load_entry_points(self) -> None:
        from importlib.metadata import entry_points  # slow to import

        kinds = tuple({type(entry) for entry in self._entries.values()})
        # in the order of their names: of two that clash, it is always the same that is refused
        for entry_point in sorted(entry_points(group=self.group), key=lambda each: each.value):
            try:
                loaded = entry_point.load()
                registered = any(loaded is entry for entry in self._entries.values())  # by its own module
                if isinstance(loaded, kinds) and not registered:
                    name = getattr(loaded, "name", entry_point.name)
                    self.add(name, loaded, _Origin(entry_point.value))
            except (Exception, SystemExit) as error:
                failure = (
                    f"the {_plural(self.noun)} of {entry_point.value!r} cannot be loaded "
                    f"({_shown(error)}); repair or remove the package that provides them"
                )
                self._failures.append(failure)
                FAILURES.append(failure)

    def __getitem__(self, name: str) -> T:
        entry = self.get_loaded(name)
        return entry if entry is not None else self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


class Services(Mapping[str, str]):
    """{name: place} of what is imported when it is used: commands, engines, kinds of scores.

    `own` has those of the base package; extensions have theirs in their table, other packages in the entry
    point group `rankgauge.KIND`, which is read for names that nobody else has.
    """

    def __init__(self, kind: str, noun: str, own: Mapping[str, str]) -> None:
        self.kind, self.noun, self._own = kind, noun, own

    def load(self, name: str) -> Any:
        """The module or the function at the place of a service."""
        place = self[name]
        module, _, attribute = place.partition(":")
        with errors_of(self.noun, name, _Origin(place)), dependencies():
            loaded = import_module(module)
            return getattr(loaded, attribute) if attribute else loaded

    def __getitem__(self, name: str) -> str:
        found = (
            self._own.get(name) or extensions.service(self.kind, name, self.noun) or self._others.get(name)
        )
        if found is None:
            raise OptionError(unknown_name(self.noun, name, self))
        return found

    def check(self, name: str) -> str:
        """The name, if there is such a service."""
        self[name]
        return name

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in extensions.services(self.kind) or name in self._others

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from extensions.services(self.kind)
        yield from self._others

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @functools.cached_property
    def _others(self) -> Mapping[str, str]:
        """The services of other packages, without names that are taken."""
        if not _may_be_declared(f"rankgauge.{self.kind}"):
            return {}
        from importlib.metadata import entry_points  # slow to import

        found = sorted(entry_points(group=f"rankgauge.{self.kind}"), key=lambda each: each.value)
        taken = {*self._own, *extensions.services(self.kind)}
        return {each.name: each.value for each in reversed(found) if each.name not in taken}


def _may_be_declared(group: str) -> bool:
    """Whether a package may have entry points of a group, by a look at their files.

    It takes a fifth of the time of importing `importlib.metadata`, which then has to tell.
    """
    for folder in sys.path:
        try:
            for entry in os.listdir(folder or "."):  # noqa: PTH208 (importing pathlib takes too long)
                if entry.endswith(".egg"):
                    return True
                path = os.path.join(folder, entry, "entry_points.txt")  # noqa: PTH118
                if entry.endswith("-info") and os.path.isfile(path):  # noqa: PTH113
                    with open(path, "rb") as file:  # noqa: PTH123
                        if group.encode() in file.read():
                            return True
        except FileNotFoundError:
            continue
        except OSError:  # such as a zip file
            return True
    return False


class Index(Generic[T]):
    """Entries by all of their names, each in any spelling.

    Exact text wins, then the name of an entry over its other names, and those over titles. A text that is as
    near to two entries leads to neither.
    """

    def __init__(self, entries: Iterable[tuple[T, list[str], Iterable[str]]]) -> None:
        self._exact: dict[str, tuple[T, str]] = {}
        self._folded: tuple[dict[str, list[tuple[T, str]]], ...] = ({}, {}, {})
        for entry, (name, *others), titles in entries:
            for level, words in enumerate(([name], others, titles)):
                for word in words:
                    if level < 2:
                        self._exact.setdefault(word, (entry, word))
                    alike = self._folded[level].setdefault(fold(word), [])
                    if all(entry is not other for other, _ in alike):
                        alike.append((entry, word if level < 2 else name))

    def match(self, text: str) -> tuple[T, str] | None:
        """(entry, the one of its names that is meant)."""
        if text in self._exact:
            return self._exact[text]
        folded = fold(text)
        for level in self._folded:
            if folded in level:
                return level[folded][0] if len(level[folded]) == 1 else None
        return None


def _place(module: str, places: Mapping[str, int]) -> int:
    """The place of a module, or of its package, in the list of modules."""
    while module:
        if module in places:
            return places[module]
        module = module.rpartition(".")[0]
    return len(places)


class _Origin:
    """The origin of an entry that an entry point names directly."""

    def __init__(self, value: str) -> None:
        self.__module__, _, self.__qualname__ = value.partition(":")


def is_own(function: Any) -> bool:
    """Whether a function or class is defined by rankgauge."""
    return _module(function).startswith("rankgauge.")


def _module(function: Any) -> str:
    return str(getattr(function, "func", function).__module__)  # a `functools.partial` has none of its own


@contextmanager
def errors_of(noun: str, name: str, function: Any) -> Iterator[None]:
    """A context whose errors name an entry and the other package that defines it.

    Errors of files stay what they are, and so do all errors of our own entries.
    """
    try:
        yield
    except (RankgaugeError, OSError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if is_own(function):
            raise
        package = _module(function).partition(".")[0]
        raise ExtensionError(
            f"the {noun} {name} of the package {package} failed ({_shown(error)}); "
            "this is not an error of rankgauge: repair it, or report it to those who wrote it"
        ) from error


def guarded(noun: str, name: str, function: F) -> F:
    """The function of an entry, with `errors_of` for other packages."""
    if is_own(function):
        return function

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        with errors_of(noun, name, function):
            return function(*arguments, **options)

    return call  # type: ignore[return-value]


def _shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _plain(name: str) -> str:
    return name.casefold().translate(_SEPARATORS)


def _is_slip(word: str, known: str) -> bool:
    """Whether a word may be a slip of the pen, which hardly ever changes the first letter."""
    if word[:1] == known[:1]:
        return True

    shared = sum((Counter(word) & Counter(known)).values()) if len(word) <= len(known) + 1 else 0
    return len(word) + len(known) - 2 * shared <= 1


def fold(name: str) -> str:
    """Equal for names that differ in case, in - and _ and spaces, in Greek letters, or in -ise and -ize."""
    return name.casefold().translate(_FOLDED).replace("iz", "is")
