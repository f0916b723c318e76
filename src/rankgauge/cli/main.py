"""The `rankgauge` command: runs a command, and turns errors and signals into messages and exit codes.

`rankgauge --version` imports neither `typing` nor `contextlib`, each a fifth of its time.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence

from rankgauge._version import VERSION
from rankgauge.cli.output import check, drop_rest, print_message, print_notes, replace_closed
from rankgauge.errors import ExtensionError, OptionError, RankgaugeError
from rankgauge.schema.lazy import dependencies

SUCCESS, USAGE, BUG, INTERRUPTED, BROKEN_PIPE = 0, 2, 70, 130, 141
OTHER_USAGE = {"trec_eval": 1}  # commands with the exit codes of another program
# Objects made before garbage is collected: more than importing modules makes, none of which is garbage.
MODULES = 50_000
# Commands that multiply no matrices. NumPy's threads for that take time to start and then keep a core busy
# while they wait, so these commands do not start them.
WITHOUT_MATRICES = ("evaluate", "explain", "trec_eval")
# Commands whose notes state what was assumed about files; for the others it is printed here.
OWN_NOTES = ("evaluate", "compare", "diff", "convert", "validate")


def console() -> int:
    """`main` for the console script."""
    status = main()
    threading = sys.modules.get("threading")
    if threading and {each for each in threading.enumerate() if not each.daemon} - {threading.main_thread()}:
        from rankgauge.formats.source import remove_copies

        remove_copies()
        os._exit(status)  # after Ctrl-C, nobody waits for what they compute
    gc.freeze()  # or Python would search all objects for garbage before it exits: a sixth of a small command
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    gc.set_threshold(MODULES)
    replace_closed()
    _allow_any_id()
    try:
        status = _dispatch(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        if registry := sys.modules.get("rankgauge.schema.registry"):
            print_notes("note", registry.FAILURES)  # packages that cannot be loaded
        return status
    except RankgaugeError as error:
        if isinstance(error, ExtensionError):
            _trace_if_asked()
        return say(str(error), USAGE)
    except KeyboardInterrupt:
        return say("interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader (such as head) has closed the pipe
        drop_rest(sys.stdout)
        return BROKEN_PIPE
    except MemoryError as error:
        return say(f"not enough memory: {str(error) or 'use less data at once'}", USAGE)
    except OSError as error:
        drop_rest(sys.stdout)
        if os.name == "nt" and error.errno == errno.EINVAL and not error.filename:  # a closed pipe there
            return BROKEN_PIPE
        if error.errno == errno.EBADF:
            return say("standard output is closed; write to a file with -o", USAGE)
        place = f"{error.filename}: " if error.filename else ""
        return say(f"{place}{error.strerror or error}", USAGE)
    except Exception as error:
        _trace_if_asked()
        return say(
            f"unexpected {type(error).__name__}: {error}; this is a bug in rankgauge, please report it "
            "(set RANKGAUGE_DEBUG=1 to see a traceback)",
            BUG,
        )


def _dispatch(argv: list[str]) -> int:
    if argv[:1] == ["help"]:
        argv = [*argv[1:], "--help"]
    command = argv[0] if argv and not argv[0].startswith("-") else None
    if argv in (["--version"], ["-V"], ["version"]):
        return _version()
    if not argv:
        from rankgauge.cli.start import run

        if (status := run(main)) is not None:
            return status
    from rankgauge.cli.parser import COMMANDS, MOVED, options_of, parse

    if command in MOVED:
        return say(f"{command} has moved: rankgauge {MOVED[command]}", USAGE)
    if command is not None:
        COMMANDS.check(command)
    try:
        with dependencies():
            args = parse(argv, command)
    except SystemExit as stop:  # argparse has printed help or a message
        return OTHER_USAGE.get(command or "", USAGE) if stop.code else SUCCESS
    except OptionError as error:
        return say(str(error), OTHER_USAGE.get(command or "", USAGE))
    print_notes("note", getattr(args, "notes", ()))  # also of quiet commands: numbers never change silently
    if getattr(args, "version", False):
        return _version()
    if getattr(args, "completion", None):
        from rankgauge.cli.completion import script

        with dependencies():
            print(script(args.completion))
        return SUCCESS
    if any(
        getattr(args, written, None) is not None for written in ("output", "run_file", "requests", "folder")
    ):
        check(args)
    if command in WITHOUT_MATRICES:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from rankgauge.cli.signals import Terminated, signals_as_exceptions
    from rankgauge.schema.options import command_with

    try:
        with signals_as_exceptions(), command_with(options_of(args.parser)), dependencies():
            status = int(args.run(args))
            problems = sys.modules.get("rankgauge.formats.problems")  # if any file was read
            if problems and command not in OWN_NOTES and not getattr(args, "quiet", False):
                print_notes("note", problems.assumption_notes())
            return status
    except Terminated as signal:
        return say(f"ended by {signal}", signal.status)
    finally:
        if problems := sys.modules.get("rankgauge.formats.problems"):
            problems.ASSUMPTIONS.clear()


def _trace_if_asked() -> None:
    if os.environ.get("RANKGAUGE_DEBUG", "") not in ("", "0"):
        import traceback

        traceback.print_exc()


def _version() -> int:
    from rankgauge import core

    print(f"rankgauge {VERSION} ({core.NAME} core, Python {sys.version.split()[0]})")
    if core.NOT_COMPILED:
        print(f"The compiled core is missing: {core.NOT_COMPILED}")
    return SUCCESS


def say(message: str, status: int) -> int:
    """Print a message on stderr and return its exit code."""
    print_message(f"rankgauge: {message}")
    return status


def _allow_any_id() -> None:
    """Have stdout write invalid ids as their bytes, or escaped if it is not UTF-8."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        utf8 = sys.stdout.encoding.lower().replace("-", "") == "utf8"
        reconfigure(errors="surrogateescape" if utf8 else "backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
