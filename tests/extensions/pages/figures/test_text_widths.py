"""Widths of texts, and the lines in which they are broken."""

import pytest

from rankgauge.extensions.pages.figures.theme import broken, pieces, width_in_em


@pytest.mark.parametrize("text", ["nDCG@10", "a_b-c.d", "one two", "W" * 40, "", " ", "日本語の名前"])
@pytest.mark.parametrize("most", [1.1, 4.0, 30.0])
def test_broken_lines_have_all_of_a_text_and_no_more_width(text, most):
    lines = broken(text, most)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert "".join(pieces(text)) == text
    assert all(width_in_em(line) <= most or len(line) == 1 for line in lines)


@pytest.mark.parametrize(
    ("text", "most", "lines"),
    [
        ("nDCG@10", 3, ["nDCG", "@10"]),
        ("RR(rel=2)@10", 3, ["RR", "(rel=2)", "@10"]),
        ("nDCG(gains=exp2)@10", 3.6, ["nDCG", "(gains=", "exp2)", "@10"]),
        ("RBP(p=0.8)", 3.4, ["RBP", "(p=0.8)"]),
    ],
)
def test_a_header_breaks_before_its_parameters_and_cutoff(text, most, lines):
    assert broken(text, most) == lines
