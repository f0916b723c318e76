"""Completion scripts for shells."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from rankgauge.cli.inputs import kind_of
from rankgauge.errors import OptionError
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.text import unknown_name

SHELLS = ("bash", "zsh", "tcsh")

# bash: $1 is the word so far, in which several measures may be quoted; those that are complete are kept. If
# no name begins with what was typed, case does not matter.
BASH = """
_rankgauge_names() {
  local typed="${1#[\\"\\']}" kept="" name case
  [[ "$typed" == *[\\ ,\\;]* ]] && kept="${typed%"${typed##*[ ,;]}"}"
  typed="${typed#"$kept"}"
  shift
  for case in -u -s; do
    shopt $case nocasematch
    local found=
    for name in "$@"; do [[ "$name" == "$typed"* ]] && found=1 && echo "$kept$name"; done
    [[ $found ]] && return
  done
}
_rankgauge_measures() {
  if [[ "$1" ]]; then _rankgauge_names "$1" MEASURES; else _rankgauge_names "" WELL_KNOWN; fi
}
_rankgauge_trec_measures() { _rankgauge_names "$1" TREC; }
"""


def script(shell: str) -> str:
    """The script for a shell, such as bash."""
    from rankgauge.cli.parser import parser

    if shell not in SHELLS:
        raise OptionError(unknown_name("shell", shell, SHELLS))
    shtab = optional_module("shtab", "completion", "completion")
    whole = parser()
    names = measure_names()
    complete = {"file": shtab.FILE, "directory": shtab.DIRECTORY}
    for command in _commands(whole):
        name = command.prog.rpartition(" ")[2]
        for action in command._actions:
            kind = kind_of(action)
            if kind is not None:  # shtab reads this attribute
                action.complete = complete[kind]  # type: ignore[attr-defined]
            elif (offered := getattr(action, "names", None)) is not None:  # by the command
                action.choices = [*offered]
            elif _takes_measure(action) or (name, action.dest) == ("measures", "name"):
                listed = "trec_measures" if name == "trec_eval" else "measures"
                if shell == "bash":
                    action.complete = {"bash": f"_rankgauge_{listed}"}  # type: ignore[attr-defined]
                else:
                    action.choices = names[listed]
    functions = BASH.replace("WELL_KNOWN", " ".join(names["well_known"]))
    functions = functions.replace("MEASURES", " ".join(names["measures"]))
    functions = functions.replace("TREC", " ".join(names["trec_measures"]))
    return str(shtab.complete(whole, shell=shell, preamble=functions if shell == "bash" else ""))


def _takes_measure(action: argparse.Action) -> bool:
    return action.metavar == "MEASURE" or "-m" in action.option_strings


def measure_names() -> dict[str, list[str]]:
    """The names that -m completes: those of measures, the well-known first, and their sets; trec_eval's.

    Where nothing is typed yet, bash offers the well-known ones alone.
    """
    from rankgauge.measures import MEASURES, set_names
    from rankgauge.measures.named_sets import FAMILIES

    def stems(names: Iterable[str]) -> list[str]:
        return [name.removesuffix("_k").partition("_{")[0] for name in names]

    trec = [stem for spec in MEASURES.values() for stem in stems(spec.trec)]
    trec += ["official", "all_trec", "set"]
    # Families of trec_eval, such as ndcg_cut, would keep `ndc` from being completed to nDCG.
    sets = [name for name in set_names() if name not in FAMILIES]
    ours = sorted(MEASURES, key=lambda name: not MEASURES[name].well_known)
    well_known = [name for name in ours if MEASURES[name].well_known]
    return {
        "measures": [*ours, *sets],
        "well_known": well_known,
        "trec_measures": list(dict.fromkeys(trec)),
    }


def _commands(whole: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    return [
        command
        for action in whole._actions
        if isinstance(action, argparse._SubParsersAction)
        for part in action.choices.values()
        for command in [part, *_commands(part)]
    ]
