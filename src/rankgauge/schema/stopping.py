"""Giving up long work in threads, which cannot be ended from outside.

Without the flag, Ctrl-C and an error in one file would be answered only after all other threads had read
theirs to the end.
"""

from __future__ import annotations

from contextvars import ContextVar, copy_context


class Stopped(Exception):
    """Raised by `checkpoint` where work is given up."""


class StopFlag:
    """Tells the threads of one piece of work, and those they started, to give up."""

    def __init__(self) -> None:
        self._outer = _FLAG.get()
        self._context = copy_context()
        self._set = False

    def set(self) -> None:
        """Have every thread give up at its next checkpoint."""
        self._set = True

    def is_set(self) -> bool:
        """Whether this work, or work around it, is to be given up."""
        return self._set or (self._outer is not None and self._outer.is_set())

    def follow(self) -> None:
        """Have this thread look at the flag."""
        for variable, value in self._context.items():
            variable.set(value)
        _FLAG.set(self)


_FLAG: ContextVar[StopFlag | None] = ContextVar("flag", default=None)  # of this thread


def checkpoint() -> None:
    """Give up if nobody waits for this thread's work; long work calls this now and then."""
    flag = _FLAG.get()
    if flag is not None and flag.is_set():
        raise Stopped
