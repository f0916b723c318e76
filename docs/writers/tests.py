"""The page on tests and corrections."""

from collections.abc import Iterator

from rankgauge.comparison.registry import CORRECTIONS, SEED, TESTS
from writers.markup import code, table

KINDS = {
    "pair": "the differences between two runs, topic by topic",
    "all": "all runs together, on the topics that all of them have",
}


def tests() -> Iterator[str]:
    """Every test and every correction."""
    yield "# Tests and corrections\n"
    yield """Values of `rankgauge compare --test` and of `rankgauge.compare(scores, test=...)`.
[Compare systems](../how-to/compare-systems.md) says when to use which. All p-values are two-sided.
"""
    rows = ((f"[{name}](#{name})", test.title, KINDS[test.kind]) for name, test in TESTS.items())
    yield table(("name", "test", "compares"), rows)
    for name, test in TESTS.items():
        yield f"## {name}\n"
        yield f"{test.help}\n"
        facts = {
            "statistic": test.statistic,
            "effect": test.effect,
            "interval": test.interval,
            "source": test.cite,
        }
        if test.samples:
            facts["random"] = (
                f"{test.samples} {test.unit}, seed {SEED}; set others with `samples=` and `seed=`"
            )
        if test.familywise:
            facts["many pairs"] = "p accounts for all pairs already, so no correction is applied"
        yield "".join(f"- {name}: {fact}\n" for name, fact in facts.items())
    yield "## Corrections\n"
    yield """Values of `--correction` and `correction=`. All pairs of one measure form one family, except
those whose p is undefined.
"""
    rows = ((code(name), each.title, each.help, each.cite) for name, each in CORRECTIONS.items())
    yield table(("name", "correction", "effect", "source"), rows)
