"""The journal of people who judge documents: a file that only grows, a decision on each line.

    with Journal.open("judgments.jsonl") as journal:
        journal.record("Ann", "101", "d1", 2, comment="the second half")
        journal.record("Ann", "101", "d2", None)       skipped
        journal.undo("Ann")                            takes the last decision back
        journal.qrels().write("new.qrels")

    {"time": "2026-11-16T10:00:00Z", "assessor": "Ann", "topic": "101", "document": "d1", "grade": 2}

`record` returns when the decision is on disk (fsync), so whatever was acknowledged survives a crash. A
process that is killed while it writes leaves a line without an end: the next one moves it to a file beside
the journal and says so. One process at a time has a journal open, held by a lock that ends with the process.
"""

from __future__ import annotations

import errno
import json
import os
import threading
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.formats.target import status_of
from rankgauge.model.qrels import Qrels
from rankgauge.schema.text import counted
from rankgauge.studies.judging.decisions import Decision, Decisions

if TYPE_CHECKING:
    from typing_extensions import Self  # part of typing from Python 3.11 on

BEGINNING = b'{"time":'  # of every line
ASIDE = ".torn"  # the extension of the file that keeps lines without an end


class Journal:
    """A file of decisions that is open for more; may be used from several threads."""

    def __init__(self, path: str, file: int, decisions: Decisions, size: int, notes: tuple[str, ...]) -> None:
        self.path = path
        self.notes = notes  # on what was found when it was opened
        self._file, self._size = file, size
        self._decisions, self._copy = decisions, decisions.copy()
        self._failed = b""  # the line of which a failed write may have left a part
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a journal, or create it; an error if another process has it open."""
        name = os.fspath(path)
        new = status_of(name) is None
        flags = (
            os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        )
        try:
            file = os.open(name, flags, 0o666)
        except OSError as error:
            raise _failed(name, "cannot be opened", error) from None
        try:
            _hold(file, name)
            if new:
                _sync_directory(name)
            decisions, whole, torn = _parse(_contents(file), name)
            notes = (_set_aside(file, name, whole, torn),) if torn else ()
            return cls(name, file, decisions, _ended(file, whole), notes)
        except BaseException as error:
            os.close(file)
            if isinstance(error, OSError):
                raise _failed(name, "cannot be opened", error) from None
            raise

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Decisions:
        """The decisions of a journal, which another process may have open; a line without an end is ignored.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with Journal.open(f"{folder}/journal.jsonl") as journal:
        ...         decision = journal.record("Ann", "q1", "d1", 2)
        ...     Journal.read(f"{folder}/journal.jsonl").judgments()
        {'q1': {'d1': 2.0}}
        """
        try:
            return _parse(Path(path).read_bytes(), os.fspath(path))[0]
        except OSError as error:
            raise _failed(os.fspath(path), "cannot be read", error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes open the journal; closing twice does nothing."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def record(
        self, assessor: str, topic: str, document: str, grade: float | None, comment: str = ""
    ) -> Decision:
        """Give a document a grade, or skip it (None). The decision is on disk when this returns."""
        what: dict[str, Any] = {"skip": True} if grade is None else {"grade": grade}
        place = {"assessor": assessor, "topic": topic, "document": document}
        with self._lock:
            return self._append(Decision.of({"time": _now(), **place, **what, "comment": comment}))

    def undo(self, assessor: str) -> Decision | None:
        """Take back the last decision of an assessor, and return it; None if there is none."""
        with self._lock:
            last = self._decisions.last(assessor)
            if last is not None:
                topic, document = last.place
                self._append(Decision(_now(), assessor, topic, document, kind="undo"))
            return last

    def decisions(self) -> Decisions:
        """All decisions so far; later ones are not added to them."""
        with self._lock:
            if len(self._copy) < len(self._decisions):
                self._copy = self._decisions.copy()
            return self._copy

    def qrels(self, assessor: str | None = None, resolve: str = "majority") -> Qrels:
        """The judgments of one assessor; or of all, by one of `RESOLVE` where several judged a document."""
        return self.decisions().qrels(assessor, resolve)

    def _append(self, decision: Decision) -> Decision:
        """Write a line, wait until it is on disk, and only then count the decision."""
        if self._file < 0:
            raise InputError("the journal is closed; open it again", path=self.path)
        line = json.dumps(decision.as_dict()).encode("ascii") + b"\n"
        try:
            self._remove_failed()
            written, self._failed = 0, line
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):  # what was written is no decision; if it stays, the next start finds it
                os.ftruncate(self._file, self._size)
            what = "cannot be written, and the decision was not recorded; mend this and decide again"
            raise _failed(self.path, what, error) from None
        self._size += len(line)
        self._decisions.add(decision)
        return decision

    def _remove_failed(self) -> None:
        """Remove what a failed write has left behind; what others wrote is not ours to remove."""
        if os.fstat(self._file).st_size == self._size:
            return
        left = _contents(self._file)[self._size :]
        if not left or not self._failed.startswith(left):
            raise InputError("another program changed the open journal; start again", path=self.path)
        os.ftruncate(self._file, self._size)


def _parse(data: bytes, path: str) -> tuple[Decisions, int, bytes]:
    """(the decisions, the bytes that hold them, the line without an end that follows)."""
    decisions = Decisions()
    *lines, rest = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            decisions.add(_decision(line, path, number))
    if rest.strip():
        with suppress(InputError):  # only its end is missing, as an editor may leave it
            decisions.add(_decision(rest, path, len(lines) + 1))
            return decisions, len(data), b""
        if not _is_torn(rest):
            _decision(rest, path, len(lines) + 1)  # raises the error again
        return decisions, len(data) - len(rest), rest
    return decisions, len(data), b""


def _is_torn(line: bytes) -> bool:
    """Whether this is how a decision begins, or bytes that a file system has reserved and not written."""
    return line.startswith(BEGINNING) or BEGINNING.startswith(line) or not line.strip(b"\0")


def _decision(line: bytes, path: str, number: int) -> Decision:
    try:
        values = json.loads(line.decode("utf-8"))
        if not isinstance(values, dict):
            raise OptionError(f"a decision is an object, not {type(values).__name__}")
        return Decision.of(values)
    except (ValueError, RecursionError, OptionError) as error:
        reason = "not JSON" if not isinstance(error, OptionError) else str(error)
        raise InputError(
            f"this is no decision of a journal ({reason}); name a new file, or mend the line",
            path=path,
            line=number,
        ) from None


def _contents(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    with open(file, "rb", closefd=False) as stream:
        return stream.read()


def _ended(file: int, size: int) -> int:
    """The size of the file, once its last line has an end."""
    if not size or _contents(file)[size - 1 :] == b"\n":
        return size
    os.write(file, b"\n")
    os.fsync(file)
    return size + 1


def _set_aside(file: int, path: str, whole: int, torn: bytes) -> str:
    """Move a line without an end to a file beside the journal; a note that says so."""
    aside = path + ASIDE
    try:
        with Path(aside).open("ab") as kept:
            kept.write(torn + b"\n")
            kept.flush()
            os.fsync(kept.fileno())
        os.ftruncate(file, whole)
        os.fsync(file)
    except OSError as error:
        raise _failed(aside, "cannot be written, where a line without an end would be kept", error) from None
    return (
        f"the journal ended in the middle of a line, which was never confirmed: {counted(len(torn), 'byte')} "
        f"moved to {aside}"
    )


def _hold(file: int, path: str) -> None:
    """Lock the journal for this process, until the file is closed."""
    try:
        if os.name == "nt":
            import msvcrt

            # Far behind its end, since Windows refuses to read what is locked; `locking` takes 31 bits.
            os.lseek(file, (1 << 31) - 2, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            raise
        raise InputError(
            "another process has this journal open; close it, or name another file", path=path
        ) from None


def _sync_directory(path: str) -> None:
    """Wait until the name of a new file is on disk."""
    if os.name == "nt":
        return
    folder = os.open(Path(path).parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _failed(path: str, what: str, error: OSError) -> InputError:
    return InputError(f"the journal {what}: {error.strerror or error}", path=path)


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
