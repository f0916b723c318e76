"""Regular expressions of one person on names by another, which must not run for ever."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence

from rankgauge.errors import InputError
from rankgauge.schema.text import counted

LIMIT = 10  # seconds
FEW_CHOICES, SHORT = 3, 200  # the powers of lengths that take no time
CHOICES = re.compile(r"[*+{|]|(?<!\()\?")  # a?a?a?...aaa takes as long as (a+)+
CHILD = """
import json, re, sys
pattern, group, texts = json.load(sys.stdin)
found = map(re.compile(pattern).fullmatch, texts)
json.dump([each and each[group] for each in found], sys.stdout)
"""


def full_matches(pattern: str, texts: Sequence[str], group: int = 0) -> list[str | None]:
    """The group of each text that the pattern matches as a whole; None for others.

    A repeated group, or many choices, can take time exponential in a text, and nothing stops Python's
    matching but the end of its process: such a pattern has a process of its own, for LIMIT seconds.
    """
    choices = len(CHOICES.findall(pattern))
    is_fast = choices <= FEW_CHOICES and max(map(len, texts), default=0) <= SHORT
    if not sys.executable or (is_fast and not re.search(r"\)[*+{]", pattern)):
        return [found and found[group] for found in map(re.compile(pattern).fullmatch, texts)]
    import subprocess  # which few patterns need

    given = json.dumps([pattern, group, list(texts)])
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", CHILD],
            input=given,
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            f"the regular expression {pattern!r} took more than {LIMIT} seconds on "
            f"{counted(len(texts), 'name')} (the longest: {max(map(len, texts)):,} characters); write it "
            "without a repeat of a repeat, such as a+ for (a+)+"
        ) from None
    matches: list[str | None] = json.loads(done.stdout)
    return matches
