"""The journal of people who judge documents: a file that only grows, a decision on each line.

    with Journal.open("judgments.jsonl") as journal:
        journal.record("Ann", "101", "d1", 2, comment="the second half")
        journal.record("Ann", "101", "d2", None)       skipped
        journal.undo("Ann")                            takes the last decision back
        journal.qrels().write("new.qrels")

    {"time": "2026-11-16T10:00:00Z", "assessor": "Ann", "topic": "101", "document": "d1", "grade": 2}

`record` returns when the decision is on disk (fsync). A line that a killed process left without an end is
moved to a file beside the journal by the next one. One process at a time holds the lock, which ends with the
process.

Other programs (editors, synchronisation) may replace, rename or delete the file. Before and after each write
the path must lead to the open file; otherwise nothing more is recorded, and all acknowledged decisions are
written to a new file beside the journal (`RESCUED`).
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import tempfile
import threading
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rankgauge.errors import InputError, JournalError, OptionError
from rankgauge.extensions.judging.decisions import Decision, Decisions
from rankgauge.formats.target import status_of
from rankgauge.model.qrels import Qrels
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from typing_extensions import Self  # part of typing from Python 3.11 on

BEGINNING = b'{"time":'  # of every line
ASIDE = ".torn"  # the extension of the file that keeps lines without an end
WATCHED = 2.0  # seconds between two looks at the file
RESCUED = ".rescued-"  # in the name of a file with the decisions of a journal that another program replaced


class Journal:
    """A file of decisions that is open for more, also from several threads."""

    def __init__(self, path: str, file: IO[bytes], decisions: Decisions, notes: tuple[str, ...]) -> None:
        self.path = path
        self.notes = notes  # on what was found when it was opened
        self._place = os.path.abspath(path)  # noqa: PTH100  # a link stays one, wherever it leads later
        self._problem = ""  # why nothing more is recorded
        self._file, self._size = file, os.fstat(file.fileno()).st_size
        self._failed = b""  # the line of which a failed write may have left a part
        self._decisions = decisions
        self._lock, self._closed = threading.Lock(), threading.Event()

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open or create a journal; an error if another process has it open."""
        name = os.fspath(path)
        status = status_of(name)
        _require_regular(name, status)
        try:
            file = Path(name).open("a+b", buffering=0)  # noqa: SIM115  # the journal closes it
        except OSError as error:
            raise _failed(name, "cannot be opened", error) from None
        try:
            _hold(file.fileno(), name)
            if status is None:
                _sync_directory(name)
            file.seek(0)
            data = file.read()
            decisions, torn = _parse(data, name)
            if torn:
                return cls(name, file, decisions, (_set_aside(file, name, len(data), torn),))
            if data and not data.endswith(b"\n"):  # only its end is missing, as an editor may leave it
                file.write(b"\n")
                os.fsync(file.fileno())
            return cls(name, file, decisions, ())
        except BaseException as error:
            file.close()
            if isinstance(error, OSError):
                raise _failed(name, "cannot be opened", error) from None
            raise

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Decisions:
        """The decisions of a journal, which may be open elsewhere; a line without an end is ignored.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with Journal.open(f"{folder}/journal.jsonl") as journal:
        ...         decision = journal.record("Ann", "q1", "d1", 2)
        ...     Journal.read(f"{folder}/journal.jsonl").judgments()
        {'q1': {'d1': 2.0}}
        """
        try:
            _require_regular(os.fspath(path), Path(path).stat())
            return _parse(Path(path).read_bytes(), os.fspath(path))[0]
        except OSError as error:
            raise _failed(os.fspath(path), "cannot be read", error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            self.close()
        except JournalError as problem:
            if not isinstance(error, Exception):  # there is none, or Ctrl-C
                raise
            if sys.version_info >= (3, 11):
                error.add_note(str(problem))

    def watch(self, seconds: float = WATCHED) -> None:
        """Look at the file every so often, to rescue decisions before this process may be killed."""

        def look() -> None:
            while not self._closed.wait(seconds):
                if self.problem:
                    return

        threading.Thread(target=look, daemon=True).start()

    def close(self) -> None:
        """Let other processes open the journal; an error if it was replaced. Closing twice does nothing."""
        self._closed.set()
        with self._lock:
            if not self._file.closed:
                problem = self._find_problem()
                self._file.close()
                if problem:
                    raise JournalError(problem, path=self.path)

    @property
    def problem(self) -> str:
        """Why no more decisions are recorded, if so."""
        with self._lock:
            return self._problem if self._file.closed else self._find_problem()

    def record(
        self, assessor: str, topic: str, document: str, grade: float | None, comment: str = ""
    ) -> Decision:
        """Grade a document, or skip it (None). The decision is on disk when this returns."""
        what: dict[str, Any] = {"skip": True} if grade is None else {"grade": grade}
        place = {"assessor": assessor, "topic": topic, "document": document}
        with self._lock:
            return self._append(Decision.of({"time": _now(), **place, **what, "comment": comment}))

    def undo(self, assessor: str) -> Decision | None:
        """Take back the last decision of an assessor, and return it, if there is one."""
        with self._lock:
            last = self._decisions.last(assessor)
            if last is not None:
                self._append(Decision(_now(), assessor, last.topic, last.document, kind="undo"))
            return last

    def decisions(self) -> Decisions:
        """All decisions so far; later ones are not added to them."""
        return self._decisions

    def qrels(self, assessor: str | None = None, resolve: str = "majority") -> Qrels:
        """The judgments of one assessor; or of all, by one of `RESOLVE` where several judged."""
        return self._decisions.qrels(assessor, resolve)

    def _append(self, decision: Decision) -> Decision:
        """Write a line, wait until it is on disk, and only then count the decision."""
        if self._file.closed:
            raise InputError("the journal is closed; open it again", path=self.path)
        file, line = self._file.fileno(), _line(decision)
        self._require_intact()
        try:
            if self._failed:  # remove what is left of it
                self._file.truncate(self._size)
            written, self._failed = 0, line
            while written < len(line):
                written += os.write(file, line[written:])
            os.fsync(file)
        except OSError as error:
            with suppress(OSError):  # what was written is no decision
                os.ftruncate(file, self._size)
            what = "cannot be written, and the decision was not recorded; mend this and decide again"
            raise _failed(self.path, what, error) from None
        self._size, self._failed = self._size + len(line), b""
        self._require_intact()  # or the line may be in a file that nobody finds
        self._decisions = Decisions([*self._decisions, decision])
        return decision

    def _require_intact(self) -> None:
        if problem := self._find_problem():
            raise JournalError(f"the decision was not recorded: {problem}", path=self.path)

    def _find_problem(self) -> str:
        """Why no more decisions are recorded; the first time, the decisions are rescued."""
        if self._problem or self._is_intact():
            return self._problem
        made = len(self._decisions)
        found = "another program replaced, renamed, deleted or changed the open journal"
        if not made:
            self._problem = f"{found}, in which there was no decision; start again"
            return self._problem
        try:
            rescued = self._rescue()
        except OSError as error:
            return (
                f"{found}, and {counted(made, 'decision')} cannot be written beside it ({error.strerror}); "
                "keep this process running, mend this, and decide again"
            )
        self._problem = (
            f"{found}; all that was recorded, {counted(made, 'decision')}, is in {rescued}: compare the two "
            "files, and start again with the one to continue"
        )
        return self._problem

    def _is_intact(self) -> bool:
        """Whether the path leads to the open file, and nothing but a failed write changed its size."""
        try:
            opened = os.fstat(self._file.fileno())
            self._file.seek(self._size)
            left = self._file.read(len(self._failed) + 1)
            is_open_file = os.path.samestat(os.stat(self._place), opened)  # noqa: PTH116
        except OSError:
            return False
        return is_open_file and opened.st_size >= self._size and self._failed.startswith(left)

    def _rescue(self) -> str:
        """Write all decisions to a new file: beside the journal, or else with other temporary files."""
        lines = b"".join(map(_line, self._decisions))
        try:
            return _write_new(Path(self._place), lines)
        except OSError:  # the folder may have been removed with the journal
            return _write_new(Path(tempfile.gettempdir(), Path(self._place).name), lines)


def _line(decision: Decision) -> bytes:
    return json.dumps(decision.as_dict()).encode("ascii") + b"\n"


def _write_new(path: Path, data: bytes) -> str:
    """Write and sync a new file with a name like `path`; its name."""
    file, name = tempfile.mkstemp(path.suffix, path.stem + RESCUED, path.parent)
    try:
        with open(file, "wb") as stream:  # noqa: PTH123  # a descriptor
            stream.write(data)
            stream.flush()
            os.fsync(file)
        _sync_directory(name)
    except OSError:
        Path(name).unlink()
        raise
    return name


def _parse(data: bytes, path: str) -> tuple[Decisions, bytes]:
    """(the decisions, the line without an end that a killed process left behind)."""
    made = []
    *_, rest = lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                made.append(_decision(line))
        except (ValueError, RecursionError, OptionError) as error:
            if number == len(lines) and _is_torn(rest):
                return Decisions(made), rest
            reason = "not JSON" if not isinstance(error, OptionError) else str(error)
            raise InputError(
                f"this is no decision of a journal ({reason}); name a new file, or mend the line",
                path=path,
                line=number,
            ) from None
    return Decisions(made), b""


def _decision(line: bytes) -> Decision:
    values = json.loads(line.decode("utf-8"))
    if not isinstance(values, dict):
        raise OptionError(f"a decision is an object, not {type(values).__name__}")
    return Decision.of(values)


def _is_torn(line: bytes) -> bool:
    """Whether this is how a decision begins, or bytes that a file system has reserved and not written."""
    return line.startswith(BEGINNING) or BEGINNING.startswith(line) or not line.strip(b"\0")


def _set_aside(file: IO[bytes], path: str, size: int, torn: bytes) -> str:
    """Move a line without an end to a file beside the journal; a note that says so."""
    aside = path + ASIDE
    try:
        with Path(aside).open("ab") as kept:
            kept.write(torn + b"\n")
            kept.flush()
            os.fsync(kept.fileno())
        file.truncate(size - len(torn))
        os.fsync(file.fileno())
    except OSError as error:
        raise _failed(aside, "cannot be written, where a line without an end would be kept", error) from None
    return (
        f"the journal ended in the middle of a line, which was never confirmed: {counted(len(torn), 'byte')} "
        f"moved to {aside}"
    )


def _require_regular(path: str, status: os.stat_result | None) -> None:
    """Refuse devices and pipes, which keep nothing or never end."""
    if status is not None and not stat.S_ISREG(status.st_mode):
        raise InputError("a journal is a regular file, not a device, pipe or directory", path=path)


def _hold(file: int, path: str) -> None:
    try:
        if sys.platform == "win32":
            import msvcrt

            # Far behind its end, since Windows refuses to read what is locked; `locking` takes 31 bits.
            os.lseek(file, (1 << 31) - 2, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
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
    if sys.platform == "win32":
        return
    folder = os.open(Path(path).parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _failed(path: str, what: str, error: OSError) -> JournalError:
    return JournalError(f"the journal {what}: {error.strerror or error}", path=path)


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
