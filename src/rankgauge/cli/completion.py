"""Print a completion script for a shell.

For example:
  rankgauge completion bash > ~/.local/share/bash-completion/completions/rankgauge
  rankgauge completion zsh > ~/.zfunc/_rankgauge
"""

from __future__ import annotations

import argparse

from rankgauge.cli.paths import kind_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    import shtab

    parser.add_argument("shell", choices=shtab.SUPPORTED_SHELLS, help="the shell")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    from rankgauge.cli.parser import parser
    from rankgauge.reproductions import EXPERIMENTS

    whole = parser()
    complete = {"file": shtab.FILE, "directory": shtab.DIRECTORY}
    for command in _commands(whole):
        for action in command._actions:
            kind = kind_of(action)
            if kind is not None:  # shtab reads this attribute
                action.complete = complete[kind]  # type: ignore[attr-defined]
            elif command.prog.endswith(" reproduce") and action.dest == "name":
                action.choices = list(EXPERIMENTS)
    print(shtab.complete(whole, shell=args.shell))
    return 0


def _commands(whole: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parser of each command, and of each study."""
    return [
        command
        for action in whole._actions
        if isinstance(action, argparse._SubParsersAction)
        for part in action.choices.values()
        for command in [part, *_commands(part)]
    ]
