"""The argument parser of the command line, built from the modules of the commands."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Container, Mapping
from typing import Any, NoReturn

from rankgauge.cli.output import print_message
from rankgauge.schema.extensions import EXTENSIONS
from rankgauge.schema.registry import Registry, Services, guarded
from rankgauge.schema.text import terminal_width

# The commands of the base package. A command is a module with `configure(parser)`, `run(args) -> exit code`
# and a docstring for its help; only the module of the command that is run is imported.
OWN = {
    "evaluate": "score runs against judgments, or answers by their nuggets",
    "compare": "test whether runs differ significantly",
    "diff": "show which topics changed between two runs, and what moved",
    "explain": "show how a value was computed, rank by rank",
    "trec_eval": "evaluate with trec_eval's options and output",
    "validate": "check runs and judgments, and list every problem",
    "convert": "convert a run or judgments to another format",
    "measures": "list the measures, or describe one",
}
GROUPS = {  # in the list of commands; the heading of the others is the last
    "score": ("evaluate", "explain", "dense", "items", "measures", "trec_eval"),
    "compare": ("compare", "diff", "study", "reproduce", "replicate"),
    "look": ("explore", "figure", "report", "campaign"),
    "judge": ("pool", "agreement", "decide"),
    "files": ("validate", "convert", "costs", "search", "fuse", "simulate", "demo"),
}
MOVED = {  # commands of earlier versions, and what does their work
    "baseline": "evaluate QRELS RUN -q -o baseline.json",
    "completion": "--completion SHELL",
    "curve": "evaluate QRELS RUN... --curve",
    "journal": "convert JOURNAL QRELS",
    "judges": "agreement HUMAN JUDGE [RUN...] --judges",
    "nuggets": "evaluate FILE...",
    "recall": "agreement QRELS SAMPLE RUN --docs N",
}
COMMANDS = Services("commands", "command", {name: f"rankgauge.cli.{name}" for name in OWN})


def summary(command: str) -> str:
    """What a command is for, in a line."""
    for its in (OWN, *(extension.commands for extension in EXTENSIONS.values())):
        if command in its:
            return its[command]
    lines = (COMMANDS.load(command).__doc__ or "").splitlines()
    return lines[0] if lines else ""


EPILOG = """\
For example:
  rankgauge demo
  rankgauge evaluate qrels.txt runs/*.gz -m "nDCG@10 AP" -o scores.csv
  rankgauge compare qrels.txt bm25.run ql.run -m nDCG@10
  rankgauge explain qrels.txt bm25.run --topic 301 -m nDCG@10

`rankgauge` alone evaluates the runs of a folder, if there are any.
`rankgauge COMMAND --help` describes a command, and with --all every option.
[tool.rankgauge] in pyproject.toml, or rankgauge.toml, sets reading options.
exit codes: 0 success, 1 a check failed, 2 invalid input or usage, 70 a bug
"""


MAX_LINES = 48  # of a help that fits a screen
MORE_EXAMPLES = re.compile(r"(For example:\n(?:  .*\n){3})(?:  .*\n)+")  # than a short help has
# Groups of options that a short help only names, but for required ones and these.
SHOWN = ("output", "format")
SECONDARY = (
    "with --curve", "test", "vectors", "Spark", "human judgments", "running", "input", "output",
    "order of documents, and topics",
)  # fmt: skip


class Parser(argparse.ArgumentParser):
    """A parser that suggests options, and whose help can end with text made when it is printed."""

    make_epilog: Callable[[], str] | None = None
    describes_all = False  # every option in the help, also where that does not fit a screen

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # What argparse takes for a negative number rather than an option: also -1=0, a value of --grades,
        # and -1,2, one of --weights.
        self._negative_number_matcher = re.compile(r"-(\d+\.?\d*|\.\d+)(e[-+]?\d+)?([=,]|$)", re.IGNORECASE)

    def error(self, message: str) -> NoReturn:
        """Exit with a message, which names the nearest option."""
        option = re.match(r"unrecognized arguments: (--[^\s=]+)", message)
        if option:
            from rankgauge.schema.text import nearest

            message += nearest(option[1], self._option_string_actions)
        if re.match(r"unrecognized arguments: (-k|--cutoff|--top-?k)\b", message):
            message += "; the cutoff is part of the measure: -m nDCG@10"
        super().error(message)

    def _parse_optional(self, arg_string: str) -> Any:
        """The option of an argument, also in American spelling."""
        name, equals, value = arg_string.partition("=")
        british = name.replace("iz", "is")
        known = name not in self._option_string_actions and british in self._option_string_actions
        return super()._parse_optional(f"{british}{equals}{value}" if known else arg_string)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a message; argparse would hide that help cannot be written, and wraps no errors."""
        if file is sys.stdout:
            print(message, end="")
        else:
            print_message(message.rstrip("\n"))

    def print_help(self, file: Any = None) -> None:
        """Print the help, or the short one if that fits a screen better."""
        text = self.format_help()
        if not self.describes_all and text.count("\n") > MAX_LINES:
            text = self._short_help()
        self._print_message(text, file or sys.stdout)

    def _short_help(self) -> str:
        """The main options in a line each, and the names of the others."""
        from textwrap import wrap

        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(MORE_EXAMPLES.sub(r"\1", self.description or ""))
        others = ["", f"more options (`{self.prog} --help --all`):"]
        for group in self._action_groups:
            named = [
                each
                for each in group._group_actions
                if group.title in SECONDARY and not (each.required or each.dest in SHOWN)
            ]
            formatter.start_section(group.title)
            formatter.add_arguments(_in_short(each) for each in group._group_actions if each not in named)
            formatter.end_section()
            if named:
                names = f"  {group.title}: {', '.join(each.option_strings[0] for each in named)}"
                width = terminal_width() - 2
                others += wrap(names, width, subsequent_indent="    ", break_on_hyphens=False)
        if self.make_epilog is None:  # which may be long
            formatter.add_text(self.epilog)
        return "\n".join([formatter.format_help().rstrip("\n"), *(others if others[2:] else ()), ""])

    def format_help(self) -> str:
        """The text of the help, with every option."""
        if self.make_epilog is not None:
            self.epilog = self.make_epilog()
        return super().format_help()


def _in_short(action: argparse.Action) -> argparse.Action:
    """The action with the first line of its help, and the values it takes."""
    from copy import copy

    short = copy(action)
    short.help = (action.help or "").partition("\n")[0]
    choices = [str(each) for each in action.choices or ()] if action.option_strings else []
    if not all(each in short.help for each in choices):
        short.help += f": {', '.join(choices)}".replace("%", "%%")
    return short


def parser(configured: Container[str] = COMMANDS) -> Parser:
    """The parser of all commands, some with their arguments."""
    top = Parser(
        "rankgauge",
        description="Evaluate ranked retrieval: score runs, compare them, and study the measures.",
        epilog=EPILOG,
        formatter_class=Help,
        allow_abbrev=False,
    )
    top.add_argument(
        "-V", "--version", action="store_true", help="show the version, the core in use and Python's version"
    )
    top.add_argument("--completion", metavar="SHELL", help="print a completion script, such as for bash")
    commands = top.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    top._action_groups.remove(top._subparsers)  # type: ignore[arg-type]  # listed in groups of our own
    top.usage = "%(prog)s [-h] [-V] [--completion SHELL] COMMAND ..."
    top.description = f"{top.description}\n\n{_listed()}"
    for name in COMMANDS:
        sub = commands.add_parser(name, help=summary(name), add_help=name in configured, **OF_COMMANDS)
        if name in configured:
            _configure(sub, name)
    return top


def _listed() -> str:
    """The commands in groups, a line each."""
    grouped = {name for names in GROUPS.values() for name in names}
    others = tuple(name for name in COMMANDS if name not in grouped)
    return "\n\n".join(
        "\n".join([f"{title}:", *(f"  {name:<12} {summary(name)}" for name in names if name in COMMANDS)])
        for title, names in {**GROUPS, "more": others}.items()
        if not COMMANDS.keys().isdisjoint(names)
    )


def command_parser(name: str, describes_all: bool = False) -> Parser:
    """The parser of one command."""
    parser = Parser(f"rankgauge {name}", **OF_COMMANDS)
    parser.describes_all = describes_all
    _configure(parser, name)
    return parser


def _configure(parser: Parser, name: str) -> None:
    module = COMMANDS.load(name)
    parser.description = module.__doc__
    guarded("command", name, module.configure)(parser)
    parser.set_defaults(run=guarded("command", name, module.run), parser=parser)


def parse(argv: list[str], command: str | None) -> argparse.Namespace:
    """The arguments of a command line; SystemExit after help or wrong usage."""
    if command is None:
        top = parser(())
        if not argv:
            top.print_help(sys.stderr)
            raise SystemExit(2)
        return top.parse_args(argv)
    words = argv[1:]
    helps = not {"-h", "--help"}.isdisjoint(words)
    if describes_all := helps and "--all" in words:
        words.remove("--all")
    whole, settings = command_parser(command, describes_all), None
    if file := None if helps else settings_file():
        from rankgauge.cli.settings import Settings

        settings = Settings(file, whole)
    args, rest = whole.parse_known_args(words)
    if rest:
        _add_files(args, rest, args.parser)
    args.notes = settings.notes(args) if settings else []
    from rankgauge.cli.inputs import name_runs

    name_runs(args)
    return args


def settings_file() -> str | None:
    """The file with settings of the project: in the working folder, or in the nearest one above."""
    folder = os.getcwd()  # noqa: PTH109 (importing pathlib takes too long)
    while True:
        for name in ("rankgauge.toml", "pyproject.toml"):
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isfile(path):  # noqa: PTH113
                with open(path, "rb") as file:  # noqa: PTH123
                    if name == "rankgauge.toml" or b"[tool.rankgauge" in file.read():
                        return path
        if (above := os.path.dirname(folder)) == folder:  # noqa: PTH120
            return None
        folder = above


def _add_files(args: argparse.Namespace, rest: list[str], command: argparse.ArgumentParser) -> None:
    """Add files that follow an option, which argparse does not do."""
    last = next((action for action in reversed(command._actions) if not action.option_strings), None)
    if (
        last is None
        or last.nargs not in ("+", "*")
        or any(text.startswith("-") and text != "-" for text in rest)
    ):
        command.error(f"unrecognized arguments: {' '.join(rest)}")
    setattr(args, last.dest, [*getattr(args, last.dest), *rest])


def options_of(command: argparse.ArgumentParser) -> set[str]:
    """The options of a command, and of the commands below it."""
    below = (
        each
        for action in command._actions
        if isinstance(action, argparse._SubParsersAction)
        for each in action.choices.values()
    )
    return {*command._option_string_actions}.union(*map(options_of, below))


class AnySpelling(dict[str, argparse.ArgumentParser]):
    """Parsers by the names of a registry, in any spelling."""

    def __init__(self, parsers: Mapping[str, argparse.ArgumentParser], registry: Registry[Any]) -> None:
        super().__init__(parsers)
        self._registry = registry

    def __contains__(self, name: object) -> bool:
        return self._registry.find(str(name)) is not None

    def __getitem__(self, name: str) -> argparse.ArgumentParser:
        return super().__getitem__(self._registry.find(name).name)


def add_entries(
    parser: argparse.ArgumentParser,
    registry: Registry[Any],
    kind: str,
    kinds: str,
    examples: Mapping[str, str],
    add_arguments: Callable[[argparse.ArgumentParser, Any], None],
) -> None:
    """Add a subcommand for each entry of a registry, with an example."""
    names = parser.add_subparsers(title=kinds, dest=kind, metavar="NAME", prog=f"rankgauge {kind}")
    for name, example in examples.items():
        entry = registry[name]
        sub = names.add_parser(name, help=entry.title, formatter_class=Help, allow_abbrev=False)
        sub.description = f"{entry.help}\n\nFor example:\n  {example}"
        sub.epilog = f"source: {entry.cite}"
        sub.set_defaults(parser=sub)
        if isinstance(sub, Parser) and isinstance(parser, Parser):
            sub.describes_all = parser.describes_all
        add_arguments(sub, entry)
    names.choices = names._name_parser_map = AnySpelling(names._name_parser_map, registry)


class Help(argparse.RawDescriptionHelpFormatter):
    """Help that keeps line breaks."""

    def __init__(self, prog: str) -> None:
        # argparse would import shutil to find the width, which takes longer than parsing
        super().__init__(prog, max_help_position=26, width=terminal_width() - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Paragraphs and commands, as wide as the terminal."""
        if max(map(len, text.splitlines()), default=0) <= width:
            return super()._fill_text(text, width, indent)
        from textwrap import wrap

        lines, paragraph = [], list[str]()
        for line in [*text.splitlines(), ""]:
            if line and not line.startswith(" "):
                paragraph.append(line)
                continue
            lines += wrap(" ".join(paragraph), width, break_on_hyphens=False)
            paragraph.clear()
            split = wrap(line, width - 2, subsequent_indent="    ", break_on_hyphens=False) or [""]
            lines += " \\\n".join(split).split("\n") if line.startswith("  rankgauge ") else split
        return "\n".join(lines).rstrip("\n")

    def _format_usage(self, usage: str | None, *others: Any) -> str:
        text = super()._format_usage(usage, *others)
        if usage is None or len(text) <= self._width:
            return text
        from textwrap import wrap

        whole = re.sub(r"\[[^\]]*\]", lambda option: option[0].replace(" ", "\xa0"), text)
        lines = wrap(whole, self._width, subsequent_indent=" " * 12, break_on_hyphens=False)
        return "\n".join([*lines, "", ""]).replace("\xa0", " ")

    def _split_lines(self, text: str, width: int) -> list[str]:
        if max(map(len, text.splitlines()), default=0) <= width:
            return text.splitlines()
        from textwrap import wrap  # slow to import, and the list of commands does without

        parts = []
        for line in text.splitlines():
            hanging = "    " if line.startswith(" ") else ""
            parts += wrap(line, width, subsequent_indent=hanging)
        return parts


OF_COMMANDS: dict[str, Any] = {
    "formatter_class": Help,
    "allow_abbrev": False,
    "conflict_handler": "resolve",  # so that a command can have a -h of its own
}


def listing(head: str, titles: Mapping[str, str], indent: int) -> str:
    """Names with their titles from the column `indent` on."""
    from textwrap import wrap

    lines, rest = [head], " " * indent
    for name, title in titles.items():
        first = f"  {name}".ljust(indent)
        lines += wrap(title, terminal_width() - 2, initial_indent=first, subsequent_indent=rest) or [
            f"  {name}"
        ]
    return "\n".join(lines)
