"""Results that are kept, because they will be asked for again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """The results that were used last, at most so many, or of so much `size` in all; several threads may ask.

    The last one is kept whatever its size.

    Two threads that ask for the same result at once may both compute it: nobody waits for another.
    """

    def __init__(self, most: int, size: Callable[[Value], int] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._values: dict[Key, Value] = {}
        self._lock = threading.Lock()

    def find(self, key: Key) -> Value | None:
        """The result of a key, if it is kept."""
        with self._lock:
            if key not in self._values:
                return None
            value = self._values[key] = self._values.pop(key)  # the last one to be dropped
            return value

    def keep(self, key: Key, value: Value) -> Value:
        """Keep a result, and drop the one that was not asked for longest if there are too many."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > 1 and sum(map(self._size, self._values.values())) > self._most:
                del self._values[next(iter(self._values))]
            return value

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The result of a key, made if it is not kept."""
        value = self.find(key)
        return self.keep(key, make()) if value is None else value
