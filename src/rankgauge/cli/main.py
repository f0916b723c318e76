"""The `rankgauge` command: finds the command, runs it, turns what goes wrong into words and an exit code."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Container, Sequence

from rankgauge._version import VERSION
from rankgauge.errors import OptionError, RankgaugeError
from rankgauge.model.tables import printable
from rankgauge.schema.text import nearest

# A command is a module of this package with `configure(parser)`, `run(args) -> exit code` and a
# docstring for its help; it is imported only when it is the one that is asked for.
COMMANDS = {
    "evaluate": "score runs against judgments",
    "compare": "test whether differences between runs are real",
    "curve": "read measures rank by rank",
    "report": "gather all there is to know about runs into one page",
    "explain": "show how one value came about",
    "study": "ask a question about measures, of all runs of a campaign",
    "pool": "collect the first documents of runs, to be judged",
    "agreement": "compare two sets of judgments, and the order of runs by them",
    "figure": "draw runs, scores or a table, for papers and pages",
    "trec_eval": "stand in for trec_eval: its options, its output",
    "validate": "list every problem of a run or of judgments",
    "convert": "write a run or judgments in another format",
    "simulate": "make judgments and runs of any size",
    "measures": "list the measures, or explain one",
    "completion": "print the completion script of a shell",
}
FINE, USAGE, BUG, INTERRUPTED, BROKEN_PIPE = 0, 2, 70, 130, 141
OTHER_USAGE = {"trec_eval": 1}  # commands that have another command's exit codes
# Commands without matrices. The threads that NumPy would start to multiply them take time to start, and
# then keep a core busy for a while, waiting: for these commands it is told not to.
WITHOUT_MATRICES = ("evaluate", "curve", "explain", "trec_eval")

EPILOG = """\
For example:
  rankgauge evaluate qrels.txt runs/*.gz -m "nDCG@10 AP" -o scores.csv
  rankgauge compare qrels.txt bm25.run ql.run -m nDCG@10
  rankgauge explain qrels.txt bm25.run --topic 301 -m nDCG@10
  rankgauge measures nDCG

`rankgauge COMMAND --help` says more about a command.
exit codes: 0 fine, 1 a check found problems, 2 bad input or usage, 70 a bug of rankgauge
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of a command line."""
    _let_any_id_through()
    try:
        status = _dispatch(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return status
    except RankgaugeError as error:
        return say(str(error), USAGE)
    except KeyboardInterrupt:
        return say("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # the reader (say, head) has enough; Python must not find out again when it closes stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except MemoryError as error:
        return say(f"there is not enough memory for this: {str(error) or 'ask for less at once'}", USAGE)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return say(f"{place}{error.strerror or error}", USAGE)
    except Exception as error:
        if os.environ.get("RANKGAUGE_DEBUG", "") not in ("", "0"):
            import traceback

            traceback.print_exc()
        return say(
            f"unexpected {type(error).__name__}: {error}; this is a bug of rankgauge, please report it "
            "(with RANKGAUGE_DEBUG=1 in the environment it shows the place)",
            BUG,
        )


def _dispatch(argv: list[str]) -> int:
    command = argv[0] if argv and not argv[0].startswith("-") else None
    if command is not None and command not in COMMANDS:
        raise OptionError(
            f"no command is called {command!r}, only {', '.join(COMMANDS)}{nearest(command, COMMANDS)}"
        )
    top = parser({command}, listed=COMMANDS if command is None else {command})  # parsers take time to make
    try:
        args, rest = top.parse_known_args(argv)
        if rest:
            _add_files(args, rest, getattr(args, "parser", top))
    except SystemExit as stop:  # argparse has printed help or said what is wrong
        return OTHER_USAGE.get(command or "", USAGE) if stop.code else FINE
    if args.version:
        from platform import python_version

        from rankgauge import core

        print(f"rankgauge {VERSION} ({core.NAME} core, Python {python_version()})")
        return FINE
    if command is None:
        top.print_help(sys.stderr)
        return USAGE
    if command in WITHOUT_MATRICES:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return int(args.run(args))


def parser(
    configured: Container[str | None] = COMMANDS, listed: Container[str] = COMMANDS
) -> argparse.ArgumentParser:
    """The parser of the whole command line, or of some commands.

    Only the commands in `configured` know their arguments.
    """
    top = argparse.ArgumentParser(
        "rankgauge",
        description="Evaluation of ranked retrieval.",
        epilog=EPILOG,
        formatter_class=Help,
        allow_abbrev=False,
    )
    top.add_argument("-V", "--version", action="store_true", help="show the version and the core in use")
    commands = top.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for name, summary in COMMANDS.items():
        if name not in listed:
            continue
        sub = commands.add_parser(
            name, help=summary, formatter_class=Help, allow_abbrev=False, conflict_handler="resolve"
        )  # so that a command may have a -h of its own
        if name in configured:
            module = importlib.import_module(f"rankgauge.cli.{name}")
            sub.description = module.__doc__
            module.configure(sub)
            sub.set_defaults(run=module.run, parser=sub)
    return top


def _add_files(args: argparse.Namespace, rest: list[str], command: argparse.ArgumentParser) -> None:
    """Take files that stand behind an option for more of those before it, as argparse does not."""
    *_, last = (action for action in command._actions if not action.option_strings)
    if last.nargs not in ("+", "*") or any(text.startswith("-") and text != "-" for text in rest):
        command.error(f"unrecognized arguments: {' '.join(rest)}")
    setattr(args, last.dest, [*getattr(args, last.dest), *rest])


class Help(argparse.RawDescriptionHelpFormatter):
    """Help that keeps the lines of descriptions and of what is said about an option."""

    def __init__(self, prog: str) -> None:
        # argparse would ask shutil, and importing that takes longer than parsing
        super().__init__(prog, max_help_position=26, width=_terminal_width() - 2)

    def _split_lines(self, text: str, width: int) -> list[str]:
        from textwrap import wrap

        parts = []
        for line in text.splitlines():
            hanging = "    " if line.startswith(" ") else ""
            parts += wrap(line, width, subsequent_indent=hanging)
        return parts


def _terminal_width() -> int:
    """The columns of the terminal; 80 where there is none."""
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns or 80
    except (OSError, ValueError):
        return 80


def say(message: str, status: int) -> int:
    """Print a message for people on stderr and return the exit code that goes with it."""
    print("rankgauge:", "\n".join(map(printable, message.splitlines())), file=sys.stderr)
    return status


def _let_any_id_through() -> None:
    """Have stdout write ids as the bytes they are, or escaped where its encoding has no place for them."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        utf8 = sys.stdout.encoding.lower().replace("-", "") == "utf8"
        reconfigure(errors="surrogateescape" if utf8 else "backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
