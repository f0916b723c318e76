"""Other systems, imitated on this one, for journals and the explorer."""

import errno
import os
import socket
import sys
from types import SimpleNamespace

import pytest

from rankgauge.errors import InputError
from rankgauge.extensions.judging import Journal, journal
from rankgauge.extensions.pages.explorer import exploration


def refused(*_args, **_options):
    raise PermissionError(errno.EACCES, "Access is denied")


def test_a_journal_is_locked_without_fcntl(tmp_path, monkeypatch, windows):
    held = set()

    def locking(file, _mode, _size):
        place = os.fstat(file).st_ino
        if place in held:
            refused()
        held.add(place)

    monkeypatch.setattr(journal, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))
    windows(journal, open=refused)  # directories cannot be opened
    with Journal.open(tmp_path / "a.jsonl") as first:
        first.record("Ann", "q1", "d1", 2)
        with pytest.raises(InputError, match="another process has this journal open"):
            Journal.open(tmp_path / "a.jsonl")
    assert len(Journal.read(tmp_path / "a.jsonl")) == 1


def test_a_port_is_not_shared(windows):
    windows(exploration)
    with exploration._listen(0) as listener:
        assert listener.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) == 0
