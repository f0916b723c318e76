"""The journal: what was acknowledged is on disk, whatever happens."""

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.judging import trials
from extensions.judging.test_decisions import steps
from rankgauge.errors import InputError, JournalError, OptionError
from rankgauge.extensions.judging import Journal, journal


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def replay(journal, steps):
    for assessor, topic, document, what in steps:
        if what == "undo":
            journal.undo(assessor)
        else:
            journal.record(assessor, topic, document, None if what == "skip" else what)


@given(steps(), steps())
def test_decisions_survive_reopening(tmp_path_factory, steps, more):
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    with Journal.open(path) as journal:
        replay(journal, steps)
        first = journal.decisions()
    with Journal.open(path) as journal:
        assert journal.notes == ()
        assert journal.decisions().made == first.made == Journal.read(path).made
        replay(journal, more)
        both = journal.decisions()
    assert both.made[: len(first)] == first.made
    assert Journal.read(path).made == both.made
    assert Journal.read(path).counting() == both.counting()


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_is_recorded_or_refused(tmp_path_factory, name, comment):
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    with Journal.open(path) as journal:
        try:
            made = journal.record(name, name, name, 1, comment)
        except OptionError:
            assert path.read_bytes() == b""
        else:
            assert Journal.read(path).made == [made]
            assert len(path.read_bytes().splitlines()) == 1
            assert (made.assessor, made.topic, made.document) == (name, name, name)


def test_a_line_without_an_end_is_set_aside_at_every_byte(tmp_path):
    whole = tmp_path / "whole.jsonl"
    with Journal.open(whole) as journal:
        kept = journal.record("Ann", "q1", "d1", 2, "first")
        begin = whole.stat().st_size
        last = journal.record("Zoë", "q\udcff", "d2", None, 'a "comment" \u2028 with \n lines')
    data = whole.read_bytes()
    for end in range(begin, len(data) + 1):
        path = tmp_path / f"{end}.jsonl"
        path.write_bytes(data[:end])
        aside = path.with_name(path.name + ".torn")
        torn = begin < end < len(data) - 1
        expected = [kept] if end < len(data) - 1 else [kept, last]  # only a missing newline is no loss
        assert Journal.read(path).made == expected
        with Journal.open(path) as journal:
            assert journal.decisions().made == expected
            assert len(journal.notes) == torn
            more = journal.record("Ann", "q1", "d3", 0)
        assert Journal.read(path).made == [*expected, more]
        assert aside.exists() == torn
        if torn:
            assert aside.read_bytes() == data[begin:end] + b"\n"


def test_space_that_was_never_written_is_set_aside(path):
    with Journal.open(path) as journal:
        journal.record("Ann", "q1", "d1", 2)
    with path.open("ab") as file:
        file.write(b"\0" * 100)
    with Journal.open(path) as journal:
        assert "100 bytes moved to" in journal.notes[0]
        assert journal.qrels().to_dict() == {"q1": {"d1": 2}}


@pytest.mark.parametrize("ending", ["", "\n"])
def test_other_files_are_refused_and_stay_as_they_are(path, ending):
    for text in ("q1 0 d1 2", "a,b", "{}", "[1]", '{"grade": 1}', "[" * 100_000, "\ufeff{"):
        data = (text + ending).encode()
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"journal.jsonl:1: this is no decision of a journal"):
            Journal.open(path)
        assert path.read_bytes() == data
    assert not path.with_name("journal.jsonl.torn").exists()


def test_damage_in_the_middle_names_the_line(path):
    with Journal.open(path) as journal:
        journal.record("Ann", "q1", "d1", 2)
    path.write_bytes(path.read_bytes() + b'{"time": "x\n' + path.read_bytes())
    with pytest.raises(InputError, match=r"journal.jsonl:2: "):
        Journal.open(path)


def test_places_that_cannot_be_written(tmp_path):
    for place in (tmp_path, tmp_path / "none" / "journal.jsonl"):
        with pytest.raises(InputError, match="director"):
            Journal.open(place)
    with pytest.raises(InputError, match="cannot be read"):
        Journal.read(tmp_path / "none.jsonl")


def test_one_process_at_a_time(path):
    code = f"""
        from rankgauge.errors import InputError
        from rankgauge.extensions.judging import Journal
        try:
            Journal.open({str(path)!r})
        except InputError as error:
            print(error)
        print(len(Journal.read({str(path)!r})))
    """
    with Journal.open(path) as journal:
        journal.record("Ann", "q1", "d1", 2)
        with pytest.raises(InputError, match="another process has this journal open"):
            Journal.open(path)
        printed = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
        ).stdout
        assert "another process has this journal open" in printed
        assert printed.endswith("\n1\n")
    with pytest.raises(InputError, match="the journal is closed"):
        journal.record("Ann", "q1", "d1", 2)
    journal.close()
    Journal.open(path).close()


def test_threads_write_whole_lines(path):
    with Journal.open(path) as journal:

        def judge(name):
            for number in range(40):
                journal.record(name, "q1", f"d{number}", number % 3, "x" * number)
                journal.decisions().counting()

        threads = [threading.Thread(target=judge, args=(name,)) for name in ("Ann", "Ben", "Cem")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert Journal.read(path).made == journal.decisions().made
    for name in ("Ann", "Ben", "Cem"):
        assert Journal.read(path).judgments(name)["q1"] == {f"d{n}": n % 3 for n in range(40)}


@pytest.mark.parametrize("fails", ["write", "fsync"])
@pytest.mark.parametrize("truncates", [True, False])
def test_a_full_disk_loses_nothing(path, monkeypatch, fails, truncates):
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write_some(file, data, write=os.write):
        if len(data) <= 20:  # the first part fits, the second does not
            raise full
        return write(file, data[: len(data) - 20])

    def fail(*_):
        raise full

    with Journal.open(path) as opened:
        kept = opened.record("Ann", "q1", "d1", 2)
        with monkeypatch.context() as patched:
            patched.setattr(journal.os, fails, write_some if fails == "write" else fail)
            if not truncates:
                patched.setattr(journal.os, "ftruncate", fail)
            with pytest.raises(InputError, match=r"was not recorded.*No space left"):
                opened.record("Ann", "q1", "d2", 1)
        assert opened.decisions().made == [kept]
        again = opened.record("Ann", "q1", "d2", 0)
        assert opened.decisions().made == [kept, again]
    assert Journal.read(path).made == [kept, again]


def test_lines_of_others_are_never_removed(path):
    opened = Journal.open(path)
    opened.record("Ann", "q1", "d1", 2)
    with path.open("ab") as file:
        file.write(b'{"time": "now"}\n')
    with pytest.raises(JournalError, match=r"another program .* changed the open journal"):
        opened.record("Ann", "q1", "d2", 2)
    with pytest.raises(JournalError):
        opened.close()
    assert path.read_bytes().endswith(b'{"time": "now"}\n')


def replace(path):
    """Save a copy by renaming, as `sed -i`, many editors and git do."""
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


ATTACKS = {
    "replace": replace,
    "delete": Path.unlink,
    "rename": lambda path: path.rename(path.with_name("renamed.jsonl")),
    "truncate": lambda path: path.write_bytes(b""),
    "remove the folder": lambda path: shutil.rmtree(path.parent),
}


def everywhere(folder):
    """The documents of all decisions in the files of a folder, each of which must be a journal."""
    return {decision.document for path in folder.rglob("*.jsonl") for decision in Journal.read(path)}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_journal_that_is_replaced_stops_and_is_rescued(tmp_path, monkeypatch, attack):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "journal.jsonl"
    opened = Journal.open(path)
    for number in range(3):
        opened.record("Ann", "q1", f"d{number}", 1)
    assert opened.problem == ""
    ATTACKS[attack](path)
    for _ in range(2):
        with pytest.raises(
            JournalError, match=r"was not recorded.*all that was recorded, 3 decisions, is in"
        ):
            opened.record("Ann", "q1", "d3", 1)
    with pytest.raises(JournalError, match="was not recorded"):
        opened.undo("Ann")
    [rescued] = [*tmp_path.rglob("journal.rescued-*.jsonl")]
    assert str(rescued) in opened.problem
    assert rescued.parent == (tmp_path if attack == "remove the folder" else path.parent)
    assert Journal.read(rescued).made == opened.decisions().made
    assert everywhere(tmp_path) == {"d0", "d1", "d2"}
    with pytest.raises(JournalError, match=r"rescued-"):
        opened.close()
    assert opened.problem


def test_the_error_of_the_caller_is_never_hidden(path):
    def fail(error):
        with Journal.open(path) as opened:
            opened.record("Ann", "q1", "d1", 1)
            path.unlink()
            raise error

    with pytest.raises(ZeroDivisionError) as found:
        fail(ZeroDivisionError())
    assert everywhere(path.parent) == {"d1"}
    if sys.version_info >= (3, 11):
        assert "all that was recorded, 1 decision, is in" in found.value.__notes__[0]
    with pytest.raises(JournalError):
        fail(KeyboardInterrupt())  # which is no error


def test_a_journal_without_decisions_leaves_nothing_to_rescue(path):
    opened = Journal.open(path)
    path.unlink()
    with pytest.raises(JournalError, match="the open journal, in which there was no decision; start again"):
        opened.record("Ann", "q1", "d1", 1)
    assert [*path.parent.iterdir()] == []
    with pytest.raises(JournalError):
        opened.close()


def test_a_watched_journal_is_rescued_before_anybody_decides_again(path):
    journal = Journal.open(path)
    journal.watch(0.01)
    decision = journal.record("Ann", "q1", "d1", 2)
    path.unlink()
    rescued = []
    for _ in range(500):
        if rescued := [*path.parent.glob("journal.rescued-*")]:
            break
        time.sleep(0.01)
    assert [[*Journal.read(name)] for name in rescued] == [[decision]]
    with pytest.raises(JournalError, match="is in"):
        journal.close()


@pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX")
def test_trials_lose_no_decision():
    tried = trials.run(1, seed=5)
    assert {*tried} == {*trials.FAULTS}
    assert all(recorded and not lost for recorded, lost in tried.values())


def test_a_file_that_is_replaced_during_a_write_is_rescued(path, monkeypatch):
    opened = Journal.open(path)
    opened.record("Ann", "q1", "d1", 1)

    before = path.read_bytes()

    def sync_and_replace(_):
        monkeypatch.undo()
        path.unlink()
        path.write_bytes(before)  # without the line that was just written

    monkeypatch.setattr(journal.os, "fsync", sync_and_replace)
    with pytest.raises(JournalError, match="was not recorded"):
        opened.record("Ann", "q1", "d2", 1)
    assert opened.decisions().judgments() == {"q1": {"d1": 1}}
    with pytest.raises(JournalError, match="1 decision"):
        opened.close()
    assert len([*path.parent.iterdir()]) == 2


def test_a_rescue_that_fails_is_tried_again(path, monkeypatch):
    opened = Journal.open(path)
    opened.record("Ann", "q1", "d1", 1)
    path.unlink()
    with monkeypatch.context() as patched:
        patched.setattr(journal.os, "fsync", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
        with pytest.raises(
            JournalError, match=r"cannot be written beside it \(No space left\); keep this process"
        ):
            opened.record("Ann", "q1", "d2", 1)
    assert [*path.parent.iterdir()] == []
    with pytest.raises(JournalError, match="1 decision"):
        opened.close()
    assert everywhere(path.parent) == {"d1"}


def test_no_acknowledged_decision_is_lost_whenever_the_file_is_replaced(tmp_path):
    """200 times, at random moments: before, during and after writes."""
    moments = random.Random(31)
    found_while_writing = 0
    for trial in range(200):
        path, acknowledged = tmp_path / f"{trial}" / "journal.jsonl", []
        path.parent.mkdir()
        opened, refused = Journal.open(path), []

        def judge(opened=opened, acknowledged=acknowledged, refused=refused):
            for number in range(60):
                try:
                    opened.record("Ann", "q1", f"d{number}", 1)
                except JournalError as error:
                    refused.append(error)
                else:
                    acknowledged.append(f"d{number}")

        thread = threading.Thread(target=judge)
        thread.start()
        time.sleep(moments.uniform(0, 0.006))
        attack = moments.choice(["replace", "delete", "rename"])
        ATTACKS[attack](path)
        thread.join()
        with pytest.raises(JournalError, match="rescued-" if acknowledged else "there was no decision"):
            opened.close()
        assert {*acknowledged} <= everywhere(path.parent), (trial, attack)
        found_while_writing += bool(refused)
    assert found_while_writing > 50


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_only_regular_files_are_journals(path):
    os.mkfifo(path)
    for place in (path, "/dev/null", "/dev/full", "/dev/zero"):
        for use in (Journal.open, Journal.read):
            with pytest.raises(InputError, match="a journal is a regular file, not a device"):
                use(place)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@settings(max_examples=5, deadline=None)
@given(st.integers(1, 200))
def test_a_killed_process_loses_no_acknowledged_decision(tmp_path_factory, number):
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    code = f"""
        import sys
        from rankgauge.extensions.judging import Journal
        journal = Journal.open({str(path)!r})
        for number in range(1_000_000):
            journal.record("Ann", "q1", f"d{{number}}", number % 4, "x" * 200)
            print(number, flush=True)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE) as process:
        seen = [int(process.stdout.readline()) for _ in range(number)]
        process.kill()
        seen += [int(line) for line in process.stdout.read().split()]
    with Journal.open(path) as opened:  # the lock has ended with the process
        grades = opened.qrels().to_dict()["q1"]
    assert {f"d{n}": n % 4 for n in seen}.items() <= grades.items()
    assert len(grades) <= len(seen) + 1
