"""The option that selects runs, such as the best of each team."""

from __future__ import annotations

import argparse

from rankgauge.cli.options import listed
from rankgauge.errors import OptionError


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects runs."""
    from rankgauge.campaigns import selection  # slow to import, and needed by few commands

    papers = listed({name: setting.cite for name, setting in selection.SETTINGS.items()})
    parser.add_argument(
        "--select",
        action="append",
        metavar="RULE",
        help="use only some of the runs; can be repeated\n  top=75%: the best runs, as a share or a number\n"
        "  teams=FILE: the best run of each team; a line is: run team\n"
        f"  by=MEASURE: the measure whose means decide what is best (default {selection.BY})\n"
        f"or the rule of a paper\n{papers}".replace("%", "%%"),
    )


def chosen_selection(args: argparse.Namespace) -> dict[str, str]:
    """The options of `add_selection`, as arguments of `selection.select`; empty if all runs take part."""
    from rankgauge.campaigns import selection

    rules: dict[str, str] = {}
    for rule in getattr(args, "select", None) or ():  # which not every command takes
        name, equals, value = rule.partition("=")
        if not equals and name in selection.SETTINGS:
            name, value = "setting", name
        elif name not in ("top", "teams", "by") or not value:
            papers = ", ".join(selection.SETTINGS)
            raise OptionError(f"--select takes top=75%, teams=FILE, by=MEASURE, or {papers}, not {rule!r}")
        rules[name] = value
    if rules.keys() == {"by"}:
        raise OptionError(
            "--select by=MEASURE alone selects nothing; add --select top=N or --select teams=FILE"
        )
    return rules
