import re

import pytest

from rankgauge.schema.text import pattern


@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
@pytest.mark.parametrize("text", ["", "ab", "xabAB", "c"])
def test_a_pattern_finds_what_the_compiled_expression_finds(text, flags):
    lazy, compiled = pattern("(?P<a>a)b", flags), re.compile("(?P<a>a)b", flags)
    for method in ("match", "fullmatch", "search", "findall"):
        for _ in range(2):  # compiled at first, and again
            one, other = (getattr(each, method)(text) for each in (lazy, compiled))
            assert str(one) == str(other)
    assert lazy.sub("-", text) == compiled.sub("-", text)
    assert lazy.pattern == compiled.pattern
    assert lazy.groupindex == compiled.groupindex


def test_a_pattern_is_compiled_when_it_is_first_used():
    invalid = pattern("(")
    with pytest.raises(re.error):
        invalid.match("")
