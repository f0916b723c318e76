"""Signals that end the program as exceptions, so that partial files and temporary copies are removed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("SIGTERM", "SIGHUP")  # Python does the same for SIGINT; Windows has no SIGHUP


class Terminated(BaseException):
    """A signal to end the program."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number  # as shells report it


@contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """Raise `Terminated` on a signal, unless it is ignored (nohup) or handled by the program around us."""
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in taken:
            signal.signal(number, _raise)
    except ValueError:  # not in the main thread, which alone may handle signals
        yield
        return
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _raise(number: int, _frame: Any) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second one must not end the cleaning up
    raise Terminated(number)
