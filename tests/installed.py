"""Rows and tests that need an extension, which are left out where it is not installed."""

from collections.abc import Mapping

import pytest

from rankgauge.cli.parser import COMMANDS, MOVED
from rankgauge.schema.extensions import is_installed


def rows(table):
    """The rows of a list or dict whose command is installed; it is the first word of a row or key."""
    if isinstance(table, Mapping):
        return {row: table[row] for row in rows([*table])}
    assert MOVED.keys().isdisjoint(map(_command, table))
    return [row for row in table if _command(row) in COMMANDS]


def _command(row):
    return row.split()[0] if isinstance(row, str) else _command(row[0])


def needs(extension):
    """The mark of a test that needs an extension."""
    return pytest.mark.skipif(not is_installed(extension), reason=f"{extension} is not installed")
