"""Options of the commands that test differences and check conditions: the test, and the gate."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence

from rankgauge.cli.options import whole_number
from rankgauge.cli.score_output import print_notes
from rankgauge.errors import OptionError
from rankgauge.schema.registry import Registry

FAILED = 1  # the exit code if a condition holds


def add_test(parser: argparse.ArgumentParser, *, corrections: bool = False) -> None:
    """Add the statistical test and its options; corrections are for commands with several pairs."""
    from rankgauge.comparison.registry import CORRECTIONS, SEED, TESTS

    tests = "\n".join(f"  {name}: {test.title}" for name, test in TESTS.items())
    add_choice(parser, "--test", TESTS, f"(default t)\n{tests}", "t")
    if corrections:
        listed = "\n".join(f"  {name}: {each.title}" for name, each in CORRECTIONS.items())
        text = f"of p for all pairs of a measure (default holm; none for Tukey's tests)\n{listed}"
        add_choice(parser, "--correction", CORRECTIONS, text)
    parser.add_argument(
        "--alpha", type=_level, default=0.05, metavar="α", help="level of significance (default 0.05)"
    )
    parser.add_argument(
        "--samples",
        type=whole_number(1, "--samples"),
        metavar="N",
        help="random samples, for tests that draw some (default: bootstrap 1000, others 10000)",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, "--seed"),
        default=SEED,
        metavar="N",
        help=f"of the random samples (default {SEED})",
    )


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Add the conditions under which a command fails."""
    parser.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="CONDITION",
        help='exit with code 1 if it holds, such as "nDCG@10 drops by 2%% significantly"',
    )


def print_checks(checks: Mapping[str, Sequence[str]]) -> None:
    """Print on stderr which conditions passed, and why others failed."""
    for condition, failures in checks.items():
        print_notes(
            "failed" if failures else "passed", [f"{condition}{''.join(f'; {each}' for each in failures)}"]
        )


def add_choice(
    parser: argparse.ArgumentParser,
    option: str,
    allowed: Iterable[str],
    text: str,
    default: str | None = None,
) -> None:
    """Add an option with some allowed values, which `text` describes."""
    find = allowed.find if isinstance(allowed, Registry) else None
    parser.add_argument(
        option,
        type=str if find is None else lambda name: find(name).name,
        choices=tuple(allowed),
        default=default,
        metavar=option[2:].upper(),
        help=text.replace("%", "%%"),
    )


def _level(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise OptionError(f"--alpha must be a number between 0 and 1, not {text!r}")
    return value
