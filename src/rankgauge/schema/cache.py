from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """LRU cache of results, bounded by their number or their total `size`; thread-safe.

    `functools.lru_cache` bounds the number alone and cannot be asked without computing. The newest result is
    kept whatever its size. Threads that ask for the same result at once do not wait for each other.
    """

    def __init__(self, limit: int, size: Callable[[Value], int] = lambda _: 1) -> None:
        self._limit, self._size = limit, size
        self._values: dict[Key, Value] = {}
        self._lock = threading.Lock()

    def find(self, key: Key) -> Value | None:
        """A cached result, or None."""
        with self._lock:
            if key not in self._values:
                return None
            value = self._values[key] = self._values.pop(key)  # the last one to be dropped
            return value

    def keep(self, key: Key, value: Value) -> Value:
        """Add a result, and drop the least recently used ones."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > 1 and sum(map(self._size, self._values.values())) > self._limit:
                del self._values[next(iter(self._values))]
            return value

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """A result, computed if it is not in the cache."""
        value = self.find(key)
        return self.keep(key, make()) if value is None else value
