"""Other systems, imitated on this one: calls that only POSIX has, and what Windows and browsers refuse.

`make lint` checks types as for Windows and macOS, where such calls without a guard are errors.
"""

import errno
import locale
import os
import signal
from types import SimpleNamespace

import pytest

import rankgauge
from rankgauge import core
from rankgauge.cli import main, signals
from rankgauge.engines import threads
from rankgauge.engines.local import trec_files
from rankgauge.errors import InputError
from rankgauge.formats import source, target


def refused(*_args, **_options):
    raise PermissionError(errno.EACCES, "Access is denied")


def test_browsers_have_one_thread(monkeypatch):
    monkeypatch.setattr(threads, "sys", SimpleNamespace(platform="emscripten"))
    assert threads.available(None) == threads.available(8) == 1


def test_all_cores_are_used_where_a_process_is_not_bound_to_some(windows):
    windows(threads, cpu_count=lambda: 7)
    del threads.os.sched_getaffinity
    assert threads.available(None) == 7


def test_threads_have_files_of_their_own_where_reading_moves_the_position(tmp_path, monkeypatch, windows):
    run = tmp_path / "a.run"
    run.write_text("".join(f"q{t} Q0 d{n} 1 {-n} a\n" for t in range(40) for n in range(30)), "utf-8")
    qrels = {f"q{t}": {f"d{t % 30}": 1} for t in range(40)}
    expected = rankgauge.evaluate(qrels, run, "RR", threads=1).values
    windows(trec_files)
    del trec_files.os.pread
    monkeypatch.setattr(trec_files, "MIN_PART", 1 << 10)
    opened, opening = [], source.Source.opened
    monkeypatch.setattr(source.Source, "opened", lambda self: opened.append(self) or opening(self))
    assert (rankgauge.evaluate(qrels, run, "RR", threads=4).values == expected).all()
    assert len(opened) > 4 or core.NAME == "pure"


def test_numbers_are_read_alike_in_every_locale(tmp_path):
    before = locale.setlocale(locale.LC_NUMERIC)
    try:
        locale.setlocale(locale.LC_NUMERIC, "de_DE.UTF-8")  # whose numbers have a comma
    except locale.Error:
        pytest.skip("this locale is not installed")
    try:
        (tmp_path / "a.run").write_text("q1 Q0 d1 1 0.12345678901234567890 a\n", "utf-8")
        assert rankgauge.Run.read(tmp_path / "a.run").to_dict() == {"q1": {"d1": 0.12345678901234567890}}
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


def test_an_open_file_is_replaced_once_it_is_closed(tmp_path, monkeypatch, windows):
    attempts = iter([refused, refused])
    windows(target, replace=lambda *paths: next(attempts, os.replace)(*paths))
    monkeypatch.setattr(target.time, "sleep", lambda _: None)
    target.write_text(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text("utf-8") == "new"


def test_a_file_that_stays_open_is_named_with_the_reason(tmp_path, monkeypatch, windows):
    windows(target, replace=refused)
    monkeypatch.setattr(target.time, "sleep", lambda _: None)
    with pytest.raises(InputError, match=r"a\.txt: the file cannot be written: another program has it open"):
        target.write_text(tmp_path / "a.txt", "new")
    assert not [*tmp_path.iterdir()]


def test_a_directory_that_cannot_be_opened_is_called_one(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "open", refused, raising=False)
    with pytest.raises(InputError, match="this is a directory"):
        rankgauge.Run.read(tmp_path)


def test_signals_that_a_system_lacks_are_left_out(monkeypatch):
    monkeypatch.delattr(signal, "SIGHUP")
    with signals.signals_as_exceptions(), pytest.raises(signals.Terminated):
        signal.raise_signal(signal.SIGTERM)


def test_a_closed_pipe_is_no_error_message(monkeypatch, windows, capsys):
    def closed(_argv):
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(main, "_dispatch", closed)
    windows(main)
    assert main.main([]) == main.BROKEN_PIPE
    assert capsys.readouterr().err == ""
