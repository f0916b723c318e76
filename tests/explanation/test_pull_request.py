"""A diff as a comment on a pull request: short, whatever the ids are, and nothing breaks out of it."""

import random
import re

import pytest

import rankgauge
from rankgauge.explanation.diff import comment
from rankgauge.explanation.diff_report import MAX_COMMENT, MAX_TOPICS

MARKUP = [
    "</details><script>alert(1)</script>",
    "</summary>",
    "<!-- ",
    "| a | b |",
    "\n\n# heading",
    "``` \n code",
    "[x](http://example.org)",
    "@team #1 $x$ ~~s~~ **b** _i_",
    "&lt;b&gt; &amp;",
    "\\",
    "\u202e\x00\x1b[31m",
    "http://example.org www.example.org a@b.org",
]


def ids(prefix, count, length, rng):
    """Distinct ids of about this length that are full of markup."""
    made = []
    for number in range(count):
        text = f"{prefix}{number}"
        while len(text) < length:
            text += rng.choice(MARKUP)
        made.append(text[:length])
    return made


def campaign(topics, length, seed=0, alphabet=None):
    rng = random.Random(seed)
    names, docs = (
        (ids("t", topics, length, rng), ids("d", 12, length, rng))
        if alphabet is None
        else (
            [alphabet * length + str(n) for n in range(topics)],
            [alphabet * length + str(n) for n in range(12)],
        )
    )
    qrels = {name: {doc: rng.choice([0, 1, 2]) for doc in rng.sample(docs, 6)} for name in names}
    old, new = ({name: rng.sample(docs, 10) for name in names} for _ in range(2))
    return qrels, old, new


def without_code(text):
    """Markdown without what is escaped: backslashes and the character after them."""
    return re.sub(r"\\.", "", text)


def check(text):
    assert len(text) <= MAX_COMMENT
    bare = without_code(text)
    tags = re.findall(r"<[^>]*>", bare)
    assert {*tags} <= {"<details>", "</details>", "<summary>", "</summary>", "<span>", "</span>"}
    for name in ("details", "summary", "span"):
        assert bare.count(f"<{name}>") == bare.count(f"</{name}>")
    lines = text.splitlines()
    headings = [line for line in lines if line.startswith("#")]
    assert len(headings) <= 8
    for line in lines:
        if not line.startswith("|"):
            continue
        assert line.endswith("|")
    tables = "\n".join(lines).split("\n\n")
    for table in (block for block in tables if block.startswith("|")):
        bars = {without_code(line).count("|") for line in table.splitlines()}
        assert len(bars) == 1, table  # every row has as many columns as the header
    assert not re.search(r"(?<![\w>])@\w", bare.replace("<span>@</span>", ""))
    outside = "\n".join(line for line in lines if not line.startswith("<summary>"))  # which is HTML
    assert "```" not in without_code(outside)
    assert not re.search(r"\]\(|https?://", without_code(outside))


def test_five_thousand_topics_with_long_ids_of_markup():
    qrels, old, new = campaign(5000, 1000)
    found = rankgauge.diff(
        qrels, {"main " + "|" * 300: old}, {"<change>" + "@" * 300: new}, fail_if="nDCG@10 drops"
    )
    text = comment(found)
    check(text)
    assert text.count("<details>") > MAX_TOPICS


@pytest.mark.parametrize("character", ["@", "$", "|", "<", "\\", "`", "\x00", "😀", "\u202e"])
def test_the_worst_of_characters_stay_within_the_limit(character):
    qrels, old, new = campaign(40, 1000, alphabet=character)
    runs = {character * 900 + "1": old}, {character * 900 + "2": new}
    conditions = [
        f"{measure}@{k} {verb} by 0.1%"
        for measure in ("P", "nDCG", "R")
        for k in range(1, 12)
        for verb in ("drops", "rises")
    ]
    text = comment(rankgauge.diff(qrels, *runs, "AP nDCG@10 P@1|2|3|4|5|6|7|8|9|10", fail_if=conditions))
    check(text)
    assert "more measures not shown" in text


def test_a_small_diff_has_everything():
    qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1}}
    old = {"q1": ["a", "b"], "q2": ["x", "a"], "q3": ["c"]}
    new = {"q1": ["x", "b", "a"], "q2": ["a"], "q3": ["c"]}
    found = rankgauge.diff(qrels, {"main": old}, {"change": new}, "nDCG@10", fail_if="nDCG@10 drops by 1%")
    text = comment(found)
    check(text)
    assert text.startswith("# change against main: nDCG@10 ")
    assert "## Check: passed" in text or "## Check: failed" in text
    pair = found.comparison["nDCG@10"].pairs[0]
    assert f"| nDCG@10 | {pair.mean_against:.4f} | {pair.mean:.4f} | {pair.difference:+.4f} |" in text
    assert f"{pair.low:+.4f},{pair.high:+.4f}" in text
    assert "## The topic that lost" in text
    assert "## The topic that gained" in text
    assert "<summary>Topic q1 (" in text
    assert "| a | 2 | 1 | 3 | ↓2 |" in text
    assert "q3" not in text  # which did not change


def test_identical_runs_have_no_topics_to_show():
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"], "q2": ["x", "a"]}
    text = comment(rankgauge.diff(qrels, run, dict(run)))
    check(text)
    assert "0 better, 2 the same, 0 worse" in text


def test_the_worst_and_the_best_five_are_those_of_the_differences():
    qrels, old, new = campaign(60, 8, seed=4)
    found = rankgauge.diff(qrels, old, new)
    differences = sorted(each.difference for each in found.topics)
    assert [each.difference for each in found.losses[:5]] == differences[:5]
    assert [each.difference for each in found.gains[:5]] == differences[::-1][:5]
    text = comment(found)
    for value in (*differences[:5], *differences[-5:]):
        assert f"{value:+.4f}" in text
    assert f"The 5 topics of {len(found.losses)} that lost most" in text
