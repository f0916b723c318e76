"""Signals as exceptions, so that what they end can clean up."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankgauge.errors import MissingDependency, RankgaugeError

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


class Terminated(BaseException):
    """A signal to end the program."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number  # as shells report it


@contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """Raise `Terminated` or `KeyboardInterrupt` on a signal, so that partial files and copies are removed.

    A signal that is ignored (nohup) or handled by the program around us stays so.
    """
    interrupted = ignored = False

    def note_ignored(raised: Any) -> None:
        nonlocal ignored
        if raised.exc_type is KeyboardInterrupt:  # in a callback of the import system, which goes on
            ignored = True
        else:
            hook(raised)

    def stop(number: int, _frame: Any) -> None:
        nonlocal interrupted
        if number == signal.SIGINT:
            interrupted = True
            raise KeyboardInterrupt
        signal.signal(number, signal.SIG_IGN)  # a second one must not end the cleaning up
        raise Terminated(number)

    usual = (signal.SIG_DFL, signal.default_int_handler)
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    handled = {number: signal.getsignal(number) for number in numbers if signal.getsignal(number) in usual}
    try:
        for number in handled:
            signal.signal(number, stop)
    except ValueError:  # not in the main thread, which alone may handle signals
        yield
        return
    hook, sys.unraisablehook = sys.unraisablehook, note_ignored
    try:
        yield
        if ignored:
            raise KeyboardInterrupt
    except Exception as error:
        is_message = isinstance(error, RankgaugeError) and not isinstance(error, MissingDependency)
        if (
            interrupted and not is_message
        ):  # the import of NumPy, for one, makes another error of an interrupt
            raise KeyboardInterrupt from None
        raise
    finally:
        sys.unraisablehook = hook
        for number, before in handled.items():
            signal.signal(number, before)
