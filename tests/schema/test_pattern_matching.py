"""Patterns of an organiser on names by participants: the same matches however long they may take."""

import random
import re

import pytest

from rankgauge import Run
from rankgauge.errors import InputError
from rankgauge.model.collapse import Collapse
from rankgauge.schema import pattern_matching
from rankgauge.schema.pattern_matching import full_matches


@pytest.mark.parametrize("pattern", [r"(a)b+", r"(?:a|b)*(b)?", r"((a|\ud800)+)b*", r"(.*)b.*a.*b.*"])
def test_a_process_of_its_own_finds_the_same_matches(pattern):
    rng = random.Random(pattern)
    texts = ["".join(rng.choices("ab\ud800", k=rng.randint(0, 5))) for _ in range(300)]
    found = [re.fullmatch(pattern, text) for text in texts]
    assert full_matches(pattern, texts, 1) == [each and each[1] for each in found]
    assert any(found)


def test_a_pattern_that_would_run_for_ever_is_an_error(monkeypatch):
    monkeypatch.setattr(pattern_matching, "LIMIT", 0.5)
    with pytest.raises(InputError, match=r"'\(a\+\)\+b' took more than 0.5 seconds on 1 name .*40 char"):
        full_matches("(a+)+b", ["a" * 40])
    for many_choices in ("a?" * 40 + "a" * 40, "(a|aa)" * 30 + "c"):
        with pytest.raises(InputError, match="took more than"):
            full_matches(many_choices, ["a" * 39 + "b"])
    with pytest.raises(InputError, match="without a repeat of a repeat"):
        Collapse.of("regex:((a+)+)b").documents(Run.from_dict({"1": {"a" * 40: 1.0}}))
